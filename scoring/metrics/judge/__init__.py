"""The judge of FanOutQA: a language model classifies how an answer relates to the reference.

``prompt`` has the prompt and what its letters mean.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

import numpy as np

from scoring.metrics.asking.items import AnswersToJudge
from scoring.metrics.asking.metric import JudgeMetric
from scoring.metrics.base import ScoredVector, check_lengths, check_references, official_mean
from scoring.metrics.columns import Column, Explanation
from scoring.metrics.judge.prompt import CORRECT, OPTIONS, PROMPT_VERSION, JudgeItem, sent_answer
from scoring.metrics.text.normalise import as_text


class Judge(JudgeMetric):
    """The share of answers that a language model considers factually equivalent to the reference: judged B, C or E.

    Zhu et al. (2024), FanOutQA, https://aclanthology.org/2024.acl-short.2, section 4.1 and appendix H.3. From 0 to 1,
    higher is better.

    >>> Judge().score_verdicts(["B", "A", None, "E"])["judge"].value
    0.5
    """

    name: ClassVar[str] = "judge"
    version: ClassVar[str] = "0.6.0"
    score_names: ClassVar[tuple[str, ...]] = ("judge",)
    label: ClassVar[str] = "GPT judge"
    task_types: ClassVar[tuple[str, ...]] = ("text-answer",)
    formula: ClassVar[str] = "metrics/judge/formula.html"
    prompt_version = PROMPT_VERSION

    def columns(self) -> tuple[Column, ...]:
        return (
            Column(
                "judge",
                self.name,
                "GPT judge",
                "Judge",
                "Model-based",
                "The share of answers that a language model, used as judge, considers factually equivalent to the "
                "reference.",
            ),
        )

    def explanation(self) -> Explanation:
        return Explanation(
            measures=(
                "The share of answers that a language model, given the prompt of its paper (appendix H.3), considers "
                "factually equivalent to the reference. It chooses one of six letters; B (a consistent superset), C "
                "(the same details) and E (differences that do not matter) count as correct."
            ),
            formula=("score of a question = 1 for B, C or E, otherwise 0\nthe mean over all questions"),
            surprises=(
                (
                    "Scores vary between runs: judging the same answers again can change the score by 0.005 or more. "
                    "Scores by different judges or prompts are not comparable; the signature names both."
                ),
                "Answers are cut to 4,000 characters.",
                "A judge's reply without a verdict is shown as a failure, never counted as 0.",
                "An unanswered question scores 0 without a call to the judge.",
            ),
            source="https://aclanthology.org/2024.acl-short.2/",
        )

    def items(self, answers: AnswersToJudge) -> Iterator[JudgeItem]:
        """Items to judge: one for each answer, none for an unanswered question. An empty answer is an answer and is
        judged.

        Raises:
            UnusableReference: If some reference is empty; all of them are listed.
        """
        check_references(answers.references)
        for key, question, reference, generation, _ in answers.rows():
            if generation is not None:
                yield JudgeItem(key, question, as_text(reference), sent_answer(generation))

    def score_verdicts(self, verdicts: Sequence[str | None]) -> Mapping[str, ScoredVector]:
        """See `JudgeMetric.score_verdicts`. A verdict that is missing for any other reason than an unanswered
        question does not count as zero: such a set of verdicts must not be scored.

        Raises:
            ValueError: If there are no letters, or one is not a letter from A to F.
        """
        check_lengths(len(verdicts), len(verdicts))
        unknown = sorted({letter for letter in verdicts if letter is not None and letter not in OPTIONS})
        if unknown:
            raise ValueError(f"no verdicts of this judge: {', '.join(map(repr, unknown))}")
        values = [int(letter in CORRECT) for letter in verdicts]
        return {self.name: ScoredVector(official_mean(values, len(values)), np.array(values, dtype=np.float64))}

    def is_correct(self, verdict: str) -> bool:
        return verdict in CORRECT
