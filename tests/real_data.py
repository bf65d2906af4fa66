"""The real data beside the checkout, for those who have it; nothing of it is part of the project."""

from pathlib import Path

from tests.paths import ROOT as CHECKOUT

ROOT = CHECKOUT.parent / "shared" / "data"


def files(pattern: str) -> list[Path]:
    """The files that match, or none where the data is not there: tests are parametrised over them."""
    return sorted(ROOT.glob(pattern)) if ROOT.is_dir() else []


def have(*names: str) -> list[tuple[Path, ...]]:
    """One set of the named files, or none: for tests that need several at once."""
    paths = tuple(ROOT / name for name in names)
    return [paths] if all(path.is_file() for path in paths) else []
