"""Receipts of scored submissions, and the public keys for verifying them."""

import uuid
from typing import ClassVar

from django.db import models
from django.urls import reverse
from django.utils import timezone

from leaderboard.models.submissions import Submission


class ReceiptKey(models.Model):
    """A public key that receipts were signed with. Stored permanently, to verify old receipts."""

    fingerprint = models.CharField(max_length=16, unique=True)
    public_key = models.CharField(max_length=44, help_text="Ed25519, base64.")
    since = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering: ClassVar = ["since"]

    def __str__(self) -> str:
        return self.fingerprint


class Receipt(models.Model):
    """A signed statement of a submission's scores at one time. Never changed: new scores get a new receipt."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="receipts")
    key = models.ForeignKey(ReceiptKey, on_delete=models.PROTECT, related_name="receipts")
    basis = models.CharField(max_length=64, help_text="SHA-256 of the files and scores in the receipt.")
    statement_json = models.TextField(help_text="The signed statement, as canonical JSON.")
    signature = models.CharField(max_length=88, help_text="Ed25519, base64.")
    issued_at = models.DateTimeField(default=timezone.now, editable=False)
    names_files = models.BooleanField(
        default=False,
        help_text=(
            "Whether the statement contains file names; if so, only people with access to the submission see it."
        ),
    )
    has_exact_values = models.BooleanField(
        default=False,
        help_text="It gives scores of a hidden split at full precision: shown to maintainers alone.",
    )
    openings_json = models.TextField(
        blank=True,
        help_text="Of a hidden split: exact values and salts of the commitments in the statement, as canonical JSON.",
    )

    class Meta:
        ordering: ClassVar = ["-issued_at"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["submission", "basis"], name="one_receipt_per_state_of_a_submission")
        ]

    def __str__(self) -> str:
        return f"{self.submission}: {self.issued_at:%Y-%m-%d %H:%M}"

    def get_absolute_url(self) -> str:
        return reverse("receipt", args=[self.pk])
