"""Forms of a round: a new one, and its graders."""

import re
from collections.abc import Sequence
from typing import Any, Final, Self

from django import forms
from django.core.exceptions import ValidationError
from django.db.models import Q, QuerySet
from django.http import QueryDict

from humaneval.grading.rounds.selection import ALL_SHARED, MOST_ANSWERS, NUMBER_NEEDED, TWO_OF_THREE
from humaneval.grading.rounds.services import masks_for
from humaneval.models import GradingRound, OnNamed, Selection, Study
from humaneval.studies.form_fields import LinesField
from leaderboard.models import SubmissionFile, User
from leaderboard.web.visible_text import validate_visible_text
from scoring.generations.keys import first_in_words
from scoring.models import Revision

MOST_SHOWN: Final = 100
"""The most files listed at once that are not ticked."""
PLAN: Final = ("graders_per_answer", "answers_per_grader", "n_graders")
"""The numbers of a plan, of which any two give the third."""
NO_NUMBER: Final = "Enter a number, or a plan with the other two."


class FilesField(forms.ModelMultipleChoiceField):  # type: ignore[type-arg] # no argument when it runs
    """A choice of submission files, by system and setting."""

    def label_from_instance(self, obj: SubmissionFile) -> str:
        where = f"{obj.setting.name.lower()}{first_in_words(obj.answer_set.n_attempts)}"
        return f"{obj.submission.name}, {where} ({obj.n_answered:,} answers)"


