"""The maintainers' view of the public site."""

from typing import Any, ClassVar

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from leaderboard.access import signed_in_user
from leaderboard.accounts import admin as accounts  # noqa: F401 - registers what is about accounts
from leaderboard.accounts.forms import AdminSignInForm
from leaderboard.board.staleness import mark_entries
from leaderboard.models import (
    Anomaly,
    ApiToken,
    AuditRecord,
    BoardChange,
    BoardDocument,
    BoardSnapshot,
    BoardStatistics,
    CorrectedScore,
    DraftFile,
    Entry,
    Event,
    IdempotentRequest,
    Membership,
    Publication,
    QuotaException,
    RateCount,
    Receipt,
    ReceiptKey,
    ReportedValue,
    Standing,
    Submission,
    SubmissionFile,
    System,
    Team,
    TeamInvitation,
    UploadDraft,
)
from leaderboard.submissions.deletion import delete_submission
from scoring.admin import ReadOnlyMixin
from scoring.models import Baseline

admin.site.login_form = AdminSignInForm


@admin.register(ApiToken)
class ApiTokenAdmin(ReadOnlyMixin, admin.ModelAdmin):
    """API tokens by user; the tokens themselves are not stored."""

    list_display = ("name", "user", "prefix", "created_at", "last_used_at", "revoked_at")
    search_fields = ("name", "user__username")
    exclude = ("digest",)


class ShownOnBoardsMixin:
    """Marks the boards that show the changed records."""

    def entries_of(self, changed: Any) -> QuerySet[Entry]:
        """The rows that show some records of this table."""
        raise NotImplementedError

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: Any) -> None:
        """Save, and mark the old board too: a row that moves to another board is removed there."""
        if change:
            mark_entries(self.entries_of([obj]))
        super().save_model(request, obj, form, change)  # type: ignore[misc]

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: Any) -> None:
        """Save the related records, the last step, and mark the boards."""
        super().save_related(request, form, formsets, change)  # type: ignore[misc]
        mark_entries(self.entries_of([form.instance]))

    def delete_model(self, request: HttpRequest, obj: Any) -> None:
        """Delete, and mark the boards before the reference to them is lost."""
        mark_entries(self.entries_of([obj]))
        super().delete_model(request, obj)  # type: ignore[misc]

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        """The same for several records."""
        mark_entries(self.entries_of(list(queryset)))
        super().delete_queryset(request, queryset)  # type: ignore[misc]


@admin.register(System)
class SystemAdmin(ShownOnBoardsMixin, admin.ModelAdmin):
    """Systems with a public page."""

    def entries_of(self, changed: Any) -> QuerySet[Entry]:
        """Their rows."""
        return Entry.objects.filter(system__in=changed, replaced_at=None)

    list_display = ("name", "type", "context_size", "owner", "team", "is_human", "is_pseudonym")
    list_filter = ("type", "is_human", "is_pseudonym")
    list_select_related = ("owner", "team")
    search_fields = ("name", "authors")
    raw_id_fields = ("owner", "team")
    readonly_fields = ("is_pseudonym", "revealed_as")

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """The slug of an existing system cannot be changed: others link to it."""
        return [*super().get_readonly_fields(request, obj), *(["slug"] if obj else [])]


class SubmissionFileInline(ReadOnlyMixin, admin.TabularInline):
    """The files of a submission."""

    model = SubmissionFile
    fields = ("setting", "version", "filename", "size", "sha256", "n_answered", "n_questions", "sent_by", "replaced_at")


class EventInline(ReadOnlyMixin, admin.TabularInline):
    """The log of a submission."""

    model = Event
    fields = readonly_fields = ("at", "actor", "text")


