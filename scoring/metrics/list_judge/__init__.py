"""The judge of lists, as in MoNaCo: a model compares an answer's list with the gold list; code computes the scores.

``items`` has the prompts and the verdicts, ``replies`` reads what a judge wrote.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import ClassVar

from scoring.generations.records import has_content
from scoring.metrics.answer_lists import gold_lists, mean_vector, predictions_of
from scoring.metrics.asking.errors import ReplyError
from scoring.metrics.asking.items import AnswersToJudge
from scoring.metrics.asking.metric import JudgeMetric
from scoring.metrics.asking.prompts import PromptFile
from scoring.metrics.base import ScoredVector, check_lengths
from scoring.metrics.columns import Column, Explanation
from scoring.metrics.list_judge import items
from scoring.metrics.list_judge.replies import (
    ListAgreement,
    ListVerdict,
    list_agreement,
    number_in,
    number_similarity,
    parse_reply,
)

__all__ = [
    "ListAgreement",
    "ListJudge",
    "ListVerdict",
    "ReplyError",
    "list_agreement",
    "number_in",
    "number_similarity",
    "parse_reply",
]


class ListJudge(JudgeMetric):
    """Precision, recall and F1 of a list of answers, of which a language model counts the correct ones.

    Wolfson et al. (2025), MoNaCo, https://arxiv.org/abs/2508.11133, section 5.1. See
    `items`.

    >>> metric = ListJudge()
    >>> metric.score_verdicts(["3/4/6", None])["list-judge.precision"].value
    0.375
    """

    name: ClassVar[str] = "list-judge"
    version: ClassVar[str] = "0.6.0"
    score_names: ClassVar[tuple[str, ...]] = items.SCORE_NAMES
    label: ClassVar[str] = "Judge of lists"
    task_types: ClassVar[tuple[str, ...]] = ("judged-list",)
    formula: ClassVar[str] = "metrics/list_judge/formula.html"
    model_setting: ClassVar[str] = "JUDGE_LIST_MODEL"

    def __init__(self, prompts: Mapping[str, str] | None = None, judged_length: int | None = None) -> None:
        super().__init__(prompts, judged_length)
        self.prompts = None if prompts is None else items.ListPrompts.of(prompts)
        if self.prompts is not None:
            self.prompt_version = self.prompts.version

    def prompt_files(self, names: Collection[str] = ()) -> tuple[PromptFile, ...]:
        return items.FILES

    def columns(self) -> tuple[Column, ...]:
        """Only F1 is shown on a hidden split: a long list loses nothing in recall, and the recomputed F1 would reveal
        which answers are numbers."""
        return (
            self.column(
                "f1",
                "Judged F1",
                "F1",
                "The mean F1 of precision and recall; a language model counts the correct answers.",
            ),
            self.column(
                "recall",
                "Judged recall",
                "Rec",
                "The mean share of a question's gold answers that the judge found.",
                disclosed=False,
            ),
            self.column(
                "precision",
                "Judged precision",
                "Prec",
                "The mean share of a question's answers that the judge accepted.",
                disclosed=False,
            ),
            self.column(
                "f1-recomputed",
                "Judged F1, numbers recomputed",
                "F1*",
                "F1 with the similarity of two numbers computed by code where the judge calculated it.",
                default=False,
                disclosed=False,
            ),
        )

    def explanation(self) -> Explanation:
        return Explanation(
            measures=(
                "Measures how many of a question's gold answers are in the system's answer, and how much of it is "
                "correct. A language model gets one of the benchmark's two prompts: one for questions with one gold "
                "answer, one for lists. It counts the answers and lists the correct ones; precision, recall and F1 are "
                "computed from its counts."
            ),
            formula=(
                "c = correct answers, L = answers (both as the judge counts), G = gold answers\n"
                "recall = min(c, G) / G\n"
                "precision = c / max(L, c)\n"
                "F1 = 2 · precision · recall / (precision + recall), for each question; the mean over all questions\n"
                "one gold answer: precision, recall and F1 are the judge's final precision, 0 to 1"
            ),
            surprises=(
                (
                    "Replies are read as the published program reads them: a blank list of correct answers counts as "
                    "one answer, one that is listed twice counts twice, and a length of 0 makes all three 0."
                ),
                (
                    "A reply on which the published program fails, or which it counts as 0 because it cannot read it, "
                    "is asked for again and then shown as unparsed. A run with such a reply has no score."
                ),
                (
                    "For a numeric answer the judge computes 1 − |g − p| / max(|g|, |p|) itself, and miscalculates. "
                    "“F1, numbers recomputed” uses the value computed by code where both numbers can be read."
                ),
                "The judge gets one answer a line, not the system's own wording.",
                "Scores by different judges or prompts are not comparable; the signature names both.",
                "An unanswered question and an empty list score 0 without a call to the judge.",
            ),
            source="https://arxiv.org/abs/2508.11133",
        )

    def items(self, answers: AnswersToJudge) -> Iterator[items.ListJudgeItem]:
        """Items to judge: one for each answer, none for an unanswered question or an empty list.

        Args:
            answers: References are gold lists, see `gold_lists`; generations as stored, the text of a JSON array.

        Raises:
            UnusableReference: If some reference is unusable; all of them are listed.
        """
        assert self.prompts is not None  # noqa: S101 - a metric that only describes itself asks nothing
        for key, question, gold, generation, _ in answers.rows(gold_lists):
            answer = items.sent_list(predictions_of(generation))
            if has_content(answer.text):
                reference = "\n".join(" ".join(answer.text.split()) for answer in gold)
                yield items.ListJudgeItem(key, question, reference, answer, self.prompts)

    def score_verdicts(self, verdicts: Sequence[str | None]) -> Mapping[str, ScoredVector]:
        """See `JudgeMetric.score_verdicts`.

        Raises:
            ValueError: If there are none, or one is no verdict on a list.
        """
        check_lengths(len(verdicts), len(verdicts))
        nothing = ListVerdict(0.0, 0.0, 0.0)
        read = [nothing if text is None else items.read_verdict(text) for text in verdicts]
        again = [nothing if text is None else items.read_verdict(text, recomputed=True) for text in verdicts]
        return {
            f"{self.name}.f1": mean_vector([verdict.f1 for verdict in read]),
            f"{self.name}.recall": mean_vector([verdict.recall for verdict in read]),
            f"{self.name}.precision": mean_vector([verdict.precision for verdict in read]),
            f"{self.name}.f1-recomputed": mean_vector([verdict.f1 for verdict in again]),
        }

    def is_correct(self, verdict: str) -> bool:
        """Whether every gold answer was found, and nothing else."""
        return items.read_verdict(verdict).f1 == 1
