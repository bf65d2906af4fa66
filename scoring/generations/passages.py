"""The format of a file of retrieved passages: one object a line, with a question's id and its passages, best first.

Its passages are stored only in the file: checking a file gives their number, and scoring it reads their texts.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import BinaryIO, Final

from scoring.generations.json_errors import name_type
from scoring.generations.problems import GenerationsReport, ProblemGroup
from scoring.generations.reader import KnownQuestions, Limits, read_generations
from scoring.generations.records import AnswerFormat, JsonObject, Mistake, ReadAnswer

EXAMPLE: Final = '{"id": "…", "passages": [{"title": "…", "text": "…"}]}'
_CODE: Final = "answer-not-usable"
_FIX: Final = f"Write the line as {EXAMPLE}."
_SHOWN: Final = 3
"""Mistakes of a line that are named."""


def _mistakes(value: object) -> Iterator[Mistake]:
    if type(value) is not list:
        yield Mistake(_CODE, name_type(value), _FIX)
        return
    for number, passage in enumerate(value, start=1):
        if type(passage) is not JsonObject:
            yield Mistake(_CODE, f"{name_type(passage)} as passage {number:,}", _FIX)
            continue
        fields = dict(passage)
        for key in ("title", "text"):
            if key not in fields:
                yield Mistake(_CODE, f'no "{key}" in passage {number:,}', f"Add it; an empty text will do. {_FIX}")
            elif type(fields[key]) is not str:
                yield Mistake(_CODE, f'{name_type(fields[key])} as "{key}" of passage {number:,}', _FIX)


def _read(value: object) -> ReadAnswer:
    mistakes = tuple(_mistakes(value))[:_SHOWN]
    return ReadAnswer(mistakes=mistakes) if mistakes else ReadAnswer(_texts(value))


def _texts(value: object) -> str:
    passages = [dict(one) for one in value] if isinstance(value, list) else []
    return json.dumps([[one["title"], one["text"]] for one in passages], ensure_ascii=False)


def _counted(value: object) -> ReadAnswer:
    read = _read(value)
    return read if read.mistakes else ReadAnswer(f"[{len(value)}]" if isinstance(value, list) and value else "[]")


PASSAGES: Final = AnswerFormat(
    id_keys=("id", "qid"),
    answer_key="passages",
    similar_keys=("ctxs", "contexts", "context", "documents", "docs", "retrieved", "results", "positive_ctxs"),
    example=EXAMPLE,
    holds="list of objects with title and text",
    read=_read,
    emptiness=lambda stored: "an empty list" if stored == "[]" else None,
    sample='{"id": "7__wikidata_simple__test", "passages": [{"title": "Lyon", "text": "Lyon is a city in …"}]}',
)
"""The passages of each question, as a JSON array of pairs of title and text."""

COUNTED: Final = replace(PASSAGES, read=_counted)
"""The same, with only the number of each question's passages: a file may have hundreds of megabytes."""


def check_file_of_passages(stream: BinaryIO, known: KnownQuestions | None, limits: Limits) -> GenerationsReport:
    """Read a file and report all its problems; its answers are only the numbers of passages."""
    report = read_generations(stream, known, limits, COUNTED)
    return replace(report, groups=tuple(map(_of_passages, report.groups)))


def _of_passages(group: ProblemGroup) -> ProblemGroup:
    """A group of problems, about passages in place of answers."""
    problems = [replace(one, expected=_worded(one.expected), fix=_worded(one.fix)) for one in group.problems]
    return replace(group, title=_worded(group.title), fix=_worded(group.fix), problems=tuple(problems))


def _worded(text: str | None) -> str:
    return re.sub(r"\ban answer\b|\banswer\b", _list_of_passages, text or "").replace("answers", "lists of passages")


def _list_of_passages(found: re.Match[str]) -> str:
    return "a list of passages" if found[0] == "an answer" else "list of passages"
