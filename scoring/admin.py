"""The maintainers' view of the ground floor. Reference answers are seen only with the right to view them."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from scoring.models import (
    Answer,
    AnswerSet,
    Benchmark,
    BudgetRelease,
    Ceiling,
    CurrentSignature,
    ImportDraft,
    JudgeBatch,
    JudgeEstimate,
    JudgeTurn,
    Question,
    Reference,
    Revision,
    Run,
    Score,
    Setting,
    Split,
    Verdict,
    WorkerHeartbeat,
)


class ReadOnlyMixin:
    """Records that are made by the site alone: to be looked at, not changed."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Nobody makes them by hand."""
        del request, obj
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Nobody changes them by hand."""
        del request, obj
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Nobody deletes them by hand."""
        del request, obj
        return False


class DefinedMixin:
    """What comes with a benchmark's definition, by an import: no page could show it without, and the definition makes
    again what is missing."""

    identity: tuple[str, ...] = ()
    """By what the definition finds it, and what it alone decides."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Nobody makes them by hand."""
        del request
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Nobody deletes them by hand."""
        del request, obj
        return False

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """What it is found by stays."""
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


@admin.register(ImportDraft)
class ImportDraftAdmin(ReadOnlyMixin, admin.ModelAdmin):
    """Drafts of revisions; what is in them is not shown."""

    list_display = ("__str__", "n_questions", "made_by", "created_at")
    list_select_related = ("split__benchmark",)
    exclude = ("content_json",)


@admin.register(AnswerSet)
class AnswerSetAdmin(ReadOnlyMixin, admin.ModelAdmin):
    """Answer sets."""

    list_display = ("id", "split", "setting", "created_at")
    list_filter = ("split", "setting")
    list_select_related = ("split__benchmark", "setting")


@admin.register(Answer)
class AnswerAdmin(ReadOnlyMixin, admin.ModelAdmin):
    """Answers, as sent."""

    list_display = ("qid", "answer_set", "participant")
    list_select_related = ("answer_set__split__benchmark", "answer_set__setting")
    search_fields = ("qid",)
    show_full_result_count = False


@admin.register(Run)
class RunAdmin(ReadOnlyMixin, admin.ModelAdmin):
    """Runs: what is waiting, running, done and failed."""

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


@admin.register(Ceiling)
class CeilingAdmin(ReadOnlyMixin, admin.ModelAdmin):
    """What a verbatim copy of the reference answers scores."""

    list_display = ("revision", "name", "value", "signature", "created_at")


@admin.register(CurrentSignature)
class CurrentSignatureAdmin(ReadOnlyMixin, admin.ModelAdmin):
    """Which signatures the boards show; changed by re-scoring a split and switching it over."""

    list_display = ("split", "metric", "signature", "since")
    list_filter = ("split", "metric")
    list_select_related = ("split__benchmark",)


@admin.register(Verdict)
class VerdictAdmin(ReadOnlyMixin, admin.ModelAdmin):
    """Every reply of the judge. A reply may tell the reference: it is as private, and seen with the same right."""

    list_display = ("qid", "letter", "outcome", "model", "ask", "repeat", "price_usd", "latency", "created_at")
    list_filter = ("outcome", "letter", "model")
    search_fields = ("qid", "address")
    date_hierarchy = "created_at"

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return super().has_view_permission(request, obj) and request.user.has_perm("scoring.view_reference")


@admin.register(JudgeEstimate)
class JudgeEstimateAdmin(ReadOnlyMixin, admin.ModelAdmin):
    """What runs of the judge were expected to cost."""

    list_display = ("run", "n_calls", "tokens_in", "tokens_out", "usd", "method", "batch", "made_at")
    list_select_related = ("run",)


@admin.register(BudgetRelease)
class BudgetReleaseAdmin(ReadOnlyMixin, admin.ModelAdmin):
    """Maintainers' words that runs may cost more; given on the page of the judge."""

    list_display = ("run", "limit_usd", "by", "note", "created_at")
    list_select_related = ("run",)


@admin.register(JudgeBatch)
class JudgeBatchAdmin(ReadOnlyMixin, admin.ModelAdmin):
    """Batches with the provider."""

    list_display = ("__str__", "run", "state", "status", "created_at", "ended_at")
    list_filter = ("state",)
    list_select_related = ("run",)


@admin.register(WorkerHeartbeat)
class WorkerHeartbeatAdmin(ReadOnlyMixin, admin.ModelAdmin):
    """The workers, and when each was last heard of."""

    list_display = ("name", "queues", "started_at", "seen_at")


@admin.register(JudgeTurn)
class JudgeTurnAdmin(ReadOnlyMixin, admin.ModelAdmin):
    """Which run may ask the judge now."""

    list_display = ("run",)
    list_select_related = ("run",)
