"""The form that creates an API token."""

from __future__ import annotations

from django import forms

from leaderboard.web.visible_text import validate_visible_text


class TokenForm(forms.Form):
    """A new API token."""

    name = forms.CharField(
        max_length=100,
        validators=[validate_visible_text],
        help_text="Where you will use the token, for example “CI of our repository”.",
    )
