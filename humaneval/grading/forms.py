"""Forms of the console: a grade, a new round, who grades, a correction."""

import json
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from django import forms
from django.core.exceptions import ValidationError
from django.http import QueryDict

from humaneval.grading.desk.page import Filled
from humaneval.grading.desk.services import LONGEST_NOTE, NotGradedError
from humaneval.grading.grade_scores import MARKS, Ticked
from humaneval.grading.rounds.services import MOST_ANSWERS, accounts_named, usernames
from humaneval.models import CorrectionState, Selection, Study
from leaderboard.models import SubmissionFile, User
from leaderboard.web.visible_text import require_seen
from scoring.metrics.base import Primitive, UnusableReference, check_references, primitives
from scoring.models import Split

if TYPE_CHECKING:
    _FilesField = forms.ModelMultipleChoiceField[SubmissionFile]
    _StudiesField = forms.ModelMultipleChoiceField[Study]
else:
    _FilesField = forms.ModelMultipleChoiceField
    _StudiesField = forms.ModelMultipleChoiceField


class NoteField(forms.CharField):
    """A text as long as its box lets it be: browsers count a line break as one character, and send two."""

    def to_python(self, value: Any) -> str:
        """The text with line breaks of one kind."""
        return str(super().to_python(value.replace("\r\n", "\n") if isinstance(value, str) else value))


class GradeForm(forms.Form):
    """What a grader ticked and marked. Which items there are is known only to who has the answer."""

    note = NoteField(required=False, max_length=LONGEST_NOTE)
    proposal = NoteField(label="What the reference should say", required=False, max_length=LONGEST_NOTE)
    seconds = forms.FloatField(required=False)
    answer = forms.IntegerField(required=False)

    def filled(self) -> Filled:
        """What was sent, to be shown again."""
        data = self._sent
        return Filled(
            ticks=frozenset(int(number) for number in data.getlist("item") if _is_number(number)),
            marks=frozenset(mark for mark in MARKS if mark in data),
            note=data.get("note", "")[:LONGEST_NOTE],
            proposal=data.get("proposal", "")[:LONGEST_NOTE],
        )

    def ticked(self, n_items: int) -> Ticked:
        """What was sent as a grade of an answer with *n_items*.

        Raises:
            NotGradedError: it names an item that is not there, or what was written cannot be kept.
        """
        for name in ("note", "proposal"):
            if self.errors.get(name):
                raise NotGradedError(f"{self[name].label}: {' '.join(map(str, self.errors[name]))}")
        numbers = self._sent.getlist("item")
        if not all(_is_number(number) and int(number) < n_items for number in numbers):
            raise NotGradedError("The items are not those of this answer. Load the page again.")
        on = {int(number) for number in numbers}
        return Ticked(tuple(number in on for number in range(n_items)), **{mark: mark in self._sent for mark in MARKS})

    @property
    def _sent(self) -> QueryDict:
        data = self.data
        return data if isinstance(data, QueryDict) else QueryDict()


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < 7


class FilesField(_FilesField):
    """A choice among the files of submissions, by system and setting."""

    def label_from_instance(self, obj: SubmissionFile) -> str:
        return f"{obj.submission.name}, {obj.setting.name.lower()} ({obj.n_answered:,} answers)"


class StudiesField(_StudiesField):
    """A choice among studies."""

    def label_from_instance(self, obj: Study) -> str:
        return obj.name


