"""Comparisons of two answer sets side by side: the baseline of a split, and what a finished run found."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.utils import timezone

from scoring.models.answers import AnswerSet
from scoring.models.benchmarks import Split
from scoring.models.runs import Run


class Baseline(models.Model):
    """The answers that every answer set of a split is compared with: the scores of boards are against them."""

    split = models.OneToOneField(Split, on_delete=models.CASCADE, related_name="baseline")
    answer_set = models.ForeignKey(AnswerSet, on_delete=models.PROTECT, related_name="baseline_of")
    digest = models.CharField(max_length=64, help_text="SHA-256 of its answers; the signature of scores begins it.")
    chosen_at = models.DateTimeField(default=timezone.now)
    chosen_by = models.CharField(max_length=150)
    """Empty if nobody chose it: it is the default that the benchmark declares."""

    class Meta:
        ordering: ClassVar = ["split"]

    def __str__(self) -> str:
        return f"Baseline of {self.split_id}: {self.answer_set_id}"


class Comparison(models.Model):
    """Outcome of a finished run of a comparison, question by question; see `scoring.runs.judging.comparisons`."""

    run = models.OneToOneField(Run, on_delete=models.CASCADE, related_name="comparison")
    arrays = models.BinaryField(help_text="A NumPy .npz file: qids, scores, verdicts, answered, lengths.")
    n_unparsed = models.PositiveIntegerField(
        default=0, help_text="Questions left out of the scores: a reply in one order or both has no readable scores."
    )

    n_cut = models.PositiveIntegerField(
        default=0, help_text="Compared answers of which the judge got only the beginning."
    )
    n_cut_opponent = models.PositiveIntegerField(default=0, help_text="The same of the opponent's answers.")

    class Meta:
        ordering: ClassVar = ["run"]

    def __str__(self) -> str:
        return f"Comparison of run {self.run_id}"
