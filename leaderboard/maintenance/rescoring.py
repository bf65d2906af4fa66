"""Re-scoring, after the reference answers, the judge or a metric changed.

First the missing runs are created, cheapest metric first; then old and new scores are compared; then a maintainer
switches the boards. The old scores remain.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Count, Q, QuerySet

from leaderboard.board.table import board_url
from leaderboard.models import Entry, EntryKind, PublicationState, SubmissionFile, User
from leaderboard.operations import audit
from leaderboard.publishing.services import join_boards
from leaderboard.templatetags.display import roughly
from scoring.benchmarks.names import parts_of
from scoring.declarations import known_benchmarks
from scoring.metrics.asking.config import judge_config
from scoring.metrics.asking.cost import Estimate, token_counter
from scoring.metrics.asking.cost import estimate as estimated
from scoring.metrics.asking.metric import JudgeMetric
from scoring.metrics.base import SERVED
from scoring.metrics.columns import Column
from scoring.models import AnswerSet, Question, Revision, Run, Score, Split
from scoring.models.run_states import ACTIVE, RunState
from scoring.queries import (
    current_signatures,
    current_signatures_of,
    definition_on,
    revision_in,
    revisions_by_metric,
    scored_part,
    target_signatures,
)
from scoring.registry import metric_named, why_unavailable
from scoring.runs import answer_sets as runs_answer_sets
from scoring.runs.judging.items import RunVerdicts, metric_of_run
from scoring.runs.judging.store import mean_reply_tokens
from scoring.runs.queue_estimates import estimate_runs

SHOWN_MOVES = 5
"""The maximum number of rows that a summary names."""


class UnknownMetricError(ValueError):
    """A metric that the split's boards do not have; the message names those that they have."""


class SwitchError(ValueError):
    """A board that cannot be switched yet; the message says what is missing."""


@dataclass(frozen=True)
class MetricPlan:
    """The progress of re-scoring for one metric."""

    metric: str
    label: str
    shown: str
    target: str
    n_answer_sets: int
    n_scored: int
    n_active: int
    n_other: int
    """Runs that ended without scores: failed, not configured, over budget, incomplete."""

    @property
    def changes(self) -> bool:
        """Whether new scores have another signature than the board shows."""
        return self.shown != self.target

    @property
    def n_missing(self) -> int:
        """Answer sets that have no run under the new signature."""
        return self.n_answer_sets - self.n_scored - self.n_active - self.n_other

    @property
    def ready(self) -> bool:
        return self.n_scored == self.n_answer_sets

    @property
    def state(self) -> str:
        """Whether boards show the new scores, in words."""
        if not self.changes:
            if not can_sign(self.metric):
                return "cannot be scored on this site at the moment"
            return "switched" if self.n_scored and self.ready else "nothing to switch, not all scored"
        return "ready to switch" if self.ready else "waits for scores"


@dataclass(frozen=True)
class Change:
    """A score in one row of the board, current and new. Ranks are among systems scored here; a system has one rank, in
    the row that the board shows for it."""

    setting: str
    system: str
    column: Column
    old: float | None
    new: float | None
    old_rank: int | None
    new_rank: int | None

    @property
    def difference(self) -> float | None:
        return None if self.old is None or self.new is None else self.new - self.old

    @property
    def places(self) -> int | None:
        """The number of ranks by which the row rises (positive) or falls."""
        return None if self.old_rank is None or self.new_rank is None else self.old_rank - self.new_rank

    @property
    def is_seen(self) -> bool:
        """Whether the row would have another score or rank."""
        return (self.old, self.old_rank) != (self.new, self.new_rank)


@dataclass(frozen=True)
class RunsEstimate:
    """Number, time and cost of the missing runs of one metric."""

    metric: str
    label: str
    n_runs: int
    waiting_reason: str
    """Reason why the runs cannot start now; empty if they can."""
    seconds: float | None
    """Seconds until all are scored; None without a worker or a finished run to measure."""
    requests: Estimate | None
    """The requests to a judge."""
    systems: Sequence[tuple[str, Estimate]] = ()
    """The systems about whose answers it is asked, by name and setting, each with its own requests. Of equal requests
    for several systems the first one has them."""

    @property
    def in_words(self) -> str:
        parts = [f"{self.n_runs:,} run{'' if self.n_runs == 1 else 's'}"]
        if self.requests is not None:
            parts.append(self.requests.in_words)
        if self.waiting_reason:
            return f"{self.label}: {'; '.join(parts)}. It cannot run now: {self.waiting_reason}"
        if self.n_runs:
            parts.append("time unknown" if self.seconds is None else f"scored in {roughly(self.seconds)}")
        return f"{self.label}: {'; '.join(parts)}."


