"""Requests made up after the schema, without an account and with one: no server error, and no answer that the schema
does not describe. The seed is fixed, so a failure can be had again."""

from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.db import close_old_connections, transaction
from django.test import override_settings
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis import Case, GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.schemas import APIOperation
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
    unsupported_method,
)

from leaderboard.accounts import tokens
from leaderboard.project.wsgi import application
from leaderboard.web.rate_limits import RateLimit
from tests import factories

pytestmark = [pytest.mark.slow, pytest.mark.django_db]
CHECKS = [
    not_a_server_error,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
    unsupported_method,
]
BOUNDS: dict[str, Any] = {
    "max_examples": 8,
    "derandomize": True,
    "database": None,
    "deadline": None,
    "phases": [Phase.generate],
    "suppress_health_check": list(HealthCheck),
}

with override_settings(ALLOWED_HOSTS=["localhost"]):
    schema = schemathesis.openapi.from_wsgi("/api/v1/schema/?format=json", application)


@pytest.fixture(scope="module")
def site(django_db_setup: None, django_db_blocker: Any) -> Iterator[dict[str, Any]]:
    """A site with something of everything: the values for addresses, and a token."""
    for signal in (request_started, request_finished):  # the tests' one connection outlives each request
        signal.disconnect(close_old_connections)
    unlimited = override_settings(
        API_RATES=dict.fromkeys(["anonymous", "account", "submit", "validate"], RateLimit(0, 1))
    )
    with django_db_blocker.unblock(), transaction.atomic(), unlimited:
        made = factories.benchmark()
        ada = factories.user()
        answers = {"openbook": factories.perfect("test"), "closedbook": factories.perfect("test", right=2)}
        sent = factories.published(ada, factories.split(made, "test"), answers)
        study = factories.study(ada, factories.split(made, "test"))
        _, secret = tokens.create_token(user=ada, name="Schemathesis")
        yield {
            "token": secret,
            "known": {
                "benchmark": made.slug,
                "split": "test",
                "qid": "test-0",
                "slug": "example-system",
                "id": str(sent.pk),
                "study": study.slug,
            },
        }
        transaction.set_rollback(True)
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


def ask(case: Case[Any], site: dict[str, Any], headers: dict[str, str]) -> None:
    """Send a request as it was made up and, where its address has parameters, once more about what is there."""
    case.query.pop("fields", None)  # which leaves fields out that the schema requires
    case.call_and_validate(headers=headers, checks=CHECKS)
    if case.path_parameters:
        for name in case.path_parameters:
            case.path_parameters[name] = site["known"][name]
        case.call_and_validate(headers=headers, checks=CHECKS)


# Schemathesis's own parametrisation gives all tests of a function one id, of which pytest-xdist runs the first alone.
OPERATIONS = [found.ok() for found in schema.get_all_operations()]  # type: ignore[union-attr]  # or fails here
each_operation = pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.label)


def ask_all(operation: APIOperation[Any, Any, Any, Any], site: dict[str, Any], headers: dict[str, str]) -> None:
    """Send valid and invalid requests of an operation."""
    made_up = st.one_of([operation.as_strategy(generation_mode=mode) for mode in GenerationMode])

    @settings(**BOUNDS)
    @given(case=made_up)
    def ask_one(case: Case[Any]) -> None:
        ask(case, site, headers)

    ask_one()


@each_operation
def test_without_an_account_every_operation_answers_as_the_schema_says(
    operation: APIOperation[Any, Any, Any, Any], site: dict[str, Any]
) -> None:
    ask_all(operation, site, {"Accept-Encoding": "identity"})


@each_operation
def test_with_a_token_every_operation_answers_as_the_schema_says(
    operation: APIOperation[Any, Any, Any, Any], site: dict[str, Any]
) -> None:
    ask_all(operation, site, {"Accept-Encoding": "identity", "Authorization": f"Bearer {site['token']}"})
