"""Boards: their documents, pending changes, statistics, standings and snapshots; and idempotency keys."""

from typing import ClassVar

from django.db import models
from django.utils import timezone

from leaderboard.models.entries import Entry
from leaderboard.models.people import User
from leaderboard.models.submissions import Submission
from scoring.models import Score, Setting, Split


class BoardStatistics(models.Model):
    """The statistics of one board as last computed by a worker, with their time and inputs.

    ``fingerprint`` is a digest of the scores that they were computed from
    (`leaderboard.board.inputs.BoardInputs.numbers`); if it differs from that of the current scores, they are about
    to be computed again.
    """

    split = models.ForeignKey(Split, on_delete=models.CASCADE, related_name="+")
    setting = models.ForeignKey(Setting, on_delete=models.CASCADE, related_name="+")
    fingerprint = models.CharField(max_length=64)
    computed_at = models.DateTimeField(default=timezone.now)
    categories = models.BinaryField(
        null=True,
        blank=True,
        help_text="Means by question category, for every row and column: JSON, gzip-compressed; see "
        "leaderboard.board.charts.categories.",
    )
    deviations = models.JSONField(
        default=dict,
        blank=True,
        help_text="By score: the median standard deviation of paired differences between systems; see "
        "scoring.statistics.detectable_difference.",
    )
    ranking = models.BinaryField(
        null=True,
        blank=True,
        help_text="The ranking by a judge that compares systems two at a time: JSON, gzip-compressed; see "
        "leaderboard.board.ranking. Empty where nothing is compared.",
    )

    class Meta:
        ordering: ClassVar = ["split", "setting"]
        verbose_name_plural = "board statistics"
        constraints: ClassVar = [models.UniqueConstraint(fields=["split", "setting"], name="one_statistics_per_board")]

    def __str__(self) -> str:
        return f"{self.split}, {self.setting}: {self.computed_at:%Y-%m-%d %H:%M}"


class Standing(models.Model):
    """A row's rank in one column among the systems scored under the same signature."""

    board = models.ForeignKey(BoardStatistics, on_delete=models.CASCADE, related_name="standings")
    entry = models.ForeignKey(Entry, on_delete=models.CASCADE, related_name="standings")
    name = models.CharField(max_length=60, help_text="The score's name, for example rouge1.fscore.")
    rank = models.PositiveIntegerField()
    best_rank = models.PositiveIntegerField(help_text="Best rank of the 95 % rank range.")
    worst_rank = models.PositiveIntegerField()
    tie_group = models.PositiveIntegerField(
        null=True, blank=True, help_text="Group of statistical ties, from 1 in the order of ranks."
    )
    p_value = models.FloatField(
        help_text="Smallest p-value of the differences from better systems, corrected for all pairs of systems."
    )

    class Meta:
        ordering: ClassVar = ["board", "name", "rank"]
        constraints: ClassVar = [models.UniqueConstraint(fields=["entry", "name"], name="one_standing_per_cell")]

    def __str__(self) -> str:
        return f"{self.entry}: {self.name}, rank {self.rank} ({self.best_rank} to {self.worst_rank})"

    @property
    def marked(self) -> bool:
        """Whether it is the best, or not significantly worse."""
        return self.best_rank == 1


class CorrectedScore(models.Model):
    """An estimate of a judge's score if people had given all verdicts, based on the grades that they gave.

    Shown beside the score, never in its place. See `scoring.statistics.corrected_mean` and `corrected_total`.
    """

    score = models.OneToOneField(Score, on_delete=models.CASCADE, related_name="corrected")
    value = models.FloatField()
    low = models.FloatField(help_text="Lower end of the 95 % confidence interval.")
    high = models.FloatField()
    n_graded = models.PositiveIntegerField(help_text="Number of answers graded by people.")
    n_judged = models.PositiveIntegerField(help_text="Number of answers judged only by the judge.")
    origin = models.CharField(
        max_length=120, db_index=True, help_text="What produced the value, for example round spring."
    )
    source = models.CharField(max_length=300, help_text="Public source of the grades.")
    made_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering: ClassVar = ["score"]

    def __str__(self) -> str:
        return f"{self.score}: {self.value} ({self.source})"


