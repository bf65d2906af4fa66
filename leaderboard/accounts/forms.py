"""The forms of accounts: those of django-allauth where this site changes them, and its own."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from allauth.account import forms as account_forms
from allauth.account.adapter import get_adapter as account_adapter
from allauth.mfa.adapter import get_adapter as second_factor_adapter
from allauth.mfa.base import forms as code_forms
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal import auth as totp
from allauth.mfa.utils import decrypt
from allauth.mfa.webauthn import forms as passkey_forms
from allauth.socialaccount import forms as social_forms
from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import transaction

from leaderboard.accounts import mails
from leaderboard.accounts.tokens import LIFETIMES
from leaderboard.models import TokenScope, User
from leaderboard.web.rate_limits import OverLimitError, forget, require_room
from leaderboard.web.visible_text import validate_visible_text

MAX_NAME: Final = 254
"""The maximum length of a name or address at sign-in."""
USERNAME_HELP: Final = "Letters, digits and . + - _. Visible to members of your teams and to maintainers."
EMAIL_HELP: Final = (
    "We send a link to verify this address. We use the address only for messages about your account and your "
    "submissions."
)


class SignInForm(account_forms.LoginForm):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["login"] = forms.CharField(
            label="Username or email address",
            max_length=MAX_NAME,
            widget=forms.TextInput(attrs={"autocomplete": "username", "autocapitalize": "none"}),
        )
        self.fields["password"].help_text = ""  # the page has the link for a forgotten password

    def add_prefix(self, field_name: str) -> str:
        """A field's name in the page: the first field has always been ``username`` there."""
        return str(super().add_prefix({"login": "username"}.get(field_name, field_name)))


class SignUpForm(account_forms.SignupForm):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["username"].help_text = USERNAME_HELP
        self.fields["email"].help_text = EMAIL_HELP


class SocialSignUpForm(social_forms.SignupForm):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["username"].help_text = USERNAME_HELP


class _CodeForm(forms.Form):
    """A code from the authenticator app, or a recovery code. Each code works once for all processes, and attempts are
    limited, both without the cache, which django-allauth needs for it."""

    user: User

    def clean_code(self) -> str:
        """The code, if it is valid; it is used up then."""
        # By account, from any address: only a person who knows the password is asked for a code.
        attempts = f"sign-in:code:{self.user.pk}", settings.SIGN_IN_RATES["account"]
        try:
            require_room(*attempts)
        except OverLimitError as error:
            raise account_adapter().validation_error("too_many_login_attempts") from error
        code = str(self.cleaned_data["code"])
        with transaction.atomic():
            # Locked: a code that two requests send at once is accepted once.
            owned = Authenticator.objects.select_for_update().filter(user=self.user)
            for authenticator in owned.exclude(type=Authenticator.Type.WEBAUTHN):
                if _accepts(authenticator, code):
                    self.authenticator = authenticator
                    forget(*attempts)
                    return code
        raise second_factor_adapter().validation_error("incorrect_code")

    def save(self) -> None:
        super().save()  # type: ignore[misc]
        if self.authenticator.type == Authenticator.Type.RECOVERY_CODES:
            self.authenticator.refresh_from_db(fields=["data"])
            n_left = len(self.authenticator.wrap().get_unused_codes())
            account_adapter().send_notification_mail("mfa/email/recovery_code_used", self.user, {"n_left": n_left})


def _accepts(authenticator: Authenticator, code: str) -> bool:
    """Whether a code is valid, and was not used before: the period of the last code is kept in the database, so that
    no other process accepts it again, and nobody needs the cache to sign in."""
    if authenticator.type == Authenticator.Type.RECOVERY_CODES:
        return bool(authenticator.wrap().validate_code(code))
    secret = decrypt(authenticator.data["secret"])
    for period in totp.yield_hotp_counters_from_time():
        expected = totp.format_hotp_value(totp.hotp_value(secret, period))
        if totp.compare_user_code(actual=code, expected=expected) and period > authenticator.data.get("last_period", 0):
            authenticator.data["last_period"] = period
            authenticator.save(update_fields=["data"])
            return True
    return False


