"""Queries of the requests that are made most. To compose the SQL takes Django several times as long as to run it, so it
is composed once for each database, and only the values in it differ.
"""

from collections.abc import Callable
from copy import copy
from typing import Any, Generic, TypeVar

from django.db import connections
from django.db.models import Expression, Field, QuerySet
from django.db.models.sql.compiler import SQLCompiler

Row = TypeVar("Row")


class Parameter(Expression):
    """Stands in a condition for a value that is given whenever the query is run."""

    def __init__(self, name: str, output_field: "Field[Any, Any]") -> None:
        super().__init__(output_field=output_field)
        self.name = name

    def as_sql(self, compiler: SQLCompiler, connection: Any) -> tuple[str, tuple[Any, ...]]:
        """A placeholder, with this object in place of its value."""
        del compiler, connection
        return "%s", (self,)


class PreparedQuery(Generic[Row]):
    """A query with parameters.

    Args:
        make: returns the query, whose conditions have a `Parameter` where a value is given each time.
    """

    def __init__(self, make: Callable[[], QuerySet[Any, Row]]) -> None:
        self._make = make
        self._queryset: QuerySet[Any, Row] | None = None
        self._composed: dict[str, tuple[SQLCompiler, str, tuple[Any, ...], dict[int, Any]]] = {}
        """By the database's alias."""

    def rows(self, **values: Any) -> list[Row]:
        """The rows for these values of the parameters. One query."""
        if self._queryset is None:
            self._queryset = self._make()
        alias = self._queryset.db
        if alias not in self._composed:
            composer = self._queryset.query.get_compiler(alias)
            sql, params = composer.as_sql()
            converters = composer.get_converters([column for column, *_ in composer.select])
            self._composed[alias] = composer, sql, params, converters
        composer, sql, params, converters = self._composed[alias]
        compiler = copy(composer)
        compiler.connection = connections[alias]  # of this thread
        given = tuple(
            param.output_field.get_db_prep_value(values[param.name], compiler.connection)
            if isinstance(param, Parameter)
            else param
            for param in params
        )
        compiler.as_sql = lambda *_, **__: (sql, given)  # type: ignore[method-assign]
        compiler.get_converters = lambda _: converters  # type: ignore[method-assign, assignment]
        # Shallow copies of the queryset and its query: Django's own take as long as reading the rows.
        query = copy(self._queryset.query)
        query.get_compiler = lambda *_, **__: compiler  # type: ignore[method-assign]
        queryset = object.__new__(type(self._queryset))
        queryset.__dict__ = {**self._queryset.__dict__, "_query": query}
        return list(queryset)
