"""Durations of requests: a histogram by the view's name, the method and the class of status.

Under gunicorn each process writes its counts to files in ``PROMETHEUS_MULTIPROC_DIR``
(`leaderboard.operations.processes.gunicorn` creates it), and the process that serves the metrics adds them all up.
Elsewhere there is one process.
"""

from __future__ import annotations

import os
from typing import Final

from prometheus_client import CollectorRegistry, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
BUCKETS: Final = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)

_own = CollectorRegistry()
_seconds = Histogram(
    "manyhop_request_seconds",
    "Duration of requests, from the first middleware to the last.",
    ("view", "method", "status"),
    buckets=BUCKETS,
    registry=_own,
)


def observe(view: str, method: str, status: int, seconds: float) -> None:
    """Count a request. The labels have few values for any request: names of views, known methods, 2xx to 5xx."""
    _seconds.labels(view, method if method in METHODS else "other", f"{status // 100}xx").observe(seconds)


def exposition(site: Collector) -> bytes:
    """The text that Prometheus reads: the requests of all processes on this machine, and the metrics of *site*."""
    registry = CollectorRegistry()
    if os.environ.get("PROMETHEUS_MULTIPROC_DIR"):
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    else:
        registry.register(_Of(_own))
    registry.register(site)
    return generate_latest(registry)


class _Of(Collector):
    """Another registry's metrics."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._registry = registry

    def collect(self):  # type: ignore[no-untyped-def]
        return self._registry.collect()
