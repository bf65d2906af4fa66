"""Answer sets and their runs: create, cancel, retry, and switch the signature that boards show."""

import uuid
from collections.abc import Iterable, Mapping, Sequence

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from scoring import queries
from scoring.benchmarks.names import parts_of
from scoring.generations.keys import by_question
from scoring.generations.usage import Number, Values, in_columns, totals_of
from scoring.metrics.base import Metric
from scoring.models import (
    AnswerBlock,
    AnswerSet,
    Baseline,
    CitationBlock,
    CurrentSignature,
    PassageFile,
    Revision,
    Run,
    Setting,
    Split,
    Usage,
)
from scoring.models.run_states import AGAIN, RunState, sources_of
from scoring.registry import metric_of, signature_of, why_unavailable
from scoring.runs import outcomes
from scoring.runs.dispatch import send_on_commit

NO_REFERENCES = "The reference answers of this split have not been imported on this site yet."
NO_BASELINE = "This split has no baseline yet. Comparisons start as soon as it has one."
SUPERSEDED = "A later revision of the split, or another baseline, took its place."
CLOSED = "This answer set contains a withdrawn answer and is no longer scored."
KEPT_BACK = "Nothing is scored on questions that are kept for the end of the split before it has come."
SENT_AT_ONCE = 100
"""The maximum number of messages that a request sends, to limit its duration."""
RETRIABLE = (RunState.FAILED, RunState.INCOMPLETE)
"""The states from which a run can be retried by hand."""


@transaction.atomic
def create_answer_set(
    *,
    split: Split,
    setting: Setting,
    answers: Mapping[str, str],
    n_attempts: int = 1,
    submission_group: uuid.UUID | None = None,
    party: str = "",
    passages: PassageFile | None = None,
    usage: Mapping[str, Values] | None = None,
    totals: Mapping[str, Number] | None = None,
    citations: Mapping[str, str] | None = None,
) -> AnswerSet:
    """Store the answers of one party; `ensure_runs` creates the runs that will score them.

    ``answers`` are texts by their keys (`scoring.generations.keys`): with one attempt, by the ids of the questions.
    Answer sets that are submitted together have the same ``submission_group``; those of one ``party`` share its turns
    (`scoring.runs.turns`). ``passages`` is a row that is not saved
    yet, whose file is. ``usage`` is what one attempt at a question took, by id of question, and ``totals`` what one
    attempt at all of them took, as far as it is stated: a total counts instead of a sum. ``citations`` are
    those of answers that have some, as they are stored, by the keys of ``answers``.
    """
    answer_set = AnswerSet.objects.create(
        split=split, setting=setting, n_attempts=n_attempts, submission_group=submission_group, party=party
    )
    AnswerBlock.objects.store(answer_set, answers)
    if citations:
        CitationBlock.objects.store(answer_set, citations)
    if passages is not None:
        passages.answer_set = answer_set
        passages.save()
    if usage or totals:
        n_answers = len(answers) if n_attempts == 1 else len(by_question(answers))
        sums = {**totals_of(usage or {}, n_answers), **(totals or {}), "n_answers": n_answers}
        Usage.objects.create(answer_set=answer_set, totals=sums, questions=in_columns(usage or {}))
    return answer_set


@transaction.atomic
def ensure_runs(*answer_sets: AnswerSet) -> list[Run]:
    """Create the runs that answer sets of one split lack, sent on commit: one per metric of the benchmark, against the
    current revision.

    While a leaderboard still shows a metric's scores on an earlier revision (until a maintainer switches it), these
    scores join it with the switch: the answers were given to the questions of the current one.

    Runs of an earlier revision that were never scored because references were missing are cancelled and replaced by
    these. A closed answer set gets no runs.
    """
    revisions = queries.revisions_by_metric(answer_sets[0].split)
    open_sets = [answer_set for answer_set in answer_sets if answer_set.closed_at is None]
    if not revisions or not open_sets:
        return []
    runs = [_run_of(answer_set, name, revision) for answer_set in open_sets for name, revision in revisions.items()]
    parked = Run.objects.filter(answer_set__in=open_sets, state=RunState.NOT_CONFIGURED)
    superseded = parked.exclude(revision__in=list(revisions.values()))
    superseded.update(state=RunState.CANCELLED, reason=SUPERSEDED, finished_at=timezone.now())
    return _create_missing([run for run in runs if run is not None])


@transaction.atomic
def ensure_runs_on(answer_sets: Sequence[AnswerSet], revisions: Mapping[str, Revision]) -> list[Run]:
    """Create the runs that answer sets lack: one per metric, given by its promised name with the revision that it
    compares answers with. The sweeper sends them."""
    runs = [_run_of(answer_set, name, revision) for answer_set in answer_sets for name, revision in revisions.items()]
    return _create_missing([run for run in runs if run is not None], sent=False)


@transaction.atomic
def ensure_run(answer_set: AnswerSet, metric_name: str, revision: Revision) -> Run | None:
    """Create the run of one metric, by its promised name, against one revision, under its current signature; does
    nothing if it exists, the answer set is closed, or the metric scores passages and there are none."""
    run = _run_of(answer_set, metric_name, revision) if answer_set.closed_at is None else None
    return next(iter(_create_missing([run])), None) if run is not None else None


def _run_of(answer_set: AnswerSet, metric_name: str, revision: Revision) -> Run | None:
    metric = metric_of(revision.split.benchmark.slug, metric_name)
    if metric.reads_passages and not PassageFile.objects.filter(answer_set=answer_set).exists():
        return None
    if metric.compares:
        baseline = Baseline.objects.select_related("answer_set").filter(split=revision.split).first()
        if baseline is not None:
            return _new_run(answer_set, metric_name, metric, revision, baseline.answer_set, baseline.digest)
    return _new_run(answer_set, metric_name, metric, revision)


