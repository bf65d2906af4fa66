"""The inputs of a board, read from the database at one time, and digests that detect changes.

The statistics (`leaderboard.board.standings`) and the document of a board (`leaderboard.board.contents`) are computed
only from a `BoardInputs`, so comparing digests detects whatever they do not show yet.
"""

import datetime
import hashlib
import json
import re
import uuid
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from django.db.models import Case, Q, When
from django.db.models.functions import Lower
from msgspec.structs import astuple, replace

from leaderboard.board.document import FORMAT
from leaderboard.board.document import Baseline as ShownBaseline
from leaderboard.board.sources import ENTRY_FIELDS, Canonical, EntryRow, canonical_of, sources_of
from leaderboard.board.table.cells import other_values
from leaderboard.disclosure import DisclosureRule, random_number
from leaderboard.models import BoardStatistics, Entry, ReportedValue
from scoring.benchmarks.base import BenchmarkDefinition
from scoring.benchmarks.names import parts_of
from scoring.metrics.side_by_side import items as pairs
from scoring.models import SCORE_KEY, Baseline, Revision, Run, Score, Setting, Split
from scoring.models.run_states import RunState
from scoring.queries import (
    compared_data,
    compared_under,
    current_signatures,
    definition_on,
    scored_part,
    subsets_on,
)
from scoring.statistics import BOARD_SEED, N_RESAMPLES

METHOD = 8
"""Incremented when the same scores would get other statistics: those of all boards are then computed again."""
NAMES = ("name", "slug")
CUT_PART = re.compile(r"\|cut:(\d+)\|")
"""The part of a signature with the most characters that a judge gets of an answer."""
CUT = ("comparison__n_cut", "comparison__n_cut_opponent")
SHARES = tuple((1, "share", 3, bounds) for bounds in ((0.0, 1.0), None))
"""What is not in digests of columns, as earlier versions had shares of three digits alone."""
HALF_DIGEST_LENGTH = 32
"""Hexadecimal digits of a digest, and of each half of a fingerprint."""


class ScoreRow(NamedTuple):
    """A score of a row of the board, without its vector."""

    entry: int
    name: str
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
    """A revision of the split's questions."""

    pk: int
    content_hash: str
    date: datetime.date
    note: str
    n_questions: int
    clusters_hash: str
    """Empty if its questions have no clusters."""


Pair = tuple[uuid.UUID, str]
"""An answer set with the name of a score or of a metric."""


