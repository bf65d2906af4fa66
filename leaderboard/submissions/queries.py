"""Lists of submissions.

Enters: the submissions that the reader may see. Leaves: one row for each, with its state, in a fixed number of queries.
A single submission with all its records is in `leaderboard.submissions.page`.
"""

import datetime
from collections.abc import Iterable, Mapping
from typing import Any, Final

from django.db.models import Count, Prefetch, Q, QuerySet

from leaderboard.disclosure import DisclosureRule, runs_for_sender
from leaderboard.models import Publication, PublicationState, Submission, SubmissionFile
from leaderboard.submissions.types import ScoreView, SubmissionRow, scores_of, signature_of, state_and_reason
from scoring.benchmarks import definition_of, definitions
from scoring.models import CurrentSignature, Run, Score, Split
from scoring.models.run_states import PARKED, RunState
from scoring.queries import on_one_revision
from scoring.registry import metric_named

UNSETTLED: Final = frozenset(PublicationState) - {PublicationState.APPROVED, PublicationState.TAKEN_BACK}
"""The states of a request that a list of submissions shows."""


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


def sender_runs(files: Iterable[SubmissionFile], submission: Submission) -> dict[Any, list[Run]]:
    """The loaded runs of a submission's files as its sender may see them, by the answer set's key: the results of files
    that were sent together are shown together."""
    by_file: dict[Any, list[Run]] = {}
    uploads: dict[datetime.datetime, list[SubmissionFile]] = {}
    for file in files:
        by_file[file.answer_set_id] = []
        uploads.setdefault(file.sent_at, []).append(file)
    for sent_at, of_upload in uploads.items():
        runs = [run for file in of_upload for run in file.answer_set.runs.all()]
        # The email was about the current files: runs of earlier versions may have gone on.
        shown_at = None if all(file.replaced_at for file in of_upload) else submission.notified_at
        for run in runs_for_sender(runs, submission.split, sent_at=sent_at, shown_at=shown_at):
            by_file[run.answer_set_id].append(run)
    return by_file


def fields_of(sent: Submission) -> dict[str, Any]:
    """The fields of a submission that its page and lists show alike."""
    split, team = sent.split, sent.team
    return {
        "uuid": sent.pk,
        "name": sent.name,
        "benchmark": split.benchmark.name,
        "benchmark_slug": split.benchmark.slug,
        "split": split.name,
        "split_slug": split.slug,
        "team_name": team.name if team else "",
        "team_slug": team.slug if team else "",
        "created_at": sent.created_at,
        "url": sent.get_absolute_url(),
    }


def submission_rows(chosen: QuerySet[Submission]) -> list[SubmissionRow]:
    """Submissions in a list, newest first. Seven queries, whatever their number, and at most two for each split."""
    headlines = {definition.default_sort for definition in definitions().values()}
    runs = (
        on_one_revision(Run.objects.counting())
        .prefetch_related(
            Prefetch("scores", queryset=Score.objects.filter(name__in=headlines).defer("vector", "attempts", "weights"))
        )
        .order_by("created_at")
    )
    submissions = list(
        chosen.order_by("-created_at", "-pk")
        .select_related("split__benchmark", "team")
        .prefetch_related(
            Prefetch(
                "files",
                queryset=SubmissionFile.objects.filter(replaced_at=None).select_related("answer_set", "setting"),
            ),
            Prefetch("files__answer_set__runs", queryset=runs),
        )
        .annotate(n_public=Count("entries", filter=Q(entries__replaced_at=None)))
    )
    newest = {
        publication.submission_id: publication
        for publication in Publication.objects.filter(submission__in=submissions).order_by("requested_at", "pk")
    }
    by_split: dict[Split, list[Submission]] = {}
    for submission in submissions:
        if submission.split.benchmark.slug in definitions():
            by_split.setdefault(submission.split, []).append(submission)
    rules = {split: DisclosureRule.of_submissions(split, of_split) for split, of_split in by_split.items()}
    shown = set(CurrentSignature.objects.filter(split__in=rules).values_list("split", "signature"))
    rows = []
    for submission in submissions:
        by_file = sender_runs(submission.files.all(), submission)
        of_files = [run for runs_of_file in by_file.values() for run in runs_of_file]
        withdrawn = submission.withdrawn_at is not None
        state = state_of(of_files, submission.split.benchmark.slug, withdrawn=withdrawn)
        # Of each metric the run whose score boards show, or else the newest, first of those with a score.
        by_setting = {
            file.setting.name: {
                run.name: run
                for run in sorted(
                    by_file[file.answer_set_id],
                    key=lambda run: (run.state == RunState.DONE, (submission.split_id, signature_of(run)) in shown),
                )
            }
            for file in submission.files.all()
        }
        scores: list[tuple[str, ScoreView]] = []
        if (rule := rules.get(submission.split)) is not None:
            definition = definition_of(submission.split.benchmark.slug)
            columns = {definition.default_sort: definition.column(definition.default_sort)}
            for setting, runs_of_file in by_setting.items():
                if run := runs_of_file.get(definition.headline_metric):
                    scores += [(setting, score) for score in scores_of(run, columns, rule)]
        publication = newest.get(submission.pk)
        shown_states = {PublicationState.RETRACTED} if withdrawn else UNSETTLED
        rows.append(
            SubmissionRow(
                **fields_of(submission),
                state=state,
                is_public=submission.n_public > 0,
                scores=scores,
                missing=[] if withdrawn else _missing(by_setting, scores),
                publication=publication if publication and publication.state in shown_states else None,
            )
        )
    return rows


def _missing(
    by_setting: Mapping[str, Mapping[str, Run]], scores: Iterable[tuple[str, ScoreView]]
) -> list[tuple[str, str]]:
    """Metrics without a score, and scores that are withheld, by reason; runs that a worker will process are none."""
    gaps = [(score.reason, score.label, setting) for setting, score in scores if score.reason]
    for setting, of_file in by_setting.items():
        for run in of_file.values():
            if run.state in PARKED or run.state == RunState.FAILED:
                reason = ". ".join(filter(None, state_and_reason(run, for_maintainer=False)))
                gaps.append((reason, metric_named(run.name).label, setting))
    by_reason: dict[str, dict[str, list[str]]] = {}
    for reason, label, setting in gaps:
        by_reason.setdefault(reason, {}).setdefault(label, []).append(setting)

    def named(label: str, settings: list[str]) -> str:
        return label if len(settings) == len(by_setting) else f"{label} ({', '.join(settings).lower()})"

    return [(", ".join(named(*item) for item in labels.items()), reason) for reason, labels in by_reason.items()]
