"""A benchmark's data card: its current splits, their revisions, topics and evidence, from the database."""

import datetime
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from leaderboard.web.cache import records_of, store_records
from scoring.models import Benchmark, Question, Revision, Split

TOPICS_SHOWN: Final = 12


@dataclass(frozen=True)
class RevisionRow:
    """A revision of a split's questions."""

    short_hash: str
    date: datetime.date
    note: str
    current: bool


@dataclass(frozen=True)
class Contents:
    """Counts over the questions of one revision."""

    n_questions: int
    n_documents: int
    """Distinct documents that its questions name as evidence."""
    documents_per_question: float
    """On average; 0 if there is no question."""
    topics: tuple[tuple[str, int], ...]
    """Every topic with the number of questions that have it, the most frequent first. A question may have several."""
    n_clusters: int
    """Clusters of similar questions; 0 if the benchmark names none."""


@dataclass(frozen=True)
class SplitFacts:
    """The current state of a split."""

    slug: str
    name: str
    hidden: bool
    short_hash: str
    date: datetime.date
    contents: Contents
    revisions: list[RevisionRow]


@dataclass(frozen=True)
class Topic:
    """How often a topic occurs in each split, in the order of the splits."""

    name: str
    counts: tuple[int, ...]


def splits_facts(benchmark: Benchmark) -> list[SplitFacts]:
    """The splits that have questions. Two queries; a third for revisions that are not in the cache."""
    splits = list(
        Split.objects.filter(benchmark=benchmark, current_revision__isnull=False).select_related("current_revision")
    )
    revisions = list(Revision.objects.filter(split__in=splits).order_by("-date", "-created_at", "-pk"))
    current = [split.current_revision for split in splits if split.current_revision is not None]
    contents = contents_of(current)
    return [
        SplitFacts(
            slug=split.slug,
            name=split.name,
            hidden=split.hidden,
            short_hash=revision.short_hash,
            date=revision.date,
            contents=contents[revision.pk],
            revisions=[
                RevisionRow(one.short_hash, one.date, one.note, one.pk == revision.pk)
                for one in revisions
                if one.split_id == split.pk
            ],
        )
        for split, revision in zip(splits, current, strict=True)
    ]


def contents_of(revisions: Iterable[Revision]) -> Mapping[int, Contents]:
    """The counts of revisions, by their keys. They are cached by content and clusters."""
    wanted = {one.pk: f"data-card:2:{one.content_hash}:{one.clusters_hash}" for one in revisions}
    found = records_of(wanted.values(), Contents)
    missing = [pk for pk, key in wanted.items() if key not in found]
    if missing:
        counts = {pk: _Counts() for pk in missing}
        questions = Question.objects.filter(revision__in=missing)
        rows = questions.order_by().values_list("revision", "categories", "evidence", "cluster")
        for pk, categories, evidence, cluster in rows.iterator(chunk_size=500):
            counts[pk].add(categories, evidence, cluster)
        counted = {wanted[pk]: own.contents() for pk, own in counts.items()}
        store_records(counted)
        found |= counted
    return {pk: found[key] for pk, key in wanted.items()}


def topics_of(facts: Iterable[SplitFacts]) -> tuple[list[Topic], int]:
    """The most frequent topics over all splits, and how many others there are."""
    by_split = [dict(split.contents.topics) for split in facts]
    totals = Counter[str]()
    for counts in by_split:
        totals.update(counts)
    ordered = sorted(totals.items(), key=lambda item: (-item[1], item[0]))
    shown = [Topic(name, tuple(counts.get(name, 0) for counts in by_split)) for name, _ in ordered[:TOPICS_SHOWN]]
    return shown, max(0, len(ordered) - TOPICS_SHOWN)


class _Counts:
    """Counts one question after the other: a revision may have tens of thousands."""

    def __init__(self) -> None:
        self._n_questions = self._n_named = 0
        self._topics = Counter[str]()
        self._documents = set[str]()
        self._clusters = set[str]()
        self._n_alone = 0

    def add(self, categories: list[Any], evidence: list[Any], cluster: str) -> None:
        named = {_document(item) for item in evidence}
        self._n_questions += 1
        self._n_named += len(named)
        self._topics.update(map(str, categories))
        self._documents |= named
        self._n_alone += not cluster
        self._clusters |= {cluster} - {""}

    def contents(self) -> Contents:
        return Contents(
            n_questions=self._n_questions,
            n_documents=len(self._documents),
            documents_per_question=self._n_named / self._n_questions if self._n_questions else 0.0,
            topics=tuple(sorted(self._topics.items(), key=lambda item: (-item[1], item[0]))),
            n_clusters=len(self._clusters) + self._n_alone if self._clusters else 0,
        )


def _document(evidence: Mapping[str, Any]) -> str:
    """The identity of a document: its URL, or else its title."""
    return str(evidence.get("url") or evidence.get("title") or evidence.get("pageid"))
