"""Celery's names: tasks with their arguments, queues, the beat schedule.

During an upgrade, messages sent by one version may reach workers of another.
"""

import inspect
from typing import Any, Final

from django.conf import settings

from leaderboard.project.celery import app
from scoring.registry import METRICS

BUILT_IN: Final = "celery."


def collect() -> dict[str, Any]:
    """Tasks with their arguments, the beat schedule, and the queue of each metric."""
    app.loader.import_default_modules()
    return {
        "tasks": {
            name: list(inspect.signature(task.run).parameters)
            for name, task in app.tasks.items()
            if not name.startswith((BUILT_IN, "tests."))
        },
        "schedule": {
            name: {"task": entry["task"], "seconds": float(entry["schedule"]), "options": entry.get("options", {})}
            for name, entry in settings.CELERY_BEAT_SCHEDULE.items()
        },
        "default_queue": app.conf.task_default_queue,
        "routes": app.conf.task_routes or {},
        "queues_of_metrics": {name: metric.queue for name, metric in METRICS.items()},
        "serializer": app.conf.task_serializer,
        "accepted": sorted(app.conf.accept_content),
    }
