"""Rate limits of sign-in attempts, on the site and in the administration, as django-axes counts them.

Attempts are counted by account and address together, so that nobody can lock another user out remotely, and by address
alone, so that one password cannot be tried on all accounts. They are counted in the shared cache before the password is
checked, however many processes serve requests at once. The cache key is a hash, so the cache contains no names.
"""

import hashlib
import math
from typing import Any

from axes.handlers.base import AxesHandler
from django.conf import settings
from django.core.exceptions import ValidationError
from django.http import HttpRequest

from leaderboard.models import User
from leaderboard.web.rate_limits import RateLimit, address_of, count, forget

THROTTLED = "throttled"


class TooOftenError(ValidationError):
    """Too many sign-in attempts; the next one is allowed in ``wait`` seconds."""

    def __init__(self, wait: int) -> None:
        self.wait = wait
        minutes = math.ceil(wait / 60)
        when = "a minute" if minutes == 1 else f"{minutes} minutes"
        super().__init__(f"Too many sign-in attempts. Wait {when}, then try again.", code=THROTTLED)


class Handler(AxesHandler):
    """Counts attempts against ``settings.SIGN_IN_RATES``; django-axes calls it before any password is checked."""

    def is_locked(self, request: HttpRequest, credentials: dict[str, Any] | None = None) -> bool:
        """Whether this attempt exceeds the limit. The call itself counts as an attempt."""
        username = str((credentials or {}).get("username") or "")
        if not username:
            return False
        keys = _keys(request, username)
        for key, rate in keys:
            counted = count(key, rate)
            if counted is not None and not counted.allowed:
                request.axes_locked_out = True  # type: ignore[attr-defined]
                request.sign_in_wait = counted.wait  # type: ignore[attr-defined]
                return True
        request.sign_in_counted = keys[0]  # type: ignore[attr-defined]
        return False

    def user_logged_in(self, sender: object, request: HttpRequest, user: User, **kwargs: object) -> None:
        """Reset the count: a user who knows the password was not guessing it."""
        counted = getattr(request, "sign_in_counted", None)
        if counted is not None:
            forget(*counted)

    def reset_attempts(
        self, *, ip_address: str | None = None, username: str | None = None, ip_or_username: bool = False
    ) -> int:
        """Clear the attempts at an account from an address, and those at its codes (``axes_reset_ip_username``).

        Raises:
            NotImplementedError: one of the two is missing; the counts cannot be listed.
        """
        if ip_address is None or username is None or ip_or_username:
            raise NotImplementedError("Give both the account and the IP address: attempts are counted per pair.")
        request = HttpRequest()
        request.META |= {"REMOTE_ADDR": ip_address, "HTTP_X_FORWARDED_FOR": ip_address}
        forget(*_keys(request, username)[0])
        for user in User.objects.filter(username=username):
            forget(_code_key(user), settings.SIGN_IN_RATES["account"])
        return 1


def count_code(user: User) -> None:
    """Count an attempt to enter a code as a second factor: by account, from any address, since only a person who knows
    the password is asked for one.

    Raises:
        TooOftenError: the limit is used up.
    """
    counted = count(_code_key(user), settings.SIGN_IN_RATES["account"])
    if counted is not None and not counted.allowed:
        raise TooOftenError(counted.wait)


def forget_attempts(request: HttpRequest, user: User) -> None:
    """Reset the counts of a user who has signed in from this address, with every factor that the account has."""
    forget(*_keys(request, user.get_username())[0])
    forget(_code_key(user), settings.SIGN_IN_RATES["account"])


def wait_of(request: HttpRequest | None) -> int:
    """Seconds until signing in is allowed again; 0 if this request did not exceed the limit."""
    return int(getattr(request, "sign_in_wait", 0))


def _keys(request: HttpRequest, username: str) -> list[tuple[str, RateLimit]]:
    address = address_of(request)
    rates: dict[str, RateLimit] = settings.SIGN_IN_RATES
    both = f"{_account(username)}\n{address}"
    return [
        (f"sign-in:account:{_hashed(both)}", rates["account"]),
        (f"sign-in:address:{_hashed(address)}", rates["address"]),
    ]


def _code_key(user: User) -> str:
    return f"sign-in:code:{user.pk}"


def _account(name: str) -> str:
    """One name per account, however it is written; an email address is replaced by the account that has it."""
    name = name.strip().casefold()
    if "@" not in name or "\0" in name:
        return name
    names = User.objects.filter(emailaddress__email=name, emailaddress__verified=True).values_list(
        "username", flat=True
    )
    return (names.first() or name).casefold()


def _hashed(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
