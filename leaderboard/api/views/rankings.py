"""Rankings of systems that a judge compared side by side."""

from django.http import Http404
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request
from rest_framework.response import Response

from leaderboard.api.base import ApiView, documented
from leaderboard.api.serializers.rankings import RankingSerializer
from leaderboard.board.lookup import first_visible_split
from leaderboard.board.ranking.exports import as_document
from leaderboard.board.ranking.lookup import find_ranking
from scoring.benchmarks import definitions
from scoring.models import Split


class RankingView(ApiView):
    @documented(
        tags=["Boards"],
        operation_id="ranking",
        parameters=[
            OpenApiParameter("benchmark", str, required=True, description="Its slug."),
            OpenApiParameter("split", str, description="The benchmark's default if omitted."),
            OpenApiParameter("setting", str, description="The benchmark's default if omitted."),
        ],
        responses=RankingSerializer,
    )
    def get(self, request: Request) -> Response:
        """Rank the systems of a board that a judge compared side by side, with the win matrix.

        404 for boards whose systems are scored against reference answers.
        """
        definition = definitions().get(request.GET.get("benchmark", ""))
        if definition is None:
            raise Http404
        split = request.GET.get("split") or first_visible_split(definition, Split.objects.all())
        setting = request.GET.get("setting") or definition.default_setting
        stored = find_ranking(definition.slug, split, setting)
        if stored is None:
            raise Http404
        return Response(RankingSerializer(as_document(stored)).data)
