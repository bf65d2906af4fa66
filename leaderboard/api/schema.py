"""The OpenAPI schema: what the views say of themselves, and what holds for all of them."""

from collections.abc import Iterator, Mapping
from functools import cache
from http import HTTPStatus
from typing import Any, Final

from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.renderers import (
    OpenApiJsonRenderer,
    OpenApiJsonRenderer2,
    OpenApiYamlRenderer,
    OpenApiYamlRenderer2,
)
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from leaderboard.api import examples
from leaderboard.api.base import ApiView
from leaderboard.web.problem_details import CONTENT_TYPE, problem

METHODS: Final = ("get", "post", "put", "patch", "delete")
PROBLEM: Final = "#/components/schemas/Problem"
TEXT: Final = {"type": "string"}
NUMBER: Final = {"type": "integer"}
TAGS: Final = (
    ("Benchmarks", "What is scored, and against what."),
    ("Boards", "Systems beside each other."),
    ("Systems", "What they are, and every number of theirs."),
    ("Submissions", "Sending generations and following their scoring."),
    ("Studies", "People who answer the questions: for those whose studies they are."),
)

PROBLEMS: Final[Mapping[int, str]] = {
    400: "The request could not be read: a parameter out of range, a cursor of another list, a broken upload.",
    401: "No token where one is needed, or one that is not known here or was revoked.",
    403: "A session without the CSRF token of its site; programs use tokens.",
    404: "There is nothing here, or it is not yours: no difference is shown.",
    406: "None of the kinds of answer in the Accept header can be given.",
    409: "It cannot be done with the submission as it is; the detail says why.",
    411: "The request was chunked, or does not say how long it is.",
    413: "The request is larger than any submission may be.",
    415: "The body is of a kind that is not read here.",
    422: "What was sent has errors: all of them, by field, and of files by line. Nothing was kept or changed.",
    429: "Too many requests, or too much scored this week (then with quota); Retry-After says in how many seconds the "
    "next one fits.",
}
DETAILS: Final[Mapping[int, str]] = {
    400: "page_size is a whole number from 1 to 500.",
    401: "This token is not known here, or it was revoked.",
    403: "CSRF Failed: CSRF token missing.",
    404: "There is nothing here, or it is not yours.",
    406: "Could not satisfy the request Accept header.",
    409: "It is still being scored. Publish it when that is finished.",
    411: "Send the request in one piece and with its Content-Length, not chunked.",
    413: "The request is 301 MiB. A generations file may have up to 32 MiB. Nothing of it was kept.",
    415: "Unsupported media type “text/plain” in request.",
    429: "Too many requests. The next one fits in 12 seconds.",
}
HEADERS: Final[Mapping[str, tuple[str, Mapping[str, str]]]] = {
    "ETag": ("Of the content: sent back in If-None-Match, it saves what has not changed (304).", TEXT),
    "Link": ("The neighbouring pages (RFC 8288): rel=next and rel=prev.", TEXT),
    "Location": ("Where it is.", TEXT),
    "Idempotency-Replayed": ("true where the submission had been made before.", TEXT),
    "X-RateLimit-Limit": ("How many requests fit in the window.", NUMBER),
    "X-RateLimit-Remaining": ("How many are left.", NUMBER),
    "Retry-After": ("In how many seconds the next request fits.", NUMBER),
}
LIMITS: Final = ("X-RateLimit-Limit", "X-RateLimit-Remaining")


def complete(result: dict[str, Any], generator: Any, request: Any, public: bool) -> dict[str, Any]:
    """A hook of drf-spectacular: add to every operation its problems and headers, and 304 where that can be."""
    del generator, request, public
    components = result["components"]
    components["headers"] = {
        name: {"description": text, "schema": dict(schema)} for name, (text, schema) in HEADERS.items()
    }
    components["schemas"]["Problem"] = _problem_schema()
    components["responses"] = {_name(status): _problem_response(status) for status in PROBLEMS}
    components["responses"]["NotModified"] = {
        "description": "Unchanged since the answer with the ETag in If-None-Match.",
        "headers": _headers("ETag", *LIMITS),
    }
    result["tags"] = [{"name": name, "description": text} for name, text in TAGS]
    for path, method, operation in operations_of(result):
        responses = operation["responses"]
        for status, response in responses.items():
            response["headers"] = _headers(*_headers_of(path, method, status, operation), *LIMITS)
            response["description"] = response["description"] or HTTPStatus(int(status)).phrase
        if method == "get":
            responses["304"] = {"$ref": "#/components/responses/NotModified"}
        for status in sorted(_problems_of(path, method, operation)):
            responses[str(status)] = {"$ref": f"#/components/responses/{_name(status)}"}
    return result


