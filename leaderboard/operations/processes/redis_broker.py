"""kombu's transport for Redis, made to outlive malformed messages: see `brokers`."""

import logging
from queue import Empty
from typing import Any

from kombu.transport import redis
from kombu.utils.scheduling import round_robin_cycle

from leaderboard.operations.processes.brokers import MALFORMED
from scoring.workers.broker import SITE

logger = logging.getLogger(__name__)


class SiteFirst(round_robin_cycle):  # type: ignore[type-arg]  # generic in its annotations alone
    """The order in which Redis looks for messages: housekeeping first, then each queue in turn."""

    def consume(self, n: int) -> Any:
        return sorted(super().consume(n), key=lambda queue: queue != SITE)


class QoS(redis.QoS):
    """Messages that were received and not confirmed; a malformed entry is dropped."""

    def restore_by_tag(self, tag: str, client: Any = None, leftmost: bool = False) -> None:
        try:
            super().restore_by_tag(tag, client, leftmost)
        except MALFORMED:
            logger.exception("A malformed message was dropped.")
            channel: Any = self.channel  # its annotations are incomplete, as are those of this class
            with channel.conn_or_acquire(client) as connection, connection.pipeline() as pipe:
                self._remove_from_indices(tag, pipe).execute()  # type: ignore[attr-defined]


class Channel(redis.Channel):
    """kombu's channel, which drops malformed messages."""

    QoS = QoS

    def _brpop_read(self, **options: Any) -> Any:
        try:
            return super()._brpop_read(**options)  # type: ignore[misc]  # its annotations are incomplete
        except MALFORMED as error:  # it has left the queue already
            logger.exception("A malformed message was dropped.")
            raise Empty from error


class RedisTransport(redis.Transport):
    """kombu's transport with this channel."""

    Channel = Channel
