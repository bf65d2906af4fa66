"""The inputs of a board, read from the database at one time, and digests that detect changes.

Enters: a split and a setting. Leaves: a `BoardInputs`. The statistics (`leaderboard.board.standings`) and the document
of a board (`leaderboard.board.contents`) are computed only from it, so comparing digests detects whatever they do not
show yet.
"""

import datetime
import hashlib
import json
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from django.db.models.functions import Lower

from leaderboard.disclosure import DisclosureRule
from leaderboard.models import BoardStatistics, Entry, EntryKind, ReportedValue
from scoring.benchmarks import definition_of
from scoring.benchmarks.base import BenchmarkDefinition
from scoring.models import Ceiling, Run, Score, Setting, Split
from scoring.models.run_states import RunState
from scoring.queries import current_signatures
from scoring.runs.audit import differing_metrics
from scoring.runs.judging.repeats import AGAIN, FIRST
from scoring.statistics import BOARD_SEED, N_RESAMPLES

METHOD = 4
"""Incremented when the same scores would get other statistics: those of all boards are then computed again."""
FORMAT = 3
"""Incremented when the same inputs would get another document, with a migration that deletes existing documents: they
are written again on the next access."""
HALF_DIGEST_LENGTH = 32
"""Hexadecimal digits of a digest, and of each half of a fingerprint."""


class EntryRow(NamedTuple):
    """A row of the board without its numbers."""

    pk: int
    kind: str
    answer_set: uuid.UUID | None
    source: str
    note: str
    context_size: int | None
    n_answered: int | None
    published_at: datetime.datetime
    name: str
    slug: str
    authors: str
    url: str
    citation: str
    type: str
    context_size_of_system: int | None
    trained_for_function_calling: bool | None
    is_human: bool
    owner: int | None


ENTRY_FIELDS = (
    *("pk", "kind", "answer_set", "source", "note", "context_size", "n_answered", "published_at", "system__name"),
    *("system__slug", "system__authors", "system__url", "system__citation", "system__type", "system__context_size"),
    *("system__trained_for_function_calling", "system__is_human", "system__owner"),
)


class ScoreRow(NamedTuple):
    """A score of a row of the board, or of a repeat of it, without its vector."""

    entry: int
    name: str
    repeat: int
    pk: int
    value: float
    low: float | None
    high: float | None
    n_items: int
    n_answered: int
    revision: int
    corrected: tuple[float, float, float, int, str] | None
    """Value, low, high, number of graded answers and source of the score corrected with human grades."""


class RevisionRow(NamedTuple):
    """The split's current questions."""

    pk: int
    content_hash: str
    date: datetime.date
    note: str
    has_references: bool
    n_questions: int


Pair = tuple[uuid.UUID, str]
"""An answer set with the name of a score or of a metric."""


