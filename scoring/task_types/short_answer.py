"""The task type *short answer*: one text per question, compared with accepted answers and aliases (SQuAD, HotpotQA)."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

from scoring.generations.records import TEXT_ANSWERS, AnswerFormat
from scoring.metrics.base import ReferenceAnswer
from scoring.metrics.short_answer.matching import UNANSWERABLE, has_two_readings, is_amount, is_in_no_calendar
from scoring.metrics.short_answer.references import FIELDS, short_references
from scoring.task_types.base import Doubt, Outcomes, References, TaskType

if TYPE_CHECKING:
    from scoring.metrics.short_answer.matching import Kind

_OPINIONS: Final = ("inclusion", "exact-match")
"""The metrics that say whether an answer is right, the one that reads sentences first."""


_FLAGS: Final = ("unanswerable", "per_cent")
_TOLERANCES: Final = ("absolute_tolerance", "relative_tolerance")
_NUMBERS: Final = (*_TOLERANCES, "weight")
_NO_ANSWER: Final = ("unanswerable", "no answer", "noanswer", "not answerable", "cannot be answered", "not given")
_LONG: Final = 500


class ShortAnswer(TaskType):
    """A name, a number, a date, yes or no, or the choice of an option for each question.

    >>> task = ShortAnswer()
    >>> task.stored("Oslo"), task.stored(["Oslo", "Kristiania"]), task.stored(42)
    ({'answers': ['Oslo']}, {'answers': ['Oslo', 'Kristiania']}, {'answers': ['42']})
    >>> task.plain({"answers": ["Oslo", "Kristiania"]}), task.other_names({"answers": ["Oslo", "Kristiania"]})
    ('Oslo', [('Kristiania',)])
    """

    name = "short-answer"
    references_format = (
        'JSON Lines as {"id": "…", "question": "…", "answers": ["…"]}, also as gzip or zip; further keys: '
        "unanswerable, kind, absolute_tolerance, relative_tolerance, per_cent, choices, language, weight"
    )
    names_without_review = 50
    length_without_review = 2_000
    question_keys = ("kind", *_FLAGS, *_NUMBERS)
    answer_fields = FIELDS

    def read_references(self, path: Path) -> References:
        from scoring.task_types.reference_files import SHORT_EXAMPLE, ShortAnswerRow, read_stored  # pydantic

        return read_stored(path, ShortAnswerRow, SHORT_EXAMPLE, lambda row: row.reference().stored(), self.check)

    def outcomes_with(self, metrics: Collection[str]) -> Outcomes | None:
        """Inclusion, exact match or token F1: the first one that is declared says whether an answer is right.

        >>> outcomes = ShortAnswer().outcomes_with(["token-f1", "exact-match"])
        >>> outcomes.metric, outcomes.opinions
        ('exact-match', ('exact-match',))
        """
        opinions = tuple(name for name in _OPINIONS if name in metrics)
        if opinions:
            score = opinions[0]
            return Outcomes(score, shown=score, some=score, all=score, opinions=opinions, is_whole=True)
        if "token-f1" not in metrics:
            return None
        score = "token-f1.f1"
        return Outcomes("token-f1", shown=score, some=score, all=score, opinions=(), is_whole=True)

    def answer_format(self, separator: str | None) -> AnswerFormat:
        return TEXT_ANSWERS

    def check(self, references: Sequence[ReferenceAnswer]) -> None:
        short_references(references)

    def weight_of(self, reference: Any) -> float | None:
        """The stated weight; None also for one that `check` refuses.

        >>> [ShortAnswer().weight_of(reference) for reference in ({"weight": 2}, {"weight": "much"}, {})]
        [2.0, None, None]
        """
        weight = reference.get("weight") if isinstance(reference, dict) else None
        if not isinstance(weight, int | float) or isinstance(weight, bool) or not 0 < weight < math.inf:
            return None
        return float(weight)

    def stored(self, answer: Any) -> Any:
        """A text, a number, true or false (yes or no), or a list of texts, as an object with ``answers``.

        In an object, numbers and truth values may be texts, as tables have them.

        >>> ShortAnswer().stored({"answers": "12", "relative_tolerance": "0.1", "unanswerable": "false"})
        {'answers': ['12'], 'relative_tolerance': 0.1, 'unanswerable': False}
        """
        if isinstance(answer, dict):
            return {name: self._stored_value(name, value) for name, value in answer.items()}
        if isinstance(answer, bool):
            answer = "yes" if answer else "no"
        if isinstance(answer, str | int | float):
            answer = [str(answer)]
        if isinstance(answer, list):
            return {"answers": [str(text) if isinstance(text, int | float) else text for text in answer]}
        return answer

    def _stored_value(self, name: str, value: Any) -> Any:
        if name == "answers" and isinstance(value, str | int | float | list):
            return self.stored(value)["answers"]
        if name in _FLAGS and isinstance(value, str):
            return {"true": True, "false": False}.get(value.strip().casefold(), value)
        if name in _NUMBERS and isinstance(value, str):
            with suppress(ValueError):
                return float(value)
        return value

    def unread_fields(self, answer: Any) -> Iterator[str]:
        return (name for name in answer if name not in FIELDS) if isinstance(answer, dict) else iter(())

    def with_question(self, reference: Any, stated: Mapping[str, Any]) -> Any:
        return self.stored({**stated, **reference}) if isinstance(reference, dict) else reference

    def contradict(self, reference: Any, other: Any) -> bool:
        """Whether they accept different answers, or compare them differently; either may leave out how.

        >>> one, same = {"answers": ["12"], "kind": "number"}, {"answers": ["12"], "weight": 2}
        >>> ShortAnswer().contradict(one, same), ShortAnswer().contradict(one, {"answers": ["13"]})
        (False, True)
        >>> ShortAnswer().contradict(one, {"answers": ["12"], "kind": "text"})
        True
        """
        if not isinstance(reference, dict) or not isinstance(other, dict):
            return super().contradict(reference, other)
        accepted, other_accepted = (
            (one.get("answers") or [], one.get("unanswerable") or False) for one in (reference, other)
        )
        both = [name for name in self.question_keys if name in reference and name in other]
        return accepted != other_accepted or any(reference[name] != other[name] for name in both)

    def doubts(self, reference: Any) -> Iterator[Doubt]:
        """Answers that are probably not meant: endless ones, and those beside what excludes or cannot compare them.

        >>> [doubt.found for doubt in ShortAnswer().doubts({"answers": ["12"], "relative_tolerance": 5})]
        ['5, which is 500 per cent']
        >>> [doubt.field for doubt in ShortAnswer().doubts({"answers": ["Oslo"], "absolute_tolerance": 5})]
        ['absolute_tolerance']
        """
        if not isinstance(reference, dict):
            return
        answers = [answer for answer in reference.get("answers") or () if isinstance(answer, str)]
        if answers and reference.get("unanswerable") is True:
            found, fix = "true beside an answer, so that both are right", "Remove one of the two, unless you mean both."
            yield Doubt("unanswerable", found, "one of the two", fix)
        if any(len(answer) < 20 and answer.strip().casefold() in _NO_ANSWER for answer in answers):
            fix = "If the question has none, write unanswerable: true in its place."
            yield Doubt("answer", "words that say that there is no answer", "an answer", fix)
        if any(len(answer) > _LONG for answer in answers):
            fix = "Shorten it, or choose the task type text-answer."
            yield Doubt("answer", f"more than {_LONG} characters", "a short answer", fix)
        if reference.keys().isdisjoint(("kind", "per_cent", *_TOLERANCES)):
            return  # reading a reference takes time
        (accepted,) = short_references([reference])
        share = accepted.relative_tolerance or 0
        if share >= 1:
            found, fix = f"{share:g}, which is {100 * share:g} per cent", f"{share:g} per cent is {share / 100:g}."
            yield Doubt("relative_tolerance", found, "a share of the number, below 1", fix)
        stated = [name for name in (*_TOLERANCES, "per_cent") if reference.get(name)]
        kind, language = cast("Kind", accepted.kind), accepted.language
        if stated and accepted.answers:
            amounts = (is_amount(answer, kind, language) for answer in accepted.answers)
            if kind == "choice" or accepted.choices or not any(amounts):
                for name in stated:
                    yield Doubt(name, "an answer that is no number", "a number", f"Remove {name}, or write a number.")
        tolerance = accepted.absolute_tolerance or 0
        if any(0 < abs(number) <= tolerance for number in map(_number, accepted.answers)):
            found = f"{tolerance:g}, so that 0 would be right too"
            yield Doubt("absolute_tolerance", found, "less than the number itself", "Correct one of the two.")
        if kind == "date" and any(is_in_no_calendar(answer, language) for answer in accepted.answers):
            yield Doubt("answer", "a day that its month does not have", "a date of the calendar", "Correct the date.")
        if kind == "date" and any(map(has_two_readings, accepted.answers)):
            fix = "Write the month as a word, or as in 2026-01-31: both readings count as right."
            yield Doubt("answer", "a date whose day may be its month", "a date with one reading", fix)

    def plain(self, reference: Any) -> str:
        return _accepted(reference)[0]

    def other_names(self, reference: Any) -> list[tuple[str, ...]]:
        return [_accepted(reference)[1:]]

    def copy_of(self, reference: Any) -> str:
        return self.plain(reference)


def _number(text: str) -> float:
    """A plain number of a text; 0 if it is none."""
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return 0.0


def _accepted(reference: Any) -> tuple[str, ...]:
    """The accepted answers of a stored reference, which need not have been checked."""
    return (*reference.get("answers", ()), *([UNANSWERABLE] if reference.get("unanswerable") else ()))
