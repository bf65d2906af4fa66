"""The items of studies in which people check answers against passages, and the checks of the study's team."""

from typing import ClassVar

from django.db import models
from django.utils import timezone

from humaneval.models.studies import Study
from leaderboard.models import User
from scoring.models import Question


class ItemOrigin(models.TextChoices):
    """Where an item's candidate answer is from; never shown to participants."""

    GOLD = "gold", "Gold answer of the question"
    PREDICTION = "prediction", "Another answer"
    INJECTED = "injected", "Wrong answer, injected"


class Vote(models.TextChoices):
    """What a participant may say about an item: the text of the assignment."""

    YES = "yes", "Supports the answer"
    NO = "no", "Does not support it"
    UNCLEAR = "unclear", "Cannot tell"


class StudyItem(models.Model):
    """A question with a candidate answer and a passage: does the passage support the answer?"""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="items")
    key = models.CharField(max_length=20, help_text="Names the item in exports: I-00001.")
    question = models.ForeignKey(Question, on_delete=models.PROTECT, related_name="+")
    candidate = models.TextField(help_text="The answer to check.")
    passage_title = models.TextField(blank=True)
    passage_text = models.TextField()
    origin = models.CharField(max_length=10, choices=ItemOrigin)
    is_qualification = models.BooleanField(default=False, help_text="Its outcome is known; it tests participants.")
    supported = models.BooleanField(null=True, blank=True, help_text="The known outcome, if there is one.")

    class Meta:
        ordering: ClassVar = ["study", "key"]
        constraints: ClassVar = [models.UniqueConstraint(fields=["study", "key"], name="item_key_unique_in_study")]

    def __str__(self) -> str:
        return f"{self.study}, {self.key}"


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
