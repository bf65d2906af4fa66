"""Rows of the board, scored here or reported."""

from typing import ClassVar

from django.db import models
from django.utils import timezone

from leaderboard.models.submissions import Submission
from leaderboard.models.systems import System
from scoring.models import AnswerSet, Setting, Split


class EntryKind(models.TextChoices):
    """The source of a row's scores."""

    SCORED = "scored", "Scored on this site"
    REPORTED = "reported", "Reported"
    GRADED = "graded", "Graded by hand"


class EntryQuerySet(models.QuerySet["Entry"]):
    """Rows of boards."""

    def of_systems(self, *slugs: str) -> "EntryQuerySet":
        """The rows of systems, by slug, and of the systems that were merged into them. One query for the systems: with
        one condition over both of their names, PostgreSQL reads all systems."""
        named, merged = System.objects.filter(slug__in=slugs), System.objects.filter(same_as__slug__in=slugs)
        systems = named.order_by().values_list("pk", flat=True).union(merged.order_by().values_list("pk", flat=True))
        return self.filter(system__in=list(systems))

    def newest_of_system(self, slug: str) -> "Entry | None":
        """The newest of these rows that a board shows under this slug: none if the system was merged into another."""
        shown = models.Q(system__slug=slug, system__same_as=None) | models.Q(system__same_as__slug=slug)
        rows = self.filter(shown).order_by("-published_at", "-pk")[:1].with_merged_systems()
        return rows[0] if rows else None

    def with_merged_systems(self) -> "list[Entry]":
        """These rows, each with the system that its own was merged into, if it was."""
        rows = list(self.select_related("system__same_as"))
        for row in rows:
            row.system = row.system.same_as or row.system
        return rows


class Entry(models.Model):
    """A row of the board: one system in one split and setting, with our scores, published scores, or grades by hand.

    A system may have one row of each source on a board: they are alternatives, and the board shows the best evidence
    first (`leaderboard.board.sources`). When a newer row of the same system and source replaces a row, ``replaced_at``
    records the time and the row leaves the board.
    """

    system = models.ForeignKey(System, on_delete=models.CASCADE, related_name="entries")
    split = models.ForeignKey(Split, on_delete=models.PROTECT, related_name="entries")
    setting = models.ForeignKey(Setting, on_delete=models.PROTECT, related_name="entries")
    kind = models.CharField(max_length=10, choices=EntryKind)
    answer_set = models.OneToOneField(
        AnswerSet, on_delete=models.PROTECT, null=True, blank=True, related_name="board_entry"
    )
    submission = models.ForeignKey(Submission, on_delete=models.PROTECT, null=True, blank=True, related_name="entries")
    source = models.CharField(
        max_length=400, blank=True, help_text="For reported rows: where the scores were published."
    )
    is_official = models.BooleanField(
        default=False, help_text="For reported rows: from the benchmark's official results, not from a paper."
    )
    note = models.CharField(max_length=400, blank=True)
    context_size = models.PositiveBigIntegerField(
        null=True, blank=True, help_text="How this setting differs from the system's general description."
    )
    n_answered = models.PositiveIntegerField(null=True, blank=True)
    shows_answers = models.BooleanField(
        default=False, help_text="Whether the owner has made the answers public; never on a hidden split."
    )
    published_at = models.DateTimeField(default=timezone.now)
    replaced_at = models.DateTimeField(null=True, blank=True)
    retracted_at = models.DateTimeField(null=True, blank=True)
    retraction_note = models.TextField(blank=True, help_text="Public reason for the retraction.")
    updated_at = models.DateTimeField(auto_now=True)

    objects = EntryQuerySet.as_manager()

    class Meta:
        ordering: ClassVar = ["split", "setting", "pk"]
        verbose_name_plural = "entries"
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["system", "split", "setting", "kind", "source"],
                condition=models.Q(replaced_at__isnull=True),
                name="one_current_entry_per_system_board_and_source",
            ),
            models.CheckConstraint(
                condition=models.Q(kind__in=[EntryKind.REPORTED, EntryKind.GRADED], answer_set__isnull=True)
                | models.Q(kind=EntryKind.SCORED, answer_set__isnull=False),
                name="scored_entry_has_an_answer_set",
            ),
        ]
        indexes: ClassVar = [
            models.Index(
                fields=["split", "setting", "published_at"],
                condition=models.Q(replaced_at=None),
                name="entry_of_board",
            ),
            # Of feeds. Its second condition, which the first one implies, keeps it for them: where PostgreSQL looks
            # for a board's first row, it would read this index through.
            models.Index(
                fields=["-published_at", "-id"],
                condition=models.Q(replaced_at=None, retracted_at=None),
                name="newest_entry",
            ),
            models.Index(
                fields=["-published_at", "submission"],
                condition=models.Q(replaced_at=None, submission__isnull=False),
                name="entry_of_submission",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.system}: {self.split}, {self.setting}"


class ReportedValue(models.Model):
    """A published score, as printed, or the mean of grades by hand; never a metric's score. A dash in the source has no
    row."""

    entry = models.ForeignKey(Entry, on_delete=models.CASCADE, related_name="reported_values")
    name = models.CharField(max_length=60, help_text="The score's name, for example rouge1.fscore.")
    value = models.FloatField()
    low = models.FloatField(null=True, blank=True, help_text="Lower end of the 95 % interval, if it is known.")
    high = models.FloatField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["entry", "pk"]
        constraints: ClassVar = [models.UniqueConstraint(fields=["entry", "name"], name="reported_value_unique")]

    def __str__(self) -> str:
        return f"{self.name} = {self.value}"
