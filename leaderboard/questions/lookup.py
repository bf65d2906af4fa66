"""The questions of an open split as the systems of one setting answered them.

Enters: the slugs in a URL. Leaves: a `SettingQuestions`. Its summaries are computed from the vectors of all systems
once for each state of their scores, and cached.
"""

import hashlib
import struct
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final
from urllib.parse import urlencode
from uuid import UUID

import numpy as np
from django.db.models import (
    BigIntegerField,
    BinaryField,
    Count,
    F,
    Func,
    OuterRef,
    Q,
    QuerySet,
    SlugField,
    Subquery,
    Value,
)
from django.db.models.functions import Coalesce, Length
from django.urls import reverse

from leaderboard.board.table import Tab
from leaderboard.models import EntryKind
from leaderboard.systems.questions import explained_entries
from leaderboard.web.cache import records_of, store_records
from leaderboard.web.prepared import Parameter, PreparedQuery
from scoring.analysis.explanations import explaining_metric
from scoring.benchmarks import definition_of, definitions
from scoring.benchmarks.base import BenchmarkDefinition
from scoring.metrics.columns import Column
from scoring.models import Question, Revision, Score, Setting, Split
from scoring.models.run_states import RunState
from scoring.queries import current_signatures, vectors_of
from scoring.registry import task_type_of
from scoring.statistics import TIE, difficulty, discrimination
from scoring.task_types.base import Outcomes

RIGHT: Final = "right"
PARTIAL: Final = "partial"
WRONG: Final = "wrong"
VERDICTS: Final = (RIGHT, PARTIAL, WRONG)
DISAGREEMENT: Final = "disagreement"
DIFFER: Final = "differ"
"""Shows the questions alone on which the verdicts of systems differ."""
SUMMARIES_VERSION: Final = 1
"""Incremented when `Summary` changes."""
ITEM_BYTES: Final = 8


@dataclass(frozen=True)
class Summary:
    """What the scores of a setting's systems say of a question."""

    qid: str
    mean: float | None
    """Of the score that is shown for each question: the lower, the harder. None without a scored system."""
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
    """That the shown scores belong to."""
    definition: BenchmarkDefinition
    settings: tuple[tuple[Setting, int], ...]
    """Every setting with its number of rows."""
    setting: Setting
    entries: Mapping[UUID, tuple[int, str]]
    """By answer set: key and name of the newest row of each system that was scored here."""
    outcomes: Outcomes | None
    """The scores that tell the verdicts; None if no metric of the task type explains results question by question."""
    signature: str
    """That of those scores."""
    scores: Mapping[UUID, Mapping[str, tuple[int, float]]]
    """By answer set and name: key and value of the scores that determine verdicts."""
    values: Mapping[int, float]
    """By the keys of these scores: their value on the question that was asked for."""
    summaries: tuple[Summary, ...]
    """In the order of the questions."""

    @cached_property
    def column(self) -> Column | None:
        """Of the score that is shown for each question."""
        return self.definition.column(self.outcomes.shown) if self.outcomes else None

    @property
    def score(self) -> str:
        """Its name; empty if there is none."""
        return self.outcomes.shown if self.outcomes else ""

    @property
    def n_scored(self) -> int:
        """The number of systems with verdicts."""
        return len(self.scores)

    @cached_property
    def judges_disagree(self) -> bool:
        """Whether several metrics say of each answer whether it is right."""
        opinions = set(self.outcomes.opinions) if self.outcomes else set()
        return any(len(opinions & set(of_set)) > 1 for of_set in self.scores.values())

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
    known_split = next(iter(_open_splits.rows(benchmark=benchmark, split=split)), None)
    return known_split if benchmark in definitions() else None


_open_splits: Final = PreparedQuery[Split](
    lambda: (
        Split.objects.filter(
            hidden=False,
            current_revision__isnull=False,
            benchmark__slug=Parameter("benchmark", SlugField()),
            slug=Parameter("split", SlugField()),
        )
        .select_related("benchmark", "current_revision")
        .order_by()
    )
)


