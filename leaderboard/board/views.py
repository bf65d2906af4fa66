"""The public pages: boards."""

from dataclasses import replace
from typing import Final
from urllib.parse import urlsplit

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.cache import patch_vary_headers
from django.views.decorators.http import require_safe

from leaderboard.board import addresses
from leaderboard.board.benchmarks import home_page
from leaderboard.board.charts.figures import figure_of
from leaderboard.board.exports.files import export_links
from leaderboard.board.exports.snapshots import newest_snapshot
from leaderboard.board.responses import cached_inside, cached_response
from leaderboard.board.table import BoardParams, FoundBoard, board_for, board_url
from leaderboard.board.table.builder import definition_for
from leaderboard.board.write import open_board
from scoring.benchmarks import definition_of
from scoring.benchmarks.base import BenchmarkDefinition
from scoring.benchmarks.subsets import on_split

TABLE: Final = "leaderboard/board/_swap.html"
CONTENT: Final = "leaderboard/board/_page.html"
VARY: Final = ("HX-Request", "HX-Target", "Cookie", "Accept-Encoding")


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """All benchmarks; with one benchmark its first board, and instructions while nothing is imported."""
    found = addresses.first_addresses()
    if not found:
        text = "A maintainer can import one with: manage.py import_benchmark NAME"
        return render(request, "leaderboard/web/message.html", {"title": "No benchmarks yet", "text": text})
    if len(found) == 1:
        return board(request, *found[0])
    return render(request, "leaderboard/board/benchmarks.html", {"home": home_page()})


@require_safe
def benchmark(request: HttpRequest, benchmark: str) -> HttpResponse:
    """A benchmark's first board, at that board's own address."""
    found = next((slugs for slugs in addresses.first_addresses() if slugs[0] == benchmark), None)
    if found is None:
        raise Http404("This benchmark does not exist.")
    return redirect(board_url(*found))


@require_safe
def board(request: HttpRequest, benchmark: str, split: str, setting: str) -> HttpResponse:
    """A board with the requested parameters: its page, or, for a swap, its table. One query while that is cached."""
    found = open_board(benchmark, split, setting)
    if found is None:
        raise Http404("This board does not exist.")
    definition = on_split(definition_of(benchmark), split)
    params = BoardParams.of(request.GET, definition)
    swapped = request.headers.get("HX-Request") == "true"
    if swapped and request.headers.get("HX-Target") == "board-table":
        response = cached_response(
            request, found, params, "table", lambda: _inside(TABLE, found, params), personal=False
        )
    else:
        response = cached_response(request, found, params, "page", lambda: _page(request, found, params), personal=True)
    if swapped:
        response["HX-Push-Url"] = _pushed(request, found, params, definition)
        patch_vary_headers(response, ("HX-Current-URL",))
    patch_vary_headers(response, VARY)
    return response


def _page(request: HttpRequest, found: FoundBoard, params: BoardParams) -> str:
    names = found.benchmark["name"], found.setting["name"].lower(), found.split["name"]
    inside = cached_inside(found, params, "page", lambda: _inside(CONTENT, found, params))
    url = board_url(*found.slugs)
    context = {
        "title": " ".join(", ".join(names).split()),
        "content": inside,
        "canonical": "" if request.path == url else settings.SITE_URL + url,  # the home page of one benchmark
        "description": found.benchmark["description"],
        "image": reverse("board-preview", args=found.slugs),
        "feed": reverse("board-feed", args=found.slugs),
    }
    return render_to_string("leaderboard/board/board.html", context, request)


def _inside(template: str, found: FoundBoard, params: BoardParams) -> str:
    board = board_for(found, params, as_page=True)
    definition = definition_for(found, board.document)
    context = {
        "board": board,
        "exports": export_links(board),
        "snapshot": newest_snapshot(found),
        "chart": figure_of(found, board.document, replace(params, kind=board.kind), definition),
    }
    return render_to_string(template, context)


def _pushed(request: HttpRequest, found: FoundBoard, params: BoardParams, definition: BenchmarkDefinition) -> str:
    """The URL of a swap's content for the browser's history; ``false`` if the page that requests the swap has the same
    parameters already: another history entry would lead nowhere."""
    url, query = board_url(*found.slugs), params.query_string()
    address = f"{url}?{query}" if query else url
    try:
        here = urlsplit(request.headers.get("HX-Current-URL", ""))
    except ValueError:
        return address
    return "false" if here.path == url and BoardParams.of(QueryDict(here.query), definition) == params else address
