"""People, systems, submissions and the rows of the board."""

import uuid
from pathlib import PurePosixPath
from typing import ClassVar

from django.contrib.auth.models import AbstractUser
from django.db import models
from django.urls import reverse
from django.utils import timezone

from scoring.models import AnswerSet, Setting, Split


class User(AbstractUser):
    """Somebody with an account: a submitter, a grader or a maintainer."""


class ApiToken(models.Model):
    """A token for the API. Only its SHA-256 is kept; the token itself is shown once, when it is made."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=100)
    prefix = models.CharField(max_length=12, help_text="The first characters, to tell tokens apart.")
    digest = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    last_used_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["-created_at"]

    def __str__(self) -> str:
        return f"{self.name} ({self.prefix}…)"


class SystemType(models.TextChoices):
    """The kinds of system of the official submission template."""

    FOUNDATION = "FOUNDATION", "Foundation model"
    FINETUNE = "FINETUNE", "Fine-tuned model"
    PROMPT = "PROMPT", "Prompting method"
    OTHER = "OTHER", "Other"


class SystemFields(models.Model):
    """What is stated about a system: the fields of the official template."""

    name = models.CharField(max_length=200)
    authors = models.TextField()
    url = models.URLField(max_length=500, blank=True)
    citation = models.TextField(blank=True)
    type = models.CharField(max_length=20, choices=SystemType, default=SystemType.FOUNDATION)
    context_size = models.PositiveBigIntegerField(null=True, blank=True, help_text="In tokens.")
    trained_for_function_calling = models.BooleanField(null=True, blank=True)
    details = models.TextField(blank=True)

    class Meta:
        abstract = True


SYSTEM_FIELDS = (
    "name",
    "authors",
    "url",
    "citation",
    "type",
    "context_size",
    "trained_for_function_calling",
    "details",
)
"""The columns that a submission and its system share."""


class System(SystemFields):
    """A system with a public page: a model, a pipeline, or people."""

    slug = models.SlugField(max_length=120, unique=True)
    owner = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, blank=True, related_name="systems")
    is_human = models.BooleanField(default=False)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering: ClassVar = ["name"]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("system", args=[self.slug])


class Submission(SystemFields):
    """One sending of generations, with what its sender said of the system at that time."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.ForeignKey(User, on_delete=models.PROTECT, related_name="submissions")
    split = models.ForeignKey(Split, on_delete=models.PROTECT, related_name="submissions")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    withdrawn_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["-created_at"]

    def __str__(self) -> str:
        return f"{self.name} ({self.created_at:%Y-%m-%d})"

    def get_absolute_url(self) -> str:
        return reverse("submission", args=[self.pk])


def upload_path(instance: "SubmissionFile", filename: str) -> str:
    """Where an original file is kept: named by its submission and setting, never by what the sender called it."""
    del filename
    return str(PurePosixPath("submissions", str(instance.submission_id), f"{instance.setting.slug}.upload"))


class SubmissionFile(models.Model):
    """An uploaded generations file, byte for byte, and the answer set that was read from it."""

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="files")
    setting = models.ForeignKey(Setting, on_delete=models.PROTECT, related_name="+")
    answer_set = models.OneToOneField(AnswerSet, on_delete=models.PROTECT, related_name="submission_file")
    original = models.FileField(upload_to=upload_path)
    filename = models.CharField(max_length=255)
    size = models.PositiveBigIntegerField()
    sha256 = models.CharField(max_length=64)
    n_lines = models.PositiveIntegerField()
    n_questions = models.PositiveIntegerField()
    n_answered = models.PositiveIntegerField()
    warnings = models.JSONField(default=list, help_text="The groups of problems that did not stop it, as reported.")

    class Meta:
        ordering: ClassVar = ["submission", "setting__position"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["submission", "setting"], name="one_file_per_setting_in_submission")
        ]

    def __str__(self) -> str:
        return f"{self.filename} ({self.setting})"


class Event(models.Model):
    """Something that happened to a submission: append-only, shown to its owner."""

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="events")
    at = models.DateTimeField(default=timezone.now, editable=False)
    actor = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    text = models.CharField(max_length=400)

    class Meta:
        ordering: ClassVar = ["at", "pk"]

    def __str__(self) -> str:
        return self.text


class EntryKind(models.TextChoices):
    """Where a row's numbers come from."""

    SCORED = "scored", "Scored here"
    REPORTED = "reported", "Reported"


