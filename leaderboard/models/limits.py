"""Counters of rate limits, where no Redis holds them."""

from typing import ClassVar

from django.db import models


class RateCount(models.Model):
    """Amount of a limit that a client has used in one window of time. `leaderboard.web.counters` writes it."""

    key = models.CharField(max_length=200, primary_key=True, help_text="The limit, the client, and the window.")
    amount = models.BigIntegerField(default=0, help_text="Requests, or milliseconds of a processor.")
    expires_at = models.DateTimeField(db_index=True, help_text="When it may be deleted.")

    class Meta:
        ordering: ClassVar = ["key"]

    def __str__(self) -> str:
        return self.key
