"""The sentence above a board: who leads, whether another system can hold rank 1, who follows, what people reach.

Systems whose rank ranges begin at 1 share rank 1, and reported numbers have no rank.
"""

from collections.abc import Sequence
from operator import attrgetter
from typing import Final, NamedTuple

from django.utils.text import get_text_list

from leaderboard.board.document import Cell, Document, Row
from leaderboard.disclosure import DisclosureRule
from leaderboard.models import EntryKind
from leaderboard.templatetags.display import excerpt, high_end, low_end
from scoring.metrics.columns import UNITS_IN_WORDS, Column, shown

MOST_NAMED: Final = 3
LONGEST_NAME: Final = 48


class Contender(NamedTuple):
    """A system with a value in the column; its numbers have the digits that may be shown."""

    system: Row
    cell: Cell
    value: float
    order: tuple[float, str]
    """Key that sorts by exact values, the best first: systems may differ by less than is shown."""

    @property
    def name(self) -> str:
        """Name that is short enough for a sentence."""
        return excerpt(self.system.name, LONGEST_NAME)


class Finding(NamedTuple):
    """Who leads a board in one column."""

    state: str
    """``leads``: no other system can hold rank 1; ``shared``: several can; ``only``: one system was scored here;
    ``unranked``: there are no rank ranges; ``unscored``: nothing was scored here; ``reported``: only reported numbers
    were asked for."""
    column: Column
    first: Sequence[Contender]
    """The leader; or all that share rank 1; or the best reported ones, if their numbers can be compared."""
    next: Contender | None
    people: Contender | None

    @property
    def sentence(self) -> str:
        """Who leads, and how certain that is."""
        no_leader = (
            "Reported numbers have no rank." if self.state == "reported" else "No system has been scored here yet."
        )
        if not self.first:
            return no_leader
        leader, label = self.first[0], self.column.label[0].lower() + self.column.label[1:]
        label += "" if self.column.higher_is_better else " (lower is better)"
        names = [contender.name for contender in self.first[:MOST_NAMED]]
        names += [f"{len(self.first) - MOST_NAMED} more"] if len(self.first) > MOST_NAMED else []
        who, best, interval = get_text_list(names, "and"), f"{amount(leader.value, self.column)} {label}", ""
        if leader.cell.low is not None and leader.cell.high is not None:
            ends = f"{low_end(leader.cell.low, self.column)} to {high_end(leader.cell.high, self.column)}"
            interval = f", 95\N{NO-BREAK SPACE}% interval {ends}"
        return {
            "leads": f"{who} leads with {best}{interval}. No other system can hold rank 1.",
            "shared": f"{len(self.first)} systems share rank 1 by {label}: {who}.",
            "only": f"{who} is the only system scored here, with {best}{interval}.",
            "unranked": f"The best value so far: {who} with {best}. Rank ranges are not known yet.",
        }.get(self.state, f"{no_leader} The best reported: {who} with {best}.")

    @property
    def more(self) -> str:
        """Who follows, and what people reach: left out on narrow screens."""
        text = ""
        if self.next is not None and self.state in ("leads", "unscored", "reported"):
            text = f" {self.next.name} follows, {self.behind(self.next)} behind."
        if self.people is not None:
            reported = " (reported)" if self.people.cell.state == EntryKind.REPORTED else ""
            text += f" People reach {amount(self.people.value, self.column)}{reported}."
        return text

    def behind(self, contender: Contender) -> str:
        """Distance of a system from the first one: the difference of the numbers that are shown."""
        digits, smallest = self.column.digits, 10.0**-self.column.digits
        difference = abs(round(self.first[0].value, digits) - round(contender.value, digits))
        prefix = "less than " if difference < smallest / 2 else ""
        return prefix + amount(max(difference, smallest), self.column, "points")


def finding_of(document: Document, column: Column, rule: DisclosureRule, *, reported: bool = False) -> Finding:
    """Finding of one column of a document, among all of its systems, whatever a reader filters.

    Args:
        reported: whether it is about reported numbers; otherwise they count only if nothing was scored here.
    """
    systems: dict[str, dict[int, Contender]] = {EntryKind.SCORED: {}, EntryKind.REPORTED: {}}
    people = list[Contender]()
    for place, others in document.sources():
        row = document.rows[place]
        for source in (place, *others):
            cell = document.cell(source, column.key)
            order = (-column.sign * (cell.value or 0.0), row.name.casefold())
            if (value := rule.number(cell.value, column)) is None:
                continue
            cell.value, (cell.low, cell.high) = value, rule.ends(cell.low, cell.high, column)
            contender = Contender(row, cell, value, order)
            if not row.is_human:
                systems.get(cell.state, {}).setdefault(place, contender)  # the source that a board shows first
            elif row.pinned != "upper-bound":
                people.append(contender)
    people.sort(key=lambda contender: (contender.cell.state != EntryKind.SCORED, contender.order))
    scored, published = (sorted(of_state.values(), key=attrgetter("order")) for of_state in systems.values())
    if reported or not scored:
        state, here = "reported" if reported else "unscored", published
        first = [contender for contender in here if contender.cell.best]
    elif len(scored) == 1:
        state, here, first = "only", scored, scored
    else:
        here, first = scored, [contender for contender in scored if contender.cell.best_rank == 1]
        state = "leads" if len(first) == 1 else "shared"
        if first[:1] != here[:1]:  # no rank ranges yet
            state, first = "unranked", [contender for contender in here if contender.order[0] == here[0].order[0]]
    following = here[len(first)] if first and len(here) > len(first) else None
    return Finding(state, column, first, following, people[0] if people else None)


def amount(value: float, column: Column, of_percent: str = "%") -> str:
    """A number of a column with its unit; a difference of percentages is in points: "%" would be a share of one."""
    if column.in_percent:
        return f"{shown(value, column)}\N{NO-BREAK SPACE}{of_percent}"
    _, before, after = UNITS_IN_WORDS.get(column.unit, ("", "", ""))
    return before + shown(value, column) + after
