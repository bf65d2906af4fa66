"""Lists whose rows carry counts say their order: Django drops a model's own order from a query that groups."""

from collections.abc import Callable

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from humaneval.grading import queries as rounds
from humaneval.studies import queries as studies
from leaderboard.models import User
from tests import factories

pytestmark = pytest.mark.django_db


def _benchmark(reader: User) -> None:
    assert Client().get("/api/v1/benchmarks/fanoutqa/").status_code == 200


def _studies(reader: User) -> None:
    assert list(studies.study_rows(reader)) == []


def _rounds(reader: User) -> None:
    assert list(rounds.rounds_of(reader, can_maintain=True)) == []


@pytest.mark.parametrize(
    ("look", "table"),
    [
        (_benchmark, "scoring_split"),
        (_studies, "humaneval_study"),
        (_rounds, "humaneval_gradinground"),
    ],
)
def test_what_is_counted_is_in_order(look: Callable[[User], None], table: str) -> None:
    factories.benchmark()
    reader = factories.user("reader")
    with CaptureQueriesContext(connection) as asked:
        look(reader)
    counted = [
        query["sql"]
        for query in asked.captured_queries
        if "GROUP BY" in query["sql"] and f' FROM "{table}"' in query["sql"]
    ]
    assert counted
    assert all("ORDER BY" in sql for sql in counted)
