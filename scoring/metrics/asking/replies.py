"""The possible replies of a judge's endpoint, and their meanings."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Final

from scoring.generations.reasoning import after_reasoning
from scoring.metrics.asking import letters

MAX_STORED_CHARACTERS: Final = 100_000
"""The maximum stored length of a reply: far more than any step-by-step reasoning needs."""


class Outcome(StrEnum):
    """The outcome of one ask. Only `VERDICT` counts for a score; each other value is a reason why there is none."""

    VERDICT = "verdict"
    UNPARSED = "unparsed"
    EMPTY = "empty"
    REFUSED = "refused"
    FILTERED = "filtered"
    TRUNCATED = "truncated"
    MALFORMED = "malformed"
    REJECTED = "rejected"
    TIMEOUT = "timeout"
    RATE_LIMITED = "rate_limited"
    SERVER_ERROR = "server_error"
    CONNECTION = "connection"
    EXPIRED = "expired"
    SURPLUS = "surplus"

    @property
    def label(self) -> str:
        """The reason in words, to follow a number of answers."""
        return _LABELS[self]

    @property
    def final(self) -> bool:
        """Whether asking again, with another seed, would be useless."""
        return self in _FINAL

    @property
    def passing(self) -> bool:
        """Whether nothing was said, for a temporary reason at the endpoint: no reply, or one that is empty or no
        JSON."""
        return self in _PASSING or self in _FAULTS

    @property
    def fault(self) -> bool:
        """Whether the endpoint answered with success, but with nothing readable: treated as an error of the server."""
        return self in _FAULTS


_LABELS = {
    Outcome.VERDICT: "judged",
    Outcome.UNPARSED: "unparsed: the reply has no readable verdict",
    Outcome.EMPTY: "empty reply",
    Outcome.REFUSED: "the judge refused",
    Outcome.FILTERED: "stopped by the endpoint's content filter",
    Outcome.TRUNCATED: "reply cut off at the maximum length",
    Outcome.MALFORMED: "the reply does not have the format of the API",
    Outcome.REJECTED: "the endpoint rejects the request",
    Outcome.TIMEOUT: "no reply before the timeout",
    Outcome.RATE_LIMITED: "the endpoint's rate limit was exceeded",
    Outcome.SERVER_ERROR: "error inside the endpoint",
    Outcome.CONNECTION: "connection lost",
    Outcome.EXPIRED: "not finished before the batch expired",  # of the Batch API, before version 0.8.0
    Outcome.SURPLUS: "a verdict that already existed",
}
_FINAL = frozenset({Outcome.VERDICT, Outcome.SURPLUS, Outcome.FILTERED, Outcome.REJECTED})
_FAULTS = frozenset({Outcome.EMPTY, Outcome.MALFORMED})
_PASSING = frozenset({Outcome.TIMEOUT, Outcome.RATE_LIMITED, Outcome.SERVER_ERROR, Outcome.CONNECTION, Outcome.EXPIRED})


@dataclass(frozen=True)
class Reply:
    """The result of one ask."""

    outcome: Outcome
    letter: str | None = None
    """The verdict, such as a letter ``A`` to ``F``; only with `Outcome.VERDICT`."""
    rule: letters.Rule | None = None
    """The rule that read the letter."""
    text: str = ""
    """The judge's text, a refusal included; or the body, if it is not a completion. It may reveal the reference."""
    model: str = ""
    """The model that the endpoint reports."""
    system_fingerprint: str = ""
    finish_reason: str = ""
    tokens_in: int | None = None
    tokens_out: int | None = None
    """Tokens as counted by the endpoint; ``None`` if it gives no count, or there was no reply."""
    latency: float = 0.0
    """Seconds from sending the answered request to the end of its reply."""
    ask: int = 1
    """The number of this ask for the verdict, from 1."""
    seed: int = 0
    """The seed that this ask sent."""


Read = Callable[[str], "letters.Reading | None"]
"""Finds the verdict in a judge's text; None if it has none."""


def read_completion(body: bytes | str, read: Read = letters.read) -> Reply:
    """Parse a body of any form into a reply.

    Nothing is assumed: neither that the body is JSON, nor that a field exists or has its type.
    """
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        return _malformed(body)
    return read_document(document, body, read)


def read_document(document: Any, body: bytes | str | None = None, read: Read = letters.read) -> Reply:
    """Parse a decoded body into a reply; *body* is the text to store if it is not a completion."""
    if body is None:
        body = json.dumps(document)
    choice = next(iter(_field(document, "choices", list) or ()), None)
    message = _field(choice, "message", dict)
    usage = _field(document, "usage", dict)
    reply = Reply(
        outcome=Outcome.UNPARSED,
        model=_text(_field(document, "model", str), 200),
        system_fingerprint=_text(_field(document, "system_fingerprint", str), 200),
        finish_reason=_text(_field(choice, "finish_reason", str), 50),
        tokens_in=_count(usage, "prompt_tokens"),
        tokens_out=_count(usage, "completion_tokens"),
    )
    if message is None:
        return replace(_malformed(body), model=reply.model, tokens_in=reply.tokens_in, tokens_out=reply.tokens_out)
    content = message.get("content")
    if isinstance(content, list) and all(isinstance(part, dict) for part in content):  # as some servers send it
        content = "".join(part["text"] for part in content if isinstance(part.get("text"), str))
    refusal = _field(message, "refusal", str)
    is_text = content is None or isinstance(content, str)
    if reply.finish_reason == "content_filter":
        return replace(reply, outcome=Outcome.FILTERED, text=_text(content if is_text else "", MAX_STORED_CHARACTERS))
    if refusal:
        return replace(reply, outcome=Outcome.REFUSED, text=_text(refusal, MAX_STORED_CHARACTERS))
    if not is_text:
        return replace(_malformed(body), model=reply.model, tokens_in=reply.tokens_in, tokens_out=reply.tokens_out)
    if reply.finish_reason == "length":
        return replace(reply, outcome=Outcome.TRUNCATED, text=_text(content, MAX_STORED_CHARACTERS))
    if not content or not content.strip():
        return replace(reply, outcome=Outcome.EMPTY)
    said, reading = read_text(content, read)
    return replace(
        reply,
        outcome=Outcome.VERDICT if reading else Outcome.UNPARSED,
        letter=reading.letter if reading else None,
        rule=reading.rule if reading else None,
        text=_text(said, MAX_STORED_CHARACTERS),
    )


def read_text(text: str, read: Read) -> tuple[str, letters.Reading | None]:
    """A judge's text without the reasoning before it, and the verdict in that.

    Servers without a parser of reasoning send it within the text. If nobody can tell where it ends, there is no
    verdict, and the text is as it was.
    """
    said = after_reasoning(text)
    return (said, read(said)) if said else (text, None)


def _malformed(body: bytes | str) -> Reply:
    text = body.decode("utf-8", "replace") if isinstance(body, bytes) else body
    return Reply(outcome=Outcome.MALFORMED, text=_text(text, MAX_STORED_CHARACTERS))


def _field(value: Any, name: str, kind: type) -> Any:
    field = value.get(name) if isinstance(value, dict) else None
    return field if isinstance(field, kind) else None


def _count(usage: Any, name: str) -> int | None:
    count = usage.get(name) if isinstance(usage, dict) else None
    return count if isinstance(count, int) and not isinstance(count, bool) and 0 <= count < 2**31 else None


def _text(value: str | None, limit: int) -> str:
    """Text that any database accepts: no NUL, no lone surrogates, not too long."""
    return (value or "")[:limit].replace("\0", "\ufffd").encode("utf-8", "replace").decode("utf-8")
