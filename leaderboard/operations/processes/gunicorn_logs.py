"""What gunicorn writes of requests. Apart from its configuration, which makes a folder when it is imported."""

from typing import Any

from gunicorn.glogging import Logger

from leaderboard.operations.redaction import WithoutLinks


class RedactingLogger(Logger):
    """gunicorn's own log, which names the address of a request that failed, and of each if the access log is turned on:
    without the tokens in them."""

    def setup(self, cfg: Any) -> None:
        """Set up the handlers, each with the filter."""
        super().setup(cfg)
        for log in (self.error_log, self.access_log):
            for handler in log.handlers:
                if not any(isinstance(one, WithoutLinks) for one in handler.filters):
                    handler.addFilter(WithoutLinks())
