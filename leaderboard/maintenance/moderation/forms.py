"""The form of a moderation decision."""

from __future__ import annotations

from typing import Any

from django import forms

from leaderboard.maintenance.moderation.services import MAX_MESSAGE
from leaderboard.web.visible_text import validate_visible_text


class MessageForm(forms.Form):
    """A maintainer's message about a submission."""

    text = forms.CharField(
        max_length=MAX_MESSAGE, validators=[validate_visible_text], widget=forms.Textarea(attrs={"rows": 4})
    )

    def __init__(self, *args: Any, label: str, help_text: str, lacking: str, **kwargs: Any) -> None:
        """Ask for *label*; *lacking* is the error where there is none."""
        super().__init__(*args, **kwargs)
        self.fields["text"].label = label
        self.fields["text"].help_text = help_text
        self.fields["text"].error_messages["required"] = lacking
