"""The API's documentation as a page of the site, generated from its schema, without scripts or external resources."""

import json
import shlex
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, Final

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import reverse

from leaderboard.api.schema import EXAMPLES, needs_token, operations_of, schema
from leaderboard.web.problem_details import problem_response
from scoring.benchmarks.declared.template import documented_definitions

FIRST: Final = documented_definitions()[0]
MAX_DEPTH: Final = 4
SCRIPTS: Final = {"shell": "submit.sh.txt", "python": "submit.py.txt", "read": "read.py.txt", "job": "job.yml.txt"}
USED: Final = ("validate", "submissions", "board", "systems")
"""The parts of the API that the scripts use."""
RATES: Final = {
    "anonymous": "All requests without a token, per IP address",
    "account": "All requests with a token, per account",
    "submit": "Creating submissions, per account",
    "validate": "Validating files, per account or IP address",
}


@lru_cache(maxsize=8)
def groups(base: str) -> list[dict[str, Any]]:
    """Every operation of the schema, grouped by subject, for a site at the address *base*."""
    described = schema()
    operations: list[dict[str, Any]] = []
    first: dict[str, str] = {}
    for path, method, spec in operations_of(described):
        operation = _operation(described, base, path, method, spec)
        answer = repr(operation["response_fields"])
        if answer in first:  # fields of a preceding operation's response are not repeated
            operation |= {"response_fields": [], "same_as": first[answer]}
        elif operation["response_fields"]:
            first[answer] = operation["id"]
        operations.append(operation)
    return [
        {**tag, "operations": [operation for operation in operations if operation["tag"] == tag["name"]]}
        for tag in described["tags"]
    ]


def _operation(
    described: Mapping[str, Any], base: str, path: str, method: str, spec: Mapping[str, Any]
) -> dict[str, Any]:
    """An operation with its fields, problems, and an example of the request (``curl``) and of the response."""
    codes = spec["responses"]
    status = "201" if "201" in codes else next(code for code in codes if code.startswith("2"))
    contents = spec.get("requestBody", {}).get("content", {})
    request_type = "application/json" if "application/json" in contents else next(iter(contents), "")
    body: Mapping[str, Any] = contents.get(request_type, {})
    answer: Mapping[str, Any] = next(iter(codes[status].get("content", {}).values()), {})
    problems = {}
    for code, response in codes.items():
        if code.startswith("4"):
            name = response.get("$ref", "").rsplit("/", 1)[-1]
            problems[code] = (described["components"]["responses"][name] if name else response)["description"]
    example = _example(answer)
    return {
        "id": spec["operationId"],
        "tag": spec["tags"][0],
        "method": method.upper(),
        "path": path,
        "summary": spec.get("description", ""),
        "needs_token": needs_token(spec),
        "parameters": [
            {
                "name": parameter["name"],
                "type": _type(described, parameter["schema"]),
                "required": parameter.get("required", False),
                "description": parameter.get("description", ""),
            }
            for parameter in spec.get("parameters", [])
        ],
        "request_type": request_type,
        "request_fields": list(_fields(described, body.get("schema", {}))),
        "status": status,
        "response_fields": list(_fields(described, answer.get("schema", {}))),
        "problems": problems,
        "curl": _curl(f"{base}{path}", method, needs_token(spec), request_type, _example(body)),
        "answer": json.dumps(example, indent=2, ensure_ascii=False) if example is not None else "",
    }


def _example(content: Mapping[str, Any]) -> Any:
    return next((example["value"] for example in content.get("examples", {}).values()), None)


def _curl(address: str, method: str, token: bool, request_type: str, sent: Any) -> str:
    """The curl command for an operation, with one argument per line."""
    splits = FIRST.splits
    public = next((split.slug for split in splits if not split.hidden), FIRST.default_split)
    known = {
        "{split}/questions/{qid}": f"{public}/questions/{{qid}}",  # other splits have no such page
        "{split}/question-statistics": f"{public}/question-statistics",
        "{benchmark}": FIRST.slug,
        "{study}": EXAMPLES["studies_retrieve"]["answer"]["slug"],
        "{split}": FIRST.default_split,
        "{slug}": EXAMPLES["systems_retrieve"]["answer"]["slug"],
        "{qid}": EXAMPLES["benchmarks_splits_questions_retrieve"]["answer"]["id"],
        "{id}": EXAMPLES["submissions_retrieve"]["answer"]["id"],
    }
    for placeholder, value in known.items():
        address = address.replace(placeholder, value)
    lines = [f"curl {address}"]
    if token:
        lines.append('--header "Authorization: Bearer $MANYHOP_TOKEN"')
    if request_type == "multipart/form-data" and sent:
        files = {setting.slug for setting in FIRST.settings_for_submissions}
        for name, value in sent.items():
            content = "@generations.jsonl" if name in files else str(value)
            lines.append(f"--form {name}={shlex.quote(content) if content[0] != '@' else content}")
    elif sent is not None:
        lines += ['--header "Content-Type: application/json"', f"--data {shlex.quote(json.dumps(sent))}"]
    elif method == "post":
        lines.append("--request POST")
    return " \\\n  ".join(lines)


def _resolved(described: Mapping[str, Any], spec: Mapping[str, Any]) -> Mapping[str, Any]:
    for wrapper in ("allOf", "oneOf", "anyOf"):
        if spec.get(wrapper):
            return {**_resolved(described, spec[wrapper][0]), **{k: v for k, v in spec.items() if k != wrapper}}
    if "$ref" not in spec:
        return spec
    target: Mapping[str, Any] = described["components"]["schemas"][spec["$ref"].rsplit("/", 1)[1]]
    return target


def _fields(
    described: Mapping[str, Any], spec: Mapping[str, Any], prefix: str = "", depth: int = 0
) -> Iterator[dict[str, Any]]:
    """The fields of a body; a nested field has a dotted name."""
    spec = _resolved(described, spec)
    if spec.get("type") == "array":
        yield from _fields(described, spec["items"], f"{prefix.removesuffix('.')}[].", depth)
        return
    required = set(spec.get("required", ()))
    for name, inner in spec.get("properties", {}).items():
        resolved = _resolved(described, inner)
        yield {
            "name": f"{prefix}{name}",
            "type": _type(described, inner),
            "required": name in required,
            "description": inner.get("description", ""),
        }
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
        return " or ".join("nothing" if name == "null" else name for name in kind)
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
    here = {"split": FIRST.splits[0].slug, "setting": FIRST.default_setting} | {
        f"{name}_url": request.build_absolute_uri(reverse(f"api-{name}")) for name in USED
    }
    context = {
        "groups": groups(request.build_absolute_uri(reverse("home")).rstrip("/")),
        "rates": [(what, str(settings.API_RATES[scope])) for scope, what in RATES.items()],
        # Plain text, not markup: joining removes the mark that it is safe.
        "scripts": {name: render_to_string(f"leaderboard/api/{file}", here) + "" for name, file in SCRIPTS.items()},
    }
    return render(request, "leaderboard/api/docs.html", context)
