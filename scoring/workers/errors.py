"""Error descriptions for the log."""

import traceback


def exception_location(error: BaseException) -> str:
    """The type of an error and where it was raised, without its message unless that is `described`.

    The message may contain the scored text, reference answers included, and so may the errors that caused it.
    """
    return f"{described(error)}\n{''.join(traceback.format_tb(error.__traceback__))}"


def described(error: BaseException) -> str:
    """The type of an error; with its message if its class declares, as ``has_public_message``, that this never contains
    text of an answer or reference."""
    name = type(error).__name__
    return f"{name}: {error}" if getattr(error, "has_public_message", False) else name
