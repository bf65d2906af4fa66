"""The public pages: boards."""

from typing import Final
from urllib.parse import urlsplit

from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils.cache import patch_vary_headers
from django.views.decorators.http import require_safe

from leaderboard.board import places
from leaderboard.board.exports.snapshots import state_named_by
from leaderboard.board.responses import cached_inside, cached_response
from leaderboard.board.snapshots import open_board
from leaderboard.board.table import Asked, FoundBoard, board_for, board_url
from scoring.benchmarks import definition_of
from scoring.benchmarks.base import BenchmarkDefinition

TABLE: Final = "leaderboard/board/_table.html"
CONTENT: Final = "leaderboard/board/_page.html"
VARY: Final = ("HX-Request", "HX-Target", "Cookie", "Accept-Encoding")


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """The first board, or what to do while nothing is imported."""
    place = places.default_address()
    if place is None:
        text = "A maintainer can import one with: manage.py import_benchmark NAME"
        return render(request, "leaderboard/web/message.html", {"title": "No benchmarks yet", "text": text})
    return board(request, *place)


@require_safe
def board(request: HttpRequest, benchmark: str, split: str, setting: str) -> HttpResponse:
    """A board as asked for: its page, or, for a swap, its table. One query while that is cached."""
    found = open_board(benchmark, split, setting)
    if found is None:
        raise Http404("This board does not exist.")
    definition = definition_of(benchmark)
    asked = Asked.of(request.GET, definition)
    swapped = request.headers.get("HX-Request") == "true"
    if swapped and request.headers.get("HX-Target") == "board-table":
        response = cached_response(request, found, asked, "table", lambda: _inside(TABLE, found, asked), personal=False)
    else:
        response = cached_response(request, found, asked, "page", lambda: _page(request, found, asked), personal=True)
    if swapped:
        response["HX-Push-Url"] = _pushed(request, found, asked, definition)
        patch_vary_headers(response, ("HX-Current-URL",))
    patch_vary_headers(response, VARY)
    return response


def _page(request: HttpRequest, found: FoundBoard, asked: Asked) -> str:
    names = found.benchmark["name"], found.setting["name"].lower(), found.split["name"]
    inside = cached_inside(found, asked, "page", lambda: _inside(CONTENT, found, asked))
    context = {"title": " ".join(", ".join(names).split()), "content": inside}
    return render_to_string("leaderboard/board/board.html", context, request)


def _inside(template: str, found: FoundBoard, asked: Asked) -> str:
    return render_to_string(template, {"board": board_for(found, asked), "state": state_named_by(found)})


def _pushed(request: HttpRequest, found: FoundBoard, asked: Asked, definition: BenchmarkDefinition) -> str:
    """The address of what a swap shows, for the browser's history; ``false`` where the page that asks for the swap is
    there already with the same being asked: another entry would lead nowhere."""
    url, query = board_url(*found.slugs), asked.query_string()
    address = f"{url}?{query}" if query else url
    try:
        here = urlsplit(request.headers.get("HX-Current-URL", ""))
    except ValueError:
        return address
    return "false" if here.path == url and Asked.of(QueryDict(here.query), definition) == asked else address
