"""Admin pages of studies. Participants and their answers are read-only here."""

from typing import Any

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
    ReaderTab,
    Search,
    Study,
    StudyEvent,
    StudyItem,
    StudyResult,
    Visit,
)
from humaneval.studies import activity_log
from leaderboard.access import signed_in_user
from scoring.admin import ReadOnlyMixin, read_only


@admin.register(Study)
class StudyAdmin(admin.ModelAdmin):
    """Studies with human answerers. They are made and changed on the pages for studies, whose forms check what is
    entered and by whom; here they only get another owner or are deleted."""

    list_display = ("name", "split", "setting", "owner", "seats", "opens_at", "closes_at")
    list_filter = ("split", "setting", "drawing")
    list_select_related = ("split__benchmark", "setting", "owner")
    search_fields = ("name", "slug", "owner__username")
    raw_id_fields = ("owner",)
    readonly_fields = tuple(field.name for field in Study._meta.fields if field.name not in ("id", "owner"))

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def save_model(self, request: HttpRequest, obj: Study, form: Any, change: bool) -> None:
        """Save the study's owner and record the change in its activity log."""
        super().save_model(request, obj, form, change)
        if form.changed_data:
            what = f"Changed in the administration site: {', '.join(form.changed_data)}."
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
        deleted = [f"{study}, with its links and its activity log" for study in objs]
        return deleted, {"studies": len(people)}, needed, list(kept)

    def delete_model(self, request: HttpRequest, obj: Study) -> None:
        """Delete the study and its previews."""
        obj.participants.filter(is_preview=True).delete()  # participants protect their consent text from deletion
        super().delete_model(request, obj)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Study]) -> None:
        """Delete several studies, each with its previews."""
        for study in queryset:
            self.delete_model(request, study)


read_only(ConsentVersion, "study number on_withdrawal made_at", related="study")
read_only(
    Participant,
    "code study is_preview joined_at consented_at finished_at excluded_at",
    filters="study is_preview",
    related="study",
    without="receipt_code",
)
# Invitations to studies; the links themselves are not stored.
read_only(
    Invitation,
    "__str__ kind participant n_used limit created_at sent_at revoked_at",
    filters="study kind",
    related="study participant",
    without="digest",
)
read_only(Contact, "email invitation created_at", related="invitation__study")


class AnswerRevisionInline(ReadOnlyMixin, admin.TabularInline):
    """Every saved version of an answer."""

    model = AnswerRevision
    fields = readonly_fields = ("version", "saved_at", "typed_at", "text")


read_only(
    Assignment,
    "participant position question version saved_at done_at skipped_at",
    filters="participant__study",
    related="participant question",
    inlines=[AnswerRevisionInline],
)
read_only(AnswerRevision, "assignment version saved_at typed_at", related="assignment__participant")
read_only(Search, "query kind assignment n_results at", filters="kind", related="assignment__participant")
read_only(
    Visit,
    "title assignment origin opened_at visible_seconds used",
    filters="origin used",
    related="assignment__participant",
)
read_only(ReaderTab, "title assignment opened_at shown_at", related="assignment__participant")
read_only(
    StudyEvent, "at study participant_code actor text", filters="study", related="study actor", date_hierarchy="at"
)
read_only(StudyItem, "key study candidate origin is_qualification supported", filters="study origin", related="study")
read_only(ItemCheck, "item author supported made_at", related="item__study author")
read_only(StudyResult, "study made_at made_by n_participants n_answers n_questions", related="study made_by")
