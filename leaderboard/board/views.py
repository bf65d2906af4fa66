"""The public pages: boards."""

from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.utils.cache import patch_vary_headers
from django.views.decorators.http import require_safe

from leaderboard import access
from leaderboard.board.benchmarks import home_page
from leaderboard.board.charts.figures import figure_of
from leaderboard.board.exports.files import export_links
from leaderboard.board.exports.snapshots import newest_snapshot, snapshot_before_the_end
from leaderboard.board.lookup import find_home_boards, first_addresses
from leaderboard.board.responses import cached_response
from leaderboard.board.table import BoardParams, StoredBoard, board_for, board_url
from leaderboard.board.table.params import known_on_board
from leaderboard.board.write import open_board
from leaderboard.web.parameters import reads
from leaderboard.web.site_address import at_site
from scoring.benchmarks import definition_of
from scoring.benchmarks.base import BenchmarkDefinition
from scoring.benchmarks.subsets import on_split


@require_safe
@reads({})
def home(request: HttpRequest) -> HttpResponse:
    """All benchmarks; with one benchmark its first board, and instructions while nothing is imported."""
    boards = first_addresses()
    if not boards:
        text = "A maintainer can import one with: manage.py import_benchmark NAME"
        return render(request, "leaderboard/web/message.html", {"title": "No benchmarks yet", "text": text})
    if len(boards) == 1:
        return board(request, *boards[0])
    found = find_home_boards()
    version = " ".join(stored.version for of_benchmark in found for stored in of_benchmark)
    return cached_response(
        request,
        version,
        "home",
        lambda: render_to_string("leaderboard/board/benchmarks.html", {"home": home_page(found)}, request),
    )


@require_safe
def benchmark(request: HttpRequest, benchmark: str) -> HttpResponse:
    """A benchmark's first board, at that board's own address."""
    address = next((slugs for slugs in first_addresses() if slugs[0] == benchmark), None)
    if address is None:
        raise Http404("This benchmark does not exist.")
    return redirect(board_url(*address))


@require_safe
@reads(known_on_board)
def board(request: HttpRequest, benchmark: str, split: str, setting: str) -> HttpResponse:
    """A board with the requested parameters: its page, or, for a swap, its table. Five queries while that is cached."""
    stored = open_board(benchmark, split, setting)
    if stored is None and access.sees_drafts(request.user, benchmark):
        stored = open_board(benchmark, split, setting, drafts=True)
    if stored is None:
        raise Http404("This board does not exist.")
    definition = on_split(definition_of(benchmark), split)
    params = BoardParams.of(request.GET, definition)
    if request.headers.get("HX-Request") == "true" and request.headers.get("HX-Target") == "board-table":
        response = cached_response(
            request,
            stored.version,
            "table",
            lambda: render_to_string("leaderboard/board/_swap.html", _context(stored, params)),
            params,
            personal=False,
        )
        response["HX-Push-Url"] = _pushed(request, stored, params, definition)
        patch_vary_headers(response, ("HX-Current-URL",))
    else:
        response = cached_response(request, stored.version, "page", lambda: _page(request, stored, params), params)
    patch_vary_headers(response, ("HX-Request", "HX-Target"))
    return response


def _page(request: HttpRequest, stored: StoredBoard, params: BoardParams) -> str:
    url = board_url(*stored.slugs)
    names = stored.benchmark.name, stored.setting.name.lower(), stored.split.name
    context = {
        "title": ", ".join(names),
        "canonical": "" if request.path == url else at_site(url),  # the home page of one benchmark
        "description": stored.benchmark.description,
    }
    return render_to_string("leaderboard/board/board.html", _context(stored, params) | context, request)


def _context(stored: StoredBoard, params: BoardParams) -> dict[str, Any]:
    board = board_for(stored, params, as_page=True)
    return {
        "board": board,
        "exports": export_links(board),
        "snapshot": newest_snapshot(stored),
        "before_the_end": snapshot_before_the_end(stored),
        "chart": figure_of(stored, replace(params, kind=board.kind), systems=board.matching),
    }


def _pushed(request: HttpRequest, stored: StoredBoard, params: BoardParams, definition: BenchmarkDefinition) -> str:
    """The URL of a swap's content for the browser's history; ``false`` if the page that requests the swap has the same
    parameters already: another history entry would lead nowhere."""
    url, query = board_url(*stored.slugs), params.query_string()
    address = f"{url}?{query}" if query else url
    try:
        here = urlsplit(request.headers.get("HX-Current-URL", ""))
    except ValueError:
        return address
    return "false" if here.path == url and BoardParams.of(QueryDict(here.query), definition) == params else address
