"""The errors of a judge's endpoint and of its replies, by what to do about them.

The first two end a run. Their messages contain neither key nor reference: they may be shown to anybody.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:  # the notebook of an export has this module without the others
    from scoring.metrics.asking.replies import Outcome


class MisconfiguredError(Exception):
    """The endpoint will never answer with these settings: wrong key, no permission, no such model, wrong address."""


class EndpointUnavailableError(Exception):
    """The endpoint does not answer now, and may later."""

    def __init__(self, message: str, *, wait: float | None = None, whole: bool | None = None) -> None:
        self.wait = wait
        """Seconds to wait, if the endpoint named a time."""
        self.whole = whole
        """Whether the endpoint is unavailable for all requests, not only some; ``None`` if that is not known."""
        super().__init__(message)


class PassingTroubleError(Exception):
    """One request got no reply, for a reason that may have passed when the request is sent again."""

    def __init__(self, outcome: Outcome, message: str, wait: float | None = None) -> None:
        self.outcome = outcome
        self.wait = wait
        super().__init__(message)


class RejectedError(Exception):
    """One request is not accepted and never will be."""

    def __init__(self, outcome: Outcome, message: str, body: str) -> None:
        self.outcome = outcome
        self.body = body
        super().__init__(message)


class ReplyError(ValueError):
    """A judge's reply from which no score can be read: ask again, and count it as unparsed after that, never as 0.

    The message says what is wrong without quoting the reply, which contains gold answers.
    """
