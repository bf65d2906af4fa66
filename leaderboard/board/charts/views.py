"""The charts of a board."""

from django.http import Http404, HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.views.decorators.http import require_safe

from leaderboard.board.charts.figures import figure_of
from leaderboard.board.charts.series import DRAWINGS, TOPS, charts_of, chosen
from leaderboard.board.exports.files import file_name
from leaderboard.board.responses import cached_response, tag_of
from leaderboard.board.table import BoardParams
from leaderboard.board.table.builder import definition_for
from leaderboard.board.table.params import known_on_board
from leaderboard.board.write import open_board
from leaderboard.web.http import file_response
from leaderboard.web.parameters import Parameter, reads
from scoring.benchmarks import definition_of
from scoring.benchmarks.subsets import on_split


def known_for_charts(**where: str) -> dict[str, Parameter]:
    """The parameters of the URLs of a board's charts."""
    known = known_on_board(**where)
    columns = tuple(key for key in known["sort"].values if not key.startswith("-")) if "sort" in known else ()
    return known | {"column": Parameter(columns), "top": Parameter(("all", *map(str, TOPS)))}


@require_safe
@reads(known_for_charts)
def charts(request: HttpRequest, benchmark: str, split: str, setting: str) -> HttpResponse:
    """Four charts of one column, cached and revalidated like the board itself."""
    stored = open_board(benchmark, split, setting)
    if stored is None:
        raise Http404("This board does not exist.")
    definition = on_split(definition_of(benchmark), split)
    params = BoardParams.of(request.GET, definition)
    key, top = chosen(definition, params, request.GET.get("column", ""), request.GET.get("top", ""))

    def page() -> str:
        return render_to_string(
            "leaderboard/charts/charts.html", {"charts": charts_of(stored, params, column=key, top=top)}, request
        )

    return cached_response(request, stored.version, f"pictures {key} {top}", page, params)


@require_safe
@reads(known_for_charts, refuses=True)
def picture(request: HttpRequest, benchmark: str, split: str, setting: str, name: str) -> HttpResponse:
    """A chart of a board as an SVG file: ``score``, the one that its page shows with the same parameters, or one of
    `DRAWINGS`, as the page of charts shows it."""
    stored = open_board(benchmark, split, setting) if name in ("score", *DRAWINGS) else None
    if stored is None:
        raise Http404("This board or this chart does not exist.")
    definition = definition_for(stored)
    params = BoardParams.of(request.GET, definition)
    key, top = chosen(definition, params, request.GET.get("column", ""), request.GET.get("top", ""))
    content = None
    if name == "score":
        figure = figure_of(stored, params)
        content = figure.file if figure is not None else None
    else:
        shown = charts_of(stored, params, column=key, top=top)
        drawing = shown.drawing(name)
        title = f"{shown.column.label} {DRAWINGS[name]}"
        content = drawing.file(title, f"{title}, {stored.setting.name}") if drawing is not None else None
    if content is None:
        raise Http404("This chart has nothing to draw.")
    tag = tag_of(stored.version, params, f"picture {name} {key} {top}")
    return file_response(
        request,
        lambda: content,
        tag=tag,
        content_type="image/svg+xml; charset=utf-8",
        filename=file_name(benchmark, split, setting, name, extension="svg"),
    )
