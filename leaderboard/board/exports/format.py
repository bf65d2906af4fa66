"""What a format of exports is; `leaderboard.board.exports.files` lists them."""

import datetime
from collections.abc import Callable
from typing import NamedTuple

from leaderboard.board.exports.schema import Board


class Origin(NamedTuple):
    """Where an exported document comes from, and how it is to be written."""

    address: str
    """The absolute URL of its board or snapshot."""
    date: datetime.date
    """The date of its content."""
    site: str
    """The site's name."""
    benchmark: str = ""
    """The benchmark's own BibTeX entry; without it, its citation is written as text."""
    uncertainty: str = ""
    """For LaTeX: ``interval`` (or ``1``), ``pm``, or anything else for none."""


class Format(NamedTuple):
    """A format of exports."""

    name: str
    """The file extension; for one system, the file's name."""
    label: str
    media_type: str
    write: Callable[[Board, Origin], bytes]
