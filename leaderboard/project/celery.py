"""The Celery application: ``celery -A leaderboard.celery:app worker -Q cpu,bleurt,judge``.

A message is only a hint: pending work is in the database (``scoring.models.Run``), and the sweeper sends lost messages
again.
"""

import os
from pathlib import Path

from celery import Celery
from celery.signals import beat_init, worker_init
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from leaderboard.operations.processes import brokers

os.environ.setdefault("CELERY_SKIP_CHECKS", "1")  # they import every page; `manage.py check` reports what they find
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # for NumPy: a worker has as many processes as it may use cores
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.project.settings")


brokers.install()
app = Celery("manyhop")
app.config_from_object("django.conf:settings", namespace="CELERY")
for key in ("data_folder_in", "control_folder"):
    folder = settings.CELERY_BROKER_TRANSPORT_OPTIONS.get(key)
    if folder:
        Path(folder).mkdir(parents=True, exist_ok=True)
app.autodiscover_tasks()


@beat_init.connect
def show_the_scheduler(**kwargs: object) -> None:
    """Let the check of its container find the scheduler, which writes its schedule every three minutes."""
    from scoring.workers import alive  # needs nothing of this module, but its package does

    del kwargs
    alive.show("beat")


@worker_init.connect
@beat_init.connect
def refuse_invalid_settings(**kwargs: object) -> None:
    """Refuse to start a worker or the scheduler with settings that `manage.py check` reports as errors.

    Raises:
        SystemExit: some setting is invalid; the message names each.
    """
    from leaderboard.operations import setting_rules  # needs the apps, which import this module

    del kwargs
    try:
        setting_rules.refuse_invalid()
    except ImproperlyConfigured as error:
        raise SystemExit(f"This process cannot start: {error}") from error
