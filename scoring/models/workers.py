"""Heartbeats of live workers with their versions, and the time of the last sweep, which the scheduler requests."""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from typing import ClassVar, Final

from django.conf import settings
from django.db import models
from django.utils import timezone

from scoring.models import clock

HEARTBEAT_SECONDS: Final = 20
"""The interval of a worker's heartbeats."""
ALIVE_SECONDS: Final = 120
"""A worker without a heartbeat for longer counts as gone."""
SERVED_SECONDS: Final = 3 * HEARTBEAT_SECONDS
"""Without a heartbeat for longer, other workers take over a worker's queue."""
FORGOTTEN_SECONDS: Final = 86400
SWEEP: Final = "sweep"
"""The name under which the end of the last sweep is stored; a worker's has the form ``queue@host``."""
NO_SWEEP: Final = "no sweep has finished yet"
SWEEP_LATE_SECONDS: Final = 300
"""Without a finished sweep for longer, and for at least five intervals, the scheduler counts as stopped. Without a
worker of the queue ``site``, a sweep waits until one of ``cpu`` is free."""
CLOCK_SECONDS: Final = 5.0
"""A clock that differs by more is named."""


class WorkerHeartbeat(models.Model):
    """A worker, and the time of its latest heartbeat; or the last sweep (`SWEEP`), which takes work from no queue."""

    name = models.CharField(max_length=255, unique=True)
    queues = models.CharField(
        max_length=255, help_text="The queues that the worker takes work from, separated by commas."
    )
    version = models.CharField(
        max_length=40, blank=True, db_default="", help_text="The version of Manyhop that the worker runs."
    )
    started_at = models.DateTimeField(default=timezone.now)
    seen_at = models.DateTimeField(default=timezone.now, help_text="By the database's clock.")
    clock_ahead = models.FloatField(
        null=True, help_text="By how many seconds the worker's clock is ahead of the database's; empty if unknown."
    )

    class Meta:
        db_table = "scoring_workersighting"
        ordering: ClassVar = ["name"]

    def __str__(self) -> str:
        return f"{self.name}: {self.seen_at:%Y-%m-%d %H:%M:%S}"

    @property
    def queue_names(self) -> list[str]:
        """The queues that the worker takes work from."""
        return self.queues.split(",")

    @property
    def is_alive(self) -> bool:
        """Whether it had a heartbeat lately, for pages: by the clock of this machine, without a query for each row."""
        return self.seen_at >= timezone.now() - datetime.timedelta(seconds=ALIVE_SECONDS)


def record_heartbeat(name: str, queues: Iterable[str]) -> None:
    """Store a worker's heartbeat; workers without one for a day are deleted."""
    now = clock.now()
    values = {
        "queues": ",".join(sorted(queues))[:255],
        "version": settings.MANYHOP_VERSION,
        "seen_at": now,
        "clock_ahead": clock.seconds_ahead(),
    }
    WorkerHeartbeat.objects.update_or_create(
        name=name[:255], defaults=values, create_defaults={**values, "started_at": now}
    )
    forgotten = WorkerHeartbeat.objects.filter(seen_at__lt=now - datetime.timedelta(seconds=FORGOTTEN_SECONDS))
    forgotten.exclude(name=SWEEP).delete()


def is_served(queue: str) -> bool:
    """Whether a worker of a queue is alive. One query."""
    return min(ages_by_queue().get(queue, [SERVED_SECONDS])) < SERVED_SECONDS


def has_other_versions(queue: str) -> bool:
    """Whether a worker of another version takes runs of a queue, too: during an upgrade. One query."""
    since = clock.now() - datetime.timedelta(seconds=SERVED_SECONDS)
    others = WorkerHeartbeat.objects.exclude(version=settings.MANYHOP_VERSION).filter(seen_at__gte=since)
    return any(queue in queues.split(",") for queues in others.values_list("queues", flat=True))


def forget(name: str) -> None:
    """Delete a worker that has stopped normally."""
    WorkerHeartbeat.objects.filter(name=name[:255]).delete()


def record_sweep() -> None:
    """Store that a sweep has finished."""
    WorkerHeartbeat.objects.update_or_create(name=SWEEP, defaults={"queues": "", "seen_at": clock.now()})


def sweep_age() -> float | None:
    """The seconds since the last finished sweep, or None if there was none. One query."""
    seen_at = WorkerHeartbeat.objects.filter(name=SWEEP).values_list("seen_at", flat=True).first()
    return None if seen_at is None else (clock.now() - seen_at).total_seconds()


def overdue_sweep(age: float | None) -> str:
    """Problem, in words, if the last sweep finished *age* seconds ago; empty if there is none."""
    if age is None:
        return NO_SWEEP
    return f"no sweep for {age:.0f} s" if age > max(SWEEP_LATE_SECONDS, 5 * settings.SWEEP_SECONDS) else ""


def ages_by_queue() -> dict[str, list[float]]:
    """Seconds since the latest heartbeat of each worker, by queue. One query."""
    now = clock.now()
    ages: dict[str, list[float]] = {}
    for queues, seen_at in WorkerHeartbeat.objects.exclude(name=SWEEP).values_list("queues", "seen_at"):
        for queue in queues.split(","):
            ages.setdefault(queue, []).append((now - seen_at).total_seconds())
    return ages


def differing_clocks() -> list[str]:
    """Which machines' clocks differ from the database's, which all of them share: this one's, and those of workers that
    are alive. One query, and one for the database's time."""
    ahead = {"this web server": clock.seconds_ahead()}
    since = clock.now() - datetime.timedelta(seconds=ALIVE_SECONDS)
    known = WorkerHeartbeat.objects.filter(seen_at__gte=since).values_list("name", "clock_ahead")
    ahead.update((name, seconds) for name, seconds in known if seconds is not None)
    return [
        f"the clock of {name} is {abs(seconds):.0f} s {'ahead of' if seconds > 0 else 'behind'} the database's"
        for name, seconds in ahead.items()
        if abs(seconds) > CLOCK_SECONDS
    ]
