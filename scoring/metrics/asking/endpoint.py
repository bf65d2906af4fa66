"""An endpoint of the chat completions API."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from scoring.metrics.asking.errors import (
    EndpointUnavailableError,
    MisconfiguredError,
    PassingTroubleError,
    RejectedError,
)
from scoring.metrics.asking.items import MAX_REPLY_TOKENS, OPENAI_HOST
from scoring.metrics.asking.rate_limits import retry_after
from scoring.metrics.asking.replies import Outcome, Read, Reply, read_completion

if TYPE_CHECKING:
    import openai

# The client is imported where it is used: importing takes half a second, which would delay every process of the site.

OPENAI_BASE_URL: Final = f"https://{OPENAI_HOST}/v1"
CONNECT_SECONDS: Final = 10.0
PROBE_SECONDS: Final = 10.0
QUOTA_WAIT_SECONDS: Final = 900.0
LONGEST_MESSAGE: Final = 400
NO_MODEL_OR_URL: Final = "The judge's endpoint does not have this model or URL"

_CHATTY_LOGGERS = ("openai", "httpx", "httpx2", "httpcore", "httpcore2")
_NUMBER = re.compile(r"^\s*\d+\.\s+")
_SECRETS = re.compile(r"\b(?:sk|pk|key|org|proj)[-_][\w*.…-]{4,}|\bBearer\s+\S+", re.IGNORECASE)
_NO_MONEY = frozenset({"insufficient_quota", "billing_hard_limit_reached", "billing_not_active"})
FILTER_CODES = frozenset({"content_filter", "content_policy_violation", "responsibleaipolicyviolation"})
_NO_MODEL = frozenset({"model_not_found", "invalid_model", "model_not_available"})


@dataclass(frozen=True)
class EndpointSettings:
    """The endpoint's address and its time limits.

    Raises:
        ValueError: the address is not a web address, or contains a user name or password.
    """

    base_url: str = OPENAI_BASE_URL
    api_key: str = field(default="", repr=False)
    timeout_seconds: float = 120.0
    """Most seconds that one request takes, from sending it to the end of the reply."""
    max_reply_tokens: int = MAX_REPLY_TOKENS
    """Sent as ``max_tokens``, so that no answer can make the judge write without end; 0 to omit it."""

    def __post_init__(self) -> None:
        parts = urlsplit(self.base_url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.username or parts.password:
            raise ValueError("the judge's URL does not have the form https://host/path")

    @property
    def host(self) -> str:
        """The endpoint's host name, for people."""
        return urlsplit(self.base_url).hostname or ""

    def connect(self) -> Endpoint:
        """A connection to the endpoint, to be closed within the same event loop."""
        return Endpoint(self)