class GradersField(forms.CharField):
    """A list of accounts, by username: one per line, or separated by commas."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(widget=forms.Textarea(attrs={"rows": 3}), max_length=20_000, **kwargs)

    def clean(self, value: Any) -> list[User]:
        """The accounts, all of which must exist."""
        names = list(filter(None, dict.fromkeys(name.strip() for name in re.split(r"[\n,;]", super().clean(value)))))
        users = {user.get_username(): user for user in User.objects.filter(username__in=names, is_active=True)}
        if unknown := [name for name in names if name not in users]:
            raise ValidationError(f"Unknown accounts: {', '.join(unknown[:10])}.")
        return [users[name] for name in names]


class SourcesForm(forms.Form):
    """The sources of answers. Of many files it lists those that are ticked, and then those that the search finds."""

    studies = forms.ModelMultipleChoiceField(
        queryset=Study.objects.none(), required=False, widget=forms.CheckboxSelectMultiple, label="Answers of people"
    )
    systems = FilesField(
        queryset=SubmissionFile.objects.none(),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        label="Answers of systems",
    )
    search = forms.CharField(
        required=False,
        max_length=200,
        label="Find systems",
        widget=forms.SearchInput,
        help_text="Words of their names.",
    )

    def __init__(self, *args: Any, systems: QuerySet[SubmissionFile], studies: QuerySet[Study], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, queryset in (("systems", systems), ("studies", studies)):
            field = self.fields[name]
            if isinstance(field, forms.ModelMultipleChoiceField):
                field.queryset = queryset
            if not queryset.exists():
                del self.fields[name]
        files = self.fields.get("systems")
        if isinstance(files, FilesField) and systems.count() > MOST_SHOWN:
            self._list_found(files, systems)
        else:
            del self.fields["search"]

    @classmethod
    def as_typed(cls, sent: QueryDict, **options: Any) -> Self:
        """The form with what somebody has filled in so far, not yet checked."""
        typed = {name: field.widget.value_from_datadict(sent, {}, name) for name, field in cls.base_fields.items()}
        return cls(initial=typed, **options)

    def _list_found(self, field: FilesField, systems: QuerySet[SubmissionFile]) -> None:
        values = self["systems"].value() or ()
        ticked = [int(value) for value in map(str, values) if value.isascii() and value.isdecimal() and len(value) < 19]
        found = systems.exclude(pk__in=ticked)
        # A NUL, which PostgreSQL refuses, separates words here.
        for word in str(self["search"].value() or "").replace("\0", " ").split()[:10]:
            found = found.filter(Q(submission__name__icontains=word) | Q(setting__name__icontains=word))
        n_found, kept = found.count(), list(systems.filter(pk__in=ticked))
        field.widget.choices = [
            (file.pk, field.label_from_instance(file)) for file in [*kept, *found[:MOST_SHOWN]]
        ]  # listed only: every file of the split is a valid choice
        self.fields["search"].help_text = f"{len(kept):,} ticked, listed first. Not ticked: {n_found:,} found" + (
            f", the first {MOST_SHOWN} listed." if n_found > MOST_SHOWN else "."
        )


class RoundForm(SourcesForm):
    """A new round."""

    name = forms.CharField(
        max_length=200,
        validators=[validate_visible_text],
        help_text="Graders see this name. Do not name a system in it.",
    )
    selection = forms.ChoiceField(
        choices=Selection.choices, initial=Selection.ALL, widget=forms.RadioSelect, label="Selection of answers"
    )
    n_answers = forms.IntegerField(
        min_value=1,
        max_value=MOST_ANSWERS,
        required=False,
        label="Number of answers",
        help_text="Needed unless all answers are graded.",
    )
    graders = GradersField(help_text="Usernames, one per line. Graders can see the reference answers of the split.")
    graders_per_answer = forms.IntegerField(
        min_value=1, max_value=20, initial=2, required=False, help_text="For answers with several graders."
    )
    answers_per_grader = forms.IntegerField(
        min_value=1,
        max_value=MOST_ANSWERS,
        required=False,
        help_text="Only for a plan. Calibration answers come on top.",
    )
    n_graders = forms.IntegerField(
        min_value=1,
        max_value=1_000,
        required=False,
        label="Number of graders",
        help_text="Only for a plan. You can name some of them later.",
    )
    release_hours = forms.IntegerField(
        min_value=1,
        max_value=10_000,
        initial=48,
        required=False,
        label="Release after hours without activity",
        help_text="Only for a plan: then the answers left are planned for other graders.",
    )
    shared_percent = forms.IntegerField(
        min_value=0,
        max_value=100,
        initial=100,
        label="Share with several graders (%)",
        help_text="All other answers get one grader.",
    )
    n_calibration = forms.IntegerField(
        min_value=0,
        max_value=500,
        initial=10,
        label="Calibration answers",
        help_text="Additional answers that you grade first. Graders receive them at the start and in between.",
    )
    calibration_percent = forms.IntegerField(
        min_value=0,
        max_value=50,
        initial=10,
        label="Later calibration answers (%)",
        help_text="After the first three answers, which are always for calibration.",
    )
    shows_matches = forms.BooleanField(required=False, initial=True, label="Highlight string metric matches in answers")
    mask_names = forms.BooleanField(required=False, initial=True, label="Mask system names in answers")
    masks = LinesField(
        required=False,
        max_length=10_000,
        widget=forms.Textarea(attrs={"rows": 2}),
        label="Other texts to mask",
        help_text="One per line. A text that ends in … is masked only where it is the name of a model.",
    )
    on_named = forms.ChoiceField(
        label="Grades of answers that told who wrote them are",
        choices=OnNamed.choices,
        initial=OnNamed.LEAVE_OUT,
        required=False,
        help_text="Graders can mark such answers.",
    )
    guidelines = forms.CharField(max_length=50_000, widget=forms.Textarea(attrs={"rows": 8}))
    seed = forms.IntegerField(
        min_value=0, max_value=2**31 - 1, initial=0, help_text="The same seed selects the same answers."
    )

    def __init__(self, *args: Any, by_criteria: bool = False, **kwargs: Any) -> None:
        """Leave out what there is not where people decide criteria: matches, and metrics that call an answer right."""
        super().__init__(*args, **kwargs)
        if by_criteria:
            del self.fields["shows_matches"]
            selection = self.fields["selection"]
            assert isinstance(selection, forms.ChoiceField)  # noqa: S101 - declared above
            selection.choices = [choice for choice in Selection.choices if choice[0] != Selection.DISAGREEMENTS]

    def clean(self) -> dict[str, Any]:
        """Check that the fields are consistent."""
        cleaned: dict[str, Any] = super().clean() or {}
        if not cleaned.get("systems") and not cleaned.get("studies") and not self.errors:
            raise ValidationError("Select at least one study or system.")
        if cleaned.get("selection") not in (None, Selection.ALL) and not cleaned.get("n_answers"):
            self.add_error("n_answers", NUMBER_NEEDED)
        graders: Sequence[User] = cleaned.get("graders") or []
        wanted = cleaned.get("graders_per_answer")
        plan = [name for name in PLAN if cleaned.get(name) is not None or name in self.errors]
        is_planned = "answers_per_grader" in plan or "n_graders" in plan
        if len(plan) < (2 if is_planned else 1):
            self.add_error("graders_per_answer", TWO_OF_THREE if is_planned else NO_NUMBER)
        if is_planned and cleaned.get("shared_percent") not in (None, 100):
            self.add_error("shared_percent", ALL_SHARED)
        if graders and wanted and wanted > len(graders) and not is_planned:
            self.add_error(
                "graders_per_answer", f"You named only {len(graders)} graders. Add graders, or enter a smaller number."
            )
        return cleaned

    def round(self, owner: User, revision: Revision) -> GradingRound:
        """The round with the chosen settings, not stored yet."""
        said = self.cleaned_data
        names = masks_for(said.get("systems") or []) if said["mask_names"] else []
        return GradingRound(
            owner=owner,
            revision=revision,
            name=said["name"],
            selection=Selection(said["selection"]),
            graders_per_answer=said["graders_per_answer"] or 0,
            answers_per_grader=said["answers_per_grader"],
            shared_share=said["shared_percent"] / 100,
            calibration_share=said["calibration_percent"] / 100,
            shows_matches=said.get("shows_matches", False),
            masks=[*names, *said["masks"]],
            guidelines=said["guidelines"],
            seed=said["seed"],
            **{name: said[name] for name in ("release_hours", "on_named") if said[name]},
        )


class ExtendForm(SourcesForm):
    """More answers and graders for a round."""

    n_before = forms.IntegerField(widget=forms.HiddenInput)
    n_answers = forms.IntegerField(
        min_value=1,
        max_value=MOST_ANSWERS,
        required=False,
        label="Number of further answers",
        help_text="They are drawn like the others. Empty to add only graders.",
    )
    from_round = forms.BooleanField(required=False, initial=True, label="Draw from the sources of the round")
    mask_names = forms.BooleanField(required=False, initial=True, label="Mask the names of the systems ticked here")
    graders = GradersField(required=False, label="Further graders", help_text="Usernames, one per line.")
    answers_per_grader = forms.IntegerField(
        min_value=1,
        max_value=MOST_ANSWERS,
        required=False,
        help_text="A larger number gives the graders of the round more answers.",
    )

    def __init__(self, *args: Any, round_: GradingRound, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if "systems" not in self.fields:
            del self.fields["mask_names"]
        if round_.answers_per_grader is None:
            del self.fields["answers_per_grader"]
        if round_.selection == Selection.ALL:
            del self.fields["n_answers"]
            self.fields["from_round"].label = "Add answers that are new in the sources of the round"
            self.fields["from_round"].initial = False
            # Only studies get new answers: who grades in the round would know whose the added ones are.
            if not {"systems", "studies"} & self.fields.keys():
                del self.fields["from_round"]

    def clean(self) -> dict[str, Any]:
        """Check that a number of answers has a source."""
        cleaned: dict[str, Any] = super().clean() or {}
        if cleaned.get("n_answers") and not any(map(cleaned.get, ("from_round", "systems", "studies"))):
            raise ValidationError("Tick the sources of the round, or others.")
        return cleaned


class AddGradersForm(forms.Form):
    """More graders for a round."""

    graders = GradersField(label="Add graders", help_text="Usernames, one per line.")
