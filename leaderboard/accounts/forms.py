"""The forms of accounts: those of django-allauth, with the texts and components of this site."""

from typing import Any, Final

from allauth.account import forms as account_forms
from allauth.socialaccount import forms as social_forms
from django import forms
from django.contrib.admin.forms import AdminAuthenticationForm
from django.core.exceptions import ValidationError

from leaderboard.accounts.login_throttling import TooOftenError, wait_of
from leaderboard.web.visible_text import validate_visible_text

MAX_NAME: Final = 254
"""The maximum length of a name or address at sign-in."""
LABELS: Final = {
    "username": "Username",
    "email": "Email address",
    "password1": "Password",
    "password2": "Confirm password",
    "oldpassword": "Current password",
    "password": "Password",
}
HELP: Final = {
    "username": "Letters, digits and @ . + - _. Visible to members of your teams and to maintainers.",
    "email": "We send a link to verify this address. We use the address only for messages about your account "
    "and your submissions.",
}


class _Ours(forms.Form):
    """Labels and help texts of this site, without placeholders."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, field in self.fields.items():
            field.widget.attrs.pop("placeholder", None)
            field.label = LABELS.get(name, field.label)
            if field.widget.attrs.get("autocomplete") == "current-password":
                field.help_text = ""


class SignInForm(_Ours, account_forms.LoginForm):
    """A username or an email address, and a password."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        login = self.fields["login"] = forms.CharField(
            label="Username or email address",
            max_length=MAX_NAME,
            widget=forms.TextInput(attrs={"autocomplete": "username", "autocapitalize": "none"}),
        )
        self.fields = {"login": login, "password": self.fields["password"]}

    def add_prefix(self, field_name: str) -> str:
        """A field's name in the page: the first field has always been ``username`` there."""
        return str(super().add_prefix({"login": "username"}.get(field_name, field_name)))

    def _clean_with_password(self, credentials: dict[str, Any]) -> dict[str, Any]:
        try:
            cleaned: dict[str, Any] = super()._clean_with_password(credentials)
        except ValidationError as error:
            wait = wait_of(self.request)
            raise TooOftenError(wait) if wait else error from None
        return cleaned


class AdminSignInForm(AdminAuthenticationForm):
    """The sign-in form of the administration; like that of the site, it shows when the next attempt is allowed."""

    def get_invalid_login_error(self) -> ValidationError:
        wait = wait_of(self.request)
        return TooOftenError(wait) if wait else super().get_invalid_login_error()


class SignUpForm(_Ours, account_forms.SignupForm):
    """A new account."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, text in HELP.items():
            self.fields[name].help_text = text


class SocialSignUpForm(_Ours, social_forms.SignupForm):
    """A new account for a user who signs in with another site."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["username"].help_text = HELP["username"]


class AddAddressForm(_Ours, account_forms.AddEmailForm):
    """Another email address."""


class ChangePasswordForm(_Ours, account_forms.ChangePasswordForm):
    """A new password, for a user who knows the current one."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["password1"].label = "New password"
        self.fields["password2"].label = "Confirm new password"


class SetPasswordForm(_Ours, account_forms.SetPasswordForm):
    """A first password, for a user who signs in with another site."""


class ResetPasswordForm(_Ours, account_forms.ResetPasswordForm):
    """The address to which a password reset link is sent."""


class ResetPasswordKeyForm(_Ours, account_forms.ResetPasswordKeyForm):
    """A new password, for a user with a reset link."""


class ReauthenticateForm(_Ours, account_forms.ReauthenticateForm):
    """The password again."""


class NameForm(forms.Form):
    """A user's display name."""

    name = forms.CharField(
        label="Display name",
        max_length=150,
        required=False,
        help_text="Members of your teams see this name beside your username. It does not appear on public pages.",
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
    )

    def clean_name(self) -> str:
        """The name on one line."""
        name = " ".join(str(self.cleaned_data["name"]).split())
        if name:
            validate_visible_text(name)
        return name


class DeleteAccountForm(forms.Form):
    """Confirmation that the account is to be deleted."""

    username = forms.CharField(
        label="Username",
        help_text="Enter your username to confirm.",
        widget=forms.TextInput(attrs={"autocomplete": "off", "autocapitalize": "none"}),
    )

    def __init__(self, *args: Any, expected: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.expected = expected

    def clean_username(self) -> str:
        """The username, if it is correct."""
        name = str(self.cleaned_data["username"]).strip()
        if name != self.expected:
            raise ValidationError("This is not your username.")
        return name


class TeamForm(forms.Form):
    """A team's name."""

    name = forms.CharField(
        label="Team name",
        max_length=100,
        validators=[validate_visible_text],
        help_text="For example the name of your lab or project. Team members and invited people see this name.",
    )

    def clean_name(self) -> str:
        """The name on one line."""
        return " ".join(str(self.cleaned_data["name"]).split())


class InviteForm(forms.Form):
    """The email address to invite into a team."""

    email = forms.EmailField(
        label="Email address",
        max_length=254,
        help_text="We send an invitation link to this address. Only an account with this address can use it.",
        widget=forms.EmailInput(attrs={"autocomplete": "off"}),
    )

    def clean_email(self) -> str:
        """The address in the form in which accounts store it."""
        return str(self.cleaned_data["email"]).lower()
