"""Pictures that questions are about."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import ClassVar

from django.db import models
from django.utils import timezone

from scoring.benchmarks.declared.pictures import TYPES
from scoring.models.benchmarks import Split


def picture_path(instance: Picture, filename: str) -> str:
    """The path of a picture's file: from its content, not the author's file name."""
    del filename
    return str(PurePosixPath("pictures", f"{instance.sha256}.{TYPES[instance.type]}"))


class Picture(models.Model):
    """A picture of one or more questions. Two with the same content are one."""

    sha256 = models.CharField(max_length=64, unique=True)
    type = models.CharField(max_length=20, help_text="Its media type.")
    file = models.FileField(upload_to=picture_path)
    splits = models.ManyToManyField(
        Split, related_name="pictures", help_text="Those with a question about it: who sees one of them sees it."
    )
    added_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering: ClassVar = ["sha256"]

    def __str__(self) -> str:
        return f"Picture {self.sha256[:8]}"