class SignInCodeForm(_CodeForm, code_forms.AuthenticateForm):
    """The code after the password, to sign in."""


class ConfirmCodeForm(_CodeForm, code_forms.ReauthenticateForm):
    """A code, to confirm that the user is present."""


class _PasskeyForm(forms.Form):
    """The browser's response about a passkey, as JSON: what cannot be read is invalid, whatever its form."""

    def _clean_fields(self) -> None:
        with _unreadable_is_invalid(self):
            super()._clean_fields()  # type: ignore[misc]

    def _clean_form(self) -> None:
        with _unreadable_is_invalid(self):
            super()._clean_form()  # type: ignore[misc]


@contextmanager
def _unreadable_is_invalid(form: forms.Form) -> Iterator[None]:
    try:
        yield
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        form.add_error(None, second_factor_adapter().validation_error("incorrect_code"))


class AddPasskeyForm(_PasskeyForm, passkey_forms.AddWebAuthnForm):
    name = forms.CharField(
        label="Name",
        required=False,
        max_length=100,
        validators=[validate_visible_text],
        help_text="To tell your passkeys apart, for example “Laptop”.",
    )


class SignInPasskeyForm(_PasskeyForm, passkey_forms.AuthenticateWebAuthnForm):
    """A passkey after the password, to sign in."""


class ConfirmPasskeyForm(_PasskeyForm, passkey_forms.ReauthenticateWebAuthnForm):
    """A passkey, to confirm that the user is present."""


class NameForm(forms.Form):
    name = forms.CharField(
        label="Display name",
        max_length=150,
        required=False,
        help_text="Members of your teams see this name beside your username. It does not appear on public pages.",
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
    )

    def clean_name(self) -> str:
        name = " ".join(str(self.cleaned_data["name"]).split())
        if name:
            validate_visible_text(name)
        return name


class MailsForm(forms.Form):
    kinds = forms.MultipleChoiceField(label="Email me about", required=False, widget=forms.CheckboxSelectMultiple)

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        kinds = mails.kinds_for(user)
        self.initial["kinds"] = [kind for kind in kinds if kind not in user.muted_mails]
        self.fields["kinds"].choices = [(kind.value, kind.label) for kind in kinds]  # type: ignore[attr-defined]


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


class DeleteAccountForm(forms.Form):
    username = forms.CharField(
        label="Username",
        help_text="Enter your username to confirm.",
        widget=forms.TextInput(attrs={"autocomplete": "off", "autocapitalize": "none"}),
    )
    erased = forms.BooleanField(
        required=False,
        label="Also remove my username from the records of what I did",
        help_text="Submissions that stay keep who sent, published or changed them. They then name a random username "
        "instead of yours; so does the audit log. The authors of a system stay as you entered them.",
    )
    withdrawn = forms.BooleanField(
        required=False,
        label="Withdraw my published submissions first",
        help_text="They leave the boards for good. Dated snapshots keep the name and scores that they showed.",
    )

    def __init__(self, *args: Any, expected: str, has_published: bool = False, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.expected = expected
        if not has_published:
            del self.fields["withdrawn"]

    def clean_username(self) -> str:
        name = str(self.cleaned_data["username"]).strip()
        if name != self.expected:
            raise ValidationError("This is not your username.")
        return name


class TeamForm(forms.Form):
    name = forms.CharField(
        label="Team name",
        max_length=100,
        validators=[validate_visible_text],
        help_text="For example the name of your lab or project. Team members and invited people see this name.",
    )

    def clean_name(self) -> str:
        return " ".join(str(self.cleaned_data["name"]).split())


class InviteForm(forms.Form):
    email = forms.EmailField(
        label="Email address",
        max_length=254,
        help_text="We send an invitation link to this address. Only an account with this address can use it.",
        widget=forms.EmailInput(attrs={"autocomplete": "off"}),
    )

    def clean_email(self) -> str:
        return str(self.cleaned_data["email"]).lower()
