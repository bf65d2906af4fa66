"""The JSON Schema of ``benchmark.toml`` at a URL, for editors."""

from django.http import HttpRequest, JsonResponse
from django.views.decorators.http import require_safe

from scoring.benchmarks.declared.form import json_schema


@require_safe
def benchmark_schema(request: HttpRequest) -> JsonResponse:
    """The schema. No query."""
    del request
    return JsonResponse(json_schema(), json_dumps_params={"indent": 2}, content_type="application/schema+json")
