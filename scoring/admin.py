"""Admin pages of the tables of scoring. Reference answers are shown only to users with permission to view them."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from scoring.metrics.judge.prompt import OPTIONS
from scoring.models import (
    Answer,
    AnswerSet,
    Baseline,
    Benchmark,
    BudgetRelease,
    Ceiling,
    Comparison,
    CurrentSignature,
    DeclaredFolder,
    FolderDraft,
    ImportDraft,
    JudgeBatch,
    JudgeEstimate,
    JudgeTurn,
    PassageFile,
    Question,
    Reference,
    Revision,
    Run,
    Score,
    ScoreAudit,
    Setting,
    Split,
    Verdict,
    WorkerHeartbeat,
)


class ReadOnlyMixin:
    """Records that only the site creates: they can be viewed, not changed."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Adding by hand is not allowed."""
        del request, obj
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Changing by hand is not allowed."""
        del request, obj
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Deleting by hand is not allowed."""
        del request, obj
        return False


class DefinedMixin:
    """Records that an import creates from a benchmark's definition. Pages need them, and an import recreates missing
    ones."""

    identity: tuple[str, ...] = ()
    """The fields by which the definition finds a record, and the fields that only the definition sets."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Adding by hand is not allowed."""
        del request
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Deleting by hand is not allowed."""
        del request, obj
        return False

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """The identifying fields are read-only."""
        return [*super().get_readonly_fields(request, obj), *self.identity]  # type: ignore[misc]


@admin.register(Benchmark)
class BenchmarkAdmin(DefinedMixin, admin.ModelAdmin):
    """Benchmarks."""

    list_display = ("name", "slug", "licence", "position", "needs_approval")
    identity = ("slug",)


@admin.register(Split)
class SplitAdmin(DefinedMixin, admin.ModelAdmin):
    """Splits, with the revision in force."""

    list_display = ("__str__", "hidden", "competition", "ladder_step", "current_revision")
    list_select_related = ("benchmark", "current_revision__split__benchmark")
    raw_id_fields = ("current_revision",)
    identity = ("benchmark", "slug", "hidden")


@admin.register(Setting)
class SettingAdmin(DefinedMixin, admin.ModelAdmin):
    """Settings."""

    list_display = ("name", "benchmark", "slug", "accepts_submissions", "position")
    list_filter = ("benchmark",)
    identity = ("benchmark", "slug")


@admin.register(Revision)
class RevisionAdmin(ReadOnlyMixin, admin.ModelAdmin):
    """Revisions, as imported."""

    list_display = ("__str__", "date", "has_references", "note", "created_at")
    list_filter = ("split",)
    list_select_related = ("split__benchmark",)


@admin.register(Question)
class QuestionAdmin(ReadOnlyMixin, admin.ModelAdmin):
    """Questions, as imported."""

    list_display = ("qid", "text", "revision")
    list_filter = ("revision__split",)
    list_select_related = ("revision__split__benchmark",)
    search_fields = ("qid", "text")


@admin.register(Reference)
class ReferenceAdmin(ReadOnlyMixin, admin.ModelAdmin):
    """Reference answers: private."""

    list_display = ("question",)
    list_filter = ("question__revision__split",)
    list_select_related = ("question",)
    search_fields = ("question__qid",)


@admin.register(DeclaredFolder)
class DeclaredFolderAdmin(ReadOnlyMixin, admin.ModelAdmin):
    """Folders of declared benchmarks, without their content."""

    list_display = ("benchmark", "sha256", "saved_at")
    list_select_related = ("benchmark",)
    exclude = ("content",)


@admin.register(FolderDraft)
class FolderDraftAdmin(ReadOnlyMixin, admin.ModelAdmin):
    """Uploaded folders that wait for a decision, without their content."""

    list_display = ("__str__", "made_by", "created_at")
    exclude = ("content",)


@admin.register(ImportDraft)
class ImportDraftAdmin(ReadOnlyMixin, admin.ModelAdmin):
    """Drafts of revisions, without their content."""

    list_display = ("__str__", "n_questions", "made_by", "created_at")
    list_select_related = ("split__benchmark",)
    exclude = ("content_json",)


@admin.register(AnswerSet)
class AnswerSetAdmin(ReadOnlyMixin, admin.ModelAdmin):
    """Answer sets."""

    list_display = ("id", "split", "setting", "created_at")
    list_filter = ("split", "setting")
    list_select_related = ("split__benchmark", "setting")


@admin.register(PassageFile)
class PassageFileAdmin(ReadOnlyMixin, admin.ModelAdmin):
    """Files of retrieved passages."""

    list_display = ("filename", "answer_set", "n_questions", "size")
    list_select_related = ("answer_set__split__benchmark", "answer_set__setting")


@admin.register(Answer)
class AnswerAdmin(ReadOnlyMixin, admin.ModelAdmin):
    """Answers, as sent."""

    list_display = ("qid", "answer_set", "participant")
    list_select_related = ("answer_set__split__benchmark", "answer_set__setting")
    search_fields = ("qid",)
    show_full_result_count = False


@admin.register(Run)
class RunAdmin(ReadOnlyMixin, admin.ModelAdmin):
    """Runs: waiting, running, done and failed."""

    list_display = ("metric", "answer_set", "state", "done_items", "total_items", "attempts", "created_at", "reason")
    list_filter = ("state", "metric", "revision__split")
    list_select_related = ("answer_set__split__benchmark", "answer_set__setting")
    exclude = ("lease_token",)


@admin.register(Score)
class ScoreAdmin(ReadOnlyMixin, admin.ModelAdmin):
    """Scores."""

    list_display = ("name", "value", "run", "n_answered", "n_items", "signature")
    list_filter = ("name",)
    list_select_related = ("run",)
    exclude = ("vector",)


@admin.register(ScoreAudit)
class ScoreAuditAdmin(ReadOnlyMixin, admin.ModelAdmin):
    """Comparisons of stored scores with the official code. Differences name the answers."""

    list_display = ("metric", "n_equal", "n_checked", "checked_at", "problem", "differences")
    list_filter = ("metric",)


@admin.register(Ceiling)
class CeilingAdmin(ReadOnlyMixin, admin.ModelAdmin):
    """The scores of a verbatim copy of the reference answers."""

    list_display = ("revision", "name", "value", "signature", "created_at")


@admin.register(CurrentSignature)
class CurrentSignatureAdmin(ReadOnlyMixin, admin.ModelAdmin):
    """The signatures that the leaderboards show; changed by rescoring a split and switching to the new signature."""

    list_display = ("split", "metric", "signature", "since")
    list_filter = ("split", "metric")
    list_select_related = ("split__benchmark",)


@admin.register(Baseline)
class BaselineAdmin(ReadOnlyMixin, admin.ModelAdmin):
    """The answers that others are compared with; chosen on the page of a split's comparisons."""

    list_display = ("split", "answer_set", "chosen_at", "chosen_by")
    list_select_related = ("split__benchmark", "answer_set__split__benchmark", "answer_set__setting")


