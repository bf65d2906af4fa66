"""What a bench is and what it reports."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

Bench = Callable[["Report"], None]

BENCHES: dict[str, Bench] = {}
"""Every bench by its name, in the order of registration."""


def bench(name: str) -> Callable[[Bench], Bench]:
    """Register a bench: a function that measures and tells the :class:`Report` it is given."""

    def register(function: Bench) -> Bench:
        if name in BENCHES:
            raise ValueError(f"two benches are named {name!r}")
        BENCHES[name] = function
        return function

    return register


@dataclass(frozen=True)
class Row:
    """One measurement, with a bar it has to clear if there is one."""

    what: str
    value: float
    unit: str
    beside: str
    """The same of what it is compared with, in words; may be empty."""
    at_least: float | None
    at_most: float | None

    @property
    def passed(self) -> bool | None:
        """Whether the bar is cleared; ``None`` if there is none."""
        if self.at_least is None and self.at_most is None:
            return None
        high_enough = self.at_least is None or self.value >= self.at_least
        return high_enough and (self.at_most is None or self.value <= self.at_most)

    @property
    def bar(self) -> str:
        """The bar in words."""
        if self.at_least is not None and self.at_most is not None:
            return f"{self.at_least:g} to {self.at_most:g}"
        if self.at_least is not None:
            return f">= {self.at_least:g} {self.unit}"
        return "" if self.at_most is None else f"<= {self.at_most:g} {self.unit}"


@dataclass
class Report:
    """What one bench found."""

    name: str
    rows: list[Row] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    mismatches: list[str] = field(default_factory=list)
    full: bool = False
    """Whether to run what takes minutes or gigabytes too."""

    def measure(
        self,
        what: str,
        value: float,
        unit: str,
        *,
        beside: str = "",
        at_least: float | None = None,
        at_most: float | None = None,
    ) -> None:
        """Add a measurement, with its bar if it has one."""
        self.rows.append(Row(what, value, unit, beside, at_least, at_most))

    def note(self, text: str) -> None:
        """Say something a reader needs to judge the numbers: on what data, what was warm."""
        self.notes.append(text)

    def compare(self, what: str, ours: object, theirs: object) -> None:
        """Results that have to be equal, to the last bit."""
        if ours != theirs:
            self.mismatches.append(f"{what}: {_short(ours)} is not {_short(theirs)}")


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 100 else f"{text[:97]}..."


def table(reports: list[Report]) -> str:
    """All measurements as a table of text, with notes and mismatches under their bench."""
    lines: list[str] = []
    for report in reports:
        lines += ["", report.name, "-" * len(report.name), *(f"  {note}" for note in report.notes)]
        for row in report.rows:
            verdict = {True: "pass", False: "FAIL", None: ""}[row.passed]
            lines.append(
                f"  {row.what:<46}{row.value:>10.3f} {row.unit:<8}{row.bar:<16}{verdict:<6}{row.beside}".rstrip()
            )
        lines += [f"  MISMATCH {mismatch}" for mismatch in report.mismatches]
    return "\n".join(lines)
