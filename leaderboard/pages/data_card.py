"""A benchmark's data card: its current splits, their revisions, topics and evidence, from the database."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import QuerySet
from msgspec import convert

from scoring.benchmarks import definition_of
from scoring.benchmarks.copies import LostScore
from scoring.models import Benchmark, Question, Revision, Split

TOPICS_SHOWN: Final = 12


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
    weights: tuple[float, float] | None = None
    """The smallest and the greatest weight of a question; None if all count alike."""


def splits_facts(
    benchmark: Benchmark, visible: QuerySet[Split], *, for_maintainer: bool = False
) -> list[dict[str, Any]]:
    """The visible splits that have questions, each with its current ``revision``, the ``contents`` of that, all of its
    ``revisions``, and the ``lost`` scores of copies of its answers, which maintainers alone get of a hidden one. Two
    queries, and one for each split."""
    splits = list(
        visible.filter(benchmark=benchmark, current_revision__isnull=False).select_related("current_revision")
    )
    revisions = list(Revision.objects.filter(split__in=splits).order_by("-date", "-created_at", "-pk"))
    return [
        {
            "slug": split.slug,
            "name": split.name,
            "hidden": split.hidden,
            "revision": current,
            "contents": contents_of(current),
            "revisions": [revision for revision in revisions if revision.split_id == split.pk],
            "lost": convert(current.lost_scores or [], list[LostScore]) if for_maintainer or not split.hidden else [],
        }
        for split in splits
        if (current := split.current_revision) is not None
    ]


def structured_data_of(benchmark: Benchmark, url: str, splits: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """A benchmark as a ``Dataset`` of https://schema.org, for search engines of data sets.

    Args:
        url: of its data card.
        splits: as `splits_facts` returns them.
    """
    splits = list(splits)
    revisions = [split["revision"] for split in splits]
    texts = {"description": benchmark.description, "citation": benchmark.citation, "license": benchmark.licence}
    return {
        "@context": "https://schema.org",
        "@type": "Dataset",
        "@id": url,
        "url": url,
        "name": benchmark.name,
        **{name: text for name, text in texts.items() if text},
        **({"sameAs": benchmark.url} if benchmark.url else {}),
        **({"dateModified": max(revision.date for revision in revisions).isoformat()} if revisions else {}),
        "version": ", ".join(f"{split['slug']}@{split['revision'].short_hash}" for split in splits),
        "variableMeasured": [column.label for column in definition_of(benchmark.slug).default_columns],
        "size": f"{sum(split['contents'].n_questions for split in splits):,} questions",
    }


def contents_of(revision: Revision) -> Contents:
    """The counts over a revision's questions. One query."""
    topics, documents, clusters = Counter[str](), set[str](), set[str]()
    n_questions = n_named = n_alone = 0
    weights = set[float]()
    fields = ("categories", "evidence", "cluster", "weight")
    rows = Question.objects.filter(revision=revision).order_by().values_list(*fields)
    for categories, evidence, cluster, weight in rows.iterator(chunk_size=500):
        # The identity of a document: its URL, or else its title.
        named = {str(item.get("url") or item.get("title") or item.get("pageid")) for item in evidence}
        n_questions += 1
        n_named += len(named)
        topics.update(map(str, categories))
        documents |= named
        n_alone += not cluster
        clusters |= {cluster} - {""}
        weights.add(1.0 if weight is None else weight)
    return Contents(
        n_questions=n_questions,
        n_documents=len(documents),
        documents_per_question=n_named / n_questions if n_questions else 0.0,
        topics=tuple(sorted(topics.items(), key=lambda item: (-item[1], item[0]))),
        n_clusters=len(clusters) + n_alone if clusters else 0,
        weights=(min(weights), max(weights)) if len(weights) > 1 else None,
    )


def topics_of(contents: Iterable[Contents]) -> tuple[list[tuple[str, list[int]]], int]:
    """The most frequent topics over some splits, each with its number of questions in every split, and how many others
    there are."""
    by_split = [dict(of_split.topics) for of_split in contents]
    totals = Counter[str]()
    for counts in by_split:
        totals.update(counts)
    ordered = sorted(totals.items(), key=lambda item: (-item[1], item[0]))
    shown = [(name, [counts.get(name, 0) for counts in by_split]) for name, _ in ordered[:TOPICS_SHOWN]]
    return shown, max(0, len(ordered) - TOPICS_SHOWN)