@dataclass(frozen=True)
class BoardInputs:
    definition: BenchmarkDefinition
    hidden: bool
    """Whether the split's answers are hidden."""
    signatures: Mapping[str, str]
    """The current signatures, by metric."""
    revision: RevisionRow | None
    subsets: Mapping[str, RevisionRow] = field(default_factory=dict)
    """The current revisions of the split's subsets that have questions, by slug."""
    older: Mapping[int, RevisionRow] = field(default_factory=dict)
    """The other revisions that shown scores belong to, by key."""
    entries: tuple[EntryRow, ...] = ()
    """Ordered by name, in the order of the database."""
    canonical: Canonical = field(default_factory=dict)
    """The systems that others were merged into."""
    scores: tuple[ScoreRow, ...] = ()
    """Scores under the current signatures, of all entries; in a fixed order."""
    others: Mapping[Pair, tuple[float, str]] = field(default_factory=dict)
    """By answer set and score: the newest value under another signature, and that signature, if there is no value
    under the current one."""
    withheld: Mapping[tuple[int, str], str] = field(default_factory=dict)
    """By entry and score: why an existing value is withheld from everybody (`leaderboard.disclosure`)."""
    reported: tuple[tuple[int, str, float, float | None, float | None], ...] = ()
    """Entry, score, value, and the ends of its interval, of values that no metric computed here."""
    opponent: uuid.UUID | None = None
    """Where a metric compares systems side by side: the answers of the baseline of the shown scores, or of the first
    ones."""
    baseline: ShownBaseline | None = None
    """The baseline of these comparisons, by the name under which it is published."""
    next_baseline: ShownBaseline | None = None
    """The baseline that was chosen since, if the shown scores are against an earlier one."""
    comparisons: tuple[tuple[uuid.UUID, datetime.datetime | None], ...] = ()
    """The finished comparisons of the entries' answers, each with its time."""
    pass_at_approved: bool = False
    """Whether pass@k is shown, if the split's answers are hidden."""
    step: float | None = None
    """The step that scores are rounded to, as they are in `scores`, if there is one."""

    def revision_of(self, metric: str) -> RevisionRow | None:
        """The current revision that a metric compares answers with: the split's, or that of a subset."""
        return self.subsets.get(subset) if (subset := parts_of(metric)[1]) else self.revision

    @property
    def rule(self) -> DisclosureRule:
        return DisclosureRule.of_benchmark(
            self.definition.slug, hidden=self.hidden, pass_at_approved=self.pass_at_approved
        )

    @cached_property
    def systems(self) -> list[list[EntryRow]]:
        """The systems of the board, each with its row and then the alternatives of it."""
        return sources_of(self.entries, self.canonical, self.numbered, self.definition.first_source)

    @cached_property
    def numbered(self) -> tuple[frozenset[int], frozenset[int]]:
        """The entries with the score that the board is ordered by, and those with any number."""
        names = [(row.entry, row.name) for row in self.scores]
        names += [(entry, name) for entry, name, *_ in self.reported]
        sort = self.definition.default_sort
        return frozenset(entry for entry, name in names if name == sort), frozenset(entry for entry, _ in names)

    @cached_property
    def ranked(self) -> frozenset[int]:
        """Entries of systems that were scored here, without alternatives, reported systems and people."""
        return frozenset(row.pk for row, *_ in self.systems if row.is_rankable)

    @cached_property
    def numbers(self) -> str:
        """A digest of the inputs of the statistics.

        What most boards lack (a baseline, clusters) is a part only where it exists: a digest that was stored before
        there was any stays valid.
        """
        columns = []
        for column in self.definition.columns:
            signed = (column.score, self.signatures.get(column.metric))
            declared = (column.sign, column.unit, column.digits, column.bounds)
            columns.append(signed if declared in SHARES else signed + declared)
        scores = [row[:4] for row in self.scores if row.entry in self.ranked]
        parts: list[Any] = [METHOD, BOARD_SEED, N_RESAMPLES, self.hidden, columns, scores]
        if self.opponent:
            parts.append([self.opponent, self.comparisons])
        revisions = [self.revision, *self.subsets.values(), *self.older.values()]
        clusters = [[row.pk, row.clusters_hash] for row in revisions if row is not None and row.clusters_hash]
        if clusters:
            parts.append(clusters)
        if self.hidden:
            parts.append(random_number("statistics"))  # another secret key gives other errors
        return digest_of(parts)

    @cached_property
    def content(self) -> str:
        """A digest of the content of a snapshot. As in `numbers`, what most boards lack is a part where it exists."""
        keys = [column.key for column in self.definition.columns]
        parts: list[Any] = [self.numbers, keys, self.signatures]
        parts += [self.entries, self.canonical, self.scores, self.reported]
        if self.baseline:
            parts.append([self.opponent, *astuple(self.baseline)])
        parts += [self.revision, self.older]
        if self.subsets:
            parts.append(self.subsets)
        if self.pass_at_approved:
            parts.append("pass@k")
        return digest_of(parts)

    def fingerprint(self, statistics: BoardStatistics | None) -> str:
        """A digest of everything in the board's document, of 64 hexadecimal digits: `content`, then everything else.

        Args:
            statistics: the statistics that were last computed for the board, if any.
        """
        computed = (statistics.computed_at, self.are_current(statistics)) if statistics is not None else None
        parts: list[Any] = [FORMAT, computed]
        parts.append(sorted((str(key), value) for key, value in self.others.items()))
        parts.append(sorted((str(key), value) for key, value in self.withheld.items()))
        # The benchmark's declaration chooses which of a system's sources leads; the entries do not say it.
        leading = [row.pk for row, *alternatives in self.systems if alternatives]
        later = astuple(self.next_baseline) if self.next_baseline else ()
        parts += [part for part in (later, leading) if part]
        return self.content + digest_of(parts)

    def are_current(self, statistics: BoardStatistics | None) -> bool:
        """Whether statistics belong to these scores. A row's name and its place of publication do not matter."""
        return statistics is not None and statistics.fingerprint[:HALF_DIGEST_LENGTH] == self.numbers


