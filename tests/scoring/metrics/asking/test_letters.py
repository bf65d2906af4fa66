"""A judge's reply is read as a person reads it, and a doubtful one is not read."""

import itertools
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.metrics.asking.letters import Rule, letter_of_last_line, read
from scoring.metrics.asking.replies import read_completion
from tests.paths import ROOT

BENCH = ROOT / "tests/scoring/metrics/asking/judge_replies.txt"
"""Replies in the manner of real judges, written by hand, each with the letter that a person reads, or ``none``."""


def bench() -> list[tuple[str | None, str]]:
    parts = re.split(r"^=== (\w+)\n", BENCH.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    return [
        (None if letter == "none" else letter, reply) for letter, reply in zip(parts[::2], parts[1::2], strict=True)
    ]


def test_the_bench_is_read_and_none_of_it_misread() -> None:
    replies = bench()
    found = [(letter, reading.letter if (reading := read(reply)) else None, reply) for letter, reply in replies]
    misread = [one for one in found if one[1] is not None and one[1] != one[0]]
    assert misread == []
    stated = [one for one in found if one[0] is not None]
    read_share = sum(one[1] == one[0] for one in stated) / len(stated)
    assert len(stated) >= 300
    assert len(replies) - len(stated) >= 80
    assert read_share >= 0.99


def test_the_bench_uses_every_rule_and_letter() -> None:
    readings = [reading for _, reply in bench() if (reading := read(reply))]
    assert {reading.rule for reading in readings} == set(Rule)
    assert {reading.letter for reading in readings} == set("ABCDEF")


WRAPPINGS = ["{}", "({})", "**{}**", "{}.", "`{}`", '"{}"', "“{}”", "[{}]", "_{}_", "**({})**", "*{}*.", "({}).", "{})"]


def test_the_letter_alone_on_the_last_line_is_rule_one() -> None:
    for letter, wrapping in itertools.product("ABCDEF", WRAPPINGS):
        reading = read(f"Some reasoning.\n\nD\n{wrapping.format(letter)}\n\n  \n")
        assert reading is not None
        assert (reading.letter, reading.rule) == (letter, Rule.LAST_LINE)
    for line in (
        "b",
        "G",
        "7",
        "BB",
        "plan b",
        "-",
        "**",
        "()",
        "B?",
        "not B",
        "AB",
        "B/C",
        "(B) The submitted answer",
    ):
        assert letter_of_last_line(f"C\n\nC\n{line}") is None


@pytest.mark.parametrize(
    "reply",
    [
        "A better answer would name both.",
        "B or C",
        "Answer: B or C",
        "Answer: B\nAnswer: C",
        "The submitted answer is C.",
        "I do not think that the answer is C.",
        "If it named all five, the answer would be C",
        "<think>The answer is C.",
        "Answer: E. coli",
        "Both name vitamin C",
        "C++",
        "A\nB\nC\nD\nE\nF",
    ],
)
def test_what_a_person_would_not_read_is_not_read(reply: str) -> None:
    assert read(reply) is None


@given(
    st.text(alphabet=st.sampled_from("ABCDEFabc \n*()[]{}:.\"'\\answeris答案<>/"), max_size=80) | st.text(max_size=80)
)
def test_reading_never_fails_and_finds_only_letters(reply: str) -> None:
    reading = read(reply)
    assert reading is None or reading.letter in "ABCDEF"


@pytest.mark.parametrize(
    "unit", ["answer ", "the answer is ", "*A", "(", "\\boxed{", '"answer": ', "I think ", "A. ", "答案"]
)
@pytest.mark.timeout(60)
def test_a_hostile_reply_is_read_in_linear_time(unit: str) -> None:
    read((unit * 100_000)[:100_000])


def test_the_rule_is_stored_with_the_verdict() -> None:
    body = '{"choices": [{"message": {"content": "**Final answer:** B"}, "finish_reason": "stop"}]}'
    reply = read_completion(body)
    assert (reply.letter, reply.rule) == ("B", Rule.LONE_LINE)
