"""The first questions of a benchmark as an import would store them, for its author. Never an answer of a hidden split:
what a check prints is in logs that others read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from scoring.benchmarks.base import BenchmarkDefinition, SourceQuestion
from scoring.benchmarks.declared.context import described_picture, is_picture
from scoring.files.mistakes import described

_LONGEST: Final = 400
_INDENT: Final = "    "


def preview(definition: BenchmarkDefinition, most: int) -> Iterator[str]:
    """Lines that show the first questions of each split, at most so many."""
    hidden = {split.slug: split.hidden for split in definition.splits}
    hidden |= {subset.slug: hidden[subset.split] for subset in definition.subsets}
    for slug, packaged in definition.packaged().items():
        questions = packaged.source.questions
        yield f"{slug}: the first {min(most, len(questions)):,} of {len(questions):,} questions"
        for question in questions[:most]:
            shown = question.in_split(hidden=hidden[slug])
            yield f"  {question.qid}"
            for name, value in _parts(shown, hidden=hidden[slug]):
                first, *lines = _cut(value).splitlines() or [""]
                yield f"{_INDENT}{name}: {first}"
                yield from (f"{_INDENT}{' ' * len(name)}  {line}" for line in lines)


def _parts(question: SourceQuestion, *, hidden: bool) -> Iterator[tuple[str, str]]:
    yield "question", question.text
    for block in question.context:
        if isinstance(block, str):
            yield "context", block
        elif is_picture(block):
            yield "context", described_picture(block)
        elif isinstance(block, dict):
            yield "options", "\n".join(f"{label}  {text}" for label, text in block.items())
        else:
            yield "context", "\n".join(" | ".join(row) for row in block)
    if question.has_answer:
        yield "answer", f"{described(question.answer)}, hidden" if hidden else _in_json(question.answer)
    else:
        yield "answer", "none"
    if question.categories:
        yield "categories", ", ".join(question.categories)
    if question.cluster:
        yield "cluster", question.cluster
    if question.evidence:
        yield "evidence", ", ".join(str(page.get("title") or page.get("url") or "") for page in question.evidence)
    if question.decomposition:
        yield "decomposition", f"{len(question.decomposition)} steps"


def _in_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def legible_in_terminal(text: str) -> str:
    """A text without control characters, which could change what a terminal shows.

    >>> legible_in_terminal("Oslo\\x1b[2J")
    'Oslo·[2J'
    """
    return "".join(character if character.isprintable() or character == "\n" else "·" for character in text)


def _cut(text: str) -> str:
    """The same, not too long."""
    legible = legible_in_terminal(text)
    return legible if len(legible) <= _LONGEST else f"{legible[: _LONGEST - 1]}…"
