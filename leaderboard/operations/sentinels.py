"""The address of a Redis that Sentinels watch: ``redis+sentinel://``, with the Sentinels, the service and the database.

Sentinels say which server is the primary at the moment. The cache and the broker ask them when they connect, so that
both follow when another server becomes the primary.
"""

from typing import Final, NamedTuple, Self
from urllib.parse import quote, unquote, urlsplit

SCHEME: Final = "redis+sentinel"
FORM: Final = f"{SCHEME}://user:password@host:26379,host:26379/SERVICE/0"
PORT: Final = 26379


class SentinelAddress(NamedTuple):
    """What such an address says; user and password are those of Redis, not of the Sentinels."""

    hosts: list[tuple[str, int]]
    service: str
    database: int
    username: str | None
    password: str | None

    @classmethod
    def read(cls, url: str) -> Self:
        """Read an address.

        >>> SentinelAddress.read("redis+sentinel://:s%40@a,b:26380/main/2")
        SentinelAddress(hosts=[('a', 26379), ('b', 26380)], service='main', database=2, username=None, password='s@')

        Raises:
            ValueError: it does not have the `FORM`.
        """
        parts = urlsplit(url)
        user, _, places = parts.netloc.rpartition("@")
        username, _, password = (unquote(part) or None for part in user.partition(":"))
        service, _, database = parts.path.strip("/").partition("/")
        hosts = [urlsplit(f"//{place}") for place in places.split(",")]
        if parts.scheme != SCHEME or not service or not all(host.hostname for host in hosts):
            raise ValueError(f"The address must have the form {FORM}.")
        return cls(
            [(host.hostname or "", host.port or PORT) for host in hosts],
            service,
            int(database or 0),
            username,
            password,
        )

    @property
    def broker_url(self) -> str:
        """The same as Celery reads it; the service is the transport option ``master_name``."""
        user = f"{quote(self.username or '')}:{quote(self.password, safe='')}@" if self.password else ""
        return ";".join(f"sentinel://{user}{host}:{port}/{self.database}" for host, port in self.hosts)
