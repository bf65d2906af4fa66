"""Scores and marks that a participant gives each of two answers: strengths, weaknesses, what is missing."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from django.db import transaction
from django.http import QueryDict
from django.utils.translation import gettext, gettext_noop

from humaneval.answering.answers import LONGEST_NOTE, AnswerError, clean
from humaneval.models import Assignment, Mark

PLACES: Final = {"left": gettext_noop("Left answer"), "right": gettext_noop("Right answer")}
BUTTONS: Final = {
    Mark.STRENGTH: gettext_noop("Strength"),
    Mark.WEAKNESS: gettext_noop("Weakness"),
    Mark.MISSING: gettext_noop("Missing in the other"),
}
LOWEST_SCORE: Final = 1
HIGHEST_SCORE: Final = 100
NO_SCORE: Final = gettext_noop("A score is a whole number from 1 to 100. Correct it, or leave it empty.")


def pair_of(assignment: Assignment, typed: Mapping[str, str]) -> list[dict[str, Any]]:
    """The two answers of a pair from left to right, for the page; empty if no pair is compared.

    With each score and mark is the text that is saved: what a form sends tells then what was changed in it.

    Args:
        typed: what a form sent that could not be saved, shown instead of what is saved.
    """
    item = assignment.item
    if item is None or not item.is_pair:
        return []
    texts = (item.other, item.candidate) if assignment.swapped else (item.candidate, item.other)
    sides = []
    for (place, label), text in zip(PLACES.items(), texts, strict=True):
        said = assignment.critique.get(place, {})
        marks = []
        for name, mark_label in Mark.choices:
            field, saved = f"{place}_{name}", "\n".join(said.get(name, ()))
            # What one answer has and the other lacks is missing in the other: the button adds it there.
            target = next(other for other in PLACES if other != place) if name == Mark.MISSING else place
            marks.append(
                {
                    "id": field,
                    "label": gettext(mark_label),
                    "text": typed.get(field, saved),
                    "saved": typed.get(f"{field}_was", saved),
                    "button": gettext(BUTTONS[Mark(name)]),
                    "field": f"{target}_{name}",
                }
            )
        saved = str(said.get("score", ""))
        score = typed.get(f"{place}_score", saved)
        sides.append(
            {
                "place": place,
                "label": gettext(label),
                "text": text,
                "score": score,
                "saved_score": typed.get(f"{place}_score_was", saved),
                "marks": marks,
                "has_critique": bool(score or any(mark["text"] for mark in marks)),
            }
        )
    return sides


def save_critique(assignment: Assignment, fields: QueryDict) -> None:
    """Save the scores and marks in a form: ``left_score``, ``left_strength`` (one mark a line) and so on.

    With ``left_strength_was``, what the form began with and what was sent since, only what was changed in it is saved:
    marks that another tab or device saved since then stay. Fields that are not sent stay as they are; nothing happens
    if none is, or if no pair is compared.

    Raises:
        AnswerError: a score is no whole number in its range, or a text is too long.
    """
    names = [(place, name) for place in PLACES for name in ("score", *Mark.values) if f"{place}_{name}" in fields]
    if not names or assignment.item is None or not assignment.item.is_pair:
        return
    with transaction.atomic():
        rows = Assignment.objects.select_for_update(of=("self",)).filter(pk=assignment.pk)
        saved = rows.values_list("critique", flat=True).first()
        if saved is None:  # deleted meanwhile: its participant withdrew
            return
        critique: dict[str, dict[str, Any]] = {place: dict(saved.get(place, {})) for place in PLACES}
        for place, name in names:
            text, *before = (
                clean(typed, LONGEST_NOTE).strip()
                for typed in (str(fields[f"{place}_{name}"]), *fields.getlist(f"{place}_{name}_was"))
            )
            now = critique[place].pop(name, None)
            if name == "score":
                said: Any = now if text in before[:1] else _score(text)
            else:
                said = _merged_lines(now or [], before, text)
            if said:
                critique[place][name] = said
        critique = {place: said for place, said in critique.items() if said}
        assignment.critique = critique
        if critique != saved:
            Assignment.objects.filter(pk=assignment.pk).update(critique=critique)


def _score(text: str) -> int | None:
    if not text:
        return None
    if not (text.isascii() and text.isdecimal() and len(text) < 4 and LOWEST_SCORE <= int(text) <= HIGHEST_SCORE):
        raise AnswerError(gettext(NO_SCORE))
    return int(text)


def _merged_lines(now: list[str], before: Sequence[str], text: str) -> list[str]:
    """The saved lines with what was changed in a field: lines that were saved elsewhere since it was shown stay."""
    lines, earlier = _lines_of(text), [_lines_of(sent) for sent in before]
    if not earlier or now in earlier:
        return lines
    kept = [line for line in now if line in lines or not any(line in sent for sent in earlier)]
    return kept + [line for line in lines if line not in earlier[0] and line not in kept]


def _lines_of(text: str) -> list[str]:
    return [line.strip() for line in text.split("\n") if line.strip()]
