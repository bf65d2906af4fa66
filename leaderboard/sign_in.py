"""Signing in, on the site and in the administration: with a limit on how often it may be tried.

Tries are counted by account and address together, so that nobody can lock somebody else out from afar, and by address
alone, so that one password cannot be tried on all accounts. They are counted in the shared cache before the password is
looked at, however many processes are asked at once. What is counted under is a hash: no name gets into the cache.
"""

import hashlib
import math
from typing import Any

from django.conf import settings
from django.contrib.admin.forms import AdminAuthenticationForm
from django.contrib.auth.forms import AuthenticationForm
from django.core.exceptions import ValidationError
from django.http import HttpRequest

from leaderboard.api.throttling import RateLimit
from leaderboard.rates import Rate, count, forget

THROTTLED = "throttled"


class TooOftenError(ValidationError):
    """Signing in was tried too often; the next try fits in ``wait`` seconds."""

    def __init__(self, wait: int) -> None:
        self.wait = wait
        minutes = math.ceil(wait / 60)
        when = "a minute" if minutes == 1 else f"{minutes} minutes"
        super().__init__(f"There were too many tries to sign in. Wait for {when}, then try again.", code=THROTTLED)


def _keys(request: HttpRequest, username: str) -> list[tuple[str, Rate]]:
    address = RateLimit().address(request)
    rates: dict[str, Rate] = settings.SIGN_IN_RATES
    both = f"{username.strip().casefold()}\n{address}"
    return [
        (f"sign-in:account:{_hashed(both)}", rates["account"]),
        (f"sign-in:address:{_hashed(address)}", rates["address"]),
    ]


def _hashed(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


class _Limited(AuthenticationForm):
    def clean(self) -> dict[str, Any]:
        """The name and the password, if it may be tried again and they belong together.

        Raises:
            TooOftenError: it was tried too often; the password was not looked at.
            ValidationError: they do not belong together.
        """
        username = self.cleaned_data.get("username")
        if self.request is None or not username:
            return super().clean()
        keys = _keys(self.request, username)
        for key, rate in keys:
            counted = count(key, rate)
            if counted is not None and not counted.allowed:
                raise TooOftenError(counted.wait)
        cleaned = super().clean()
        forget(keys[0][0], keys[0][1])  # whoever knows the password has not been guessing it
        return cleaned


class SignInForm(_Limited):
    """The form of the site."""


class AdminSignInForm(_Limited, AdminAuthenticationForm):
    """The form of the administration."""


def wait_of(form: AuthenticationForm) -> int:
    """After how many seconds signing in may be tried again; 0 if it may at once."""
    errors = form.non_field_errors().as_data()
    return max((error.wait for error in errors if isinstance(error, TooOftenError)), default=0)
