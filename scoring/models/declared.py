"""Declared benchmarks: their folders, as every process of the site reads them, and folders that wait for a decision."""

from __future__ import annotations

import uuid
from typing import ClassVar

from django.db import models
from django.utils import timezone


class DeclaredFolder(models.Model):
    """The folder of a declared benchmark, without its questions. In a table of its own, because it is read rarely."""

    benchmark = models.OneToOneField("scoring.Benchmark", on_delete=models.CASCADE, related_name="folder")
    content = models.BinaryField(help_text="A zip archive of benchmark.toml and the files that it names.")
    sha256 = models.CharField(max_length=64)
    saved_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering: ClassVar = ["benchmark"]

    def __str__(self) -> str:
        return f"Folder of {self.benchmark_id}, {self.sha256[:8]}"


class FolderDraft(models.Model):
    """An uploaded folder, stored until a maintainer has reviewed its effect. Private: it holds reference answers."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    name = models.CharField(max_length=200, help_text="The name of the uploaded file.")
    content = models.BinaryField()
    sha256 = models.CharField(max_length=64)
    preview = models.JSONField(default=dict, help_text="The effect of its import, as it is shown for review.")
    make_current = models.BooleanField(default=False)
    made_by = models.CharField(max_length=150)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering: ClassVar = ["created_at"]

    def __str__(self) -> str:
        return f"{self.name}, draft"
