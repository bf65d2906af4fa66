"""Tables as rows of JSON and back, using the models' fields; the same on every database."""

from __future__ import annotations

import base64
import contextlib
import datetime
import decimal
import json
import uuid
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Final

from django.apps import apps
from django.core.management.color import no_style
from django.db import connection, models, transaction
from django.db.migrations.loader import MigrationLoader

Model = type[models.Model]

AXES: Final = frozenset(
    {"axes.accessattempt", "axes.accessattemptexpiration", "axes.accessfailurelog", "axes.accesslog"}
)
"""Tables of django-axes that stay empty: the site counts sign-in attempts itself."""
DRAFTS: Final = frozenset(
    {"leaderboard.draftfile", "leaderboard.uploaddraft", "scoring.folderdraft", "scoring.importdraft"}
)
LEFT_OUT: Final = AXES | DRAFTS | {"leaderboard.ratecount", "sessions.session"}
"""Anybody with the key of a session is signed in, and after a restore everybody can sign in again. Drafts are not
active, and are entered again within a day or not at all. Counts of rate limits are of the last day."""
MADE_BY_MIGRATE: Final = frozenset({"contenttypes.contenttype", "auth.permission"})
"""The tables in which an empty site has rows."""
CHUNK_ROWS: Final = 500


def tables() -> list[Model]:
    """The models of all tables in a backup, including many-to-many tables, ordered by name."""
    models = [
        model
        for model in apps.get_models(include_auto_created=True)
        if model._meta.managed and not model._meta.proxy and label_of(model) not in LEFT_OUT
    ]
    return sorted(models, key=label_of)


def label_of(model: Model) -> str:
    """``leaderboard.submission``: a table's name in a backup."""
    return model._meta.label_lower


def columns_of(model: Model) -> list[models.Field[Any, Any]]:
    """The fields of a table that have a column."""
    return list(model._meta.concrete_fields)


def file_columns() -> Iterator[tuple[Model, models.FileField]]:
    """Every column that names an uploaded file."""
    for model in tables():
        for field in columns_of(model):
            if isinstance(field, models.FileField):
                yield model, field


def uploaded_files() -> dict[str, str]:
    """The uploaded files that the database refers to, by name, with its SHA-256 of each, or an empty text."""
    named: dict[str, str] = {}
    for model, column in file_columns():
        has_hash = any(known.attname == "sha256" for known in columns_of(model))
        names = (column.attname, *(["sha256"] if has_hash else []))
        for name, *sha256 in model._base_manager.order_by("pk").values_list(*names):
            if name:
                named[name] = sha256[0] if has_hash else ""
    return named


def migrations() -> list[str]:
    """The migrations that produced the current tables, as ``app.name``.

    An old database also has the names of those that a squashed one replaced. Their files are gone, and a new database
    with the same tables does not have them.
    """
    loader = MigrationLoader(connection)
    return sorted(f"{app}.{name}" for app, name in loader.applied_migrations if (app, name) in loader.disk_migrations)


# --- Reading -------------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def snapshot() -> Iterator[None]:
    """Everything read inside is from one point in time; writers do not have to wait."""
    if connection.vendor == "postgresql":
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            yield
        return
    connection.ensure_connection()
    mode = getattr(connection, "transaction_mode", None)
    # The site's transactions on SQLite take their turn as writers; this one only reads.
    connection.transaction_mode = "DEFERRED"  # type: ignore[attr-defined]
    try:
        with transaction.atomic():
            yield
    finally:
        connection.transaction_mode = mode  # type: ignore[attr-defined]


def rows_of(model: Model) -> Iterator[bytes]:
    """The rows of a table as lines of JSON, in the order of their keys; a few hundred are in memory at a time."""
    names = [field.attname for field in columns_of(model)]
    rows = model._base_manager.order_by("pk").values_list(*names)
    for row in rows.iterator(chunk_size=CHUNK_ROWS):
        text = json.dumps(row, default=_plain, ensure_ascii=False, separators=(",", ":"))
        yield text.encode("utf-8", "surrogatepass") + b"\n"


def _plain(value: Any) -> str:
    if isinstance(value, (datetime.datetime, datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, (bytes, memoryview)):
        return base64.b64encode(value).decode()
    if isinstance(value, (uuid.UUID, decimal.Decimal)):
        return str(value)
    raise TypeError(f"A value of type {type(value).__name__} cannot be stored in a backup.")


# --- Writing -------------------------------------------------------------------------------------------------------


def rows_by_table() -> dict[str, int]:
    """The number of rows of each table that has any rows other than those that migrations created."""
    counts = {label_of(model): model._base_manager.count() for model in tables()}
    return {label: count for label, count in counts.items() if count and label not in MADE_BY_MIGRATE}


def clear_made_by_migrate() -> None:
    """Delete the rows that migrations created, since the backup contains its own."""
    for label in sorted(MADE_BY_MIGRATE):  # auth.permission first, which points at the other
        apps.get_model(label)._base_manager.all().delete()


def write_rows(model: Model, names: Sequence[str], lines: Iterable[bytes]) -> int:
    """Insert rows as they were stored, including their keys and times; returns how many.

    No logic of the models runs, and times are not updated: the rows are identical to those in the backup.
    """
    fields = {field.attname: field for field in columns_of(model)}
    ordered = [fields[name] for name in names]
    quote = connection.ops.quote_name
    columns = ", ".join(quote(str(field.column)) for field in ordered)
    marks = ", ".join("%s" for _ in ordered)
    statement = f"INSERT INTO {quote(model._meta.db_table)} ({columns}) VALUES ({marks})"  # noqa: S608 - our own names
    count = 0

    def prepared(field: models.Field[Any, Any], value: Any) -> Any:
        if value is not None and not isinstance(field, models.JSONField):
            value = field.to_python(value)
        return field.get_db_prep_save(value, connection)

    with connection.cursor() as cursor:
        rest = iter(lines)
        while rows := [
            [prepared(field, value) for field, value in zip(ordered, json.loads(line), strict=True)]
            for line in islice(rest, CHUNK_ROWS)
        ]:
            cursor.executemany(statement, rows)
            count += len(rows)
    return count


def reset_sequences() -> None:
    """Set the next key of each table to follow its highest one."""
    statements = connection.ops.sequence_reset_sql(no_style(), tables())
    with connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)
