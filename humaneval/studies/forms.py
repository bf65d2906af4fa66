"""Forms of the maintainers' pages of studies."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Any, Final

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import MaxLengthValidator, MaxValueValidator
from django.db.models import QuerySet

from humaneval.models import Kind, OnNamed, Outcome, SamplingMethod, Study, Withdrawal
from humaneval.models.exclusion_rules import HIGHEST, LOWEST, RULES
from humaneval.models.platforms import MAX_COMPLETION, validate_completion
from humaneval.models.studies import STATEMENT
from humaneval.studies.drawing import planned_questions
from humaneval.studies.form_fields import (
    ChecksField,
    GoodAnswersField,
    IdsField,
    LinesField,
    SettingField,
    moment_field,
)
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
REQUIRED: Final = "This field is required."
TWO_OF_THREE: Final = (
    "Give two of: answers for each question, questions of a participant, maximum number of participants. The third "
    "follows."
)
PLAN: Final = ("answers_per_question", "questions_per_participant", "seats")
"""Of a plan, any two give the third."""
MAX_PAIR_QUESTIONS: Final = 20_000
MAX_TEXT: Final = 20_000
MAX_SEED: Final = 2**31 - 1
ITEM_FIELDS: Final = ("n_qualification", "qualification_share", "injected_share", "checked_share")
TEXTS: Final = ("consent_text", "instructions", "reward_note")


def _completion_field(outcome: Outcome) -> forms.CharField:
    return forms.CharField(
        label=f"{outcome.label}: address or code",
        required=False,
        max_length=MAX_COMPLETION,
        validators=[validate_completion],
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )


def _rule_field(rule: str, label: str) -> forms.IntegerField:
    return forms.IntegerField(label=label, required=False, min_value=LOWEST[rule], max_value=HIGHEST[rule])


class StudyForm(_StudyModelForm):
    """The form of a study. It validates; a service saves."""

    kind = forms.ChoiceField(
        label="Type",
        choices=Kind.choices,
        widget=forms.RadioSelect,
        initial=Kind.ANSWER,
        required=False,
        help_text="Consent text and instructions that you leave empty are those of the type.",
    )
    split = forms.ModelChoiceField(
        queryset=Split.objects.none(), empty_label=None, help_text="The questions that participants answer."
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
    drawing = forms.ChoiceField(
        label="Question sampling",
        choices=SamplingMethod.choices,
        widget=forms.RadioSelect,
        initial=SamplingMethod.RANDOM,
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
        help_text="Only used for planned sampling of a split's questions: so many are drawn with the seed, from each "
        "category in proportion. Leave empty for the questions listed below, or for all.",
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
    on_withdrawal = forms.ChoiceField(
        label="If a participant withdraws, their answers are",
        choices=Withdrawal.choices,
        help_text="The consent text must state this too.",
    )
    on_named = forms.ChoiceField(
        label="Choices, votes and ratings on answers that told who wrote them are",
        choices=OnNamed.choices,
        initial=OnNamed.LEAVE_OUT,
        required=False,
        help_text="Participants who compare, check or rate have the button “This answer told me who wrote it”.",
    )
    completion_done = _completion_field(Outcome.DONE)
    completion_failed_checks = _completion_field(Outcome.FAILED_CHECKS)
    completion_screened_out = _completion_field(Outcome.SCREENED_OUT)
    completion_timed_out = _completion_field(Outcome.TIMED_OUT)
    exclude_checks = _rule_field("checks", "Failed checks, at least")
    exclude_seconds = _rule_field("seconds", "Median seconds of a question, below")
    exclude_percent = _rule_field("percent", "Finished per cent of the questions, below")
    exclude_same = _rule_field("same", "The same answer to all questions, at least")
    exclude_outcome = forms.BooleanField(label="Participants who did not finish", required=False)
    opens_at = moment_field(label="Opens", required=False)
    closes_at = moment_field(label="Closes", required=False)

    class Meta:
        model = Study
        fields = (
            *("kind", *ITEM_FIELDS, "name", "slug", "split", "setting", "questions_per_participant", "drawing", "seed"),
            *("answers_per_question", "question_ids", "attention_checks", "consent_text", "instructions"),
            *(*STATEMENT, "asks_publication"),
            *(
                "on_withdrawal",
                "encyclopedia",
                "counts_unfinished",
                "on_named",
                "on_shared_computer",
                "seats",
                "release_hours",
                "reward_note",
            ),
            *("opens_at", "closes_at"),
            *("platform", "time_limit", "pay", "currency"),
        )
        widgets = {
            "consent_text": forms.Textarea(attrs={"rows": 9}),
            "instructions": forms.Textarea(attrs={"rows": 9}),
            "reward_note": forms.Textarea(attrs={"rows": 2}),
        }
        help_texts = {
            "name": "Participants see this name.",
            "questions_per_participant": "With the attention checks. In the benchmark's paper, each participant "
            "answered 10.",
            "answers_per_question": "Target number of answers for each question. Only used for balanced and planned "
            "sampling.",
            "seed": "The same seed selects the same questions.",
            "seats": "Maximum number of participants. With planned sampling of a split's questions, leave this, the "
            "questions of a participant, or the answers for each question empty: it follows from the other two.",
            "consent_text": "Participants must agree to this text before they start. Each change creates a "
            "numbered version, which participants who have not finished must agree to before they go on.",
            "reward_note": "What participants receive, if anything. Shown in the instructions and on the final page.",
            "platform": "Whoever opens a shared link must then come from there, with an ID in it. Add to the "
            "link, on Prolific: ?PROLIFIC_PID={{%PROLIFIC_PID%}}&amp;STUDY_ID={{%STUDY_ID%}}&amp;SESSION_ID="
            "{{%SESSION_ID%}}; on Mechanical Turk: ?workerId=…&amp;assignmentId=…&amp;hitId=….",
            "encyclopedia": "Address of the encyclopedia: zim:/path or "
            "mediawiki:https://…#date=2023-11-20. Leave empty to use the site's encyclopedia.",
        }

    def __init__(self, *args: Any, may_choose_source: bool, begun: bool = False, **kwargs: Any) -> None:
        """
        Args:
            may_choose_source: whether the encyclopedia can be chosen: the server connects to that address.
            begun: whether questions were assigned to participants, so that what they were given cannot be changed.
        """
        super().__init__(*args, **kwargs)
        splits = Split.objects.filter(current_revision__isnull=False).select_related("benchmark")
        self.fields["split"].queryset = splits  # type: ignore[attr-defined]
        self.fields["setting"].queryset = Setting.objects.select_related("benchmark")  # type: ignore[attr-defined]
        for name, most in (("seats", MAX_SEATS), ("questions_per_participant", MAX_QUESTIONS), ("seed", MAX_SEED)):
            self.fields[name].validators.append(MaxValueValidator(most))
            self.fields[name].widget.attrs["max"] = most
        for name in (*ITEM_FIELDS, *PLAN):  # only for some types of study, and of sampling
            self.fields[name].required = False
        for name in TEXTS:
            self.fields[name].validators.append(MaxLengthValidator(MAX_TEXT))
        self.fields["name"].validators.append(validate_visible_text)
        for name in ("opens_at", "closes_at"):
            self.fields[name].help_text = f"Time zone: {settings.TIME_ZONE}."
        self.fields[
            "opens_at"
        ].help_text = f"Time zone: {settings.TIME_ZONE}. If empty, the study remains a draft, which nobody can join."
        if not may_choose_source:
            del self.fields["encyclopedia"]
        self.begun = begun
        if self.instance._state.adding:
            self.fields["consent_text"].required = self.fields["instructions"].required = False
            self.fields["seed"].initial = secrets.randbelow(1_000_000)
            board = default_board()
            if board is not None:
                self.fields["split"].initial, self.fields["setting"].initial = board
        else:
            del self.fields["slug"]  # links have been sent out
            if self.instance.practice_question is not None:
                self.fields["practice"].initial = self.instance.practice_question.qid
        for name, value in self.instance.completions.items():
            self.fields[f"completion_{name}"].initial = value
        for rule, number in self.instance.exclusion_rules.items():
            self.fields[f"exclude_{rule}"].initial = number
        if begun:
            for name in ("practice", *SETTLED_FIELDS, *(f"exclude_{rule}" for rule in RULES)):
                if name in self.fields:
                    self.fields[name].disabled = True

    def clean_name(self) -> str:
        """The name on one line."""
        return " ".join(self.cleaned_data["name"].split())

    def clean_slug(self) -> str:
        """A slug that is free and not reserved by the site."""
        slug: str = self.cleaned_data["slug"]
        if slug in RESERVED_SLUGS:
            raise ValidationError(RESERVED.format(slug))
        return slug

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        for name in TEXTS:
            # Browsers send other line breaks; a text that differs only in line breaks is the same text.
            text = str(cleaned.get(name, "")).replace("\r\n", "\n").strip()
            before = str(getattr(self.instance, name))
            cleaned[name] = before if text == before.strip() else text
        for name in ("kind", "on_named", *ITEM_FIELDS):
            if cleaned.get(name) in (None, "") and name not in self.errors:
                cleaned[name] = getattr(self.instance, name)
        if self.begun:
            cleaned["practice_question"] = self.instance.practice_question
            return cleaned
        self._complete_plan(cleaned)
        qid, split = cleaned.get("practice", "").strip(), cleaned.get("split")
        cleaned["practice_question"] = None
        if qid and split is not None:
            cleaned["practice_question"] = practice_question(split, qid)
            if cleaned["practice_question"] is None:
                self.add_error("practice", f"No split of {split.benchmark} with public answers has a question {qid}.")
        return cleaned

    def _complete_plan(self, cleaned: dict[str, Any]) -> None:
        """Draw the questions of a plan, and fill in the number that follows from the others; report what is missing."""
        is_plan = cleaned.get("drawing") == SamplingMethod.PLANNED and cleaned.get("kind") == Kind.ANSWER
        missing = [name for name in PLAN if cleaned.get(name) is None and name not in self.errors]
        if not is_plan or len(missing) > 1:
            for name in missing:
                self.add_error(name, TWO_OF_THREE if is_plan else REQUIRED)
            return
        split = cleaned.get("split")
        if self.errors or split is None:
            return
        if cleaned["n_planned"]:
            cleaned["question_ids"] = planned_questions(split, cleaned["n_planned"], cleaned["seed"])
        n_questions = len(cleaned["question_ids"]) or split.current_revision.questions.count()
        n_checks = len(cleaned["attention_checks"])
        overlap, per_person, people = (cleaned[name] for name in PLAN)
        try:
            plan = complete_plan(n_questions, overlap, per_person and per_person - n_checks, people)
        except ValueError as error:
            self.add_error(missing[0] if missing else "seats", str(error))
        else:
            cleaned |= dict(zip(PLAN, (plan[0], plan[1] + n_checks, plan[2]), strict=True))

    def columns(self) -> dict[str, Any]:
        """The submitted values, by the names of the study's columns."""
        completions = {name: self.cleaned_data[f"completion_{name}"] for name in Outcome.values}
        rules = {rule: self.cleaned_data[f"exclude_{rule}"] for rule in RULES}
        columns = {
            name: value
            for name, value in self.cleaned_data.items()
            if name not in ("practice", "n_planned") and not name.startswith(("completion_", "exclude_"))
        }
        return {
            **columns,
            "completions": {name: value for name, value in completions.items() if value},
            "exclusion_rules": {rule: int(number) for rule, number in rules.items() if number},
        }


