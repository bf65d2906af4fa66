"""Signing in a program by a code that its user confirms in a browser: the device authorization grant (RFC 8628).

Enters: a machine's name; a user's decision. Leaves: an API token of that user, handed out once, to the program alone.
"""

import datetime
import re
import secrets
from typing import Final

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from leaderboard.accounts import tokens
from leaderboard.models import ApiToken, DeviceLogin, User
from leaderboard.web.rate_limits import RateLimit, count

VALID_FOR: Final = datetime.timedelta(minutes=10)
KEPT_FOR: Final = datetime.timedelta(days=1)
"""How long a program gets the answer that its code has expired."""
INTERVAL: Final = datetime.timedelta(seconds=5)
"""The shortest time between two questions of a program."""
CODE_RATE: Final = RateLimit(60, 3600)
"""The maximum number of codes per address and hour."""
GUESS_RATE: Final = RateLimit(30, 3600)
"""How often an account may enter a code in an hour."""
LETTERS: Final = "BCDFGHJKLMNPQRSTVWXZ"
"""Without vowels, so that codes spell no words (RFC 8628, section 6.1)."""
CODE_LENGTH: Final = 8


class DeviceError(Exception):
    """What a program is answered instead of a token: ``code`` is one of RFC 6749 and RFC 8628."""

    def __init__(self, code: str, description: str = "") -> None:
        super().__init__(description or code)
        self.code = code
        self.description = description


class CodeError(ValueError):
    """No open request has the code that a user entered; the message is for the user."""


def begin(*, name: str, scope: str, address: str) -> tuple[DeviceLogin, str]:
    """A new request of a program, and the program's code, which is not stored.

    Raises:
        DeviceError: the address has had too many codes.
    """
    counted = count(f"device-code:{address}", CODE_RATE)
    if counted is not None and not counted.allowed:
        raise DeviceError("slow_down", f"Too many codes were requested. Try again in {counted.wait} seconds.")
    now = timezone.now()
    DeviceLogin.objects.filter(expires_at__lte=now - KEPT_FOR).delete()
    device_code = secrets.token_urlsafe(32)
    login = DeviceLogin.objects.create(
        digest=tokens.digest_of(device_code),
        user_code="".join(secrets.choice(LETTERS) for _ in range(CODE_LENGTH)),
        name=name,
        scope=scope,
        created_at=now,
        expires_at=now + VALID_FOR,
    )
    return login, device_code


def open_login(*, user: User, code: str) -> DeviceLogin:
    """The open request with a code, however the code is written. Counts as an attempt of the user.

    Raises:
        CodeError: there is none, or the user has made too many attempts.
    """
    counted = count(f"device-guess:{user.pk}", GUESS_RATE)
    if counted is not None and not counted.allowed:
        raise CodeError(f"You have entered too many codes. Wait {-(-counted.wait // 60)} minutes, then try again.")
    user_code = re.sub(r"[\s-]", "", code).upper()
    login = DeviceLogin.objects.filter(user_code=user_code, user=None, expires_at__gt=timezone.now()).first()
    if login is None:
        raise CodeError(
            "No program waits with this code: it was mistyped, used already, or more than "
            f"{VALID_FOR.seconds // 60} minutes have passed. Check it, or run the command again."
        )
    return login


def allow(login: DeviceLogin, *, user: User, name: str, scope: str, days: int) -> None:
    """Allow the program to fetch a token of *user*, unless the request was answered or ended in the meantime."""
    _answer(login, user=user, name=name, scope=scope, days=days)


def deny(login: DeviceLogin, *, user: User) -> None:
    """Refuse the program a token, unless the request was answered or ended in the meantime."""
    _answer(login, user=user)


def _answer(login: DeviceLogin, **answer: object) -> None:
    DeviceLogin.objects.filter(pk=login.pk, user=None, expires_at__gt=timezone.now()).update(**answer)


def fetch_token(device_code: str) -> tuple[ApiToken, str]:
    """The token for a program whose user has allowed it: its record, and the token itself, once.

    Raises:
        DeviceError: the user has not answered yet or has denied it, the program asks too often, or its code is unknown,
            used or too old.
    """
    now = timezone.now()
    login = DeviceLogin.objects.select_related("user").filter(digest=tokens.digest_of(device_code)).first()
    if login is None:
        raise DeviceError("invalid_grant", "This code is unknown or was used already.")
    if login.expires_at <= now:
        raise DeviceError("expired_token", "This code has expired.")
    rested = Q(polled_at=None) | Q(polled_at__lte=now - INTERVAL)
    if not DeviceLogin.objects.filter(rested, pk=login.pk).update(polled_at=now):
        raise DeviceError("slow_down")
    if login.user is None:
        raise DeviceError("authorization_pending")
    if login.days is None or not login.user.is_active:
        raise DeviceError("access_denied", "The request was denied.")
    try:
        with transaction.atomic():
            if not DeviceLogin.objects.filter(pk=login.pk).delete()[0]:  # another request was faster
                raise DeviceError("invalid_grant", "This code is unknown or was used already.")
            return tokens.create_token(user=login.user, name=login.name, scope=login.scope, days=login.days)
    except tokens.TooManyTokensError as error:
        raise DeviceError("access_denied", str(error)) from error
