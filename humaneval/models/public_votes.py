"""Votes of visitors who compare answers without signing in."""

from typing import ClassVar

from django.db import models
from django.utils import timezone

from humaneval.models.items import Preference, StudyItem
from humaneval.models.studies import Study


class PublicVote(models.Model):
    """A visitor's choice between the two answers of a pair: one for each pair and visitor, never changed."""

    item = models.ForeignKey(StudyItem, on_delete=models.CASCADE, related_name="public_votes")
    visitor = models.CharField(max_length=32, db_index=True, help_text="The random number in the visitor's cookie.")
    address = models.CharField(max_length=64, help_text="A keyed hash of the visitor's network address.")
    swapped = models.BooleanField(help_text="Whether the second answer was on the left.")
    vote = models.CharField(max_length=5, choices=Preference)
    seconds = models.FloatField(help_text="Seconds from showing the pair to the vote, by the server's clock.")
    n_skipped = models.PositiveIntegerField(
        "skips",
        default=0,
        help_text="How often the address was shown the pair again before anybody there voted on it.",
    )
    made_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering: ClassVar = ["made_at", "pk"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["item", "visitor"], name="one_public_vote_per_pair_and_visitor")
        ]

    def __str__(self) -> str:
        return f"{self.item}, {self.made_at:%Y-%m-%d %H:%M}"


class OpenPair(models.Model):
    """The pair that an address was shown last and nobody there has voted on: it is shown again, so that nobody chooses
    which systems to vote on. Deleted with the vote, and when voting is closed."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="open_pairs")
    address = models.CharField(max_length=64, help_text="A keyed hash of the visitors' network address.")
    item = models.ForeignKey(StudyItem, on_delete=models.CASCADE, related_name="+")
    n_skipped = models.PositiveIntegerField("skips", default=0, help_text="How often it was shown again.")
    shown_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["study", "address"], name="one_open_pair_per_study_and_address")
        ]

    def __str__(self) -> str:
        return f"{self.item}, {self.shown_at:%Y-%m-%d %H:%M}"