class DeleteStudyForm(forms.Form):
    """Deleting a study: its slug is typed as confirmation."""

    reason = forms.CharField(max_length=400, help_text="The reason appears in the audit log. Do not name participants.")
    slug = forms.CharField(max_length=80, widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}))

    def __init__(self, *args: Any, study: Study, **options: Any) -> None:
        super().__init__(*args, **options)
        self.study = study
        self.fields["slug"].label = f"Enter {study.slug} to confirm"

    def clean_slug(self) -> str:
        """Check that the typed slug matches exactly."""
        typed = str(self.cleaned_data["slug"]).strip()
        if typed != self.study.slug:
            raise ValidationError(f"Enter “{self.study.slug}” exactly.")
        return typed


class _SystemsField(_EntriesField):
    """Rows of a board, by the names of their systems."""

    def label_from_instance(self, obj: Any) -> str:
        """The system's name."""
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
        """
        Args:
            entries: the rows to choose from.
        """
        super().__init__(*args, **options)
        self.fields["systems"].queryset = entries  # type: ignore[attr-defined]


class ExportForm(forms.Form):
    """The contents of an export."""

    with_contacts = forms.BooleanField(
        label="Include email addresses and receipts",
        required=False,
        help_text="The export then identifies participants. Do not share it, and delete it when you no longer need it.",
    )
