"""The maintainers' view of the public site."""

from typing import Any, ClassVar

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.forms import BaseInlineFormSet
from django.http import HttpRequest

from leaderboard.access import is_maintainer, signed_in_user
from leaderboard.accounts import admin as accounts  # noqa: F401 - registers what is about accounts
from leaderboard.accounts.teams.services import revoke_invitations_to
from leaderboard.board.staleness import mark_entries, mark_split
from leaderboard.models import (
    Anomaly,
    ApiToken,
    AuditRecord,
    BoardChange,
    BoardDocument,
    BoardSnapshot,
    BoardStatistics,
    CorrectedScore,
    DraftReader,
    Entry,
    EntryKind,
    Event,
    FactsChange,
    IdempotentRequest,
    KnownNeed,
    Mail,
    Membership,
    Publication,
    QuotaException,
    RateCount,
    ReportedValue,
    Standing,
    Submission,
    SubmissionFile,
    System,
    Team,
    TeamInvitation,
    TeamRole,
)
from leaderboard.models.systems import validate_attributes
from leaderboard.operations import audit
from leaderboard.submissions.deletion import delete_submission
from scoring.admin import GrowingMixin, ReadOnlyMixin, SplitAdmin, read_only
from scoring.benchmarks.facts import FROM_LOG, read_facts
from scoring.models import AnswerSet, Baseline, BudgetRelease, Setting, Split
from scoring.runs.judging import baselines

# API tokens by user; the tokens themselves are not stored.
read_only(
    ApiToken,
    "name user scope prefix created_at last_used_at expires_at revoked_at",
    search="name user__username",
    without="digest",
)


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
        mark_entries(self.entries_of(list(queryset)))
        super().delete_queryset(request, queryset)  # type: ignore[misc]


admin.site.unregister(Split)


@admin.register(Split)
class ShownSplitAdmin(SplitAdmin):
    """Splits, whose boards follow what they round to and withhold."""

    def save_model(self, request: HttpRequest, obj: Split, form: Any, change: bool) -> None:
        super().save_model(request, obj, form, change)
        mark_split(obj.pk)


@admin.register(BudgetRelease)
class NamedReleaseAdmin(ReadOnlyMixin, admin.ModelAdmin):
    """Maintainers' releases of runs over budget, given on the page of the judge."""

    list_display = ("of", "limit_usd", "by", "created_at")
    list_select_related = tuple(f"run__{path}" for path in audit.OF_RUN)

    @admin.display(description="run")
    def of(self, release: BudgetRelease) -> str:
        return audit.run_in_words(release.run)


class StatedForm(forms.ModelForm):
    """A form in which attributes and run facts may be emptied."""

    def clean_attributes(self) -> Any:
        return self.cleaned_data["attributes"] or {}

    def clean_run_facts(self) -> Any:
        facts = self.cleaned_data["run_facts"] or {}
        validate_attributes(facts)
        from_log = str(facts.pop(FROM_LOG, "")).split()
        values, expected = read_facts(facts)
        if expected:
            raise forms.ValidationError([f"{name}: enter {text}." for name, text in expected.items()])
        before = self.instance.run_facts
        read = [name for name in from_log if name in values and values[name] == before.get(name)]
        return values | ({FROM_LOG: " ".join(read)} if read else {})


@admin.register(System)
class SystemAdmin(ShownOnBoardsMixin, GrowingMixin, admin.ModelAdmin):
    form = StatedForm

    def entries_of(self, changed: Any) -> QuerySet[Entry]:
        return Entry.objects.filter(system__in=changed, replaced_at=None)

    list_display = ("name", "type", "owner", "team", "is_human", "is_pseudonym")
    list_filter = ("type", "is_human", "is_pseudonym")
    list_select_related = ("owner", "team")
    search_fields = ("name", "authors")
    raw_id_fields = ("owner", "team")
    readonly_fields = ("is_pseudonym", "revealed_as")

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """The slug of an existing system cannot be changed: others link to it."""
        return [*super().get_readonly_fields(request, obj), *(["slug"] if obj else [])]


class SubmissionFileInline(ReadOnlyMixin, admin.TabularInline):
    model = SubmissionFile
    fields = ("setting", "version", "filename", "size", "sha256", "n_answered", "n_questions", "sent_by", "replaced_at")


