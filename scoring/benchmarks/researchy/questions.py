"""Read the published JSON Lines of Researchy Questions: questions with labels of their quality, clicked documents and a
decomposition, without answers.

The file may be compressed with gzip, or be the only such file in a zip archive. Every problem is reported at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, TypeGuard

from scoring.benchmarks.base import SourceQuestion
from scoring.generations.lines import Line
from scoring.generations.records import JsonObject
from scoring.task_types.file_reader import FileReader, found_instead

EXAMPLE: Final = '{"id": "…", "question": "…", "intrinsic_scores": {"ambiguous": 0}, "decompositional_score": 0.7}'
QUALITIES: Final = {
    "ambiguous": "Ambiguous",
    "incompleteness": "Incomplete",
    "assumptive": "Assumptive",
    "multi-faceted": "Multi-faceted",
    "knowledge-intensive": "Knowledge-intensive",
    "subjective": "Subjective",
    "reasoning-intensive": "Reasoning-intensive",
    "harmful": "Harmful",
}
"""The eight labels of the paper's Figure 7, each from 0 to 10, with their names here."""
OTHER_KEYS: Final = {"incomplete": "incompleteness"}
MAX_QUALITY: Final = 10
QUALITY_BINS: Final = ((3, "0–3"), (7, "4–7"), (MAX_QUALITY, "8–10"))
"""The largest value in each bin, and its name."""
SCORE_BINS: Final = ((0.6, "below 0.6"), (0.7, "0.6–0.7"), (0.8, "0.7–0.8"), (0.9, "0.8–0.9"))
"""The end of each bin, which belongs to the next one, and its name. Published questions have at least 0.6."""
LAST_SCORE_BIN: Final = "0.9 or more"


def quality_bin(value: float) -> str:
    """The bin of a quality label.

    >>> quality_bin(0), quality_bin(3), quality_bin(3.5), quality_bin(10)
    ('0–3', '0–3', '4–7', '8–10')
    """
    return next(name for most, name in QUALITY_BINS if value <= most)


def score_bin(value: float) -> str:
    """The bin of a decompositional score, which a classifier gives and which may exceed 1.

    >>> score_bin(0.59), score_bin(0.6), score_bin(0.709), score_bin(1.02)
    ('below 0.6', '0.6–0.7', '0.7–0.8', '0.9 or more')
    """
    return next((name for end, name in SCORE_BINS if value < end), LAST_SCORE_BIN)


def read_questions(path: Path) -> list[SourceQuestion]:
    """Read a file of questions.

    :param path: JSON Lines, each an object with ``id`` and ``question``, and as published ``intrinsic_scores`` (by
        label a number from 0 to 10), ``decompositional_score``, ``DocStream`` (a list of objects with ``Url`` and
        ``Title``) and ``gpt4_decomposition`` (an object with ``subquestions``, a list of texts). Other keys, such as
        ``nonfactoid_score``, are ignored.
    :raises UnusableInputError: listing everything that is wrong with it.
    """
    reader = FileReader(path, EXAMPLE, "question")
    questions = []
    for name, line, values in reader.objects():
        text = reader.question_in(line, "question", values)
        categories = _qualities(line, values, reader)
        score = values.get("decompositional_score")
        if _is_number(score):
            categories.append(f"Decompositional score: {score_bin(score)}")
        elif score is not None:
            fix = "Correct it, or remove the key."
            reader.add(line, "decompositional_score", found_instead(score), "a number", fix)
        parts = values.get("gpt4_decomposition")
        subquestions = dict(parts).get("subquestions") if isinstance(parts, JsonObject) else None
        listed = subquestions if isinstance(subquestions, list) else []
        questions.append(
            SourceQuestion(
                qid=name,
                text=text,
                categories=tuple(categories),
                evidence=tuple(_documents(line, values, reader)),
                decomposition=tuple({"question": text} for text in listed if isinstance(text, str) and text.strip()),
            )
        )
    reader.refuse_problems(questions)
    return questions


def _qualities(line: Line, values: Mapping[str, Any], reader: FileReader) -> list[str]:
    labels = values.get("intrinsic_scores")
    if labels is None:
        return []
    if not isinstance(labels, JsonObject):
        actual = found_instead(labels)
        reader.add(line, "intrinsic_scores", actual, "an object with a number for each label", "Correct the value.")
        return []
    given = {OTHER_KEYS.get(key, key): (key, value) for key, value in labels}
    categories = []
    for label, shown in QUALITIES.items():
        key, value = given.get(label, (label, None))
        if value is None:
            continue
        if _is_number(value) and 0 <= value <= MAX_QUALITY:
            categories.append(f"{shown}: {quality_bin(value)}")
        else:
            actual = "a number out of range" if _is_number(value) else found_instead(value)
            reader.add(line, f"intrinsic_scores.{key}", actual, f"a number from 0 to {MAX_QUALITY}", "Correct it.")
    return categories


def _documents(line: Line, values: Mapping[str, Any], reader: FileReader) -> Iterator[dict[str, Any]]:
    """The documents that people clicked on, in the order of the file, each once."""
    documents = values.get("DocStream") or []
    if type(documents) is not list:
        reader.add(line, "DocStream", found_instead(documents), "a list of objects", "Correct it, or remove the key.")
        return
    seen = set()
    for index, item in enumerate(documents):
        document = dict(item) if isinstance(item, JsonObject) else {"Url": None}
        url, title = document.get("Url"), document.get("Title")
        if not isinstance(url, str):
            actual = found_instead(url if isinstance(item, JsonObject) else item)
            place = f"DocStream[{index}]"
            reader.add(line, place, actual, 'an object with "Url", a text', "Add it, or remove the document.")
        elif url not in seen:
            seen.add(url)
            yield {"pageid": None, "revid": None, "title": title if isinstance(title, str) else url, "url": url}


def _is_number(value: object) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool)
