"""Systems compared on one board, as on the page."""

from typing import Any

from django.http import Http404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.exceptions import ParseError
from rest_framework.request import Request
from rest_framework.response import Response

from leaderboard.api import examples
from leaderboard.api.base import ApiView
from leaderboard.api.serializers.outcomes import ComparisonSerializer
from leaderboard.systems.comparison.page import comparison_for
from leaderboard.systems.comparison.params import ComparisonParams
from leaderboard.systems.comparison.types import FEWEST_SYSTEMS, MOST_SYSTEMS, Comparison


class ComparisonView(ApiView):
    """Two to six systems on one board."""

    @extend_schema(
        tags=["Boards"],
        operation_id="comparison",
        parameters=[
            OpenApiParameter("system", str, required=True, many=True, description="Slugs of two to six systems."),
            OpenApiParameter("benchmark", str, description="Needed only if several benchmarks have such a board."),
            OpenApiParameter("split", str, description="The board with most of the systems if omitted."),
            OpenApiParameter("setting", str, description="Likewise."),
        ],
        responses=ComparisonSerializer,
        examples=[examples.COMPARISON],
    )
    def get(self, request: Request) -> Response:
        """Compare systems pair by pair, in every score that both have: differences with intervals and paired tests.

        The numbers are those of the comparison page.
        """
        params = ComparisonParams.of(request._request.GET)
        if not FEWEST_SYSTEMS <= len(params.systems) <= MOST_SYSTEMS:
            raise ParseError(f"Give {FEWEST_SYSTEMS} to {MOST_SYSTEMS} systems, each as a parameter system.")
        comparison = comparison_for(params)
        asked = (params.benchmark, params.split, params.setting)
        if comparison is None or any(
            name and name != there for name, there in zip(asked, _board(comparison), strict=True)
        ):
            raise Http404
        return Response(ComparisonSerializer(_fields(comparison)).data)


def _board(comparison: Comparison) -> tuple[str, str, str]:
    return comparison.split.benchmark.slug, comparison.split.slug, comparison.setting.slug


def _fields(comparison: Comparison) -> dict[str, Any]:
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
                    **{name: getattr(difference, name) for name in _OF_A_DIFFERENCE},
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
    names = ("benchmark", "split", "setting")
    systems = [*comparison.systems, *comparison.left_out]
    return {**dict(zip(names, _board(comparison), strict=True)), "systems": systems, "scores": scores}


_OF_A_DIFFERENCE = (
    "value", "low", "high", "p_value", "corrected", "significant", "n_items", "equal_share", "kappa", "pearson"
)  # fmt: skip
