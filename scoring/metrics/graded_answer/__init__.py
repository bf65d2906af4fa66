"""The judges of short answers: three grades as in SimpleQA, or a verdict with a stated confidence as in BrowseComp.

``items`` has prompts and verdicts; `scoring.metrics.short_answer.grades` reads the replies.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import ClassVar, Final

from scoring.generations.records import has_content
from scoring.metrics.answer_lists import mean_vector
from scoring.metrics.asking.items import AnswersToJudge
from scoring.metrics.asking.metric import JudgeMetric
from scoring.metrics.asking.neutralising import sent
from scoring.metrics.asking.prompts import Asked, Prompt, PromptFile
from scoring.metrics.base import ScoredVector, check_lengths
from scoring.metrics.columns import Column, Explanation
from scoring.metrics.graded_answer import items
from scoring.metrics.short_answer.grades import grade_summary
from scoring.metrics.short_answer.metrics import WEIGHTED
from scoring.metrics.short_answer.references import short_references
from scoring.statistics import FEWEST_COUNTED, calibration_error

CORRECT: Final = "correct"
GRADES: Final = (CORRECT, "incorrect", "not attempted")
LEAST_ATTEMPTED: Final = 0.2
"""If a smaller share of the answers was attempted, the accuracy given attempted has no interval and no rank: a system
that answers a few questions by luck would have a high one, and make all other ranks uncertain."""
OWN_WORDING: Final = "Scores by different judges or prompts are not comparable; the signature names both."
NO_GRADE: Final = "A reply without a verdict is asked for again and then shown as unparsed, never counted as 0."


class ShortAnswerJudge(JudgeMetric):
    """A judge of short answers with the benchmark's own prompt."""

    version: ClassVar[str] = "0.9.0"
    task_types: ClassVar[tuple[str, ...]] = ("short-answer",)
    prompt_file: ClassVar[str]
    """The file of the benchmark's prompt."""
    kind: ClassVar[str]
    """The first part of the prompt's version."""
    item: ClassVar[type[items.AnswerItem]]
    asks_for: ClassVar[tuple[Asked, ...]]

    def __init__(self, prompts: Mapping[str, str] | None = None, judged_length: int | None = None) -> None:
        super().__init__(prompts, judged_length)
        self.longest = judged_length or items.MAX_ANSWER_CHARACTERS
        self.prompt = None if prompts is None else Prompt(prompts[self.prompt_file].strip())
        if self.prompt is not None:
            self.prompt_version = f"{self.kind}-{self.prompt.digest}"
            self.question_fields = items.stored_places(self.prompt)

    def prompt_files(self, names: Collection[str] = ()) -> tuple[PromptFile, ...]:
        return (PromptFile(self.prompt_file, items.NEEDED, items.PLACES, self.asks_for),)

    def items(self, answers: AnswersToJudge) -> Iterator[items.AnswerItem]:
        """Items to judge: one for each answer with content, none for another question.

        Raises:
            UnusableReference: If some reference has no accepted answers; all of them are listed.
        """
        assert self.prompt is not None  # noqa: S101 - a metric that only describes itself asks nothing
        for key, question, reference, generation, fields in answers.rows(short_references):
            if has_content(generation):
                answer = sent(generation or "", self.prompt.rules, answers.longest or self.longest)
                target = items.target_text(reference)
                yield self.item(key, question, target, answer, self.prompt, tuple(fields.items()))

    @abstractmethod
    def score_verdicts(self, verdicts: Sequence[str | None]) -> Mapping[str, ScoredVector]:
        """See `JudgeMetric.score_verdicts`."""

    def is_correct(self, verdict: str) -> bool:
        return verdict.partition("/")[0] == CORRECT


