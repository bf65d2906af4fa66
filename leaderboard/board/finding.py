"""What a board says in one sentence: who leads, whether another system can hold rank 1, who follows, what people reach.

Enters: a board's document, and the column that its ranks are computed from. Leaves: a `Finding`, whose sentence claims
only what the numbers say: systems whose rank ranges begin at 1 share rank 1, and reported numbers have no rank.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np

from leaderboard.board.document import Document, Row, kept
from leaderboard.disclosure import DisclosureRule
from leaderboard.models import EntryKind
from leaderboard.templatetags.display import excerpt, high_end, low_end
from scoring.metrics.columns import UNITS_IN_WORDS, Column, shown

MOST_NAMED: Final = 3
"""Systems that a sentence names in one list."""
LONGEST_NAME: Final = 48
NUMBERS: Final = ("No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten")

State = Literal["leads", "shared", "only", "unranked", "reported", "mixed", "waiting", "empty"]


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
    best_rank: int | None
    worst_rank: int | None

    @property
    def name(self) -> str:
        """Short enough for a sentence."""
        return excerpt(self.system.name, LONGEST_NAME)


@dataclass(frozen=True)
class Finding:
    """Who leads a board in one column."""

    state: State
    """``leads``: no other system can hold rank 1; ``shared``: several can; ``only``: one system was scored here;
    ``unranked``: there are no rank ranges; ``reported``: nothing was scored here; ``mixed``: and no reported number can
    be named as the best; ``waiting``: there are answers without a score; ``empty``: there is nothing."""
    column: Column
    first: tuple[Contender, ...] = ()
    """The leader; or all that share rank 1; or the best reported ones."""
    following: tuple[Contender, ...] = ()
    """The next systems, whose ranks cannot be distinguished; or the next reported one."""
    n_systems: int = 0
    """Of the kind that the sentence is about."""
    people: Contender | None = None
    is_pending: bool = False
    """Whether rank ranges are still being computed."""

    @property
    def headline(self) -> str:
        """The beginning of the sentence, which is emphasised."""
        amounts = listed([f"{contender.name} ({self.amount(contender)})" for contender in self.first[:MOST_NAMED]])
        match self.state:
            case "leads":
                return f"{self.first[0].name} leads with {self.amount(self.first[0])}"
            case "shared":
                number = len(self.first)
                among = ", among them" if number > MOST_NAMED else ":"
                return f"{NUMBERS[number] if number < len(NUMBERS) else number} systems share rank 1{among} {amounts}"
            case "only":
                return f"{self.first[0].name} is the only system scored here, with {self.amount(self.first[0])}"
            case "unranked" if len(self.first) == 1:
                return f"{self.first[0].name} has {self._extreme}, {self.amount(self.first[0])}"
            case "unranked":
                names = listed([contender.name for contender in self.first])
                return f"{names} have {self._extreme}, {self.amount(self.first[0])}"
            case "reported" | "mixed":
                return "No system has been scored here yet."
            case "waiting":
                return "No system has a score yet."
            case "empty":
                return "No system has been scored yet. Be the first."

    @property
    def detail(self) -> str:
        """How certain it is."""
        label, unknown = self._label, "is not known yet" if self.is_pending else "is not known"
        match self.state:
            case "leads":
                return f" {label}{self._interval} and no other system can hold rank 1."
            case "shared":
                return f", {label}." if self.column.higher_is_better else f", {label} (lower is better)."
            case "only":
                return f" {label}{self._interval}."
            case "unranked":
                interval = self._interval if len(self.first) == 1 else ""
                return f"{interval}. Whether another system can hold rank 1 {unknown}."
            case "reported":
                names = listed([contender.name for contender in self.first[:MOST_NAMED]])
                lower = "" if self.column.higher_is_better else ", lower is better"
                return f" The best reported: {names} with {self.amount(self.first[0])} {label} (no interval{lower})."
            case "mixed":
                return f" {self.n_systems} have reported numbers, from different judges: none is named as the best."
            case "waiting":
                number = self.n_systems
                return f" {number} wait{'s' if number == 1 else ''} for {'its' if number == 1 else 'their'} score."
            case "empty":
                return ""

    @property
    def more(self) -> str:
        """Who follows, and what people reach: left out on narrow screens."""
        sentences = [self._who_follows]
        if self.people is not None:
            reported = " (reported)" if self.people.row.kind == EntryKind.REPORTED else ""
            sentences.append(f"People reach {self.amount(self.people)}{reported}.")
        return "".join(f" {sentence}" for sentence in sentences if sentence)

    def __str__(self) -> str:
        return self.headline + self.detail + self.more

    def amount(self, contender: Contender) -> str:
        """A value with its unit."""
        return amount(contender.value, self.column)

    def behind(self, contender: Contender) -> str:
        """How far a system is from the first one, as the difference of the numbers that are shown."""
        digits = self.column.digits
        difference = abs(round(self.first[0].value, digits) - round(contender.value, digits))
        smallest = 10.0**-digits
        if difference < smallest / 2:
            return "less than " + _with_unit(shown(smallest, self.column), self.column, is_difference=True)
        return _with_unit(shown(difference, self.column), self.column, is_difference=True)

    @property
    def _label(self) -> str:
        label = self.column.label
        return label[0].lower() + label[1:] if label[1:2].islower() else label

    @property
    def _extreme(self) -> str:
        return f"the {'highest' if self.column.higher_is_better else 'lowest'} {self._label}"

    @property
    def _interval(self) -> str:
        leader, notes = self.first[0], []
        if not self.column.higher_is_better and self.state != "unranked":
            notes.append("lower is better")
        if leader.low is not None and leader.high is not None:
            ends = f"{low_end(leader.low, self.column)} to {high_end(leader.high, self.column)}"
            notes.append(f"95\N{NO-BREAK SPACE}% interval {ends}")
        else:
            notes.append("no interval")
        return f" ({'; '.join(notes)})"

    @property
    def _who_follows(self) -> str:
        if not self.following:
            return ""
        second = self.following[0]
        if self.state == "reported":
            return f"{second.name} follows, {self.behind(second)} behind."
        ranks = {(contender.best_rank, contender.worst_rank) for contender in self.following}
        best, worst = second.best_rank, second.worst_rank
        if len(self.following) == 1 or best is None or worst is None:
            return f"{second.name} follows, {self.behind(second)} behind."
        if len(ranks) == 1 and worst - best + 1 == len(self.following) <= MOST_NAMED:
            names, gaps = (
                listed(texts) for texts in zip(*((o.name, self.behind(o)) for o in self.following), strict=True)
            )
            return f"{names} share ranks {best} {'and' if worst == best + 1 else 'to'} {worst}, {gaps} behind."
        return f"{second.name} follows, {self.behind(second)} behind; ranks {best} to {worst} are possible for it."


@kept
def finding_of(document: Document, column: Column, rule: DisclosureRule) -> Finding:
    """What a document says of one of its columns, of all of its systems, whatever a reader filters.

    Args:
        rule: of the board's split; it decides which digits are shown.
    """
    scored, reported, people = list[int](), list[int](), list[int]()
    systems: dict[int, int] = {}
    """By source: the row with its system's names."""
    n_waiting = 0
    for place, others in document.sources():
        row = document.rows[place]
        sources = [source for source in (place, *others) if document.value(source, column.key) is not None]
        systems |= dict.fromkeys(sources, place)
        if row.is_human:
            people += [source for source in sources if row.pinned != "upper-bound"]
        elif row.kind == EntryKind.SCORED and place in sources:
            scored.append(place)
        else:
            n_waiting += row.kind == EntryKind.SCORED
            reported += [source for source in sources if document.rows[source].kind == EntryKind.REPORTED][:1]

    def by_value(source: int) -> tuple[float, str]:
        return -column.sign * (document.value(source, column.key) or 0.0), document.rows[
            systems[source]
        ].name.casefold()

    def contender(source: int) -> Contender:
        cell = document.cell(source, column.key)
        low, high = rule.ends(cell.low, cell.high, column)
        value, ranks = rule.number(cell.value, column) or 0.0, (cell.best_rank, cell.worst_rank)
        return Contender(document.rows[systems[source]], document.rows[source], value, low, high, *ranks)

    def finding(state: State, first: Sequence[int] = (), following: Sequence[int] = (), n_systems: int = 0) -> Finding:
        people.sort(key=lambda source: (document.rows[source].kind != EntryKind.SCORED, by_value(source)))
        return Finding(
            state,
            column,
            tuple(map(contender, first)),
            tuple(map(contender, following)),
            n_systems,
            contender(people[0]) if people else None,
            document.statistics_stale,
        )

    if scored:
        scored.sort(key=by_value)
        standings = document.columns[column.key].standings
        possible = [source for source in scored if standings is not None and standings.best_rank[source] == 1]
        if len(scored) == 1:
            return finding("only", scored, n_systems=1)
        if standings is None or possible[:1] != scored[:1]:
            level = [source for source in scored if by_value(source)[0] == by_value(scored[0])[0]]
            return finding("unranked", level, n_systems=len(scored))
        if len(possible) > 1:
            return finding("shared", possible, n_systems=len(scored))
        ranges = [(standings.best_rank[source], standings.worst_rank[source]) for source in scored]
        end = next(end for end in separations(ranges) if end > 1)
        return finding("leads", scored[:1], scored[1:end], len(scored))
    if reported:
        reported.sort(key=by_value)
        best = [source for source in reported if source in document.columns[column.key].best]
        return finding("reported" if best else "mixed", best, reported[len(best) :][:1] if best else (), len(reported))
    return finding("waiting", n_systems=n_waiting) if n_waiting else finding("empty")