def digest_of(what: object) -> str:
    """A digest of any JSON-ready value."""
    text = json.dumps(what, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:HALF_DIGEST_LENGTH]


def read_inputs(split: Split, setting: Setting, systems: Collection[int] = ()) -> BoardInputs:
    """The current inputs of a board, or of the rows of some systems on it (keys). Three queries for a board without
    rows; six for any other, whatever their number, one more on an open split, one more if a row lacks a score, one
    more if systems were merged, two where systems are compared side by side, and three if the split has subsets or
    keeps a part for the end. No vector is read."""
    definition = definition_on(split)
    signatures = current_signatures(split)
    on_board = Entry.objects.filter(split=split, setting=setting, replaced_at=None)
    if systems:
        on_board = on_board.filter(Q(system__in=systems) | Q(system__same_as__in=systems))
    entries = tuple(EntryRow(*row) for row in on_board.order_by(Lower("system__name"), "pk").values_list(*ENTRY_FIELDS))
    ranked = scored_part(split)
    revision = ranked.current_revision if ranked is not None else None
    if not entries:
        return BoardInputs(definition, split.hidden, signatures, revision=_revision(revision))
    rule = DisclosureRule.of(split)
    subsets = subsets_on(split)
    of_rows = Q(run__answer_set__board_entry__in=[entry.pk for entry in entries]) if systems else Q()
    scores, withheld = _disclosed(_scores(split, setting, of_rows, definition, signatures), rule, definition)
    # By answer set: the scores of the board's columns that are missing.
    wanted, known = {column.score for column in definition.columns}, {(row.entry, row.name) for row in scores}
    lacking = {
        entry.answer_set: names
        for entry in entries
        if entry.answer_set is not None and (names := {name for name in wanted if (entry.pk, name) not in known})
    }
    # The revisions of scores other than the current ones.
    current = {part.current_revision_id for part in subsets.values()} | ({revision.pk} if revision else set())
    keys = {row.revision for row in scores} - current
    older = Revision.objects.filter(pk__in=keys) if keys else ()
    others = other_values(list(lacking), definition, signatures, rule)
    reported = ReportedValue.objects.filter(entry__in=on_board.order_by()).order_by("pk")
    published = list(reported.values_list("entry", "name", "value", "low", "high"))
    return BoardInputs(
        definition=definition,
        hidden=split.hidden,
        signatures=signatures,
        entries=entries,
        canonical=canonical_of(entries),
        scores=scores,
        others={key: value for key, value in others.items() if key[1] in lacking[key[0]]},
        withheld=withheld | {(pk, name): why for pk, name, *_ in published if (why := rule.reported_withheld(name))},
        reported=tuple(value for value in published if not rule.reported_withheld(value[1])),
        revision=_revision(revision),
        subsets={slug: row for slug, part in subsets.items() if (row := _revision(part.current_revision)) is not None},
        older={revision.pk: row for revision in older if (row := _revision(revision)) is not None},
        pass_at_approved=split.pass_at_approved,
        step=split.step,
        **_compared(split, setting, definition, signatures),
    )