class EventInline(ReadOnlyMixin, admin.TabularInline):
    model = Event
    fields = readonly_fields = ("at", "actor", "text")


@admin.register(Submission)
class SubmissionAdmin(GrowingMixin, admin.ModelAdmin):
    form = StatedForm
    ordering = ("-created_at",)

    list_display = ("name", "owner", "team", "split", "created_at", "withdrawn_at")
    list_filter = ("split", "type", "created_at")
    list_select_related = ("owner", "team", "split__benchmark")
    search_fields = ("name", "authors", "owner__username", "team__name")
    readonly_fields = ("owner", "team", "split", "created_at", "withdrawn_at", "notified_at")
    inlines: ClassVar = [SubmissionFileInline, EventInline]
    actions = ("compare_all_pairs",)

    def has_compare_permission(self, request: HttpRequest) -> bool:
        """Whether somebody may order comparisons, which cost money."""
        return is_maintainer(request.user)

    @admin.action(
        description="Compare all pairs side by side, as far as what is left of this month's cap goes",
        permissions=["compare"],
    )
    def compare_all_pairs(self, request: HttpRequest, queryset: QuerySet[Submission]) -> None:
        """Create the runs that compare all pairs of the selected submissions on each board, with an audit record."""
        files = SubmissionFile.objects.filter(submission__in=queryset, replaced_at=None).order_by("sent_at")
        boards: dict[tuple[Split, Setting], list[AnswerSet]] = {}
        for file in files.select_related("setting", "answer_set", "submission__split__benchmark"):
            boards.setdefault((file.submission.split, file.setting), []).append(file.answer_set)
        for (split, setting), answer_sets in boards.items():
            try:
                made, cost = baselines.compare_within_cap(split, answer_sets)
            except ValueError as error:  # they cannot be compared, or the cost cannot be estimated
                self.message_user(request, f"{split}, {setting}: {error}", messages.ERROR)
                continue
            usd = "unknown" if cost.usd is None else f"about {cost.usd:.2f} USD"
            told = f"{len(made)} of the pairs are queued: {cost.n_calls:,} requests, {usd}."
            if made:
                audit.record(signed_in_user(request), "comparisons.ordered", f"split {split}", f"{setting}: {told}")
            self.message_user(request, f"{split}, {setting}: {told}")

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> tuple[Any, Any, set[str], list[str]]:
        """The related records belong to the site itself, so the right to delete submissions is sufficient."""
        summaries = [
            f"{submission}: including its {submission.files.count()} files, their answers and scores, "
            f"and {submission.entries.count()} leaderboard rows"
            for submission in objs
        ]
        needed = set() if self.has_delete_permission(request) else {"submission"}
        compared = Baseline.objects.filter(
            answer_set__submission_file__submission__in=[submission.pk for submission in objs]
        )
        protected = [f"The baseline of {baseline.split}: choose another one first" for baseline in compared]
        return summaries, {"submissions": len(summaries)}, needed, protected

    def delete_model(self, request: HttpRequest, obj: Submission) -> None:
        delete_submission(obj, actor=signed_in_user(request), reason="deleted in the administration")

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Submission]) -> None:
        for submission in queryset:
            self.delete_model(request, submission)


# Without the stored files: they have no address.
read_only(
    SubmissionFile,
    "filename submission setting version size n_answered n_questions replaced_at",
    filters="setting",
    related="submission setting",
    without="original",
    grows=True,
)
# Exceptions from the weekly quota; they are created and ended on the page for quotas.
read_only(DraftReader, "benchmark user invited_by invited_at", filters="benchmark", related="benchmark user invited_by")
read_only(QuotaException, "__str__ made_by made_at note", filters="benchmark", related="benchmark team user made_by")
read_only(FactsChange, "at actor_name system submission", filters="at", related="system submission", grows=True)
read_only(Event, "at submission actor text", filters="at", related="submission actor", grows=True)


class ReportedValueInline(admin.TabularInline):
    model = ReportedValue
    extra = 0


