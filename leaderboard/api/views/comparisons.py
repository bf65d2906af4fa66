"""Systems compared on one board, as on the page."""

from typing import Final

from django.http import Http404
from drf_spectacular.utils import OpenApiParameter
from rest_framework.exceptions import ParseError
from rest_framework.request import Request
from rest_framework.response import Response

from leaderboard.api.base import ApiView, documented
from leaderboard.api.serializers.outcomes import ComparisonSerializer
from leaderboard.systems.comparison.page import comparison_for
from leaderboard.systems.comparison.types import FEWEST_SYSTEMS, MOST_SYSTEMS, ComparisonParams

OF_A_DIFFERENCE: Final = (
    "value", "low", "high", "p_value", "corrected", "significant", "n_items", "equal_share", "kappa", "pearson"
)  # fmt: skip


class ComparisonView(ApiView):
    @documented(
        tags=["Boards"],
        operation_id="comparison",
        parameters=[
            OpenApiParameter("system", str, required=True, many=True, description="Slugs of two to six systems."),
            OpenApiParameter("benchmark", str, description="Needed only if several benchmarks have such a board."),
            OpenApiParameter("split", str, description="The board with most of the systems if omitted."),
            OpenApiParameter("setting", str, description="Likewise."),
        ],
        responses=ComparisonSerializer,
    )
    def get(self, request: Request) -> Response:
        """Compare systems pair by pair, in every score that both have: differences with intervals and paired tests.

        The numbers are those of the comparison page.
        """
        params = ComparisonParams.of(request._request.GET)
        if not FEWEST_SYSTEMS <= len(params.systems) <= MOST_SYSTEMS:
            raise ParseError(f"Give {FEWEST_SYSTEMS} to {MOST_SYSTEMS} systems, each as a parameter system.")
        comparison = comparison_for(params)
        if comparison is None:
            raise Http404
        here = comparison.split.benchmark.slug, comparison.split.slug, comparison.setting.slug
        board = dict(zip(("benchmark", "split", "setting"), here, strict=True))
        if any(getattr(params, name) not in ("", slug) for name, slug in board.items()):
            raise Http404
        slugs = [system.slug for system in comparison.systems]
        scores = [
            {
                "score": section.column.key,
                "values": [
                    {"system": slug, "value": value.value, "low": value.low, "high": value.high}
                    for slug, value in zip(slugs, section.values, strict=True)
                    if value is not None
                ],
                "differences": [
                    {
                        "system": slugs[difference.first],
                        "other": slugs[difference.second],
                        **{name: getattr(difference, name) for name in OF_A_DIFFERENCE},
                    }
                    for difference in section.differences.differences
                ],
                "not_compared": [
                    {"systems": [slugs[place] for place in places], "reason": reason}
                    for places, reason in section.differences.refused
                ],
            }
            for section in comparison.sections
        ]
        systems = [*comparison.systems, *comparison.left_out]
        return Response(ComparisonSerializer({**board, "systems": systems, "scores": scores}).data)
