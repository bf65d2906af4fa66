"""What a format of exports is. A module of this folder with ``FORMATS`` declares one or several;
`leaderboard.board.exports.files` finds them, and pages, API and command offer them."""

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
    position: int
    """Its place on pages."""
    label: str
    media_type: str
    write: Callable[[Board, Origin], bytes]
    of_one_system: bool = False
    """Whether it describes one system: then the document has the row of that system alone."""
