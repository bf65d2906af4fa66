"""Admin pages of the tables of scoring. Reference answers are shown only to users with permission to view them."""

from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Any, ClassVar, Final

from django.contrib import admin
from django.core.paginator import Paginator
from django.db import connections
from django.db.models import Model, QuerySet
from django.http import HttpRequest

from scoring.benchmarks import definitions
from scoring.benchmarks.names import parts_of
from scoring.metrics.judge.prompt import OPTIONS
from scoring.models import (
    Answer,
    AnswerBlock,
    AnswerSet,
    Baseline,
    Benchmark,
    CitationBlock,
    Comparison,
    CurrentSignature,
    DeclaredFolder,
    FolderDraft,
    ImportDraft,
    JudgeEstimate,
    JudgeTurn,
    PassageFile,
    Picture,
    Question,
    Reference,
    Revision,
    Run,
    Score,
    Setting,
    Split,
    Turn,
    Usage,
    Verdict,
    WorkerHeartbeat,
)
from scoring.registry import METRICS

COUNTED: Final = 10_000
"""Rows of a larger table are estimated where nothing selects among them."""


def never(self: Any, request: HttpRequest, obj: Any = None) -> bool:
    """A permission of an admin page that nobody has."""
    del self, request, obj
    return False


class ReadOnlyMixin:
    """Records that only the site creates: they can be viewed, not changed."""

    has_add_permission = has_change_permission = has_delete_permission = never


class EstimatingPaginator(Paginator):
    """Pages of a table; PostgreSQL's estimate is the number of its rows if they are many."""

    @cached_property
    def count(self) -> int:
        """The number of rows."""
        rows: Any = self.object_list
        connection = connections[rows.db]
        if connection.vendor == "postgresql" and not rows.query.where:
            with connection.cursor() as cursor:
                table = rows.model._meta.db_table
                cursor.execute("SELECT reltuples::bigint FROM pg_class WHERE oid = to_regclass(%s)", [table])
                estimate: int = cursor.fetchone()[0]
            if estimate > COUNTED:
                return estimate
        return super().count


class GrowingMixin:
    """A table that grows with the submissions: the newest rows first, by index, and nothing that reads all rows."""

    ordering: ClassVar[Any] = ("-pk",)
    list_per_page = 50
    show_full_result_count = False
    paginator: Any = EstimatingPaginator


class ReferenceNoticeMixin(ReadOnlyMixin):
    """Records that may quote reference answers: only for people who may see those too."""

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        allowed: bool = super().has_view_permission(request, obj)  # type: ignore[misc]
        return allowed and request.user.has_perm("scoring.view_reference")


def read_only(
    model: type[Model],
    columns: str,
    filters: str = "",
    related: str = "",
    search: str = "",
    without: str = "",
    mixin: type[ReadOnlyMixin] = ReadOnlyMixin,
    grows: bool = False,
    **options: Any,
) -> None:
    """Register a table that the site alone writes.

    Args:
        columns: the fields in its list, separated by spaces, as in the other arguments: fields to filter by, relations
            read with the list, fields to search, fields not shown.
        grows: whether the table grows with the submissions (`GrowingMixin`).
        options: further attributes of its `ModelAdmin`.
    """
    names = {"list_display": columns, "list_filter": filters, "list_select_related": related, "search_fields": search}
    attributes = {name: text.split() for name, text in (names | {"exclude": without}).items() if text}
    bases = (mixin, *(GrowingMixin,) * grows, admin.ModelAdmin)
    admin.site.register(model, type(f"{model.__name__}Admin", bases, attributes | options))


