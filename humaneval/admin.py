"""Admin pages of studies. Participants and their answers are read-only here."""

from collections.abc import Sequence
from typing import Any, ClassVar

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html

from humaneval.grading import admin as grading_admin  # noqa: F401 - registers the admin classes of grading
from humaneval.models import (
    AnswerRevision,
    Assignment,
    ConsentVersion,
    Contact,
    Invitation,
    ItemCheck,
    Participant,
    PublicVote,
    ReaderTab,
    SavedPassage,
    Search,
    Study,
    StudyEvent,
    StudyItem,
    StudyResult,
    Visit,
)
from humaneval.studies import activity_log
from humaneval.studies.services import SETTLED_FIELDS, has_begun
from leaderboard.access import signed_in_user
from scoring.admin import ReadOnlyMixin


@admin.register(Study)
class StudyAdmin(admin.ModelAdmin):
    """Studies with human answerers."""

    list_display = ("name", "split", "setting", "owner", "seats", "opens_at", "closes_at")
    list_filter = ("split", "setting", "drawing")
    list_select_related = ("split__benchmark", "setting", "owner")
    search_fields = ("name", "slug", "owner__username")
    raw_id_fields = ("owner", "practice_question")

    def get_prepopulated_fields(self, request: HttpRequest, obj: Study | None = None) -> dict[str, Sequence[str]]:
        """The slug is generated from the name once and does not change with it: links have been sent out."""
        return {"slug": ("name",)} if obj is None else {}

    def get_readonly_fields(self, request: HttpRequest, obj: Study | None = None) -> list[str]:
        """Fields that determine what participants get are read-only once there are participants."""
        return sorted(SETTLED_FIELDS) if obj is not None and has_begun(obj) else []

    def save_model(self, request: HttpRequest, obj: Study, form: Any, change: bool) -> None:
        """Save the study and record the change in its activity log."""
        super().save_model(request, obj, form, change)
        what = (
            f"Changed in the administration site: {', '.join(form.changed_data)}."
            if change
            else "Created in the administration site."
        )
        activity_log.record(obj, what, actor=signed_in_user(request))

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> tuple[Any, Any, set[str], list[str]]:
        """A study without participants is deleted together with its links and its log. A study with participants is
        deleted on a separate page, which lists what is deleted with it."""
        people = {study.pk: study.participants.filter(is_preview=False).count() for study in objs}
        kept = [
            format_html(
                '{}: {} participants. <a href="{}">Delete the study and all its data</a>',
                study,
                people[study.pk],
                reverse("manage-study-delete", args=[study.slug]),
            )
            for study in objs
            if people[study.pk] or study.results.exists()
        ]
        needed = set() if self.has_delete_permission(request) else {"study"}
        told = [f"{study}, with its links and its activity log" for study in objs]
        return told, {"studies": len(people)}, needed, list(kept)

    def delete_model(self, request: HttpRequest, obj: Study) -> None:
        """Delete the study and its previews."""
        obj.participants.filter(is_preview=True).delete()  # participants protect their consent text from deletion
        super().delete_model(request, obj)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Study]) -> None:
        """Delete several studies, each with its previews."""
        for study in queryset:
            self.delete_model(request, study)


@admin.register(ConsentVersion)
class ConsentVersionAdmin(ReadOnlyMixin, admin.ModelAdmin):
    """The consent texts that participants were shown."""

    list_display = ("study", "number", "on_withdrawal", "made_at")
    list_select_related = ("study",)


@admin.register(Participant)
class ParticipantAdmin(ReadOnlyMixin, admin.ModelAdmin):
    """Participants, by their codes."""

    list_display = ("code", "study", "is_preview", "joined_at", "consented_at", "finished_at", "excluded_at")
    list_filter = ("study", "is_preview")
    list_select_related = ("study",)
    exclude = ("receipt_code",)


