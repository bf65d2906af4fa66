"""Queries for the API that the pages do not need."""

import datetime
from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Coalesce

from leaderboard.board.table import hand_grades
from leaderboard.disclosure import DisclosureRule
from leaderboard.models import Entry, EntryKind, ReportedValue, System
from scoring.benchmarks import definition_of
from scoring.benchmarks.base import ColumnDefinition
from scoring.metrics.judge.pairs import PAIR
from scoring.models import Benchmark, Question, Revision, Score, Setting, Split
from scoring.models.run_states import RunState
from scoring.queries import current_signatures, current_signatures_of, definition_on

# --- Benchmarks ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class RevisionView:
    """A revision of a split."""

    short_hash: str
    content_hash: str
    questions_hash: str
    date: datetime.date
    note: str
    n_questions: int
    has_references: bool
    current: bool


@dataclass(frozen=True)
class SplitView:
    """A split of a benchmark's questions."""

    benchmark: str
    slug: str
    name: str
    hidden: bool
    n_questions: int
    revision: str
    revisions: list[RevisionView]
    """Newest first."""
    signatures: dict[str, str]


@dataclass(frozen=True)
class BenchmarkView:
    """A benchmark and its definition."""

    slug: str
    name: str
    description: str
    citation: str
    homepage: str
    licence: str
    default_split: str
    default_setting: str
    default_sort: str
    metrics: list[str]
    splits: list[SplitView]
    settings: list[Setting]
    columns: list[ColumnDefinition]


def benchmark_view(benchmark: Benchmark) -> BenchmarkView:
    """A benchmark. Three queries."""
    definition = definition_of(benchmark.slug)
    splits = (
        Split.objects.filter(benchmark=benchmark)
        .select_related("current_revision")
        .annotate(n_questions=Count("current_revision__questions"))
        .order_by("position", "pk")
    )
    return BenchmarkView(
        slug=benchmark.slug,
        name=benchmark.name,
        description=benchmark.description,
        citation=benchmark.citation,
        homepage=benchmark.url,
        licence=benchmark.licence,
        default_split=definition.default_split,
        default_setting=definition.default_setting,
        default_sort=definition.default_sort,
        metrics=list(definition.metrics),
        splits=[_split_view(benchmark.slug, split, split.n_questions, [], {}) for split in splits],
        settings=list(benchmark.settings.all()),
        columns=list(definition.columns),
    )


def split_named(benchmark: str, slug: str) -> Split | None:
    """A split by its benchmark's slug and its own. One query."""
    return (
        Split.objects.select_related("benchmark", "current_revision")
        .filter(benchmark__slug=benchmark, slug=slug)
        .first()
    )


def split_view(split: Split) -> SplitView:
    """A split with its revisions. Two queries."""
    revisions = list(
        Revision.objects.filter(split=split).annotate(n_questions=Count("questions")).order_by("-created_at", "-pk")
    )
    views = [
        RevisionView(
            short_hash=revision.short_hash,
            content_hash=revision.content_hash,
            questions_hash=revision.questions_hash,
            date=revision.date,
            note=revision.note,
            n_questions=revision.n_questions,
            has_references=revision.has_references,
            current=revision.pk == split.current_revision_id,
        )
        for revision in revisions
    ]
    n_questions = next((view.n_questions for view in views if view.current), 0)
    return _split_view(split.benchmark.slug, split, n_questions, views, current_signatures(split))


def _split_view(
    benchmark: str, split: Split, n_questions: int, revisions: list[RevisionView], signatures: dict[str, str]
) -> SplitView:
    return SplitView(
        benchmark=benchmark,
        slug=split.slug,
        name=split.name,
        hidden=split.hidden,
        n_questions=n_questions,
        revision=split.current_revision.short_hash if split.current_revision else "",
        revisions=revisions,
        signatures=signatures,
    )


def questions_of(split: Split) -> QuerySet[Question]:
    """The questions of a split's current revision."""
    return Question.objects.filter(revision=split.current_revision_id)


# --- Systems -------------------------------------------------------------------------------------------------------


def public_systems(q: str = "", types: Iterable[str] = ()) -> QuerySet[System]:
    """Systems with a row on a board whose name, authors, citation or slug contain every word of *q*."""
    rows = Entry.objects.annotate(shown=Coalesce("system__same_as", "system")).filter(replaced_at=None)
    systems = System.objects.filter(Exists(rows.filter(shown=OuterRef("pk"))))
    for word in q.split():
        systems = systems.filter(
            Q(name__icontains=word) | Q(authors__icontains=word) | Q(citation__icontains=word) | Q(slug__icontains=word)
        )
    wanted = list(types)
    return systems.filter(type__in=wanted) if wanted else systems