@dataclass(frozen=True)
class PendingSwitch:
    """A split whose boards show scores of an earlier revision than the current one, or under other signatures."""

    split: Split
    old_revisions: tuple[str, ...]
    """The earlier revisions that boards show, first digits."""
    boards: tuple[tuple[str, str], ...]
    """Name and URL of each board."""
    plans: tuple[MetricPlan, ...]
    """The metrics that were not switched, with the progress of their runs."""

    @property
    def n_done(self) -> int:
        return sum(plan.n_scored for plan in self.plans)

    @property
    def n_runs(self) -> int:
        return sum(plan.n_answer_sets for plan in self.plans)


def pending_switches() -> list[PendingSwitch]:
    """The splits whose boards wait for a switch after a new revision, judge or metric. Four queries, and for each such
    split one and one per metric."""
    known = Split.with_drafts.filter(benchmark__in=known_benchmarks(drafts=True))
    splits = list(known.exclude(current_revision=None).select_related("benchmark", "current_revision"))
    shown = current_signatures_of(splits)
    rows = Entry.objects.filter(kind=EntryKind.SCORED, replaced_at=None).order_by("setting__position", "setting")
    joining = SubmissionFile.objects.filter(
        submission__publications__state=PublicationState.JOINING, replaced_at=None
    ).order_by("setting__position", "setting")
    places: dict[int, dict[tuple[str, str], None]] = {}
    of_setting = ("setting__slug", "setting__name")
    for key, slug, name in [
        *rows.values_list("split", *of_setting).distinct(),
        *joining.values_list("submission__split", *of_setting).distinct(),
    ]:
        places.setdefault(key, {})[slug, name] = None
    switches = []
    for split in splits:
        if split.pk not in places:
            continue
        current = {metric: revision.short_hash for metric, revision in revisions_by_metric(split).items()}
        now = shown[split.pk]
        if now == signatures(split)[1] and all(revision_in(now[metric]) == current[metric] for metric in now):
            continue
        plans = [item for item in plan(split) if item.changes or revision_in(item.shown) != current[item.metric]]
        if plans:
            old = {revision_in(item.shown) for item in plans} - {*current.values(), ""}
            boards = [(name, board_url(split.benchmark.slug, split.slug, slug)) for slug, name in places[split.pk]]
            switches.append(PendingSwitch(split, tuple(sorted(old)), tuple(boards), tuple(plans)))
    return switches


def answer_sets_of(split: Split, systems: Sequence[str] = ()) -> list[AnswerSet]:
    """The active answer sets of a split, or those of the rows of some systems (by slug)."""
    active = active_answer_sets(split)
    if systems:
        active = active.filter(board_entry__system__slug__in=systems, board_entry__replaced_at=None)
    related = ("split__benchmark", "split__current_revision", "submission_file__submission", "setting")
    return list(active.select_related(*related).order_by("created_at"))


def active_answer_sets(split: Split) -> QuerySet[AnswerSet]:
    """The answer sets of submissions that were not withdrawn, in the current versions of their files or those that a
    board still shows. Closed ones are not scored any more."""
    return AnswerSet.objects.filter(split=split, closed_at=None, submission_file__submission__withdrawn_at=None).filter(
        Q(submission_file__replaced_at=None) | Q(board_entry__isnull=False, board_entry__replaced_at=None)
    )


def systems_of(split: Split) -> set[str]:
    """The slugs of systems with rows that were scored here."""
    entries = Entry.objects.filter(split=split, kind=EntryKind.SCORED, replaced_at=None)
    return set(entries.values_list("system__slug", flat=True))


def signatures(split: Split) -> tuple[dict[str, str], dict[str, str]]:
    """The signatures that the boards show, and those of new scores; a metric that cannot run on this machine has no
    known new signature, so it stays as shown.

    A score may say more than was requested: the model that the judge's endpoint reported, the device of BLEURT. The
    signature of the latest score that was requested under a signature counts, or that one if there is no score yet.
    """
    shown = current_signatures(split)
    target = {}
    for metric, signature in target_signatures(split).items():
        if not can_sign(metric):
            target[metric] = shown[metric]
            continue
        name, subset = parts_of(metric)
        scores = Score.objects.counting().filter(run__answer_set__split=split, run__metric=name, run__subset=subset)
        scores = scores.filter(run__state=RunState.DONE, run__signature=signature).order_by("-pk")
        target[metric] = scores.values_list("signature", flat=True).first() or signature
    return shown, target


