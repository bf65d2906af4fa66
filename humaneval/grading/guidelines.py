"""What graders are told unless a round says otherwise, with examples."""

from dataclasses import dataclass
from typing import Final

from humaneval.grading.grade_scores import Ticked

GUIDELINES: Final = """\
You compare an answer with the reference answer, item by item. You are not told whose answer it is, nor how any \
program scored it. Take about half a minute; some answers need more.

Tick an item if the answer says it. The same thing in other words counts: “two” is 2, “the US” is “United States”, \
another spelling of a name is the same name, a number may be rounded as the question allows. The order does \
not matter. A value belongs to its key: a right number beside the wrong name is not that item.

Do not tick what the answer leaves open (“either A or B”), or only repeats from the question.

Mark besides:

- Contradicts: it says something that cannot be true if the reference is.
- Wrong extra claims: beyond the reference it says something that you know or find to be wrong.
- Right extra facts: beyond the reference it says more that is right and answers the question.
- Refuses: it gives no answer, or answers another question.
- Unclear question: people could understand the question in more than one way.
- Reference wrong: the reference itself is wrong or out of date. Say what it should be, and grade against it as it \
stands.

If you are not sure about a fact, look at the evidence. What you decide can be undone until the round is closed.
"""


@dataclass(frozen=True)
class ExampleItem:
    """An item of an example, with whether it is ticked."""

    text: str
    ticked: bool


@dataclass(frozen=True)
class Example:
    """A graded answer that shows how it is meant."""

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
    "extra_right": "Right extra facts",
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
        "“Our own planet” is Earth, “a single” is 1 and “two” is 2: the same in other words. The names of the moons "
        "are right, and more than was asked.",
        extra_right=True,
    ),
    _example(
        _MOONS,
        (("Earth", "1", True, True), ("Mars", "2", True, False)),
        "Earth: 1. Mars: 1.",
        "Mars is named, but with the wrong number, and that contradicts the reference. The 1 stands with Earth.",
        contradicts=True,
    ),
    _example(
        _MOONS,
        (("Earth", "1", True, True), ("Mars", "2", False, False)),
        "Earth has one moon. I could not find the other planet.",
        "Half of it is there and nothing is wrong: a part of the reference, consistent with it.",
    ),
    _example(
        _MOONS,
        (("Earth", "1", False, False), ("Mars", "2", False, False)),
        "I am sorry, I cannot look that up.",
        "It says nothing of the matter.",
        refuses=True,
    ),
)


def digit_key(place: int) -> str:
    """What is pressed for a place in a list, from 0: 1 to 9 and 0, then the same with Shift; empty from the 21st on.

    >>> digit_key(0), digit_key(9), digit_key(10), digit_key(20)
    ('1', '0', '⇧ 1', '')
    """
    if place >= 20:
        return ""
    digit = str((place + 1) % 10)
    return digit if place < 10 else f"⇧ {digit}"
