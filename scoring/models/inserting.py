"""Inserting many rows at once."""

from collections.abc import Iterable, Sequence
from typing import Any

from django.db import connection
from django.db.models import Model

from scoring.benchmarks.base import canonical_json


def insert_rows(model: type[Model], fields: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Insert rows without making models of them, on PostgreSQL by ``COPY``: a fifth of the time of ``bulk_create``.

    Args:
        fields: their names, in the order of the values; the other ones are null, or have a default in the database.
        rows: texts, numbers, None, and lists, which are stored as JSON; so no value is converted by its field.
    """
    table, columns = model._meta.db_table, {field.name: field.column for field in model._meta.concrete_fields}
    names = ", ".join(f'"{columns[name]}"' for name in fields)
    values = ([canonical_json(value) if isinstance(value, list) else value for value in row] for row in rows)
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            with cursor.copy(f'COPY "{table}" ({names}) FROM STDIN') as copy:
                for row in values:
                    copy.write_row(row)
        else:
            # Names of tables and columns cannot be parameters; these come from the model, never from a request.
            marks = ", ".join(["%s"] * len(fields))
            cursor.executemany(f'INSERT INTO "{table}" ({names}) VALUES ({marks})', list(values))  # noqa: S608
