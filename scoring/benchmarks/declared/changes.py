"""The differences between two declarations of a benchmark, for its maintainer to review."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from scoring.benchmarks.declared.files import Files
from scoring.files.mistakes import DECLARATION, shown
from scoring.files.toml_lines import read_toml

_MISSING: Final = object()


def changes(before: Files, after: Files) -> list[str]:
    """Each changed field of ``benchmark.toml`` and each changed other file, in one line. Nothing for a new benchmark.

    >>> old = {"benchmark.toml": b'name = "A"\\n[splits.test]\\nhidden = true', "data-card.md": b"x"}
    >>> changes(old, {"benchmark.toml": b'name = "B"\\n[splits.test]\\nhidden = false', "data-card.md": b"y"})
    ['name: the text "A" → the text "B"', 'splits.test.hidden: true → false', 'data-card.md: changed']
    """
    if not before:
        return []
    old, new = (
        dict(_flat(read_toml(DECLARATION, files.get(DECLARATION, b"")).values, "")) for files in (before, after)
    )
    lines = [
        f"{name}: {_shown(old.get(name, _MISSING))} → {_shown(new.get(name, _MISSING))}"
        for name in dict.fromkeys([*new, *old])
        if old.get(name, _MISSING) != new.get(name, _MISSING)
    ]
    for name in sorted({*before, *after} - {DECLARATION}):
        if before.get(name) != after.get(name):
            what = "added" if name not in before else "removed" if name not in after else "changed"
            lines.append(f"{name}: {what}")
    return lines


def _shown(value: Any) -> str:
    return "nothing" if value is _MISSING else shown(value)


def _flat(values: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, Any]]:
    for name, value in values.items():
        if isinstance(value, dict) and value:
            yield from _flat(value, f"{prefix}{name}.")
        elif isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
            for index, item in enumerate(value, start=1):
                yield from _flat(item, f"{prefix}{name}[{index}].")
        else:
            yield f"{prefix}{name}", value
