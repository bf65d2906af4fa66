"""Declared benchmarks: their folders, as every process of the site reads them."""

from __future__ import annotations

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
