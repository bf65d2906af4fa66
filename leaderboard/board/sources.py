"""The sources of a system's scores on a board: one of them is the system's row, the others are its alternatives.

A system may be on a board several times: scored here, in the benchmark's official results, in a paper. Systems that
maintainers merged are one system (`leaderboard.models.System.same_as`). The best evidence is the row: a source with
the score that the board is ordered by before one with other numbers, and that before one without; then scored here,
official results, papers, or papers before official results if the benchmark's declaration says so; then the newest; of
reported sources of one day, the one that was imported first, which is the declaration's first.
"""

import datetime
import uuid
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from leaderboard.models import EntryKind, System

SCORED, OFFICIAL, PAPER, GRADED = "scored", "official", "paper", "graded"
EVIDENCE: Final = (SCORED, OFFICIAL, PAPER, GRADED)
"""The kinds of evidence, best first. Grades by hand are rows of their own, because they measure something else."""


class EntryRow(NamedTuple):
    """A row of the board without its numbers."""

    pk: int
    kind: str
    answer_set: uuid.UUID | None
    source: str
    note: str
    context_size: int | None
    n_answered: int | None
    published_at: datetime.datetime
    name: str
    slug: str
    authors: str
    url: str
    citation: str
    type: str
    attributes: dict[str, Any]
    """Attributes that the system states of itself."""
    is_human: bool
    owner: int | None
    traits_withheld: bool
    """Whether type and attributes are withheld: double-blind review."""
    system: int
    same_as: int | None
    """The system that its system was merged into."""
    is_official: bool
    """Whether reported scores are from the benchmark's official results, not from a paper."""
    run_facts: Mapping[str, Any] = {}
    """Facts that the system states of itself whatever the benchmark (`scoring.benchmarks.facts`)."""
    usage: dict[str, Any] | None = None
    """The totals of what its answers took, if they are stated."""

    @property
    def is_rankable(self) -> bool:
        """Whether it is ranked if it is the row of its system. Reported and hand-graded rows and people never are."""
        return self.kind == EntryKind.SCORED and not self.is_human


ENTRY_FIELDS = (
    *("pk", "kind", "answer_set", "source", "note", "context_size", "n_answered", "published_at", "system__name"),
    *("system__slug", "system__authors", "system__url", "system__citation", "system__type", "system__attributes"),
    *("system__is_human", "system__owner", "system__traits_withheld"),
    *("system", "system__same_as", "is_official", "system__run_facts", "answer_set__usage__totals"),
)
Canonical = Mapping[int, tuple[Any, ...]]
"""Fields of each system that others were merged into, by its key: `OF_SYSTEM`."""
OF_SYSTEM: Final = ("name", "slug", "authors", "url", "citation", "type", "attributes", "run_facts", "owner")


def evidence_of(entry: EntryRow) -> str:
    """The kind of evidence of a row's scores."""
    if entry.kind == EntryKind.REPORTED:
        return OFFICIAL if entry.is_official else PAPER
    return SCORED if entry.kind == EntryKind.SCORED else GRADED


def canonical_of(entries: Iterable[EntryRow]) -> Canonical:
    """The systems that the systems of some rows were merged into. One query if there are any."""
    merged = {entry.same_as for entry in entries if entry.same_as is not None}
    rows = System.objects.filter(pk__in=merged).values_list("pk", *OF_SYSTEM) if merged else ()
    return {pk: tuple(values) for pk, *values in rows}


def sources_of(
    entries: Iterable[EntryRow], canonical: Canonical, numbers: Sequence[Collection[int]], first: str = OFFICIAL
) -> list[list[EntryRow]]:
    """The systems of a board, ordered by name, each with its rows: the best evidence first, with the names and metadata
    of the system that others were merged into, then its alternatives with the names of their own systems.

    Args:
        entries: ordered by name.
        numbers: the keys of rows with the score that the board is ordered by, and of rows with any number.
        first: `OFFICIAL` or `PAPER`: which reported source comes first.
    """
    evidence = sorted(EVIDENCE, key=lambda kind: (EVIDENCE.index(kind) > 0, kind != first, EVIDENCE.index(kind)))
    groups: dict[tuple[int, bool], list[EntryRow]] = defaultdict(list)
    for entry in entries:
        groups[entry.same_as or entry.system, entry.kind == EntryKind.GRADED].append(entry)
    systems = []
    for (system, _), group in groups.items():
        group.sort(
            key=lambda entry: (
                *(entry.pk not in keys for keys in numbers),
                evidence.index(evidence_of(entry)),
                -entry.published_at.timestamp(),
                entry.pk if entry.kind == EntryKind.REPORTED else -entry.pk,
            )
        )
        row = group[0]
        if system in canonical:
            facts = row.run_facts  # those of the run, unless the system has some
            row = row._replace(**dict(zip(OF_SYSTEM, canonical[system], strict=True)))
            row = row if row.run_facts else row._replace(run_facts=facts)
        systems.append([row, *group[1:]])
    if canonical:
        systems.sort(key=lambda rows: (rows[0].name.casefold(), rows[0].pk))
    return systems