def name_of_revealed(slug: str) -> str | None:
    """The current public slug of the system that had this slug as a pseudonym, if its name is revealed, or that the
    system with this slug was merged into. One query."""
    former = Q(pseudonyms__slug=slug) | Q(members__slug=slug) | Q(members__pseudonyms__slug=slug)
    return public_systems().filter(former).values_list("slug", flat=True).first()


def entries_of(system: System) -> list[Entry]:
    """A system's rows, ordered by board. One query."""
    entries = Entry.objects.of_systems(system.slug).filter(replaced_at=None)
    entries = entries.select_related("split__benchmark", "split__current_revision", "setting")
    return list(entries.order_by("split__benchmark__position", "split__position", "setting__position", "kind"))


@dataclass(frozen=True)
class ScoreView:
    """One score of a system."""

    name: str
    metric: str
    value: float | None
    low: float | None
    high: float | None
    signature: str
    shown: bool
    revision: str
    n_items: int | None
    scored_at: datetime.datetime | None
    reason: str = ""
    """Why the value is withheld."""


@dataclass(frozen=True)
class ResultView:
    """A system's scores in one split and setting."""

    benchmark: str
    split: str
    setting: str
    kind: str
    published_in: str
    note: str
    context_size: int | None
    n_answered: int | None
    published_at: datetime.datetime
    scores: list[ScoreView]


def results_of(system: System) -> list[ResultView]:
    """Every score of a system on its boards, under every signature. Four queries, whatever the number of scores.

    Of repeated judgings only the one that counts is included; scores of single questions are never included.
    """
    entries = entries_of(system)
    shown = current_signatures_of(list({entry.split_id: entry.split for entry in entries}.values()))
    scores: dict[object, list[Score]] = {}
    for score in (
        Score.objects.filter(
            run__answer_set__in=[entry.answer_set_id for entry in entries if entry.answer_set_id],
            run__state=RunState.DONE,
            run__repeat=0,
        )
        .exclude(run__metric=PAIR)
        .select_related("run__revision")
        .defer("vector")
        .order_by("run__created_at", "pk")
    ):
        scores.setdefault(score.run.answer_set_id, []).append(score)
    reported: dict[int, list[ReportedValue]] = {}
    for value in ReportedValue.objects.filter(entry__in=entries):
        reported.setdefault(value.entry_id, []).append(value)
    return [
        ResultView(
            benchmark=entry.split.benchmark.slug,
            split=entry.split.slug,
            setting=entry.setting.slug,
            kind=entry.kind,
            published_in=entry.source,
            note=entry.note,
            context_size=entry.context_size if entry.context_size is not None else system.context_size,
            n_answered=(
                entry.n_answered
                if system.is_human
                else _answered(entry, scores.get(entry.answer_set_id, []), shown[entry.split_id])
            ),
            published_at=entry.published_at,
            scores=(
                _scored(scores.get(entry.answer_set_id, []), entry.split, shown[entry.split_id])
                if entry.kind == EntryKind.SCORED
                else _reported(reported.get(entry.pk, []), entry.split)
            ),
        )
        for entry in entries
    ]


def _answered(entry: Entry, scores: list[Score], shown: dict[str, str]) -> int | None:
    """The number of questions that a row's scores have answers to: its file may be for another revision's questions."""
    in_force = (score.n_answered for score in scores if shown.get(score.run.metric) == score.signature)
    return next(in_force, entry.n_answered)


def _scored(scores: list[Score], split: Split, shown: dict[str, str]) -> list[ScoreView]:
    order = {column.score: index for index, column in enumerate(definition_on(split).columns)}
    rule = DisclosureRule.of(split)
    reasons = [rule.withheld(score) for score in scores]
    views = [
        ScoreView(
            name=score.name,
            metric=score.run.metric,
            value=None if reason else rule.number(score.value),
            low=None if reason else rule.number(score.low),
            high=None if reason else rule.number(score.high),
            reason=reason,
            signature=score.signature,
            shown=shown.get(score.run.metric) == score.signature,
            revision=score.run.revision.short_hash,
            n_items=score.n_items,
            scored_at=score.created_at,
        )
        for score, reason in zip(scores, reasons, strict=True)
    ]
    return sorted(views, key=lambda view: (not view.shown, order.get(view.name, len(order))))


def _reported(values: list[ReportedValue], split: Split) -> list[ScoreView]:
    columns = (*definition_on(split).columns, *hand_grades.COLUMNS)
    metrics = {column.score: column.metric for column in columns}
    rule = DisclosureRule.of(split)
    reasons = [rule.reason_withheld(value.name) for value in values]
    return [
        ScoreView(
            name=value.name,
            metric=metrics.get(value.name, ""),
            value=None if reason else rule.number(value.value),
            reason=reason,
            low=None if reason else rule.number(value.low),
            high=None if reason else rule.number(value.high),
            signature="",
            shown=True,
            revision="",
            n_items=None,
            scored_at=None,
        )
        for value, reason in zip(values, reasons, strict=True)
    ]
