"""The pictures of a board."""

from csp.decorators import csp_update
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from leaderboard import queries
from leaderboard.board import Asked
from leaderboard.pictures import TOPS, pictures_of
from scoring.benchmarks import definition_of


@require_safe
@csp_update({"img-src": ["blob:"]})  # type: ignore[arg-type]  # its type knows views without arguments alone
def pictures(request: HttpRequest, benchmark: str, split: str, setting: str) -> HttpResponse:
    """Four pictures of one column.

    A script turns a picture into PNG by way of a blob of its own making, so this page alone may show such images.
    """
    place = queries.find_place(benchmark, split, setting)
    if place is None:
        raise Http404("There is no such board.")
    top = request.GET.get("top", "")
    shown = pictures_of(
        *place,
        Asked.of(request.GET, definition_of(benchmark)),
        column=request.GET.get("column", ""),
        top={"all": 0, **{str(one): one for one in TOPS}}.get(top, TOPS[0]),
    )
    return render(request, "leaderboard/pictures.html", {"pictures": shown})
