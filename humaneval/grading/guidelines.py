"""Default grading guidelines of a new round, with examples."""

from dataclasses import dataclass
from typing import Final

from humaneval.grading.grade_scores import Ticked
from scoring.models import Split
from scoring.registry import task_type_of

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

CRITERIA_GUIDELINES: Final = """\
Read the whole report first. You do not see which system or person wrote it, or any automatic score.

Then say of each criterion whether the report meets it, as the criterion is written: met, partly met where that is \
offered, or not met. Decide each criterion by itself, whatever you think of the rest. Length, style and order count \
only where a criterion says so.

A criterion marked as a fault names something that makes a report worse. It is met if the report has the fault.

Choose “Can’t say” if you could not tell even with the evidence, or if the criterion can be understood in more than \
one way. It is better than a guess: the criterion is then left out of your grade.

Select the marks that apply:

- Unclear question: the question can be understood in more than one way.
- A criterion is wrong: a criterion is wrong, out of date, or does not belong to the question. Say which and why in \
the note, but decide by the criterion as it is.

You can undo a grade until the round is closed.
"""
"""Default guidelines where people decide criteria."""


def guidelines_for(split: Split) -> str:
    """The default guidelines of a round of answers to a split."""
    return CRITERIA_GUIDELINES if task_type_of(split.benchmark.slug).by_criteria else GUIDELINES


@dataclass(frozen=True)
class Example:
    """An answer to `question` and its grade, which illustrate the guidelines."""

    lines: tuple[tuple[tuple[str, bool], ...], ...]
    """The items of the reference, a key beside its value, each with whether it is ticked."""
    answer: str
    why: str
    marks: tuple[str, ...] = ()
    question: str = "Which two planets with moons are nearest to the sun, and how many moons has each?"

    @property
    def ticked(self) -> Ticked:
        """The grade."""
        ticks = tuple(is_ticked for line in self.lines for _, is_ticked in line)
        return Ticked(ticks, **dict.fromkeys(self.marks, True))


EXAMPLES: Final = (
    Example(
        ((("Earth", True), ("1", True)), (("Mars", True), ("2", True))),
        "Our own planet has a single moon; Mars has two, Phobos and Deimos.",
        "“Our own planet” means Earth, “a single” means 1 and “two” means 2. The names of the moons are "
        "correct extra facts.",
        ("extra_right",),
    ),
    Example(
        ((("Earth", True), ("1", True)), (("Mars", True), ("2", False))),
        "Earth: 1. Mars: 1.",
        "Mars has the wrong number, which contradicts the reference. The 1 is correct for Earth only.",
        ("contradicts",),
    ),
    Example(
        ((("Earth", True), ("1", True)), (("Mars", False), ("2", False))),
        "Earth has one moon. I could not find the other planet.",
        "The answer contains half of the reference and nothing wrong. It is a consistent part of the reference.",
    ),
    Example(
        ((("Earth", False), ("1", False)), (("Mars", False), ("2", False))),
        "I am sorry, I cannot look that up.",
        "The answer contains nothing about the question.",
        ("refuses",),
    ),
)
