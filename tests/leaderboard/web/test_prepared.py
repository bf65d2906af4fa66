"""Queries whose SQL is composed once."""

from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db.models import CharField, UUIDField
from django.db.models.sql import Query
from django.db.models.sql.compiler import SQLCompiler

from leaderboard.models import User
from leaderboard.web.prepared import Parameter, PreparedQuery
from scoring.models import AnswerSet
from tests import factories

pytestmark = pytest.mark.django_db


def test_each_run_has_its_own_values() -> None:
    ada, grace = factories.user("ada"), factories.user("grace")
    named = PreparedQuery[User](lambda: User.objects.filter(username=Parameter("name", CharField())))
    assert [named.rows(name=name) for name in ("ada", "grace", "nobody")] == [[ada], [grace], []]
    ada.delete()
    assert named.rows(name="ada") == []


def test_values_are_converted_and_related_rows_read() -> None:
    split = factories.split(factories.benchmark(), "dev")
    made = AnswerSet.objects.create(split=split, setting=split.benchmark.settings.get(slug="openbook"))
    by_key = PreparedQuery[AnswerSet](
        lambda: AnswerSet.objects.select_related("split").filter(pk=Parameter("pk", UUIDField()))
    )
    (row,) = by_key.rows(pk=UUID(str(made.pk)))
    assert (row.pk, row.created_at, row.split.name) == (made.pk, made.created_at, split.name)
    assert by_key.rows(pk=uuid4()) == []


def test_the_sql_is_composed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    composed = []
    compose = SQLCompiler.as_sql

    def counted(self: SQLCompiler, *args: Any, **kwargs: Any) -> Any:
        composed.append(1)
        return compose(self, *args, **kwargs)

    monkeypatch.setattr(SQLCompiler, "as_sql", counted)
    named = PreparedQuery[User](lambda: User.objects.filter(username=Parameter("name", CharField())))
    named.rows(name="ada")
    monkeypatch.setattr(Query, "clone", None)  # Django's copy of a query takes as long as reading a row
    for name in ("grace", "mary"):
        named.rows(name=name)
    assert composed == [1]


def test_a_missing_value_is_an_error() -> None:
    named = PreparedQuery[User](lambda: User.objects.filter(username=Parameter("name", CharField())))
    with pytest.raises(KeyError, match="name"):
        named.rows()
