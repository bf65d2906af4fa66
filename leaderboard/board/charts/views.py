"""The charts of a board."""

from typing import Final

from csp.decorators import csp_update
from django.http import Http404, HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils.cache import patch_vary_headers
from django.views.decorators.http import require_safe

from leaderboard.board.charts.series import charts_of, chosen
from leaderboard.board.responses import cached_inside, cached_response
from leaderboard.board.table import BoardParams
from leaderboard.board.write import open_board
from scoring.benchmarks import definition_of
from scoring.benchmarks.subsets import on_split

VARY: Final = ("Cookie", "Accept-Encoding")


@require_safe
@csp_update({"img-src": ["blob:"]})  # type: ignore[arg-type]  # its type knows views without arguments alone
def charts(request: HttpRequest, benchmark: str, split: str, setting: str) -> HttpResponse:
    """Four charts of one column, cached and revalidated like the board itself.

    A script converts a chart into PNG with a blob that it creates, so only this page may show such images.
    """
    found = open_board(benchmark, split, setting)
    if found is None:
        raise Http404("This board does not exist.")
    definition = on_split(definition_of(benchmark), split)
    params = BoardParams.of(request.GET, definition)
    key, top = chosen(definition, params, request.GET.get("column", ""), request.GET.get("top", ""))
    part = f"pictures {key} {top}"

    def inside() -> str:
        context = {"charts": charts_of(found, params, column=key, top=top)}
        return render_to_string("leaderboard/charts/_page.html", context)

    def page() -> str:
        places = {"benchmark": found.benchmark, "split": found.split, "setting": found.setting}
        content = cached_inside(found, params, part, inside)
        return render_to_string("leaderboard/charts/charts.html", {**places, "content": content}, request)

    response = cached_response(request, found, params, part, page, personal=True)
    patch_vary_headers(response, VARY)
    return response
