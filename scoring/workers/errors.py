"""Error descriptions for the log."""

import traceback


def exception_location(error: BaseException) -> str:
    """The type of an error and where it was raised, without its message.

    The message may contain the scored text, reference answers included, and so may the errors that caused it.
    """
    return f"{type(error).__name__}\n{''.join(traceback.format_tb(error.__traceback__))}"
