"""The format of a file of retrieved passages: one object a line, with a question's id and its passages, best first.

Its passages are stored only in the file: checking a file gives their number, and scoring it reads their texts.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import BinaryIO, Final

from scoring.generations.json_errors import name_type
from scoring.generations.problems import GenerationsReport
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


def _read(value: object, *, only_count: bool = False) -> ReadAnswer:
    mistakes = tuple(islice(_mistakes(value), _SHOWN))
    if mistakes or not isinstance(value, list):
        return ReadAnswer(mistakes=mistakes)
    if only_count:
        return ReadAnswer(f"[{len(value)}]" if value else "[]")
    passages = map(dict, value)
    return ReadAnswer(json.dumps([[passage["title"], passage["text"]] for passage in passages], ensure_ascii=False))


PASSAGES: Final = AnswerFormat(
    id_keys=("id", "qid"),
    answer_key="passages",
    similar_keys=("ctxs", "contexts", "context", "documents", "docs", "retrieved", "results", "positive_ctxs"),
    example=EXAMPLE,
    holds="list of objects with title and text",
    read=_read,
    emptiness=lambda stored: "an empty list" if stored == "[]" else None,
    sample='{"id": "7__wikidata_simple__test", "passages": [{"title": "Lyon", "text": "Lyon is a city in …"}]}',
    has_free_texts=False,
    has_attempts=False,
)
"""The passages of each question, as a JSON array of pairs of title and text."""

COUNTED: Final = replace(PASSAGES, read=partial(_read, only_count=True))
"""The format of passages of which only the number is kept, by question: a file may have hundreds of megabytes."""


def check_file_of_passages(stream: BinaryIO, known: KnownQuestions | None, limits: Limits) -> GenerationsReport:
    """Read a file and report all its problems; its answers are only the numbers of passages."""
    report = read_generations(stream, known, limits, COUNTED)
    groups = []
    for group in report.groups:
        problems = tuple(
            replace(problem, expected=_about_passages(problem.expected), fix=_about_passages(problem.fix))
            for problem in group.problems
        )
        title, fix = _about_passages(group.title), _about_passages(group.fix)
        groups.append(replace(group, title=title, fix=fix, problems=problems))
    return replace(report, groups=tuple(groups))


def _about_passages(text: str) -> str:
    text = re.sub(r"\ban answer\b", "a list of passages", text)
    return re.sub(r"\banswer\b", "list of passages", text).replace("answers", "lists of passages")