@admin.register(Entry)
class EntryAdmin(ShownOnBoardsMixin, GrowingMixin, admin.ModelAdmin):
    """Rows of the board, including replaced ones. Those of submissions are made by publication and retracted in
    moderation."""

    def entries_of(self, changed: Any) -> QuerySet[Entry]:
        return Entry.objects.filter(pk__in=[publication.pk for publication in changed])

    list_display = ("system", "split", "setting", "kind", "published_at", "replaced_at", "retracted_at")
    readonly_fields = ("answer_set", "submission", "shows_answers", "retracted_at", "retraction_note", "updated_at")
    list_filter = ("split", "setting", "kind")
    list_select_related = ("system", "split__benchmark", "setting")
    search_fields = ("system__name",)
    raw_id_fields = ("system",)
    inlines: ClassVar = [ReportedValueInline]

    def get_readonly_fields(self, request: HttpRequest, obj: Entry | None = None) -> tuple[str, ...]:
        scored = obj is not None and obj.kind == EntryKind.SCORED
        placed = ("system", "split", "setting", "kind", "published_at", "replaced_at") if scored else ()
        return self.readonly_fields + placed

    def formfield_for_choice_field(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        """The kinds of rows that can be made here."""
        if db_field.name == "kind":
            kwargs["choices"] = [choice for choice in EntryKind.choices if choice[0] != EntryKind.SCORED]
        return super().formfield_for_choice_field(db_field, request, **kwargs)


@admin.register(ReportedValue)
class ReportedValueAdmin(ShownOnBoardsMixin, admin.ModelAdmin):
    def entries_of(self, changed: Any) -> QuerySet[Entry]:
        return Entry.objects.filter(reported_values__in=changed)

    list_display = ("entry", "name", "value")
    list_select_related = ("entry__system", "entry__split__benchmark", "entry__setting")
    list_filter = ("name",)
    raw_id_fields = ("entry",)


read_only(BoardStatistics, "split setting computed_at fingerprint", without="categories")
read_only(CorrectedScore, "score value low high n_graded source made_at", related="score")
read_only(Standing, "entry name rank best_rank worst_rank p_value", filters="board name")
read_only(BoardSnapshot, "split setting taken_at n_rows digest", without="content")
read_only(BoardDocument, "split setting written_at serial n_systems", without="content times")
# Changes that boards do not show yet: they last a moment, or longer if no worker runs.
read_only(BoardChange, "split setting made_at")
# Emails that wait to be sent, without what they say.
read_only(Mail, "kind user subject created_at due_at", filters="kind", without="text")
read_only(IdempotentRequest, "user key submission created_at")


class MembersFormSet(BaseInlineFormSet):
    """The members of a team, of whom one remains its owner."""

    def clean(self) -> None:
        super().clean()
        rows = [form.cleaned_data for form in self.forms if form.is_valid() and form.cleaned_data]
        owners = [row for row in rows if row["role"] == TeamRole.OWNER and not row.get("DELETE")]
        if rows and not any(row["user"].is_active for row in owners):
            raise ValidationError("A team must have an owner who can sign in. Make another member an owner.")

    def delete_existing(self, obj: Membership, commit: bool = True) -> None:
        """Remove a member, who cannot join again by an earlier invitation."""
        revoke_invitations_to(obj)
        super().delete_existing(obj, commit)


class MembershipInline(admin.TabularInline):
    model = Membership
    formset = MembersFormSet
    raw_id_fields = ("user",)
    extra = 0


@admin.register(Team)
class TeamAdmin(admin.ModelAdmin):
    list_display = ("name", "slug", "created_at")
    search_fields = ("name", "memberships__user__username")
    inlines: ClassVar = [MembershipInline]


# Memberships of teams; they are changed on the page of the team.
read_only(Membership, "team user role joined_at", filters="role")
# Invitations to teams; the links themselves are not stored.
read_only(TeamInvitation, "email team invited_by created_at expires_at accepted_at revoked_at", without="digest")
read_only(
    Publication,
    "submission state requested_by requested_at anonymous_until decided_by",
    filters="state",
    related="submission requested_by decided_by",
    grows=True,
)
read_only(
    Anomaly,
    "file code count found_at",
    filters="code",
    related="file__submission file__setting",
    grows=True,
)
# What maintainers have marked as read, and what an email has reported to them.
read_only(KnownNeed, "key read_until mailed_at", search="key")
read_only(AuditRecord, "at actor_name action target", filters="action", search="actor_name target text")
# What clients used of rate limits, where no Redis counts it.
read_only(RateCount, "key amount expires_at")
