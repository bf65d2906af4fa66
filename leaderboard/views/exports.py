"""A board as a file: exactly the rows and columns that the same query shows on its page, all pages of them."""

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from leaderboard import queries
from leaderboard.board import Asked, board_for, board_url
from leaderboard.exports import as_document
from leaderboard.exports.files import FORMATS, export_file, today
from leaderboard.http import file_response
from scoring.benchmarks import definition_of


@require_safe
def board_export(request: HttpRequest, benchmark: str, split: str, setting: str, extension: str) -> HttpResponse:
    """One board as CSV, JSON, LaTeX or BibTeX, as asked for."""
    place = queries.find_place(benchmark, split, setting) if extension in FORMATS else None
    if place is None:
        raise Http404("There is no such board, or no such format.")
    asked = Asked.of(request.GET, definition_of(benchmark))
    document = as_document(board_for(*place, asked, paged=False))
    query = asked.query_string(page=1)
    address = request.build_absolute_uri(board_url(benchmark, split, setting) + (f"?{query}" if query else ""))
    file = export_file(
        document, extension, address=address, date=today(), uncertainty=request.GET.get("uncertainty", "")
    )
    return file_response(request, file.content, content_type=file.content_type, filename=file.name)
