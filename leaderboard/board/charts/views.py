"""The pictures of a board."""

import gzip
from typing import Final

from csp.decorators import csp_update
from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotModified
from django.template.loader import render_to_string
from django.utils.cache import patch_vary_headers
from django.utils.http import parse_etags
from django.utils.safestring import mark_safe
from django.views.decorators.http import require_safe

from leaderboard.board import places
from leaderboard.board.charts.series import chosen, pictures_of
from leaderboard.board.table import Asked
from leaderboard.board.table.cache import kept, tag_of
from leaderboard.board.table.version import version_of
from leaderboard.web.http import packed_response
from scoring.benchmarks import definition_of

VARY: Final = ("Cookie", "Accept-Encoding")


@require_safe
@csp_update({"img-src": ["blob:"]})  # type: ignore[arg-type]  # its type knows views without arguments alone
def pictures(request: HttpRequest, benchmark: str, split: str, setting: str) -> HttpResponse:
    """Four pictures of one column, kept and asked about again as the board itself is (see `leaderboard.board.views`).

    A script turns a picture into PNG by way of a blob of its own making, so this page alone may show such images.
    """
    place = places.find_place(benchmark, split, setting)
    if place is None:
        raise Http404("There is no such board.")
    definition = definition_of(benchmark)
    asked = Asked.of(request.GET, definition)
    key, top = chosen(definition, asked, request.GET.get("column", ""), request.GET.get("top", ""))
    version = version_of(*place)
    stranger = not {settings.SESSION_COOKIE_NAME, "messages"} & set(request.COOKIES)

    def content() -> str:
        shown = pictures_of(*place, asked, column=key, top=top)
        return render_to_string("leaderboard/_pictures_page.html", {"pictures": shown})

    def page() -> str:
        tag = tag_of(version, asked, f"inside of pictures {key} {top}")
        inside = mark_safe(gzip.decompress(kept(tag, asked, content)).decode())  # noqa: S308
        context = {"benchmark": place[0].benchmark, "split": place[0], "setting": place[1], "content": inside}
        return render_to_string("leaderboard/pictures.html", context, request)

    tag = tag_of(version, asked, f"pictures {key} {top}")
    etag = f'W/"{tag}"'
    response: HttpResponse
    if not stranger:
        response = HttpResponse(page())
        response["Cache-Control"] = "private, no-cache"
    else:
        known = etag in parse_etags(request.headers.get("If-None-Match", ""))
        response = HttpResponseNotModified() if known else packed_response(request, kept(tag, asked, page))
        response["ETag"] = etag
        response["Cache-Control"] = "no-cache"
    patch_vary_headers(response, VARY)
    return response
