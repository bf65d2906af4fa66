"""Runs: one metric on one answer set, with its state and its worker's lease."""

import uuid
from typing import ClassVar, Final, Self

from django.db import models
from django.db.models.functions import Concat
from django.utils import timezone

from scoring.benchmarks import names
from scoring.models.answers import AnswerSet
from scoring.models.benchmarks import Revision
from scoring.models.run_states import RunState

RUN_NAME: Final = models.Case(
    models.When(counts=False, then=Concat("metric", models.Value(names.FURTHER_PAIR))),
    models.When(subset="", then=models.F("metric")),
    default=Concat("metric", models.Value(names.ON_SUBSET), "subset", output_field=models.CharField()),
    output_field=models.CharField(),
)
"""`Run.name` in a query that reads no instances: ``annotate(full_name=RUN_NAME)``."""


class Turn(models.Model):
    """When a worker last took a run of a party from a queue."""

    queue = models.CharField(max_length=20)
    party = models.CharField(max_length=40, blank=True)
    taken_at = models.DateTimeField()

    class Meta:
        ordering: ClassVar = ["queue", "taken_at"]
        constraints: ClassVar = [models.UniqueConstraint(fields=["queue", "party"], name="one_turn_of_a_party")]

    def __str__(self) -> str:
        return f"{self.party} in {self.queue}"


class RunQuerySet(models.QuerySet["Run"]):
    """Runs, some of which compare further pairs."""

    def counting(self) -> Self:
        """Runs whose scores boards, mails and quotas use."""
        return self.filter(counts=True)


class Run(models.Model):
    """One metric on one answer set under one signature; this table, not a message queue, defines the pending work.

    A worker claims a waiting run by a conditional UPDATE that sets ``lease_token`` and ``lease_until`` and renews them
    while it works. A run with an expired lease belongs to no worker and returns to waiting.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    answer_set = models.ForeignKey(AnswerSet, on_delete=models.CASCADE, related_name="runs")
    revision = models.ForeignKey(Revision, on_delete=models.PROTECT, related_name="runs")
    metric = models.CharField(max_length=40)
    subset = models.SlugField(
        blank=True, db_index=False, help_text="The subset whose questions are scored; empty for the whole split."
    )
    signature = models.CharField(max_length=400)
    opponent = models.ForeignKey(
        AnswerSet,
        on_delete=models.CASCADE,
        null=True,
        blank=True,
        related_name="runs_against",
        help_text="The answer set that it is compared with; empty for metrics that compare with references.",
    )
    counts = models.BooleanField(
        default=True,
        help_text="Whether boards, receipts, emails and quotas use its scores. Comparisons of further pairs do not.",
    )
    state = models.CharField(max_length=20, choices=RunState, default=RunState.WAITING)
    reason = models.TextField(
        blank=True, help_text="Why the run is waiting, failed or cannot run; shown to the submitter."
    )
    done_items = models.PositiveIntegerField(default=0)
    total_items = models.PositiveIntegerField(default=0)
    attempts = models.PositiveIntegerField(default=0)
    lease_token = models.CharField(max_length=32, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    sent_at = models.DateTimeField(null=True, blank=True, help_text="When its last message was sent to the broker.")
    times_sent = models.PositiveIntegerField(default=0)
    not_before = models.DateTimeField(null=True, blank=True, help_text="A waiting run does not start before this time.")
    n_deferrals = models.PositiveIntegerField(
        default=0, help_text="Number of consecutive returns to the queue without a result."
    )
    trouble_since = models.DateTimeField(
        null=True, blank=True, help_text="When the first of these returns was; empty without any."
    )
    too_long = models.JSONField(
        default=list,
        blank=True,
        help_text="Ids of the questions whose answers were not scored, because they took longer than the time budget.",
    )
    retry_requested_at = models.DateTimeField(
        null=True, blank=True, help_text="When a retry was requested; earlier failures do not count against it."
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    objects: ClassVar = RunQuerySet.as_manager()

    class Meta:
        ordering: ClassVar = ["created_at", "metric"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["answer_set", "metric", "subset", "signature"],
                condition=models.Q(opponent=None),
                name="run_unique",
            ),
            models.UniqueConstraint(
                fields=["answer_set", "metric", "subset", "signature", "opponent"],
                condition=models.Q(opponent__isnull=False),
                name="comparing_run_unique",
            ),
            models.CheckConstraint(
                condition=~models.Q(state=RunState.RUNNING)
                | (models.Q(lease_until__isnull=False) & ~models.Q(lease_token="")),
                name="running_run_has_a_lease",
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["state", "lease_until"]),
            models.Index(fields=["state", "sent_at"]),
            models.Index(
                fields=["metric", "-finished_at"],
                condition=models.Q(state=RunState.DONE),
                name="run_done_lately_by_metric",
            ),
            models.Index(fields=["created_at"], name="run_created"),
            models.Index(
                fields=["revision", "signature", "metric", "subset", "state"],
                condition=models.Q(counts=True),
                name="run_counted",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} of {self.answer_set_id}: {self.get_state_display()}"

    @property
    def name(self) -> str:
        """The promised name of its metric."""
        return names.of_run(self.metric, self.subset, counts=self.counts)
