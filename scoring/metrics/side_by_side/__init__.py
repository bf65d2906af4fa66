"""Answers compared side by side by a judge, as in Researchy Questions.

``items`` has the prompt and the verdicts, ``replies`` reads what a judge wrote.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import ClassVar

from scoring.generations.records import has_content
from scoring.metrics.asking.items import AnswersToJudge
from scoring.metrics.asking.metric import JudgeMetric
from scoring.metrics.asking.prompts import PromptFile
from scoring.metrics.columns import Column, Explanation
from scoring.metrics.side_by_side import items
from scoring.metrics.side_by_side.replies import (
    END,
    FIELDS,
    PROMPT,
    SideBySideVerdict,
    parse_reply,
    win_rate,
)
from scoring.metrics.text.normalise import as_text

__all__ = ["END", "FIELDS", "PROMPT", "SideBySide", "SideBySideVerdict", "parse_reply", "win_rate"]


class SideBySide(JudgeMetric):
    """How often a language model prefers a system's answers to those of a baseline, in both orders.

    Rosset et al. (2024), Researchy Questions, https://arxiv.org/abs/2402.17896, section 5 and Figure 8. See
    `items`, which also scores the pairs: both sides' answers are needed for that.
    """

    name: ClassVar[str] = items.NAME
    version: ClassVar[str] = "0.6.0"
    score_names: ClassVar[tuple[str, ...]] = (items.WIN_RATE, items.SCORE)
    label: ClassVar[str] = "Side by side"
    task_types: ClassVar[tuple[str, ...]] = ("compared-answer",)
    formula: ClassVar[str] = "metrics/side_by_side/formula.html"
    compares: ClassVar[bool] = True
    judges_in_one: ClassVar[bool] = False
    asks_about: ClassVar[str] = "comparisons"
    asks_nothing_about: ClassVar[str] = "missing on one side"
    reply_tokens: ClassVar[int] = items.REPLY_TOKENS
    prompt_faults = staticmethod(items.prompt_faults)

    def __init__(self, prompts: Mapping[str, str] | None = None, judged_length: int | None = None) -> None:
        super().__init__(prompts, judged_length)
        self.longest = judged_length or items.MAX_ANSWER_CHARACTERS
        self.prompt = None if prompts is None else items.ComparisonPrompt.of(prompts)
        if self.prompt is not None:
            self.prompt_version = self.prompt.version

    def prompt_files(self, names: Collection[str] = ()) -> tuple[PromptFile, ...]:
        return (items.FILE,)

    def columns(self) -> tuple[Column, ...]:
        parts = (
            (
                items.WIN_RATE,
                "Win rate",
                "Wins",
                "The share of comparisons with the baseline that the system wins, in both orders; a tie is half a win.",
            ),
            (
                items.SCORE,
                "Mean score",
                "Score",
                "The judge's mean score of the answers, of at most 100, in both orders.",
            ),
        )
        return tuple(
            Column(score, self.name, label, short_label, "Compared with the baseline", description)
            for score, label, short_label, description in parts
        )

    def explanation(self) -> Explanation:
        return Explanation(
            measures=(
                "Measures how good a system's answers are beside those of a baseline. A language model gets the "
                "question and both answers, criticises each and gives it a score from 1 to 100. It is asked twice, "
                "with each answer first once, because models prefer an answer for its place."
            ),
            formula=(
                "preference in one order = 1 if the system's score is higher, ½ if they are equal, 0 if it is lower\n"
                "win rate = the mean preference over both orders and all questions\n"
                "mean score = the mean of the system's scores / 100, over both orders and all questions"
            ),
            surprises=(
                "A win rate depends on the baseline; the signature names its answers.",
                "The score of an answer depends on the answer that is shown beside it.",
                "A reply without both scores is asked for again and then shown as unparsed, never counted as a loss.",
                "Judges tend to prefer longer answers.",
            ),
            source="https://arxiv.org/abs/2402.17896",
        )

    def items(self, answers: AnswersToJudge) -> Iterator[items.ComparisonItem]:
        """Two, one in each order, for each question that both sides have answered.

        Args:
            answers: An item's key has the order after that of its answer; a reference is an empty text where a question
                has none; an answer without content is none, as with the opponent's.
        """
        assert self.prompt is not None  # noqa: S101 - a metric that only describes itself asks nothing
        longest = answers.longest or self.longest
        for (key, question, reference, mine, _), other in zip(answers.rows(), answers.opponents, strict=True):
            if has_content(mine) and has_content(other):
                sides = items.sent_candidate(mine or "", longest), items.sent_candidate(other or "", longest)
                given = as_text(reference).strip()
                for order in items.ORDERS:
                    yield items.ComparisonItem(f"{key}\t{order}", question, given, *sides, order, self.prompt)

    def is_correct(self, verdict: str) -> bool:
        """False: no answer is right or wrong here."""
        return False
