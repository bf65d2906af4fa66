"""How a run ends without scores: for good, until something changes, or for a while."""

from scoring.models.run_states import RunState


class RunUnavailableError(Exception):
    """The run cannot be scored now; the message says why, ``state`` what becomes of it."""

    def __init__(self, state: RunState, reason: str) -> None:
        self.state = state
        super().__init__(reason)


class RetryLaterError(Exception):
    """The run goes back in line in good order; the message says why, ``seconds`` how long it is to be left alone.

    ``n_deferrals`` is how often in a row that has happened without anything having been achieved.
    """

    def __init__(self, reason: str, *, seconds: float = 0.0, n_deferrals: int = 0) -> None:
        self.seconds = seconds
        self.n_deferrals = n_deferrals
        super().__init__(reason)
