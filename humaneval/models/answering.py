"""A participant's answers: the questions drawn, the current answers, and every saved revision."""

from typing import ClassVar

from django.db import models
from django.utils import timezone

from humaneval.models.items import StudyItem
from humaneval.models.people import Participant
from humaneval.models.studies import Study
from leaderboard.models import User
from scoring.models import AnswerSet, Question


class Assignment(models.Model):
    """A question, an attention check or an item, assigned to one participant, with the current answer."""

    participant = models.ForeignKey(Participant, on_delete=models.CASCADE, related_name="assignments")
    position = models.PositiveIntegerField(help_text="From 1.")
    question = models.ForeignKey(Question, on_delete=models.PROTECT, null=True, blank=True, related_name="assignments")
    attention_check = models.JSONField(
        null=True, blank=True, help_text="An attention check instead of a question: its text and the accepted answers."
    )
    item = models.ForeignKey(
        StudyItem,
        on_delete=models.CASCADE,
        null=True,
        blank=True,
        related_name="assignments",
        help_text="An answer to check instead of a question.",
    )
    text = models.TextField(blank=True, help_text="The current answer; of an item, the vote.")
    version = models.PositiveIntegerField(default=0, help_text="Number of saves.")
    saved_at = models.DateTimeField(null=True, blank=True)
    opened_at = models.DateTimeField(null=True, blank=True, help_text="First opened, by the server's clock.")
    done_at = models.DateTimeField(
        null=True, blank=True, help_text="When it was marked done; empty while the answer is being changed."
    )
    skipped_at = models.DateTimeField(null=True, blank=True)
    active_seconds = models.FloatField(
        null=True,
        blank=True,
        help_text="Seconds with the page visible and used within the last 60 s, at most the elapsed time; empty if the "
        "page's script reported none, so that it is unknown.",
    )
    active_at = models.DateTimeField(null=True, blank=True, help_text="Until when active time has been counted.")
    note = models.TextField(blank=True, help_text="The participant's note on the question.")
    swapped = models.BooleanField(default=False, help_text="Whether the second answer of a pair is on the left.")
    named_at = models.DateTimeField(
        null=True, blank=True, help_text="When the participant said that an answer told them who wrote it."
    )
    critique = models.JSONField(
        default=dict,
        blank=True,
        help_text="Scores of the two answers of a pair, and what is marked as strength, weakness or missing, by place.",
    )

    class Meta:
        ordering: ClassVar = ["participant", "position"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["participant", "position"], name="one_assignment_per_position"),
            models.UniqueConstraint(
                fields=["participant", "question"], name="a_question_is_asked_once_per_participant"
            ),
            models.UniqueConstraint(fields=["participant", "item"], name="an_item_is_asked_once_per_participant"),
            models.CheckConstraint(
                condition=models.Q(question__isnull=False, attention_check__isnull=True, item__isnull=True)
                | models.Q(question__isnull=True, attention_check__isnull=False, item__isnull=True)
                | models.Q(question__isnull=True, attention_check__isnull=True, item__isnull=False),
                name="assignment_is_a_question_an_attention_check_or_an_item",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.participant}, {self.position}"

    @property
    def state(self) -> str:
        if self.done_at or self.skipped_at:
            return "done" if self.done_at else "skipped"
        return "opened" if self.opened_at else "not opened"

    @property
    def progress(self) -> str:
        """``done``, ``skipped``, ``begun`` (there is an answer) or ``open``."""
        if self.done_at or self.skipped_at:
            return self.state
        return "begun" if self.text.strip() else "open"

    @property
    def open_seconds(self) -> float | None:
        """Seconds from opening to marking done or skipping; None if it was not opened or not ended."""
        ended = self.done_at or self.skipped_at
        return (ended - self.opened_at).total_seconds() if ended and self.opened_at else None

    @property
    def qid(self) -> str:
        """The id of the question, also of an item's, or of the text to rate; empty for an attention check."""
        return self.item.qid if self.item is not None else self.question.qid if self.question is not None else ""

    @property
    def asked_text(self) -> str:
        """The text of the question, with the answer to check if there is one, of the attention check, or to rate."""
        if self.item is not None:
            question = self.item.question_text
            if self.item.is_pair or not self.item.candidate:
                return question or self.item.passage_text
            return f"{question} — {self.item.candidate}"
        return self.question.text if self.question is not None else str((self.attention_check or {}).get("text", ""))


class AnswerRevision(models.Model):
    """A saved revision of an answer: append-only. ``client_revision_id`` makes sending it twice harmless."""

    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, related_name="revisions")
    version = models.PositiveIntegerField(help_text="From 1.")
    client_revision_id = models.UUIDField(help_text="Created by the browser, one for each text it sends.")
    text = models.TextField(blank=True)
    typed_at = models.DateTimeField(
        null=True, blank=True, help_text="Typing time by the browser's clock, if it was sent later."
    )
    saved_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering: ClassVar = ["assignment", "version"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["assignment", "version"], name="answer_version_unique"),
            models.UniqueConstraint(fields=["assignment", "client_revision_id"], name="answer_key_unique"),
        ]

    def __str__(self) -> str:
        return f"{self.assignment}, version {self.version}"


class StudyResult(models.Model):
    """An answer set of a study's answers, scored by runs like any other."""

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="results")
    answer_set = models.OneToOneField(AnswerSet, on_delete=models.PROTECT, related_name="study_result")
    made_at = models.DateTimeField(default=timezone.now, editable=False)
    made_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    n_participants = models.PositiveIntegerField()
    n_answers = models.PositiveIntegerField()
    n_questions = models.PositiveIntegerField(help_text="Number of distinct questions with an answer.")
    n_unfinished = models.PositiveIntegerField(default=0, help_text="Number of its answers that were not finished.")

    class Meta:
        ordering: ClassVar = ["study", "made_at"]

    def __str__(self) -> str:
        return f"{self.study}, {self.made_at:%Y-%m-%d %H:%M}"
