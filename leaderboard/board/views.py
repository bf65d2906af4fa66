"""The public pages: boards."""

import gzip
from typing import Final
from urllib.parse import urlsplit

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotModified, QueryDict
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils.cache import patch_vary_headers
from django.utils.http import parse_etags
from django.utils.safestring import mark_safe
from django.views.decorators.http import require_safe

from leaderboard.board import places
from leaderboard.board.exports.snapshots import latest_state
from leaderboard.board.table import Asked, board_for, board_url
from leaderboard.board.table.cache import kept, tag_of
from leaderboard.board.table.version import version_at
from leaderboard.web.http import packed_response
from scoring.benchmarks import definition_of
from scoring.benchmarks.base import BenchmarkDefinition

TABLE: Final = "leaderboard/_board_table.html"
CONTENT: Final = "leaderboard/_board_page.html"
VARY: Final = ("HX-Request", "HX-Target", "Cookie", "Accept-Encoding")


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """The first board, or what to do while nothing is imported."""
    place = places.default_address()
    if place is None:
        text = "A maintainer imports one with: manage.py import_benchmark NAME"
        return render(request, "leaderboard/message.html", {"title": "No benchmark yet", "text": text})
    return board(request, *place)


@require_safe
def board(request: HttpRequest, benchmark: str, split: str, setting: str) -> HttpResponse:
    """A board as asked for: its page, or, for a swap, its table.

    Who has no session gets an answer that any cache may keep and must ask about again (304 while nothing changed). It
    costs one query while it is kept. To anybody else the page is made anew around what the board shows, for it names
    its reader, holds the token of forms and tells messages once.
    """
    version = version_at(benchmark, split, setting)
    if version is None:
        raise Http404("There is no such board.")
    definition = definition_of(benchmark)
    asked = Asked.of(request.GET, definition)
    swapped = request.headers.get("HX-Request") == "true"
    part = "table" if swapped and request.headers.get("HX-Target") == "board-table" else "page"
    stranger = not {settings.SESSION_COOKIE_NAME, "messages"} & set(request.COOKIES)

    def content(template: str) -> str:
        """What is named as the page's title, and in the lines below it what the template shows."""
        place = places.find_place(benchmark, split, setting)
        if place is None:
            raise Http404("There is no such board any more.")
        shown = board_for(*place, asked)
        title = f"{shown.benchmark['name']}, {shown.setting['name'].lower()}, {shown.split['name']}"
        inside = render_to_string(template, {"board": shown, "state": latest_state(*place)})
        return f"{' '.join(title.split())}\n{inside}"

    def page() -> str:
        packed = kept(tag_of(version, asked, "content"), asked, lambda: content(CONTENT))
        title, _, inside = gzip.decompress(packed).decode().partition("\n")
        context = {"title": title, "content": mark_safe(inside)}  # noqa: S308 - a rendered template
        return render_to_string("leaderboard/board.html", context, request)

    def table() -> str:
        return content(TABLE).partition("\n")[2]

    tag = tag_of(version, asked, f"{part} {request.path}")
    etag = f'W/"{tag}"'
    response: HttpResponse
    if not stranger:
        response = HttpResponse(page()) if part == "page" else packed_response(request, kept(tag, asked, table))
        response["Cache-Control"] = "private, no-cache"
    elif etag in parse_etags(request.headers.get("If-None-Match", "")):
        response = HttpResponseNotModified()
    else:
        packed = kept(tag, asked, page if part == "page" else table)
        response = packed_response(request, packed)
    if stranger:
        response["ETag"] = etag
        response["Cache-Control"] = "no-cache"
    if swapped:
        query = asked.query_string()
        url = board_url(benchmark, split, setting)
        address = f"{url}?{query}" if query else url
        response["HX-Push-Url"] = "false" if _shown_there(request, url, asked, definition) else address
        patch_vary_headers(response, ("HX-Current-URL",))
    patch_vary_headers(response, VARY)
    return response


def _shown_there(request: HttpRequest, url: str, asked: Asked, definition: BenchmarkDefinition) -> bool:
    """Whether the page that asks for a swap already stands at the board's address with the same being asked: another
    entry in its history would lead nowhere."""
    try:
        here = urlsplit(request.headers.get("HX-Current-URL", ""))
    except ValueError:
        return False
    return here.path == url and Asked.of(QueryDict(here.query), definition) == asked
