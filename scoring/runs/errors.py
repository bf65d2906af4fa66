"""Errors that end a run without scores: permanently, until something changes, or for a while."""

from scoring.models.run_states import RunState

NO_ANSWERS = "There are no answers to score."
MESSAGE = "\nMessage: "
"""Begins the last line of a run's reason: the message of an error of a package's metric. It may quote answers and
reference answers, so that only people who may see those are shown it."""


def without_message(reason: str) -> str:
    """A run's reason without that line."""
    return reason.partition(MESSAGE)[0]


class RunUnavailableError(Exception):
    """The run cannot be scored now; the message says why, ``state`` is the run's next state.

    ``seconds`` is the delay after which the sweeper starts it again; ``None`` if only a change can help.
    """

    def __init__(self, state: RunState, reason: str, *, seconds: float | None = None) -> None:
        self.state = state
        self.seconds = seconds
        super().__init__(reason)


class RetryLaterError(Exception):
    """The run is requeued normally; the message says why, ``seconds`` is the delay before its next try.

    ``n_deferrals`` is the number of consecutive deferrals without progress.
    """

    def __init__(self, reason: str, *, seconds: float = 0.0, n_deferrals: int = 0) -> None:
        self.seconds = seconds
        self.n_deferrals = n_deferrals
        super().__init__(reason)