def find_questions(
    benchmark: str, split_slug: str, setting_slug: str = "", *, qid: str = ""
) -> SettingQuestions | None:
    """The questions of an open split, with the scores on one of them; None if there is no such split. An unknown
    setting counts as none.

    Seven queries, whatever the number of systems and questions; one more if the shown scores belong to an earlier
    revision, one more where the benchmark has subsets, and one more after a change of the scores.
    """
    split = open_split(benchmark, split_slug)
    if split is None or split.current_revision is None:
        return None
    definition = definition_of(benchmark)
    counted = _counted_settings.rows(split=split.pk, benchmark=split.benchmark.pk)
    settings = tuple((setting, setting.n) for setting in counted)
    if not settings:
        return None
    asked = next((setting for setting, _ in settings if setting.slug == setting_slug), None)
    setting = asked or first_setting(definition, settings)
    entries: dict[UUID, tuple[int, str]] = {}
    systems = set()
    for pk, answer_set, system, name in _rows_of_setting.rows(split=split.pk, setting=setting.pk):
        if system not in systems:
            systems.add(system)
            entries[answer_set] = pk, name
    outcomes = task_type_of(benchmark).outcomes if explaining_metric(benchmark) else None
    signatures = current_signatures(split)
    answer_sets = {pk: answer_set for answer_set, (pk, _) in entries.items()}
    scores, values, revision_pk = _scores(split, setting, definition, outcomes, signatures, answer_sets, qid)
    revision = split.current_revision
    if revision_pk not in (None, revision.pk):
        revision = Revision.objects.get(pk=revision_pk)
    revision.split = split
    return SettingQuestions(
        split=split,
        revision=revision,
        definition=definition,
        settings=settings,
        setting=setting,
        entries=entries,
        outcomes=outcomes,
        signature=signatures.get(outcomes.metric, "") if outcomes else "",
        scores=scores,
        values=values,
        summaries=_summaries(revision, outcomes, scores),
    )


def _counted_query() -> QuerySet[Any, Any]:
    on_board = {
        "split": Parameter("split", BigIntegerField()),
        "kind": EntryKind.SCORED,
        "replaced_at": None,
        "system__is_human": False,
    }
    is_row = Q(**{f"entries__{name}": value for name, value in on_board.items()})
    settings = Setting.objects.filter(benchmark=Parameter("benchmark", BigIntegerField()))
    return settings.annotate(n=Count("entries", filter=is_row)).order_by("position", "pk")


_counted_settings: Final = PreparedQuery[Any](_counted_query)
"""The settings of a benchmark, each with its number of rows on a split."""

_rows_of_setting: Final = PreparedQuery[tuple[int, UUID, int, str]](
    lambda: (
        explained_entries()
        .filter(
            split=Parameter("split", BigIntegerField()),
            setting=Parameter("setting", BigIntegerField()),
            answer_set__isnull=False,
        )
        .order_by("-published_at", "-pk")
        .values_list(
            *("pk", "answer_set"),
            Coalesce("system__same_as", "system"),
            Coalesce("system__same_as__name", "system__name"),
        )
    )
)