def separations(ranges: Any) -> list[int]:
    """The numbers of leading rows, in the order of their ranks, that no rank range crosses: no range of the first rows
    overlaps one of the others. The number of all rows is the last.

    Args:
        ranges: pairs of the best and the worst rank, or an array of them.

    >>> separations([(1, 1), (2, 3), (2, 3), (4, 4)])
    [1, 3, 4]
    >>> separations([(1, 2), (1, 3), (2, 3), (None, None)])
    [4]
    """
    best, worst = np.asarray(ranges, dtype=np.float64).reshape(-1, 2).T
    if np.isnan(best).any() or np.isnan(worst).any():
        return [len(best)]
    lowest, highest = np.maximum.accumulate(worst), np.minimum.accumulate(best[::-1])[::-1]
    return [*(1 + np.flatnonzero(lowest[:-1] < highest[1:])).tolist(), len(best)]


def amount(value: float, column: Column) -> str:
    """A number of a column with its unit."""
    return _with_unit(shown(value, column), column)


def _with_unit(number: str, column: Column, *, is_difference: bool = False) -> str:
    if column.in_percent:  # a difference of 10 % would be a tenth of the value
        return f"{number}\N{NO-BREAK SPACE}{'points' if is_difference else '%'}"
    _, before, after = UNITS_IN_WORDS.get(column.unit, ("", "", ""))
    return before + number + after


def listed(texts: Sequence[str]) -> str:
    """Texts as a sentence lists them."""
    return " and ".join([", ".join(texts[:-1]), texts[-1]] if len(texts) > 1 else texts)
