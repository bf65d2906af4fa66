"""The ranking of a board by comparisons of two systems, its win matrix, and their files."""

from collections.abc import Callable
from typing import Final

from django.http import Http404, HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils.cache import patch_vary_headers
from django.views.decorators.http import require_safe

from leaderboard.board.exports.files import file_name
from leaderboard.board.exports.schema import canonical_json
from leaderboard.board.lookup import FoundBoard
from leaderboard.board.ranking.exports import FORMATS, as_csv, as_document, matrix_csv
from leaderboard.board.ranking.lookup import FoundRanking, open_compared, ranking_on
from leaderboard.board.ranking.page import MatrixPage, RankingPage, TablePage, position
from leaderboard.board.responses import cached_inside, cached_response
from leaderboard.board.table import BoardParams
from leaderboard.board.table.cache import tag_of
from leaderboard.web.http import file_response

VARY: Final = ("Cookie", "Accept-Encoding")
PLAIN: Final = BoardParams()


def open_or_404(benchmark: str, split: str, setting: str) -> FoundBoard:
    """The board with these slugs.

    Raises:
        Http404: there is none, or its systems are not compared side by side.
    """
    found = open_compared(benchmark, split, setting)
    if found is None:
        raise Http404("This board does not exist, or compares no systems side by side.")
    return found


def _respond(
    request: HttpRequest, found: FoundBoard, name: str, part: str, page_of: Callable[[FoundRanking], RankingPage]
) -> HttpResponse:
    """A page whose content is the same for all readers until the board changes."""

    def inside() -> str:
        return render_to_string(f"leaderboard/ranking/_{name}.html", {"page": page_of(ranking_on(found))})

    def whole() -> str:
        names = {"benchmark": found.benchmark, "split": found.split, "setting": found.setting}
        content = cached_inside(found, PLAIN, part, inside)
        return render_to_string(f"leaderboard/ranking/{name}.html", {**names, "content": content}, request)

    response = cached_response(request, found, PLAIN, part, whole, personal=True)
    patch_vary_headers(response, VARY)
    return response


@require_safe
def ranking(request: HttpRequest, benchmark: str, split: str, setting: str) -> HttpResponse:
    """The ranking. One query while its content is cached, in addition to those of every page."""
    number = position(request.GET.get("page", ""))
    found = open_or_404(benchmark, split, setting)
    return _respond(request, found, "ranking", f"ranking {number}", lambda found: TablePage(found, number))


@require_safe
def matrix(request: HttpRequest, benchmark: str, split: str, setting: str) -> HttpResponse:
    """A part of the win matrix; queries as for the ranking."""
    row, column = (position(request.GET.get(name, "")) for name in ("row", "column"))
    found = open_or_404(benchmark, split, setting)
    return _respond(request, found, "matrix", f"matrix {row} {column}", lambda found: MatrixPage(found, row, column))


@require_safe
def ranking_export(request: HttpRequest, benchmark: str, split: str, setting: str, extension: str) -> HttpResponse:
    """The ranking as CSV, or with the win matrix as JSON. Three queries at most."""
    if extension not in FORMATS:
        raise Http404("This format does not exist.")
    found = open_or_404(benchmark, split, setting)
    make = as_csv if extension == "csv" else lambda found: canonical_json(as_document(found)).decode()
    return _file(request, found, make, extension, "ranking")


@require_safe
def matrix_export(request: HttpRequest, benchmark: str, split: str, setting: str) -> HttpResponse:
    """The win matrix as CSV. Three queries at most."""
    return _file(request, open_or_404(benchmark, split, setting), matrix_csv, "csv", "matrix")


def _file(
    request: HttpRequest, found: FoundBoard, make: Callable[[FoundRanking], str], extension: str, kind: str
) -> HttpResponse:
    return file_response(
        request,
        lambda: make(ranking_on(found)).encode(),
        tag=tag_of(found.version, PLAIN, f"{kind} {extension}"),
        content_type=FORMATS[extension],
        filename=file_name(*found.slugs, kind, extension=extension),
    )
