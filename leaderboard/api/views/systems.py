"""Systems and their scores."""

from django.http import Http404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from leaderboard.api import examples, queries
from leaderboard.api.base import ApiView
from leaderboard.api.paging import Order, page_of
from leaderboard.api.parameters import PAGING
from leaderboard.api.serializers import systems as serializers
from leaderboard.models import System, SystemType

TAGS = ["Systems"]
BY_SLUG = Order(("slug",))
SYSTEM = OpenApiParameter("slug", str, OpenApiParameter.PATH, description="A system's slug.")
LONGEST_SEARCH = 100


def system_named(slug: str) -> System:
    """A system that has a row on a board.

    Raises:
        Http404: there is none of this name, or nothing of it is public.
    """
    found = queries.public_systems().filter(slug=slug).first()
    if found is None:
        raise Http404
    return found


class Systems(ApiView):
    """Every system that is on a board."""

    @extend_schema(
        tags=TAGS,
        parameters=[
            OpenApiParameter("q", str, description="Words, each to be found in name, authors, citation or slug."),
            OpenApiParameter("type", str, enum=SystemType.values, many=True, description="Systems of these types."),
            *PAGING,
        ],
        responses=serializers.SystemLineSerializer(many=True),
        examples=[examples.SYSTEM_LINE],
    )
    def get(self, request: Request) -> Response:
        """Every system that is on a board, by its slug."""
        types = [one for one in request.GET.getlist("type") if one in SystemType.values]
        found = queries.public_systems(request.GET.get("q", "")[:LONGEST_SEARCH], types)
        page = page_of(request, found, BY_SLUG)
        lines = serializers.SystemLineSerializer(page.rows, many=True, context={"request": request})
        return Response(lines.data, headers=page.headers)


class SystemDetail(ApiView):
    """One system."""

    @extend_schema(tags=TAGS, parameters=[SYSTEM], responses=serializers.SystemSerializer, examples=[examples.SYSTEM])
    def get(self, request: Request, slug: str) -> Response:
        """What a system is, and the boards that it is on."""
        found = system_named(slug)
        context = {"request": request, "boards": queries.entries_of(found)}
        return Response(serializers.SystemSerializer(found, context=context).data)


class SystemScores(ApiView):
    """A system's scores."""

    @extend_schema(
        tags=TAGS, parameters=[SYSTEM], responses=serializers.ResultSerializer(many=True), examples=[examples.RESULT]
    )
    def get(self, request: Request, slug: str) -> Response:
        """Every number of a system with its interval, under every signature; `shown` marks those of the boards.

        Compare only numbers of one signature.
        """
        return Response(serializers.ResultSerializer(queries.results_of(system_named(slug)), many=True).data)
