"""The notebook of an export, which computes the figures of its pages from the files beside it.

``notebooks/figures.py`` has its cells; the types of study, or ``round`` of grading, that need a cell stand behind its
mark, and a cell without any is for all. The modules that it calls are copied into the archive, so that it runs without
this site.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

NAME: Final = "figures.ipynb"
ROUND: Final = "round"
SOURCE: Final = Path(__file__).with_name("notebooks") / "figures.py"
ROOT: Final = Path(__file__).parents[3]
STATISTICS: Final = ("scoring/__init__.py", "scoring/statistics/*.py")
MODULES: Final = {
    "answer": ("scoring/metrics/list_judge/replies.py", "scoring/metrics/asking/errors.py"),
    "pairs": ("humaneval/__init__.py", "humaneval/results/pair_outcome.py"),
    ROUND: (
        *("humaneval/__init__.py", "humaneval/grading/__init__.py", "humaneval/grading/outcome/__init__.py"),
        *("humaneval/grading/outcome/agreement.py", "humaneval/grading/outcome/judge_comparison.py"),
        "scoring/metrics/rubric/decisions.py",
    ),
}
"""Further modules of a type, from the root."""
_CELL: Final = re.compile(r"^# %%( \[markdown\])?(.*)\n", re.MULTILINE)


def files_of(kind: str) -> Iterator[tuple[str, str]]:
    """The notebook for a type of study or `ROUND`, as JSON (nbformat 4.5), and the modules that it imports: names and
    texts."""
    python = {"display_name": "Python 3", "language": "python", "name": "python3"}
    notebook = {"cells": list(_cells(kind)), "metadata": {"kernelspec": python}, "nbformat": 4, "nbformat_minor": 5}
    yield NAME, json.dumps(notebook, ensure_ascii=False, indent=1) + "\n"
    for pattern in (*STATISTICS, *MODULES.get(kind, ())):
        for path in sorted(ROOT.glob(pattern)):
            yield path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")


def _cells(kind: str) -> Iterator[dict[str, Any]]:
    _, *parts = _CELL.split(SOURCE.read_text(encoding="utf-8"))
    for number, (markdown, kinds, text) in enumerate(zip(parts[::3], parts[1::3], parts[2::3], strict=True)):
        if kinds and kind not in kinds.split():
            continue
        about: dict[str, Any] = {"id": f"cell-{number}", "metadata": {}}
        if markdown:
            yield {**about, "cell_type": "markdown", "source": re.sub(r"^# ?", "", text.strip(), flags=re.MULTILINE)}
        else:
            yield {**about, "cell_type": "code", "source": text.strip(), "execution_count": None, "outputs": []}
