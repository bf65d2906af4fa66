"""Celery tasks of studies. Each is a thin wrapper, and may run twice."""

import logging

from celery import shared_task

from humaneval.results import retention
from scoring.workers.periodic import one_at_a_time

logger = logging.getLogger(__name__)


@shared_task(name="humaneval.tasks.delete_expired")
@one_at_a_time
def delete_expired() -> None:
    """Delete what studies have promised to delete by now; beat sends this every 180th sweep."""
    n_studies = retention.delete_due()
    if n_studies:
        logger.info("Deleted expired data of %s studies.", n_studies)
