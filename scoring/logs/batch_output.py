"""Output of OpenAI's Batch API: one response a line, with the question's id as ``custom_id``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from msgspec import Struct

from scoring.logs.chat import Choice, Message
from scoring.logs.log import Facts, Log, Sample, Wanted, decode_lines, make_log, model_of

KIND: Final = "output of OpenAI's Batch API"
CONTENT: Final = "response.body"


class _Body(Struct):
    model: str = ""
    choices: list[Choice] | None = None
    """Of /v1/chat/completions."""
    output: list[Message] | None = None
    """Of /v1/responses."""
    usage: dict[str, Any] | None = None
    status: str | None = None


class _Response(Struct):
    status_code: int = 0
    body: _Body | None = None


class _Line(Struct):
    custom_id: str
    response: _Response | None = None
    error: Any = None


def read_lines(lines: Sequence[tuple[int, bytes]], wanted: Wanted) -> Log:
    """Read the lines of a file, each with its number."""
    samples = []
    models: dict[str, None] = {}
    for place, line in decode_lines(lines, _Line):
        body = line.response.body if line.response else None
        has_failed = line.error is not None or body is None or not (line.response and line.response.status_code == 200)
        body = body or _Body()
        if body.model:
            models[body.model] = None
        usage = {name: value for name, value in (body.usage or {}).items() if value is not None}
        details = usage.get("completion_tokens_details") or usage.get("output_tokens_details")
        taken = {
            "input_tokens": usage.get("input_tokens", usage.get("prompt_tokens")),
            "output_tokens": usage.get("output_tokens", usage.get("completion_tokens")),
            "reasoning_tokens": details.get("reasoning_tokens") if isinstance(details, dict) else None,
            "stop_reason": body.choices[0].finish_reason if body.choices else body.status,
        }
        text = None
        if body.choices:
            text = body.choices[0].message.text
        elif body.output is not None:
            text = "".join(item.text or "" for item in body.output if item.type == "message")
        n_responses = len(body.choices or ())
        samples.append(
            Sample(place, line.custom_id, {CONTENT: text}, taken, has_failed=has_failed, n_responses=n_responses)
        )
    facts: Facts = {"framework": "OpenAI Batch API"}
    if len(models) == 1:
        facts["model"] = model_of(f"openai/{next(iter(models))}")
    return make_log(KIND, samples, wanted, facts)