class Endpoint:
    """A connection to one endpoint. Create, use and close it within one event loop.

    The environment is ignored: ``OPENAI_API_KEY`` and every other variable of the ``openai`` package. Only the proxies
    of the environment (``HTTPS_PROXY``) are used as usual.
    """

    def __init__(self, settings: EndpointSettings) -> None:
        import openai  # before it is silenced: importing it sets up its logging

        self.settings = settings
        for name in _CHATTY_LOGGERS:  # prompts contain reference answers: no log may have them, whatever its level
            logger = logging.getLogger(name)
            if logger.getEffectiveLevel() < logging.WARNING:
                logger.setLevel(logging.WARNING)
        lines = os.environ.get("OPENAI_CUSTOM_HEADERS", "").split("\n")
        headers_of_the_environment = [line.partition(":")[0].strip() for line in lines if ":" in line]
        none: Any = openai.Omit()
        key = settings.api_key or "none"  # the client requires a key; an endpoint without keys ignores it
        self._client = openai.AsyncOpenAI(
            api_key=key,
            base_url=settings.base_url,
            organization="",
            project="",
            webhook_secret="",
            timeout=openai.Timeout(settings.timeout_seconds, connect=min(CONNECT_SECONDS, settings.timeout_seconds)),
            max_retries=0,
            default_headers={
                **dict.fromkeys(headers_of_the_environment, none),
                "Authorization": f"Bearer {key}",
                "OpenAI-Organization": none,
                "OpenAI-Project": none,
            },
        )

    async def aclose(self) -> None:
        await self._client.close()

    def request_body(
        self, messages: Sequence[Mapping[str, str]], *, model: str, temperature: float, seed: int
    ) -> dict[str, Any]:
        """The body of a request."""
        body: dict[str, Any] = {
            "model": model,
            "messages": [dict(message) for message in messages],
            "temperature": temperature,
            "seed": seed,
        }
        if self.settings.max_reply_tokens:
            body["max_tokens"] = self.settings.max_reply_tokens
        return body

    async def complete(
        self, body: Mapping[str, Any], *, private: Sequence[str] = (), key: str = ""
    ) -> tuple[bytes, float]:
        """Send one request; returns the response as received, and its duration in seconds.

        *private* are texts that no error message may repeat. *key* is sent as ``Idempotency-Key``: an endpoint that
        knows it answers a repeated request with the same response, which is paid for once.

        Raises:
            PassingTroubleError: no reply, but another try may bring one.
            RejectedError: this request is rejected.
            MisconfiguredError: every request would be rejected.
            EndpointUnavailableError: the account has no money left.
        """
        started = time.monotonic()
        with self.failures_named(private):
            async with asyncio.timeout(self.settings.timeout_seconds):
                # An extra body is sent as it is; the client would check messages in an argument piece by piece, which
                # would take as long as the rest of a request.
                response = await self._client.chat.completions.with_raw_response.create(
                    model=body["model"],
                    messages=[],
                    extra_body=dict(body),
                    extra_headers={"Idempotency-Key": key} if key else None,
                )
                content = response.http_response.content
        return content, time.monotonic() - started

    def reply_in(self, content: bytes, read: Read) -> Reply:
        """The reply in a response, with the verdict that *read* finds in its text."""
        return read_completion(content, read)

    async def reachable(self) -> bool:
        """Check that the endpoint answers at all by requesting its list of models, which costs nothing."""
        import openai

        try:
            async with asyncio.timeout(PROBE_SECONDS):
                await self._client.models.with_raw_response.list()
        except (TimeoutError, openai.APIConnectionError, openai.InternalServerError):
            return False
        except openai.OpenAIError:
            return True
        return True

    @contextmanager
    def failures_named(self, private: Sequence[str]) -> Iterator[None]:
        """Convert the client's exceptions into the errors of this module.

        Their messages quote the endpoint's own message unless it repeats one of the *private* texts.
        """
        import openai

        try:
            yield
        except (TimeoutError, openai.APITimeoutError):
            raise PassingTroubleError(
                Outcome.TIMEOUT, f"no reply within {self.settings.timeout_seconds:g} seconds"
            ) from None
        except openai.APIStatusError as error:
            raise self._status_error(error, private) from None
        except openai.APIConnectionError:
            raise PassingTroubleError(Outcome.CONNECTION, "the connection could not be made or was lost") from None

    def _status_error(self, error: openai.APIStatusError, private: Sequence[str]) -> Exception:
        status = error.status_code
        code = str(error.code or error.type or "").lower()
        # Status, code and, if it is safe to show, the endpoint's own message.
        named = re.sub(r"[^\w.-]", "", str(error.code or error.type or ""))[:60]
        message = f"{status} {named}".strip()
        text = error.body.get("message") if isinstance(error.body, dict) else None
        if isinstance(text, str) and len(text) <= LONGEST_MESSAGE and not repeats(text, private):
            shown = text.replace(self.settings.api_key, "[key]") if self.settings.api_key else text
            shown = " ".join(_SECRETS.sub("[…]", shown).split())
            message += f", {shown!r}" if shown else ""
        if status in (401, 403):
            what = "does not accept this site's key" if status == 401 else "does not permit this"
            return MisconfiguredError(f"The judge's endpoint {what}: {message}")
        if status == 404 or code in _NO_MODEL:
            return MisconfiguredError(f"{NO_MODEL_OR_URL}: {message}")
        if status == 402 or code in _NO_MONEY:
            return EndpointUnavailableError(
                f"The account at the judge's endpoint has no credit left: {message}",
                wait=QUOTA_WAIT_SECONDS,
                whole=True,
            )
        wait = retry_after(error.response.headers)
        if status == 429:
            return PassingTroubleError(Outcome.RATE_LIMITED, message, wait)
        if status in (408, 409, 425) or status >= 500:
            return PassingTroubleError(Outcome.SERVER_ERROR, message, wait)
        if 300 <= status < 400:
            return MisconfiguredError(f"The judge's endpoint redirects to another URL: {message}")
        outcome = Outcome.FILTERED if code in FILTER_CODES else Outcome.REJECTED
        return RejectedError(outcome, message, error.response.text)


def repeats(text: str, private: Sequence[str]) -> bool:
    """Whether a text repeats a line, with or without its number in a list, or a side of a ``key - value`` line, of
    private texts (of two characters or more).

    Servers that report an invalid request often quote it. It is better to hide one message too many than to show one.
    """
    heard = text.casefold()
    for line in (line for whole in private for line in whole.splitlines()):
        for part in {line, *line.split(" - "), _NUMBER.sub("", line)}:
            plain = part.strip()
            if len(plain) >= 2 and (plain.casefold() in heard or json.dumps(plain)[1:-1].casefold() in heard):
                return True
    return False
