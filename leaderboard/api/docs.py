"""The API's documentation as a page of the site, generated from its schema, without scripts or external resources."""

import json
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Final

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string

from leaderboard.api import examples
from leaderboard.api.schema import needs_token, operations_of, schema
from leaderboard.web.problem_details import problem_response

MAX_DEPTH: Final = 4
SCRIPTS: Final = {"shell": "submit.sh.txt", "python": "submit.py.txt", "read": "read.py.txt", "job": "job.yml.txt"}
RATES: Final = {
    "anonymous": "All requests without a token, per IP address",
    "account": "All requests with a token, per account",
    "submit": "Creating submissions, per account",
    "validate": "Validating files, per account or IP address",
}


@dataclass(frozen=True)
class Field:
    """A parameter or a field of a body; a nested field has a dotted name."""

    name: str
    type: str
    required: bool
    description: str


@dataclass(frozen=True)
class Problem:
    """A way in which an operation can fail."""

    status: str
    description: str


@dataclass(frozen=True)
class Operation:
    """An operation of the API."""

    id: str
    tag: str
    method: str
    path: str
    summary: str
    needs_token: bool
    parameters: list[Field]
    request_type: str
    request_fields: list[Field]
    status: str
    response_fields: list[Field]
    same_as: str
    """The preceding operation whose response has the same fields, if there is one; they are then not repeated."""
    problems: list[Problem]
    curl: str
    """An example of the request."""
    answer: str
    """An example of the response."""


@dataclass(frozen=True)
class Group:
    """Operations on one subject."""

    name: str
    description: str
    operations: list[Operation]


@lru_cache(maxsize=8)
def groups(base: str) -> list[Group]:
    """Every operation of the schema, grouped by subject, for a site at the address *base*."""
    described = schema()
    found: list[Operation] = []
    first: dict[str, str] = {}
    for path, method, spec in operations_of(described):
        operation = _operation(described, base, path, method, spec)
        answer = repr(operation.response_fields)
        if answer in first:
            operation = replace(operation, response_fields=[], same_as=first[answer])
        elif operation.response_fields:
            first[answer] = operation.id
        found.append(operation)
    return [
        Group(tag["name"], tag["description"], [one for one in found if one.tag == tag["name"]])
        for tag in described["tags"]
    ]


def _operation(described: Mapping[str, Any], base: str, path: str, method: str, spec: Mapping[str, Any]) -> Operation:
    status = next(code for code in spec["responses"] if code.startswith("2"))
    if "201" in spec["responses"]:
        status = "201"
    response = spec["responses"][status]
    nothing: Mapping[str, Any] = {}
    request_type, body = next(iter(spec.get("requestBody", {}).get("content", {}).items()), ("", nothing))
    if "application/json" in spec.get("requestBody", {}).get("content", {}):
        request_type = "application/json"
        body = spec["requestBody"]["content"][request_type]
    answer = next(iter(response.get("content", {}).values()), nothing)
    problems = {
        code: _resolved_response(described, found)["description"]
        for code, found in spec["responses"].items()
        if code.startswith("4")
    }
    example = _example(answer)
    return Operation(
        id=spec["operationId"],
        tag=spec["tags"][0],
        method=method.upper(),
        path=path,
        summary=spec.get("description", ""),
        needs_token=needs_token(spec),
        parameters=[
            Field(
                parameter["name"],
                _type(described, parameter["schema"]),
                parameter.get("required", False),
                parameter.get("description", ""),
            )
            for parameter in spec.get("parameters", [])
        ],
        request_type=request_type,
        request_fields=list(_fields(described, body.get("schema", {}))),
        status=status,
        response_fields=list(_fields(described, answer.get("schema", {}))),
        same_as="",
        problems=[Problem(code, text) for code, text in problems.items()],
        curl=_curl(f"{base}{path}", method, needs_token(spec), request_type, _example(body)),
        answer=json.dumps(example, indent=2, ensure_ascii=False) if example is not None else "",
    )


def _example(content: Mapping[str, Any]) -> Any:
    return next((one["value"] for one in content.get("examples", {}).values()), None)


