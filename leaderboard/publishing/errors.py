"""The error of a change to a submission that is refused."""


class SubmissionError(ValueError):
    """Something that cannot be done with a submission as it is; the message is for its owner."""