def _scores(
    split: Split,
    setting: Setting,
    definition: BenchmarkDefinition,
    outcomes: Outcomes | None,
    signatures: Mapping[str, str],
    answer_sets: Mapping[int, UUID],
    qid: str,
) -> tuple[dict[UUID, dict[str, tuple[int, float]]], dict[int, float], int | None]:
    """The scores that tell verdicts, of rows' answer sets that have all of those that must be there, their values on a
    question, and the revision that they belong to. One query, which reads eight bytes of each vector at most."""
    if outcomes is None:
        return {}, {}, None
    needed = {outcomes.shown, outcomes.some, outcomes.all}
    metrics = {name: definition.column(name).metric for name in needed | set(outcomes.opinions)}
    shown = Q()
    for name, metric in metrics.items():
        shown |= Q(name=name, signature=signatures.get(metric, ""))
    rows = Score.objects.counting().filter(
        shown,
        run__answer_set__board_entry__split=split,
        run__answer_set__board_entry__setting=setting,
        run__answer_set__board_entry__replaced_at=None,
        run__state=RunState.DONE,
        run__subset="",
        run__metric__in=set(metrics.values()),  # implied by the signatures, which have no index
    )
    by_set: dict[UUID, dict[str, tuple[int, float]]] = defaultdict(dict)
    revisions = {}
    values = {}
    # Keys of rows in place of the answer sets', since a UUID for each score takes longer to read than all the rest.
    columns = ("pk", "run__answer_set__board_entry", "name", "value", "run__revision")
    item: Value | Func = Value(None, output_field=BinaryField())
    if qid:  # its value in the vector; null if the score's revision has no such question
        place = Question.objects.filter(revision=OuterRef("run__revision"), qid=qid).order_by().values("position")
        start = Length("vector") - ITEM_BYTES * (F("n_items") - Subquery(place)) + 1  # items are at the vector's end
        item = Func(F("vector"), start, Value(ITEM_BYTES), function="SUBSTR", output_field=BinaryField())
    for pk, entry, name, value, scored_against, here in rows.order_by("pk").values_list(*columns, item):
        if entry in answer_sets:
            by_set[answer_sets[entry]][name] = pk, value
            revisions[pk] = scored_against
            if here is not None:
                (values[pk],) = struct.unpack("<d", here)
    complete = {key: of_set for key, of_set in by_set.items() if needed <= set(of_set)}
    revision = next((revisions[of_set[outcomes.shown][0]] for of_set in complete.values()), None)
    # Metrics are switched to a new revision one by one: an opinion on another one is about other questions.
    scores = {
        key: {name: score for name, score in of_set.items() if revisions[score[0]] == revision}
        for key, of_set in complete.items()
    }
    return scores, values, revision


def _summaries(
    revision: Revision, outcomes: Outcomes | None, scores: Mapping[UUID, Mapping[str, tuple[int, float]]]
) -> tuple[Summary, ...]:
    """One query; a second one if the scores have changed since."""
    qids = _qids.rows(revision=revision.pk)
    if outcomes is None or not scores or not qids:
        return tuple(Summary(qid, None, None, 0, 0, 0, 0) for qid in qids)
    state = sorted((pk, name, value) for of_set in scores.values() for name, (pk, value) in of_set.items())
    digest = hashlib.sha256(repr((revision.content_hash, state)).encode()).hexdigest()
    key = f"question-summaries:{SUMMARIES_VERSION}:{digest}"
    cached = records_of([key], tuple[Summary, ...])
    if key in cached:
        return cached[key]
    vectors = vectors_of(pk for of_set in scores.values() for pk, _ in of_set.values())
    shown, some, every = (
        np.stack([vectors[of_set[name][0]] for of_set in scores.values()])
        for name in (outcomes.shown, outcomes.some, outcomes.all)
    )
    is_right = every == 1
    is_partial = ~is_right & (some > 0)
    n_disagreements = np.zeros(len(qids), dtype=np.int64)
    for of_set in scores.values():
        opinions = [vectors[of_set[name][0]] for name in outcomes.opinions if name in of_set]
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
    summaries = tuple(Summary(*row) for row in zip(qids, *columns, strict=True))
    store_records({key: summaries})
    return summaries


_qids: Final = PreparedQuery[str](
    lambda: (
        Question.objects.filter(revision=Parameter("revision", BigIntegerField()))
        .order_by("position")
        .values_list("qid", flat=True)
    )
)


def verdict_of(some: float, every: float) -> str:
    """The verdict on an answer, from the two scores that tell it."""
    return RIGHT if every == 1 else PARTIAL if some > 0 else WRONG
