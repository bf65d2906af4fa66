"""Forms of a round: a new one, and its graders."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from django import forms
from django.core.exceptions import ValidationError

from humaneval.grading.rounds.selection import MOST_ANSWERS, NUMBER_NEEDED, RoundSettings
from humaneval.grading.rounds.services import mask_lines, masks_for
from humaneval.models import OnNamed, Selection, Study
from leaderboard.models import SubmissionFile, User
from leaderboard.web.visible_text import validate_visible_text

if TYPE_CHECKING:
    _FilesField = forms.ModelMultipleChoiceField[SubmissionFile]
    _StudiesField = forms.ModelMultipleChoiceField[Study]
else:
    _FilesField = forms.ModelMultipleChoiceField
    _StudiesField = forms.ModelMultipleChoiceField


class FilesField(_FilesField):
    """A choice of submission files, by system and setting."""

    def label_from_instance(self, obj: SubmissionFile) -> str:
        return f"{obj.submission.name}, {obj.setting.name.lower()} ({obj.n_answered:,} answers)"


class StudiesField(_StudiesField):
    """A choice of studies."""

    def label_from_instance(self, obj: Study) -> str:
        return obj.name


class GradersField(forms.CharField):
    """A list of accounts, by username: one per line, or separated by commas."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(widget=forms.Textarea(attrs={"rows": 3}), max_length=20_000, **kwargs)

    def clean(self, value: Any) -> list[User]:
        """The accounts.

        Raises:
            ValidationError: an account does not exist.
        """
        names = list(filter(None, dict.fromkeys(name.strip() for name in re.split(r"[\n,;]", super().clean(value)))))
        users = {user.get_username(): user for user in User.objects.filter(username__in=names, is_active=True)}
        if unknown := [name for name in names if name not in users]:
            raise ValidationError(f"Unknown accounts: {', '.join(unknown[:10])}.")
        return [users[name] for name in names]


class RoundForm(forms.Form):
    """A new round."""

    name = forms.CharField(
        max_length=200,
        validators=[validate_visible_text],
        help_text="Graders see this name. Do not name a system in it.",
    )
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
        min_value=1, max_value=20, initial=2, help_text="For answers with several graders."
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
    masks = forms.CharField(
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

    def __init__(self, *args: Any, systems: Any, studies: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, queryset in (("systems", systems), ("studies", studies)):
            field = self.fields[name]
            if isinstance(field, forms.ModelMultipleChoiceField):
                field.queryset = queryset
            if not queryset.exists():
                del self.fields[name]

    def clean(self) -> dict[str, Any]:
        """Check that the fields are consistent.

        Raises:
            ValidationError: by field.
        """
        cleaned: dict[str, Any] = super().clean() or {}
        if not cleaned.get("systems") and not cleaned.get("studies") and not self.errors:
            raise ValidationError("Select at least one study or system.")
        if cleaned.get("selection") not in (None, Selection.ALL) and not cleaned.get("n_answers"):
            self.add_error("n_answers", NUMBER_NEEDED)
        graders: Sequence[User] = cleaned.get("graders") or []
        wanted = cleaned.get("graders_per_answer")
        if graders and wanted and wanted > len(graders):
            self.add_error(
                "graders_per_answer", f"You named only {len(graders)} graders. Add graders, or enter a smaller number."
            )
        return cleaned

    def settings(self) -> RoundSettings:
        """The chosen options, except the sources of answers and the graders."""
        said = self.cleaned_data
        names = masks_for(said.get("systems") or []) if said["mask_names"] else []
        return RoundSettings(
            selection=Selection(said["selection"]),
            n_answers=said["n_answers"],
            n_calibration=said["n_calibration"],
            graders_per_answer=said["graders_per_answer"],
            shared_share=said["shared_percent"] / 100,
            calibration_share=said["calibration_percent"] / 100,
            shows_matches=said["shows_matches"],
            masks=[*names, *mask_lines(said["masks"])],
            on_named=OnNamed(said["on_named"] or OnNamed.LEAVE_OUT),
            guidelines=said["guidelines"],
            seed=said["seed"],
        )


class AddGradersForm(forms.Form):
    """More graders for a round."""

    graders = GradersField(label="Add graders", help_text="Usernames, one per line.")
