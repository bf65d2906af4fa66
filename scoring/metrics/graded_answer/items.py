"""What the judges of short answers are asked: a benchmark's own prompt, with any stored field of a question.

What its lines have before the answer and the reference, such as ``Gold target:`` or ``[response]:``, is neutralised in
answers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from scoring.metrics.asking.items import AskedItem
from scoring.metrics.asking.letters import Reading
from scoring.metrics.asking.prompts import Prompt
from scoring.metrics.short_answer.choices import labelled, labels_of
from scoring.metrics.short_answer.grades import read_grade, read_verdict
from scoring.metrics.short_answer.matching import UNANSWERABLE
from scoring.metrics.short_answer.references import ShortReference

MAX_ANSWER_CHARACTERS: Final = 20_000
"""The rest of a longer answer is not judged, unless a benchmark declares another limit."""
NEEDED: Final = (("question",), ("target", "correct_answer"), ("predicted_answer", "response"))
"""The places that a prompt must have; of those in one group, one."""
STORED: Final = ("context", "choices", "categories", "evidence", "decomposition")
"""The places that it may have: further fields of a question."""
PLACES: Final = (*(place for places in NEEDED for place in places), *STORED)


def stored_places(prompt: Prompt) -> tuple[str, ...]:
    """The further fields of a question that a prompt has places for."""
    return tuple(place for place in STORED if place in prompt.places)


def target_text(reference: ShortReference) -> str:
    """The accepted answers as a judge gets them; an option with its label and its text.

    >>> target_text(ShortReference(("Oslo", "Kristiania")))
    'Oslo or Kristiania'
    >>> target_text(ShortReference(("B",), choices=("Bergen", "Oslo")))
    'B. Oslo'
    """
    options = labelled(reference.choices) if reference.choices else {}
    texts = [
        ", ".join(f"{label}. {options[label]}" for label in sorted(labels_of(answer, options))) if options else answer
        for answer in reference.answers
    ]
    return " or ".join([*texts, *([UNANSWERABLE] if reference.unanswerable else [])])


# --- Further fields of a question -----------------------------------------------------------------------------------


class StoredQuestion(Protocol):
    """A question, of a file or of a site."""

    @property
    def categories(self) -> Sequence[str]:
        """The names of its categories."""

    @property
    def context(self) -> Sequence[Any] | None:
        """Context of the question: texts, tables as lists of rows, and its options by their labels."""

    @property
    def evidence(self) -> Sequence[Mapping[str, Any]]:
        """Pages, each with a title or an address."""

    @property
    def decomposition(self) -> Sequence[Mapping[str, Any]]:
        """Sub-questions."""

    @property
    def language(self) -> str:
        """The code of its language; empty if unknown."""


def stored_texts(question: StoredQuestion, names: Iterable[str]) -> dict[str, str]:
    """Some of the fields `STORED` of a question as texts; empty where it has none.

    >>> from types import SimpleNamespace
    >>> question = SimpleNamespace(context=["A bridge.", [["year"], ["1702"]], {"A": "Aby"}], categories=["art"])
    >>> stored_texts(question, ["context", "choices", "categories"])
    {'context': 'A bridge.\\n\\nyear\\n1702', 'choices': 'A. Aby', 'categories': 'art'}
    >>> stored_texts(SimpleNamespace(context=[{"picture": "0f", "alt": "A map of Aby."}]), ["context", "choices"])
    {'context': 'A map of Aby.', 'choices': ''}
    """
    return {name: _FIELD_TEXTS[name](question) for name in names}


def _context(question: StoredQuestion) -> str:
    pictures_in_words = (block["alt"] if _is_picture(block) else block for block in question.context or ())
    blocks = [block for block in pictures_in_words if block and not isinstance(block, Mapping)]
    tables = (block if isinstance(block, str) else "\n".join(map(" | ".join, block)) for block in blocks)
    return "\n\n".join(tables)


def _is_picture(block: object) -> bool:
    """Whether a block of a context is a picture; options have no such label."""
    return isinstance(block, Mapping) and "picture" in block


def _choices(question: StoredQuestion) -> str:
    options = [block for block in question.context or () if isinstance(block, Mapping) and not _is_picture(block)]
    return "\n".join(f"{label}. {text}" for block in options for label, text in block.items())


def _evidence(question: StoredQuestion) -> str:
    return "\n".join(str(page.get("title") or page.get("url") or "") for page in question.evidence)


def _decomposition(question: StoredQuestion) -> str:
    return "\n".join(str(part.get("question") or "") for part in question.decomposition)


_FIELD_TEXTS: Final[Mapping[str, Callable[[StoredQuestion], str]]] = {
    "context": _context,
    "choices": _choices,
    "categories": lambda question: ", ".join(question.categories),
    "evidence": _evidence,
    "decomposition": _decomposition,
    "language": lambda question: question.language,
}


# --- Items ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class AnswerItem(AskedItem):
    """One short answer to be judged."""

    prompt: Prompt
    stored: tuple[tuple[str, str], ...] = ()
    """Further fields of the question, by the names of their places."""

    @property
    def further(self) -> Mapping[str, str]:
        return dict(self.stored)

    def messages(self) -> list[dict[str, str]]:
        _, targets, answers = NEEDED
        values = {"question": self.question, **dict(self.stored)}
        values |= dict.fromkeys(targets, self.reference) | dict.fromkeys(answers, self.answer.text)
        return self.prompt.messages(values)


class GradedItem(AnswerItem):
    """Short answer that gets a grade: correct, incorrect or not attempted."""

    def read(self, reply: str) -> Reading | None:
        grade = read_grade(reply)
        return Reading(grade) if grade else None


class VerifiedItem(AnswerItem):
    """Short answer that is found correct or not, and whose stated confidence is extracted."""

    def read(self, reply: str) -> Reading | None:
        """The verdict: ``correct`` or ``incorrect``, with ``/80`` after it for a confidence of 80 %."""
        verdict = read_verdict(reply)
        if verdict.correct is None:
            return None
        confidence = "" if verdict.confidence is None else f"/{verdict.confidence:.6g}"
        return Reading(("correct" if verdict.correct else "incorrect") + confidence)


def confidences_of(verdicts: Iterable[str | None]) -> Iterator[tuple[float, bool]]:
    """The stated confidences in stored verdicts, from 0 to 1, each with whether the answer is correct.

    >>> list(confidences_of(["correct/80", "incorrect", None]))
    [(0.8, True)]
    """
    for verdict in verdicts:
        word, _, confidence = (verdict or "").partition("/")
        if confidence:
            yield float(confidence) / 100, word == "correct"
