"""Files that answer a question several times."""

from dataclasses import replace
from typing import Any

import pytest

from scoring.benchmarks.base import rule_of
from scoring.generations.attempts import ANY_NUMBER, AttemptRule
from tests.scoring.generations.files import FIRST, KNOWN, RETIRED, SECOND, THIRD, codes, line, problems, read

EVERY = b"".join(line(qid, f"{qid} {n}", attempt=n) for n in (1, 2, 3) for qid in KNOWN.current)
"""Three attempts at each question."""


def test_a_line_without_the_key_is_the_first_attempt() -> None:
    report = read(line(FIRST, "Oslo") + line(FIRST, "Rome", attempt=2) + line(SECOND, "Bern") + line(THIRD, "Lima"))
    assert (report.ok, report.n_attempts) == (True, 2)
    assert report.answers == {
        f"{FIRST}\t1": "Oslo", f"{FIRST}\t2": "Rome", f"{SECOND}\t1": "Bern", f"{THIRD}\t1": "Lima"
    }  # fmt: skip
    assert (report.n_answered, report.n_empty_attempts) == (4 // 2, 2)


def test_one_attempt_is_read_as_a_file_without_the_key() -> None:
    with_key = read(b"".join(line(qid, attempt=1) for qid in KNOWN.current))
    without = read(b"".join(line(qid) for qid in KNOWN.current))
    size = {"size": 0, "text_size": 0, "sha256": ""}
    assert replace(with_key, **size) == replace(without, **size)  # type: ignore[arg-type]
    assert without.answers.keys() == set(KNOWN.current)


@pytest.mark.parametrize(
    "value", [0, 101, -1, True, None, "2", 1.5, 2.0, [1], {"n": 1}, 10**30], ids=lambda value: str(value)[:9]
)
def test_a_wrong_number_is_named_with_its_line(value: Any) -> None:
    report = read(line(FIRST) + line(SECOND) + line(THIRD, attempt=value))
    (problem,) = problems(report, "attempt-not-a-number")
    assert (problem.line, problem.field) == (3, "attempt")
    assert "from 1 to 100" in problem.expected
    assert codes(report) == {"attempt-not-a-number": 1}, "the question has a line, wrong as it is"


def test_every_missing_attempt_is_named_with_its_question() -> None:
    report = read(line(FIRST) + line(FIRST, attempt=4) + line(SECOND, attempt=2) + line(RETIRED))
    assert report.ok
    assert report.missing == (THIRD,)
    assert codes(report) == {"retired-id": 1, "missing-answer": 1, "missing-attempt": 5}
    missing = problems(report, "missing-attempt")
    assert [(one.question_id, one.attempt) for one in missing] == [
        (FIRST, 2), (FIRST, 3), (SECOND, 1), (SECOND, 3), (SECOND, 4)
    ]  # fmt: skip
    assert missing[0].place == f"Question “{FIRST}”, attempt 2"
    [group] = [group for group in report.groups if group.code == "missing-attempt"]
    assert group.where.startswith(f"“{FIRST} (attempt 2)”, ")


def test_the_same_attempt_twice_is_named_with_both_lines() -> None:
    report = read(EVERY + line(FIRST, "another", attempt=2) + line(SECOND, f"{SECOND} 3", attempt=3))
    assert codes(report) == {"duplicate-id": 1, "repeated-answer": 1}
    [twice] = problems(report, "duplicate-id")
    assert (twice.line, twice.question_id, twice.attempt) == (10, FIRST, 2)
    assert "attempt 2, again after line 4" in twice.found
    assert '"attempt": 3' in twice.fix


@pytest.mark.parametrize(
    ("rule", "data", "ok"),
    [
        (ANY_NUMBER, EVERY, True),
        (rule_of(3, is_hidden=True, is_compared=False), EVERY, True),
        (rule_of(4, is_hidden=False, is_compared=False), EVERY, False),
        (rule_of(2, is_hidden=False, is_compared=False), EVERY, False),
        (rule_of(None, is_hidden=True, is_compared=False), EVERY, False),
        (rule_of(None, is_hidden=False, is_compared=True), EVERY, False),
        (rule_of(None, is_hidden=True, is_compared=False), line(FIRST), True),
        (rule_of(2, is_hidden=False, is_compared=False), line(FIRST), False),
    ],
)
def test_another_number_than_the_split_takes_is_refused_with_both(rule: AttemptRule, data: bytes, ok: bool) -> None:
    report = read(data, replace(KNOWN, attempts=rule))
    assert report.ok is ok
    if not ok:
        assert [group.code for group in report.errors] == ["other-attempts"]
        [problem] = problems(report, "other-attempts")
        assert str(report.n_attempts) in problem.found
        assert str(rule.exactly) in problem.expected
        assert problem.fix == rule.fix


def test_usage_is_that_of_one_attempt_in_the_mean() -> None:
    data = line(FIRST, usage={"input_tokens": 10, "seconds": 1, "stop_reason": "stop"})
    data += line(FIRST, attempt=2, usage={"input_tokens": 13, "seconds": 2, "stop_reason": "stop"})
    data += line(SECOND, usage={"input_tokens": 4, "seconds": 1}) + line(SECOND, attempt=2, usage={"input_tokens": 6})
    report = read(data)
    assert report.usage == {
        FIRST: {"input_tokens": 11.5, "seconds": 1.5, "stop_reason": "stop"},
        SECOND: {"input_tokens": 5},
    }
    assert [problem.field for problem in problems(report, "partial-usage")] == ["usage.seconds"]


def test_a_system_may_give_the_same_answer_in_each_attempt_but_not_to_many_questions() -> None:
    ids = [f"q{number}" for number in range(8)]
    known = replace(KNOWN, current=tuple(ids))
    attempts = range(1, 11)
    own = b"".join(line(qid, f"a long answer to {qid}", attempt=n) for qid in ids for n in attempts)
    assert codes(read(own, known)) == {}
    same = b"".join(line(qid, "an answer that is an error", attempt=n) for qid in ids for n in attempts)
    assert codes(read(same, known)) == {"same-answer": 80}
