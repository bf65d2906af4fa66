"""The ratings of a study and their scales: a declaration in TOML; and ratings as they are stored.

A rating is stored as text with one line per question, ``name: value``, in the order of the declaration. The value is
the name of a choice, or a number of a scale.
"""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Final

from pydantic import Field

from humaneval.models import Study
from scoring.files.mistakes import SourceError, repeated, shown
from scoring.files.tables import Fault, Slug, Table, Text, mistake_at
from scoring.files.toml_lines import Path, read_toml

FILE: Final = "declaration"
LONGEST_FILE: Final = 100_000
TOO_LONG: Final = f"{FILE}: more than {LONGEST_FILE:,} bytes. Shorten the texts."


ShortName = Annotated[Slug, Field(max_length=40)]


class ChoiceTable(Table):
    """An answer that participants can choose."""

    name: ShortName = Field(description="Its name in exports.")
    label: Text = Field(description="As participants see it.", max_length=200)
    score: int | None = Field(None, description="What it counts in the weighted score.", ge=0, le=100)


class ScaleTable(Table):
    """A scale of whole numbers from 1."""

    highest: int = Field(description="The highest number.", ge=2, le=10)
    low: Text = Field(description="What 1 means.", max_length=100)
    high: Text = Field(description="What the highest number means.", max_length=100)
    low_score: int | None = Field(
        None, description="What 1 counts in the weighted score; the numbers between are linear.", ge=0, le=100
    )
    high_score: int | None = Field(None, description="What the highest number counts in it.", ge=0, le=100)


class QuestionTable(Table):
    """A question about each item, with choices or a scale."""

    name: ShortName = Field(description="Its name in exports.")
    text: Text = Field(description="The question, as participants see it.", max_length=500)
    choices: list[ChoiceTable] = Field([], description="The answers, each as [[questions.choices]].", min_length=2)
    scale: ScaleTable | None = Field(None, description="A scale instead of choices.")
    weight: int | None = Field(None, description="Its weight in the weighted score. Default: 1.", ge=1, le=100)


class DeclarationTable(Table):
    """Declaration of what participants rate."""

    questions: list[QuestionTable] = Field(description="The questions, each as [[questions]].", min_length=1)


@dataclass(frozen=True)
class Option:
    """One possible answer to a question."""

    value: str
    """The name of a choice, or a number of a scale."""
    label: str
    score: float | None
    """Points of the answer in the weighted score, 0 to 100; None if the question does not count."""


@dataclass(frozen=True)
class RatingQuestion:
    """A question about each item."""

    name: str
    text: str
    options: tuple[Option, ...]
    is_scale: bool
    weight: int

    @property
    def is_scored(self) -> bool:
        return self.options[0].score is not None

    def score_of(self, value: str) -> float | None:
        """Points of an answer in the weighted score, 0 to 100."""
        return next((option.score for option in self.options if option.value == value), None)


def read_declaration(data: bytes) -> tuple[RatingQuestion, ...]:
    """Read a declaration: TOML 1.0 in UTF-8, as `DeclarationTable` says.

    >>> data = b'[[questions]]\\nname = "sure"\\ntext = "Sure?"\\nscale = {highest = 3, low = "no", high = "yes"}'
    >>> [option.label for option in read_declaration(data)[0].options]
    ['1 (no)', '2', '3 (yes)']

    Raises:
        SourceError: with every mistake, by line and field.
    """
    if len(data) > LONGEST_FILE:
        raise SourceError([TOO_LONG])
    toml = read_toml(FILE, data)
    mistakes = list(toml.mistakes)
    declared, faults = DeclarationTable.read(toml.values)
    if toml.values or not toml.mistakes:
        faults += _faults_between(declared.questions, {fault.path[:2] for fault in faults})
        mistakes += [mistake_at(fault, toml) for fault in faults if fault.path not in toml.unread]
    if mistakes:
        raise SourceError(
            [str(mistake) for mistake in sorted(dict.fromkeys(mistakes), key=lambda mistake: mistake.line)]
        )
    return tuple(map(_question, declared.questions))


