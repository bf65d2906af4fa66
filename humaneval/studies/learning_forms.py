"""The form of a study's examples, practice and test: a form for each entry, and an empty one at the end."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from django import forms
from django.forms.formsets import formset_factory

from humaneval.models import Study
from humaneval.studies.form_fields import LinesField
from humaneval.studies.kinds import KINDS
from humaneval.studies.kinds.base import LearningQuestion
from scoring.models import Question

USES: Final = (("example", "Worked example"), ("practice", "Practice"), ("test", "Test"))
MOST: Final = 50
LONGEST: Final = 20_000
PREFIX: Final = "entries"
IS_HIDDEN: Final = "This is a question of a hidden split, whose answers people must not see. Write another one."


class EntryForm(forms.Form):
    """One entry: what it is for, its texts, what is right, and why."""

    use = forms.ChoiceField(choices=USES, initial=USES[0][0])  # what browsers send of an entry that nobody wrote

    def __init__(self, *args: Any, study: Study, **options: Any) -> None:
        super().__init__(*args, **options)
        kind = KINDS[study.kind]
        self.texts = (*kind.learning_texts, "why")
        self.questions = kind.learning_questions(study)
        for name, label in kind.learning_texts.items():
            self.fields[name] = _text_field(label)
        for asked in self.questions:
            self.fields[_field_of(asked)] = _expected_field(asked)
        self.fields["why"] = _text_field("Why", "People read it beside the right answer; not in the test.")

    @property
    def entry(self) -> dict[str, Any]:
        said = self.cleaned_data
        expected = {asked.name: said[_field_of(asked)] for asked in self.questions}
        texts = {name: said[name].replace("\r\n", "\n") for name in self.texts}
        return {"use": said["use"], **texts, "expected": expected.get("", expected)}


if TYPE_CHECKING:
    _Formset = forms.BaseFormSet[EntryForm]
else:
    _Formset = forms.BaseFormSet


class BaseEntries(_Formset):
    """The entries of a study."""

    def __init__(self, data: Mapping[str, Any] | None, study: Study, *, begun: bool = False) -> None:
        """
        Args:
            begun: whether questions were assigned to participants, so that nothing is added.
        """
        self.study = study
        # What is sent is complete: a new entry that is sent twice is no unchanged one.
        initial = [fields_of_entry(study, entry) for entry in study.learning] if data is None else None
        super().__init__(data, prefix=PREFIX, initial=initial, form_kwargs={"study": study})
        self.extra = 0 if begun else 1

    def clean(self) -> None:
        """Refuse questions of hidden splits."""
        asked = {form: text.strip() for form in self.forms if (text := form.cleaned_data.get("question"))}
        hidden = Question.objects.filter(
            revision__split__benchmark=self.study.split.benchmark_id,
            revision__split__hidden=True,
            text__in=asked.values(),
        )
        taken = set(hidden.values_list("text", flat=True)) if asked else set()
        for form, text in asked.items():
            if text in taken:
                form.add_error("question", IS_HIDDEN)

    @property
    def entries(self) -> list[dict[str, Any]]:
        return [form.entry for form in self.ordered_forms]

    @property
    def is_outdated(self) -> bool:
        """Whether valid entries would replace others than those that the page showed: saving them would delete some."""
        stored = self.study.learning
        return len(self.initial_forms) != len(stored) and self.entries != stored

    def problems(self, attempts: int) -> Iterator[tuple[forms.BoundField | None, str, str]]:
        """What is wrong: the field, its entry and label, and the problem; of the whole, the problem alone."""
        is_valid = self.is_valid()
        for number, form in enumerate(self.forms, start=1):
            for field in form if not form.cleaned_data.get("DELETE") else ():
                yield from ((field, f"Entry {number}, {field.label}", str(text)) for text in field.errors)
        yield from ((None, "", str(text)) for text in self.non_form_errors())
        if not is_valid:
            return
        n_tests = sum(entry["use"] == "test" for entry in self.entries)
        if n_tests % attempts:
            yield None, "", f"Two attempts need an even number of entries for the test; there are {n_tests}."
        n_known = self.study.items.filter(is_qualification=True).count()
        if n_known and n_known < (n_needed := attempts * self.study.n_qualification):
            yield None, "", f"Two attempts need {n_needed} loaded qualification items; there are {n_known}."


Entries: type[BaseEntries] = formset_factory(  # type: ignore[assignment]
    EntryForm,
    formset=BaseEntries,
    max_num=MOST,
    validate_max=True,
    can_order=True,
    can_delete=True,
    can_delete_extra=False,
)


def entries_from(study: Study, content: Any) -> BaseEntries:
    """The filled form with the entries of a file.

    Raises:
        ValueError: it is no list of objects, or an object has a key that no entry has, or it is not declared yet what
            the study asks.
    """
    if not KINDS[study.kind].learning_questions(study):
        raise ValueError("Load the declaration of the questions too.")
    names = {"use", "expected", "why", *KINDS[study.kind].learning_texts}
    if not isinstance(content, list) or not all(
        isinstance(entry, dict) and names.issuperset(entry) for entry in content
    ):
        raise ValueError(f"Write a list of objects with {', '.join(sorted(names))}.")
    data: dict[str, Any] = {f"{PREFIX}-TOTAL_FORMS": len(content), f"{PREFIX}-INITIAL_FORMS": len(content)}
    for number, entry in enumerate(content):
        data |= {f"{PREFIX}-{number}-{name}": value for name, value in fields_of_entry(study, entry).items()}
    return Entries(data, study)


def fields_of_entry(study: Study, entry: Mapping[str, Any]) -> dict[str, Any]:
    """An entry as the fields of its form have it."""
    fields = {name: value for name, value in entry.items() if name != "expected"}
    expected = entry.get("expected")
    for asked in KINDS[study.kind].learning_questions(study):
        right = expected.get(asked.name) if isinstance(expected, dict) else expected
        if isinstance(right, list) and not asked.options:
            right = "\n".join(map(str, right))
        fields[_field_of(asked)] = right
    return fields


def _text_field(label: str, help_text: str = "") -> forms.CharField:
    return forms.CharField(
        label=label, help_text=help_text, max_length=LONGEST, widget=forms.Textarea(attrs={"rows": 2, "dir": "auto"})
    )


def _field_of(asked: LearningQuestion) -> str:
    return f"expected-{asked.name}"


def _expected_field(asked: LearningQuestion) -> forms.Field:
    if asked.options:
        return forms.MultipleChoiceField(
            label=f"Right: {asked.text}",
            choices=asked.options,
            widget=forms.CheckboxSelectMultiple,
            help_text="Tick every answer that is right.",
        )
    return LinesField(
        label="Right answers",
        max_length=LONGEST,
        widget=forms.Textarea(attrs={"rows": 2, "dir": "auto"}),
        help_text="Every answer that is right, one per line; compared as attention checks are.",
    )