def can_sign(metric: str) -> bool:
    """Whether the signature of a metric's new scores is known on this machine."""
    registered = metric_named(metric)
    return issubclass(registered, JudgeMetric) or not why_unavailable(registered)


def plan(split: Split) -> list[MetricPlan]:
    """The effect of re-scoring a split, by metric, cheapest first. Two queries per metric, beside those of
    `signatures`."""
    shown, target = signatures(split)
    active = active_answer_sets(split).order_by()
    revisions = Revision.objects.filter(Q(split=split) | Q(split__subset_of=split))
    plans = []
    for metric, signature in target.items():
        scorable = active.filter(passage_file__isnull=False) if metric_named(metric).reads_passages else active
        name, subset = parts_of(metric)
        runs = Run.objects.counting().filter(answer_set__in=scorable, revision__in=revisions)
        # A run keeps the signature that was requested; only its scores name the model that served it.
        runs = runs.filter(metric=name, subset=subset, signature=signature.partition(SERVED)[0])
        by_state = Counter(dict(runs.order_by().values_list("state").annotate(n=Count("*"))))
        n_scored, n_active = by_state[RunState.DONE], sum(by_state[state] for state in ACTIVE)
        plans.append(
            MetricPlan(
                metric=metric,
                label=metric_named(metric).label,
                shown=shown[metric],
                target=signature,
                n_answer_sets=scorable.count(),
                n_scored=n_scored,
                n_active=n_active,
                n_other=by_state.total() - n_scored - n_active,
            )
        )
    return plans


def known_metrics(split: Split, names: Sequence[str]) -> list[str]:
    """*names*, if the split's boards have all these metrics. An empty list means all of them.

    Raises:
        UnknownMetricError: they lack one.
    """
    available = definition_on(split).metrics
    if unknown := sorted(set(names) - set(available)):
        raise UnknownMetricError(f"Unknown metric {', '.join(unknown)}. Available: {', '.join(available)}.")
    return list(names)


@transaction.atomic
def make_missing_runs(
    split: Split, *, actor: User | str | None = None, metrics: Sequence[str] = (), systems: Sequence[str] = ()
) -> dict[str, int]:
    """Create the missing runs under the new signatures: for all metrics and answer sets, or for some.

    Metrics are ordered by cost, so that the expensive ones start last. Returns the number of runs per metric.

    Args:
        actor: the maintainer, or the name of a command, for the audit log; None if the caller records it.
    """
    made = {metric: len(runs) for metric, runs in _missing_runs(split, metrics, systems).items()}
    if actor is not None and any(made.values()):
        counts = ", ".join(f"{metric}: {count}" for metric, count in made.items() if count)
        audit.record(actor, "split.rescored", f"split {split}", f"Runs created: {counts}.")
    return made


def _missing_runs(split: Split, metrics: Sequence[str], systems: Sequence[str]) -> dict[str, list[Run]]:
    answer_sets = answer_sets_of(split, systems)
    made = {}
    for metric, revision in revisions_by_metric(split).items():
        if metrics and metric not in metrics:
            continue
        runs = [runs_answer_sets.ensure_run(answer_set, metric, revision) for answer_set in answer_sets]
        made[metric] = [run for run in runs if run is not None]
    return made


@transaction.atomic
def estimate(split: Split, *, metrics: Sequence[str] = (), systems: Sequence[str] = ()) -> list[RunsEstimate]:
    """Estimates by metric of what `make_missing_runs` would cost. The runs are created and taken back, so that the
    estimate is of exactly these: of answers without a verdict, and behind the runs that wait already."""
    made = _missing_runs(split, metrics, systems)
    queue = estimate_runs([run for runs in made.values() for run in runs])
    estimates = []
    for metric, runs in made.items():
        times = [queue[run.pk].seconds if run.pk in queue else None for run in runs]
        known = [seconds for seconds in times if seconds is not None]
        reason = next((run.reason for run in runs if run.state not in ACTIVE), "")
        costs: list[tuple[str, Estimate]] = []
        requests = None
        if runs and not reason and issubclass(metric_named(metric), JudgeMetric):
            costs = list(_costs(runs))
            requests = reduce(add, (cost for _, cost in costs))
        seconds = max(known) if known and len(known) == len(times) else None
        estimates.append(RunsEstimate(metric, metric_named(metric).label, len(runs), reason, seconds, requests, costs))
    # The runs were only made to be counted: ending the transaction so takes them back, and sends no message for them.
    transaction.set_rollback(True)
    return estimates


