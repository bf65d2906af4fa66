"""The OpenAPI schema: the descriptions of the views, and what all operations have in common; and the JSON Schema of
``benchmark.toml``, for editors."""

import json
from collections.abc import Iterator, Mapping
from functools import cache
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final

from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.renderers import (
    OpenApiJsonRenderer,
    OpenApiJsonRenderer2,
    OpenApiYamlRenderer,
    OpenApiYamlRenderer2,
)
from drf_spectacular.utils import extend_schema
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from leaderboard.api.base import ApiView
from leaderboard.web.problem_details import CONTENT_TYPE, problem
from scoring.benchmarks.form import json_schema

EXAMPLES: Final[Mapping[str, Any]] = json.loads(Path(__file__).with_name("examples.json").read_text(encoding="utf-8"))
"""Examples by the ids of their operations: what was sent to a made-up site, and its answer, as the tests recorded
them."""
METHODS: Final = ("get", "post", "put", "patch", "delete")
PROBLEM: Final = "#/components/schemas/Problem"
TEXT: Final = {"type": "string"}
NUMBER: Final = {"type": "integer"}
TAGS: Final = (
    ("Benchmarks", "Benchmarks, splits, settings and questions."),
    ("Boards", "Leaderboards: systems and their scores."),
    ("Systems", "Systems on the leaderboards, with all their scores."),
    ("Submissions", "Send generations and follow their scoring."),
    ("Studies", "Human evaluation studies, for the accounts that own them."),
)

PROBLEMS: Final[Mapping[int, str]] = {
    400: (
        "The request could not be read: a parameter is out of range or has an unknown value, a cursor belongs to "
        "another list, or an upload is incomplete."
    ),
    401: "The token is missing, unknown, revoked or expired.",
    403: "The scope of the token is too small (`needed_scope`), or the session request has no valid CSRF token.",
    404: "The resource does not exist, or you do not have access to it; the response does not say which.",
    406: "The server cannot answer in any format of the Accept header.",
    409: "The submission's state does not allow this; `detail` gives the reason.",
    411: "The request is chunked or has no Content-Length.",
    413: "The request exceeds the size limit for submissions.",
    415: "The server does not read this content type.",
    422: "The request has errors; all are listed, by field, and for files by line. Nothing was stored or changed.",
    429: "A rate limit or a quota of submissions or files was reached (in the second case with `quota`); "
    "Retry-After gives the seconds until the next request is allowed.",
}
HEADERS: Final[Mapping[str, tuple[str, Mapping[str, str]]]] = {
    "ETag": ("Version of the content. Send it in If-None-Match to get 304 if nothing has changed.", TEXT),
    "Link": ("Adjacent pages (RFC 8288): rel=next and rel=prev.", TEXT),
    "Location": ("URL of the resource.", TEXT),
    "Idempotency-Replayed": ("`true` if the submission already existed.", TEXT),
    "X-RateLimit-Limit": ("Number of requests allowed per window.", NUMBER),
    "X-RateLimit-Remaining": ("Number of requests left in this window.", NUMBER),
    "Retry-After": ("Seconds until the next request is allowed.", NUMBER),
}
PROBLEM_SCHEMA: Final = {
    "type": "object",
    "description": "A problem document (RFC 9457).",
    "properties": {
        "type": TEXT | {"format": "uri-reference", "description": "about:blank: the status code is the type."},
        "title": TEXT | {"description": "The HTTP status in words."},
        "status": NUMBER | {"minimum": 400, "maximum": 599},
        "detail": TEXT | {"description": "What happened and what to do."},
        "errors": {
            "type": "object",
            "additionalProperties": {"type": "array", "items": TEXT},
            "description": "Errors by field name; “form” is for the whole request.",
        },
        "files": {
            "type": "array",
            "items": {"$ref": "#/components/schemas/FileReport"},
            "description": "Problems found in the files, each with its line.",
        },
        "quota": {
            "type": "object",
            "description": "The quota that is used up: of submissions in a week, or of files for a hidden split.",
            "properties": {
                "unit": {"type": "string", "enum": ["submission", "file"]},
                "period": TEXT,
                "limit": NUMBER,
                "used": NUMBER,
                "frees_at": TEXT | {"format": "date-time", "nullable": True},
                "team": {
                    "type": "boolean",
                    "description": "True if the quota belongs to the team, false if to the account.",
                },
            },
        },
    },
    "required": ["type", "title", "status", "detail"],
}
LIMITS: Final = ("X-RateLimit-Limit", "X-RateLimit-Remaining")