def operations_of(schema: Mapping[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Path, method and description of every operation, in the schema's order."""
    for path, item in schema["paths"].items():
        for method in METHODS:
            if method in item:
                yield path, method, item[method]


def needs_token(operation: Mapping[str, Any]) -> bool:
    """Whether an operation is for accounts only."""
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


def _problems_of(path: str, method: str, operation: Mapping[str, Any]) -> set[int]:
    statuses = {400, 401, 406, 429}
    if "{" in path or operation.get("parameters"):
        statuses.add(404)
    if method != "get":
        statuses |= {403, 404, 411, 413, 415}
        if operation.get("requestBody"):
            statuses.add(422)
    if "{id}" in path and method != "get":
        statuses.add(409)
    return statuses


def _problem_response(status: int) -> dict[str, Any]:
    value = examples.INVALID if status == 422 else problem(status, DETAILS[status])
    response: dict[str, Any] = {
        "description": PROBLEMS[status],
        "content": {
            CONTENT_TYPE: {"schema": {"$ref": PROBLEM}, "examples": {_name(status): {"value": value}}},
        },
    }
    if status == 429:
        response["headers"] = _headers("Retry-After", *LIMITS)
    return response


def _problem_schema() -> dict[str, Any]:
    return {
        "type": "object",
        "description": "A problem (RFC 9457).",
        "properties": {
            "type": TEXT | {"format": "uri-reference", "description": "about:blank: the status says it all."},
            "title": TEXT | {"description": "The status in words."},
            "status": NUMBER | {"minimum": 400, "maximum": 599},
            "detail": TEXT | {"description": "What is wrong, and what to do about it."},
            "errors": {
                "type": "object",
                "additionalProperties": {"type": "array", "items": TEXT},
                "description": "What is wrong with fields, by their names; “form” is the whole.",
            },
            "files": {
                "type": "array",
                "items": {"$ref": "#/components/schemas/FileReport"},
                "description": "What was found in the files, each problem with its line.",
            },
            "quota": {
                "type": "object",
                "description": "Where whoever sent it stands in seven days, if that is what is used up.",
                "properties": {
                    "limit": NUMBER,
                    "used": NUMBER,
                    "frees_at": TEXT | {"format": "date-time", "nullable": True},
                    "team": {"type": "boolean", "description": "Whether it is the team's quota, not the account's."},
                },
            },
        },
        "required": ["type", "title", "status", "detail"],
    }


@cache
def schema() -> dict[str, Any]:
    """The schema; made once, since it does not change while the site runs."""
    made: dict[str, Any] = SchemaGenerator().get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
    return made


@cache
def _rendered(form: str) -> bytes:
    renderer = OpenApiYamlRenderer() if form == "yaml" else OpenApiJsonRenderer()
    text: bytes = renderer.render(schema(), renderer_context={})
    return text


class _Once:
    """A renderer of the schema that renders it once for all."""

    format = ""

    def render(self, data: Any, accepted_media_type: Any = None, renderer_context: Any = None) -> bytes:
        """The schema's text."""
        del data, accepted_media_type, renderer_context
        return _rendered("yaml" if self.format == "yaml" else "json")


class SchemaView(ApiView):
    """The schema itself: YAML unless JSON is asked for, by the Accept header or by ``?format=json``."""

    renderer_classes = [
        type(f"Once{renderer.__name__}", (_Once, renderer), {"format": renderer.format})
        for renderer in (OpenApiYamlRenderer, OpenApiYamlRenderer2, OpenApiJsonRenderer, OpenApiJsonRenderer2)
    ]

    @extend_schema(exclude=True)
    def get(self, request: Request) -> Response:
        """The OpenAPI schema."""
        form = "yaml" if request.accepted_renderer.format == "yaml" else "json"
        return Response({}, headers={"Content-Disposition": f'inline; filename="manyhop-api.{form}"'})
