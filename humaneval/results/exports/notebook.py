"""The notebook of an export, which computes the figures of the page *Scores* from the export's tables.

There is one for each type of study, as Python source with cells in ``notebooks/``. The statistics that it calls are
copied into the archive, so that it runs without this site.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import scoring
from humaneval.models import Kind

NAME: Final = "figures.ipynb"
SOURCES: Final = Path(__file__).with_name("notebooks")
_CELL: Final = re.compile(r"^# %%(?P<markdown> \[markdown\])?\n", re.MULTILINE)
_PACKAGE: Final = Path(scoring.__file__).parent


def files_of(kind: str) -> Iterator[tuple[str, str]]:
    """The notebook for a type of study, as JSON (nbformat 4.5), and the modules that it imports: names and texts."""
    python = {"display_name": "Python 3", "language": "python", "name": "python3"}
    source = (SOURCES / f"{Kind(kind)}.py").read_text(encoding="utf-8")
    notebook = {"cells": list(_cells(source)), "metadata": {"kernelspec": python}, "nbformat": 4, "nbformat_minor": 5}
    yield NAME, json.dumps(notebook, ensure_ascii=False, indent=1) + "\n"
    for path in (_PACKAGE / "__init__.py", *sorted((_PACKAGE / "statistics").glob("*.py"))):
        yield path.relative_to(_PACKAGE.parent).as_posix(), path.read_text(encoding="utf-8")


def _cells(source: str) -> Iterator[dict[str, Any]]:
    _, *parts = _CELL.split(source)
    for number, (markdown, text) in enumerate(zip(parts[::2], parts[1::2], strict=True)):
        about: dict[str, Any] = {"id": f"cell-{number}", "metadata": {}}
        if markdown:
            yield {**about, "cell_type": "markdown", "source": re.sub(r"^# ?", "", text.strip(), flags=re.MULTILINE)}
        else:
            yield {**about, "cell_type": "code", "source": text.strip(), "execution_count": None, "outputs": []}
