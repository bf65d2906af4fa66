"""Read-only admin of rounds and grades: only the grading console creates and changes them."""

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from humaneval.models import (
    Grade,
    GradedAnswer,
    GradedAnswerOrigin,
    GradeDraft,
    Grader,
    GradingRound,
    GradingSlot,
    ReferenceCorrection,
)
from scoring.admin import ReadOnlyMixin, ReferenceNoticeMixin, read_only

read_only(
    GradingRound,
    "name revision owner selection created_at closed_at",
    related="revision__split__benchmark owner",
    search="name slug",
)
read_only(Grader, "code round user added_at removed_at", filters="round", related="round user")


class GradeInline(ReferenceNoticeMixin, admin.TabularInline):
    """Every version of every grade of an answer."""

    model = Grade
    fields = readonly_fields = ("kind", "author", "version", "ticks", "note", "made_at")


# Answers in rounds. Their source is not shown here: the reader may be a grader.
read_only(
    GradedAnswer,
    "position round question n_items n_wanted is_calibration",
    filters="round is_calibration",
    related="round question",
    without="origin",
    inlines=[GradeInline],
)


@admin.register(GradedAnswerOrigin)
class GradedAnswerOriginAdmin(ReadOnlyMixin, admin.ModelAdmin):
    """Sources of answers in rounds; those of an open round are hidden from its graders."""

    list_display = ("graded_answer", "answer_set", "assignment", "why")
    list_select_related = (
        "graded_answer__round",
        "answer_set__split__benchmark",
        "answer_set__setting",
        "assignment__participant",
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[GradedAnswerOrigin]:
        """The sources that the visitor may see."""
        graded = Grader.objects.filter(user=request.user.pk, removed_at=None, round__closed_at=None)
        return super().get_queryset(request).exclude(graded_answer__round__in=graded.values("round"))


read_only(
    GradingSlot,
    "graded_answer number grader claimed_at lease_until graded_at",
    filters="graded_answer__round",
    related="graded_answer grader",
)
read_only(GradeDraft, "slot grader saved_at", filters="slot__graded_answer__round", related="slot grader")
read_only(
    Grade,
    "graded_answer kind author version made_at",
    filters="kind graded_answer__round",
    related="graded_answer author",
    mixin=ReferenceNoticeMixin,
)
# Decisions about reference answers that graders marked as wrong.
read_only(
    ReferenceCorrection,
    "question round state decided_by decided_at",
    filters="state round",
    related="question round decided_by",
    mixin=ReferenceNoticeMixin,
)