class GradedAnswer(ShortAnswerJudge):
    """The share of answers that a language model grades as correct, and what SimpleQA reports beside it.

    Wei et al. (2024), SimpleQA, https://arxiv.org/abs/2411.04368. Verdicts: shape ``(n,)``, ``correct``, ``incorrect``,
    ``not attempted``, or ``None`` for an unanswered question, which was not attempted. Shares from 0 to 1; higher is
    better of `correct`, of the accuracy given attempted and of the F-score. These two are weighted means of `correct`:
    of the former, answers that were attempted count 1 and others 0; of the latter, they count 2 and others 1. Where
    fewer than `FEWEST_COUNTED` answers or `LEAST_ATTEMPTED` of them were attempted, nothing is computed from the items
    of the former.

    Raises:
        ValueError: From `score_verdicts`, for no verdict or one that is no grade.

    >>> scores = GradedAnswer().score_verdicts(["correct", "incorrect", None, "correct"])
    >>> [round(score.value, 3) for score in scores.values()]
    [0.5, 0.667, 0.571, 0.25, 0.25]
    """

    name: ClassVar[str] = "graded-answer"
    score_names: ClassVar[tuple[str, ...]] = (
        "graded-answer.correct",
        "graded-answer.accuracy-given-attempted",
        "graded-answer.f-score",
        "graded-answer.incorrect",
        "graded-answer.not-attempted",
    )
    label: ClassVar[str] = "Grades by a judge"
    formula: ClassVar[str] = "metrics/graded_answer/grades.html"
    reply_tokens: ClassVar[int] = 10
    prompt_file: ClassVar[str] = "graded_answer_prompt.txt"
    kind: ClassVar[str] = "grades"
    item = items.GradedItem
    asks_for = (Asked({"three grades": r"(?i)not[ _]attempted"}, "A: CORRECT, B: INCORRECT, C: NOT_ATTEMPTED"),)

    def columns(self) -> tuple[Column, ...]:
        """Only the share of correct answers is shown on a hidden split."""
        return (
            self.column(
                "correct", "Graded correct", "Correct", "The share of all answers that the judge grades as correct."
            ),
            self.column(
                "accuracy-given-attempted",
                "Correct given attempted",
                "Attempted",
                "The share of correct answers among those that are graded as correct or incorrect.",
                disclosed=False,
            ),
            self.column(
                "f-score",
                "F-score",
                "F",
                "The harmonic mean of correct and correct given attempted.",
                disclosed=False,
            ),
            self.column(
                "incorrect",
                "Graded incorrect",
                "Incorrect",
                "The share of all answers that the judge grades as incorrect.",
                default=False,
                disclosed=False,
                higher_is_better=False,
            ),
            self.column(
                "not-attempted",
                "Not attempted",
                "None",
                "The share of all questions without an answer, or with one that the judge grades as not attempted.",
                default=False,
                disclosed=False,
                higher_is_better=False,
            ),
        )

    def explanation(self) -> Explanation:
        return Explanation(
            measures=(
                "Measures how often a system is right, and how often it is right if it tries. A language model gets "
                "the benchmark's own prompt with the question, the accepted answers and the system's answer, and "
                "grades it as correct, incorrect or not attempted."
            ),
            formula=(
                "c, i = the shares of correct and of incorrect answers, of all questions\n"
                "correct given attempted: a = c / (c + i), 0 if nothing was attempted\n"
                "F-score = 2 · a · c / (a + c), 0 if both are 0"
            ),
            surprises=(
                "An unanswered question was not attempted, and is no request to the judge.",
                (
                    f"Correct given attempted has no interval and no rank if fewer than {FEWEST_COUNTED} questions or "
                    "a fifth of them were attempted: a rank would be chance."
                ),
                "The F-score is the share of correct answers if attempted questions count twice.",
                "A system that attempts little can have a high share of correct given attempted.",
                WEIGHTED,
                NO_GRADE,
                OWN_WORDING,
            ),
            source="https://arxiv.org/abs/2411.04368",
        )

    def score_verdicts(self, verdicts: Sequence[str | None]) -> Mapping[str, ScoredVector]:
        """See `JudgeMetric.score_verdicts`.

        Raises:
            ValueError: If there are none, or one is no grade.
        """
        check_lengths(len(verdicts), len(verdicts))
        grades = [verdict or "not attempted" for verdict in verdicts]
        summary = grade_summary(grades)
        correct, incorrect, not_attempted = (
            mean_vector([float(grade == wanted) for grade in grades]) for wanted in GRADES
        )
        # Correct over attempted, and twice correct over all and attempted: the weighted means of what is correct.
        attempted = 1 - not_attempted.per_item
        given_attempted = ScoredVector(summary.accuracy_given_attempted, correct.per_item, attempted)
        if attempted.sum() < max(FEWEST_COUNTED, LEAST_ATTEMPTED * len(attempted)):
            given_attempted = ScoredVector.of_all_items(summary.accuracy_given_attempted)
        f_score = ScoredVector(summary.f_score, correct.per_item, 1 + attempted)
        return dict(zip(self.score_names, (correct, given_attempted, f_score, incorrect, not_attempted), strict=True))


