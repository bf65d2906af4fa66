"""Sets of answers to the questions of a split: the input of scoring.

This module does not record who wrote an answer: submissions and studies refer to an `AnswerSet`, never the other way.
"""

import uuid
from typing import ClassVar

from django.db import models
from django.utils import timezone

from scoring.models.benchmarks import Setting, Split


class AnswerSet(models.Model):
    """The answers that one party gave to the questions of one split in one setting: the unit of scoring."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    split = models.ForeignKey(Split, on_delete=models.PROTECT, related_name="answer_sets")
    setting = models.ForeignKey(Setting, on_delete=models.PROTECT, related_name="answer_sets")
    submission_group = models.UUIDField(
        null=True,
        blank=True,
        db_index=True,
        help_text="Equal for answer sets submitted together; the judge budget applies to all of them.",
    )
    party = models.CharField(
        max_length=40,
        blank=True,
        db_default="",
        help_text="Who waits for the scores, as a key that says nothing of them; parties take turns in a queue.",
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    closed_at = models.DateTimeField(
        null=True, blank=True, help_text="When answers in it were deleted; it is not scored again after that."
    )

    class Meta:
        ordering: ClassVar = ["created_at"]

    def __str__(self) -> str:
        return f"{self.split}, {self.setting}: {self.id}"


def passages_path(instance: "PassageFile", filename: str) -> str:
    """The path of a file of passages: unique, and nothing of the client's file name."""
    del instance, filename
    return f"passages/{uuid.uuid4()}.upload"


class PassageFile(models.Model):
    """The passages that a system retrieved for the questions of an answer set: the file as sent, byte for byte."""

    answer_set = models.OneToOneField(AnswerSet, on_delete=models.CASCADE, related_name="passage_file")
    original = models.FileField(upload_to=passages_path)
    filename = models.CharField(max_length=255)
    size = models.PositiveBigIntegerField(help_text="In bytes, as sent.")
    sha256 = models.CharField(max_length=64)
    n_questions = models.PositiveIntegerField(help_text="Questions with at least one passage.")
    warnings = models.JSONField(default=list, help_text="The groups of warnings reported when the file was sent.")

    class Meta:
        ordering: ClassVar = ["answer_set"]

    def __str__(self) -> str:
        return f"{self.filename} ({self.answer_set})"


class Usage(models.Model):
    """What the answers of an answer set took: tokens, seconds, US dollars (`scoring.generations.usage`)."""

    answer_set = models.OneToOneField(AnswerSet, on_delete=models.CASCADE, primary_key=True, related_name="usage")
    totals = models.JSONField(default=dict, help_text="Of the whole run, by field.")
    questions = models.JSONField(
        default=dict, help_text="By field, the values of the questions in qids; empty if only totals are stated."
    )

    class Meta:
        ordering: ClassVar = ["answer_set"]

    def __str__(self) -> str:
        return str(self.answer_set)


class Answer(models.Model):
    """One answer, stored as sent. A participant is named (by a code) only in a study, where several may answer."""

    answer_set = models.ForeignKey(AnswerSet, on_delete=models.CASCADE, related_name="answers")
    qid = models.CharField(max_length=64)
    participant = models.CharField(max_length=32, blank=True)
    text = models.TextField(blank=True)
    withdrawn_at = models.DateTimeField(
        null=True,
        blank=True,
        help_text="When the participant withdrew. Earlier scores include the answer; new scores do not.",
    )

    class Meta:
        ordering: ClassVar = ["answer_set", "pk"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["answer_set", "qid", "participant"], name="answer_unique_in_set")
        ]

    def __str__(self) -> str:
        return f"{self.qid}: {self.text[:60]}"
