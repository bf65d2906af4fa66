"""Reading snapshots of boards.

A snapshot is what was public on its day, and remains so: its numbers are never changed. Two changes are noted. A row
whose system is no longer on the board (removed, withdrawn, or replaced under another name) gets a note. If a maintainer
deleted the system itself, its name, authors, citation, links and notes are omitted wherever the snapshot is shown or
exported; its numbers remain, because the ranks and marks of other systems were computed with them.
"""

import datetime
import gzip
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import msgspec
from django.db.models import Exists, OuterRef, QuerySet
from django.db.models.functions import Coalesce
from django.urls import reverse
from msgspec import UNSET, structs

from leaderboard.board.exports.schema import SCHEMA, SCHEMA_VERSION, Board, Row, canonical_json
from leaderboard.board.lookup import StoredBoard
from leaderboard.models import BoardSnapshot, Entry, FactsChange, System

DIGEST_LENGTH: Final = 8
"""The number of hexadecimal digits of the digest in a snapshot's URL."""
_NAME: Final = re.compile(rf"(\d{{4}}-\d\d-\d\d)-([0-9a-f]{{{DIGEST_LENGTH}}})", re.ASCII)
REMOVED: Final = "Removed"
OFF_THE_BOARD: Final = "No longer on the board."
SHOWN_OF_SYSTEM: Final = ("public", "here", "gone", "revealed_as__name")
PARTS: Final = ("pinned_rows", "rows", "apart_rows")


class UnknownSchemaError(ValueError):
    """A snapshot was stored by a newer version of the site."""


@dataclass(frozen=True)
class SnapshotView:
    """A snapshot ready to be shown."""

    name: str
    taken_at: datetime.datetime
    date: datetime.date
    digest: str
    """The digest of its JSON file; empty if that is shown with fewer digits than it was stored with."""
    url: str
    document: Board
    json: bytes
    """The document as JSON."""
    public: frozenset[str]
    """Slugs of its systems that have a page today."""
    notes: Mapping[str, str]
    """Notes by slug on what has happened to a system since, if it is to be shown."""
    n_removed: int
    """The number of its systems that were deleted since, and are shown without their names."""


def snapshot_name(snapshot: BoardSnapshot) -> str:
    """``2026-07-14-3f2a9c1b``: the day in UTC and the beginning of the digest."""
    return f"{_day(snapshot).isoformat()}-{snapshot.digest[:DIGEST_LENGTH]}"


def snapshots_of(board: StoredBoard) -> list[dict[str, Any]]:
    """The snapshots of a board, newest first, each with its name, time, number of rows and permanent URL. One query,
    and no content is read."""
    snapshots = BoardSnapshot.objects.filter(split=board.split.pk, setting=board.setting.pk).defer("content")
    return [_listed(board, snapshot) for snapshot in snapshots.order_by("-taken_at", "-pk")]


def newest_snapshot(board: StoredBoard) -> dict[str, Any] | None:
    """The newest snapshot according to the board's document, if there is one. At most one query."""
    pk = board.document.snapshot_id if board.document else None
    snapshot = BoardSnapshot.objects.filter(pk=pk).defer("content").first() if pk else None
    return _listed(board, snapshot) if snapshot is not None else None


def snapshot_before_the_end(board: StoredBoard) -> dict[str, Any] | None:
    """The last snapshot from before the board of a split ranked by its final part. No query for any other."""
    shown_at = board.split.final_shown_at
    if shown_at is None:
        return None
    snapshots = BoardSnapshot.objects.filter(split=board.split.pk, setting=board.setting.pk)
    newest = snapshots.filter(taken_at__lte=shown_at).order_by("-taken_at", "-pk").defer("content").first()
    return _listed(board, newest) if newest is not None else None


def _listed(board: StoredBoard, snapshot: BoardSnapshot) -> dict[str, Any]:
    name = snapshot_name(snapshot)
    url = reverse("board-state", args=[*board.slugs, name])
    return {"name": name, "taken_at": snapshot.taken_at, "n_rows": snapshot.n_rows, "url": url}


