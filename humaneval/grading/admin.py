"""Read-only admin of rounds and grades: only the grading console creates and changes them."""

from typing import ClassVar

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from humaneval.models import (
    Grade,
    GradedAnswer,
    GradedAnswerOrigin,
    Grader,
    GradingRound,
    GradingSlot,
    ReferenceCorrection,
)
from scoring.admin import ReadOnlyMixin


class ReferenceNoticeMixin(ReadOnlyMixin):
    """Admin of data that may quote reference answers: only for people who may see those."""

    def has_view_permission(self, request: HttpRequest, obj: object = None) -> bool:
        """Both rights are needed."""
        allowed: bool = super().has_view_permission(request, obj)  # type: ignore[misc]
        return allowed and request.user.has_perm("scoring.view_reference")


@admin.register(GradingRound)
class GradingRoundAdmin(ReadOnlyMixin, admin.ModelAdmin):
    """Rounds of grading by hand."""

    list_display = ("name", "revision", "owner", "selection", "created_at", "closed_at")
    list_select_related = ("revision__split__benchmark", "owner")
    search_fields = ("name", "slug")


@admin.register(Grader)
class GraderAdmin(ReadOnlyMixin, admin.ModelAdmin):
    """Graders and their rounds."""

    list_display = ("code", "round", "user", "added_at", "removed_at")
    list_filter = ("round",)
    list_select_related = ("round", "user")


class GradeInline(ReferenceNoticeMixin, admin.TabularInline):
    """Every version of every grade of an answer."""

    model = Grade
    fields = readonly_fields = ("kind", "author", "version", "ticks", "note", "made_at")


@admin.register(GradedAnswer)
class GradedAnswerAdmin(ReadOnlyMixin, admin.ModelAdmin):
    """Answers in rounds. Their source is not shown here: the reader may be a grader."""

    list_display = ("position", "round", "question", "n_items", "n_wanted", "is_calibration")
    list_filter = ("round", "is_calibration")
    list_select_related = ("round", "question")
    exclude = ("origin",)
    inlines: ClassVar = [GradeInline]


@admin.register(GradedAnswerOrigin)
class GradedAnswerOriginAdmin(ReadOnlyMixin, admin.ModelAdmin):
    """Sources of answers in rounds; those of an open round are hidden from its graders."""

    list_display = ("graded_answer", "answer", "assignment", "why")
    list_select_related = ("graded_answer__round", "answer", "assignment__participant")

    def get_queryset(self, request: HttpRequest) -> QuerySet[GradedAnswerOrigin]:
        """The sources that the visitor may see."""
        graded = Grader.objects.filter(user=request.user.pk, removed_at=None, round__closed_at=None)
        return super().get_queryset(request).exclude(graded_answer__round__in=graded.values("round"))


@admin.register(GradingSlot)
class GradingSlotAdmin(ReadOnlyMixin, admin.ModelAdmin):
    """Claims and their state."""

    list_display = ("graded_answer", "number", "grader", "claimed_at", "lease_until", "graded_at")
    list_filter = ("graded_answer__round",)
    list_select_related = ("graded_answer", "grader")


@admin.register(Grade)
class GradeAdmin(ReferenceNoticeMixin, admin.ModelAdmin):
    """Every version of every grade."""

    list_display = ("graded_answer", "kind", "author", "version", "made_at")
    list_filter = ("kind", "graded_answer__round")
    list_select_related = ("graded_answer", "author")


@admin.register(ReferenceCorrection)
class ReferenceCorrectionAdmin(ReferenceNoticeMixin, admin.ModelAdmin):
    """Decisions about reference answers that graders marked as wrong."""

    list_display = ("question", "round", "state", "decided_by", "decided_at")
    list_filter = ("state", "round")
    list_select_related = ("question", "round", "decided_by")
