"""Snapshots of a board: the list, each snapshot's page, and its files."""

import functools
import hashlib
from collections.abc import Callable

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from leaderboard.board.export_views import UNCERTAINTY
from leaderboard.board.exports.bibtex import as_source, board_entries
from leaderboard.board.exports.files import FORMATS, file_name, origin_of
from leaderboard.board.exports.snapshot_table import table_of
from leaderboard.board.exports.snapshots import SnapshotView, UnknownSchemaError, find_snapshot, snapshots_of
from leaderboard.board.table import StoredBoard, board_url, find_board
from leaderboard.web.http import file_response
from leaderboard.web.parameters import reads


def _board(benchmark: str, split: str, setting: str) -> StoredBoard:
    stored = find_board(benchmark, split, setting)
    if stored is None:
        raise Http404("This board does not exist.")
    return stored


def _find(stored: StoredBoard, name: str) -> SnapshotView:
    snapshot = find_snapshot(stored, name)
    if snapshot is None:
        raise Http404("This snapshot does not exist.")
    return snapshot


def _explain_newer_schema(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Answers 503 with the reason if a snapshot was stored by a newer version of the site than the running one."""

    @functools.wraps(view)
    def wrapped(request: HttpRequest, **where: str) -> HttpResponse:
        try:
            return view(request, **where)
        except UnknownSchemaError:
            text = "This snapshot was written by a newer version of this site, and the current version cannot read it."
            context = {"title": "This snapshot cannot be shown", "text": text}
            return render(request, "leaderboard/web/message.html", context, status=503)

    return wrapped


@require_safe
@reads({})
def board_snapshots(request: HttpRequest, benchmark: str, split: str, setting: str) -> HttpResponse:
    """All snapshots of a board. Six queries in addition to those of every page."""
    stored = _board(benchmark, split, setting)
    context = {
        "benchmark": stored.benchmark,
        "split": stored.split,
        "setting": stored.setting,
        "board_url": board_url(benchmark, split, setting),
        "snapshots": snapshots_of(stored),
    }
    return render(request, "leaderboard/board/snapshots.html", context)


@require_safe
@reads({})
@_explain_newer_schema
def board_snapshot(request: HttpRequest, benchmark: str, split: str, setting: str, name: str) -> HttpResponse:
    """A board at the time of this snapshot. Seven queries in addition to those of every page."""
    snapshot = _find(_board(benchmark, split, setting), name)
    document = snapshot.document
    address = request.build_absolute_uri(snapshot.url)
    entries = board_entries(document, origin_of(document, address=address, date=snapshot.date))
    context = {
        "snapshot": snapshot,
        "document": document,
        "table": table_of(snapshot),
        "board_url": board_url(benchmark, split, setting),
        "address": address,
        "bibtex": as_source(entries).strip(),
        "formats": [(extension, known.label) for extension, known in FORMATS.items()],
        "links": [("Current board", board_url(benchmark, split, setting))],
    }
    return render(request, "leaderboard/board/snapshot.html", context)


@require_safe
@reads({"uncertainty": UNCERTAINTY}, refuses=True)
@_explain_newer_schema
def board_snapshot_export(
    request: HttpRequest, benchmark: str, split: str, setting: str, name: str, extension: str
) -> HttpResponse:
    """A snapshot in one of `FORMATS`. Seven queries."""
    if extension not in FORMATS:
        raise Http404("This format does not exist.")
    snapshot = _find(_board(benchmark, split, setting), name)
    address, uncertainty = request.build_absolute_uri(snapshot.url), request.GET.get("uncertainty", "")
    origin = origin_of(snapshot.document, address=address, date=snapshot.date, uncertainty=uncertainty)
    content = snapshot.json if extension == "json" else FORMATS[extension].write(snapshot.document, origin)
    return file_response(
        request,
        lambda: content,
        tag=hashlib.sha256(content).hexdigest()[:32],
        content_type=FORMATS[extension].media_type,
        filename=file_name(benchmark, split, setting, snapshot.name, extension=extension),
    )
