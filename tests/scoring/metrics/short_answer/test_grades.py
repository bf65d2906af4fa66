"""Replies of judges as a person reads them, and what is reported of their grades."""

import pytest

from scoring.metrics.short_answer import grade_summary, read_grade, read_verdict


@pytest.mark.parametrize(
    ("reply", "grade"),
    [
        ("A", "correct"),
        ("**B**", "incorrect"),
        ("c.", "not attempted"),
        ("CORRECT", "correct"),
        ("INCORRECT", "incorrect"),
        ("NOT_ATTEMPTED", "not attempted"),
        ("C: NOT ATTEMPTED", "not attempted"),
        ("Answer: B", "incorrect"),
        ("The two years differ.\n\nB", "incorrect"),
        ("The answer is incorrect because the correct year is 1843.", "incorrect"),
        ("<think>A or B?</think>A", "correct"),
        ("A: CORRECT\nB: INCORRECT\nC: NOT_ATTEMPTED\n\nB", "incorrect"),
    ],
)
def test_a_grade_is_read_by_letter_or_in_words(reply: str, grade: str) -> None:
    assert read_grade(reply) == grade


@pytest.mark.parametrize("reply", ["", "1", "D", "A or B", "A: INCORRECT", "A bridge is named.", "It is not A."])
def test_a_reply_without_one_grade_is_unparsed(reply: str) -> None:
    assert read_grade(reply) is None


def test_shares_are_of_all_questions_and_the_f_score_weighs_attempts() -> None:
    summary = grade_summary(["correct"] * 3 + ["incorrect"] + ["not attempted"] * 4)
    assert (summary.correct, summary.incorrect, summary.not_attempted) == (3 / 8, 1 / 8, 4 / 8)
    assert summary.accuracy_given_attempted == 3 / 4
    assert summary.f_score == 2 * (3 / 4) * (3 / 8) / (3 / 4 + 3 / 8)


def test_without_an_attempt_accuracy_and_f_score_are_0() -> None:
    summary = grade_summary(["not attempted"])
    assert (summary.accuracy_given_attempted, summary.f_score) == (0.0, 0.0)


@pytest.mark.parametrize("grades", [[], ["correct", "unparsed"]])
def test_what_is_no_grade_is_not_counted(grades: list[str]) -> None:
    with pytest.raises(ValueError, match="grade"):
        grade_summary(grades)


@pytest.mark.parametrize(
    ("reply", "correct", "confidence"),
    [
        ("reasoning: both say Aby.\n\ncorrect: yes\n\nconfidence: 80%", True, 80),
        ("**Correct:** no\n**Confidence:** 12.5 %", False, 12.5),
        ("extracted_final_answer: correct: yes\n\ncorrect: no\n\nconfidence: 300%", False, 100),
        ("correct: [yes]\nconfidence: 85|%|", True, 85),
        ("correct: unsure\nconfidence: high", None, None),
        ("The answer is not correct.", None, None),
        ("", None, None),
    ],
)
def test_a_verdict_and_its_confidence_are_read_from_their_lines(
    reply: str, correct: bool | None, confidence: float | None
) -> None:
    verdict = read_verdict(reply)
    assert (verdict.correct, verdict.confidence) == (correct, confidence)
