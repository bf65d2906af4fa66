"""The objects in files of references, as they are published or as this site defines them, and retrieved passages.

`scoring.files.objects` says what such a file may be, and how mistakes are reported. A module of its own, because texts
need no part of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Final, Literal, TypeVar

from pydantic import Field

from scoring.files.mistakes import Mistake, refuse
from scoring.files.objects import Place, fingerprint, in_words
from scoring.files.rows import read_rows, rows_in
from scoring.files.tables import Content, Expected, Flag, Row
from scoring.metrics.base import ReferenceAnswer, UnusableReference
from scoring.metrics.passage_recall import Passage, proof_passage
from scoring.metrics.short_answer.matching import Kind
from scoring.metrics.short_answer.references import ShortReference
from scoring.task_types.base import References

GOLD_EXAMPLE: Final = '{"qid": "…", "answer_list": [{"answer_text": "…", "aliases": ["…"]}]}'
QUESTION_EXAMPLE: Final = '{"qid": "…", "question_text": "…", "answer_list": [{"answer_text": "…", "aliases": ["…"]}]}'
PASSAGES_EXAMPLE: Final = '{"id": "…", "passages": [{"title": "…", "text": "…"}]}'
JUDGED_EXAMPLE: Final = '{"id": "…", "question": "…", "answers": ["…"], "evidence_pages": 12}'
COMPARED_EXAMPLE: Final = '{"id": "…", "question": "…", "answer": "…"}'
Quoted = Annotated[str, Expected("a text in double quotes")]
RUBRIC_EXAMPLE: Final = '{"id": "…", "question": "…", "criteria": [{"criterion": "…", "weight": 1}]}'
SHORT_EXAMPLE: Final = '{"id": "…", "question": "…", "answers": ["…"]}'
Tolerance = Annotated[float, Field(ge=0), Expected("a number from 0 on")]
Number = Annotated[int, Field(ge=0), Expected("a whole number from 0")]


# --- QAMPARI ---------------------------------------------------------------------------------------------------------


class PassageRow(Row):
    """A part of an article."""

    title: Quoted
    text: Quoted


class GoldAnswerRow(Row):
    """A gold answer with all names that count, and its proofs."""

    answer_text: Quoted
    aliases: Annotated[list[Quoted], Expected("a list of texts: all names that count; [] for none")]
    proof: Any = None

    @property
    def proofs(self) -> list[dict[str, str]]:
        """The proofs that have a text and a page; the others are no evidence, and no mistake either."""
        proofs = [proof for proof in self.proof if isinstance(proof, dict)] if isinstance(self.proof, list) else []
        named = [{key: proof.get(key) for key in ("found_in_url", "proof_text")} for proof in proofs]
        return [proof for proof in named if all(isinstance(text, str) for text in proof.values())]  # type: ignore[misc]

    def stored(self, *, with_proofs: bool = True) -> Any:
        """The gold answer as references store it."""
        proofs = self.proofs if with_proofs else []
        return {"answer_text": self.answer_text, "aliases": self.aliases} | ({"proof": proofs} if proofs else {})


class GoldRow(Row):
    """The gold answers to a question, and contexts that are evidence in place of the proofs."""

    answer_list: list[GoldAnswerRow] = Field(min_length=1)
    positive_ctxs: list[PassageRow] | None = None

    def evidence(self) -> tuple[Passage, ...]:
        """The passages that are evidence for the answers."""
        if self.positive_ctxs is not None:
            return passages_of(self.positive_ctxs)
        proofs = (proof for answer in self.answer_list for proof in answer.proofs)
        return tuple(proof_passage(proof["proof_text"], proof["found_in_url"]) for proof in proofs)


class QuestionRow(Row):
    """A question, with or without gold answers."""

    question_text: Content
    answer_list: Annotated[list[GoldAnswerRow], Field(min_length=1)] | None = None


class PassagesRow(Row):
    """The passages that a system retrieved for a question, best first."""

    passages: list[PassageRow]


def passages_of(rows: list[PassageRow]) -> tuple[Passage, ...]:
    """Rows of a file as passages."""
    return tuple(Passage(row.title, row.text) for row in rows)


def read_gold_lists(path: Path) -> References:
    """Read a file of questions with gold answers.

    Args:
        path: Objects with ``qid`` (or ``id``) and ``answer_list``, a list of objects with ``answer_text`` and
            ``aliases``. Evidence is ``proof``, a list of objects with ``proof_text`` and ``found_in_url``, or, if the
            question has them, ``positive_ctxs`` with ``title`` and ``text``. Other keys are ignored.

    Raises:
        SourceError: With everything that is wrong with it.
    """
    rows = read_rows(path, GoldRow, GOLD_EXAMPLE)
    answers: tuple[ReferenceAnswer, ...] = tuple(
        [answer.stored() for answer in row.answer_list] for row in rows.values()
    )
    return References(tuple(rows), answers, fingerprint(path), tuple(row.evidence() for row in rows.values()))


def read_passages(path: Path) -> Mapping[str, tuple[Passage, ...]]:
    """Read a file of retrieved passages: question id to passages, best first.

    Args:
        path: Objects with ``id`` (or ``qid``) and ``passages``, a list of objects with ``title`` and ``text``. Other
            keys are ignored.

    Raises:
        SourceError: With everything that is wrong with it.
    """
    return {name: passages_of(row.passages) for name, row in read_rows(path, PassagesRow, PASSAGES_EXAMPLE).items()}


# --- MoNaCo ----------------------------------------------------------------------------------------------------------


class JudgedRow(Row):
    """A question with what is known of its answers. Its format is this site's: the published file is protected."""

    question: Content
    answers: Annotated[list[Content], Field(min_length=1)] | None = None
    evidence_pages: Number | None = None
    intermediate_answers: Number | None = None
    time_dependence: Literal["none", "years", "yearly"] | None = None
    """Whether the answer stays as it is, changes every few years, or changes each year."""


