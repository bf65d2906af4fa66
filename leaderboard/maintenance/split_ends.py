"""The end of splits that keep a part of their questions for it: the final results, and boards that rank by them.

Enters: the time. Leaves: for a split that has closed, runs on its final part and on all its questions; once they have
ended, a snapshot of each board as it was, and boards that rank by the final part. Each step finds what the ones before
it have done, so that a worker may be killed anywhere.
"""

import logging
from typing import Final

from django.db import transaction
from django.db.models import Q, QuerySet

from leaderboard.board import standings
from leaderboard.board.document import FORMAT
from leaderboard.board.write import check_board
from leaderboard.models import BoardDocument, Entry
from leaderboard.operations import audit
from leaderboard.publishing.services import join_boards
from scoring import queries
from scoring.benchmarks import definition_of
from scoring.benchmarks.names import on_subset, parts_of
from scoring.benchmarks.subsets import WHOLE
from scoring.declarations import known_benchmarks
from scoring.models import AnswerSet, CurrentSignature, Revision, Run, Score, Setting, Split, SplitPart, clock
from scoring.models.run_states import ACTIVE, RunState
from scoring.runs import answer_sets, outcomes
from scoring.workers.errors import exception_location

logger = logging.getLogger(__name__)

ACTOR: Final = "the end of the split"
HOLDING_BACK: Final = Q(state__in=(*ACTIVE, RunState.OVER_BUDGET)) | Q(
    state=RunState.INCOMPLETE, not_before__isnull=False
)
"""Runs that will have a score, also once a judge answers again or a maintainer pays for it. Those that lack a key or a
checkpoint, or failed, hold nothing back."""


def end_due() -> int:
    """Take the next step for every split whose end has come; returns how many show their final part since. A failure
    does not stop the others."""
    due = Split.with_drafts.filter(benchmark__in=known_benchmarks(drafts=True), closes__lte=clock.now())
    due = due.exclude(final=None).filter(final_shown_at=None, current_revision__isnull=False)
    n_shown = 0
    for split in due.select_related("benchmark", "current_revision"):
        try:
            n_shown += end(split)
        except Exception as error:  # noqa: BLE001 - the next call tries again
            logger.error("The end of %s failed: %s", split, exception_location(error))
    return n_shown


def end(split: Split) -> bool:
    """Take the next step for a split that has closed; true if its boards rank by the final part since."""
    scored = _answer_sets(split)
    answer_sets.ensure_runs_on(list(scored), _revisions(split))
    # Files that were sent in time count, also where their first results are still to come.
    if Run.objects.counting().filter(HOLDING_BACK, answer_set__in=scored).exists():
        return False
    if not all(_has_snapshot(split, setting) for setting in _settings(split)):
        return False
    _show(split)
    return True


def _answer_sets(split: Split) -> QuerySet[AnswerSet]:
    """The answers that get final results: of submissions that were not withdrawn, and of rows of boards."""
    current = Q(submission_file__submission__withdrawn_at=None, submission_file__replaced_at=None)
    on_board = Q(board_entry__isnull=False, board_entry__replaced_at=None)
    of_split = AnswerSet.objects.filter(split=split, closed_at=None)
    return of_split.filter((current & Q(submission_file__isnull=False)) | on_board).order_by("created_at")


def _revisions(split: Split) -> dict[str, Revision]:
    """By promised name of a metric, the revisions that final results are on."""
    final = Split.every.select_related("benchmark", "current_revision").get(subset_of=split, part=SplitPart.FINAL)
    revisions = {}
    for name in definition_of(split.benchmark.slug).metrics:
        for scored, subset in ((final, ""), (split, WHOLE)):
            assert scored.current_revision is not None  # noqa: S101 - both have the questions of the split
            scored.current_revision.split = scored
            revisions[on_subset(name, subset)] = scored.current_revision
    return revisions


def _settings(split: Split) -> QuerySet[Setting]:
    rows = Entry.objects.filter(split=split, replaced_at=None).order_by()
    return Setting.objects.filter(pk__in=rows.values("setting"))


def _has_snapshot(split: Split, setting: Setting) -> bool:
    """Whether a board is stored as a snapshot as it is now; it is brought up to date first."""
    standings.refresh(split, setting)
    _, lacks_statistics, inputs = check_board(split, setting)
    stored = BoardDocument.objects.filter(split=split, setting=setting, snapshot_fingerprint=inputs.content)
    return not lacks_statistics and stored.filter(format=FORMAT).exists()


@transaction.atomic
def _show(split: Split) -> None:
    """Have the boards rank by the final part, and show scores on all questions beside it."""
    now = clock.now()
    if not Split.every.filter(pk=split.pk, final_shown_at=None).update(final_shown_at=now):
        return
    split.final_shown_at = now
    for name, revision in queries.revisions_by_metric(split).items():
        metric, subset = parts_of(name)
        scores = Score.objects.counting().filter(
            run__answer_set__split=split, run__metric=metric, run__subset=subset, run__revision=revision
        )
        newest = scores.filter(run__state=RunState.DONE).order_by("-pk").values_list("signature", flat=True).first()
        if newest is not None:
            answer_sets.switch_signature(split, name, newest)
        else:  # the first score will set it
            CurrentSignature.objects.filter(split=split, metric=metric, subset=subset).delete()
    outcomes.split_changed(split.pk)
    join_boards(split)
    audit.record(ACTOR, "split.final_shown", f"split {split}", "Boards rank by the part that was kept for the end.")
