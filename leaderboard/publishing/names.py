"""Names of systems that readers could mistake for another row of a board.

Enters: the name that a submitter wants. Leaves: why it is refused, or the systems of others that have the same name,
which maintainers see as a flag. Two names are alike if they have the same `skeleton`, which is stored with them
(`leaderboard.models.names`).
"""

import re
import unicodedata
import uuid
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from typing import Final

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Coalesce

from leaderboard.models import Entry, Submission, System, Team, User
from leaderboard.models.names import skeleton
from scoring.benchmarks import definitions

PINNED: Final = (
    *("Human", "Humans", "Human performance", "Human baseline", "Human, graded by hand"),
    *("People", "Person", "Participants", "Volunteers", "People, graded by hand"),
    *("Ceiling", "Reference ceiling", "Upper bound", "Reference answers", "References"),
)
"""Names of reference rows, and names that read like one."""

LIKE_REFERENCE: Final = "Name of a reference row"
LIKE_ANOTHER: Final = "Name that looks like another system's"
OF_ANOTHER: Final = "Name of another system"
OF_PUBLISHED: Final = "Name of a system with published results"

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


@dataclass(frozen=True)
class NameFlags:
    """What maintainers should check about a submission's name."""

    like_reference: bool
    """Whether readers could mistake it for a reference row."""
    same: tuple[SameName, ...]
    """The systems of others on boards whose names look the same, without those merged with the submission's own."""
    like_published: bool = False
    """Whether it is the name of a system in the published results of a benchmark, and the submission on no board."""

    @property
    def titles(self) -> list[str]:
        """The flags in words."""
        titles = [LIKE_REFERENCE] if self.like_reference else []
        titles += [LIKE_ANOTHER] if any(other.differs for other in self.same) else []
        titles += [OF_ANOTHER] if any(not other.differs for other in self.same) else []
        return titles + ([OF_PUBLISHED] if self.like_published else [])


def flags_of(submissions: QuerySet[Submission]) -> dict[uuid.UUID, NameFlags]:
    """By submission: the flags of its name that no maintainer dismissed; submissions without one are left out. Two
    queries, and two more if there may be a flag."""
    submissions = submissions.filter(name_dismissed_at=None).order_by()
    fields = ("pk", "name", "owner", "team")
    without_key = System.objects.filter(name_skeleton=None).order_by().values_list("name", flat=True)
    looks_known = {*_pinned(), *_published(), *map(skeleton, without_key)}
    named = System.objects.filter(name_skeleton=OuterRef("name_skeleton"))
    named = named.alias(its_team=Coalesce("team", 0)).exclude(its_team=Coalesce(OuterRef("team"), -1))
    named = named.exclude(team=None, owner=OuterRef("owner"))
    like_known = submissions.filter(Q(name_skeleton=None) | Q(name_skeleton__in=looks_known))
    # Two queries in one: PostgreSQL joins by index where conditions are not alternatives.
    both = submissions.filter(Exists(named)).values_list(*fields).union(like_known.values_list(*fields))
    candidates = list(both)
    if not candidates:
        return {}

    known: dict[str, list[tuple[SameName, int | None, int | None, int]]] = {}
    looks_wanted = Q(name_skeleton=None) | Q(name_skeleton__in={skeleton(name) for _, name, *_ in candidates})
    systems = _of_others(None, None).filter(looks_wanted).order_by("name")
    of_system = ("name", "slug", "is_human", "owner", "team", "pk", "same_as")
    for name, slug, is_human, owner, team, pk, same_as in systems.values_list(*of_system):
        known.setdefault(skeleton(name), []).append((SameName(name, slug, False, is_human), owner, team, same_as or pk))

    @cache
    def of_others(name: str, owner: int, team: int | None) -> list[tuple[SameName, int]]:
        """Looked for once for all submissions of a party under one name, which may have as many systems."""
        return [
            (replace(other, differs=plain(other.name) != plain(name)), system)
            for other, its_owner, its_team, system in known.get(skeleton(name), ())
            if not (team is not None and its_team == team) and not (its_team is None and its_owner == owner)
        ]

    conspicuous: dict[uuid.UUID, tuple[str, list[tuple[SameName, int]]]] = {}
    for submission, name, owner, team in candidates:
        others, looks = of_others(name, owner, team), skeleton(name)
        if others or looks in _pinned() or looks in _published():
            conspicuous[submission] = looks, others
    own: dict[uuid.UUID, set[int]] = {}
    rows = Entry.objects.filter(submission__in=list(conspicuous), replaced_at=None).order_by()
    for submission, system, same_as in rows.values_list("submission", "system", "system__same_as"):
        own.setdefault(submission, set()).add(same_as or system)
    flags = {}
    for submission, (looks, others) in conspicuous.items():
        same = tuple(other for other, system in others if system not in own.get(submission, ()))
        pinned = looks in _pinned()
        like_published = looks in _published() and not (same or pinned or submission in own)
        if same or like_published or pinned:
            flags[submission] = NameFlags(pinned, same, like_published)
    return flags


def why_refused(name: str, *, owner: User | None, team: Team | None) -> str:
    """Why a name cannot be given to a system of a team, or of a person without one; empty if it can.

    The names of other systems are those on boards, so that nothing is revealed. One query.
    """
    alike = same_names(name, owner=owner, team=team)
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


def same_names(name: str, *, owner: User | None, team: Team | None) -> list[SameName]:
    """The systems of others on boards whose names look like a given one. One query."""
    looks, letters = skeleton(name), plain(name)
    others = _of_others(owner, team).filter(Q(name_skeleton=None) | Q(name_skeleton=looks)).order_by("name", "pk")
    return [
        SameName(other, slug, plain(other) != letters, is_human)
        for other, slug, is_human in others.values_list("name", "slug", "is_human")
        if skeleton(other) == looks
    ]


@cache
def _pinned() -> frozenset[str]:
    bounds: Iterable[str] = (name for definition in definitions().values() for name in definition.upper_bounds)
    return frozenset(map(skeleton, (*PINNED, *bounds)))


@cache
def _published() -> frozenset[str]:
    results = (definition.published_results() for definition in definitions().values())
    return frozenset(skeleton(system["name"]) for table in results if table for system in table.systems.values())


def _of_others(owner: User | None, team: Team | None) -> "QuerySet[System]":
    on_board = System.objects.filter(Exists(Entry.objects.filter(system=OuterRef("pk"), replaced_at=None)))
    if team is not None:
        on_board = on_board.exclude(team=team)
    return on_board.exclude(owner=owner, team=None) if owner is not None else on_board