def _costs(runs: Sequence[Run]) -> Iterator[tuple[str, Estimate]]:
    """The requests that runs of one judge still need, by the name of the system and the setting."""
    metric = metric_of_run(runs[0])
    config = judge_config(settings, metric.settings)
    counter = token_counter(config.judge.model)
    reply_tokens = mean_reply_tokens(config.judge.model, metric, runs[0].revision.split.benchmark.slug)
    counted: set[str] = set()
    for run in runs:
        verdicts = RunVerdicts.of(run, config.judge)
        missing = verdicts.missing | verdicts.possible(config.judge)
        prompts = (item.messages() for address, item in missing.items() if address not in counted)
        name = f"{run.answer_set.submission_file.submission.name}, {run.answer_set.setting.name.lower()}"
        yield (
            name,
            estimated(
                prompts,
                counter=counter,
                price=config.price,
                reply_tokens=reply_tokens,
                is_most=metric.asks_in_rounds and bool(missing),
            ),
        )
        counted |= missing.keys()


def changes(split: Split, metrics: Sequence[str] = ()) -> list[Change]:
    """Old and new scores of every row on the split's boards that has one of them, for all or some of the metrics whose
    signature would change."""
    shown, target = signatures(split)
    columns = [
        column
        for column in definition_on(split).columns
        if shown.get(column.metric) != target.get(column.metric) and (not metrics or column.metric in metrics)
    ]
    if not columns:
        return []
    leading = _leading(split, shown)
    rows = []
    for column in columns:
        old, new = (_by_entry(split, column, signature, leading) for signature in (shown, target))
        for pk, (setting, system, value, rank) in old.items():
            _, _, new_value, new_rank = new[pk]
            if value is not None or new_value is not None:
                rows.append(Change(setting, system, column, value, new_value, rank, new_rank))
    return rows


def rank_summaries(rows: Sequence[Change]) -> list[str]:
    """The changes of ranks in sentences, by metric and setting: those of the metric's first column, and the number of
    its other columns in which ranks change."""
    groups: dict[tuple[str, str], dict[str, list[Change]]] = {}
    for change in rows:
        columns = groups.setdefault((change.column.metric, change.setting), {})
        columns.setdefault(change.column.score, []).append(change)
    summaries = []
    for (metric, setting), columns in groups.items():
        headline, *others = columns.values()
        moved = sorted((change for change in headline if change.places), key=lambda change: -abs(change.places or 0))
        shown = [f"{change.system} {change.old_rank} → {change.new_rank}" for change in moved[:SHOWN_MOVES]]
        if len(moved) > SHOWN_MOVES:
            shown.append(f"{len(moved) - SHOWN_MOVES} more")
        text = f"{metric_named(metric).label}, {setting.lower()}: ranks by {headline[0].column.label} change for "
        text += f"{len(moved)} of {len(headline)} rows{': ' if shown else ''}{'; '.join(shown)}."
        if n_other := sum(any(row.places for row in of_column) for of_column in others):
            text += f" Ranks change in {n_other} other column{'s' if n_other > 1 else ''}."
        n_lost = sum(change.old is not None and change.new is None for change in headline)
        if n_lost > 1:
            text += f" {n_lost} rows have no new score; new ranks leave them out."
        elif n_lost:
            text += " 1 row has no new score; new ranks leave it out."
        summaries.append(text)
    return summaries


def _leading(split: Split, shown: Mapping[str, str]) -> set[int]:
    """Each system's row that its board shows, of those that were scored here: the newest with a score; the others
    are its other sources. Two queries."""
    entries = Entry.objects.filter(split=split, kind=EntryKind.SCORED, replaced_at=None)
    scores = Score.objects.counting().filter(run__answer_set__board_entry__in=entries.order_by())
    scores = scores.filter(run__state=RunState.DONE, signature__in=shown.values())
    has_numbers = set(scores.order_by().values_list("run__answer_set__board_entry", flat=True))
    rows = list(entries.select_related("system").order_by("-published_at", "-pk"))
    rows.sort(key=lambda row: row.pk not in has_numbers)
    best: dict[tuple[int, int], int] = {}
    for row in rows:
        best.setdefault((row.setting_id, row.system.same_as_id or row.system_id), row.pk)
    return set(best.values())


