"""A table with facts of many systems: read from CSV, shown with every change or mistake by line, and applied.

The table has a column ``system`` (the slug of its page) and columns named as facts (`leaderboard.publishing.facts`). An
empty cell changes nothing, and a hyphen states a fact no more. The changes of all systems are applied, or of none.
"""

from __future__ import annotations

import csv
import hashlib
import io
from dataclasses import dataclass, field
from typing import Any, Final

from django.db import transaction

from leaderboard.models import System, User
from leaderboard.publishing import facts
from leaderboard.publishing.errors import SubmissionError
from leaderboard.submissions.facts import changed_form, values_of

MOST_ROWS: Final = 1000
MOST_CHARACTERS: Final = 1_000_000
UNSTATED: Final = "-"
CHANGED_SINCE: Final = "Something has changed since this preview. Look at it again."


@dataclass
class Line:
    """A line of the table: a system with its changes, or mistakes."""

    number: int
    system: System | None = None
    values: dict[str, Any] = field(default_factory=dict)
    changes: list[tuple[str, Any, Any]] = field(default_factory=list)
    """Names with old and new values."""
    mistakes: list[str] = field(default_factory=list)


@dataclass
class FactTable:
    lines: list[Line] = field(default_factory=list)

    @property
    def mistakes(self) -> list[tuple[int, str]]:
        return [(line.number, mistake) for line in self.lines for mistake in line.mistakes]

    @property
    def changed(self) -> list[Line]:
        return [line for line in self.lines if line.changes]

    @property
    def fingerprint(self) -> str:
        shown = [(line.system.pk if line.system else 0, line.changes) for line in self.lines]
        return hashlib.sha256(repr(shown).encode()).hexdigest()[:32]


def read_table(text: str) -> FactTable:
    """Read a table; nothing is changed. Some queries for each line."""
    if len(text) > MOST_CHARACTERS:
        return FactTable([Line(1, mistakes=[f"The table has more than {MOST_CHARACTERS:,} characters."])])
    reader = csv.DictReader(io.StringIO(text.removeprefix("\ufeff"), newline=None))
    table, seen = FactTable(), dict[str, int]()
    try:
        if "system" not in (reader.fieldnames or ()):
            return FactTable([Line(1, mistakes=["The first line has no column “system”."])])
        for row in reader:
            if len(table.lines) == MOST_ROWS:
                table.lines.append(Line(reader.line_num, mistakes=[f"The table has more than {MOST_ROWS:,} lines."]))
                break
            line = Line(reader.line_num)
            table.lines.append(line)
            slug = (row.pop("system") or "").strip()
            if None in row:
                line.mistakes.append("There are more values than columns.")
                continue
            if slug in seen:
                line.mistakes.append(f"“{slug}” is in line {seen[slug]} already.")
                continue
            seen[slug] = line.number
            _read(line, slug, {name: (text or "").strip() for name, text in row.items()})
    except csv.Error as error:
        table.lines.append(Line(reader.line_num + 1, mistakes=[f"This is no CSV ({error})."]))
    if not table.lines:
        table.lines.append(Line(1, mistakes=["The table has no lines below the first one."]))
    return table


def _read(line: Line, slug: str, cells: dict[str, str]) -> None:
    system = System.objects.filter(slug=slug, is_pseudonym=False, is_human=False).first()
    if system is None:
        line.mistakes.append(f"There is no system “{slug}” whose facts can be changed.")
        return
    sent = {name: None if cell == UNSTATED else cell for name, cell in cells.items() if cell}
    form, errors = changed_form(system, sent)
    line.system = system
    line.mistakes += [f"{name}: {' '.join(texts)}" for name, texts in errors.items()]
    if not line.mistakes:
        line.values = values_of(form, sent)
        line.changes = [
            (name, form.now.get(name), value) for name, value in line.values.items() if form.now.get(name) != value
        ]


@transaction.atomic
def apply_table(text: str, *, seen: str, actor: User) -> int:
    """Make the changes of a table as its preview showed them; returns the number of changed systems.

    Raises:
        SubmissionError: it has a mistake, a name cannot be given, or something changed since; nothing is changed.
    """
    table = read_table(text)
    if table.mistakes or table.fingerprint != seen:
        raise SubmissionError(CHANGED_SINCE)
    for line in table.changed:
        assert line.system is not None  # noqa: S101 - it has changes
        try:
            facts.change_facts(line.system, line.values, actor=actor, by_maintainer=True)
        except SubmissionError as error:
            raise SubmissionError(f"Line {line.number}: {error} Nothing was changed.") from error
    return len(table.changed)
