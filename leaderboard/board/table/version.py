"""A short text that changes whenever anything does that a board's page shows: what its cache and its ETag stand on.

It is derived from the database each time, in one statement of cheap aggregates: nobody has to remember to tell a cache
anything, and nothing can be shown that is no longer so. What one row cannot hide behind another: times are summed, not
only the latest taken, so that two changes that cross each other both tell.
"""

import hashlib
import time
from functools import cache, lru_cache
from pathlib import Path
from typing import Final

from django.conf import settings
from django.db import connection

from leaderboard.models import BoardState, BoardStatistics, CorrectedScore, Entry, ReportedValue, System
from scoring.benchmarks import definition_of
from scoring.models import AnswerSet, Benchmark, Ceiling, CurrentSignature, Revision, Run, Score, Setting, Split
from scoring.models.run_states import RunState
from scoring.registry import metric_named

LACKING_SECONDS: Final = 5
PARTS_OF_BUILD: Final = (("templates", "*.html"), ("leaderboard", "*.py"), ("scoring/benchmarks", "*"))


def version_of(split: Split, setting: Setting) -> str:
    """The version of one board's page, 32 hexadecimal digits; see `version_at`.

    Raises:
        ValueError: the split and the setting are not of one benchmark.
    """
    version = version_at(split.benchmark.slug, split.slug, setting.slug)
    if version is None:
        raise ValueError(f"{split} has no setting {setting}.")
    return version


def version_at(benchmark: str, split: str, setting: str) -> str | None:
    """The version of the board at an address (slugs), 32 hexadecimal digits, the same for every order and filter;
    nothing if there is no such board.

    Seen are: every field of the benchmark, its splits and settings; entries and systems by their times of change; runs
    that are not done, by state, times and reasons; scores by the newest; signatures in force; reported values;
    ceilings; statistics; dated states; what metrics lack on this machine; and the site's own code. One query.
    """
    with connection.cursor() as cursor:
        cursor.execute(_statement(connection.vendor), [benchmark, split, setting])
        rows = sorted(map(str, cursor.fetchall()))
    if not any(row.startswith("('place'") for row in rows):
        return None
    lacking = _lacking(benchmark, int(time.monotonic() / LACKING_SECONDS))
    return hashlib.sha256(repr([_build(), lacking, rows]).encode()).hexdigest()[:32]


@lru_cache(maxsize=16)
def _lacking(benchmark: str, period: int) -> list[str]:
    """What each metric lacks on this machine: a look at its disk, so not taken at each request."""
    del period
    return [metric_named(name).unavailable() for name in definition_of(benchmark).metrics]


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
def _statement(vendor: str) -> str:
    """The statement for a kind of database; its parameters are the slugs of benchmark, split and setting."""

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
    current = f"SELECT current_revision_id FROM {Split._meta.db_table} WHERE id = {{split}}"  # noqa: S608
    selects = [
        _row("place", "t.benchmark", "t.split", "t.setting"),
        *(
            _row(table, "t.id", *(f"t.{column}" for column in columns), where=where)
            for table, columns, where in (
                (Benchmark._meta.db_table, _columns(Benchmark), ""),
                (Split._meta.db_table, _columns(Split), "t.benchmark_id = {benchmark}"),
                (Setting._meta.db_table, _columns(Setting), "t.benchmark_id = {benchmark}"),
                (Revision._meta.db_table, _columns(Revision), f"t.id = ({current})"),
                (CurrentSignature._meta.db_table, ("metric", "signature"), "t.split_id = {split}"),
                (BoardStatistics._meta.db_table, ("basis", "computed_at"), f"t.{board}".replace("AND ", "AND t.")),
            )
        ),
        _row(entry, "COUNT(*)", "COUNT(t.replaced_at)", "SUM(CASE WHEN t.replaced_at IS NULL THEN t.id ELSE 0 END)"),
        _row(
            entry,
            *(when("t.updated_at"), "MAX(t.published_at)", "MAX(t.replaced_at)"),
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
        _row(ReportedValue._meta.db_table, listed("t.name || '=' || CAST(t.value AS TEXT)", "t.id")),
        _row(Ceiling._meta.db_table, "COUNT(*)", "MAX(t.id)", "SUM(t.value)"),
        _row(CorrectedScore._meta.db_table, "COUNT(*)", "MAX(t.id)"),
        _row(BoardState._meta.db_table, "MAX(t.id)", where=f"t.{board}".replace("AND ", "AND t.")),
    ]
    text = " UNION ALL ".join(selects)
    for name in ("benchmark", "split", "setting"):
        text = text.replace("{" + name + "}", f"(SELECT {name} FROM place)")  # noqa: S608
    return f"{_PLACE} {text}"


_PLACE: Final = (
    "WITH place AS (SELECT b.id AS benchmark, s.id AS split, c.id AS setting "  # noqa: S608
    f"FROM {Benchmark._meta.db_table} b JOIN {Split._meta.db_table} s ON s.benchmark_id = b.id "
    f"JOIN {Setting._meta.db_table} c ON c.benchmark_id = b.id WHERE b.slug = %s AND s.slug = %s AND c.slug = %s)"
)


def _columns(model: type[Benchmark | Split | Setting | Revision]) -> tuple[str, ...]:
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
