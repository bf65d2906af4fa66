"""A short text that changes whenever anything does that a board's page shows: what its cache and its ETag stand on.

It is derived from the database each time, in one statement of cheap aggregates: nobody has to remember to tell a cache
anything, and nothing can be shown that is no longer so. What one row cannot hide behind another: times are summed, not
only the latest taken, so that two changes that cross each other both tell.
"""

import hashlib
from functools import cache
from pathlib import Path
from typing import Final

from django.conf import settings
from django.db import connection

from leaderboard.models import BoardState, BoardStatistics, Entry, ReportedValue, System
from scoring.benchmarks import definition_of
from scoring.models import AnswerSet, Benchmark, Ceiling, CurrentSignature, Run, Score, Setting, Split
from scoring.registry import metric_named
from scoring.states import RunState

PARTS_OF_BUILD: Final = (("templates", "*.html"), ("leaderboard", "*.py"), ("scoring/benchmarks", "*"))


def version_of(split: Split, setting: Setting) -> str:
    """The version of one board's page, 32 hexadecimal digits; the same for every order and filter.

    Seen are: every field of the benchmark, its splits and settings; entries and systems by their times of change; runs
    that are not done, by state, times and reasons; scores by the newest; signatures in force; reported values;
    ceilings; statistics; dated states; what metrics lack on this machine; and the site's own code. One query.

    Args:
        split: with its benchmark and current revision as they are now.
        setting: as it is now.
    """
    sql, n_each = _statement(connection.vendor)
    places = {"benchmark": split.benchmark_id, "split": split.pk, "setting": setting.pk}
    with connection.cursor() as cursor:
        cursor.execute(sql, [places[name] for name in n_each])
        rows = sorted(map(str, cursor.fetchall()))
    revision = split.current_revision
    definition = definition_of(split.benchmark.slug)
    known = [
        _build(),
        split.pk,
        setting.pk,
        (revision.content_hash, revision.date, revision.note, revision.has_references) if revision else "",
        [metric_named(name).unavailable() for name in definition.metrics],
        rows,
    ]
    return hashlib.sha256(repr(known).encode()).hexdigest()[:32]


@cache
def _build() -> str:
    """What this process would show of the same data: a digest of the code and templates, and of the site's settings."""
    digest = hashlib.sha256(f"{settings.MANYHOP_VERSION} {settings.SITE_NAME} {settings.STATIC_URL}".encode())
    digest.update(f"{settings.TIME_ZONE} {settings.JUDGE_MODEL} {settings.LEMMATISER}".encode())
    for folder, pattern in PARTS_OF_BUILD:
        for path in sorted(Path(settings.BASE_DIR, folder).rglob(pattern)):
            if path.is_file() and path.suffix != ".pyc":
                digest.update(path.read_bytes())
    manifest = Path(settings.STATIC_ROOT, "staticfiles.json")
    digest.update(manifest.read_bytes() if manifest.is_file() else b"")
    return digest.hexdigest()


@cache
def _statement(vendor: str) -> tuple[str, tuple[str, ...]]:
    """The statement for a kind of database, and which place each of its parameters is."""

    def when(column: str) -> str:
        # From a day nearby, or the sum of many would lose the digits that tell.
        near = f"(julianday({column}) - 2460000) * 86400"
        seconds = f"EXTRACT(EPOCH FROM {column})" if vendor == "postgresql" else near
        return f"COALESCE(SUM({seconds}), 0)"

    def listed(expression: str, order: str) -> str:
        if vendor == "postgresql":
            return f"MD5(STRING_AGG({expression}, ',' ORDER BY {order}))"
        return f"GROUP_CONCAT({expression}, ',')"

    entry, system = Entry._meta.db_table, System._meta.db_table
    answer_set, run = AnswerSet._meta.db_table, Run._meta.db_table
    unfinished = ", ".join(f"'{state.value}'" for state in RunState if state != RunState.DONE)
    board = "split_id = {split} AND setting_id = {setting}"
    selects = [
        *(
            _row(table, "t.id", *(f"t.{column}" for column in columns), where=where)
            for table, columns, where in (
                (Benchmark._meta.db_table, _columns(Benchmark), ""),
                (Split._meta.db_table, _columns(Split), "t.benchmark_id = {benchmark}"),
                (Setting._meta.db_table, _columns(Setting), "t.benchmark_id = {benchmark}"),
                (CurrentSignature._meta.db_table, ("metric", "signature"), "t.split_id = {split}"),
                (BoardStatistics._meta.db_table, ("basis", "computed_at"), f"t.{board}".replace("AND ", "AND t.")),
            )
        ),
        _row(  # for the tabs
            entry,
            *("t.split_id", "t.setting_id", "COUNT(*)", "COUNT(t.replaced_at)"),
            join=f"JOIN {Split._meta.db_table} s ON s.id = t.split_id",
            where="s.benchmark_id = {benchmark}",
            group="t.split_id, t.setting_id",
        ),
        _row(
            entry,
            *("COUNT(*)", "SUM(CASE WHEN t.replaced_at IS NULL THEN t.id ELSE 0 END)", when("t.updated_at")),
            *("MAX(t.published_at)", "MAX(t.replaced_at)"),
            where="t.split_id = {split} AND t.setting_id = {setting}",
        ),
        _row(system, "COUNT(*)", "COALESCE(SUM(t.id), 0)", when("t.updated_at")),
        _row(  # those that are done tell by their scores
            run,
            *("t.state", "COUNT(*)", "MIN(t.reason)", "MAX(t.reason)", "SUM(LENGTH(t.reason))"),
            *(when(f"t.{column}") for column in ("started_at", "finished_at")),
            join=f"JOIN {answer_set} a ON a.id = t.answer_set_id",
            where=f"t.state IN ({unfinished}) AND a.split_id = {{split}} AND a.setting_id = {{setting}}",
            group="t.state",
        ),
        _row(Score._meta.db_table, "MAX(t.id)"),
        _row(
            ReportedValue._meta.db_table,
            *("COUNT(*)", listed("t.name || '=' || CAST(t.value AS TEXT)", "t.id")),
            join=f"JOIN {entry} e ON e.id = t.entry_id",
            where="e.split_id = {split} AND e.setting_id = {setting}",
        ),
        _row(Ceiling._meta.db_table, "COUNT(*)", "MAX(t.id)", "SUM(t.value)"),
        _row(BoardState._meta.db_table, "MAX(t.id)", where=f"t.{board}".replace("AND ", "AND t.")),
    ]
    text = " UNION ALL ".join(selects)
    names = tuple(piece.split("}")[0] for piece in text.split("{")[1:])
    for name in ("benchmark", "split", "setting"):
        text = text.replace("{" + name + "}", "%s")
    return text, names


def _columns(model: type[Benchmark | Split | Setting]) -> tuple[str, ...]:
    return tuple(field.column for field in model._meta.concrete_fields if field.column and not field.primary_key)


WIDTH: Final = 12


def _row(table: str, *values: str, join: str = "", where: str = "", group: str = "") -> str:
    """One SELECT whose columns are texts, as many as in every other."""
    texts = [f"CAST({value} AS TEXT)" for value in values]
    texts += ["''"] * (WIDTH - len(texts))
    clauses = [f"SELECT '{table}', {', '.join(texts)} FROM {table} t {join}"]  # noqa: S608 - names of tables and columns alone
    clauses += [f"WHERE {where}"] if where else []
    clauses += [f"GROUP BY {group}"] if group else []
    return " ".join(clauses)
