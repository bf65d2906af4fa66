"""Writing a board's document, which pages read, and its snapshots, which papers cite.

`write` stores a board's `leaderboard.models.BoardDocument` again if it differs from the board's current inputs
(`leaderboard.board.inputs`). Workers call it for boards that were marked (`leaderboard.board.staleness`), and
periodically for all of them.

The first process to write a document wins: a process that read the inputs before another one wrote stores nothing and
reads them again. Marks from before the read are deleted in the same transaction. So a worker may be killed at any
point, and concurrent changes are never lost.
"""

import gzip
import hashlib
import logging
from collections.abc import Callable, Iterable
from functools import partial
from typing import Final

from django.db import IntegrityError, transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from leaderboard.board.contents import contents_of
from leaderboard.board.document import FORMAT, packed
from leaderboard.board.exports.document import as_document
from leaderboard.board.exports.schema import canonical_json
from leaderboard.board.inputs import BoardInputs, read_inputs
from leaderboard.board.lookup import StoredBoard, find_board
from leaderboard.board.table.builder import board_for
from leaderboard.board.table.params import BoardParams
from leaderboard.models import BoardChange, BoardDocument, BoardSnapshot, BoardStatistics
from scoring.models import Setting, Split
from scoring.workers.errors import exception_location

logger = logging.getLogger(__name__)

MOST_TRIES: Final = 5
"""Number of times that a board is checked again because another process wrote it; then the work is left to that
process."""


def open_board(benchmark: str, split: str, setting: str, *, drafts: bool = False) -> StoredBoard | None:
    """The board with these slugs, with a document, if there is one; of a draft only if *drafts* are wanted.

    Five queries. This board and the benchmark's boards with rows get a first document here if they have none yet (the
    benchmark was imported or the site upgraded a moment ago): that reads their rows and scores, and computes no
    statistics.
    """
    stored = find_board(benchmark, split, setting, drafts=drafts)
    if stored is None:
        return None
    lacking = {(of.split.pk, of.setting.pk) for of in stored.neighbours if of.n_systems is None}
    if stored.document is None:
        lacking.add((stored.split.pk, stored.setting.pk))
    if not lacking:
        return stored
    write_all(sorted(lacking))
    return find_board(benchmark, split, setting, drafts=drafts)


def write(split: Split, setting: Setting) -> bool:
    """Call `check_board`; false if there was nothing to write."""
    was_written, _, _ = check_board(split, setting)
    return was_written


def check_board(split: Split, setting: Setting) -> tuple[bool, bool, BoardInputs]:
    """Write a board's document if it differs from the board's current inputs, and store a snapshot once its statistics
    belong to the scores that it shows.

    Returns whether something was written; whether statistics are missing, or belong to rows that no longer exist; and
    the inputs.

    Fifteen queries on an open split if nothing changed, ten if the board has no rows. No statistics are computed:
    until they belong to these scores, the document has none.
    """
    for _ in range(MOST_TRIES):
        # The marks are read before the data: one that is made while the data is read is not deleted, and causes another
        # write. Split and setting are read again, because the caller's may be minutes old.
        changes = list(_changes(split, setting).values_list("pk", flat=True))
        split = Split.with_drafts.select_related("benchmark", "current_revision").get(pk=split.pk)
        setting = Setting.objects.get(pk=setting.pk)
        documents = BoardDocument.objects.filter(split=split, setting=setting, format=FORMAT)
        document = documents.defer("content").first()
        statistics = BoardStatistics.objects.filter(split=split, setting=setting).defer("categories", "ranking").first()
        inputs = read_inputs(split, setting)
        fingerprint = inputs.fingerprint(statistics)
        was_written = document is None or document.fingerprint != fingerprint
        if was_written:
            if not _replace(document, split, setting, inputs, statistics, changes):
                continue  # another process wrote it first, so read everything again
        elif changes:
            _changes(split, setting).filter(pk__in=changes).delete()
        if not inputs.ranked or inputs.are_current(statistics):
            was_written |= _save_snapshot(split, setting, inputs)
        # Every board with entries gets statistics, even if none of them is ranked; another one must have none.
        lacks_statistics = not inputs.are_current(statistics) if inputs.entries else statistics is not None
        # Another process may have written it since; then nothing is settled.
        documents.filter(fingerprint=fingerprint).update(settled_at=None if lacks_statistics else timezone.now())
        return was_written, lacks_statistics, inputs
    logger.info("%s, %s is being written by another process.", split, setting)
    return False, False, inputs


def _changes(split: Split, setting: Setting) -> QuerySet[BoardChange]:
    return BoardChange.objects.filter(split=split, setting=setting)


