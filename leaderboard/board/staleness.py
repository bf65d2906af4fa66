"""Marking boards as changed: in the transaction that changes them, with a message to a worker after the commit.

Everything that a board shows is read from its document (`leaderboard.board.write`). So all code that changes a row,
a number or a system's metadata calls one of these functions. If a call is missing, the sweeper detects the change by
the board's fingerprint within ten minutes.
"""

from collections.abc import Collection, Iterable
from typing import Any, Final
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet, Value
from django.db.models.functions import Concat

from leaderboard.board.document import FORMAT
from leaderboard.models import BoardChange, BoardDocument, Entry
from scoring.metrics.base import SERVED
from scoring.models import CurrentSignature, Run
from scoring.workers import broker

WRITE_BOARDS: Final = "leaderboard.tasks.write_boards"


def mark_stale(boards: Iterable[tuple[int, int]]) -> None:
    """Mark boards (keys of split and setting) whose content changes when this transaction is committed.

    One query, with one row per mark, so no transaction waits for a lock. An unnecessary mark only costs a worker a
    check.
    """
    changes = [BoardChange(split_id=split, setting_id=setting) for split, setting in sorted(set(boards))]
    if changes:
        BoardChange.objects.bulk_create(changes)
        broker.send_on_commit(WRITE_BOARDS, queue=broker.SITE)


def mark_entries(entries: QuerySet[Entry]) -> None:
    """`mark_stale` for the boards that these rows are on, or were on. Two queries."""
    mark_stale(entries.order_by().values_list("split", "setting").distinct())


def mark_systems(*systems: Any) -> None:
    """`mark_stale` for the boards that show these systems. Two queries."""
    mark_entries(Entry.objects.filter(system__in=systems, replaced_at=None))


def mark_submission(submission: Any) -> None:
    """`mark_stale` for the boards that a submission is or was on, and for those that show its system. Two queries."""
    systems = Entry.objects.filter(submission=submission).values("system")
    mark_entries(Entry.objects.filter(Q(submission=submission) | Q(system__in=systems, replaced_at=None)))


def mark_runs(runs: Collection[UUID | str]) -> None:
    """`mark_stale` for the boards that show the outcome of these runs: runs of a current row, under a current
    signature. At most two queries."""
    split = CurrentSignature.objects.filter(split=OuterRef("answer_set__split"))
    # Judged scores have a signature that is longer than the run's: it also names the model that replied.
    scored = split.filter(signature__startswith=Concat(OuterRef("signature"), Value(SERVED)))
    shown = Run.objects.filter(
        Exists(split.filter(signature=OuterRef("signature"))) | Exists(scored),
        pk__in=runs,
        answer_set__board_entry__isnull=False,
        answer_set__board_entry__replaced_at=None,
    )
    mark_stale(shown.order_by().values_list("answer_set__split", "answer_set__setting").distinct())


def mark_split(split: int) -> None:
    """`mark_stale` for every board of a split that has a document. Two queries."""
    mark_stale(BoardDocument.objects.filter(split=split, format=FORMAT).order_by().values_list("split", "setting"))
