"""Default grading guidelines of a new round, with examples."""

from dataclasses import dataclass
from typing import Final

from humaneval.grading.grade_scores import Ticked

GUIDELINES: Final = """\
Compare each answer with the reference answer, item by item. You do not see which system or person gave the answer, \
or any automatic score. Most answers take about half a minute.

Tick an item if the answer contains it. Paraphrases count: “two” is 2, “the US” is “United States”, spelling variants \
of a name are the same name, and numbers may be rounded as the question allows. Order does not matter. A value belongs \
to its key: a correct number next to the wrong name does not count.

Do not tick an item that the answer leaves open (“either A or B”) or only repeats from the question.

Select the marks that apply:

- Contradicts the reference: the answer says something that cannot be true if the reference is true.
- Wrong extra claims: beyond the reference, the answer says something that you know or find to be wrong.
- Correct extra facts: beyond the reference, the answer gives more facts that are correct and answer the question.
- Refuses: the answer gives no answer, or answers another question.
- Unclear question: the question can be understood in more than one way.
- Reference wrong: the reference is wrong or out of date. Enter a corrected reference, but grade against the current \
one.

If you are not sure about a fact, check the evidence. You can undo a grade until the round is closed.
"""


@dataclass(frozen=True)
class ExampleItem:
    """An item of an example, with whether it is ticked."""

    text: str
    ticked: bool


@dataclass(frozen=True)
class Example:
    """A graded answer that illustrates the guidelines."""

    question: str
    lines: tuple[tuple[ExampleItem, ...], ...]
    answer: str
    ticked: Ticked
    marks: tuple[str, ...]
    why: str


def _example(
    question: str, pairs: tuple[tuple[str, str, bool, bool], ...], answer: str, why: str, **marks: bool
) -> Example:
    lines = tuple(
        (ExampleItem(key, has_key), ExampleItem(value, has_value)) for key, value, has_key, has_value in pairs
    )
    return Example(
        question=question,
        lines=lines,
        answer=answer,
        ticked=Ticked(tuple(item.ticked for line in lines for item in line), **marks),
        marks=tuple(LABELS[name] for name in marks),
        why=why,
    )


LABELS: Final = {
    "contradicts": "Contradicts the reference",
    "extra_wrong": "Wrong extra claims",
    "extra_right": "Correct extra facts",
    "refuses": "Refuses, or does not answer",
    "unclear_question": "Unclear question",
    "reference_wrong": "Reference wrong",
}

_MOONS = "Which two planets with moons are nearest to the sun, and how many moons has each?"
EXAMPLES: Final = (
    _example(
        _MOONS,
        (("Earth", "1", True, True), ("Mars", "2", True, True)),
        "Our own planet has a single moon; Mars has two, Phobos and Deimos.",
        "“Our own planet” means Earth, “a single” means 1 and “two” means 2. The names of the moons are "
        "correct extra facts.",
        extra_right=True,
    ),
    _example(
        _MOONS,
        (("Earth", "1", True, True), ("Mars", "2", True, False)),
        "Earth: 1. Mars: 1.",
        "Mars has the wrong number, which contradicts the reference. The 1 is correct for Earth only.",
        contradicts=True,
    ),
    _example(
        _MOONS,
        (("Earth", "1", True, True), ("Mars", "2", False, False)),
        "Earth has one moon. I could not find the other planet.",
        "The answer contains half of the reference and nothing wrong. It is a consistent part of the reference.",
    ),
    _example(
        _MOONS,
        (("Earth", "1", False, False), ("Mars", "2", False, False)),
        "I am sorry, I cannot look that up.",
        "The answer contains nothing about the question.",
        refuses=True,
    ),
)


def digit_key(place: int) -> str:
    """The key for a position in a list, from 0: 1 to 9 and 0, then the same with Shift; empty from the 21st on.

    >>> digit_key(0), digit_key(9), digit_key(10), digit_key(20)
    ('1', '0', '⇧ 1', '')
    """
    if place >= 20:
        return ""
    digit = str((place + 1) % 10)
    return digit if place < 10 else f"⇧ {digit}"
