"""The ranking of a board by comparisons of two systems, its win matrix, their files, and the comparisons question by
question, which a hidden split never has."""

from collections.abc import Callable
from functools import partial
from typing import Any, Final

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.views.decorators.http import require_safe

from leaderboard import access
from leaderboard.board.exports.files import FORMATS, file_name
from leaderboard.board.exports.schema import canonical_json
from leaderboard.board.lookup import StoredBoard
from leaderboard.board.ranking.exports import as_csv, as_document, matrix_csv
from leaderboard.board.ranking.lookup import StoredRanking, matrix_page, open_compared, position, ranking_on, table_page
from leaderboard.board.ranking.questions import OUTCOMES, PairOfSystems, question_list, question_page
from leaderboard.board.responses import cached_response, tag_of
from leaderboard.board.table import BoardParams
from leaderboard.web.http import file_response
from leaderboard.web.parameters import NUMBER, TEXT, Parameter, name_ignored, reads

PLAIN: Final = BoardParams()


def open_or_404(benchmark: str, split: str, setting: str) -> StoredBoard:
    """The board with these slugs.

    Raises:
        Http404: there is none, or its systems are not compared side by side.
    """
    stored = open_compared(benchmark, split, setting)
    if stored is None:
        raise Http404("This board does not exist, or compares no systems side by side.")
    return stored


def _respond(
    request: HttpRequest, stored: StoredBoard, name: str, part: str, page_of: Callable[[StoredRanking], dict[str, Any]]
) -> HttpResponse:
    """A page whose content is the same for all readers until the board changes."""

    def page() -> str:
        return render_to_string(f"leaderboard/ranking/{name}.html", {"page": page_of(ranking_on(stored))}, request)

    return cached_response(request, stored.version, part, page)


@require_safe
@reads({"page": NUMBER})
def ranking(request: HttpRequest, benchmark: str, split: str, setting: str) -> HttpResponse:
    """The ranking. Five queries while its content is cached, in addition to those of every page."""
    number = position(request.GET.get("page", ""))
    stored = open_or_404(benchmark, split, setting)
    return _respond(request, stored, "ranking", f"ranking {number}", partial(table_page, number=number))


@require_safe
@reads({"row": NUMBER, "column": NUMBER})
def matrix(request: HttpRequest, benchmark: str, split: str, setting: str) -> HttpResponse:
    """A part of the win matrix; queries as for the ranking."""
    row, column = (position(request.GET.get(name, "")) for name in ("row", "column"))
    stored = open_or_404(benchmark, split, setting)
    return _respond(request, stored, "matrix", f"matrix {row} {column}", partial(matrix_page, row=row, column=column))


@require_safe
@reads({}, refuses=True)
def ranking_export(request: HttpRequest, benchmark: str, split: str, setting: str, extension: str) -> HttpResponse:
    """The ranking as CSV, or with the win matrix as JSON. Seven queries at most."""
    if extension not in ("csv", "json"):
        raise Http404("This format does not exist.")
    stored = open_or_404(benchmark, split, setting)
    make = as_csv if extension == "csv" else lambda stored: canonical_json(as_document(stored)).decode()
    return _file(request, stored, make, extension, "ranking")


@require_safe
@reads({}, refuses=True)
def matrix_export(request: HttpRequest, benchmark: str, split: str, setting: str) -> HttpResponse:
    """The win matrix as CSV. Seven queries at most."""
    return _file(request, open_or_404(benchmark, split, setting), matrix_csv, "csv", "matrix")


def _file(
    request: HttpRequest, stored: StoredBoard, make: Callable[[StoredRanking], str], extension: str, kind: str
) -> HttpResponse:
    return file_response(
        request,
        lambda: make(ranking_on(stored)).encode(),
        tag=tag_of(stored.version, PLAIN, f"{kind} {extension}"),
        content_type=FORMATS[extension].media_type,
        filename=file_name(*stored.slugs, kind, extension=extension),
    )


def _open(request: HttpRequest, *slugs: str) -> PairOfSystems:
    stored = open_or_404(*slugs)
    if stored.split.hidden:
        raise Http404("The questions of this split are private.")
    pair = PairOfSystems(ranking_on(stored), request.GET)
    name_ignored(request, **pair.slugs)
    return pair


@require_safe
@reads({"first": TEXT, "second": TEXT, "outcome": Parameter(OUTCOMES), "page": NUMBER})
def questions(request: HttpRequest, benchmark: str, split: str, setting: str) -> HttpResponse:
    """The list of questions on which two systems were compared. At most fifteen queries in addition to those of every
    page, whatever the number of systems."""
    page = question_list(_open(request, benchmark, split, setting), request.GET)
    return render(request, "leaderboard/ranking/questions.html", {"page": page})


@require_safe
@reads({"first": TEXT, "second": TEXT})
def question(request: HttpRequest, benchmark: str, split: str, setting: str, number: int) -> HttpResponse:
    """One question with both answers, the judge's replies and scores. Two queries more than the list."""
    pair = _open(request, benchmark, split, setting)
    readable = [entry is not None and access.can_read_answers(request.user, entry) for entry in pair.entries]
    page = question_page(pair, number, readable)
    if page is None:
        raise Http404("These systems have not been compared on this question.")
    response = render(request, "leaderboard/ranking/question.html", {"page": page})
    response["Vary"] = "Cookie"
    return response
