"""People in a study: invitations, participants, and their mail addresses in a separate table."""

import datetime
import uuid
from typing import ClassVar, Final

from django.db import models
from django.utils import timezone

from humaneval.models.studies import Study
from leaderboard.models import User

PREVIEW_NUMBERS_FROM: Final = 2_000_000_000
"""The first number of previews, far above those of participants, who are P-01, P-02, … without gaps."""


class ConsentVersion(models.Model):
    """A consent text as it was shown to a participant: numbered from 1, never changed."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="consent_versions")
    number = models.PositiveIntegerField()
    text = models.TextField()
    on_withdrawal = models.CharField(
        max_length=10, help_text="What the text promises on withdrawal: delete or anonymise."
    )
    made_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering: ClassVar = ["study", "number"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["study", "number"], name="consent_version_number_unique_in_study")
        ]

    def __str__(self) -> str:
        return f"{self.study}, consent text {self.number}"


class Participant(models.Model):
    """One participant's session in a study, over days and devices. Known as P-01, P-02, …; no account, no name."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="participants")
    number = models.PositiveIntegerField()
    is_preview = models.BooleanField(
        default=False, help_text="A maintainer's preview; takes no seat and does not count."
    )
    joined_at = models.DateTimeField(default=timezone.now, editable=False)
    last_seen_at = models.DateTimeField(null=True, blank=True)
    consent = models.ForeignKey(ConsentVersion, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    consented_at = models.DateTimeField(null=True, blank=True)
    agrees_to_publication = models.BooleanField(
        null=True, blank=True, help_text="Whether their answers may be published word for word; empty if not asked."
    )
    declined_at = models.DateTimeField(null=True, blank=True)
    instructed_at = models.DateTimeField(null=True, blank=True, help_text="When the instructions were completed.")
    practised_at = models.DateTimeField(null=True, blank=True)
    rehearsed_at = models.DateTimeField(
        null=True, blank=True, editable=False, help_text="When the participant left the practice with feedback."
    )
    attempts = models.JSONField(
        default=list,
        db_default=[],
        blank=True,
        editable=False,
        help_text="Attempts at the test: how many of its questions were right, whether that was enough, and when.",
    )
    finished_at = models.DateTimeField(null=True, blank=True)
    withdrawn_at = models.DateTimeField(null=True, blank=True)
    dropped_at = models.DateTimeField(
        null=True, blank=True, help_text="When the participant was marked as dropped out, which frees the seat."
    )
    excluded_at = models.DateTimeField(null=True, blank=True)
    exclusion_reason = models.TextField(blank=True)
    extended_until = models.DateTimeField(
        null=True, blank=True, help_text="Personal deadline, if later than the study's end."
    )
    reminded_at = models.DateTimeField(null=True, blank=True)
    receipt_code = models.CharField(
        max_length=32, unique=True, help_text="Shown at the end, as proof of participation for a reward."
    )
    platform_id = models.CharField(
        max_length=200,
        null=True,
        blank=True,
        editable=False,
        help_text="Ids of the person and of their submission on the platform that recruited them, with a space "
        "between; only in the list of approvals.",
    )
    platform_key = models.CharField(
        max_length=64,
        unique=True,
        null=True,
        blank=True,
        editable=False,
        help_text="Pseudonym in this study of the person's id on the platform: an HMAC with the site's key.",
    )

    class Meta:
        ordering: ClassVar = ["study", "number"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["study", "number"], name="participant_number_unique_in_study")
        ]

    def __str__(self) -> str:
        return self.code

    @property
    def code(self) -> str:
        """The participant's code everywhere: P-01, P-02, …; of a preview: Preview-1, Preview-2, …"""
        if self.is_preview:
            return f"Preview-{self.number - PREVIEW_NUMBERS_FROM + 1}"
        return f"P-{self.number:02}"

    @property
    def time_ends_at(self) -> datetime.datetime | None:
        """The end of the study's time limit for the participant, or their own later deadline; None without a limit."""
        limit = self.study.time_limit
        if limit is None or self.consented_at is None or self.is_preview:
            return None
        ends_at = self.consented_at + datetime.timedelta(minutes=limit)
        return max(ends_at, self.extended_until) if self.extended_until else ends_at

    def has_no_time_at(self, moment: datetime.datetime) -> bool:
        """Whether the study's time limit ended before the participant finished."""
        ends_at = self.time_ends_at
        return self.finished_at is None and ends_at is not None and moment >= ends_at


class InvitationKind(models.TextChoices):
    """The kind of a link: for one person or for many."""

    PERSONAL = "personal", "Personal"
    SHARED = "shared", "Shared, up to its limit"


class Invitation(models.Model):
    """A link to a study. Only the SHA-256 of its token is stored.

    The first use of a personal link creates its participant; each later use, on any device, resumes that session. A
    shared link creates a new participant, who gets a personal link to return by.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="invitations")
    kind = models.CharField(max_length=10, choices=InvitationKind, default=InvitationKind.PERSONAL)
    participant = models.OneToOneField(
        Participant, on_delete=models.SET_NULL, null=True, blank=True, related_name="invitation"
    )
    digest = models.CharField(max_length=64, unique=True)
    generation = models.PositiveIntegerField(
        default=1, help_text="Increased when the link is renewed; older links stop working."
    )
    limit = models.PositiveIntegerField(default=1, help_text="Maximum number of people who can join with this link.")
    n_used = models.PositiveIntegerField(default=0)
    label = models.CharField(max_length=100, blank=True, help_text="Visible to maintainers only, for example a course.")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    created_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    sent_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["study", "created_at"]
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=models.Q(n_used__lte=models.F("limit")), name="invitation_within_its_limit"
            )
        ]

    def __str__(self) -> str:
        return f"{self.study}: {self.label or self.get_kind_display()}"

    @property
    def is_personal(self) -> bool:
        return self.kind == InvitationKind.PERSONAL

    @property
    def state(self) -> str:
        if self.revoked_at is not None:
            return "revoked"
        if not self.is_personal and self.n_used >= self.limit:
            return "full"
        return "used" if self.n_used else "unused"

    @property
    def email(self) -> str:
        return self.contact.email if hasattr(self, "contact") else ""


class Contact(models.Model):
    """A participant's mail address, stored apart from answers and visits; deleted on withdrawal."""

    invitation = models.OneToOneField(Invitation, on_delete=models.CASCADE, related_name="contact")
    email = models.EmailField()
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering: ClassVar = ["invitation"]

    def __str__(self) -> str:
        return self.email


class StudyEvent(models.Model):
    """An event in a study: append-only, for its maintainers, without answers or addresses."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="events")
    participant_code = models.CharField(max_length=16, blank=True, help_text="Remains when the participant is deleted.")
    at = models.DateTimeField(default=timezone.now, editable=False)
    actor = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    text = models.CharField(max_length=400)

    class Meta:
        ordering: ClassVar = ["at", "pk"]

    def __str__(self) -> str:
        return self.text
