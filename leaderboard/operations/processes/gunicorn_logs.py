"""Gunicorn's logging of requests, separate from its configuration, which creates a folder when it is imported."""

from typing import Any

from gunicorn.glogging import Logger

from leaderboard.operations.redaction import WithoutLinks


class RedactingLogger(Logger):
    """Gunicorn's own log without tokens: it contains the URL of a failed request, and of every request if the access
    log is on."""

    def setup(self, cfg: Any) -> None:
        super().setup(cfg)
        for log in (self.error_log, self.access_log):
            for handler in log.handlers:
                if not any(isinstance(known, WithoutLinks) for known in handler.filters):
                    handler.addFilter(WithoutLinks())
