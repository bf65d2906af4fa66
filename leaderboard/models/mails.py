"""Emails that wait to be sent, and the kinds of emails that an account can turn off."""

from typing import ClassVar

from django.db import models
from django.utils import timezone

from leaderboard.models.people import User
from leaderboard.models.submissions import Submission


class MailKind(models.TextChoices):
    """A kind of email. `User.muted_mails` has those that an account has turned off."""

    SCORED = "scored", "Finished scoring"
    DECISION = "decision", "Approved, returned and retracted submissions"
    REVISION = "revision", "New revisions of splits that you have submitted to"
    TOKENS = "tokens", "API tokens that expire soon"
    REQUEST = "request", "Publication requests to decide"
    ATTENTION = "attention", "What newly needs attention, once a day at most"


class Mail(models.Model):
    """An email that waits to be sent. It is deleted once it is sent, or if its account does not want it."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    kind = models.CharField(max_length=20, help_text="One of `MailKind`.")
    subject = models.CharField(max_length=400)
    text = models.TextField()
    submission = models.ForeignKey(
        Submission, on_delete=models.CASCADE, null=True, related_name="+", help_text="The submission that it is about."
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    due_at = models.DateTimeField(
        default=timezone.now, db_index=True, help_text="When to send it; a worker that tries to send it delays this."
    )

    class Meta:
        ordering: ClassVar = ["due_at", "pk"]

    def __str__(self) -> str:
        return f"{self.kind} to {self.user}"
