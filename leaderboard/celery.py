"""The Celery application: ``celery -A leaderboard.celery:app worker -Q cpu,bleurt,judge``.

A message is only a hint: pending work is in the database (``scoring.models.Run``), and the sweeper sends lost messages
again.
"""

import gc
import os
from pathlib import Path

from celery import Celery

from leaderboard.operations.processes import file_broker

gc.disable()  # until all apps are ready
os.environ.setdefault("CELERY_SKIP_CHECKS", "1")  # they import every page; `manage.py check` reports what they find
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.settings")


def _make_app() -> Celery:
    from django.conf import settings

    file_broker.install()
    celery_app = Celery("manyhop")
    celery_app.config_from_object("django.conf:settings", namespace="CELERY")
    for key in ("data_folder_in", "control_folder"):
        folder = settings.CELERY_BROKER_TRANSPORT_OPTIONS.get(key)
        if folder:
            Path(folder).mkdir(parents=True, exist_ok=True)
    celery_app.autodiscover_tasks()
    return celery_app


app = _make_app()
