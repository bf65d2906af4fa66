"""Requests to a MediaWiki, which is never trusted: limited in time and size, and to the configured host."""

import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import urljoin, urlsplit

import httpx
from django.conf import settings

from humaneval.encyclopedia.base import EncyclopediaUnavailableError

CONNECT_SECONDS: Final = 3.0
SECONDS: Final = 15.0
"""Time limit for a complete article or search result."""
QUICK_SECONDS: Final = 3.0
"""The time limit for suggestions: a person who types does not wait."""
REST_SECONDS: Final = 2.0
"""Pause after a failed connection, so that an unavailable server does not delay every page."""
MAX_BYTES: Final = 32 * 2**20
MAX_REDIRECTS: Final = 5
RESTING: Final = "{} did not respond to the last request."


@dataclass(frozen=True)
class Answer:
    """A server's response: its status, and its body as text."""

    status: int
    text: str


class Server:
    """One server, at one scheme, host and port; thread-safe.

    Redirects are followed only within it. Error messages do not name the parameters: they are the participant's data.
    The address is one that `humaneval.models.source_addresses` accepts.
    """

    def __init__(self, address: str) -> None:
        parts = urlsplit(address)
        self.root = f"{parts.scheme}://{parts.netloc}"
        self._url = f"{self.root}{parts.path.rstrip('/')}"
        self._name = parts.netloc
        self._away_until = 0.0
        self._lock = threading.Lock()
        self._client: httpx.Client | None = None

    def get(self, parameters: Mapping[str, str | int], *, seconds: float = SECONDS) -> Answer:
        """Request the address with parameters.

        Raises:
            EncyclopediaUnavailableError: no complete response came in time, it was too large, or it redirected
                elsewhere.
        """
        if time.monotonic() < self._away_until:
            raise EncyclopediaUnavailableError(RESTING.format(self._name))
        deadline = time.monotonic() + seconds
        try:
            return self._ask(parameters, deadline)
        except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
            if isinstance(error, httpx.ConnectError | httpx.TimeoutException):
                self._away_until = time.monotonic() + REST_SECONDS
            raise EncyclopediaUnavailableError(f"{self._name} did not respond: {type(error).__name__}.") from None

    def _ask(self, parameters: Mapping[str, str | int], deadline: float) -> Answer:
        url, asked = self._url, dict(parameters)
        for _ in range(MAX_REDIRECTS + 1):
            left = deadline - time.monotonic()
            if left <= 0:
                raise EncyclopediaUnavailableError(f"{self._name} timed out.")
            timeout = httpx.Timeout(left, connect=min(CONNECT_SECONDS, left))
            with self._connected().stream("GET", url, params=asked or None, timeout=timeout) as response:
                if not response.has_redirect_location:
                    return self._read(response, deadline)
                url, asked = urljoin(str(response.url), response.headers["location"]), {}
            target = urlsplit(url)
            if f"{target.scheme}://{target.netloc}" != self.root:
                raise EncyclopediaUnavailableError(f"{self._name} redirected to another server, which is not allowed.")
        raise EncyclopediaUnavailableError(f"{self._name} redirected too many times.")

    def _read(self, response: httpx.Response, deadline: float) -> Answer:
        if response.headers.get("content-encoding", "identity").lower() != "identity":
            raise EncyclopediaUnavailableError(f"{self._name} sent a compressed response that was not requested.")
        body = bytearray()
        for chunk in response.iter_raw():
            body += chunk
            if len(body) > MAX_BYTES:
                raise EncyclopediaUnavailableError(f"{self._name} sent more than {MAX_BYTES // 2**20} MiB.")
            if time.monotonic() > deadline:
                raise EncyclopediaUnavailableError(f"{self._name} timed out.")
        return Answer(response.status_code, body.decode("utf-8", "replace"))

    def _connected(self) -> httpx.Client:
        """One client for each process, created on first use."""
        with self._lock:
            if self._client is None:
                contact = settings.SITE_CONTACT or settings.SITE_URL
                self._client = httpx.Client(
                    follow_redirects=False,
                    headers={
                        "User-Agent": f"Manyhop/{settings.MANYHOP_VERSION} ({contact})",
                        "Accept-Encoding": "identity",
                    },
                    limits=httpx.Limits(max_connections=16, max_keepalive_connections=8, keepalive_expiry=30),
                )
            return self._client
