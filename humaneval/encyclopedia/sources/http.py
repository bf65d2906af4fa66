"""Requests to a MediaWiki, which is never trusted: limited in time and size, and to the configured address."""

import time
from collections.abc import Mapping
from typing import Final
from urllib.parse import urlsplit

import httpx
from django.conf import settings

from humaneval.encyclopedia.base import EncyclopediaUnavailableError

CONNECT_SECONDS: Final = 3.0
SECONDS: Final = 15.0
"""Time limit for a complete article or search result."""
QUICK_SECONDS: Final = 3.0
"""The time limit for suggestions: a person who types does not wait."""
MAX_BYTES: Final = 32 * 2**20


class Server:
    """One server at one address; thread-safe.

    Redirects are not followed. Error messages do not name the parameters: they are the participant's data.
    """

    def __init__(self, address: str) -> None:
        self._url = address
        self._name = urlsplit(address).netloc
        contact = settings.SITE_CONTACT or settings.SITE_URL
        agent = f"Manyhop/{settings.MANYHOP_VERSION} ({contact})"
        # Not compressed, so that the limit of bytes is that of the text. The contact may have any letters.
        self._client = httpx.Client(headers={b"User-Agent": agent.encode(), b"Accept-Encoding": b"identity"})

    def get(self, parameters: Mapping[str, str | int], *, seconds: float = SECONDS) -> str:
        """The text of the response to a request with parameters.

        Raises:
            EncyclopediaUnavailableError: no complete response with status 200 came in time, or it was too large.
        """
        deadline = time.monotonic() + seconds
        timeout = httpx.Timeout(seconds, connect=min(CONNECT_SECONDS, seconds))
        body = bytearray()
        try:
            with self._client.stream("GET", self._url, params=dict(parameters), timeout=timeout) as response:
                if response.status_code != 200:
                    raise EncyclopediaUnavailableError(f"{self._name} responded with status {response.status_code}.")
                for chunk in response.iter_raw():
                    body += chunk
                    if len(body) > MAX_BYTES:
                        raise EncyclopediaUnavailableError(f"{self._name} sent more than {MAX_BYTES // 2**20} MiB.")
                    if time.monotonic() > deadline:
                        raise EncyclopediaUnavailableError(f"{self._name} timed out.")
        # Names of hosts that cannot be raise InvalidURL or UnicodeError.
        except (httpx.HTTPError, httpx.InvalidURL, UnicodeError, OSError) as error:
            raise EncyclopediaUnavailableError(f"{self._name} did not respond: {type(error).__name__}.") from None
        return body.decode("utf-8", "replace")
