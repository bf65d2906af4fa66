"""Live workers: each stores the time of its heartbeats."""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from typing import ClassVar, Final

from django.db import models
from django.utils import timezone

HEARTBEAT_SECONDS: Final = 20
"""The interval of a worker's heartbeats."""
ALIVE_SECONDS: Final = 120
"""A worker without a heartbeat for longer counts as gone."""
FORGOTTEN_SECONDS: Final = 86400


class WorkerHeartbeat(models.Model):
    """A worker, and the time of its latest heartbeat."""

    name = models.CharField(max_length=255, unique=True)
    queues = models.CharField(
        max_length=255, help_text="The queues that the worker takes work from, separated by commas."
    )
    started_at = models.DateTimeField(default=timezone.now)
    seen_at = models.DateTimeField(default=timezone.now)

    class Meta:
        db_table = "scoring_workersighting"
        ordering: ClassVar = ["name"]

    def __str__(self) -> str:
        return f"{self.name}: {self.seen_at:%Y-%m-%d %H:%M:%S}"


def record_heartbeat(name: str, queues: Iterable[str]) -> None:
    """Store a worker's heartbeat; workers without one for a day are deleted."""
    now = timezone.now()
    queue_names = ",".join(sorted(queues))[:255]
    WorkerHeartbeat.objects.update_or_create(
        name=name[:255],
        defaults={"queues": queue_names, "seen_at": now},
        create_defaults={"queues": queue_names, "seen_at": now, "started_at": now},
    )
    WorkerHeartbeat.objects.filter(seen_at__lt=now - datetime.timedelta(seconds=FORGOTTEN_SECONDS)).delete()


def forget(name: str) -> None:
    """Delete a worker that has stopped normally."""
    WorkerHeartbeat.objects.filter(name=name[:255]).delete()


def ages_by_queue() -> dict[str, list[float]]:
    """By queue: the seconds since the latest heartbeat of each of its workers. One query."""
    now = timezone.now()
    ages: dict[str, list[float]] = {}
    for queues, seen_at in WorkerHeartbeat.objects.values_list("queues", "seen_at"):
        for queue in queues.split(","):
            ages.setdefault(queue, []).append((now - seen_at).total_seconds())
    return ages