@admin.register(Submission)
class SubmissionAdmin(admin.ModelAdmin):
    """All submissions."""

    list_display = ("name", "owner", "team", "split", "created_at", "withdrawn_at")
    list_filter = ("split", "type")
    list_select_related = ("owner", "team", "split__benchmark")
    search_fields = ("name", "authors", "owner__username", "team__name")
    date_hierarchy = "created_at"
    readonly_fields = ("owner", "team", "split", "created_at", "withdrawn_at", "notified_at")
    inlines: ClassVar = [SubmissionFileInline, EventInline]

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> tuple[Any, Any, set[str], list[str]]:
        """The related records belong to the site itself, so the right to delete submissions is sufficient."""
        summaries = [
            f"{submission}: including its {submission.files.count()} files, their answers and scores, its "
            f"receipts, and {submission.entries.count()} leaderboard rows"
            for submission in objs
        ]
        needed = set() if self.has_delete_permission(request) else {"submission"}
        baselines = Baseline.objects.filter(answer_set__submission_file__submission__in=[one.pk for one in objs])
        protected = [f"The baseline of {one.split}: choose another one first" for one in baselines]
        return summaries, {"submissions": len(summaries)}, needed, protected

    def delete_model(self, request: HttpRequest, obj: Submission) -> None:
        """Delete it permanently, with an audit record."""
        delete_submission(obj, actor=signed_in_user(request), reason="deleted in the administration")

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Submission]) -> None:
        """Delete several, each with its own audit record."""
        for submission in queryset:
            self.delete_model(request, submission)


@admin.register(UploadDraft)
class UploadDraftAdmin(ReadOnlyMixin, admin.ModelAdmin):
    """Upload drafts, without their content."""

    list_display = ("owner", "target", "updated_at")
    list_select_related = ("owner",)
    exclude = ("fields",)


@admin.register(DraftFile)
class DraftFileAdmin(ReadOnlyMixin, admin.ModelAdmin):
    """Files of upload drafts, without their content."""

    list_display = ("draft", "setting")
    list_select_related = ("draft__owner", "setting")
    exclude = ("original", "filename", "report")


@admin.register(SubmissionFile)
class SubmissionFileAdmin(ReadOnlyMixin, admin.ModelAdmin):
    """Uploaded files."""

    list_display = ("filename", "submission", "setting", "version", "size", "n_answered", "n_questions", "replaced_at")
    list_filter = ("setting",)
    list_select_related = ("submission", "setting")


@admin.register(QuotaException)
class QuotaExceptionAdmin(ReadOnlyMixin, admin.ModelAdmin):
    """Exceptions from the weekly quota; they are created and ended on the page for quotas."""

    list_display = ("__str__", "made_by", "made_at", "note")
    list_filter = ("benchmark",)
    list_select_related = ("benchmark", "team", "user", "made_by")


@admin.register(Event)
class EventAdmin(ReadOnlyMixin, admin.ModelAdmin):
    """Events of submissions."""

    list_display = ("at", "submission", "actor", "text")
    list_select_related = ("submission", "actor")
    date_hierarchy = "at"


class ReportedValueInline(admin.TabularInline):
    """The published scores of a row."""

    model = ReportedValue
    extra = 0


@admin.register(Entry)
class EntryAdmin(ShownOnBoardsMixin, admin.ModelAdmin):
    """Rows of the board, including replaced ones. Those of submissions are retracted in moderation."""

    def entries_of(self, changed: Any) -> QuerySet[Entry]:
        """The rows themselves."""
        return Entry.objects.filter(pk__in=[one.pk for one in changed])

    list_display = ("system", "split", "setting", "kind", "published_at", "replaced_at", "retracted_at")
    readonly_fields = ("retracted_at", "retraction_note", "updated_at")
    list_filter = ("split", "setting", "kind")
    list_select_related = ("system", "split__benchmark", "setting")
    search_fields = ("system__name",)
    raw_id_fields = ("system", "answer_set", "submission")
    inlines: ClassVar = [ReportedValueInline]


@admin.register(ReportedValue)
class ReportedValueAdmin(ShownOnBoardsMixin, admin.ModelAdmin):
    """Published scores."""

    def entries_of(self, changed: Any) -> QuerySet[Entry]:
        """The rows that contain them."""
        return Entry.objects.filter(reported_values__in=changed)

    list_display = ("entry", "name", "value")
    list_select_related = ("entry__system", "entry__split__benchmark", "entry__setting")
    list_filter = ("name",)
    raw_id_fields = ("entry",)


@admin.register(BoardStatistics)
class BoardStatisticsAdmin(ReadOnlyMixin, admin.ModelAdmin):
    """When the statistics of each board were computed."""

    list_display = ("split", "setting", "computed_at", "fingerprint")
    exclude = ("categories",)


