"""The complete example of a benchmark as a folder."""

from __future__ import annotations

from pathlib import Path

from scoring.benchmarks.declared.template import KINDS, template


def write_example(folder: Path, task_type: str = KINDS[0]) -> Path:
    """Write the files of the example, whose slug is the folder's name, over those that are there."""
    for name, content in template(folder.name, task_type).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder
