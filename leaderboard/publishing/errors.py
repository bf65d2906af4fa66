"""The error raised when a change to a submission is refused."""


class SubmissionError(ValueError):
    """A change that the submission's state does not allow; the message is for its owner."""
