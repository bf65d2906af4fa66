"""Admin pages of the tables of scoring. Reference answers are shown only to users with permission to view them."""

from typing import Any, ClassVar

from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest

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


def never(self: Any, request: HttpRequest, obj: Any = None) -> bool:
    """A permission of an admin page that nobody has."""
    del self, request, obj
    return False


class ReadOnlyMixin:
    """Records that only the site creates: they can be viewed, not changed."""

    has_add_permission = has_change_permission = has_delete_permission = never


class GrowingMixin:
    """A table that grows with the submissions: the newest rows first, by index."""

    ordering: ClassVar[Any] = ("-pk",)
    list_per_page = 50
    show_full_result_count = False


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
    filters="state metric revision__split",
    related="answer_set__split__benchmark answer_set__setting",
    without="lease_token",
    mixin=ReferenceNoticeMixin,
    grows=True,
    ordering=("-created_at",),
)
# Whose runs workers took last.
read_only(Turn, "queue party taken_at", filters="queue")
read_only(
    Score,
    "name value run n_answered n_items signature",
    filters="name",
    related="run",
    without="vector",
    grows=True,
)
# The signatures that the leaderboards show; changed by rescoring a split and switching to the new signature.
read_only(CurrentSignature, "split metric signature since", filters="split metric", related="split__benchmark")
# The answers that others are compared with; chosen on the page of a split's comparisons.
read_only(
    Baseline,
    "split answer_set chosen_at chosen_by",
    related="split__benchmark answer_set__split__benchmark answer_set__setting",
)
read_only(Comparison, "run n_unparsed", related="run", without="arrays")
# All replies of the judge. A reply may reveal the reference.
read_only(
    Verdict,
    "qid letter rule outcome model reported_model ask price_usd latency created_at",
    filters="outcome rule model",
    search="qid address",
    mixin=ReferenceNoticeMixin,
    date_hierarchy="created_at",
)
read_only(JudgeEstimate, "run n_calls tokens_in tokens_out usd method made_at", related="run")
read_only(WorkerHeartbeat, "name queues version started_at seen_at")
read_only(JudgeTurn, "run", related="run")