def complete(result: dict[str, Any], generator: Any, request: Any, public: bool) -> dict[str, Any]:
    """A hook of drf-spectacular: add examples, problems and headers to every operation, and 304 where it can occur."""
    del generator, request, public
    components = result["components"]
    components["headers"] = {
        name: {"description": text, "schema": dict(schema)} for name, (text, schema) in HEADERS.items()
    }
    components["schemas"]["Problem"] = PROBLEM_SCHEMA
    components["responses"] = {_name(status): _problem_response(status) for status in PROBLEMS}
    components["responses"]["NotModified"] = {
        "description": "Not modified since the version in If-None-Match.",
        "headers": _headers("ETag", *LIMITS),
    }
    result["tags"] = [{"name": name, "description": text} for name, text in TAGS]
    for path, item in result["paths"].items():  # a view set has its methods in no order
        result["paths"][path] = {method: item[method] for method in METHODS if method in item}
    for path, method, operation in operations_of(result):
        responses = operation["responses"]
        example = EXAMPLES.get(operation["operationId"], {})
        for content in operation.get("requestBody", {}).get("content", {}).values():
            content["examples"] = {"Request": {"value": example["request"]}}
        for status, response in responses.items():
            for content in response.get("content", {}).values() if "answer" in example else ():
                content["examples"] = {"Answer": {"value": example["answer"]}}
            response["headers"] = _headers(*_headers_of(path, method, status, operation), *LIMITS)
            response["description"] = response["description"] or HTTPStatus(int(status)).phrase
        if method == "get":
            responses["304"] = {"$ref": "#/components/responses/NotModified"}
        problems = {400, 401, 406, 429}
        if "{" in path or operation.get("parameters"):
            problems.add(404)
        if method != "get":
            problems |= {403, 404, 411, 413, 415}
            if operation.get("requestBody"):
                problems.add(422)
            if "{id}" in path:
                problems.add(409)
        for status in sorted(problems):
            responses[str(status)] = {"$ref": f"#/components/responses/{_name(status)}"}
    return result


def operations_of(schema: Mapping[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Path, method and description of every operation, in the order of the schema."""
    for path, item in schema["paths"].items():
        for method in METHODS:
            if method in item:
                yield path, method, item[method]


def needs_token(operation: Mapping[str, Any]) -> bool:
    """Whether an operation requires an account."""
    return {} not in operation.get("security", [{}])


def _name(status: int) -> str:
    return HTTPStatus(status).name.title().replace("_", "")


def _headers(*names: str) -> dict[str, Any]:
    return {name: {"$ref": f"#/components/headers/{name}"} for name in names}


def _headers_of(path: str, method: str, status: str, operation: Mapping[str, Any]) -> list[str]:
    if status == "301":
        return ["Location"]
    names = ["ETag"] if method == "get" else []
    if any(parameter["name"] == "cursor" for parameter in operation.get("parameters", ())):
        names.append("Link")
    if path.startswith("/api/v1/submissions/") and ("{id}" in path or status == "201"):
        names.append("Location")
    if any(parameter["name"] == "Idempotency-Key" for parameter in operation.get("parameters", ())):
        names += ["Location", "Idempotency-Replayed"] if status == "200" else []
    return names


def _problem_response(status: int) -> dict[str, Any]:
    value = EXAMPLES["invalid"]["answer"] if status == 422 else problem(status, PROBLEMS[status])
    response: dict[str, Any] = {
        "description": PROBLEMS[status],
        "content": {
            CONTENT_TYPE: {"schema": {"$ref": PROBLEM}, "examples": {_name(status): {"value": value}}},
        },
    }
    if status == 429:
        response["headers"] = _headers("Retry-After", *LIMITS)
    return response


@cache
def schema() -> dict[str, Any]:
    """The schema; built once, since it does not change while the site runs."""
    made: dict[str, Any] = SchemaGenerator().get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
    return made


@cache
def _rendered(form: str) -> bytes:
    renderer = OpenApiYamlRenderer() if form == "yaml" else OpenApiJsonRenderer()
    text: bytes = renderer.render(schema(), renderer_context={})
    return text


class _Once:
    """A renderer that renders the schema once and caches the result."""

    format = ""

    def render(self, data: Any, accepted_media_type: Any = None, renderer_context: Any = None) -> bytes:
        del data, accepted_media_type, renderer_context
        return _rendered("yaml" if self.format == "yaml" else "json")


class SchemaView(ApiView):
    """The OpenAPI schema: YAML unless the Accept header or ``?format=json`` requests JSON."""

    renderer_classes = [
        type(f"Once{renderer.__name__}", (_Once, renderer), {"format": renderer.format})
        for renderer in (OpenApiYamlRenderer, OpenApiYamlRenderer2, OpenApiJsonRenderer, OpenApiJsonRenderer2)
    ]

    @extend_schema(exclude=True)
    def get(self, request: Request) -> Response:
        form = "yaml" if request.accepted_renderer.format == "yaml" else "json"
        return Response({}, headers={"Content-Disposition": f'inline; filename="manyhop-api.{form}"'})


class JsonSchemaRenderer(JSONRenderer):
    """JSON with the media type of JSON Schema."""

    media_type = "application/schema+json"

    def get_indent(self, accepted_media_type: str, renderer_context: Mapping[str, Any]) -> int:
        del accepted_media_type, renderer_context
        return 2


class BenchmarkSchema(ApiView):
    renderer_classes = [JsonSchemaRenderer]

    @extend_schema(exclude=True)
    def get(self, request: Request) -> Response:
        del request
        return Response(json_schema())