def gold_list(answers: Sequence[str]) -> Any:
    """Gold answers as references store them, without further names.

    >>> gold_list(["Oslo"])
    [{'answer_text': 'Oslo', 'aliases': ['Oslo']}]
    """
    return [{"answer_text": answer, "aliases": [answer]} for answer in answers]


# --- Answers compared side by side -----------------------------------------------------------------------------------


class ComparedRow(Row):
    """A question, which may have a reference answer; that of the others is an empty text."""

    answer: Quoted = ""


# --- Rubrics ---------------------------------------------------------------------------------------------------------


class RubricRow(Row):
    """A question with its criteria."""

    question: Content | None = None
    criteria: Annotated[list[dict[str, Any]], Field(min_length=1), Expected("a list of criteria")]


# --- Short answers ---------------------------------------------------------------------------------------------------


class ShortAnswerRow(Row):
    """A question with its accepted answers, and how they are compared."""

    question: Content | None = None
    answers: Annotated[list[Content], Expected("a list of texts")] = []
    unanswerable: Flag = False
    kind: Kind = "auto"
    absolute_tolerance: Tolerance | None = None
    relative_tolerance: Tolerance | None = None
    per_cent: Flag = False
    choices: Annotated[
        list[Content] | dict[str, Content], Expected("a list of texts, or an object of labels with texts")
    ] = []
    language: Quoted = "en"
    weight: Annotated[float, Field(gt=0), Expected("a number above 0")] = 1.0

    def reference(self) -> ShortReference:
        """The accepted answers as metrics read them."""
        values = {name: getattr(self, name) for name in type(self).model_fields if name != "question"}
        return ShortReference(**values | {"answers": tuple(self.answers)})


# --- All of them -----------------------------------------------------------------------------------------------------

_AnyRow = TypeVar("_AnyRow", bound=Row)


def read_stored(
    path: Path,
    row: type[_AnyRow],
    example: str,
    stored: Callable[[_AnyRow], ReferenceAnswer],
    check: Callable[[Sequence[ReferenceAnswer]], object],
) -> References:
    """Read a file of references, each as the task type stores it.

    Args:
        path: The file.
        row: What an object says besides its id.
        example: An object as it should be, for messages.
        stored: Gives the reference of a row.
        check: Refuses references that no metric can use, with `UnusableReference`.

    Raises:
        SourceError: With every mistake.
    """
    mistakes: list[Mistake] = []
    places: list[Place] = []
    references: dict[str, ReferenceAnswer] = {}
    for place, name, own in rows_in(path, mistakes, row, example):
        places.append(place)
        references[name] = stored(own)
    refuse(mistakes)
    try:
        check(list(references.values()))
    except UnusableReference as error:
        refuse(
            places[problem.index].mistake(
                in_words(problem.path), "an unusable value", problem.what.removeprefix("expected ")
            )
            for problem in error.problems
        )
    return References(tuple(references), tuple(references.values()), fingerprint(path))
