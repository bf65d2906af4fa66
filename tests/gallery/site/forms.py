"""Sample forms, blank and filled with mistakes."""

import datetime
from types import SimpleNamespace
from typing import Any

from django import forms

from leaderboard.accounts.tokens import LIFETIMES
from leaderboard.models import SystemType, TokenScope
from leaderboard.submissions.intake import FileReport
from scoring.benchmarks import definitions
from scoring.generations.records import TEXT_ANSWERS
from tests.gallery.site.sending import quotas
from tests.gallery.site.submissions import file_reports
from tests.gallery.site.texts import LONG_AUTHORS, LONG_NAME, NOW


class SampleSubmitForm(forms.Form):
    """A form with every kind of field that the site uses."""

    split = forms.ChoiceField(
        choices=[("dev", "Development"), ("test", "Test")],
        widget=forms.RadioSelect,
        help_text="The questions of the file.",
    )
    name = forms.CharField(max_length=200, help_text="The name on the board.")
    authors = forms.CharField(widget=forms.Textarea(attrs={"rows": 2}))
    url = forms.URLField(label="Web page", required=False, assume_scheme="https")
    citation = forms.CharField(required=False)
    type = forms.ChoiceField(choices=[("", "Choose a type"), *SystemType.choices])
    context_size = forms.IntegerField(min_value=1, required=False, help_text="In tokens.")
    trained_for_function_calling = forms.ChoiceField(
        choices=[("", "Not stated"), ("true", "Yes"), ("false", "No")], required=False
    )
    details = forms.CharField(required=False, widget=forms.Textarea(attrs={"rows": 3}))
    confirm_missing = forms.BooleanField(
        label="Submit with missing answers", required=False, help_text="Each of them scores 0."
    )
    team = forms.ChoiceField(
        label="Belongs to",
        required=False,
        choices=[("", "You alone"), ("night-shift", "Night shift"), ("long", LONG_NAME)],
        help_text="Every member of the team can then see it, replace it, publish it and withdraw it.",
    )
    closedbook = forms.FileField(label="Closed book", required=False, help_text="The question alone.")
    openbook = forms.FileField(label="Open book", required=False, help_text="The question and a search tool.")
    evidenceprovided = forms.FileField(label="Evidence provided", required=False)


class SampleSignInForm(forms.Form):
    """A name and a password."""

    username = forms.CharField(label="Username", widget=forms.TextInput(attrs={"autocomplete": "username"}))
    password = forms.CharField(widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}))


class SampleSignUpForm(SampleSignInForm):
    """An account."""

    email = forms.EmailField(help_text="Only for messages about your own submissions.")
    remember = forms.BooleanField(label="Stay signed in", required=False, help_text="For two weeks.")


class SampleTokenForm(forms.Form):
    """A token."""

    name = forms.CharField(max_length=100, help_text="Where it will be used.")
    scope = forms.ChoiceField(choices=TokenScope.choices, initial=TokenScope.SUBMIT, help_text="What it may do.")
    days = forms.ChoiceField(label="Expires in", choices=list(LIFETIMES.items()), initial=365)


class SampleCodeForm(forms.Form):
    """A code as a second factor."""

    secret = ""
    code = forms.CharField(help_text="Six digits from your authenticator app, or one of your recovery codes.")


class SampleAppForm(SampleCodeForm):
    """The first code of an authenticator app."""

    code = forms.CharField(help_text="Six digits, which the app shows now.")


class SamplePasswordForm(forms.Form):
    """The password once more."""

    password = forms.CharField(widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}))


class SampleCredentialForm(forms.Form):
    """The browser's answer about a passkey."""

    credential = forms.JSONField(widget=forms.HiddenInput)


class SamplePasskeyForm(SampleCredentialForm):
    """A new passkey."""

    name = forms.CharField(required=False, initial="Passkey 1", help_text="To tell your passkeys apart.")


def submit_context(form: SampleSubmitForm, reports: list[FileReport]) -> dict[str, Any]:
    return {
        "form": form,
        "file_fields": [form[name] for name in ("closedbook", "openbook", "evidenceprovided")],
        "file_reports": reports,
        "limits": {"upload_mb": 32},
        "answer_format": TEXT_ANSWERS,
        "has_teams": True,
        "quotas": quotas(),
        "benchmark": SimpleNamespace(name=next(iter(definitions().values())).name, slug="sample"),
        "benchmarks": [SimpleNamespace(name="One", slug="sample"), SimpleNamespace(name="Another", slug="another")],
    }


def submit_with_errors() -> dict[str, Any]:
    """The form as it comes back: a wrong address, a missing name, a file with errors."""
    form = SampleSubmitForm({"split": "test", "url": "no address", "context_size": "-5", "authors": LONG_AUTHORS})
    form.add_error("closedbook", "12,043 problems: see what was found in the file, above.")
    return submit_context(form, file_reports())


def tokens() -> list[SimpleNamespace]:
    fields = {"prefix": "mh_1a2b3c", "created_at": NOW, "last_used_at": None, "revoked_at": None, "pk": 1}
    fields |= {"expires_at": NOW + datetime.timedelta(days=365), "has_expired": False}
    fields |= {"get_scope_display": TokenScope.SUBMIT.label}
    expired = {"expires_at": NOW, "has_expired": True, "get_scope_display": TokenScope.MAINTAIN.label}
    return [
        SimpleNamespace(**(fields | changes))
        for changes in (
            {"name": "CI", "last_used_at": NOW},
            {"name": LONG_NAME, "pk": 2},
            {"name": "Old", "revoked_at": NOW, "pk": 3},
            {"name": "Older", "pk": 4, **expired},
        )
    ]
