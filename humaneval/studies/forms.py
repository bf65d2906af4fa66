"""Forms of the maintainers' pages of studies."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from django import forms
from django.core.exceptions import NON_FIELD_ERRORS, ValidationError
from django.core.validators import MaxLengthValidator, MaxValueValidator
from django.db.models import QuerySet
from django.forms.utils import pretty_name
from django.utils.html import format_html

from humaneval.models import Outcome, SamplingMethod, Study
from humaneval.models.exclusion_rules import HIGHEST, LOWEST, RULES
from humaneval.models.platforms import MAX_COMPLETION, validate_completion
from humaneval.studies.drawing import planned_questions
from humaneval.studies.form_fields import (
    ChecksField,
    GoodAnswersField,
    IdsField,
    LinesField,
    SettingField,
    moment_field,
)
from humaneval.studies.form_steps import FORM_FIELDS, NEW_FIELDS, STEPS, fields_of, step_url, step_with
from humaneval.studies.kinds import KINDS
from humaneval.studies.learning_forms import Entries
from humaneval.studies.planning import complete_plan
from humaneval.studies.services import RESERVED, RESERVED_SLUGS, SETTLED_FIELDS, practice_question
from leaderboard.board.lookup import default_board
from leaderboard.models import Entry
from leaderboard.web.visible_text import validate_visible_text
from scoring.models import Setting, Split

if TYPE_CHECKING:
    _StudyModelForm = forms.ModelForm[Study]
    _EntriesField = forms.ModelMultipleChoiceField[Entry]
else:
    _StudyModelForm = forms.ModelForm
    _EntriesField = forms.ModelMultipleChoiceField

MAX_SEATS: Final = 10_000
MAX_QUESTIONS: Final = 200
MAX_PLANNED: Final = 20_000
TWO_OF_THREE: Final = (
    "Give two of: answers for each question, questions of a participant, maximum number of participants. The third "
    "follows."
)
PLAN: Final = ("answers_per_question", "questions_per_participant", "seats")
"""Of a plan, any two give the third."""
ENTRIES_CHANGED: Final = (
    "Entries were added or deleted meanwhile, perhaps in another tab. Open this page anew in another tab, and copy "
    "there what you wrote here."
)
PLANNED_OF: Final = ("drawing", "split", "seed", "question_ids", "attention_checks")
"""What else a plan depends on."""
MAX_PAIR_QUESTIONS: Final = 20_000
MAX_TEXT: Final = 20_000
MAX_SEED: Final = 2**31 - 1
TEXTS: Final = ("consent_text", "instructions", "reward_note")


COMPLETION_HELP: Final = (
    "For the platform: an https:// address, as from Prolific, or a code. On Mechanical Turk, leave this empty to give "
    "each participant a code."
)


def _completion_field(outcome: Outcome) -> forms.CharField:
    return forms.CharField(
        label=f"{outcome.label}: address or code",
        help_text=COMPLETION_HELP if outcome == Outcome.DONE else "",
        required=False,
        max_length=MAX_COMPLETION,
        validators=[validate_completion],
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )


def _rule_field(rule: str, label: str) -> forms.IntegerField:
    return forms.IntegerField(
        label=label,
        required=False,
        min_value=LOWEST[rule],
        max_value=HIGHEST[rule],
    )


class Part(NamedTuple):
    """Fields of a page with their title."""

    title: str
    help: str
    fields: list[forms.BoundField]


class StudyForm(_StudyModelForm):
    """One step of the form of a study, or its first page. It validates; a service saves."""

    split = forms.ModelChoiceField(
        queryset=Split.objects.none(), empty_label=None, help_text="The questions that the study is about."
    )
    setting = SettingField(
        queryset=Setting.objects.none(),
        empty_label=None,
        help_text="The answers are compared with those of systems in this setting.",
    )
    slug = forms.SlugField(
        label="Name in URLs",
        max_length=80,
        required=False,
        help_text="Used in the study’s URLs. Leave empty to make it from the name.",
    )
    question_ids = IdsField(
        label="List of questions",
        required=False,
        max_length=MAX_TEXT,
        widget=forms.Textarea(attrs={"rows": 3, "spellcheck": "false"}),
        help_text="Question IDs, one per line. Only used for a fixed list or a plan.",
    )
    n_planned = forms.IntegerField(
        label="Questions of the plan",
        required=False,
        min_value=1,
        max_value=MAX_PLANNED,
        help_text="Number of questions to draw, in proportion from each category. Only used for a plan. Leave empty "
        "for the questions listed below, or for all.",
    )
    attention_checks = ChecksField(
        required=False,
        max_length=MAX_TEXT,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="One per line, followed by =&gt; and the accepted answers, separated by |. They are among the "
        "questions of a participant, so write them like questions, with the instruction inside. For example: “Which "
        "five rivers of Europe are the longest, and through how many countries does each flow? Instead of an answer, "
        "please write the word blue. =&gt; blue | azure”.",
    )
    practice = forms.CharField(
        label="Practice question",
        required=False,
        max_length=64,
        help_text="ID of a question with a public reference answer. Leave empty to use the first such question.",
    )
    completion_done = _completion_field(Outcome.DONE)
    completion_failed_checks = _completion_field(Outcome.FAILED_CHECKS)
    completion_screened_out = _completion_field(Outcome.SCREENED_OUT)
    completion_timed_out = _completion_field(Outcome.TIMED_OUT)
    exclude_checks = _rule_field("checks", "Failed checks: this number or more")
    exclude_seconds = _rule_field("seconds", "Median time per question: less than this (seconds)")
    exclude_percent = _rule_field("percent", "Finished questions: less than this (%)")
    exclude_same = _rule_field("same", "Same answer to all questions: this number or more")
    exclude_outcome = forms.BooleanField(label="Study not finished", required=False)
    opens_at = moment_field(
        label="Opens", required=False, help_text="If empty, the study remains a draft, which nobody can join."
    )
    closes_at = moment_field(label="Closes", required=False)

    class Meta:
        model = Study
        fields = FORM_FIELDS
        labels = {
            "drawing": "Question sampling",
            "release_hours": "Release seats after",
            "duration": "Duration",
            "on_withdrawal": "If a participant withdraws, their answers are",
            "on_named": "Choices, votes and ratings on answers that told who wrote them are",
        }
        widgets = {
            "kind": forms.RadioSelect,
            "drawing": forms.RadioSelect,
            "consent_text": forms.Textarea(attrs={"rows": 9}),
            "instructions": forms.Textarea(attrs={"rows": 9}),
            "reward_note": forms.Textarea(attrs={"rows": 2}),
        }
        help_texts = {
            "kind": "The type cannot be changed later.",
            "name": "Participants see this name.",
            "questions_per_participant": "With the attention checks. In the benchmark's paper, each participant "
            "answered 10.",
            "seats": "Maximum number of participants. For a plan, leave this, the questions per participant or the "
            "answers per question empty: it follows from the other two.",
            "consent_text": "Participants must agree to this text before they start. Each change creates a "
            "numbered version, which participants who have not finished must agree to before they go on.",
            "on_withdrawal": "The consent text must state this too.",
            "on_named": "Participants who compare, check or rate have the button “This answer told me who wrote it”.",
            "reward_note": "What participants receive, if anything. Shown in the instructions and on the final page.",
            "platform": "Shared links then work only for people who come from the platform. The page Invitations says "
            "what to add to the link.",
        }

    def __init__(
        self, *args: Any, may_choose_source: bool, begun: bool = False, step: str | None = None, **kwargs: Any
    ) -> None:
        """
        Args:
            may_choose_source: whether the encyclopedia can be chosen: the server connects to that address.
            begun: whether questions were assigned to participants, so that what they were given cannot be changed.
            step: the step of `STEPS` whose fields the form has; None for a new study.
        """
        super().__init__(*args, **kwargs)
        self.following: dict[str, Any] = {}
        """Values of columns that the form has no field for, and that follow from its values."""
        self.begun = begun
        self.step = step
        has_entries = step == "learning" and KINDS[self.instance.kind].learning_questions(self.instance)
        self.entries = (
            Entries(self.data if self.is_bound else None, self.instance, begun=begun) if has_entries else None
        )
        self._keep_fields(fields_of(step, self.instance.kind) if step else NEW_FIELDS)
        if not may_choose_source:
            self.fields.pop("encyclopedia", None)
        if step is None:
            board = default_board()
            if board is not None:
                self.fields["split"].initial, self.fields["setting"].initial = board
        elif "practice" in self.fields and self.instance.practice_question is not None:
            self.fields["practice"].initial = self.instance.practice_question.qid
        stored = {f"completion_{name}": value for name, value in self.instance.completions.items()}
        stored |= {f"exclude_{rule}": number for rule, number in self.instance.exclusion_rules.items()}
        for name in stored.keys() & self.fields:
            self.fields[name].initial = stored[name]
        if begun:
            settled = {"practice", "n_planned", *SETTLED_FIELDS, *(f"exclude_{rule}" for rule in RULES)}
            for name in settled.intersection(self.fields):
                self.fields[name].disabled = True

    def _keep_fields(self, names: Sequence[str]) -> None:
        """Leave only some fields, in this order, with the limits and choices that the site and the type set."""
        splits = Split.objects.filter(current_revision__isnull=False).select_related("benchmark")
        self.fields["split"].queryset = splits  # type: ignore[attr-defined]
        self.fields["setting"].queryset = Setting.objects.select_related("benchmark")  # type: ignore[attr-defined]
        kind = KINDS[self.instance.kind]
        drawings = {*kind.drawings, self.instance.drawing}
        self.fields["drawing"].choices = [  # type: ignore[attr-defined]
            choice for choice in SamplingMethod.choices if choice[0] in drawings
        ]
        for name, most in (("seats", MAX_SEATS), ("questions_per_participant", MAX_QUESTIONS), ("seed", MAX_SEED)):
            self.fields[name].validators.append(MaxValueValidator(most))
            self.fields[name].widget.attrs["max"] = most
        drawing = self.data.get("drawing", self.instance.drawing)
        if kind.writes_answers and drawing == SamplingMethod.PLANNED:
            for name in PLAN:  # one may follow from the others
                self.fields[name].required = False
        if not kind.writes_answers:
            self.fields["seats"].help_text = "Maximum number of participants; a plan sets its own."
            self.fields["questions_per_participant"].help_text = f"Number of {kind.unit}s that each is asked about."
        for name in TEXTS:
            self.fields[name].validators.append(MaxLengthValidator(MAX_TEXT))
        self.fields["name"].validators.append(validate_visible_text)
        self.fields = {name: self.fields[name] for name in names}

    def add_error(self, field: str | None, error: Any) -> None:
        """Report a problem; if its field is in another step, with a link to it."""
        problems = {field: error}
        if field is None and isinstance(error, ValidationError) and hasattr(error, "error_dict"):
            problems = {None if name == NON_FIELD_ERRORS else name: texts for name, texts in error.error_dict.items()}
        for name, problem in problems.items():
            if name == "practice_question":
                name = "practice"
            step = step_with(name, self.instance.kind) if name and name not in self.fields else ""
            if name is None or name in self.fields:
                super().add_error(name, problem)
            elif self.instance.pk and step:
                url, label = step_url(self.instance, step, name), self.base_fields[name].label or pretty_name(name)
                for text in ValidationError(problem).messages:
                    text_with_link = format_html('{}, <a href="{}">{}</a>: {}', STEPS[step].title, url, label, text)
                    super().add_error(None, ValidationError(text_with_link))
            else:
                super().add_error(None, ValidationError(problem).messages)

    def clean_name(self) -> str:
        return " ".join(self.cleaned_data["name"].split())

    def clean_slug(self) -> str:
        slug: str = self.cleaned_data["slug"]
        if slug in RESERVED_SLUGS:
            raise ValidationError(RESERVED.format(slug))
        return slug

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        for name in TEXTS:
            if name in cleaned:
                # Browsers send other line breaks; a text that differs only in line breaks is the same text.
                text = str(cleaned[name]).replace("\r\n", "\n").strip()
                before = str(getattr(self.instance, name))
                cleaned[name] = before if text == before.strip() else text
        if self.begun:
            return cleaned
        if "kind" in self.fields:
            self._follow_kind(cleaned)
        else:
            self._complete_plan(cleaned)
        for name, value in self.following.items():
            setattr(self.instance, name, value)
        if self.entries is not None:
            for field, where, text in self.entries.problems(cleaned.get("test_attempts") or 1):
                if field is not None:
                    url = f"#{field.id_for_label or field.auto_id}"
                    text = format_html('<a href="{}">{}</a>: {}', url, where, text)
                self.add_error(None, ValidationError(text))
            if not self.errors and self.entries.is_outdated:
                self.add_error(None, ENTRIES_CHANGED)
        if "practice" in self.fields:
            qid, split = cleaned.get("practice", "").strip(), cleaned.get("split")
            question = practice_question(split, qid) if qid and split is not None else None
            self.following["practice_question"] = question
            if qid and split is not None and question is None:
                self.add_error("practice", f"No split of {split.benchmark} with public answers has a question {qid}.")
        return cleaned

    def _follow_kind(self, cleaned: dict[str, Any]) -> None:
        """Set what a new study begins with: the type's sampling, and no more questions than there are."""
        split, kind = cleaned.get("split"), cleaned.get("kind")
        if self.errors or split is None or kind is None:
            return
        self.following = {"drawing": KINDS[kind].drawings[0], "seed": secrets.randbelow(1_000_000)}
        if KINDS[kind].writes_answers:
            n_questions = max(split.current_revision.questions.count(), 1)
            self.following["questions_per_participant"] = min(self.instance.questions_per_participant, n_questions)

    def _complete_plan(self, cleaned: dict[str, Any]) -> None:
        """Draw the questions of a plan, and fill in the number that follows from the others; report what is missing.
        In the other steps, the number of participants follows."""
        stored = {name: getattr(self.instance, name) for name in (*PLAN, *PLANNED_OF) if name not in self.fields}
        values = stored | cleaned
        if values.get("drawing") != SamplingMethod.PLANNED or not KINDS[self.instance.kind].writes_answers:
            return
        if "seats" in self.fields:
            missing = [name for name in PLAN if values.get(name) is None and name not in self.errors]
            if len(missing) > 1:
                for name in missing:
                    self.add_error(name, TWO_OF_THREE)
                return
        elif all(values.get(name) == getattr(self.instance, name) for name in PLANNED_OF):
            return
        else:
            values["seats"], missing = None, ["seats"]
        split = values.get("split")
        if self.errors or split is None:
            return
        if cleaned.get("n_planned"):
            cleaned["question_ids"] = planned_questions(split, cleaned["n_planned"], values["seed"])
            values["question_ids"] = cleaned["question_ids"]
        n_questions = len(values["question_ids"]) or split.current_revision.questions.count()
        n_checks = len(values["attention_checks"])
        overlap, per_person, people = (values[name] for name in PLAN)
        try:
            plan = complete_plan(n_questions, overlap, per_person and per_person - n_checks, people)
        except ValueError as error:
            self.add_error(missing[0] if missing else "seats", str(error))
            return
        numbers = dict(zip(PLAN, (plan[0], plan[1] + n_checks, plan[2]), strict=True))
        if "seats" in self.fields:
            cleaned |= numbers
        else:
            self.following["seats"] = numbers["seats"]

    def parts(self) -> list[Part]:
        step = STEPS[self.step] if self.step else None
        last = [self[name] for name in self.fields if step and name in step.group_fields]
        first = [self[name] for name in self.fields if not step or name not in step.group_fields]
        return [Part("", "", first), *([Part(step.group, step.group_help, last)] if step and last else [])]

    def columns(self) -> dict[str, Any]:
        """The submitted values and what follows from them, by the names of the study's columns."""
        parts = ("completion_", "exclude_")
        submitted = {
            name: value
            for name, value in self.cleaned_data.items()
            if name not in ("practice", "n_planned") and not name.startswith(parts)
        }
        for column, part in zip(("completions", "exclusion_rules"), parts, strict=True):
            own = {name.removeprefix(part): value for name, value in self.cleaned_data.items() if name.startswith(part)}
            if own:
                stated = {name: value if isinstance(value, str) else int(value) for name, value in own.items() if value}
                submitted[column] = stated
        if self.entries is not None and not self.begun:
            submitted["learning"] = self.entries.entries
        return submitted | self.following


