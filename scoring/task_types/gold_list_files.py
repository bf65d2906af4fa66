"""Read QAMPARI's published JSON Lines of gold answers, and files of retrieved passages.

`file_reader.py` says what such a file may be, and how problems are reported.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from scoring.generations.lines import Line
from scoring.generations.records import JsonObject
from scoring.metrics.base import ReferenceAnswer
from scoring.metrics.passage_recall import Passage, proof_passage
from scoring.task_types.base import References
from scoring.task_types.file_reader import FileReader, found_instead

QUESTION_EXAMPLE: Final = '{"qid": "…", "question_text": "…", "answer_list": [{"answer_text": "…", "aliases": ["…"]}]}'
GOLD_EXAMPLE: Final = '{"qid": "…", "answer_list": [{"answer_text": "…", "aliases": ["…"]}]}'
PASSAGES_EXAMPLE: Final = '{"id": "…", "passages": [{"title": "…", "text": "…"}]}'


Gold = tuple[list[ReferenceAnswer], tuple[Passage, ...], dict[str, str]]
"""Of one question of a file: its gold answers, the passages that are evidence for them, and by URL the titles of the
pages of an encyclopedia with a passage that supports an answer."""


def read_questions(path: Path) -> list[tuple[str, str, Gold | None]]:
    """Read a file of questions, with or without gold answers: the id and the text of each, and what its line says of
    the gold answers.

    Args:
        path: As `read_gold_lists`, with ``question_text`` in each object; ``answer_list`` may be missing.

    Raises:
        UnusableInputError: Listing everything that is wrong with it.
    """
    reader = FileReader(path, QUESTION_EXAMPLE, "question_text")
    questions = []
    for name, line, values in reader.objects():
        text = reader.question_in(line, "question_text", values)
        questions.append((name, text, _gold(line, values, reader) if "answer_list" in values else None))
    reader.refuse_problems(questions)
    return questions


def read_gold_lists(path: Path) -> References:
    """Read a file of questions with gold answers.

    Args:
        path: JSON Lines, each an object with ``qid`` (or ``id``) and ``answer_list``, a list of objects with
            ``answer_text`` and ``aliases``. Evidence is ``proof``, a list of objects with ``proof_text`` and
            ``found_in_url``, or, if the question has them, ``positive_ctxs`` with ``title`` and ``text``. Other keys
            are ignored.

    Raises:
        UnusableInputError: Listing everything that is wrong with it.
    """
    reader = FileReader(path, GOLD_EXAMPLE, "answer_list")
    questions = {name: gold for name, line, values in reader.objects() if (gold := _gold(line, values, reader))}
    answers = {name: listed for name, (listed, _, _) in questions.items()}
    return reader.references(answers, tuple(evidence for _, evidence, _ in questions.values()))


def read_passages(path: Path) -> Mapping[str, tuple[Passage, ...]]:
    """Read a file of retrieved passages: question id to passages, best first.

    Args:
        path: JSON Lines, each an object with ``id`` (or ``qid``) and ``passages``, a list of objects with ``title`` and
            ``text``. Other keys are ignored.

    Raises:
        UnusableInputError: Listing everything that is wrong with it.
    """
    reader = FileReader(path, PASSAGES_EXAMPLE, "passages")
    by_question = {
        name: passages
        for name, line, values in reader.objects()
        if (passages := _passages(line, values, "passages", reader)) is not None
    }
    reader.refuse_problems(by_question)
    return by_question


def _gold(line: Line, values: Mapping[str, Any], reader: FileReader) -> Gold | None:
    listed = reader.objects_in(line, "answer_list", values.get("answer_list"))
    if listed == []:
        reader.add(
            line, "answer_list", "an empty list", "at least one answer", "Add the gold answers, or the line out."
        )
    if not listed:
        return None
    answers: list[ReferenceAnswer] = []
    proofs: list[Passage] = []
    pages: dict[str, str] = {}
    for place, item in listed:
        text = reader.text_in(line, f"{place}.answer_text", item.get("answer_text"))
        aliases = item.get("aliases")
        if type(aliases) is not list or not all(type(alias) is str for alias in aliases):
            what = found_instead(aliases) if type(aliases) is not list else "a list with other values than strings"
            reader.add(line, f"{place}.aliases", what, "a list of strings", "Write all names that count; [] for none.")
        answer: dict[str, Any] = {"answer_text": text, "aliases": aliases}
        # What has no text and page is no evidence, and no mistake either.
        for pairs in item["proof"] if type(item.get("proof")) is list else ():
            proof = dict(pairs) if type(pairs) is JsonObject else {}
            said, url = proof.get("proof_text"), proof.get("found_in_url")
            if type(said) is str and type(url) is str:
                answer.setdefault("proof", []).append({"found_in_url": url, "proof_text": said})
                proofs.append(proof_passage(said, url))
                pages[url] = proofs[-1].title
        answers.append(answer)
    contexts = _passages(line, values, "positive_ctxs", reader) if "positive_ctxs" in values else None
    return answers, tuple(proofs) if contexts is None else contexts, pages


def _passages(line: Line, values: Mapping[str, Any], key: str, reader: FileReader) -> tuple[Passage, ...] | None:
    listed = reader.objects_in(line, key, values.get(key))
    if listed is None:
        return None
    return tuple(
        Passage(*(reader.text_in(line, f"{place}.{field}", item.get(field)) for field in Passage._fields))
        for place, item in listed
    )
