"""Questions and answers that a maintainer has uploaded and not yet activated."""

from __future__ import annotations

import uuid
from typing import ClassVar

from django.db import models
from django.utils import timezone


class ImportDraft(models.Model):
    """A split's next revision, stored until a maintainer has reviewed its changes. Private, as references are.

    ``content_json`` holds the questions with their answers; nothing outside ``scoring`` reads it.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    split = models.ForeignKey("scoring.Split", on_delete=models.CASCADE, related_name="import_drafts")
    content_json = models.TextField()
    content_hash = models.CharField(max_length=64)
    n_questions = models.PositiveIntegerField()
    remarks = models.JSONField(default=list, help_text="Warnings about the files; they do not block the import.")
    date = models.DateField(help_text="When this revision was published.")
    note = models.TextField(blank=True)
    make_current = models.BooleanField(default=False)
    made_by = models.CharField(max_length=150)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering: ClassVar = ["created_at"]

    def __str__(self) -> str:
        return f"{self.split}@{self.content_hash[:8]}, draft"