def _faults_between(questions: Sequence[QuestionTable], broken: set[Path]) -> Iterator[Fault]:
    """Faults between the fields of a question, or between questions, whose fields are right one by one."""
    for index, name in repeated(question.name for question in questions):
        if name:
            yield Fault(("questions", index, "name"), f"the name {name} again", "another name", "Change one of them.")
    for index, question in enumerate(questions):
        path: Path = ("questions", index)
        if path in broken:
            continue
        ways = [way for way in ("choices", "scale") if getattr(question, way)]
        if len(ways) != 1:
            yield Fault(path, " and ".join(ways) or "none of them", "either choices or a scale", "Write one of them.")
            continue
        scores: dict[Path, int | None]
        if question.scale is not None:
            scores = {("scale", key): getattr(question.scale, key) for key in ("low_score", "high_score")}
        else:
            scores = {("choices", place, "score"): choice.score for place, choice in enumerate(question.choices)}
            for place, name in repeated(choice.name for choice in question.choices):
                again = f"the name {name} again"
                yield Fault((*path, "choices", place, "name"), again, "a name for each choice", "Change one.")
        lacking = [(*path, *key) for key, score in scores.items() if score is None]
        if 0 < len(lacking) < len(scores):
            yield Fault(lacking[0], "nothing", "a score for each answer, or for none", "Add it.")
        elif question.weight is not None and lacking:
            actual = shown(question.weight)
            yield Fault((*path, "weight"), actual, "a weight only with scores", "Remove it, or add scores.")


def _question(table: QuestionTable) -> RatingQuestion:
    scale = table.scale
    options = [Option(choice.name, choice.label, choice.score) for choice in table.choices]
    if scale is not None:
        highest, low, high = scale.highest, scale.low_score, scale.high_score
        ends = {1: scale.low, highest: scale.high}
        for number in range(1, highest + 1):
            score = None if low is None or high is None else low + (high - low) * (number - 1) / (highest - 1)
            options.append(Option(str(number), f"{number} ({ends[number]})" if number in ends else str(number), score))
    return RatingQuestion(table.name, table.text, tuple(options), scale is not None, table.weight or 1)


@lru_cache(maxsize=64)
def _stored(declaration: str) -> tuple[RatingQuestion, ...]:
    return tuple(map(_question, DeclarationTable.read(tomllib.loads(declaration))[0].questions)) if declaration else ()


def questions_of(study: Study) -> tuple[RatingQuestion, ...]:
    """The questions that a study's declaration has; empty if there is none."""
    return _stored(study.declaration)


def weighted_score(questions: Sequence[RatingQuestion], rating: Mapping[str, str]) -> float | None:
    """The mean of the scores of a rating's answers by the questions' weights, 0 to 100.

    None if no question counts, or one that counts is not answered.

    >>> options = (Option("no", "No", 0), Option("yes", "Yes", 100))
    >>> questions = [RatingQuestion(name, "", options, False, weight) for name, weight in (("a", 3), ("b", 1))]
    >>> weighted_score(questions, {"a": "yes", "b": "no"})
    75.0
    """
    counted = [
        (question.weight, question.score_of(rating.get(question.name, "")))
        for question in questions
        if question.is_scored
    ]
    scores = [(weight, score) for weight, score in counted if score is not None]
    if not scores or len(scores) < len(counted):
        return None
    return sum(weight * score for weight, score in scores) / sum(weight for weight, _ in scores)


# --- Ratings as text -----------------------------------------------------------------------------------------------


def rating_of(text: str) -> dict[str, str]:
    """The answers in a stored rating, by question.

    >>> rating_of("writer: expert\\nknows: 4")
    {'writer': 'expert', 'knows': '4'}
    """
    return dict(line.split(": ", 1) for line in text.splitlines() if ": " in line)