@dataclass(frozen=True)
class BoardInputs:
    """The inputs of a board."""

    definition: BenchmarkDefinition
    hidden: bool
    """Whether the split's answers are hidden."""
    signatures: Mapping[str, str]
    """The current signatures, by metric."""
    revision: RevisionRow | None
    entries: tuple[EntryRow, ...] = ()
    """Ordered by name, in the order of the database."""
    scores: tuple[ScoreRow, ...] = ()
    """Scores under the current signatures, of all entries, including repeats; in a fixed order."""
    others: Mapping[Pair, tuple[float, str]] = field(default_factory=dict)
    """By answer set and score: the newest value under another signature, and that signature, if there is no value
    under the current one."""
    reasons: Mapping[Pair, str] = field(default_factory=dict)
    """By answer set and metric: why there is no value."""
    withheld: Mapping[tuple[int, str], str] = field(default_factory=dict)
    """By entry and score: why an existing value is withheld from everybody (`leaderboard.disclosure`)."""
    reported: tuple[tuple[int, str, float, float | None, float | None], ...] = ()
    """Entry, score, value, and the ends of its interval, of values that no metric computed here."""
    ceilings: tuple[tuple[str, str, float], ...] = ()
    """Signature, score and value."""
    differing: tuple[str, ...] = ()
    """The metrics whose latest audit found a difference from the official code."""

    @property
    def rule(self) -> DisclosureRule:
        """The disclosure rule of the split."""
        return DisclosureRule.of_benchmark(self.definition.slug, hidden=self.hidden)

    @cached_property
    def ranked(self) -> frozenset[int]:
        """Entries of systems that were scored here, without reported systems and people."""
        return frozenset(one.pk for one in self.entries if one.kind == EntryKind.SCORED and not one.is_human)

    @cached_property
    def numbers(self) -> str:
        """A digest of the inputs of the statistics."""
        scores = [row[:5] for row in self.scores if row.entry in self.ranked]
        columns = [(column.score, self.signatures.get(column.metric)) for column in self.definition.columns]
        return digest_of([METHOD, BOARD_SEED, N_RESAMPLES, self.hidden, columns, scores])

    @cached_property
    def content(self) -> str:
        """A digest of the content of a snapshot, except the reasons for missing values, which are temporary."""
        keys = [column.key for column in self.definition.columns]
        shown = [self.signatures, self.entries, self.scores, self.reported, self.ceilings, self.revision]
        return digest_of([self.numbers, keys, *shown])

    def fingerprint(self, statistics: BoardStatistics | None) -> str:
        """A digest of everything in the board's document, of 64 hexadecimal digits: `content`, then everything else.

        Args:
            statistics: the statistics that were last computed for the board, if any.
        """
        known = (statistics.computed_at, self.are_current(statistics)) if statistics is not None else None
        parts: tuple[Mapping[Any, Any], ...] = (self.others, self.reasons, self.withheld)
        passing = [sorted((str(key), value) for key, value in part.items()) for part in parts]
        return self.content + digest_of([FORMAT, known, *passing, *self.differing])

    def are_current(self, statistics: BoardStatistics | None) -> bool:
        """Whether statistics belong to these scores. A row's name and its place of publication do not matter."""
        return statistics is not None and statistics.fingerprint[:HALF_DIGEST_LENGTH] == self.numbers


def digest_of(what: object) -> str:
    """A digest of any JSON-ready value."""
    text = json.dumps(what, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:HALF_DIGEST_LENGTH]


def read_inputs(split: Split, setting: Setting) -> BoardInputs:
    """The current inputs of a board. Three queries for a board without rows; seven for any other, whatever their
    number, and two more if a row lacks a score. No vector is read."""
    definition = definition_of(split.benchmark.slug)
    signatures = current_signatures(split)
    on_board = Entry.objects.filter(split=split, setting=setting, replaced_at=None)
    entries = tuple(EntryRow(*row) for row in on_board.order_by(Lower("system__name"), "pk").values_list(*ENTRY_FIELDS))
    if not entries:
        return BoardInputs(definition, split.hidden, signatures, revision=_revision(split))
    rule = DisclosureRule.of(split)
    scores, withheld = _disclosed(_scores(split, setting, definition, signatures), rule)
    lacking = _lacking(entries, scores, definition)
    in_force = list(signatures.values())
    reported = ReportedValue.objects.filter(entry__in=on_board.order_by()).order_by("pk")
    published = list(reported.values_list("entry", "name", "value", "low", "high"))
    ceilings = Ceiling.objects.filter(revision__split=split, signature__in=in_force).order_by("pk")
    return BoardInputs(
        definition=definition,
        hidden=split.hidden,
        signatures=signatures,
        entries=entries,
        scores=scores,
        others=_others(split, setting, lacking, in_force, rule) if lacking else {},
        reasons=_reasons(split, setting, lacking, definition) if lacking else {},
        withheld=withheld | {(one[0], one[1]): why for one in published if (why := rule.reason_withheld(one[1]))},
        reported=tuple(one for one in published if not rule.reason_withheld(one[1])),
        ceilings=tuple(
            one for one in ceilings.values_list("signature", "name", "value") if not rule.reason_withheld(one[1])
        ),
        revision=_revision(split),
        differing=tuple(sorted(differing_metrics())),
    )


def _revision(split: Split) -> RevisionRow | None:
    revision = split.current_revision
    if revision is None:
        return None
    return RevisionRow(
        revision.pk,
        revision.content_hash,
        revision.date,
        revision.note,
        revision.has_references,
        revision.questions.count(),
    )