def _replace(
    document: BoardDocument | None,
    split: Split,
    setting: Setting,
    inputs: BoardInputs,
    statistics: BoardStatistics | None,
    changes: Iterable[int],
) -> bool:
    """Replace the document that was read before by a new one, and delete the marks from that time; false if that
    document is no longer there."""
    fields = {
        "fingerprint": inputs.fingerprint(statistics),
        "content": packed(contents_of(inputs, statistics)),
        "n_systems": sum(not row.is_human for row, *_ in inputs.systems),
        "written_at": timezone.now(),
    }
    try:
        with transaction.atomic():
            if document is None:
                newest = BoardSnapshot.objects.filter(split=split, setting=setting).order_by("-taken_at", "-pk")
                snapshot = newest.values_list("pk", flat=True).first()
                BoardDocument.objects.create(
                    split=split, setting=setting, format=FORMAT, snapshot_id=snapshot, **fields
                )
            # The serial makes this an optimistic lock: it updates nothing if another process has written since the
            # read.
            elif not BoardDocument.objects.filter(pk=document.pk, serial=document.serial).update(
                serial=F("serial") + 1, **fields
            ):
                return False
            _changes(split, setting).filter(pk__in=changes).delete()
    except IntegrityError:  # two processes created the first one
        return False
    return True


# --- Dated states --------------------------------------------------------------------------------------------------


def _save_snapshot(split: Split, setting: Setting, inputs: BoardInputs) -> bool:
    """Store a permanent snapshot of a board whose document has these inputs; false if the board has that snapshot
    already, shows nothing, or has changed since.

    A board that shows the same content as in an earlier snapshot needs no new one. Changed reasons for missing values,
    which are temporary, are no reason for a new snapshot. Failing to store a snapshot does not affect the document.
    """
    documents = BoardDocument.objects.filter(split=split, setting=setting, format=FORMAT)
    document = documents.only("fingerprint", "snapshot_fingerprint").get()
    if not inputs.entries or document.snapshot_fingerprint == inputs.content:
        return False
    if not document.fingerprint.startswith(inputs.content) or _changes(split, setting).exists():
        return False
    try:
        with transaction.atomic():
            snapshot = take_snapshot(split, setting, document.fingerprint)
            # Still the document of the snapshot? If another one was written meanwhile, this updates nothing.
            mine = BoardDocument.objects.filter(pk=document.pk, fingerprint=document.fingerprint)
            return bool(mine.update(snapshot=snapshot, snapshot_fingerprint=inputs.content, serial=F("serial") + 1))
    except LookupError as error:
        logger.info("%s The next check saves its snapshot.", error)
    except Exception as error:  # noqa: BLE001 - the document is valid without it; the next check tries again
        logger.error("The snapshot of %s, %s was not saved: %s", split, setting, exception_location(error))
    return False


def take_snapshot(split: Split, setting: Setting, fingerprint: str) -> BoardSnapshot:
    """Store the content of a board's document as a snapshot, or return the existing snapshot of the same content.

    The content is the document of `leaderboard.board.exports.document.as_document` with all rows and columns as JSON,
    gzip-compressed, and does not include the time of the snapshot.

    Raises:
        LookupError: the document has another fingerprint by now.
    """
    stored = find_board(split.benchmark.slug, split.slug, setting.slug, drafts=True)
    if stored is None or stored.document is None or stored.document.fingerprint != fingerprint:
        raise LookupError(f"{split}, {setting} changed.")
    document = as_document(board_for(stored, BoardParams(columns="all"), paged=False))
    content = canonical_json(document)
    snapshot, _ = BoardSnapshot.objects.get_or_create(
        split=split,
        setting=setting,
        digest=hashlib.sha256(content).hexdigest(),
        defaults={
            "content": gzip.compress(content, mtime=0),
            "n_rows": len(document.all_rows),
        },
    )
    return snapshot


# --- Which boards there are ----------------------------------------------------------------------------------------


def marked() -> list[tuple[int, int]]:
    """The boards (keys of split and setting) whose documents lack a change, the longest waiting first. One query."""
    return list(dict.fromkeys(BoardChange.objects.order_by("pk").values_list("split", "setting")))


def write_all(boards: Iterable[tuple[int, int]]) -> int:
    """`write` some boards (keys of split and setting); returns how many were written. A failure does not stop the
    others: it is logged, and the next check tries again."""
    # Keys alone, without a query: `check_board` reads both rows anyway.
    return sum(attempt(write, Split(pk=split), Setting(pk=setting)) for split, setting in boards)


def write_marked() -> int:
    """Write the documents of all marked boards; returns how many. For commands that change boards: the next reader
    should not depend on a worker."""
    return write_all(marked())


def write_on_commit(boards: Iterable[tuple[int, int]]) -> None:
    """`write` some boards (keys of split and setting) in this process as soon as the transaction is committed.

    For rows that leave a board: a removed name must not stay visible until a worker has time. If this write fails, the
    boards' marks remain and a worker writes them.
    """
    # `robust`: an error of this write must not keep the other functions of this commit from running.
    transaction.on_commit(partial(write_all, list(boards)), robust=True)


def attempt(action: Callable[[Split, Setting], bool], split: Split, setting: Setting) -> bool:
    """The result of an action on a board; false if it fails, which is logged."""
    try:
        return action(split, setting)
    except Exception as error:  # noqa: BLE001 - no error may delay the other boards
        logger.error("The board of split %s, setting %s failed: %s", split.pk, setting.pk, exception_location(error))
        return False
