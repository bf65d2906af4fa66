"""Forms about participants: invite, message, extend, withdraw, exclude, replace."""

from __future__ import annotations

import re
from typing import Any, Final

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import validate_email

from humaneval.participants.invitations import MAX_AT_ONCE
from humaneval.studies.form_fields import moment_field
from humaneval.studies.forms import MAX_SEATS

MAX_MESSAGE: Final = 2000
NOBODY_NAMED: Final = "Enter email addresses or a number of links."


class InviteForm(forms.Form):
    """Personal links: with and without addresses."""

    emails = forms.CharField(
        label="Email addresses",
        required=False,
        max_length=MAX_AT_ONCE * 260,
        widget=forms.Textarea(attrs={"rows": 3, "spellcheck": "false", "autocomplete": "off"}),
        help_text="One per line. Each gets a personal link. No email is sent yet.",
    )
    n = forms.IntegerField(
        label="Links without email address",
        required=False,
        min_value=0,
        max_value=MAX_AT_ONCE,
        help_text="You distribute these links yourself.",
    )
    label = forms.CharField(
        required=False, max_length=100, help_text="Visible to maintainers only, for example a course."
    )

    def clean_emails(self) -> tuple[str, ...]:
        """The addresses, without duplicates; every invalid line is reported."""
        addresses: dict[str, str] = {}
        wrong = []
        for address in filter(None, re.split(r"[\s,;]+", self.cleaned_data["emails"])):
            try:
                validate_email(address)
            except ValidationError:
                wrong.append(address[:60])
            else:
                addresses.setdefault(address.lower(), address)
        if wrong:
            raise ValidationError(f"Invalid email addresses: {', '.join(wrong[:5])}{' …' if len(wrong) > 5 else ''}")
        return tuple(addresses.values())

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if not self.errors and not cleaned.get("n") and not cleaned.get("emails"):
            raise ValidationError(NOBODY_NAMED)
        return cleaned


class SharedLinkForm(forms.Form):
    """One link for many people."""

    limit = forms.IntegerField(
        label="Limit",
        min_value=1,
        max_value=MAX_SEATS,
        initial=10,
        help_text="Maximum number of people who can join with this link.",
    )
    label = forms.CharField(
        required=False, max_length=100, help_text="Visible to maintainers only, for example a mailing list."
    )


class MessageForm(forms.Form):
    """The maintainer's own message in a mail."""

    message = forms.CharField(
        required=False,
        max_length=MAX_MESSAGE,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="Shown in the email, above the link.",
    )


class ExtendForm(forms.Form):
    """The extended deadline of one participant."""

    until = moment_field(label="New deadline")


class WithdrawForm(forms.Form):
    """Withdrawing a participant on their request."""

    confirm = forms.BooleanField(
        label="The participant asked to withdraw. I understand that this cannot be undone.",
        error_messages={"required": "Tick the box to confirm. No changes were made."},
    )


class ExcludeForm(forms.Form):
    """The reason for excluding a participant's answers."""

    reason = forms.CharField(
        max_length=300, help_text="The reason appears in the export. No data is deleted, and you can undo this."
    )


class ReplaceForm(forms.Form):
    """The address of the person who replaces a participant."""

    email = forms.EmailField(label="Email address", required=False, help_text="Address of the new participant.")