def _scores(
    split: Split, setting: Setting, definition: BenchmarkDefinition, signatures: Mapping[str, str]
) -> tuple[ScoreRow, ...]:
    metric_of = {column.score: column.metric for column in definition.columns}
    if FIRST in metric_of:
        metric_of[AGAIN] = metric_of[FIRST]
    rows = (
        Score.objects.filter(
            run__answer_set__board_entry__split=split,
            run__answer_set__board_entry__setting=setting,
            run__answer_set__board_entry__replaced_at=None,
            run__state=RunState.DONE,
            signature__in=list(signatures.values()),
            name__in=list(metric_of),
        )
        .order_by("run__answer_set__board_entry", "name", "run__repeat", "pk")
        .values_list(
            *("signature", "run__answer_set__board_entry", "name", "run__repeat", "pk", "value", "low", "high"),
            *("n_items", "n_answered", "run__revision"),
            *(f"corrected__{name}" for name in ("value", "low", "high", "n_graded", "source")),
        )
    )
    return tuple(
        ScoreRow._make((*row[1:11], tuple(row[11:]) if row[11] is not None else None))
        for row in rows
        if row[0] == signatures.get(metric_of[row[2]]) and bool(row[3]) == (row[2] == AGAIN)
    )


def _disclosed(
    scores: Iterable[ScoreRow], rule: DisclosureRule
) -> tuple[tuple[ScoreRow, ...], dict[tuple[int, str], str]]:
    """The scores that may be shown; and the reasons for withholding the others, by entry and name."""
    shown, withheld = [], {}
    for row in scores:
        reason = rule.reason_withheld(row.name, row.n_answered, row.n_items, row.pk)
        if reason:
            withheld[row.entry, row.name] = reason
        elif rule.step is not None:  # ranks use the disclosed values too
            numbers = {name: rule.number(getattr(row, name)) for name in ("value", "low", "high")}
            shown.append(row._replace(**numbers))  # type: ignore[arg-type]
        else:
            shown.append(row)
    return tuple(shown), withheld


def _lacking(
    entries: Iterable[EntryRow], scores: Iterable[ScoreRow], definition: BenchmarkDefinition
) -> dict[uuid.UUID, set[str]]:
    """By answer set: the scores of the board's columns that are missing."""
    found: dict[int, set[str]] = {}
    for row in scores:
        found.setdefault(row.entry, set()).add(row.name)
    wanted = {column.score for column in definition.columns}
    lacking = {one.answer_set: wanted - found.get(one.pk, set()) for one in entries if one.answer_set is not None}
    return {answer_set: names for answer_set, names in lacking.items() if names}


def _others(
    split: Split,
    setting: Setting,
    lacking: Mapping[uuid.UUID, set[str]],
    in_force: list[str],
    rule: DisclosureRule,
) -> dict[Pair, tuple[float, str]]:
    """Values under signatures other than the current ones. One query."""
    rows = Score.objects.filter(
        run__answer_set__board_entry__split=split,
        run__answer_set__board_entry__setting=setting,
        run__answer_set__board_entry__replaced_at=None,
        run__state=RunState.DONE,
        run__repeat=0,
        name__in=set().union(*lacking.values()),
    ).exclude(signature__in=in_force)
    return {
        (answer_set, name): (rule.number(value) or 0.0, signature)
        for answer_set, name, value, signature, *counts in rows.order_by("created_at", "pk").values_list(
            *("run__answer_set", "name", "value", "signature", "n_answered", "n_items", "pk")
        )
        if name in lacking.get(answer_set, ()) and not rule.reason_withheld(name, *counts)
    }


def _reasons(
    split: Split, setting: Setting, lacking: Mapping[uuid.UUID, set[str]], definition: BenchmarkDefinition
) -> dict[Pair, str]:
    """The reasons for missing values, by the state of the runs. One query."""
    score_names: dict[str, set[str]] = {}
    for column in definition.columns:
        score_names.setdefault(column.metric, set()).add(column.score)
    runs = Run.objects.filter(
        answer_set__board_entry__split=split,
        answer_set__board_entry__setting=setting,
        answer_set__board_entry__replaced_at=None,
        metric__in=list(score_names),
        repeat=0,
    ).exclude(state__in=[RunState.CANCELLED, RunState.DONE])
    return {
        (answer_set, metric): reason_of(state, reason)
        for answer_set, metric, state, reason in runs.order_by("created_at", "pk").values_list(
            "answer_set", "metric", "state", "reason"
        )
        if score_names[metric] & lacking.get(answer_set, set())
    }


def reason_of(state: str, reason: str) -> str:
    """The reason for a missing value, by the state of its run."""
    return f"{RunState(state).label}: {reason}" if reason else str(RunState(state).label)