class GradersField(forms.CharField):
    """A list of accounts by their names."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(widget=forms.Textarea(attrs={"rows": 3}), max_length=20_000, **kwargs)

    def clean(self, value: Any) -> list[User]:
        """The accounts.

        Raises:
            ValidationError: there is no such account.
        """
        names = usernames(super().clean(value))
        found, unknown = accounts_named(names)
        if unknown:
            raise ValidationError(f"There is no account {', '.join(unknown[:10])}.")
        return found


class RoundForm(forms.Form):
    """A new round."""

    name = forms.CharField(max_length=200, validators=[require_seen], help_text="Graders see it: name no system in it.")
    studies = StudiesField(
        queryset=Study.objects.none(), required=False, widget=forms.CheckboxSelectMultiple, label="Answers of people"
    )
    systems = FilesField(
        queryset=SubmissionFile.objects.none(),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        label="Answers of systems",
    )
    selection = forms.ChoiceField(
        choices=Selection.choices, initial=Selection.ALL, widget=forms.RadioSelect, label="Which of these answers"
    )
    n_answers = forms.IntegerField(
        min_value=1, max_value=MOST_ANSWERS, required=False, label="How many answers", help_text="Where not all."
    )
    graders = GradersField(help_text="Names of accounts, one a line. They will see the reference answers of the split.")
    graders_per_answer = forms.IntegerField(min_value=1, max_value=20, initial=2, help_text="Where more than one.")
    shared_percent = forms.IntegerField(
        min_value=0, max_value=100, initial=100, label="Share graded by so many (%)", help_text="One grades the others."
    )
    n_calibration = forms.IntegerField(
        min_value=0,
        max_value=500,
        initial=10,
        label="Calibration answers",
        help_text="Besides the others. You give their grades first; graders get them at the start and in between.",
    )
    calibration_percent = forms.IntegerField(
        min_value=0,
        max_value=50,
        initial=10,
        label="Calibration answers in between (%)",
        help_text="Of what a grader gets after the first three, which are calibration answers too.",
    )
    shows_matches = forms.BooleanField(
        required=False, initial=True, label="Lightly mark in answers what the string metric finds"
    )
    mask_names = forms.BooleanField(required=False, initial=True, label="Mask the names of the systems in answers")
    masks = forms.CharField(
        required=False,
        max_length=10_000,
        widget=forms.Textarea(attrs={"rows": 2}),
        label="Mask these texts too",
        help_text="One a line, for example “as a language model trained by …”.",
    )
    guidelines = forms.CharField(max_length=50_000, widget=forms.Textarea(attrs={"rows": 8}))
    seed = forms.IntegerField(
        min_value=0, max_value=2**31 - 1, initial=0, help_text="The same seed gives the same draw."
    )

    def __init__(self, *args: Any, systems: Any, studies: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, queryset in (("systems", systems), ("studies", studies)):
            field = self.fields[name]
            if isinstance(field, forms.ModelMultipleChoiceField):
                field.queryset = queryset
            if not queryset:
                del self.fields[name]

    def clean(self) -> dict[str, Any]:
        """What does not fit together.

        Raises:
            ValidationError: by field.
        """
        cleaned: dict[str, Any] = super().clean() or {}
        if not cleaned.get("systems") and not cleaned.get("studies") and not self.errors:
            raise ValidationError("Choose whose answers are graded.")
        if cleaned.get("selection") not in (None, Selection.ALL) and not cleaned.get("n_answers"):
            self.add_error("n_answers", "Say how many answers to take.")
        graders: Sequence[User] = cleaned.get("graders") or []
        wanted = cleaned.get("graders_per_answer")
        if graders and wanted and wanted > len(graders):
            self.add_error("graders_per_answer", f"There are only {len(graders)} graders.")
        return cleaned


class SplitChoiceForm(forms.Form):
    """Of which split the answers are."""

    split = forms.ModelChoiceField(queryset=Split.objects.none())


class AddGradersForm(forms.Form):
    """More graders for a round."""

    graders = GradersField(label="Add graders", help_text="Names of accounts, one a line.")


class CorrectionForm(forms.Form):
    """What is decided about a reference answer that graders marked as wrong."""

    state = forms.ChoiceField(choices=CorrectionState.choices)
    answer = forms.CharField(required=False, max_length=100_000)
    note = forms.CharField(required=False, max_length=LONGEST_NOTE)

    def clean(self) -> dict[str, Any]:
        """The corrected answer is JSON that can be scored against.

        Raises:
            ValidationError: it is not.
        """
        cleaned: dict[str, Any] = super().clean() or {}
        if cleaned.get("state") != CorrectionState.ACCEPTED:
            cleaned["answer"] = ""
            return cleaned
        try:
            value = json.loads(cleaned.get("answer") or "")
            check_references([value])
            json.dumps(
                value, ensure_ascii=False
            ).encode()  # half a character can be written in JSON, and stored nowhere
        except UnusableReference as error:
            self.add_error("answer", f"This is no reference answer: {error.problems[0].what}.")
        except (ValueError, RecursionError):
            self.add_error("answer", 'Write the corrected answer as JSON, for example {"Mars": 2} or "Oslo".')
        else:
            if not all(map(_can_be_found, primitives(value))):
                self.add_error("answer", "A blank text, NaN and Infinity can be found in no answer.")
        return cleaned


def _can_be_found(primitive: Primitive) -> bool:
    value = primitive.value
    return bool(value.strip()) if isinstance(value, str) else not isinstance(value, float) or math.isfinite(value)