@admin.register(Invitation)
class InvitationAdmin(ReadOnlyMixin, admin.ModelAdmin):
    """Invitations to studies; the links themselves are not stored."""

    list_display = ("__str__", "kind", "participant", "n_used", "limit", "created_at", "sent_at", "revoked_at")
    list_filter = ("study", "kind")
    list_select_related = ("study", "participant")
    exclude = ("digest",)


@admin.register(Contact)
class ContactAdmin(ReadOnlyMixin, admin.ModelAdmin):
    """Mail addresses that invitations were made for."""

    list_display = ("email", "invitation", "created_at")
    list_select_related = ("invitation__study",)


class AnswerRevisionInline(ReadOnlyMixin, admin.TabularInline):
    """Every saved version of an answer."""

    model = AnswerRevision
    fields = readonly_fields = ("version", "saved_at", "typed_at", "text")


@admin.register(Assignment)
class AssignmentAdmin(ReadOnlyMixin, admin.ModelAdmin):
    """Questions assigned to participants, with the current answers."""

    list_display = ("participant", "position", "question", "version", "saved_at", "done_at", "skipped_at")
    list_filter = ("participant__study",)
    list_select_related = ("participant", "question")
    inlines: ClassVar = [AnswerRevisionInline]


@admin.register(AnswerRevision)
class AnswerRevisionAdmin(ReadOnlyMixin, admin.ModelAdmin):
    """Every saved version of every answer."""

    list_display = ("assignment", "version", "saved_at", "typed_at")
    list_select_related = ("assignment__participant",)


@admin.register(Search)
class SearchAdmin(ReadOnlyMixin, admin.ModelAdmin):
    """Searches."""

    list_display = ("query", "kind", "assignment", "n_results", "at")
    list_filter = ("kind",)
    list_select_related = ("assignment__participant",)


@admin.register(Visit)
class VisitAdmin(ReadOnlyMixin, admin.ModelAdmin):
    """Article visits."""

    list_display = ("title", "assignment", "origin", "opened_at", "visible_seconds", "used")
    list_filter = ("origin", "used")
    list_select_related = ("assignment__participant",)


@admin.register(ReaderTab)
class ReaderTabAdmin(ReadOnlyMixin, admin.ModelAdmin):
    """Articles open in tabs."""

    list_display = ("title", "assignment", "opened_at", "shown_at")
    list_select_related = ("assignment__participant",)


@admin.register(SavedPassage)
class SavedPassageAdmin(ReadOnlyMixin, admin.ModelAdmin):
    """Passages and notes that participants saved with an article."""

    list_display = ("title", "assignment", "saved_at", "removed_at")
    list_select_related = ("assignment__participant",)


@admin.register(StudyEvent)
class StudyEventAdmin(ReadOnlyMixin, admin.ModelAdmin):
    """Events in studies."""

    list_display = ("at", "study", "participant_code", "actor", "text")
    list_filter = ("study",)
    list_select_related = ("study", "actor")
    date_hierarchy = "at"


@admin.register(StudyItem)
class StudyItemAdmin(ReadOnlyMixin, admin.ModelAdmin):
    """Answers to check against passages."""

    list_display = ("key", "study", "candidate", "origin", "is_qualification", "supported")
    list_filter = ("study", "origin")
    list_select_related = ("study",)


@admin.register(ItemCheck)
class ItemCheckAdmin(ReadOnlyMixin, admin.ModelAdmin):
    """Verdicts of the team on items."""

    list_display = ("item", "author", "supported", "made_at")
    list_select_related = ("item__study", "author")


@admin.register(PublicVote)
class PublicVoteAdmin(ReadOnlyMixin, admin.ModelAdmin):
    """Votes of visitors who compare answers without signing in."""

    list_display = ("item", "vote", "seconds", "made_at")
    list_filter = ("item__study",)
    list_select_related = ("item__study",)


@admin.register(StudyResult)
class StudyResultAdmin(ReadOnlyMixin, admin.ModelAdmin):
    """Answer sets of studies."""

    list_display = ("study", "made_at", "made_by", "n_participants", "n_answers", "n_questions")
    list_select_related = ("study", "made_by")