def find_snapshot(board: StoredBoard, name: str) -> SnapshotView | None:
    """The snapshot with this name, ready to be shown. Two queries.

    Raises:
        UnknownSchemaError: it was stored by a newer version of the site.
    """
    match = _NAME.fullmatch(name)
    if match is None:
        return None
    date, digest = match.groups()
    try:
        start = datetime.datetime.combine(datetime.date.fromisoformat(date), datetime.time(), datetime.UTC)
        end = start + datetime.timedelta(days=1)
    except (ValueError, OverflowError):
        return None
    here = {"split": board.split.pk, "setting": board.setting.pk}
    snapshots = BoardSnapshot.objects.filter(**here, digest__startswith=digest)
    snapshot = snapshots.filter(taken_at__gte=start, taken_at__lt=end).order_by("taken_at", "pk").first()
    if snapshot is None:
        return None
    rule = board.rule
    stored = json.loads(gzip.decompress(bytes(snapshot.content)))
    if (stored.get("schema"), stored.get("schema_version")) != (SCHEMA, SCHEMA_VERSION):
        raise UnknownSchemaError(f"{stored.get('schema')!r}, {stored.get('schema_version')!r}, is not known here.")
    shown = rule.document(stored)
    document = msgspec.convert(shown, Board)
    slugs = {row.slug for system in document.all_rows for row in system.with_alternatives if row.slug}
    # A pseudonym whose name is known has no rows any more: those of the named system stand for it.
    rows = Entry.objects.filter(system=Coalesce(OuterRef("revealed_as"), OuterRef("pk")))
    current, retracted = rows.filter(replaced_at=None), rows.filter(retracted_at__isnull=False)

    def annotate(systems: QuerySet[System]) -> QuerySet[System]:
        return systems.annotate(
            public=Exists(current | retracted),
            here=Exists(current.filter(**here)),
            gone=Exists(retracted.filter(**here)),
        )

    known = list(annotate(System.objects.filter(slug__in=slugs)).values_list("slug", *SHOWN_OF_SYSTEM))
    former = FactsChange.objects.filter(former_slug__in=slugs - {slug for slug, *_ in known})
    renamed = dict(former.order_by("pk").values_list("former_slug", "system"))
    annotated = annotate(System.objects.filter(pk__in=renamed.values()))
    by_key = {pk: rest for pk, *rest in annotated.values_list("pk", *SHOWN_OF_SYSTEM)} if renamed else {}
    known += [(slug, *by_key[pk]) for slug, pk in renamed.items() if pk in by_key]
    notes = {}
    for slug, public, on_board, gone, name in known:
        revealed = f"Since known to be {name}. " if name and public else ""
        notes[slug] = f"{revealed}{'' if on_board else 'Retracted since.' if gone else OFF_THE_BOARD}".strip()
    removed = slugs - {slug for slug, *_ in known}
    document = without(document, removed) if removed else document
    return SnapshotView(
        **{key: value for key, value in _listed(board, snapshot).items() if key != "n_rows"},
        date=_day(snapshot),
        digest=snapshot.digest if shown == stored else "",
        document=document,
        json=canonical_json(with_fields_of(shown, msgspec.to_builtins(document))),
        public=frozenset(slug for slug, public, *_ in known if public),
        notes=notes,
        n_removed=len(removed),
    )


def with_fields_of(then: Any, now: Any) -> Any:
    """A document with the fields that it had when it was stored: its digest may be in a paper, and later versions added
    fields and took some away."""
    if isinstance(then, dict):
        return {name: with_fields_of(value, now[name]) if name in now else value for name, value in then.items()}
    if isinstance(then, list):  # a row may have lost alternatives; all rows have the same fields
        return [with_fields_of(before, after) for before, after in zip(then, now, strict=False)]
    return now


def without(document: Board, slugs: set[str]) -> Board:
    """A copy of a document that does not identify the systems with these *slugs*; their numbers remain."""
    number = 0

    def changed(row: Row) -> Row:
        nonlocal number
        if row.alternatives:  # a row without its name has no other sources either: they would tell it
            others = [other for other in row.alternatives if not {row.slug, other.slug} & slugs]
            row = structs.replace(row, alternatives=others)
        if row.slug not in slugs:
            return row
        number += 1
        return structs.replace(
            row,
            system=f"{REMOVED} {number}",
            slug=f"removed-{number}",
            published_at=None,
            context_size=None,
            trained_for_function_calling=None,
            attributes=dict.fromkeys(row.attributes) if row.attributes else UNSET,
            run_facts=UNSET,
            **dict.fromkeys(("authors", "citation", "url", "source", "note"), ""),
        )

    parts = {part: [changed(row) for row in getattr(document, part)] for part in PARTS}
    return structs.replace(document, **parts)


def _day(snapshot: BoardSnapshot) -> datetime.date:
    return snapshot.taken_at.astimezone(datetime.UTC).date()
