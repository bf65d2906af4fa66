"""Submissions: their files, events, publications and anomalies."""

import uuid
from pathlib import PurePosixPath
from typing import ClassVar

from django.db import models
from django.urls import reverse
from django.utils import timezone

from leaderboard.models.people import Team, User
from leaderboard.models.systems import SystemFields
from scoring.generations.problems import FROM_LOG
from scoring.models import AnswerSet, PassageFile, Setting, Split


class Submission(SystemFields):
    """A submission of generations, with the system's metadata at that time."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.ForeignKey(User, on_delete=models.PROTECT, related_name="submissions")
    team = models.ForeignKey(
        Team,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="submissions",
        help_text="The team that owns it; empty if the owner alone does.",
    )
    split = models.ForeignKey(Split, on_delete=models.PROTECT, related_name="submissions")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    withdrawn_at = models.DateTimeField(null=True, blank=True)
    notified_at = models.DateTimeField(
        null=True, blank=True, help_text="When the owner was notified by email that scoring is finished."
    )

    class Meta:
        ordering: ClassVar = ["-created_at"]
        indexes: ClassVar = [
            models.Index(fields=["created_at"], name="submission_created"),
            models.Index(fields=["split"], condition=models.Q(withdrawn_at__isnull=False), name="submission_withdrawn"),
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.created_at:%Y-%m-%d})"

    def get_absolute_url(self) -> str:
        return reverse("submission", args=[self.pk])


def upload_path(instance: "SubmissionFile", filename: str) -> str:
    """The path of an original file: from its submission, setting and version, not the client's file name."""
    del filename
    version = f".{instance.version}" if instance.version > 1 else ""
    name = f"{instance.setting.slug}{version}.upload"
    return str(PurePosixPath("submissions", str(instance.submission_id), name))


class SubmissionFile(models.Model):
    """An uploaded generations file, byte for byte, and the answer set that was read from it.

    A newer version does not delete it: ``replaced_at`` is the time when it was replaced.
    """

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="files")
    setting = models.ForeignKey(Setting, on_delete=models.PROTECT, related_name="+")
    answer_set = models.OneToOneField(AnswerSet, on_delete=models.PROTECT, related_name="submission_file")
    original = models.FileField(upload_to=upload_path)
    version = models.PositiveIntegerField(default=1)
    sent_at = models.DateTimeField(default=timezone.now, editable=False, help_text="Equal for files sent together.")
    sent_by = models.ForeignKey(
        User,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        help_text="Who sent the file; if empty, the submission's owner.",
    )
    imported = models.BooleanField(default=False, help_text="Imported by a command: it counts against no quota.")
    counts_hidden = models.BooleanField(
        default=False, help_text="Sent for a hidden split, and counted by its quota of files."
    )
    counts_for_sender = models.BooleanField(
        default=True, help_text="Not for a team with a quota of its own: then it counts for that team alone."
    )
    replaced_at = models.DateTimeField(null=True, blank=True, help_text="When a newer version replaced it.")
    filename = models.CharField(max_length=255)
    size = models.PositiveBigIntegerField(help_text="In bytes, as sent.")
    text_size = models.PositiveBigIntegerField(
        null=True, blank=True, help_text="In bytes of text; empty for files sent before this was recorded."
    )
    compression = models.CharField(max_length=10, blank=True, help_text="gzip, or empty.")
    sha256 = models.CharField(max_length=64)
    n_lines = models.PositiveIntegerField()
    n_questions = models.PositiveIntegerField()
    n_answered = models.PositiveIntegerField()
    warnings = models.JSONField(default=list, help_text="The groups of warnings reported when the file was sent.")
    anomalies_checked_at = models.DateTimeField(
        null=True, blank=True, editable=False, help_text="When it was last checked for anomalies."
    )

    class Meta:
        ordering: ClassVar = ["submission", "setting__position"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["submission", "setting", "version"], name="one_file_per_setting_and_version_in_submission"
            ),
            models.UniqueConstraint(
                fields=["submission", "setting"],
                condition=models.Q(replaced_at__isnull=True),
                name="one_current_file_per_setting_in_submission",
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["sent_at"], name="submissionfile_sent"),
            models.Index(
                fields=["answer_set"], condition=models.Q(replaced_at__isnull=False), name="submissionfile_replaced"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.filename} ({self.setting})"

    @property
    def is_from_log(self) -> bool:
        """Whether it was made from the log of a framework."""
        return any(group["code"] == FROM_LOG for group in self.warnings)

    @property
    def passages(self) -> PassageFile | None:
        """The file of passages that was sent with it; a query unless it was selected too."""
        return getattr(self.answer_set, "passage_file", None)

    @property
    def digests(self) -> tuple[str, str]:
        """The hashes of the file and of its passages; empty without any."""
        return self.sha256, self.passages.sha256 if self.passages else ""