class BoardSnapshot(models.Model):
    """A snapshot: a board at one time, stored permanently under its own URL so that a paper can cite it."""

    split = models.ForeignKey(Split, on_delete=models.PROTECT, related_name="+")
    setting = models.ForeignKey(Setting, on_delete=models.PROTECT, related_name="+")
    taken_at = models.DateTimeField(default=timezone.now)
    digest = models.CharField(max_length=64, help_text="SHA-256 of the content.")
    content = models.BinaryField(help_text="The board as JSON, gzip-compressed.")
    n_rows = models.PositiveIntegerField()

    class Meta:
        db_table = "leaderboard_boardstate"
        ordering: ClassVar = ["split", "setting", "taken_at"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["split", "setting", "digest"], name="board_state_unique")
        ]

    def __str__(self) -> str:
        return f"{self.split}, {self.setting} on {self.taken_at:%Y-%m-%d}: {self.digest[:8]}"


class BoardDocument(models.Model):
    """A board's document, with all of its rows and columns: written by a worker, and all that pages read of a board.

    There is one per board and format, replaced by each new version; versions of the site with different formats can run
    side by side. A writer increments ``serial``, and writes only if no other process has written since it read the
    document.
    """

    split = models.ForeignKey(Split, on_delete=models.CASCADE, related_name="+")
    setting = models.ForeignKey(Setting, on_delete=models.CASCADE, related_name="+")
    format = models.PositiveSmallIntegerField(help_text="See leaderboard.board.document.FORMAT.")
    serial = models.PositiveBigIntegerField(default=1)
    fingerprint = models.CharField(max_length=64, help_text="Digest of all inputs.")
    content = models.BinaryField(help_text="JSON, gzip-compressed; see leaderboard.board.document.")
    n_systems = models.PositiveIntegerField(help_text="Rows that are not human rows.")
    written_at = models.DateTimeField(default=timezone.now)
    settled_at = models.DateTimeField(
        null=True,
        blank=True,
        editable=False,
        help_text="When it was last compared with its inputs and its statistics were complete; empty until they are.",
    )
    snapshot = models.ForeignKey(
        BoardSnapshot,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        help_text="The newest snapshot.",
    )
    snapshot_fingerprint = models.CharField(
        max_length=32, blank=True, help_text="Digest of the inputs of that snapshot."
    )

    class Meta:
        ordering: ClassVar = ["split", "setting", "format"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["split", "setting", "format"], name="one_document_per_board_and_format")
        ]

    def __str__(self) -> str:
        return f"{self.split}, {self.setting}: {self.written_at:%Y-%m-%d %H:%M}"


class BoardChange(models.Model):
    """A change that a board's document does not show yet: while there is one, the board is stale.

    Each change is a row of its own, so that two concurrent changes neither wait for nor hide each other; it is deleted
    in the transaction that writes the document with the change.
    """

    split = models.ForeignKey(Split, on_delete=models.CASCADE, related_name="+")
    setting = models.ForeignKey(Setting, on_delete=models.CASCADE, related_name="+")
    made_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering: ClassVar = ["pk"]

    def __str__(self) -> str:
        return f"{self.split}, {self.setting}: {self.made_at:%Y-%m-%d %H:%M:%S}"


class IdempotentRequest(models.Model):
    """A request with an idempotency key: repeating it returns the first response and has no further effect."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    key = models.CharField(max_length=255)
    fingerprint = models.CharField(max_length=64, help_text="SHA-256 of the content sent with the key.")
    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, null=True, blank=True, related_name="+")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering: ClassVar = ["-created_at"]
        constraints: ClassVar = [models.UniqueConstraint(fields=["user", "key"], name="idempotency_key_unique")]

    def __str__(self) -> str:
        return f"{self.user}: {self.key[:40]}"