@transaction.atomic
def ensure_pair(answer_set: AnswerSet, opponent: AnswerSet, metric_name: str, revision: Revision) -> Run | None:
    """Create the run that compares two answer sets; does nothing if it exists or one of them is closed. It counts if
    the opponent is the baseline."""
    if answer_set.closed_at is not None or opponent.closed_at is not None:
        return None
    metric = metric_of(revision.split.benchmark.slug, metric_name)
    digest = queries.answers_digest(opponent)
    counts = Baseline.objects.filter(split=revision.split, answer_set=opponent).exists()
    run = _new_run(answer_set, metric_name, metric, revision, opponent, digest, counts=counts)
    return next(iter(_create_missing([run])), None)


def _new_run(
    answer_set: AnswerSet,
    name: str,
    metric: Metric,
    revision: Revision,
    opponent: AnswerSet | None = None,
    digest: str = "",
    *,
    counts: bool = True,
) -> Run:
    data = revision.signature_part
    plain_name, subset = parts_of(name)
    reason = why_unavailable(metric) or why_not(metric, revision, opponent)
    return Run(
        answer_set=answer_set,
        metric=plain_name,
        subset=subset,
        signature=signature_of(metric, queries.compared_data(data, digest) if metric.compares else data),
        opponent=opponent,
        revision=revision,
        counts=counts,
        state=RunState.NOT_CONFIGURED if reason else RunState.WAITING,
        reason=reason,
    )


def _create_missing(runs: Sequence[Run], *, sent: bool = True) -> list[Run]:
    """Store those of some runs that do not exist yet, and return them; *sent* on commit, or found by the sweeper. Three
    queries."""
    identity = ("answer_set_id", "metric", "subset", "signature", "opponent_id")
    stored = Run.objects.filter(answer_set__in={run.answer_set_id for run in runs}).values_list(*identity)
    known = set(stored)
    missing = [run for run in runs if tuple(getattr(run, name) for name in identity) not in known]
    Run.objects.bulk_create(missing, ignore_conflicts=True)
    # Another process may have stored the same ones meanwhile, under other ids: each process makes its own.
    created = set(Run.objects.filter(pk__in=[run.pk for run in missing]).values_list("pk", flat=True))
    missing = [run for run in missing if run.pk in created]
    if sent:
        send_on_commit([run.pk for run in missing if run.state == RunState.WAITING])
    return missing


def why_not(metric: Metric, revision: Revision, opponent: AnswerSet | None) -> str:
    """Reason why a metric cannot run on a split: it lacks references or an opponent; empty if nothing is missing."""
    if metric.compares and opponent is None:
        return NO_BASELINE
    return "" if revision.has_references else NO_REFERENCES


@transaction.atomic
def switch_signature(split: Split, metric: str, signature: str) -> None:
    """Show a metric's scores under another signature on a split's leaderboards from now on. No score is changed."""
    name, subset = parts_of(metric)
    CurrentSignature.objects.update_or_create(
        split=split, metric=name, subset=subset, defaults={"signature": signature, "since": timezone.now()}
    )
    outcomes.split_changed(split.pk)


def ensure_runs_of_split(split: Split) -> int:
    """Call `ensure_runs` for every answer set of a split, or of the split of a subset, that waits for its first score
    there; returns how many runs are new.

    An answer set whose runs were all cancelled (for example because its submission was withdrawn) is not waiting.
    """
    waiting_sets = waiting_for_references(split).select_related("split__benchmark", "split__current_revision")
    return sum(len(ensure_runs(answer_set)) for answer_set in waiting_sets)


def waiting_for_references(split: Split) -> QuerySet[AnswerSet]:
    """The answer sets that have no score yet on a split or on a subset of theirs, except withdrawn ones."""
    # Both look at the runs of one answer set each: joins would multiply the sets by their runs.
    alive = Run.objects.filter(answer_set=OuterRef("pk")).exclude(state=RunState.CANCELLED)
    here = Q(revision__split=split) | (Q(revision__split__subset_of=split) & ~Q(revision__split__part=""))
    done = Run.objects.filter(here, answer_set=OuterRef("pk"), state=RunState.DONE)
    return AnswerSet.objects.filter(Exists(alive), ~Exists(done), split=split.board_split)


@transaction.atomic
def cancel_runs(answer_sets: Iterable[AnswerSet], *, reason: str) -> int:
    """Cancel the unfinished runs. A worker that is processing one loses its lease and discards its work."""
    return Run.objects.filter(
        answer_set__in=list(answer_sets), state__in=[s for s in sources_of(RunState.CANCELLED) if s != RunState.DONE]
    ).update(state=RunState.CANCELLED, reason=reason, lease_token="", lease_until=None, finished_at=timezone.now())


def retry_run(run: Run) -> bool:
    """Requeue a failed or incomplete run with a fresh count of attempts; false if it is in neither state."""
    return bool(retry_runs(Run.objects.filter(pk=run.pk)))


@transaction.atomic
def retry_runs(runs: QuerySet[Run]) -> int:
    """Call `retry_run` for each of *runs*; returns the number of requeued runs.

    The messages of the first hundred are sent on commit; the sweeper sends those of the rest.
    """
    # Locked: two people who retry the same runs at once send each of them once.
    ids = list(
        runs.filter(state__in=RETRIABLE)
        .order_by("created_at")
        .select_for_update(of=("self",))
        .values_list("pk", flat=True)
    )
    Run.objects.filter(pk__in=ids).update(
        **AGAIN, reason="", not_before=None, n_deferrals=0, trouble_since=None, retry_requested_at=timezone.now()
    )
    send_on_commit(ids[:SENT_AT_ONCE])
    return len(ids)
