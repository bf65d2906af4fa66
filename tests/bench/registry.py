"""What a bench is and what it reports."""

from __future__ import annotations

import subprocess
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

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
    error: str = ""
    """Why the bench ended without its measurements."""
    full: bool = False
    """Whether to run what takes minutes or gigabytes too."""
    short: bool = False
    """Whether to run in a small size, which shows only that the bench works: no bar counts."""

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
        bars = (None, None) if self.short else (at_least, at_most)
        self.rows.append(Row(what, value, unit, beside, *bars))

    def size(self, usual: int, short: int) -> int:
        """The size to run in."""
        return short if self.short else usual

    def note(self, text: str) -> None:
        """Say something a reader needs to judge the numbers: on what data, what was warm."""
        self.notes.append(text)

    def compare(self, what: str, ours: object, theirs: object) -> None:
        """Results that have to be equal, to the last bit."""
        if ours != theirs:
            self.mismatches.append(f"{what}: {_short(ours)} is not {_short(theirs)}")


class ChildError(Exception):
    """A process that a bench runs failed."""


def output_of(command: Sequence[str], *, env: Mapping[str, str] | None = None, allowed: Sequence[int] = (0,)) -> str:
    """What a process writes to its standard output.

    Raises:
        ChildError: it ended with another status than *allowed*, or with an error and without output; with what it wrote
            to its standard error.
    """
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True)
    if done.returncode not in allowed or (done.returncode and not done.stdout):
        raise ChildError(f"{' '.join(command)[:200]} ended with {done.returncode}:\n{done.stderr.strip()}")
    return done.stdout


def run(name: str, *, full: bool = False, short: bool = False) -> Report:
    """Run a bench; if it fails, its report says why."""
    report = Report(name, full=full, short=short)
    try:
        BENCHES[name](report)
    except ChildError as error:
        report.error = str(error)
    except Exception:  # the others go on, whatever it is
        report.error = traceback.format_exc().strip()
    return report


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
        lines += [f"  ERROR {line}" for line in report.error.splitlines()]
    return "\n".join(lines)
