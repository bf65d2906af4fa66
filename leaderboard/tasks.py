"""Celery tasks of the boards. Each is a thin wrapper, and may run twice."""

import logging

from celery import shared_task

from leaderboard.accounts import mails, tokens
from leaderboard.board import standings
from leaderboard.board.staleness import WRITE_BOARDS
from leaderboard.maintenance import needs, split_ends
from leaderboard.publishing import flags
from leaderboard.publishing.services import reveal_due
from leaderboard.submissions import notifications
from scoring.workers.periodic import one_at_a_time

logger = logging.getLogger(__name__)


@shared_task(name=WRITE_BOARDS)
def write_boards() -> None:
    """Update the boards that were marked as changed; sent by every change of a board."""
    n_written = standings.refresh_marked()
    if n_written:
        logger.info("Updated %s changed boards.", n_written)


@shared_task(name="leaderboard.tasks.refresh_boards")
@one_at_a_time
def refresh_boards() -> None:
    """Update the boards that are marked, lack statistics, or were not checked for ten minutes; beat sends this every
    ``SWEEP_SECONDS``."""
    n_refreshed = standings.refresh_due()
    if n_refreshed:
        logger.info("Found and updated %s outdated boards.", n_refreshed)


@shared_task(name="leaderboard.tasks.send_notices")
@one_at_a_time
def send_notices() -> None:
    """Queue emails about newly scored submissions and expiring API tokens, and send all that are queued; beat sends
    this every other sweep."""
    notifications.queue_due()
    tokens.queue_expiry_notices()
    n_sent = mails.send_due()
    if n_sent:
        logger.info("Sent %s emails.", n_sent)


@shared_task(name="leaderboard.tasks.reveal_names")
@one_at_a_time
def reveal_names() -> None:
    """Reveal the names of anonymous rows whose day has come; beat sends this every twentieth sweep."""
    n_revealed = reveal_due()
    if n_revealed:
        logger.info("Revealed the names of %s anonymous submissions.", n_revealed)


@shared_task(name="leaderboard.tasks.end_splits")
@one_at_a_time
def end_splits() -> None:
    """Take the next step to the final results of splits that have closed; beat sends this every other sweep."""
    n_shown = split_ends.end_due()
    if n_shown:
        logger.info("The boards of %s splits rank by their final parts now.", n_shown)


@shared_task(name="leaderboard.tasks.mail_maintainers")
@one_at_a_time
def mail_maintainers() -> None:
    """Queue the daily email about what newly needs attention; beat sends this every twentieth sweep."""
    n_queued = needs.queue_mails()
    if n_queued:
        logger.info("Queued %s emails to maintainers.", n_queued)


@shared_task(name="leaderboard.tasks.find_oddities")
@one_at_a_time
def find_oddities() -> None:
    """Check newly scored files for anomalies; beat sends this every fifth sweep."""
    n_looked = flags.find_due()
    if n_looked:
        logger.info("Checked %s files for anomalies.", n_looked)