class Entry(models.Model):
    """A row of the board: one system in one split and setting, with scores of ours or published numbers.

    A row that a newer one of the same system replaced keeps its time in ``replaced_at`` and leaves the board.
    """

    system = models.ForeignKey(System, on_delete=models.CASCADE, related_name="entries")
    split = models.ForeignKey(Split, on_delete=models.PROTECT, related_name="entries")
    setting = models.ForeignKey(Setting, on_delete=models.PROTECT, related_name="entries")
    kind = models.CharField(max_length=10, choices=EntryKind)
    answer_set = models.OneToOneField(
        AnswerSet, on_delete=models.PROTECT, null=True, blank=True, related_name="board_entry"
    )
    submission = models.ForeignKey(Submission, on_delete=models.PROTECT, null=True, blank=True, related_name="entries")
    source = models.CharField(max_length=400, blank=True, help_text="For reported numbers: where they were published.")
    note = models.CharField(max_length=400, blank=True)
    context_size = models.PositiveBigIntegerField(
        null=True, blank=True, help_text="Where this setting differs from the system's own."
    )
    n_answered = models.PositiveIntegerField(null=True, blank=True)
    shows_answers = models.BooleanField(
        default=False, help_text="Its owner lets everybody read the answers themselves; never on a hidden split."
    )
    published_at = models.DateTimeField(default=timezone.now)
    replaced_at = models.DateTimeField(null=True, blank=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering: ClassVar = ["split", "setting", "pk"]
        verbose_name_plural = "entries"
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["system", "split", "setting", "kind"],
                condition=models.Q(replaced_at__isnull=True),
                name="one_current_entry_per_system_split_setting_kind",
            ),
            models.CheckConstraint(
                condition=models.Q(kind=EntryKind.REPORTED, answer_set__isnull=True)
                | models.Q(kind=EntryKind.SCORED, answer_set__isnull=False),
                name="scored_entry_has_an_answer_set",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.system}: {self.split}, {self.setting}"


class ReportedValue(models.Model):
    """A published number, as printed: never as scored here. A dash in the source is no row at all."""

    entry = models.ForeignKey(Entry, on_delete=models.CASCADE, related_name="reported_values")
    name = models.CharField(max_length=60, help_text="The score's name, for example rouge1.fscore.")
    value = models.FloatField()

    class Meta:
        ordering: ClassVar = ["entry", "pk"]
        constraints: ClassVar = [models.UniqueConstraint(fields=["entry", "name"], name="reported_value_unique")]

    def __str__(self) -> str:
        return f"{self.name} = {self.value}"


class BoardStatistics(models.Model):
    """The statistics of one board as last computed by a worker: when, and of what.

    ``basis`` is the SHA-256 of the entries and scores they were computed of; where it is not that of the entries
    there now, they are about to be computed again.
    """

    split = models.ForeignKey(Split, on_delete=models.CASCADE, related_name="+")
    setting = models.ForeignKey(Setting, on_delete=models.CASCADE, related_name="+")
    basis = models.CharField(max_length=64)
    computed_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering: ClassVar = ["split", "setting"]
        verbose_name_plural = "board statistics"
        constraints: ClassVar = [models.UniqueConstraint(fields=["split", "setting"], name="one_statistics_per_board")]

    def __str__(self) -> str:
        return f"{self.split}, {self.setting}: {self.computed_at:%Y-%m-%d %H:%M}"


class Standing(models.Model):
    """Where a row stands in one column among the systems scored under the same signature."""

    board = models.ForeignKey(BoardStatistics, on_delete=models.CASCADE, related_name="standings")
    entry = models.ForeignKey(Entry, on_delete=models.CASCADE, related_name="standings")
    name = models.CharField(max_length=60, help_text="The score's name, for example rouge1.fscore.")
    rank = models.PositiveIntegerField()
    best_rank = models.PositiveIntegerField(help_text="The lower end of the 95 % range of ranks over the resamples.")
    worst_rank = models.PositiveIntegerField()
    best = models.BooleanField(help_text="Has the highest value.")
    marked = models.BooleanField(help_text="The best, or not significantly different from it.")
    p_value = models.FloatField(help_text="Of the difference from the best, Holm-corrected.")
    noise = models.FloatField(
        null=True, blank=True, help_text="Standard deviation of the value over repeated judgings, where there are any."
    )
    n_repeats = models.PositiveIntegerField(default=0, help_text="How often the same answers were judged again.")

    class Meta:
        ordering: ClassVar = ["board", "name", "rank"]
        constraints: ClassVar = [models.UniqueConstraint(fields=["entry", "name"], name="one_standing_per_cell")]

    def __str__(self) -> str:
        return f"{self.entry}: {self.name}, rank {self.rank} ({self.best_rank} to {self.worst_rank})"


class BoardState(models.Model):
    """A board as it stood at one time, kept for ever under its own address so that a paper can cite it."""

    split = models.ForeignKey(Split, on_delete=models.PROTECT, related_name="+")
    setting = models.ForeignKey(Setting, on_delete=models.PROTECT, related_name="+")
    taken_at = models.DateTimeField(default=timezone.now)
    digest = models.CharField(max_length=64, help_text="SHA-256 of the content.")
    content = models.BinaryField(help_text="The board as JSON, gzip-compressed.")
    n_rows = models.PositiveIntegerField()

    class Meta:
        ordering: ClassVar = ["split", "setting", "taken_at"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["split", "setting", "digest"], name="board_state_unique")
        ]

    def __str__(self) -> str:
        return f"{self.split}, {self.setting} on {self.taken_at:%Y-%m-%d}: {self.digest[:8]}"


class IdempotentRequest(models.Model):
    """A request that names itself by a key, so that sending it again gives the first answer and does nothing twice."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    key = models.CharField(max_length=255)
    fingerprint = models.CharField(max_length=64, help_text="SHA-256 of what was sent with the key.")
    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, null=True, blank=True, related_name="+")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering: ClassVar = ["-created_at"]
        constraints: ClassVar = [models.UniqueConstraint(fields=["user", "key"], name="idempotency_key_unique")]

    def __str__(self) -> str:
        return f"{self.user}: {self.key[:40]}"
