"""The entry point of the API."""

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from leaderboard.api.base import ApiView, documented

PLACES = {
    "benchmarks": "api-benchmarks",
    "systems": "api-systems",
    "board": "api-board",
    "comparison": "api-comparison",
    "submissions": "api-submissions",
    "validate": "api-validate",
    "studies": "api-studies",
    "schema": "api-schema",
    "documentation": "api-docs",
}


class Root(ApiView):
    @documented(tags=["Benchmarks"], responses={200: dict[str, str]})
    def get(self, request: Request) -> Response:
        """List the URLs of the API's resources."""
        return Response({name: reverse(view, request=request) for name, view in PLACES.items()})