@admin.register(CorrectedScore)
class CorrectedScoreAdmin(ReadOnlyMixin, admin.ModelAdmin):
    """Judge scores corrected with human grades."""

    list_display = ("score", "value", "low", "high", "n_graded", "source", "made_at")
    list_select_related = ("score",)


@admin.register(Standing)
class StandingAdmin(ReadOnlyMixin, admin.ModelAdmin):
    """Ranks, their ranges and marks, by row and column."""

    list_display = ("entry", "name", "rank", "best_rank", "worst_rank", "marked", "p_value")
    list_filter = ("board", "name")


@admin.register(BoardSnapshot)
class BoardSnapshotAdmin(ReadOnlyMixin, admin.ModelAdmin):
    """Snapshots of boards, which papers may cite."""

    list_display = ("split", "setting", "taken_at", "n_rows", "digest")
    exclude = ("content",)


@admin.register(BoardDocument)
class BoardDocumentAdmin(ReadOnlyMixin, admin.ModelAdmin):
    """Documents of boards, and when they were written."""

    list_display = ("split", "setting", "written_at", "serial", "n_systems")
    exclude = ("content",)


@admin.register(BoardChange)
class BoardChangeAdmin(ReadOnlyMixin, admin.ModelAdmin):
    """Changes that boards do not show yet: they last a moment, or longer if no worker runs."""

    list_display = ("split", "setting", "made_at")


@admin.register(IdempotentRequest)
class IdempotentRequestAdmin(ReadOnlyMixin, admin.ModelAdmin):
    """API requests with an idempotency key."""

    list_display = ("user", "key", "submission", "created_at")


class MembershipInline(admin.TabularInline):
    """The members of a team."""

    model = Membership
    raw_id_fields = ("user",)
    extra = 0


@admin.register(Team)
class TeamAdmin(admin.ModelAdmin):
    """People who submit together."""

    list_display = ("name", "slug", "created_at")
    search_fields = ("name", "memberships__user__username")
    inlines: ClassVar = [MembershipInline]


@admin.register(Membership)
class MembershipAdmin(admin.ModelAdmin):
    """Memberships of teams."""

    list_display = ("team", "user", "role", "joined_at")
    list_filter = ("role",)
    raw_id_fields = ("team", "user")


@admin.register(TeamInvitation)
class TeamInvitationAdmin(ReadOnlyMixin, admin.ModelAdmin):
    """Invitations to teams; the links themselves are not stored."""

    list_display = ("email", "team", "invited_by", "created_at", "expires_at", "accepted_at", "revoked_at")
    exclude = ("digest",)


@admin.register(Publication)
class PublicationAdmin(ReadOnlyMixin, admin.ModelAdmin):
    """Publication requests and the replies to them."""

    list_display = ("submission", "state", "requested_by", "requested_at", "anonymous_until", "decided_by")
    list_filter = ("state",)


@admin.register(Anomaly)
class AnomalyAdmin(ReadOnlyMixin, admin.ModelAdmin):
    """Anomalies of submitted files."""

    list_display = ("file", "code", "count", "found_at")
    list_filter = ("code",)


@admin.register(AuditRecord)
class AuditRecordAdmin(ReadOnlyMixin, admin.ModelAdmin):
    """The audit log."""

    list_display = ("at", "actor_name", "action", "target")
    list_filter = ("action",)
    search_fields = ("actor_name", "target", "text")


@admin.register(ReceiptKey)
class ReceiptKeyAdmin(ReadOnlyMixin, admin.ModelAdmin):
    """The public keys that receipts were signed with."""

    list_display = ("fingerprint", "public_key", "since")


@admin.register(Receipt)
class ReceiptAdmin(ReadOnlyMixin, admin.ModelAdmin):
    """Receipts, as issued."""

    list_display = ("submission", "issued_at", "key")
    list_select_related = ("submission", "key")
    date_hierarchy = "issued_at"


@admin.register(RateCount)
class RateCountAdmin(ReadOnlyMixin, admin.ModelAdmin):
    """What clients used of rate limits, where no Redis counts it."""

    list_display = ("key", "amount", "expires_at")
