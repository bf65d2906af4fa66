"""Boards."""

from dataclasses import replace
from typing import Any

from django.http import Http404, HttpResponse
from drf_spectacular.utils import OpenApiParameter
from rest_framework.exceptions import ParseError
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request

from leaderboard import access
from leaderboard.api import paging
from leaderboard.api.base import ApiView, documented, gzip_response, refuse_unknown
from leaderboard.api.serializers import boards as serializers
from leaderboard.board.lookup import first_visible_split
from leaderboard.board.responses import cached_gzip, tag_of
from leaderboard.board.table import BoardParams, board_for
from leaderboard.board.table.builder import n_pages_of
from leaderboard.board.table.params import KINDS, known_parameters
from leaderboard.board.write import open_board
from leaderboard.models import SystemType
from leaderboard.web.parameters import TEXT
from scoring.benchmarks import definitions
from scoring.declarations import known_benchmarks

ROW_FIELDS = list(serializers.BoardRowSerializer().fields)
OF_THE_API = dict.fromkeys(("benchmark", "split", "setting", "page_size", "fields"), TEXT)
"""Parameters besides those of a board's page; their values are looked up."""
LISTED = "Separate several values with commas, or repeat the parameter."


class BoardView(ApiView):
    @documented(
        tags=["Boards"],
        operation_id="board",
        checks_itself=True,
        parameters=[
            OpenApiParameter("benchmark", str, description="The first benchmark if omitted."),
            OpenApiParameter("split", str, description="The benchmark's default if omitted."),
            OpenApiParameter("setting", str, description="The benchmark's default if omitted."),
            OpenApiParameter(
                "sort",
                str,
                description="Any of: a score's name, name, type, context, published. A leading - sorts from "
                "high to low. Missing values always come last.",
            ),
            OpenApiParameter("q", str, description="Text to find in name, authors or citation."),
            OpenApiParameter("type", str, enum=SystemType.values, many=True, description=LISTED),
            OpenApiParameter("context_min", int, description="In tokens."),
            OpenApiParameter("context_max", int, description="In tokens."),
            OpenApiParameter(
                "function_calling",
                str,
                enum=["yes", "no", "unknown"],
                description="Whether the model was trained for function calling.",
            ),
            OpenApiParameter(
                "kind",
                str,
                enum=KINDS,
                description="Rows scored on this site (scored), published elsewhere (reported), or both, each at its "
                "place in the order (all). If omitted: both, those scored here first.",
            ),
            OpenApiParameter("columns", str, description=f"Scores to return; all if omitted, or `default`. {LISTED}"),
            OpenApiParameter(
                "page_size",
                {"type": "integer", "minimum": 1, "maximum": paging.MAX_PAGE_SIZE},
                description="Number of rows per page; all rows in one response if omitted. Rows that are not "
                "comparable come last; reference rows are on each page.",
            ),
            OpenApiParameter(
                "page",
                {"type": "integer", "minimum": 1, "default": 1},
                description="The page to fetch, with `page_size`; the Link header has its neighbours. Pages of one "
                "`version` belong together.",
            ),
            OpenApiParameter("fields", str, enum=ROW_FIELDS, many=True, description=f"Fields of rows. {LISTED}"),
        ],
        responses=serializers.BoardSerializer,
    )
    def get(self, request: Request) -> HttpResponse:
        """List every row of one board that passes the filters, in order, with the same number of digits as in exports.

        The parameters are those of the board's page, so you can use the query string of a page's URL here. Unknown
        parameters and values are refused (400), with the known ones.
        """
        slug = request.GET.get("benchmark") or known_benchmarks().values_list("slug", flat=True).first() or ""
        definition = definitions().get(slug)
        if definition is None:
            raise Http404
        split = request.GET.get("split") or definition.default_split
        setting = request.GET.get("setting") or definition.default_setting
        drafts = access.sees_drafts(request.user, slug)
        stored = open_board(slug, split, setting, drafts=drafts)
        if stored is None and not request.GET.get("split"):  # the default one may be a draft
            first = first_visible_split(definition, access.splits_visible_to(request.user))
            stored = open_board(slug, first, setting, drafts=drafts)
        if stored is None:
            raise Http404
        refuse_unknown(request, known_parameters(definition) | OF_THE_API)
        params = BoardParams.of(request._request.GET, definition)
        if "columns" not in request.GET:
            params = replace(params, columns="all")

        size = paging.page_size(request, 0)
        asked = {name for value in request.GET.getlist("fields") for name in value.split(",") if name}
        if unknown := sorted(asked.difference(ROW_FIELDS)):
            raise ParseError(f"fields: rows have no {', '.join(unknown)[:200]}; they have {', '.join(ROW_FIELDS)}.")
        fields = [name for name in ROW_FIELDS if name in asked] or ROW_FIELDS

        def make() -> str:
            board = board_for(stored, params, paged=bool(size), page_rows=size)
            serializer = serializers.BoardSerializer(board)
            for rows in ("rows", "apart_rows", "pinned_rows"):
                row: Any = serializer.fields[rows].child  # type: ignore[attr-defined]
                for name in set(row.fields).difference(fields):
                    del row.fields[name]
            return JSONRenderer().render(serializer.data).decode()

        tag = tag_of(stored.version, params, f"api {size} {','.join(fields)}")
        response = gzip_response(request, tag, lambda: cached_gzip(tag, params, make))
        if size:
            n_pages = n_pages_of(stored, params, size)
            page = min(params.page, n_pages)
            following = page + 1 if page < n_pages else None
            for name, value in paging.links(request, "page", {"next": following, "prev": page - 1}).items():
                response[name] = value
        return response
