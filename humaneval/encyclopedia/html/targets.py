"""Link targets of an article, and the placeholders for them in its markup until it is shown."""

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


@dataclass(frozen=True)
class Reference:
    """A link or a picture whose address is inserted when the article is shown."""

    kind: str
    """``article``, ``external`` or ``image``."""
    to: str
    anchor: str = ""