@admin.register(Comparison)
class ComparisonAdmin(ReadOnlyMixin, admin.ModelAdmin):
    """What runs that compare answers found."""

    list_display = ("run", "win_rate", "controlled", "n_unparsed")
    list_select_related = ("run",)
    exclude = ("arrays",)


class LetterFilter(admin.SimpleListFilter):
    """The letters of the rubric: verdicts on lists and pairs are numbers, of which there is one for nearly each."""

    title = "letter"
    parameter_name = "letter"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(letter, letter) for letter in OPTIONS]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Verdict]) -> QuerySet[Verdict]:
        return queryset.filter(letter=self.value()) if self.value() else queryset


@admin.register(Verdict)
class VerdictAdmin(ReadOnlyMixin, admin.ModelAdmin):
    """All replies of the judge. A reply may reveal the reference, so it is private and needs the same permission."""

    list_display = (
        "qid",
        "letter",
        "rule",
        "outcome",
        "model",
        "reported_model",
        "ask",
        "repeat",
        "price_usd",
        "latency",
        "created_at",
    )
    list_filter = ("outcome", LetterFilter, "rule", "model")
    search_fields = ("qid", "address")
    date_hierarchy = "created_at"

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return super().has_view_permission(request, obj) and request.user.has_perm("scoring.view_reference")


@admin.register(JudgeEstimate)
class JudgeEstimateAdmin(ReadOnlyMixin, admin.ModelAdmin):
    """Cost estimates of judge runs."""

    list_display = ("run", "n_calls", "tokens_in", "tokens_out", "usd", "method", "batch", "made_at")
    list_select_related = ("run",)


@admin.register(BudgetRelease)
class BudgetReleaseAdmin(ReadOnlyMixin, admin.ModelAdmin):
    """Maintainers' releases, which allow runs to cost more; given on the page of the judge."""

    list_display = ("run", "limit_usd", "by", "note", "created_at")
    list_select_related = ("run",)


@admin.register(JudgeBatch)
class JudgeBatchAdmin(ReadOnlyMixin, admin.ModelAdmin):
    """Batches at the provider."""

    list_display = ("__str__", "run", "state", "status", "created_at", "ended_at")
    list_filter = ("state",)
    list_select_related = ("run",)


@admin.register(WorkerHeartbeat)
class WorkerHeartbeatAdmin(ReadOnlyMixin, admin.ModelAdmin):
    """Workers, with the time of their latest heartbeat."""

    list_display = ("name", "queues", "started_at", "seen_at")


@admin.register(JudgeTurn)
class JudgeTurnAdmin(ReadOnlyMixin, admin.ModelAdmin):
    """The run that may ask the judge now."""

    list_display = ("run",)
    list_select_related = ("run",)
