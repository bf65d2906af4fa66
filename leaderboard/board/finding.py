"""The sentence above a board: who leads, whether another system can hold rank 1, who follows, what people reach.

Systems whose rank ranges begin at 1 share rank 1, and reported numbers have no rank.
"""

from collections.abc import Sequence
from operator import attrgetter
from typing import Final, NamedTuple

from django.utils.text import get_text_list
from msgspec import structs

from leaderboard.board.document import Cell, Document, Row
from leaderboard.disclosure import DisclosureRule
from leaderboard.models import EntryKind
from leaderboard.templatetags.display import excerpt, high_end, low_end
from scoring.metrics.columns import Column, with_unit

MOST_NAMED: Final = 3
LONGEST_NAME: Final = 48
BEST_REPORTED: Final = " The best reported: {who} with {best}."
SENTENCES: Final = {
    "leads": "{who} leads with {best}{interval}. No other system can hold rank 1.",
    "shared": "{n} systems share rank 1 by {label}: {who}.",
    "only": "{who} is the only system scored here, with {best}{interval}.",
    "unranked": "The best value so far: {who} with {best}. Rank ranges are not known yet.",
    "unscored": "No system has been scored here yet.",
    "reported": "Reported numbers have no rank.",
}
"""Sentences by the state of a finding; the last one is of boards on which a reader chose reported numbers."""


def in_sentence(name: str) -> str:
    """A name as it is within a sentence.

    >>> in_sentence("Loose accuracy"), in_sentence("F1"), in_sentence("ROUGE-1 F1")
    ('loose accuracy', 'F1', 'ROUGE-1 F1')
    """
    return name[0].lower() + name[1:] if name[1:2].islower() else name


class Contender(NamedTuple):
    """A system with its value in the column."""

    system: Row
    name: str
    """Name that is short enough for a sentence."""
    cell: Cell
    """Cell with the digits that may be shown."""
    value: float
    order: tuple[float, str]
    """Key that sorts by exact values, the best first: systems may differ by less than is shown."""


class Finding(NamedTuple):
    """Leader of a board in one column, and how certain that is."""

    state: str
    """Key of `SENTENCES`."""
    column: Column
    first: Sequence[Contender]
    """The leader; or all that share rank 1; or the best reported ones, if their numbers can be compared."""
    next: Contender | None
    people: Contender | None

    @property
    def sentence(self) -> str:
        if not self.first:
            return SENTENCES[self.state]
        column, cell = self.column, self.first[0].cell
        names = [contender.name for contender in self.first[:MOST_NAMED]]
        names += [f"{len(self.first) - MOST_NAMED} more"] if len(self.first) > MOST_NAMED else []
        label = f"{in_sentence(column.label)}{'' if column.higher_is_better else ' (lower is better)'}"
        interval = ""
        if cell.low is not None and cell.high is not None:
            ends = f"{low_end(cell.low, column)} to {high_end(cell.high, column)}"
            interval = f", 95\N{NO-BREAK SPACE}% interval {ends}"
        who, best = get_text_list(names, "and"), f"{with_unit(self.first[0].value, column)} {label}"
        sentence = SENTENCES[self.state] + (BEST_REPORTED if self.state in ("unscored", "reported") else "")
        return sentence.format(who=who, best=best, interval=interval, label=label, n=len(self.first))

    @property
    def more(self) -> str:
        """Sentences on who follows, and on what people reach: left out on narrow screens."""
        text = ""
        if self.next is not None and self.state in ("leads", "unscored", "reported"):
            text = f" {self.next.name} follows, {self.behind(self.next)} behind."
        if self.people is not None:
            reported = " (reported)" if self.people.cell.state == EntryKind.REPORTED else ""
            text += f" People reach {with_unit(self.people.value, self.column)}{reported}."
        return text

    def behind(self, contender: Contender) -> str:
        """Distance of a system from the first one: the difference of the numbers that are shown."""
        digits, smallest = self.column.digits, 10.0**-self.column.digits
        difference = abs(round(self.first[0].value, digits) - round(contender.value, digits))
        prefix = "less than " if difference < smallest / 2 else ""
        return prefix + with_unit(max(difference, smallest), self.column, "points")


def finding_of(document: Document, column: Column, rule: DisclosureRule, *, reported: bool = False) -> Finding:
    """Finding of one column of a document, among all of its systems, whatever a reader filters.

    Args:
        reported: whether it is about reported numbers; otherwise they count only if nothing was scored here.
    """
    by_state: dict[str, list[Contender]] = {EntryKind.SCORED: [], EntryKind.REPORTED: []}
    people = list[Contender]()
    for row, *others in document.systems:
        taken = set[str]()  # of sources of one kind, the one that a board shows first
        for cell in (source.cell(column.key) for source in (row, *others)):
            if cell.value is None:
                continue
            order = (-column.sign * cell.value, row.name.casefold())
            value, (low, high) = rule.number(cell.value, column) or 0.0, rule.ends(cell.low, cell.high, column)
            shown = structs.replace(cell, value=value, low=low, high=high)
            contender = Contender(row, excerpt(row.name, LONGEST_NAME), shown, value, order)
            if row.is_human:
                people += [contender] if row.pinned != "upper-bound" else []
            elif cell.state in by_state and cell.state not in taken:
                by_state[cell.state].append(contender)
                taken.add(cell.state)
    people.sort(key=lambda contender: (contender.cell.state != EntryKind.SCORED, contender.order))
    scored, published = (sorted(of_state, key=attrgetter("order")) for of_state in by_state.values())
    here = published if reported or not scored else scored
    if here is published:
        state, first = "reported" if reported else "unscored", [one for one in here if one.cell.best]
    elif len(scored) == 1:
        state, first = "only", scored
    else:
        first = [contender for contender in scored if contender.cell.best_rank == 1]
        state = "leads" if len(first) == 1 else "shared"
        if first[:1] != scored[:1]:  # no rank ranges yet
            state, first = "unranked", [contender for contender in scored if contender.order[0] == scored[0].order[0]]
    following = here[len(first)] if first and len(here) > len(first) else None
    return Finding(state, column, first, following, people[0] if people else None)
