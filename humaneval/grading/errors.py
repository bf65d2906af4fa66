"""Errors of grading rounds."""

from django.utils.translation import gettext


class RoundError(ValueError):
    """A round cannot be created or changed like this; the message is for the maintainer."""


class RoundClosedError(RoundError):
    """The round is closed: no grades or decisions are accepted."""

    def __init__(self) -> None:
        super().__init__(gettext("This round is closed."))