def _compared(
    split: Split, setting: Setting, definition: BenchmarkDefinition, signatures: Mapping[str, str]
) -> dict[str, Any]:
    """The fields of `BoardInputs` about comparisons. Two queries where systems are compared, a third one while the
    scores are against an earlier baseline."""
    if pairs.NAME not in definition.metrics:
        return {}
    of_entry = "answer_set__board_entry"
    chosen = Baseline.objects.filter(split=split).values_list(*_named("answer_set"), "chosen_by", "digest").first()
    if chosen is None:
        return {}
    answer_set, name, slug, setting_name, chosen_by, digest = chosen
    baseline, later = ShownBaseline(name, slug, setting_name, by_default=not chosen_by), None
    signature = signatures.get(pairs.NAME, "")
    if compared_data("", digest) not in signature:
        earlier = compared_under(split, signature).values_list(*_named("opponent")).first()
        if earlier and earlier[0] != answer_set:
            answer_set, name, slug, setting_name = earlier
            baseline, later = ShownBaseline(name, slug, setting_name, by_default=None), baseline
    runs = Run.objects.filter(
        **{f"{of_entry}__split": split, f"{of_entry}__setting": setting, f"{of_entry}__replaced_at": None},
        comparison__isnull=False,
        state=RunState.DONE,
    )
    rows = list(runs.order_by("pk").values_list("pk", "finished_at", "opponent", *CUT))
    against = [row[3:] for row in rows if row[2] == answer_set]
    limit = CUT_PART.search(signature)
    baseline = replace(
        baseline,
        judged_length=int(limit[1]) if limit else 0,
        n_cut=max((n_opponent for _, n_opponent in against), default=0),
        n_cut_others=sum(n_own for n_own, _ in against),
    )
    comparisons = tuple(row[:2] for row in rows)
    return {"opponent": answer_set, "baseline": baseline, "next_baseline": later, "comparisons": comparisons}


def _named(answer_set: str) -> list[Any]:
    """The answers of a baseline and the first fields of a `ShownBaseline`, from the field that names its answers."""
    entry = f"{answer_set}__board_entry"
    names = (Case(When(**{f"{entry}__replaced_at": None}, then=f"{entry}__system__{name}")) for name in NAMES)
    return [answer_set, *names, f"{answer_set}__setting__name"]


def _revision(revision: Revision | None) -> RevisionRow | None:
    if revision is None:
        return None
    return RevisionRow(
        revision.pk,
        revision.content_hash,
        revision.date,
        revision.note,
        revision.questions.count(),
        revision.clusters_hash,
    )


def _scores(
    split: Split, setting: Setting, of_rows: Q, definition: BenchmarkDefinition, signatures: Mapping[str, str]
) -> tuple[ScoreRow, ...]:
    metric_of = {column.score: column.metric for column in definition.columns}
    rows = (
        Score.objects.annotate(column_key=SCORE_KEY)
        .filter(
            of_rows,
            run__counts=True,
            run__answer_set__board_entry__split=split,
            run__answer_set__board_entry__setting=setting,
            run__answer_set__board_entry__replaced_at=None,
            run__state=RunState.DONE,
            signature__in=list(signatures.values()),
            column_key__in=list(metric_of),
        )
        .order_by("run__answer_set__board_entry", "column_key", "pk")
        .values_list(
            *("signature", "run__answer_set__board_entry", "column_key", "pk", "value", "low", "high"),
            *("n_items", "n_answered", "run__revision"),
            *(f"corrected__{name}" for name in ("value", "low", "high", "n_graded", "source")),
        )
    )
    return tuple(
        ScoreRow._make((*row[1:10], tuple(row[10:]) if row[10] is not None else None))
        for row in rows
        if row[0] == signatures.get(metric_of[row[2]])
    )


def _disclosed(
    scores: Iterable[ScoreRow], rule: DisclosureRule, definition: BenchmarkDefinition
) -> tuple[tuple[ScoreRow, ...], dict[tuple[int, str], str]]:
    """The scores that may be shown; and the reasons for withholding the others, by entry and name."""
    shown, withheld = [], {}
    for row in scores:
        reason = rule.reason_withheld(row.name, row.n_answered, row.n_items, row.pk)
        if reason:
            withheld[row.entry, row.name] = reason
        elif rule.step is not None:  # ranks use the disclosed values too
            column = definition.column(row.name)
            low, high = rule.ends(row.low, row.high, column)
            shown.append(row._replace(value=rule.number(row.value, column) or 0.0, low=low, high=high))
        else:
            shown.append(row)
    return tuple(shown), withheld
