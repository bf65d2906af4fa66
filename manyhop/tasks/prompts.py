"""The prompts of tasks: those of FanOutQA's paper (Zhu et al., 2024, appendix H.4), and the same for other answers.

Answers that are lists are asked for as JSON, which generations files have too.
"""

from __future__ import annotations

import datetime
import json
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from manyhop.tasks.questions import CLOSED, EVIDENCE, OPEN, TaskError
from scoring.benchmarks.base import SourceQuestion
from scoring.benchmarks.declared.context import described_picture, is_picture
from scoring.generations.records import AnswerFormat

if TYPE_CHECKING:
    from scoring.metrics.passage_recall import Passage

_OUTPUT: Final = {CLOSED: "your answer", OPEN: "a function call or your answer", EVIDENCE: "your answer"}
_FORM: Final = {
    "answer": " If the answer is a list, output one on each line.",
    "predictions": ' Write the answer as a JSON array of strings, such as ["Lyon", "Paris"].',
}
"""Sentences about the form of an answer, by the key of answers in a generations file."""
DATES: Final = {"fanoutqa": "2023-11-20", "qampari": "2021-08-01"}
"""The days of the articles in the papers' experiments, by benchmark."""
WIKIPEDIA: Final = "https://en.wikipedia.org/w/api.php"
"""The API of the wiki with the articles, unless another one is given."""
PASSAGES: Final = 20
"""The passages that a model gets at most, unless another number is given: of its evidence, or of each article."""
_ARRAY: Final = re.compile(r"\[.*\]", re.DOTALL)
_MARK: Final = re.compile(r"^(?:[-*•]|\d+[.)])\s+")


def prompt(question: str, given: str, form: AnswerFormat, date: datetime.date | None) -> str:
    """What a model is asked, besides the evidence.

    :param question: as `asked` writes it.
    :param given: what it gets besides the question.
    :param form: the format of its answer.
    :param date: the day of the articles, if there is one.
    """
    on = " based on the documents above" if given == EVIDENCE else ""
    today = f" Current date: {date:%m-%d-%Y}." if date else ""
    listed = _FORM.get(form.answer_key, "")
    asked = f"Answer the following question{on}, and output only {_OUTPUT[given]}.{listed}{today}"
    return f"{asked}\n\n[Question]: {question}"


def asked(question: SourceQuestion) -> str:
    """A question as a model reads it: after what it is about, and before its options. Pictures are passed over, with a
    remark that has their text.

    >>> from scoring.benchmarks.base import SourceQuestion
    >>> print(asked(SourceQuestion("q", "Who?", (), (), context=([["Year", "Mayor"]], {"A": "Ada", "B": "Bo"}))))
    Year | Mayor
    <BLANKLINE>
    Who?
    <BLANKLINE>
    A. Ada
    B. Bo
    >>> asked(SourceQuestion("q", "Which city?", (), (), context=({"picture": "0f", "alt": "A map."},)))
    '[picture: A map.]\\n\\nWhich city?'
    """
    blocks = [described_picture(block) if is_picture(block) else block for block in question.context]
    given = [
        block if isinstance(block, str) else "\n".join(map(" | ".join, block))
        for block in blocks
        if not isinstance(block, dict)
    ]
    options = [block for block in blocks if isinstance(block, dict)]
    listed = ["\n".join(f"{label}. {text}" for label, text in block.items()) for block in options]
    return "\n\n".join([*given, question.text, *listed])


def with_evidence(text: str, passages: Iterable[Passage]) -> str:
    """A prompt after its evidence."""
    return f"*** BEGIN DATA ***\n\n{documents(passages)}*** END DATA ***\n\n{text}"


def documents(passages: Iterable[Passage]) -> str:
    """Passages as a model reads them."""
    return "".join(f"# {passage.title}\n{passage.text}\n\n" for passage in passages)


def day(date: str) -> datetime.date | None:
    """A day as a parameter; None if it is empty.

    :raises TaskError: it is none.
    """
    try:
        return datetime.date.fromisoformat(date) if date else None
    except ValueError:
        raise TaskError(f"date: found {date!r}, expected a day as YYYY-MM-DD.") from None


def answers_in(text: str) -> list[str]:
    """The answers in a model's text: of the JSON array of strings in it, or else one a line, without list marks.

    >>> answers_in('Here: ["Oslo", "Bern"].'), answers_in("1. Oslo\\n- Bern\\n")
    (['Oslo', 'Bern'], ['Oslo', 'Bern'])
    """
    array = _ARRAY.search(text)
    if array is not None:
        try:
            answers = json.loads(array[0])
        except (ValueError, RecursionError):
            answers = None
        if isinstance(answers, list) and all(isinstance(answer, str) for answer in answers):
            return answers
    return [_MARK.sub("", line.strip()) for line in text.splitlines() if line.strip()]
