"""The forms that create an API token: on the account page, and for a program that asks for one."""

from __future__ import annotations

from typing import Any

from django import forms

from leaderboard.accounts.tokens import LIFETIMES
from leaderboard.models import TokenScope, User
from leaderboard.web.visible_text import validate_visible_text


class TokenForm(forms.Form):
    """A new API token. Only staff can choose the scope that gives a maintainer's rights."""

    name = forms.CharField(
        max_length=100,
        validators=[validate_visible_text],
        help_text="Where you will use the token, for example “CI of our repository”.",
    )
    scope = forms.ChoiceField(
        choices=TokenScope.choices, initial=TokenScope.SUBMIT, help_text="What a program may do with the token."
    )
    days = forms.TypedChoiceField(
        label="Expires in",
        choices=list(LIFETIMES.items()),
        initial=365,
        coerce=int,
        help_text="If that is more than 30 days, we send you an email 30 days before.",
    )

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not (user.is_staff or user.is_superuser):
            scope = self.fields["scope"]
            scope.choices = [choice for choice in TokenScope.choices if choice[0] != TokenScope.MAINTAIN]  # type: ignore[attr-defined]


class DeviceCodeForm(forms.Form):
    """What a program says of itself when it asks for a code."""

    device_name = forms.CharField(max_length=100, required=False, validators=[validate_visible_text])
    scope = forms.ChoiceField(choices=TokenScope.choices, required=False)


class UserCodeForm(forms.Form):
    """The code that a program shows its user."""

    code = forms.CharField(
        max_length=20,
        help_text="As <code>manyhop login</code> shows it, for example BCDF-GHJK.",
        widget=forms.TextInput({"autocomplete": "off", "autocapitalize": "characters", "spellcheck": "false"}),
    )
