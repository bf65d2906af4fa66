"""Replies of a judge of short answers: three grades, or a verdict with a stated confidence."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from scoring.generations.reasoning import without_reasoning
from scoring.metrics.asking import letters

Grade = Literal["correct", "incorrect", "not attempted"]
_GRADES: Final[dict[str, Grade]] = {"A": "correct", "B": "incorrect", "C": "not attempted"}
_GRADE_WORD: Final = re.compile(
    r"(?<!\w)(?:(?P<unattempted>not[\s_-]+attempted)|(?P<negation>not\s+)?(?P<opposite>in)?correct)(?!\w)",
    re.IGNORECASE,
)
_STATED: Final = re.compile(r"\b(?:is|was|are|grade|verdict|:|=)\s+(?:therefore\s+|thus\s+)?\Z|\A\W*\Z", re.IGNORECASE)
_LABEL: Final = re.compile(r"\W*(?P<before>[ABC])\W*[:.)=–—-]\s*(?!\w*\s*$)|.*:\s*\(?(?P<after>[ABC])\W*\Z", re.DOTALL)

_MARKS: Final = r"[\s*_`\"'>#-]*"
_FIELD: Final = rf"(?im)^{_MARKS}{{name}}{_MARKS}:{_MARKS}"
_CORRECT: Final = re.compile(_FIELD.format(name="correct") + r"[\[(<{]*\s*(yes|no)\b")
_CONFIDENCE: Final = re.compile(
    _FIELD.format(name="confidence") + r"[\[(<{]*\s*(\d+(?:\.\d+)?)\s*(?:\\?\|?\\?%|$|[^\w.])"
)


def read_grade(reply: str) -> Grade | None:
    """The grade of SimpleQA that a person would read out of a judge's reply.

    Wei et al. (2024), SimpleQA, https://arxiv.org/abs/2411.04368. A is *correct*, B *incorrect*, C *not attempted*; the
    letter may be written as in `scoring.metrics.asking.letters`, or the grade in words. The published code takes the
    first capital A, B or C anywhere, and C if there is none.

    Returns:
        None for a reply without a grade, or with two: it is unparsed.

    >>> [read_grade(reply) for reply in ("B", "CORRECT", "C: NOT_ATTEMPTED", "A or B", "")]
    ['incorrect', 'correct', 'not attempted', None, None]
    """
    text = without_reasoning(reply).strip()
    last_line = text.rpartition("\n")[2]
    readings = _readings(last_line) or _readings(text)
    return readings.pop() if len(readings) == 1 else None


def _readings(text: str) -> set[Grade | None]:
    """The grades that a text states, by letter and in words; None among them for a letter of no grade."""
    reading = letters.read(text)
    label = _LABEL.match(text)
    letter = reading.letter if reading else (label["before"] or label["after"]) if label else None
    return _grades_in_words(text) | ({_GRADES.get(letter)} if letter else set())


def _grades_in_words(text: str) -> set[Grade | None]:
    """The grades in capitals; without any those that are stated of the answer; else all that are named."""
    capitals: set[Grade | None] = set()
    stated: set[Grade | None] = set()
    named: set[Grade | None] = set()
    for match in _GRADE_WORD.finditer(text):
        grade = _grade_named(match)
        named.add(grade)
        if match[0].isupper():
            capitals.add(grade)
        if _STATED.search(text[max(match.start() - 40, 0) : match.start()]):
            stated.add(grade)
    return capitals or stated or named


def _grade_named(match: re.Match[str]) -> Grade:
    if match["unattempted"]:
        return "not attempted"
    return "correct" if bool(match["negation"]) == bool(match["opposite"]) else "incorrect"


@dataclass(frozen=True)
class GradeSummary:
    """The grades of all answers; shares of all questions, from 0 to 1."""

    correct: float
    incorrect: float
    not_attempted: float
    accuracy_given_attempted: float
    """The share of correct answers among those attempted; 0 if none was."""
    f_score: float
    """The harmonic mean of that accuracy and the share of correct answers; 0 if both are 0."""


def grade_summary(grades: Sequence[str]) -> GradeSummary:
    """The numbers that SimpleQA reports for the grades of all questions.

    Args:
        grades: ``correct``, ``incorrect`` or ``not attempted`` for each question; an unanswered question was not
            attempted. A reply without a grade has no place here: what is not graded is not counted.

    Raises:
        ValueError: For no grade, or an unknown one.

    >>> summary = grade_summary(["correct", "incorrect", "not attempted", "correct"])
    >>> summary.correct, round(summary.accuracy_given_attempted, 3), round(summary.f_score, 3)
    (0.5, 0.667, 0.571)
    """
    if not grades:
        raise ValueError("no grade: shares of nothing are undefined")
    if unknown := sorted({grade for grade in grades if grade not in _GRADES.values()}):
        raise ValueError(f"grades: found {', '.join(map(repr, unknown))}, expected {', '.join(_GRADES.values())}")
    correct, incorrect, not_attempted = (list(grades).count(grade) / len(grades) for grade in _GRADES.values())
    accuracy = correct / (correct + incorrect) if correct + incorrect > 0 else 0.0
    f_score = 2 * accuracy * correct / (accuracy + correct) if accuracy + correct > 0 else 0.0
    return GradeSummary(correct, incorrect, not_attempted, accuracy, f_score)


@dataclass(frozen=True)
class JudgeVerdict:
    """Decision of a judge with BrowseComp's prompt."""

    correct: bool | None
    """Whether the reply says that the answer is correct; None if it does not say."""
    confidence: float | None
    """Certainty that the answer states of itself, 0 to 100; None if the reply does not say."""


def read_verdict(reply: str) -> JudgeVerdict:
    r"""The verdict and the confidence that a person would read out of a judge's reply to BrowseComp's prompt.

    Wei et al. (2025), BrowseComp, https://arxiv.org/abs/2504.12516. Fields are lines ``correct: yes`` and
    ``confidence: 80%``, perhaps in bold; the last line of each counts, because the extracted answer and the reasoning
    come first. A confidence above 100 is 100.

    >>> read_verdict("reasoning: both say Oslo.\n\n**correct:** yes\n\n**confidence:** 80%")
    JudgeVerdict(correct=True, confidence=80.0)
    >>> read_verdict("correct: unsure")
    JudgeVerdict(correct=None, confidence=None)
    """
    verdicts = _CORRECT.findall(reply)
    confidences = _CONFIDENCE.findall(reply)
    return JudgeVerdict(
        verdicts[-1].casefold() == "yes" if verdicts else None,
        min(float(confidences[-1]), 100.0) if confidences else None,
    )
