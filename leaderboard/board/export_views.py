"""A board as a file: exactly the rows and columns that the same query shows on its page, all pages of them."""

import gzip

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from leaderboard.board import places
from leaderboard.board.exports import as_document
from leaderboard.board.exports.files import CONTENT_TYPES, FORMATS, export_file, file_name, today
from leaderboard.board.table import Asked, board_for, board_url
from leaderboard.board.table.cache import remembered, tag_of, worth_keeping
from leaderboard.board.table.version import version_of
from leaderboard.web.http import file_response
from scoring.benchmarks import definition_of


@require_safe
def board_export(request: HttpRequest, benchmark: str, split: str, setting: str, extension: str) -> HttpResponse:
    """One board as CSV, JSON, LaTeX or BibTeX, as asked for.

    Three queries for a file that the reader has already or that is kept; those of the board besides to make one.
    """
    place = places.find_place(benchmark, split, setting) if extension in FORMATS else None
    if place is None:
        raise Http404("There is no such board, or no such format.")
    asked = Asked.of(request.GET, definition_of(benchmark))
    query = asked.query_string(page=1)
    address = request.build_absolute_uri(board_url(benchmark, split, setting) + (f"?{query}" if query else ""))
    date, uncertainty = today(), request.GET.get("uncertainty", "")
    tag = tag_of(version_of(*place), asked, "\n".join((extension, uncertainty, address, date.isoformat())))

    def make() -> bytes:
        document = as_document(board_for(*place, asked, paged=False))
        return export_file(document, extension, address=address, date=date, uncertainty=uncertainty)

    def kept() -> bytes:
        return gzip.decompress(remembered(tag, lambda: gzip.compress(make(), compresslevel=6, mtime=0)))

    return file_response(
        request,
        kept if worth_keeping(asked) and len(uncertainty) < 10 else make,
        tag=tag,
        content_type=CONTENT_TYPES[extension],
        filename=file_name(benchmark, split, setting, extension=extension),
    )