class VerifiedAnswer(ShortAnswerJudge):
    """The share of answers that a language model finds correct, and how well their stated confidence fits.

    Wei et al. (2025), BrowseComp, https://arxiv.org/abs/2504.12516; Phan et al. (2025), Humanity's Last Exam,
    https://arxiv.org/abs/2501.14249. Verdicts: shape ``(n,)``, ``correct/80`` or ``incorrect/80`` with a stated
    confidence in per cent, without it if there is none, or ``None`` for an unanswered question, which is not correct.

    The calibration error is `scoring.statistics.calibration_error` with bins of 100 answers and the norm 2, over the
    answers with a stated confidence, from 0 to 1, lower is better; no score without such an answer. It is no mean over
    questions. All bins count: the published loop leaves out the last one, the most confident answers.

    Raises:
        ValueError: From `score_verdicts`, for no verdict, or one that is none of this judge.

    >>> scores = VerifiedAnswer().score_verdicts(["correct/80", "incorrect/60", None, "correct"])
    >>> [round(score.value, 3) for score in scores.values()]
    [0.5, 0.2]
    """

    name: ClassVar[str] = "verified-answer"
    score_names: ClassVar[tuple[str, ...]] = ("verified-answer.correct", "verified-answer.calibration-error")
    label: ClassVar[str] = "Verdicts of a judge"
    formula: ClassVar[str] = "metrics/graded_answer/verdicts.html"
    reply_tokens: ClassVar[int] = 200
    prompt_file: ClassVar[str] = "verified_answer_prompt.txt"
    kind: ClassVar[str] = "verdicts"
    item = items.VerifiedItem
    asks_for = tuple(
        Asked({f"the line {field}": rf"(?im)^[^\w\n]*{field}[^\w\n]*:"}, f"“{field}:”, which replies are read by")
        for field in (CORRECT, "confidence")
    )

    def columns(self) -> tuple[Column, ...]:
        """The calibration error is not shown on a hidden split: systems choose what they state, so that it could tell
        which single answers are right."""
        return (
            self.column("correct", "Found correct", "Correct", "The share of answers that the judge finds correct."),
            self.column(
                "calibration-error",
                "Calibration error",
                "Calibration",
                "The distance of the confidence that answers state from the share of correct ones.",
                disclosed=False,
                higher_is_better=False,
            ),
        )

    def explanation(self) -> Explanation:
        return Explanation(
            measures=(
                "Measures how often a system is right, and whether it knows. A language model gets the benchmark's own "
                "prompt with the question, the accepted answers and the system's answer, says whether it is correct, "
                "and extracts the confidence that the answer states."
            ),
            formula=(
                "the answers with a stated confidence are sorted by it and divided into bins of 100; the rest joins "
                "the last bin\n"
                "d of a bin = its mean confidence − its share of correct answers\n"
                "calibration error = the root of the mean of d² over these answers"
            ),
            surprises=(
                (
                    "Published figures may leave out the most confident bin, as a loop of the published code does; "
                    "here all bins count."
                ),
                "The usual prompt has the judge write a confidence of 100 where an answer states none.",
                (
                    "The calibration error is no mean over questions: it has no interval, no range of ranks, and no "
                    "value for a category or a question. Fewer than 200 answers are one bin."
                ),
                "An unanswered question is not correct, has no confidence, and is no request to the judge.",
                WEIGHTED,
                NO_GRADE,
                OWN_WORDING,
            ),
            source="https://arxiv.org/abs/2504.12516",
        )

    def score_verdicts(self, verdicts: Sequence[str | None]) -> Mapping[str, ScoredVector]:
        """See `JudgeMetric.score_verdicts`.

        Raises:
            ValueError: If there are none, or one is none of this judge.
        """
        check_lengths(len(verdicts), len(verdicts))
        unknown = {verdict for verdict in verdicts if verdict and verdict.partition("/")[0] not in GRADES[:2]}
        if unknown:
            raise ValueError(f"no verdicts of this judge: {', '.join(map(repr, sorted(unknown)))}")
        correct, calibration = self.score_names
        scores = {correct: mean_vector([float(bool(text) and self.is_correct(text or "")) for text in verdicts])}
        if stated := list(items.confidences_of(verdicts)):
            confidences, right = zip(*stated, strict=True)
            scores[calibration] = ScoredVector.of_all_items(calibration_error(confidences, right))
        return scores
