"""Imports that a maintainer has uploaded and not yet confirmed. Private: they hold reference answers."""

from __future__ import annotations

import datetime
import uuid
from typing import ClassVar, Final

from django.db import models
from django.utils import timezone

EXPIRY_HOURS: Final = 24
"""How long a draft is stored: it may hold hidden answers, and its comparison becomes outdated."""


def oldest() -> datetime.datetime:
    """When the oldest draft that has not expired was made."""
    return timezone.now() - datetime.timedelta(hours=EXPIRY_HOURS)


class Draft(models.Model):
    """Fields that all drafts have."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    make_current = models.BooleanField(default=False)
    made_by = models.CharField(max_length=150)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        abstract = True
        ordering: ClassVar = ["created_at"]


class ImportDraft(Draft):
    """A split's next revision, stored until a maintainer has reviewed its changes.

    ``content_json`` holds the questions with their answers; nothing outside ``scoring`` reads it.
    """

    split = models.ForeignKey("scoring.Split", on_delete=models.CASCADE, related_name="import_drafts")
    content_json = models.TextField()
    content_hash = models.CharField(max_length=64)
    n_questions = models.PositiveIntegerField()
    remarks = models.JSONField(default=list, help_text="Warnings about the files; they do not block the import.")
    date = models.DateField(help_text="When this revision was published.")
    note = models.TextField(blank=True)

    def __str__(self) -> str:
        return f"{self.split}@{self.content_hash[:8]}, draft"


class FolderDraft(Draft):
    """An uploaded folder, stored until a maintainer has reviewed its effect."""

    name = models.CharField(max_length=200, help_text="The name of the uploaded file.")
    content = models.BinaryField()
    sha256 = models.CharField(max_length=64)
    preview = models.JSONField(default=dict, help_text="The effect of its import, as it is shown for review.")

    def __str__(self) -> str:
        return f"{self.name}, draft"
