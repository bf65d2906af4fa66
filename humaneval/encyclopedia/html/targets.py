"""Link targets of an article."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Inner:
    """Another article of the source, optionally at one of its anchors."""

    path: str
    fragment: str = ""


@dataclass(frozen=True)
class Here:
    """An anchor in the same article."""

    fragment: str


@dataclass(frozen=True)
class Outer:
    """An address outside the encyclopedia: ``http`` or ``https``."""

    url: str


Target = Inner | Here | Outer
Reference = Inner | Outer | str
"""A link, or a picture by its path, whose address is inserted when the article is shown."""
