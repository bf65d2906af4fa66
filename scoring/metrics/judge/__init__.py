"""The judge of FanOutQA: a language model classifies how an answer relates to the reference.

Enters: questions, references, answers. Leaves: requests, and the score of the letters that the model replied with.
``prompt`` has the prompt and what its letters mean.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

from scoring.metrics.asking.metric import JudgeMetric
from scoring.metrics.base import ReferenceAnswer, ScoredVector
from scoring.metrics.columns import Column, Explanation
from scoring.metrics.judge.prompt import CORRECT, PROMPT_VERSION, JudgeItem, judge_items, score_letters


class Judge(JudgeMetric):
    """The share of answers that a language model considers factually equivalent to the reference.

    Zhu et al. (2024), FanOutQA, https://aclanthology.org/2024.acl-short.2, section 4.1 and appendix H.3. See
    :func:`~scoring.metrics.judge.prompt.judge_items` and :func:`~scoring.metrics.judge.prompt.score_letters`.
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

    def items(
        self,
        keys: Sequence[str],
        questions: Sequence[str],
        references: Sequence[ReferenceAnswer],
        generations: Sequence[str | None],
        *,
        opponents: Sequence[str | None] = (),
        longest: int = 0,
    ) -> Iterator[JudgeItem]:
        """See :func:`~scoring.metrics.judge.prompt.judge_items`."""
        return judge_items(keys, questions, references, generations)

    def score_verdicts(self, verdicts: Sequence[str | None]) -> Mapping[str, ScoredVector]:
        """See :func:`~scoring.metrics.judge.prompt.score_letters`."""
        return {self.name: score_letters(verdicts)}

    def is_correct(self, verdict: str) -> bool:
        """Whether the letter is B, C or E."""
        return verdict in CORRECT
