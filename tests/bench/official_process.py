"""The official scorer as a process, from a cold start: ``python -m tests.bench.official_process REFS GENS``."""

import json
import sys
from importlib.abc import MetaPathFinder
from pathlib import Path
from typing import Any


class WithoutTorch(MetaPathFinder):
    """Hides PyTorch: where it is installed spaCy would load it, and not need it. ``None`` in ``sys.modules`` hides it
    too, but SciPy looks for types in what it finds there."""

    def find_spec(self, fullname: str, *_: Any) -> None:
        if fullname.partition(".")[0] == "torch":
            raise ModuleNotFoundError(f"No module named {fullname!r}", name=fullname)


sys.meta_path.insert(0, WithoutTorch())

from tests.scoring.metrics.official import accuracy, lookup_pipeline, rouge  # noqa: E402


def main(references: str, generations: str) -> None:
    questions = json.loads(Path(references).read_text(encoding="utf-8"))
    with Path(generations).open(encoding="utf-8") as lines:
        answers = {line["id"]: line["answer"] for line in map(json.loads, lines)}
    texts = [answers.get(question["id"]) for question in questions]
    scores = accuracy([question["answer"] for question in questions], texts, lookup_pipeline())
    scores |= rouge([question["answer"] for question in questions], texts)
    print(json.dumps({name: value for name, (value, _) in scores.items()}))


if __name__ == "__main__":
    main(*sys.argv[1:])
