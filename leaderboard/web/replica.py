"""Which database a request reads: a replica for readers without an account, if the site has one, else the primary.

A replica is a moment behind. People with a session, a token or a link of a study must see their own changes at once, so
only requests without any of these read the replica, and only until they write something.
"""

import logging
import time
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, Final

from django.conf import settings
from django.db import OperationalError, connections
from django.http import HttpRequest, HttpResponse

logger = logging.getLogger(__name__)

REPLICA: Final = "replica"
PAUSE_SECONDS: Final = 10.0
"""For so long a process reads the primary after the replica could not be reached."""
FROM_PRIMARY: Final = ("/healthz", "/readyz", "/metrics", "/studies/")
_reads_replica: ContextVar[bool] = ContextVar("reads_replica", default=False)


class ReplicaRouter:
    """Sends the reads of such requests to the replica, and everything else to the primary."""

    def db_for_read(self, model: Any, **hints: Any) -> str:
        return REPLICA if _reads_replica.get() else "default"

    def db_for_write(self, model: Any, **hints: Any) -> str:
        _reads_replica.set(False)  # what follows may depend on what is written
        return "default"

    def allow_relation(self, first: Any, second: Any, **hints: Any) -> bool:
        return True

    def allow_migrate(self, db: str, app_label: str, **hints: Any) -> bool:
        return db != REPLICA


class ReplicaMiddleware:
    """Decides for each request whether it reads the replica; while that is away, none does."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response
        self._away_until = 0.0

    def __call__(self, request: HttpRequest) -> HttpResponse:
        # A request that only reads, and is nobody's in particular.
        own_cookies = {settings.SESSION_COOKIE_NAME, settings.CSRF_COOKIE_NAME} & request.COOKIES.keys()
        is_personal = "Authorization" in request.headers or bool(own_cookies)
        is_readers = request.method in ("GET", "HEAD") and not request.path_info.startswith(FROM_PRIMARY)
        token = _reads_replica.set(is_readers and not is_personal and self._answers())
        try:
            return self.get_response(request)
        finally:
            _reads_replica.reset(token)

    def _answers(self) -> bool:
        if time.monotonic() < self._away_until:
            return False
        try:
            connections[REPLICA].cursor().close()  # connects again if the connection was lost
        except OperationalError as error:
            logger.warning("The replica cannot be reached, pages come from the primary: %s", error)
            self._away_until = time.monotonic() + PAUSE_SECONDS
            return False
        return True
