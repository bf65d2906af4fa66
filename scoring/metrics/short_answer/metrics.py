"""The metrics of short answers: exact match, token F1, and inclusion."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from functools import reduce
from importlib.metadata import version
from operator import add
from typing import ClassVar, Final, cast

import numpy as np

from scoring.metrics.base import AnswerBudget, Metric, Progress, ReferenceAnswer, ScoredVector, score_each
from scoring.metrics.columns import Column, Explanation
from scoring.metrics.short_answer.matching import UNANSWERABLE
from scoring.metrics.short_answer.published import NO_ANSWER, RULES, Rules, TokenOverlap, exact_match, token_f1
from scoring.metrics.short_answer.references import ShortReference, short_references

GROUP: Final = "Short answers"
WEIGHTED: Final = "Where questions have weights, the weighted mean: a question of weight 3 counts three times."


class ShortAnswerMetric(Metric):
    """A metric of short answers whose scores are means, weighted where questions have weights."""

    task_types: ClassVar[tuple[str, ...]] = ("short-answer",)
    version: ClassVar[str] = "0.9.0"

    @abstractmethod
    def answer_scores(self, reference: ShortReference, answer: str) -> tuple[float, ...]:
        """An answer's value of each of `score_names`, in their order."""

    def is_right(self, reference: ReferenceAnswer, answer: str | None) -> bool:
        """Whether an answer has the best score that there is.

        Raises:
            UnusableReference: As `prepare`.
        """
        (prepared,) = self.prepare([reference])
        return self.score([prepared], [answer])[self.score_names[-1]].value == 1

    def prepare(self, references: Sequence[ReferenceAnswer]) -> tuple[ShortReference, ...]:
        """The accepted answers of every question.

        Raises:
            UnusableReference: If a reference has no accepted answers, or one that is not of its kind.
        """
        return short_references(references)

    def score(
        self,
        prepared: Sequence[ShortReference],
        generations: Sequence[str | None],
        progress: Progress | None = None,
        budget: AnswerBudget | None = None,
    ) -> dict[str, ScoredVector]:
        """See `Metric.score`."""
        nothing = (0.0,) * len(self.score_names)
        rows = score_each(
            prepared,
            generations,
            lambda reference, answer, _: self.answer_scores(reference, answer),
            nothing,
            progress,
            budget,
        )
        weights = [reference.weight for reference in prepared]
        stored = None if len(set(weights)) == 1 else np.array(weights)
        return {
            name: ScoredVector(_weighted_mean(values, weights), np.array(values, dtype=np.float64), stored)
            for name, values in zip(self.score_names, zip(*rows, strict=True), strict=True)
        }


def _weighted_mean(values: Sequence[float], weights: Sequence[float]) -> float:
    """The mean, added from left to right as the published scripts do."""
    total = reduce(add, (value * weight for value, weight in zip(values, weights, strict=True)), 0.0)
    return total / reduce(add, weights, 0.0)


class PublishedMetric(ShortAnswerMetric):
    """A metric that several scripts compute by slightly different rules."""

    by_default: ClassVar[bool] = True

    def __init__(self, *, rules: str = "squad") -> None:
        """Compute it as one script does; raises ValueError for rules that do not exist."""
        if rules not in RULES:
            raise ValueError(f"Rules are one of {', '.join(RULES)}, not {rules}.")
        self.rules = cast("Rules", rules)

    def signature_parts(self) -> tuple[str, ...]:
        return (f"rules:{self.rules}",)

    def accepted(self, reference: ShortReference) -> list[list[str]]:
        """The accepted answers: those of the question, and apart from them what says that there is none."""
        no_answer = [[UNANSWERABLE], [NO_ANSWER[self.rules]]] if reference.unanswerable else []
        return ([list(reference.answers)] if reference.answers else []) + no_answer