class DeleteStudyForm(forms.Form):
    """Deleting a study: its slug is typed as confirmation."""

    reason = forms.CharField(max_length=400, help_text="The reason appears in the audit log. Do not name participants.")
    slug = forms.CharField(max_length=80, widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}))

    def __init__(self, *args: Any, study: Study, **options: Any) -> None:
        super().__init__(*args, **options)
        self.study = study
        self.fields["slug"].label = f"Enter {study.slug} to confirm"

    def clean_slug(self) -> str:
        typed = str(self.cleaned_data["slug"]).strip()
        if typed != self.study.slug:
            raise ValidationError(f"Enter “{self.study.slug}” exactly.")
        return typed


class _SystemsField(_EntriesField):
    """Rows of a board, by the names of their systems."""

    def label_from_instance(self, obj: Any) -> str:
        return str(obj.system.name)


class PairsForm(forms.Form):
    """The systems to compare side by side, and on how many questions."""

    systems = _SystemsField(
        queryset=Entry.objects.none(),
        widget=forms.CheckboxSelectMultiple,
        help_text="Systems on the leaderboard of the study's split and setting. Each two of them are compared.",
    )
    n_questions = forms.IntegerField(
        label="Questions",
        min_value=2,
        max_value=MAX_PAIR_QUESTIONS,
        initial=50,
        help_text="Drawn at random, with the study's seed, from those that every chosen system answered.",
    )

    masks = LinesField(
        label="Other texts to mask",
        required=False,
        max_length=MAX_TEXT,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="Besides what the systems and their models are called. One per line; a text that ends in … is masked "
        "only where it is the name of a model.",
    )
    good = GoodAnswersField(
        label="Answers known to be good",
        required=False,
        max_length=MAX_TEXT,
        widget=forms.Textarea(attrs={"rows": 3, "spellcheck": "false"}),
        help_text="Attention checks are made of these first, and of answers that grading rounds found right. One per "
        "line: a question’s ID, if the answers of all systems to it are good, or the ID, =&gt; and a system.",
    )

    def __init__(self, *args: Any, entries: QuerySet[Entry], **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["systems"].queryset = entries  # type: ignore[attr-defined]


class ExportForm(forms.Form):
    """The contents of an export."""

    with_contacts = forms.BooleanField(
        label="Include email addresses and receipts",
        required=False,
        help_text="The export then identifies participants. Do not share it, and delete it when you no longer need it.",
    )
