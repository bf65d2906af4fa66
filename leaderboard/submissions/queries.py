"""Lists of submissions.

Enters: the submissions that the reader may see. Leaves: one row for each, with its state, in a fixed number of queries.
A single submission with all its records is in `leaderboard.submissions.page`.
"""

from django.db.models import Count, Prefetch, Q, QuerySet

from leaderboard.models import Submission, SubmissionFile
from leaderboard.submissions.types import SubmissionRow
from scoring.benchmarks import definitions
from scoring.models import Run
from scoring.models.run_states import RunState
from scoring.queries import on_one_revision

STATE_LABELS = {
    "waiting": "Queued",
    "running": "Running",
    "done": "Scored",
    "failed": "Failed",
    "withdrawn": "Withdrawn",
    "not_configured": "Not scored yet",
}


def state_of(runs: list[Run], benchmark: str, *, withdrawn: bool) -> str:
    """The state of a submission as one word, derived from its runs: it is scored once it has the score that its
    benchmark's boards are ordered by."""
    states = {run.state for run in runs}
    if withdrawn:
        return "withdrawn"
    if RunState.RUNNING in states or (RunState.WAITING in states and RunState.DONE in states):
        return "running"
    if RunState.WAITING in states:
        return "waiting"
    if RunState.FAILED in states:
        return "failed"
    definition = definitions().get(benchmark)
    counted = [run for run in runs if definition is None or run.name == definition.headline_metric]
    return "done" if any(run.state == RunState.DONE for run in counted) else "not_configured"


def submission_rows(chosen: QuerySet[Submission]) -> list[SubmissionRow]:
    """Submissions in a list, newest first. Four queries, whatever their number."""
    runs = on_one_revision(Run.objects.counting())
    submissions = (
        chosen.order_by("-created_at", "-pk")
        .select_related("split__benchmark", "team")
        .prefetch_related(
            Prefetch("files", queryset=SubmissionFile.objects.filter(replaced_at=None).select_related("answer_set")),
            Prefetch("files__answer_set__runs", queryset=runs),
        )
        .annotate(n_public=Count("entries", filter=Q(entries__replaced_at=None)))
    )
    rows = []
    for submission in submissions:
        of_files = [run for file in submission.files.all() for run in file.answer_set.runs.all()]
        state = state_of(of_files, submission.split.benchmark.slug, withdrawn=submission.withdrawn_at is not None)
        rows.append(
            SubmissionRow(
                uuid=submission.pk,
                name=submission.name,
                split=submission.split.name,
                split_slug=submission.split.slug,
                benchmark=submission.split.benchmark.name,
                benchmark_slug=submission.split.benchmark.slug,
                created_at=submission.created_at,
                state=state,
                state_label=STATE_LABELS[state],
                is_public=submission.n_public > 0,
                url=submission.get_absolute_url(),
                team_name=submission.team.name if submission.team else "",
                team_slug=submission.team.slug if submission.team else "",
            )
        )
    return rows