class ExactMatch(PublishedMetric):
    """Whether an answer equals an accepted answer after lower case, without punctuation and articles.

    Rajpurkar et al. (2016), SQuAD, https://aclanthology.org/D16-1264. References: shape ``(n,)``, objects with
    ``answers`` (`ShortReference`). Answers: shape ``(n,)``, texts or ``None``. Computed by `exact_match`; 1 or 0 for
    each question, the board value is the mean from 0 to 1, higher is better. No answer scores 0.

    To a question that is declared unanswerable, ``unanswerable`` is a right answer besides that of the rules.

    Raises:
        UnusableReference: From `prepare`, if a reference has no accepted answers.

    >>> metric = ExactMatch()
    >>> metric.score(metric.prepare([{"answers": ["Oslo"]}] * 2), ["the OSLO!", "in Oslo"])["exact-match"].value
    0.5
    """

    name: ClassVar[str] = "exact-match"
    score_names: ClassVar[tuple[str, ...]] = ("exact-match",)
    label: ClassVar[str] = "Exact match"
    formula: ClassVar[str] = "metrics/short_answer/exact_match.html"

    def columns(self) -> tuple[Column, ...]:
        return (
            Column(
                self.name,
                self.name,
                "Exact match",
                "EM",
                GROUP,
                "The share of answers that equal an accepted answer, whatever their case, punctuation and articles.",
            ),
        )

    def explanation(self) -> Explanation:
        return Explanation(
            measures=(
                "The share of answers that equal one of the accepted answers, after both are lower-cased and stripped "
                "of ASCII punctuation and of the words a, an and the. The numbers are those of the published scripts."
            ),
            formula=(
                "score of a question = 1 if the answer equals an accepted answer, otherwise 0\n"
                "the mean over all questions"
            ),
            surprises=(
                WEIGHTED,
                "An answer in a sentence is not equal: “in Oslo” scores 0.",
                "Accents, dashes and commas in numbers matter: “1,500” equals “1500”, “1–2” does not equal “1-2”.",
                "An unanswered question scores 0 and counts.",
            ),
            source="https://aclanthology.org/D16-1264/",
        )

    def answer_scores(self, reference: ShortReference, answer: str) -> tuple[float, ...]:
        return (float(max(exact_match(answer, answers, self.rules) for answers in self.accepted(reference))),)


class TokenF1(PublishedMetric):
    """Precision, recall and F1 of an answer's words, for the accepted answer that it is nearest to.

    Rajpurkar et al. (2016), SQuAD, https://aclanthology.org/D16-1264. References, answers and means as of `ExactMatch`;
    computed by `token_f1`, where the rules are described.

    Raises:
        UnusableReference: From `prepare`, if a reference has no accepted answers.

    >>> metric = TokenF1()
    >>> scores = metric.score(metric.prepare([{"answers": ["Oslo"]}]), ["in Oslo"])
    >>> scores["token-f1.precision"].value, scores["token-f1.recall"].value
    (0.5, 1.0)
    """

    name: ClassVar[str] = "token-f1"
    score_names: ClassVar[tuple[str, ...]] = ("token-f1.precision", "token-f1.recall", "token-f1.f1")
    label: ClassVar[str] = "Token F1"
    formula: ClassVar[str] = "metrics/short_answer/token_f1.html"

    def columns(self) -> tuple[Column, ...]:
        """Precision and recall are not shown on a hidden split: they tell how long the accepted answer is."""
        parts = (
            ("f1", "Token F1", "F1", "The mean F1 of the answer's words, for the accepted answer nearest to it."),
            ("precision", "Token precision", "Prec", "The mean share of the answer's words that are accepted."),
            ("recall", "Token recall", "Rec", "The mean share of the accepted answer's words in the answer."),
        )
        return tuple(
            Column(
                f"{self.name}.{part}",
                self.name,
                label,
                short_label,
                GROUP,
                description,
                default=part == "f1",
                disclosed=part == "f1",
            )
            for part, label, short_label, description in parts
        )

    def explanation(self) -> Explanation:
        return Explanation(
            measures=(
                "How many words an answer shares with the accepted answer that it is nearest to, after both are "
                "lower-cased and stripped of ASCII punctuation and of the words a, an and the. The numbers are those "
                "of the published scripts."
            ),
            formula=(
                "precision = shared words / words of the answer\n"
                "recall = shared words / words of the accepted answer\n"
                "F1 = 2 · precision · recall / (precision + recall), the greatest over the accepted answers; the mean "
                "over all questions"
            ),
            surprises=(
                WEIGHTED,
                "Words are what stands between spaces: a text in Chinese, Japanese or Thai is one word.",
                "The order of words does not matter: “dog bites man” has the F1 1 with “man bites dog”.",
                "With the rules of HotpotQA, an answer that begins with yes or no shares nothing with “yes”.",
                "An unanswered question scores 0 and counts.",
            ),
            source="https://aclanthology.org/D16-1264/",
        )

    def answer_scores(self, reference: ShortReference, answer: str) -> tuple[float, ...]:
        overlaps = [token_f1(answer, answers, self.rules) for answers in self.accepted(reference)]
        best: TokenOverlap = max(overlaps, key=lambda overlap: overlap.f1)
        return best.precision, best.recall, best.f1


