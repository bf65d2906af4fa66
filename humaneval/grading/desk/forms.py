"""The form of a grade."""

from typing import Any

from django import forms
from django.http import QueryDict

from humaneval.grading.desk.page import Filled
from humaneval.grading.desk.services import LONGEST_NOTE, OUT_OF_DATE, NotGradedError
from humaneval.grading.grade_scores import MARKS, Ticked


class NoteField(forms.CharField):
    """A text limited as in its box: browsers count a line break as one character, and send two."""

    def to_python(self, value: Any) -> str:
        """The text with uniform line breaks."""
        return str(super().to_python(value.replace("\r\n", "\n") if isinstance(value, str) else value))


class GradeForm(forms.Form):
    """A grader's ticks and marks. The number of items is known only with the answer."""

    note = NoteField(required=False, max_length=LONGEST_NOTE)
    proposal = NoteField(label="Corrected reference", required=False, max_length=LONGEST_NOTE)
    seconds = forms.FloatField(required=False)
    answer = forms.IntegerField(required=False)

    def filled(self) -> Filled:
        """The sent values, to be shown again."""
        data = self._sent
        return Filled(
            ticks=frozenset(int(number) for number in data.getlist("item") if _is_number(number)),
            marks=frozenset(mark for mark in MARKS if mark in data),
            note=data.get("note", "")[:LONGEST_NOTE],
            proposal=data.get("proposal", "")[:LONGEST_NOTE],
        )

    def ticked(self, n_items: int) -> Ticked:
        """The sent values as a grade of an answer with *n_items*.

        Raises:
            NotGradedError: it names an item that does not exist, or a text cannot be stored.
        """
        for name in ("note", "proposal"):
            if self.errors.get(name):
                raise NotGradedError(f"{self[name].label}: {' '.join(map(str, self.errors[name]))}")
        numbers = self._sent.getlist("item")
        if not all(_is_number(number) and int(number) < n_items for number in numbers):
            raise NotGradedError(OUT_OF_DATE)
        on = {int(number) for number in numbers}
        return Ticked(tuple(number in on for number in range(n_items)), **{mark: mark in self._sent for mark in MARKS})

    @property
    def _sent(self) -> QueryDict:
        data = self.data
        return data if isinstance(data, QueryDict) else QueryDict()


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < 7
