"""The letter in a reply of FanOutQA's judge."""

from scoring.metrics.asking import letters


def read_letter(reply: str) -> str | None:
    r"""The letter of FanOutQA's rubric that a person would read out of a judge's reply, in upper case, or None.

    See `scoring.metrics.asking.letters`. A reply that could be read in two ways has none.

    >>> [read_letter(reply) for reply in ("Same facts.\n\nC\n\nC", "**Final answer:** b", "It is B or C.")]
    ['C', 'B', None]
    """
    reading = letters.read(reply)
    return reading.letter if reading else None
