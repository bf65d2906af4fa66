"""The questions of an open split as the systems of one setting answered them.

The slugs in a URL lead to a `SettingQuestions`. Its summaries are computed from the vectors of all
systems.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Final
from urllib.parse import urlencode
from uuid import UUID

import numpy as np
from django.db.models import (
    Count,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
)
from django.db.models.functions import Coalesce
from django.urls import reverse
from numpy.typing import NDArray

from leaderboard.board.table import Tab
from leaderboard.models import Entry, EntryKind
from leaderboard.systems.questions import explained_entries
from scoring.benchmarks import definition_of, definitions
from scoring.benchmarks.base import BenchmarkDefinition
from scoring.metrics.columns import Column
from scoring.models import Question, Revision, Score, Setting, Split
from scoring.models.run_states import RunState
from scoring.queries import current_signatures, vectors_of
from scoring.registry import outcomes_of
from scoring.statistics import FEWEST_SYSTEMS, TIE, difficulty, discrimination
from scoring.task_types.base import Outcomes

RIGHT: Final = "right"
PARTIAL: Final = "partial"
WRONG: Final = "wrong"
VERDICTS: Final = (RIGHT, PARTIAL, WRONG)
DISAGREEMENT: Final = "disagreement"
DIFFER: Final = "differ"
"""Shows the questions alone on which the verdicts of systems differ."""


@dataclass(frozen=True)
class Summary:
    """Summary of the scores that the systems of a setting have on a question."""

    qid: str
    mean: float | None
    """Mean of the score that is shown for each question: the lower, the harder. None without a scored system."""
    discrimination: float | None
    """See `scoring.statistics.discrimination`; None if it is undefined."""
    n_right: int
    n_partial: int
    n_wrong: int
    """Including unanswered ones."""
    n_disagreements: int
    """Systems whose answer one metric counts as right and another as wrong."""

    @property
    def verdicts_differ(self) -> bool:
        """Whether it tells systems apart by their verdicts."""
        return sum(number > 0 for number in (self.n_right, self.n_partial, self.n_wrong)) > 1


@dataclass(frozen=True)
class SettingQuestions:
    """The questions of a split, and the systems of one of its settings."""

    split: Split
    revision: Revision
    """Revision that the shown scores belong to."""
    definition: BenchmarkDefinition
    settings: tuple[tuple[Setting, int], ...]
    """Every setting with its number of rows."""
    setting: Setting
    rows: tuple[tuple[UUID, int, str], ...]
    """Answer set, key and name of the newest row of each system that was scored here, ordered by name."""
    outcomes: Outcomes | None
    """The scores that tell the verdicts; None if no metric of the task type explains results question by question."""
    signatures: Mapping[str, str]
    """Signatures that the board shows, by metric."""
    scores: Mapping[str, NDArray[np.int64]]
    """By name, the key of each row's score, of shape (n_rows,): the scores that determine verdicts; 0 without one, and
    of rows that lack a score which must be there."""
    totals: NDArray[np.float64]
    """The score that is shown for each question, over all questions, of shape (n_rows,); NaN without one."""
    summaries: tuple[Summary, ...]
    """Summaries in the order of the questions."""

    @cached_property
    def column(self) -> Column | None:
        """Column of the score that is shown for each question."""
        return self.definition.column(self.outcomes.shown) if self.outcomes else None

    @property
    def score(self) -> str:
        """Name of the score that is shown for each question; empty if there is none."""
        return self.outcomes.shown if self.outcomes else ""

    @property
    def signature(self) -> str:
        """Signature of the metric whose decisions pages explain; empty if there is none."""
        return self.signatures.get(self.outcomes.metric, "") if self.outcomes else ""

    @property
    def n_scored(self) -> int:
        """The number of systems with verdicts."""
        return int(self.is_scored.sum())

    fewest_systems: ClassVar = FEWEST_SYSTEMS
    """The number of systems from which on discrimination is shown."""

    @property
    def has_discrimination(self) -> bool:
        """Whether there are enough systems to tell how a question discriminates."""
        return self.n_scored >= FEWEST_SYSTEMS

    @cached_property
    def is_scored(self) -> NDArray[np.bool_]:
        """Mask of the systems that have verdicts, of shape (n_rows,)."""
        return ~np.isnan(self.totals)

    @cached_property
    def judges_disagree(self) -> bool:
        """Whether several metrics say of each answer whether it is right."""
        opinions = [self.scores[name] > 0 for name in self.outcomes.opinions] if self.outcomes else []
        return bool(np.any(np.sum(opinions, axis=0) > 1))

    @property
    def is_earlier(self) -> bool:
        """Whether the shown scores belong to an earlier revision than the current one."""
        return self.revision.pk != self.split.current_revision_id

    def url(self, qid: str = "", **query: str | int) -> str:
        """The address of the list, or of a question, in this setting."""
        slugs = [self.split.benchmark.slug, self.split.slug]
        address = reverse("question", args=[*slugs, qid]) if qid else reverse("questions", args=slugs)
        if self.setting.slug != first_setting(self.definition, self.settings).slug:
            query.setdefault("setting", self.setting.slug)
        shown = {name: value for name, value in query.items() if value}
        return f"{address}?{urlencode(shown)}" if shown else address

    def setting_tabs(self, qid: str = "") -> list[Tab]:
        """Links to the same in the settings that have systems."""
        slugs = [self.split.benchmark.slug, self.split.slug]
        address = reverse("question", args=[*slugs, qid]) if qid else reverse("questions", args=slugs)
        return [
            Tab(setting.name, f"{address}?{urlencode({'setting': setting.slug})}", setting == self.setting, n)
            for setting, n in self.settings
            if n
        ]


def first_setting(definition: BenchmarkDefinition, settings: Sequence[tuple[Setting, int]]) -> Setting:
    """The setting that is shown unless another one is asked for: the benchmark's default one if it has systems, or else
    that with the most."""
    return max(settings, key=lambda pair: (pair[1] > 0 and pair[0].slug == definition.default_setting, pair[1]))[0]


def open_split(benchmark: str, split: str) -> Split | None:
    """A split whose answers are public, by its slugs. One query."""
    splits = Split.objects.filter(
        hidden=False, current_revision__isnull=False, benchmark__slug=benchmark, slug=split
    ).select_related("benchmark", "current_revision")
    known_split = splits.first()
    return known_split if benchmark in definitions() else None


def find_questions(benchmark: str, split_slug: str, setting_slug: str = "") -> SettingQuestions | None:
    """The questions of an open split, with the scores on them; None if there is no such split. An unknown setting
    counts as none.

    Two queries and those of `_read`, whatever the number of systems and questions.
    """
    split = open_split(benchmark, split_slug)
    if split is None or split.current_revision is None:
        return None
    definition = definition_of(benchmark)
    settings = tuple((setting, setting.n) for setting in _counted_settings(split))
    if not settings:
        return None
    asked = next((setting for setting, _ in settings if setting.slug == setting_slug), None)
    setting = asked or first_setting(definition, settings)
    return replace(_read(split, setting), settings=settings)


def _read(split: Split, setting: Setting) -> SettingQuestions:
    """Five queries; one more if the shown scores belong to an earlier revision."""
    rows: dict[Any, tuple[UUID, int, str]] = {}
    entries = explained_entries().filter(split=split, setting=setting, answer_set__isnull=False)
    for pk, answer_set, system, name in entries.order_by("-published_at", "-pk").values_list(
        *("pk", "answer_set"), Coalesce("system__same_as", "system"), Coalesce("system__same_as__name", "system__name")
    ):
        rows.setdefault(system, (answer_set, pk, name))
    by_name = tuple(sorted(rows.values(), key=lambda row: row[2]))
    benchmark = split.benchmark.slug
    outcomes = outcomes_of(benchmark)
    signatures = current_signatures(split)
    scores, totals, revision_pk = _scores(split, setting, outcomes, signatures, [pk for _, pk, _ in by_name])
    revision = split.current_revision
    assert revision is not None  # noqa: S101 - see open_split
    if revision_pk not in (None, revision.pk):
        revision = Revision.objects.get(pk=revision_pk)
    revision.split = split
    return SettingQuestions(
        split=split,
        revision=revision,
        definition=definition_of(benchmark),
        settings=(),
        setting=setting,
        rows=by_name,
        outcomes=outcomes,
        signatures=signatures,
        scores=scores,
        totals=totals,
        summaries=_summaries(revision, outcomes, scores, totals),
    )


def _counted_settings(split: Split) -> QuerySet[Any, Any]:
    """The settings of a benchmark, each with its number of rows on a split."""
    rows = Entry.objects.filter(split=split, setting=OuterRef("pk"), kind=EntryKind.SCORED, replaced_at=None).order_by()

    def number(counted: QuerySet[Entry]) -> Coalesce:
        # Not `count`, which would run at once: `values` before `annotate` groups the rows by setting. Without rows it
        # is null.
        return Coalesce(Subquery(counted.values("setting").annotate(n=Count("pk")).values("n")), 0)

    # Few systems are people: to subtract these is faster than to look up the system of each row.
    n_systems = number(rows) - number(rows.filter(system__is_human=True))
    return Setting.objects.filter(benchmark=split.benchmark).annotate(n=n_systems).order_by("position", "pk")


def names_of(outcomes: Outcomes) -> list[str]:
    """The scores that tell verdicts, each once: first those that every system must have."""
    return list(dict.fromkeys((outcomes.shown, outcomes.some, outcomes.all, *outcomes.opinions)))


def _scores(
    split: Split, setting: Setting, outcomes: Outcomes | None, signatures: Mapping[str, str], entries: Sequence[int]
) -> tuple[dict[str, NDArray[np.int64]], NDArray[np.float64], int | None]:
    """`SettingQuestions.scores` and ``totals`` of rows, and the revision that the scores belong to. One query, which
    reads no vector."""
    totals = np.full(len(entries), np.nan)
    if outcomes is None:
        return {}, totals, None
    place_of = {entry: place for place, entry in enumerate(entries)}
    keys = {name: np.zeros(len(entries), np.int64) for name in names_of(outcomes)}
    revisions = {name: np.zeros(len(entries), np.int64) for name in keys}
    definition, shown = definition_of(split.benchmark.slug), Q()
    for name in keys:
        shown |= Q(name=name, signature=signatures.get(definition.column(name).metric, ""))
    read = (
        Score.objects.counting()
        .filter(
            shown,
            run__answer_set__board_entry__split=split,
            run__answer_set__board_entry__setting=setting,
            run__answer_set__board_entry__replaced_at=None,
            run__state=RunState.DONE,
            run__subset="",
        )
        .order_by("pk")
        .values_list("pk", "run__answer_set__board_entry", "name", "value", "run__revision")
    )
    for pk, entry, name, value, scored_against in read:
        if (place := place_of.get(entry)) is not None:
            keys[name][place], revisions[name][place] = pk, scored_against
            if name == outcomes.shown:
                totals[place] = value
    needed = {outcomes.shown, outcomes.some, outcomes.all}
    is_complete = np.all([keys[name] > 0 for name in needed], axis=0)
    revision = None
    if is_complete.any():
        # That of the oldest score. Metrics are switched to a new revision one by one: an opinion on another one is
        # about other questions.
        oldest = np.where(is_complete, keys[outcomes.shown], np.iinfo(np.int64).max).argmin()
        revision = int(revisions[outcomes.shown][oldest])
        is_complete &= np.all([revisions[name] == revision for name in needed], axis=0)
    totals[~is_complete] = np.nan
    scores = {name: np.where(is_complete & (revisions[name] == revision), of_name, 0) for name, of_name in keys.items()}
    return scores, totals, revision


def values_at(asked: SettingQuestions, place: int) -> dict[str, NDArray[np.float64]]:
    """Values of all rows' scores on a question (given by its place from 0), by the score's name, each of shape
    (n_rows,); NaN without one. One query."""
    vectors = vectors_of({pk for keys in asked.scores.values() for pk in keys.tolist() if pk})
    return {
        name: np.array([vectors[pk][place] if pk in vectors else np.nan for pk in keys.tolist()])
        for name, keys in asked.scores.items()
    }


def _summaries(
    revision: Revision,
    outcomes: Outcomes | None,
    scores: Mapping[str, NDArray[np.int64]],
    totals: NDArray[np.float64],
) -> tuple[Summary, ...]:
    """Two queries."""
    qids = list(Question.objects.filter(revision=revision).order_by("position").values_list("qid", flat=True))
    is_scored = ~np.isnan(totals)
    if outcomes is None or not is_scored.any() or not qids:
        return tuple(Summary(qid, None, None, 0, 0, 0, 0) for qid in qids)
    of_scored = {name: keys[is_scored].tolist() for name, keys in scores.items()}
    vectors = vectors_of({pk for keys in of_scored.values() for pk in keys if pk})
    shown, some, every = (
        np.stack([vectors[pk] for pk in of_scored[name]]) for name in (outcomes.shown, outcomes.some, outcomes.all)
    )
    is_right = every == 1
    is_partial = ~is_right & (some > 0)
    n_disagreements = np.zeros(len(qids), dtype=np.int64)
    for of_system in zip(*(of_scored[name] for name in outcomes.opinions), strict=True):
        opinions = [vectors[pk] for pk in of_system if pk]
        if len(opinions) > 1:
            n_disagreements += np.ptp(np.stack(opinions), axis=0) > TIE
    columns = (
        difficulty(shown).tolist(),
        [None if np.isnan(value) else float(value) for value in discrimination(shown)],
        is_right.sum(axis=0).tolist(),
        is_partial.sum(axis=0).tolist(),
        (~is_right & ~is_partial).sum(axis=0).tolist(),
        n_disagreements.tolist(),
    )
    return tuple(Summary(*row) for row in zip(qids, *columns, strict=True))
