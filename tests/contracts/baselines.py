"""Reading, writing and comparing baselines: one JSON file for each part, sorted and indented."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.paths import ROOT

FOLDER = Path(__file__).resolve().parent / "baseline"


def file_of(part: str) -> Path:
    """The file of a part. That of the API is in the package, for the client's types are made of it."""
    return ROOT / "manyhop" / "openapi.json" if part == "openapi" else FOLDER / f"{part}.json"


def text_of(content: Any, part: str = "") -> str:
    """The content of a part's file. The fields of the API keep the order in which the client shows them."""
    return json.dumps(content, ensure_ascii=False, indent=2, sort_keys=part != "openapi") + "\n"


def plain(content: Any) -> Any:
    """A part as it is after writing and reading: tuples become lists, members of enumerations become strings."""
    return json.loads(text_of(content))


def read(part: str) -> Any:
    """The baseline of a part."""
    return json.loads(file_of(part).read_text(encoding="utf-8"))


def write(part: str, content: Any) -> None:
    """Replace the baseline of a part."""
    file_of(part).write_text(text_of(content, part), encoding="utf-8")


def differences(before: Any, now: Any, place: str = "") -> Iterator[str]:
    """Each place in which two JSON values differ, one line each."""
    if isinstance(before, dict) and isinstance(now, dict):
        for key in sorted({*before, *now}):
            where = f"{place}[{key!r}]"
            if key not in now:
                yield f"{where} is gone; it was {_short(before[key])}"
            elif key not in before:
                yield f"{where} is new: {_short(now[key])}"
            else:
                yield from differences(before[key], now[key], where)
    elif isinstance(before, list) and isinstance(now, list) and len(before) == len(now):
        for index, (one, other) in enumerate(zip(before, now, strict=True)):
            yield from differences(one, other, f"{place}[{index}]")
    elif before != now or type(before) is not type(now):
        yield f"{place} was {_short(before)} and is {_short(now)}"


def require_same(part: str, content: Any) -> None:
    """Fail, listing every difference, unless a part equals its baseline."""
    found = list(differences(read(part), plain(content)))
    assert not found, (
        f"{part}: something that outsiders rely on has changed. If the change is intended and the CHANGELOG has a line "
        "about it, run `python -m tests.contracts`.\n" + "\n".join(found)
    )


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, sort_keys=True)
    return text if len(text) <= 200 else f"{text[:200]}…"
