"""The JSON Schema of ``benchmark.toml`` at a URL, for editors."""

from collections.abc import Mapping
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from leaderboard.api.base import ApiView
from scoring.benchmarks.form import json_schema


class SchemaRenderer(JSONRenderer):
    """JSON with the media type of JSON Schema."""

    media_type = "application/schema+json"

    def get_indent(self, accepted_media_type: str, renderer_context: Mapping[str, Any]) -> int:
        del accepted_media_type, renderer_context
        return 2


class BenchmarkSchema(ApiView):
    renderer_classes = [SchemaRenderer]

    @extend_schema(exclude=True)
    def get(self, request: Request) -> Response:
        del request
        return Response(json_schema())