def _curl(address: str, method: str, token: bool, request_type: str, sent: Any) -> str:
    """The curl command for an operation, with one argument per line."""
    known = {
        "{benchmark}": examples.FIRST.slug,
        "{study}": "open-book-2027",
        "{split}": examples.FIRST.default_split,
        "{slug}": "example-13b",
        "{id}": examples.ID,
    }
    for placeholder, value in known.items():
        address = address.replace(placeholder, value)
    lines = [f"curl {address}"]
    if token:
        lines.append('--header "Authorization: Bearer $MANYHOP_TOKEN"')
    if request_type == "multipart/form-data" and sent:
        files = {setting.slug for setting in examples.FIRST.settings_for_submissions}
        for name, value in sent.items():
            content = "@generations.jsonl" if name in files else str(value)
            lines.append(f"--form {name}={shlex.quote(content) if content[0] != '@' else content}")
    elif sent is not None:
        lines += ['--header "Content-Type: application/json"', f"--data {shlex.quote(json.dumps(sent))}"]
    elif method == "post":
        lines.append("--request POST")
    return " \\\n  ".join(lines)


def _resolved_response(described: Mapping[str, Any], response: Mapping[str, Any]) -> Mapping[str, Any]:
    if "$ref" not in response:
        return response
    found: Mapping[str, Any] = described["components"]["responses"][response["$ref"].rsplit("/", 1)[1]]
    return found


def _resolved(described: Mapping[str, Any], spec: Mapping[str, Any]) -> Mapping[str, Any]:
    for wrapper in ("allOf", "oneOf", "anyOf"):
        if spec.get(wrapper):
            return {**_resolved(described, spec[wrapper][0]), **{k: v for k, v in spec.items() if k != wrapper}}
    if "$ref" not in spec:
        return spec
    found: Mapping[str, Any] = described["components"]["schemas"][spec["$ref"].rsplit("/", 1)[1]]
    return found


def _fields(described: Mapping[str, Any], spec: Mapping[str, Any], prefix: str = "", depth: int = 0) -> Iterator[Field]:
    spec = _resolved(described, spec)
    if spec.get("type") == "array":
        yield from _fields(described, spec["items"], f"{prefix.removesuffix('.')}[].", depth)
        return
    required = set(spec.get("required", ()))
    for name, inner in spec.get("properties", {}).items():
        resolved = _resolved(described, inner)
        description = inner.get("description", "")
        yield Field(f"{prefix}{name}", _type(described, inner), name in required, description)
        if depth < MAX_DEPTH:
            target = resolved.get("items", {}) if resolved.get("type") == "array" else resolved
            if _resolved(described, target).get("properties"):
                dots = "[]." if resolved.get("type") == "array" else "."
                yield from _fields(described, target, f"{prefix}{name}{dots}", depth + 1)


def _type(described: Mapping[str, Any], spec: Mapping[str, Any]) -> str:
    spec = _resolved(described, spec)
    if spec.get("enum"):
        return " or ".join(str(value) for value in spec["enum"] if value not in (None, ""))
    kind = spec.get("type", "any value")
    if isinstance(kind, list):
        return " or ".join("nothing" if one == "null" else one for one in kind)
    if kind == "array":
        return f"list of {_type(described, spec.get('items', {}))}"
    text = {"binary": "file", "uri": "address", "date-time": "time", "uuid": "UUID"}.get(spec.get("format", ""), kind)
    return f"{text} or null" if spec.get("nullable") else text


def page(request: HttpRequest) -> HttpResponse:
    """The page that explains the API and lists every operation with its parameters, bodies, problems and an example."""
    if request.method not in ("GET", "HEAD"):
        response = problem_response(405, f"Method “{request.method}” not allowed.")
        response["Allow"] = "GET, HEAD"
        return response
    base = request.build_absolute_uri("/").rstrip("/")
    first = examples.FIRST
    here = {"base": base, "split": first.splits[0].slug, "setting": first.default_setting}
    context = {
        "base": base,
        "groups": groups(base),
        "rates": [(what, str(settings.API_RATES[scope])) for scope, what in RATES.items()],
        # Plain text, not markup: joining removes the mark that it is safe.
        "scripts": {name: render_to_string(f"leaderboard/api/{file}", here) + "" for name, file in SCRIPTS.items()},
    }
    return render(request, "leaderboard/api/docs.html", context)
