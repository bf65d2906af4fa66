"""Exports of a board: the rows and columns that the same query shows on all of its pages, without a kind, all kinds;
and of one of its systems."""

import datetime
from typing import Final

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe
from msgspec import structs

from leaderboard.board.exports.document import as_document
from leaderboard.board.exports.files import FORMATS, SYSTEM_FORMATS, file_name, origin_of
from leaderboard.board.exports.latex import Uncertainty
from leaderboard.board.responses import tag_of
from leaderboard.board.table import BoardParams, board_for, board_url
from leaderboard.board.table.params import known_on_board
from leaderboard.board.write import open_board
from leaderboard.models import EntryKind
from leaderboard.web.http import file_response, moved_system
from leaderboard.web.parameters import Parameter, reads
from leaderboard.web.site_address import at_site
from scoring.benchmarks import definition_of
from scoring.benchmarks.subsets import on_split

UNCERTAINTY: Final = Parameter((*Uncertainty, "1"))
"""The ways in which a LaTeX table shows intervals; ``1`` is an older name of ``interval``."""


@require_safe
@reads(lambda **where: known_on_board(**where) | {"uncertainty": UNCERTAINTY}, refuses=True)
def board_export(request: HttpRequest, benchmark: str, split: str, setting: str, extension: str) -> HttpResponse:
    """One board in one of `FORMATS`. Five queries, and another one to create the file."""
    stored = open_board(benchmark, split, setting) if extension in FORMATS else None
    if stored is None:
        raise Http404("This board or this format does not exist.")
    params = BoardParams.of(request.GET, on_split(definition_of(benchmark), split))
    query = params.query_string(page=1)
    address = request.build_absolute_uri(board_url(benchmark, split, setting) + (f"?{query}" if query else ""))
    date, uncertainty = datetime.datetime.now(datetime.UTC).date(), request.GET.get("uncertainty", "")
    tag = tag_of(stored.version, params, "\n".join((extension, uncertainty, address, date.isoformat())))

    def make() -> bytes:
        document = as_document(board_for(stored, params, paged=False))
        origin = origin_of(document, address=address, date=date, uncertainty=uncertainty)
        return FORMATS[extension].write(document, origin)

    name = file_name(benchmark, split, setting, extension=extension)
    return file_response(request, make, tag=tag, content_type=FORMATS[extension].media_type, filename=name)


@require_safe
@reads({}, refuses=True)
def system_export(
    request: HttpRequest, benchmark: str, split: str, setting: str, system: str, name: str
) -> HttpResponse:
    """A system's scores on one board in one of `SYSTEM_FORMATS`; of several sources, those scored here. As many queries
    as for a board. An address that the system had before redirects."""
    stored = open_board(benchmark, split, setting) if name in SYSTEM_FORMATS else None
    if stored is None:
        raise Http404("This board or this format does not exist.")
    params = BoardParams(columns="all")
    date = datetime.datetime.now(datetime.UTC).date()
    tag = tag_of(stored.version, params, f"{system} {name} {date.isoformat()}")

    def make() -> bytes:
        document = as_document(board_for(stored, params, paged=False, system=system))
        rows = [row for first in document.all_rows for row in first.with_alternatives if row.slug == system]
        if not rows:
            raise Http404("This system is not on this board.")
        row = min(rows, key=lambda row: row.kind != EntryKind.SCORED)
        address = at_site(board_url(benchmark, split, setting))
        origin = origin_of(document, address=address, date=date)
        return SYSTEM_FORMATS[name].write(structs.replace(document, rows=[row], pinned_rows=[], apart_rows=[]), origin)

    try:
        return file_response(
            request,
            make,
            tag=tag,
            content_type=SYSTEM_FORMATS[name].media_type,
            filename=file_name(benchmark, split, setting, system, extension=name),
        )
    except Http404 as error:
        return moved_system(request, "system", str(error))
