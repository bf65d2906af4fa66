"""The schema, and the documentation made of it or beside it: whole, valid, with examples that are true."""

import re
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import URLPattern

from humaneval.api.urls import urlpatterns as studies
from leaderboard.api import schema as described
from leaderboard.api.docs import groups
from leaderboard.api.schema import operations_of, schema
from leaderboard.api.urls import urlpatterns
from scoring.models import Benchmark
from tests.paths import ROOT

WITHOUT_OPERATION = {"api-benchmark-schema", "api-docs", "api-schema"}
OPERATIONS = [(path, method, operation) for path, method, operation in operations_of(schema())]
NAMES = [f"{method} {path}" for path, method, _ in OPERATIONS]


def address(pattern: URLPattern) -> str:
    """An address as the schema writes it."""
    route = re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", str(pattern.pattern))
    return f"/api/v1/{route}".replace("{pk}", "{id}")


def test_it_is_valid_and_made_without_a_warning(tmp_path: Path) -> None:
    call_command("spectacular", "--validate", "--fail-on-warn", "--file", str(tmp_path / "schema.yaml"))
    assert "openapi: 3." in (tmp_path / "schema.yaml").read_text()


def test_it_describes_every_address_and_nothing_else() -> None:
    ours = {address(pattern) for pattern in urlpatterns if pattern.name not in WITHOUT_OPERATION}
    ours |= {address(pattern).replace("/v1/", "/v1/studies/") for pattern in studies}
    assert set(schema()["paths"]) == ours


def test_it_is_served_in_both_kinds(client: Client, db: None) -> None:
    as_json = client.get("/api/v1/schema/?format=json")
    assert as_json.json() == schema()
    as_yaml = client.get("/api/v1/schema/")
    assert as_yaml["Content-Type"].startswith("application/vnd.oai.openapi")
    assert "manyhop-api.yaml" in as_yaml["Content-Disposition"]
    accepted = client.get("/api/v1/schema/", headers={"Accept": "application/vnd.oai.openapi+json"})
    assert accepted.json() == schema()


@pytest.mark.parametrize(("path", "method", "operation"), OPERATIONS, ids=NAMES)
class TestEveryOperation:
    def test_says_what_it_does_and_what_may_go_wrong(self, path: str, method: str, operation: dict[str, Any]) -> None:
        assert operation["description"]
        assert operation["tags"][0] in {name for name, _ in described.TAGS}
        assert {"400", "401", "406", "429"} <= set(operation["responses"])
        assert all(parameter["description"] for parameter in operation.get("parameters", ()))
        if method == "post":
            assert {"403", "404", "415"} <= set(operation["responses"])

    def test_has_examples_that_fit_its_schema(self, path: str, method: str, operation: dict[str, Any]) -> None:
        bodies = [
            *(operation["responses"][status].get("content", {}) for status in operation["responses"]),
            operation.get("requestBody", {}).get("content", {}),
        ]
        examples = [(one, name) for body in bodies for name, one in body.items() if "examples" in one]
        for content, media_type in examples:
            for example in content["examples"].values():
                if media_type == "multipart/form-data":
                    assert set(example["value"]) <= set(resolved(content["schema"])["properties"])
                else:
                    check(example["value"], content["schema"])

    def test_is_on_the_page_and_in_the_document(self, path: str, method: str, operation: dict[str, Any]) -> None:
        operations = [known for group in groups("https://x.example") for known in group["operations"]]
        shown = next(known for known in operations if known["id"] == operation["operationId"])
        assert shown["curl"].startswith("curl https://x.example/api/v1/")
        assert "{" not in shown["curl"].split(" \\")[0]
        assert ("$MANYHOP_TOKEN" in shown["curl"]) == shown["needs_token"]
        assert shown["problems"]
        rows = re.findall(r"^\| (\w+) \| `([^`]+)` \|", (ROOT / "docs" / "api.md").read_text(), re.MULTILINE)
        assert (method.upper(), path) in rows


def resolved(spec: dict[str, Any]) -> dict[str, Any]:
    return schema()["components"]["schemas"][spec["$ref"].rsplit("/", 1)[1]] if "$ref" in spec else spec


def nullable(spec: Any) -> Any:
    """A schema of OpenAPI 3.0 as one of JSON Schema: ``nullable`` becomes a type."""
    if isinstance(spec, list):
        return [nullable(one) for one in spec]
    if not isinstance(spec, dict):
        return spec
    plain = {name: nullable(value) for name, value in spec.items() if name not in ("nullable", "example")}
    return {"anyOf": [plain, {"type": "null"}]} if spec.get("nullable") is True else plain


def check(value: Any, spec: dict[str, Any]) -> None:
    jsonschema_rs.validate(nullable(spec | {"components": schema()["components"]}), value)


def test_the_problems_own_examples_fit_their_schema() -> None:
    for response in schema()["components"]["responses"].values():
        for content in response.get("content", {}).values():
            for example in content["examples"].values():
                check(example["value"], content["schema"])


def test_the_document_names_no_address_that_there_is_not() -> None:
    rows = re.findall(r"^\| (\w+) \| `([^`]+)` \|", (ROOT / "docs" / "api.md").read_text(), re.MULTILINE)
    assert set(rows) == {(method.upper(), path) for path, method, _ in OPERATIONS}


def test_every_header_and_status_is_described() -> None:
    headers = schema()["components"]["headers"]
    assert {"ETag", "Link", "Location", "Idempotency-Replayed", "Retry-After"} <= set(headers)


@pytest.mark.django_db
def test_the_page_names_every_operation_and_field_of_the_schema(client: Client, made: Benchmark) -> None:
    response = client.get("/api/v1/docs/")
    page = response.content.decode().replace("<wbr>", "")
    for path, _, operation in OPERATIONS:
        assert path in page
        assert f'id="{operation["operationId"]}"' in page
    for body in ("SubmissionRequest", "ValidationRequest", "BoardRow", "Cell", "Run", "SystemScore", "Question"):
        for name in schema()["components"]["schemas"][body]["properties"]:
            assert name in page
    for text in ("Bearer $MANYHOP_TOKEN", "import requests", "runs-on", "600 per minute", "sha256sum &lt; generations"):
        assert text in page, text
    assert "${{ secrets.MANYHOP_TOKEN }}" in page
    assert re.findall(r"<script(?![^>]* src=)|\sstyle=|\son\w+=", page) == []
