"""What a board says in one sentence: who leads, whether another system can hold rank 1, who follows, what people reach.

The sentence claims only what the numbers say: systems whose rank ranges begin at 1 share rank 1, and reported numbers
have no rank.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from leaderboard.board.document import Document, Row
from leaderboard.disclosure import DisclosureRule
from leaderboard.models import EntryKind
from leaderboard.templatetags.display import excerpt, high_end, low_end
from scoring.metrics.columns import UNITS_IN_WORDS, Column, shown

MOST_NAMED: Final = 3
"""Systems that a sentence names in one list."""
LONGEST_NAME: Final = 48


@dataclass(frozen=True)
class Contender:
    """A row with a value in the column, with the numbers that may be shown."""

    system: Row
    """With the names of its system."""
    row: Row
    """With the source of the value."""
    value: float
    low: float | None
    high: float | None

    @property
    def name(self) -> str:
        """Short enough for a sentence."""
        return excerpt(self.system.name, LONGEST_NAME)


@dataclass(frozen=True)
class Finding:
    """Who leads a board in one column."""

    state: Literal["leads", "shared", "only", "unranked", "reported", "empty"]
    """``leads``: no other system can hold rank 1; ``shared``: several can; ``only``: one system was scored here;
    ``unranked``: there are no rank ranges; ``reported``: nothing was scored here; ``empty``: there is no number."""
    column: Column
    first: tuple[Contender, ...] = ()
    """The leader; or all that share rank 1; or the best reported ones, if their numbers can be compared."""
    next: Contender | None = None
    """The system after the first ones, in the order of values."""
    people: Contender | None = None

    @property
    def sentence(self) -> str:
        """Who leads, and how certain that is."""
        if not self.first:
            return "No system has been scored here yet."
        leader, label = self.first[0], self.column.label[0].lower() + self.column.label[1:]
        label += "" if self.column.higher_is_better else " (lower is better)"
        best, interval = f"{amount(leader.value, self.column)} {label}", ""
        if leader.low is not None and leader.high is not None:
            ends = f"{low_end(leader.low, self.column)} to {high_end(leader.high, self.column)}"
            interval = f", 95\N{NO-BREAK SPACE}% interval {ends}"
        named = [contender.name for contender in self.first[:MOST_NAMED]]
        names = listed([*named, *([f"{len(self.first) - MOST_NAMED} more"] if len(self.first) > MOST_NAMED else [])])
        match self.state:
            case "leads":
                return f"{names} leads with {best}{interval}. No other system can hold rank 1."
            case "shared":
                return f"{len(self.first)} systems share rank 1 by {label}: {names}."
            case "only":
                return f"{names} is the only system scored here, with {best}{interval}."
            case "unranked":
                return f"The best value so far: {names} with {best}. Rank ranges are not known yet."
            case _:
                return f"No system has been scored here yet. The best reported: {names} with {best}."

    @property
    def more(self) -> str:
        """Who follows, and what people reach: left out on narrow screens."""
        sentences = []
        if self.next is not None and self.state in ("leads", "reported"):
            sentences.append(f" {self.next.name} follows, {self.behind(self.next)} behind.")
        if self.people is not None:
            reported = " (reported)" if self.people.row.kind == EntryKind.REPORTED else ""
            sentences.append(f" People reach {amount(self.people.value, self.column)}{reported}.")
        return "".join(sentences)

    def behind(self, contender: Contender) -> str:
        """How far a system is from the first one, as the difference of the numbers that are shown."""
        digits = self.column.digits
        difference = abs(round(self.first[0].value, digits) - round(contender.value, digits))
        smallest = 10.0**-digits
        prefix = "less than " if difference < smallest / 2 else ""
        return prefix + _with_unit(shown(max(difference, smallest), self.column), self.column, "points")


def finding_of(document: Document, column: Column, rule: DisclosureRule) -> Finding:
    """What a document says of one of its columns, of all of its systems, whatever a reader filters.

    Args:
        rule: of the board's split; it decides which digits are shown.
    """
    scored, reported, people = list[int](), list[int](), list[int]()
    systems: dict[int, Row] = {}
    """By source: the row with its system's names."""
    for place, others in document.sources():
        row = document.rows[place]
        sources = [source for source in (place, *others) if document.value(source, column.key) is not None]
        systems |= dict.fromkeys(sources, row)
        if row.is_human:
            people += [source for source in sources if row.pinned != "upper-bound"]
        elif row.kind == EntryKind.SCORED and place in sources:
            scored.append(place)
        else:
            reported += [source for source in sources if document.rows[source].kind == EntryKind.REPORTED][:1]

    def by_value(source: int) -> tuple[float, str]:
        return -column.sign * (document.value(source, column.key) or 0.0), systems[source].name.casefold()

    def contender(source: int) -> Contender:
        cell = document.cell(source, column.key)
        low, high = rule.ends(cell.low, cell.high, column)
        return Contender(systems[source], document.rows[source], rule.number(cell.value, column) or 0.0, low, high)

    here = sorted(scored or reported, key=by_value)
    people.sort(key=lambda source: (document.rows[source].kind != EntryKind.SCORED, by_value(source)))
    best_people = contender(people[0]) if people else None
    if not here:
        return Finding("empty", column, people=best_people)
    cells = document.columns[column.key]
    state: Literal["leads", "shared", "only", "unranked", "reported"] = "reported"
    if not scored:
        first = [source for source in here if source in cells.best]
    elif len(here) == 1:
        state, first = "only", here
    else:
        first = [source for source in here if cells.standings is not None and cells.standings.best_rank[source] == 1]
        state = "leads" if len(first) == 1 else "shared"
        if first[:1] != here[:1]:  # without rank ranges
            state, first = "unranked", [source for source in here if by_value(source)[0] == by_value(here[0])[0]]
    following = contender(here[len(first)]) if first and len(here) > len(first) else None
    return Finding(state, column, tuple(map(contender, first)), following, best_people)


def amount(value: float, column: Column) -> str:
    """A number of a column with its unit."""
    return _with_unit(shown(value, column), column, "%")


def _with_unit(number: str, column: Column, of_percent: str) -> str:
    if column.in_percent:  # a difference is in points: of 10 % it would be a tenth of the value
        return f"{number}\N{NO-BREAK SPACE}{of_percent}"
    _, before, after = UNITS_IN_WORDS.get(column.unit, ("", "", ""))
    return before + number + after


def listed(texts: Sequence[str]) -> str:
    """Texts as a sentence lists them."""
    return " and ".join([", ".join(texts[:-1]), texts[-1]] if len(texts) > 1 else texts)