class Event(models.Model):
    """An event in the history of a submission: append-only, shown to its owner."""

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="events")
    at = models.DateTimeField(default=timezone.now, editable=False)
    actor = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    text = models.CharField(max_length=400)

    class Meta:
        ordering: ClassVar = ["at", "pk"]

    def __str__(self) -> str:
        return self.text


class PublicationState(models.TextChoices):
    """The state of a publication request."""

    PENDING = "pending", "Awaiting approval by a maintainer"
    APPROVED = "approved", "Approved"
    JOINING = "joining", "Approved, on the board once it shows the current revision"
    RETURNED = "returned", "Returned with a message"
    RETRACTED = "retracted", "Retracted"
    TAKEN_BACK = "taken_back", "Withdrawn by the submitter"


class Publication(models.Model):
    """An owner's request to publish a submission, its options, and a maintainer's reply. The newest one counts."""

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="publications")
    requested_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, related_name="+")
    requested_at = models.DateTimeField(default=timezone.now, editable=False)
    shows_answers = models.BooleanField(default=False, help_text="With the generations, on a split that is not hidden.")
    anonymous_until = models.DateField(
        null=True, blank=True, help_text="Under a pseudonym until this day (UTC), for double-blind review."
    )
    shows_traits = models.BooleanField(
        default=False,
        help_text="Whether its type, context size and function-calling training are shown while it is anonymous.",
    )
    revealed_at = models.DateTimeField(null=True, blank=True, help_text="When the pseudonym was replaced by the name.")
    state = models.CharField(max_length=10, choices=PublicationState, default=PublicationState.PENDING)
    message = models.TextField(blank=True, help_text="To the submitter.")
    public_note = models.TextField(blank=True, help_text="Public reason for the retraction.")
    decided_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    decided_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["submission", "requested_at", "pk"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["submission"],
                condition=models.Q(state="pending"),
                name="one_pending_publication_per_submission",
            )
        ]
        indexes: ClassVar = [
            models.Index(
                fields=["submission"],
                condition=models.Q(state=PublicationState.JOINING),
                name="publication_joining",
            ),
            models.Index(
                fields=["-decided_at", "submission"],
                condition=models.Q(decided_by__isnull=False),
                name="publication_decided",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.submission}: {self.get_state_display()}"


class Anomaly(models.Model):
    """Something unusual in a file that a maintainer should check: a flag. Found when it is sent, or by a worker.

    Some make the file's scores or its rank wait (`leaderboard.publishing.flags`).
    """

    file = models.ForeignKey(SubmissionFile, on_delete=models.CASCADE, related_name="anomalies")
    code = models.CharField(max_length=40, help_text="same_file, same_answers, repeated_answer, or a sign of probing.")
    count = models.PositiveIntegerField(help_text="Number of answers.")
    details = models.JSONField(
        default=dict, help_text="Ids of questions and of other submissions; no answers or references."
    )
    found_at = models.DateTimeField(default=timezone.now)
    reason = models.TextField(
        blank=True, help_text="Why a maintainer confirmed it, as the submitter sees it; dismissed flags are deleted."
    )

    class Meta:
        db_table = "leaderboard_oddity"
        ordering: ClassVar = ["file", "code"]
        verbose_name_plural = "anomalies"
        constraints: ClassVar = [models.UniqueConstraint(fields=["file", "code"], name="one_oddity_of_a_kind_per_file")]
        indexes: ClassVar = [
            models.Index(fields=["file"], condition=models.Q(reason=""), name="anomaly_open"),
        ]

    def __str__(self) -> str:
        return f"{self.file}: {self.code} ({self.count})"


class AuditRecord(models.Model):
    """An entry of the audit log: append-only, for maintainers. What concerns a submitter is also an `Event`."""

    at = models.DateTimeField(default=timezone.now, editable=False, db_index=True)
    actor = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    actor_name = models.CharField(max_length=150, help_text="Username at the time, or the name of the command.")
    action = models.CharField(max_length=60, help_text="For example submission.approved.")
    target = models.CharField(max_length=200, help_text="The object of the action, for example submission 3f2a….")
    text = models.TextField(blank=True)

    class Meta:
        ordering: ClassVar = ["-at", "-pk"]

    def __str__(self) -> str:
        return f"{self.at:%Y-%m-%d %H:%M} {self.actor_name}: {self.action} {self.target}"


class KnownNeed(models.Model):
    """Knowledge of maintainers about something that needs attention (`leaderboard.maintenance.needs`), by its key."""

    key = models.CharField(max_length=150, unique=True)
    read_until = models.DateTimeField(
        null=True, blank=True, help_text="Errors until this time are marked as read; empty if none are."
    )
    mailed_at = models.DateTimeField(
        null=True, blank=True, help_text="When an email to maintainers last named it; empty since it was done."
    )

    class Meta:
        ordering: ClassVar = ["key"]

    def __str__(self) -> str:
        return self.key
