"""Submissions of real size: 724 questions with references and answers.

The real ones where they lie beside the checkout; otherwise made from the dev questions of the installed package, in the
same sizes: the references of 724 questions, and answers of about 150 or 1,100 characters.
"""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tests.real_data import have
from tests.scoring.metrics.official import packaged_dev_questions
from tests.scoring.metrics.strategies import perturbed

N_QUESTIONS = 724
LENGTHS = {"short": 150, "long": 1100}
_REAL = {
    "short": "official/closedbook-generations/results-closedbook-claude-3.jsonl",
    "long": "official/openbook-generations/results-openbook-claude-3.jsonl",
    "warming": "official/openbook-generations/results-openbook-gpt-4o.jsonl",
}


@dataclass(frozen=True)
class Submission:
    """References with the answers of one system."""

    ids: tuple[str, ...]
    references: tuple[Any, ...]
    generations: tuple[str | None, ...]
    source: str

    def describe(self) -> str:
        """Size and source in words."""
        lengths = [len(text) for text in self.generations if text is not None]
        mean = sum(lengths) / len(lengths)
        return f"{len(self.ids)} questions, {len(lengths)} answers of {mean:.0f} characters on average; {self.source}"

    def first(self, n: int) -> Submission:
        """The first *n* questions."""
        return Submission(self.ids[:n], self.references[:n], self.generations[:n], self.source)

    def write(self, folder: Path) -> tuple[Path, Path]:
        """As files: references and generations."""
        references, generations = folder / "references.json", folder / "generations.jsonl"
        rows = zip(self.ids, self.references, strict=True)
        references.write_text(json.dumps([{"id": name, "answer": answer} for name, answer in rows]), encoding="utf-8")
        lines = [
            json.dumps({"id": name, "answer": text})
            for name, text in zip(self.ids, self.generations, strict=True)
            if text is not None
        ]
        generations.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return references, generations


@cache
def submission(kind: str) -> Submission:
    """One of ``short``, ``long`` and ``warming`` (another system's, to warm up with)."""
    for questions_file, answers_file in have("fanoutqa/synthetic-test-answers.json", _REAL[kind]):
        questions = json.loads(questions_file.read_text(encoding="utf-8"))
        answers = {line["id"]: line["answer"] for line in map(json.loads, answers_file.open(encoding="utf-8"))}
        ids = tuple(question["id"] for question in questions)
        references = tuple(question["answer"] for question in questions)
        return Submission(ids, references, tuple(map(answers.get, ids)), f"real: {answers_file.stem}")
    return _made(kind)


def _made(kind: str) -> Submission:
    questions = packaged_dev_questions()
    chance = random.Random(kind)
    sentences = [part["question"] for question in questions for part in question["decomposition"]]
    references, generations = [], []
    for index in range(N_QUESTIONS):
        reference = questions[index % len(questions)]["answer"]
        text = perturbed(reference, chance)
        while len(text) < LENGTHS.get(kind, 300):
            text += " " + chance.choice(sentences)
        references.append(reference)
        generations.append(None if chance.random() < 0.01 else text[: 2 * LENGTHS.get(kind, 300)])
    ids = tuple(f"made-{index}" for index in range(N_QUESTIONS))
    return Submission(ids, tuple(references), tuple(generations), "made from the package's dev questions")