class Inclusion(ShortAnswerMetric):
    """Whether an answer, a word or a sentence, states one of the accepted answers as a person would read it.

    No benchmark publishes such rules; these are Manyhop's (`scoring.metrics.short_answer.matches`). References: shape
    ``(n,)``, objects with ``answers`` and perhaps their kind, tolerances, choices and language (`ShortReference`).
    Answers: shape ``(n,)``, texts or ``None``. 1 or 0 for each question; the board value is the mean from 0 to 1,
    higher is better. No answer scores 0.

    Raises:
        UnusableReference: From `prepare`, if a reference has no accepted answers, or one that is not of its kind.

    >>> metric = Inclusion()
    >>> references = metric.prepare([{"answers": ["Oslo"]}, {"answers": ["12"], "relative_tolerance": 0.1}])
    >>> metric.score(references, ["The capital is Oslo.", "12 %"])["inclusion"].value
    0.5
    """

    name: ClassVar[str] = "inclusion"
    score_names: ClassVar[tuple[str, ...]] = ("inclusion",)
    label: ClassVar[str] = "Inclusion"
    by_default: ClassVar[bool] = True
    formula: ClassVar[str] = "metrics/short_answer/inclusion.html"

    def columns(self) -> tuple[Column, ...]:
        return (
            Column(
                self.name,
                self.name,
                "Inclusion",
                "Incl",
                GROUP,
                "The share of answers that state an accepted answer, in a sentence too.",
            ),
        )

    def explanation(self) -> Explanation:
        return Explanation(
            measures=(
                "The share of answers that state one of the accepted answers: a name, a number within its tolerance, a "
                "date, yes or no, the letter or the text of an option, or that the question cannot be answered. The "
                "answer may be a sentence; case, accents, punctuation, number words, units and ways to write a date do "
                "not matter."
            ),
            formula=(
                "score of a question = 1 if the answer states an accepted answer, otherwise 0\n"
                "the mean over all questions"
            ),
            surprises=(
                WEIGHTED,
                "What is denied (“not Oslo”), asked, or one of two alternatives (“Oslo or Bergen”) is not stated.",
                "A longer name is another one: “Washington Irving” does not state “Washington”.",
                "12 % is .12, not 12, unless the question is declared to be in per cents.",
                "A range, and “more than 5”, do not state a number.",
                "A letter within a sentence chooses no option.",
                "An answer that names several things states each of them.",
                "An unanswered question scores 0 and counts.",
            ),
        )

    def signature_parts(self) -> tuple[str, ...]:
        """The packages that repair texts and find words."""
        return (f"ftfy:{version('ftfy')}", f"regex:{version('regex')}")

    def answer_scores(self, reference: ShortReference, answer: str) -> tuple[float, ...]:
        return (float(reference.is_stated_by(answer)),)
