"""Rows of tables as lines of JSON, as the packed site has them."""

import base64
import datetime
import decimal
import json
import uuid
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from django.db import connection, models

Model = type[models.Model]


def columns_of(model: Model) -> list[models.Field[Any, Any]]:
    """The fields of a table that have a column."""
    return list(model._meta.concrete_fields)


def rows_of(model: Model) -> Iterator[bytes]:
    """The rows of a table as lines of JSON, in the order of their keys."""
    names = [field.attname for field in columns_of(model)]
    for row in model._base_manager.order_by("pk").values_list(*names):
        text = json.dumps(row, default=_plain, ensure_ascii=False, separators=(",", ":"))
        yield text.encode("utf-8", "surrogatepass") + b"\n"


def _plain(value: Any) -> str:
    if isinstance(value, (datetime.datetime, datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, (bytes, memoryview)):
        return base64.b64encode(value).decode()
    if isinstance(value, (uuid.UUID, decimal.Decimal)):
        return str(value)
    raise TypeError(f"A value of type {type(value).__name__} has no JSON.")


def write_rows(model: Model, names: Sequence[str], lines: Iterable[bytes]) -> None:
    """Insert rows as they were stored, including their keys and times. No logic of the models runs."""
    fields = {field.attname: field for field in columns_of(model)}
    ordered = [fields[name] for name in names]
    quote = connection.ops.quote_name
    columns = ", ".join(quote(str(field.column)) for field in ordered)
    marks = ", ".join("%s" for _ in ordered)

    def prepared(field: models.Field[Any, Any], value: Any) -> Any:
        if value is not None and not isinstance(field, models.JSONField):
            value = field.to_python(value)
        return field.get_db_prep_save(value, connection)

    rows = [[prepared(field, value) for field, value in zip(ordered, json.loads(line), strict=True)] for line in lines]
    with connection.cursor() as cursor:
        cursor.executemany(f"INSERT INTO {quote(model._meta.db_table)} ({columns}) VALUES ({marks})", rows)
