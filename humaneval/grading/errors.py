"""What cannot be done in a grading round."""


class RoundError(ValueError):
    """A round cannot be made, or changed, so; the message is for the maintainer."""


class RoundClosedError(RoundError):
    """The round is closed; nobody grades or decides in it."""

    def __init__(self) -> None:
        super().__init__("This round is closed.")
