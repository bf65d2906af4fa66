"""The items of studies: answers with passages to check, pairs of answers to compare, and texts to rate. And the checks
of the study's team."""

from typing import ClassVar

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_noop

from humaneval.models.studies import Study
from leaderboard.models import User
from scoring.models import AnswerSet, Question


class ItemOrigin(models.TextChoices):
    """Where an item's candidate answer is from; never shown to participants."""

    GOLD = "gold", "Gold answer of the question"
    PREDICTION = "prediction", "Another answer"
    INJECTED = "injected", "Wrong answer, injected"


class Vote(models.TextChoices):
    """Possible answers about an item; stored as the text of the assignment."""

    YES = "yes", gettext_noop("Supports the answer")
    NO = "no", gettext_noop("Does not support it")
    UNCLEAR = "unclear", gettext_noop("Cannot tell")


class Preference(models.TextChoices):
    """Possible answers about a pair of answers; stored as the text of the assignment."""

    LEFT = "left", gettext_noop("The left one is better")
    RIGHT = "right", gettext_noop("The right one is better")
    TIE = "tie", gettext_noop("Both are equally good")
    BAD = "bad", gettext_noop("Both are bad")


class Mark(models.TextChoices):
    """Kinds of marks that a participant may set in an answer of a pair."""

    STRENGTH = "strength", gettext_noop("Strengths")
    WEAKNESS = "weakness", gettext_noop("Weaknesses")
    MISSING = "missing", gettext_noop("Missing")


class StudyItem(models.Model):
    """A question with a candidate answer and a passage: does the passage support the answer? Or a question with two
    answers: which is better? Or a text to rate.

    A pair has ``first_set`` and ``second_set``, the answer sets of its answers. If one of them is deleted, so is the
    pair, with what was said about it. In an injected pair, the second answer is one to another question. A text to rate
    has no question, candidate and origin, but a name and a group.
    """

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="items")
    key = models.CharField(max_length=20, help_text="Names the item in exports: I-00001.")
    question = models.ForeignKey(Question, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    name = models.CharField(max_length=200, blank=True, help_text="The id of a text to rate, as in its file.")
    group = models.CharField(
        max_length=100, blank=True, help_text="The group of a text to rate; participants do not see it."
    )
    candidate = models.TextField(blank=True, help_text="The answer to check; of a pair, the first answer.")
    other = models.TextField(blank=True, help_text="The second answer of a pair.")
    passage_title = models.TextField(blank=True)
    passage_text = models.TextField(blank=True, help_text="The passage, or the text to rate.")
    origin = models.CharField(max_length=10, choices=ItemOrigin, blank=True)
    is_qualification = models.BooleanField(default=False, help_text="Its outcome is known; it tests participants.")
    supported = models.BooleanField(
        null=True,
        blank=True,
        help_text="The known outcome, if there is one; of an injected pair, whether the first answer is good.",
    )
    first_set = models.ForeignKey(AnswerSet, on_delete=models.CASCADE, null=True, blank=True, related_name="+")
    second_set = models.ForeignKey(AnswerSet, on_delete=models.CASCADE, null=True, blank=True, related_name="+")
    named = models.BooleanField(
        default=False,
        editable=False,
        help_text="An answer of the pair named its system when people compared it: what they chose is left out.",
    )

    class Meta:
        ordering: ClassVar = ["study", "key"]
        constraints: ClassVar = [models.UniqueConstraint(fields=["study", "key"], name="item_key_unique_in_study")]

    def __str__(self) -> str:
        return f"{self.study}, {self.key}"

    @property
    def qid(self) -> str:
        """The id of the question; of a text to rate, its own id."""
        return self.question.qid if self.question is not None else self.name

    @property
    def question_text(self) -> str:
        return self.question.text if self.question is not None else ""

    @property
    def is_pair(self) -> bool:
        return self.first_set_id is not None

    @property
    def is_injected(self) -> bool:
        """Whether the item was added with a wrong answer, to see who notices."""
        return self.origin == ItemOrigin.INJECTED

    @property
    def choices(self) -> type[models.TextChoices]:
        """Possible answers of a participant about the item, unless it is a text to rate."""
        return Preference if self.is_pair else Vote


class ItemCheck(models.Model):
    """A verdict of the study's team on an item: append-only. The newest counts, and it outweighs the votes."""

    item = models.ForeignKey(StudyItem, on_delete=models.CASCADE, related_name="checks")
    author = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    supported = models.BooleanField()
    made_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering: ClassVar = ["item", "made_at", "pk"]

    def __str__(self) -> str:
        return f"{self.item}, {self.made_at:%Y-%m-%d %H:%M}"
