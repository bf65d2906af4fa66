"""Fields of forms: points in time, settings, attention checks and ids of questions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError

from scoring.models import Setting

if TYPE_CHECKING:
    _SettingChoice = forms.ModelChoiceField[Setting]
else:
    _SettingChoice = forms.ModelChoiceField

CHECK_ARROW: Final = "=>"
CHECK_OR: Final = "|"
LOCAL: Final = "%Y-%m-%dT%H:%M"


def moment_field(*, help_text: str = "", **options: Any) -> forms.DateTimeField:
    """A field for a point in time, in the site's time zone."""
    return forms.DateTimeField(
        help_text=f"Time zone: {settings.TIME_ZONE}. {help_text}".strip(),
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format=LOCAL),
        input_formats=[LOCAL, f"{LOCAL}:%S", "%Y-%m-%d %H:%M", "%Y-%m-%d"],
        **options,
    )


class SettingField(_SettingChoice):
    """A choice among the settings of every benchmark."""

    def label_from_instance(self, obj: Setting) -> str:
        return f"{obj.benchmark.name}: {obj.name}"


class ChecksField(forms.CharField):
    """Attention checks, one per line: the text, an arrow, and the passing answers separated by bars."""

    def prepare_value(self, value: Any) -> Any:
        if not isinstance(value, list):
            return value
        return "\n".join(f"{check['text']} {CHECK_ARROW} {f' {CHECK_OR} '.join(check['answers'])}" for check in value)

    def clean(self, value: Any) -> Any:
        if isinstance(value, list):  # the study's stored value, if the field cannot be changed
            return value
        checks = []
        for number, line in enumerate(super().clean(value).splitlines(), start=1):
            if not line.strip():
                continue
            text, arrow, answers = line.rpartition(CHECK_ARROW)
            passing = [answer.strip() for answer in answers.split(CHECK_OR) if answer.strip()]
            if not (arrow and text.strip() and passing):
                raise ValidationError(
                    f"Line {number}: enter the text, then {CHECK_ARROW}, then the accepted answers separated by "
                    f"{CHECK_OR}."
                )
            checks.append({"text": text.strip(), "answers": passing})
        return checks


class LinesField(forms.CharField):
    """Texts, one per line, without repeats."""

    def prepare_value(self, value: Any) -> Any:
        return "\n".join(value) if isinstance(value, list) else value

    def clean(self, value: Any) -> Any:
        lines = (" ".join(line.split()) for line in super().clean(value).splitlines())
        return list(dict.fromkeys(line for line in lines if line))


class GoodAnswersField(LinesField):
    """Answers of systems, one per line: the question's id and, after an arrow, the system; pairs of texts."""

    def clean(self, value: Any) -> Any:
        parts = [line.partition(CHECK_ARROW) for line in super().clean(value)]
        return [(qid.strip(), system.strip()) for qid, _, system in parts]


class IdsField(LinesField):
    """Ids of questions, one per line or separated by commas; repeats stay, so that the study refuses them."""

    def clean(self, value: Any) -> Any:
        if isinstance(value, list):
            return value
        return [qid for qid in re.split(r"[\s,;]+", forms.CharField.clean(self, value)) if qid]
