"""Names of systems that readers could mistake for another row of a board.

A submitter's name is refused, or systems of others have the same name, and its first publication needs a maintainer's
approval. Two names are alike if they have the same `skeleton`, which is stored with them (`leaderboard.models.names`).
"""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from django.db.models import Exists, OuterRef, QuerySet

from leaderboard.models import Entry, System, Team, User
from leaderboard.models.names import skeleton
from scoring.benchmarks import definitions
from scoring.benchmarks.base import BenchmarkDefinition
from scoring.models import Split, SplitPhase

PINNED: Final = (
    *("Human", "Humans", "Human performance", "Human baseline", "Human, graded by hand"),
    *("People", "Person", "Participants", "Volunteers", "People, graded by hand"),
    *("Ceiling", "Reference ceiling", "Upper bound", "Reference answers", "References"),
)
"""Names of reference rows, and names that read like one."""

_PSEUDONYM: Final = re.compile("anonymous[0-9a-f]{4}")


def plain(name: str) -> str:
    """A name without differences of case, spacing and punctuation: its letters and digits."""
    text = unicodedata.normalize("NFKC", name).casefold()
    return "".join(character for character in text if character.isalnum())


@dataclass(frozen=True)
class SameName:
    """A system of others on a board whose name looks like a given one."""

    name: str
    slug: str
    differs: bool
    """Whether its letters differ: then the names only look alike."""
    is_human: bool


def is_published(name: str) -> bool:
    """Whether a name is that of a system in the published results of a benchmark, there or elsewhere. One query."""
    return skeleton(name) in _published()


def of_aliases() -> dict[str, str]:
    """Names of systems by their other names, as declarations give them: the name in the published results of the
    benchmark."""
    results = (definition.published_results for definition in definitions().values())
    systems = [system for table in results if table for system in table.systems.values()]
    return {alias: system["name"] for system in systems for alias in system.get("aliases", ())}


def why_refused(name: str, *, owner: User | None, team: Team | None, but: System | None = None) -> str:
    """Why a name cannot be given to a system of a team, or of a person without one; empty if it can.

    The names of other systems are those on boards, and those of published results not those of drafts, so that
    nothing is revealed. Two queries.

    Args:
        but: the system that gets the name: its present one does not matter.
    """
    alike = same_names(name, owner=owner, team=team, but=but)
    if skeleton(name) in _pinned() or any(same.is_human for same in alike):
        return f"“{name}” could be mistaken for a reference row of the leaderboard. Choose another name."
    if _PSEUDONYM.fullmatch(plain(name)):
        return f"“{name}” could be mistaken for a system under double-blind review. Choose another name."
    other = next((same for same in alike if same.differs), None)
    if other is not None:
        return (
            f"This name looks like “{other.name}”, the name of another system, but has other characters. Use the same "
            "characters if you mean that system; otherwise choose another name."
        )
    return ""


def same_names(name: str, *, owner: User | None, team: Team | None, but: System | None = None) -> list[SameName]:
    """The systems of others on boards whose names look like a given one, without *but*. One query."""
    letters = plain(name)
    others = _of_others(owner, team)
    if but is not None:
        others = others.exclude(pk=but.pk).exclude(same_as=but)
    others = others.filter(name_skeleton=skeleton(name)).order_by("name", "pk")
    return [
        SameName(other, slug, plain(other) != letters, is_human)
        for other, slug, is_human in others.values_list("name", "slug", "is_human")
    ]


def _pinned() -> frozenset[str]:
    bounds: Iterable[str] = (name for definition in _shown() for name in definition.upper_bounds)
    return frozenset(map(skeleton, (*PINNED, *bounds)))


def _published() -> frozenset[str]:
    results = (definition.published_results for definition in _shown())
    systems = [system for table in results if table for system in table.systems.values()]
    return frozenset(skeleton(name) for system in systems for name in (system["name"], *system.get("aliases", ())))


def _shown() -> list[BenchmarkDefinition]:
    """The definitions without those whose published results are for a draft. One query."""
    drafts = set(Split.with_drafts.filter(phase=SplitPhase.DRAFT).values_list("benchmark__slug", "slug"))
    return [
        definition
        for definition in definitions().values()
        if definition.published_results is None or (definition.slug, definition.published_results.split) not in drafts
    ]


def _of_others(owner: User | None, team: Team | None) -> "QuerySet[System]":
    on_board = System.objects.filter(Exists(Entry.objects.filter(system=OuterRef("pk"), replaced_at=None)))
    if team is not None:
        on_board = on_board.exclude(team=team)
    return on_board.exclude(owner=owner, team=None) if owner is not None else on_board
