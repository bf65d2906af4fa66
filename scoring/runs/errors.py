"""How a run ends without scores: for good, until something changes, or for a while."""

from scoring.models.run_states import RunState


class CannotRunError(Exception):
    """The run cannot be scored now; the message says why, ``state`` what becomes of it."""

    def __init__(self, state: RunState, reason: str) -> None:
        self.state = state
        super().__init__(reason)


class LaterError(Exception):
    """The run goes back in line in good order; the message says why, ``seconds`` how long it is to be left alone.

    ``waits`` is how often in a row that has happened without anything having been achieved.
    """

    def __init__(self, reason: str, *, seconds: float = 0.0, waits: int = 0) -> None:
        self.seconds = seconds
        self.waits = waits
        super().__init__(reason)
