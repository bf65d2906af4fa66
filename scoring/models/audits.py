"""Audits: stored scores compared with the numbers that the official packages compute for the same answers."""

from typing import ClassVar

from django.db import models
from django.utils import timezone


class ScoreAudit(models.Model):
    """One audit of one metric: a random sample of stored scores of single answers, computed again by the official code.

    Equal means equal to the last bit. ``differences`` names answers, but contains no text and no number of them.
    """

    metric = models.CharField(max_length=40)
    signature = models.CharField(max_length=400, help_text="The metric's signature, without the data.")
    n_checked = models.PositiveIntegerField(help_text="Answers that were scored again.")
    n_equal = models.PositiveIntegerField(help_text="Answers of which all numbers were equal.")
    differences = models.JSONField(
        default=list, help_text="The other answers: run, question, key of the item, and the scores that differ."
    )
    problem = models.CharField(max_length=200, blank=True, help_text="Why the official code could not be run.")
    checked_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering: ClassVar = ["checked_at", "pk"]
        indexes: ClassVar = [models.Index(fields=["metric", "-checked_at"])]

    def __str__(self) -> str:
        return f"{self.metric}: {self.n_equal} of {self.n_checked} equal"
