"""The public pages: boards and systems."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from leaderboard import queries
from leaderboard.board import Asked, Board, board_for
from leaderboard.models import System
from scoring.benchmarks import definition_of
from scoring.models import Setting, Split


def _asked(request: HttpRequest, split: Split, setting: Setting) -> Board:
    """The board as the address asks for it."""
    return board_for(split, setting, Asked.of(request.GET, definition_of(split.benchmark.slug)))


def _render(request: HttpRequest, board: Board) -> HttpResponse:
    fragment = request.headers.get("HX-Request") == "true" and request.headers.get("HX-Target") == "board-table"
    template = "leaderboard/_board_table.html" if fragment else "leaderboard/board.html"
    response = render(request, template, {"board": board})
    response["Vary"] = "HX-Request, HX-Target, Cookie"
    return response


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """The first board, or what to do while nothing is imported."""
    place = queries.default_place()
    if place is None:
        text = "A maintainer imports one with: manage.py import_benchmark NAME"
        return render(request, "leaderboard/message.html", {"title": "No benchmark yet", "text": text})
    return _render(request, _asked(request, *place))


@require_safe
def board(request: HttpRequest, benchmark: str, split: str, setting: str) -> HttpResponse:
    """One board."""
    place = queries.find_place(benchmark, split, setting)
    if place is None:
        raise Http404("There is no such board.")
    return _render(request, _asked(request, *place))


@require_safe
def system(request: HttpRequest, slug: str) -> HttpResponse:
    """One system with its results."""
    found = get_object_or_404(System, slug=slug)
    results = queries.system_results(found)
    if not results and not request.user.has_perm("leaderboard.view_system"):
        raise Http404("This system has no published result.")
    return render(request, "leaderboard/system.html", {"system": found, "results": results})