def _by_entry(
    split: Split, column: Column, signatures: dict[str, str], leading: Collection[int]
) -> dict[int, tuple[str, str, float | None, int | None]]:
    """Setting, system, value and rank of each row, ordered by setting and rank. Two queries."""
    entries = Entry.objects.filter(split=split, kind=EntryKind.SCORED, replaced_at=None)
    name, subset = parts_of(column.score)
    scores = Score.objects.counting().filter(
        run__answer_set__board_entry__in=entries.order_by(),
        run__state=RunState.DONE,
        run__subset=subset,
        name=name,
        signature=signatures.get(column.metric, ""),
    )
    values: dict[int, float] = dict(scores.order_by().values_list("run__answer_set__board_entry", "value"))
    rows = list(entries.select_related("system", "setting").order_by("setting__position", "system__name"))
    rows.sort(key=lambda row: (row.setting.position, row.pk not in values, -column.sign * values.get(row.pk, 0.0)))
    ranks: dict[int, dict[float, int]] = {}
    by_entry = {}
    n_ranked: Counter[int] = Counter()
    for row in rows:
        value, rank = values.get(row.pk), None
        if value is not None and not row.system.is_human and row.pk in leading:
            n_ranked[row.setting_id] += 1
            rank = ranks.setdefault(row.setting_id, {}).setdefault(value, n_ranked[row.setting_id])
        by_entry[row.pk] = (row.setting.name, row.system.name, value, rank)
    return by_entry


@transaction.atomic
def switch(
    split: Split, *, actor: User | str | None = None, metrics: Sequence[str] = (), even_if_incomplete: bool = False
) -> list[str]:
    """Switch the split's boards to the new signatures; returns the metrics that were switched. Submissions that were
    published meanwhile join the boards.

    Args:
        actor: as in `make_missing_runs`.
        even_if_incomplete: whether rows may lose their score.

    Raises:
        SwitchError: a row on the board would lose its score, or its file was made before questions were added, and that
            was not allowed.
    """
    switched = []
    problems = []
    for item in plan(split):
        if not item.changes or (metrics and item.metric not in metrics):
            continue
        on_board = Entry.objects.filter(split=split, kind=EntryKind.SCORED, replaced_at=None)
        had = set(_scored(on_board, item.shown))
        lost = had - set(_scored(on_board, item.target))
        if lost and not even_if_incomplete:
            problems.append(f"{item.label}: {len(lost)} of {len(had)} rows have no score under {item.target} yet.")
            closed = Entry.objects.filter(answer_set__in=lost, answer_set__closed_at__isnull=False, replaced_at=None)
            if names := ", ".join(closed.order_by("system__name").values_list("system__name", flat=True)):
                problems.append(f"Some answers of {names} were withdrawn. Score the study and publish it again first.")
            continue
        runs_answer_sets.switch_signature(split, item.metric, item.target)
        switched.append(item.metric)
    if switched and not even_if_incomplete and (systems := _never_asked(split)):
        problems.append(
            f"Questions were added after the files of {', '.join(systems)} were made, and would count as unanswered: "
            "ask for newer versions of these files, or switch all the same."
        )
    if problems:
        raise SwitchError(" ".join(problems))
    join_boards(split)
    if actor is not None and switched:
        forced = " Forced, although rows lost their score." if even_if_incomplete else ""
        audit.record(actor, "split.switched", f"split {split}", f"The boards now show: {', '.join(switched)}.{forced}")
    return switched


def _never_asked(split: Split) -> list[str]:
    """The systems with rows of files that were made before a question of the current revision was added. A file was
    made for the revision that it was first scored on. Two queries for each such revision, and one more."""
    ranked = scored_part(split)
    if ranked is None:
        return []
    runs = (
        Run.objects.counting()
        .filter(
            answer_set__board_entry__replaced_at=None,
            answer_set__board_entry__system__is_human=False,
            revision__split=ranked,
        )
        .order_by("created_at", "pk")
    )
    made_for: dict[Any, tuple[int, str]] = {}
    for answer_set, revision, name in runs.values_list(
        "answer_set", "revision", "answer_set__board_entry__system__name"
    ):
        made_for.setdefault(answer_set, (revision, name))
    current = Question.objects.filter(revision=ranked.current_revision_id)
    lacking = {
        revision
        for revision in {of_file for of_file, _ in made_for.values()} - {ranked.current_revision_id}
        if current.exclude(qid__in=Question.objects.filter(revision=revision).values("qid")).exists()
    }
    return sorted({name for revision, name in made_for.values() if revision in lacking})


def _scored(entries: QuerySet[Entry], signature: str) -> list[Any]:
    return list(
        Score.objects.counting()
        .filter(run__answer_set__board_entry__in=entries, run__state=RunState.DONE, signature=signature)
        .values_list("run__answer_set", flat=True)
        .distinct()
    )