def known_values(field: str, values: Callable[[], Iterable[str]]) -> type[admin.SimpleListFilter]:
    """A filter by those values of a field that are known without reading the table."""

    def lookups(self: Any, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        del self, request, model_admin
        return [(value, value) for value in values()]

    def queryset(self: Any, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        del request
        return queryset.filter(**{field: self.value()}) if self.value() else queryset

    attributes = {"title": field, "parameter_name": field, "lookups": lookups, "queryset": queryset}
    return type(f"{field.title()}Filter", (admin.SimpleListFilter,), attributes)


class DefinedMixin:
    """Records that an import creates from a benchmark's definition. Pages need them, and an import recreates missing
    ones."""

    identity: tuple[str, ...] = ()
    """The fields by which the definition finds a record, and the fields that only the definition sets."""

    has_add_permission = has_delete_permission = never

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return [*super().get_readonly_fields(request, obj), *self.identity]  # type: ignore[misc]


@admin.register(Benchmark)
class BenchmarkAdmin(DefinedMixin, admin.ModelAdmin):
    """Benchmarks."""

    list_display = ("name", "slug", "licence", "position", "needs_approval")
    identity = ("slug",)


@admin.register(Split)
class SplitAdmin(DefinedMixin, admin.ModelAdmin):
    """Splits, with the revision in force."""

    list_display = ("__str__", "phase", "hidden", "rounding_step", "current_revision")
    list_select_related = ("benchmark", "current_revision__split__benchmark")
    raw_id_fields = ("current_revision",)
    identity = ("benchmark", "slug", "hidden", "phase")


@admin.register(Setting)
class SettingAdmin(DefinedMixin, admin.ModelAdmin):
    """Settings."""

    list_display = ("name", "benchmark", "slug", "accepts_submissions", "position")
    list_filter = ("benchmark",)
    identity = ("benchmark", "slug")


read_only(Revision, "__str__ date has_references note created_at", filters="split", related="split__benchmark")
read_only(
    Question, "qid text revision", filters="revision__split", related="revision__split__benchmark", search="qid text"
)
read_only(Reference, "question", filters="question__revision__split", related="question", search="question__qid")
read_only(DeclaredFolder, "benchmark sha256 saved_at", related="benchmark", without="content")
read_only(Picture, "sha256 type added_at", search="sha256", without="file")
read_only(FolderDraft, "__str__ made_by created_at", without="content")
read_only(ImportDraft, "__str__ n_questions made_by created_at", related="split__benchmark", without="content_json")
read_only(
    AnswerSet,
    "id split setting created_at",
    filters="split setting",
    related="split__benchmark setting",
    grows=True,
    ordering=("-created_at",),
)
read_only(
    PassageFile, "filename answer_set n_questions size", related="answer_set__split__benchmark answer_set__setting"
)
read_only(Usage, "answer_set totals", related="answer_set__split__benchmark answer_set__setting", without="questions")
read_only(
    Answer,
    "qid answer_set participant",
    related="answer_set__split__benchmark answer_set__setting",
    search="qid",
    grows=True,
)
read_only(
    AnswerBlock,
    "answer_set number",
    related="answer_set__split__benchmark answer_set__setting",
    without="content",
    grows=True,
)
read_only(
    CitationBlock,
    "answer_set number",
    related="answer_set__split__benchmark answer_set__setting",
    without="content",
    grows=True,
)
# The reason of a failed run may have the message of a package's metric, which may quote reference answers.
read_only(
    Run,
    "metric answer_set state done_items total_items attempts created_at reason",
    related="answer_set__split__benchmark answer_set__setting",
    without="lease_token",
    mixin=ReferenceNoticeMixin,
    grows=True,
    list_filter=("state", known_values("metric", lambda: METRICS), "revision__split"),
    ordering=("-created_at",),
)
# Whose runs workers took last.
read_only(Turn, "queue party taken_at", filters="queue")


read_only(
    Score,
    "name value run n_answered n_items signature",
    related="run",
    without="vector",
    grows=True,
    list_filter=(
        known_values(
            "name",
            lambda: sorted(
                {parts_of(column.score)[0] for declared in definitions().values() for column in declared.columns}
            ),
        ),
    ),
)
# Comparisons of stored scores with the official code. Differences name the answers.
# The scores of a verbatim copy of the reference answers.
# The signatures that the leaderboards show; changed by rescoring a split and switching to the new signature.
read_only(CurrentSignature, "split metric signature since", filters="split metric", related="split__benchmark")
# The answers that others are compared with; chosen on the page of a split's comparisons.
read_only(
    Baseline,
    "split answer_set chosen_at chosen_by",
    related="split__benchmark answer_set__split__benchmark answer_set__setting",
)
read_only(Comparison, "run n_unparsed", related="run", without="arrays")


# All replies of the judge. Of their letters, those of the rubric: verdicts on lists and pairs are numbers, of which
# there is one for nearly each. A reply may reveal the reference.
read_only(
    Verdict,
    "qid letter rule outcome model reported_model ask price_usd latency created_at",
    search="qid address",
    mixin=ReferenceNoticeMixin,
    list_filter=("outcome", known_values("letter", lambda: OPTIONS), "rule", "model"),
    date_hierarchy="created_at",
)
read_only(JudgeEstimate, "run n_calls tokens_in tokens_out usd method made_at", related="run")
read_only(WorkerHeartbeat, "name queues version started_at seen_at")
read_only(JudgeTurn, "run", related="run")
