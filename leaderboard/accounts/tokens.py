"""API tokens: created once, stored as a digest, with a scope, until they expire or are revoked."""

import datetime
import hashlib
import logging
import secrets
import smtplib
from typing import Final

from django.conf import settings
from django.core.cache import cache
from django.core.mail import EmailMessage
from django.db import transaction
from django.db.models import F
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone

from leaderboard.access import TokenError, active_tokens
from leaderboard.models import ApiToken, TokenScope, User
from leaderboard.web.dates import day_in_words
from scoring.workers.locks import only_one

logger = logging.getLogger(__name__)

TOKEN_PREFIX = "mh_"  # noqa: S105 - the prefix of tokens, not a token


MAX_TOKENS = 50
"""The maximum number of active tokens per account."""


TOKEN_USE_SECONDS = 60
"""The resolution of a token's last use: fine enough to be useful, coarse enough not to write at each request."""


LIFETIMES: Final = {30: "30 days", 90: "90 days", 365: "1 year"}
"""How long a new token can be valid, in days."""
NOTICE: Final = datetime.timedelta(days=30)
"""How long before its end the email about a token is sent; a token with a shorter life has none."""
MAIL_PAUSE: Final = "token-notices:mail-server-away"
MAIL_PAUSE_SECONDS: Final = 300


class TooManyTokensError(ValueError):
    """An account has reached the limit of tokens; the message is for its owner."""


@transaction.atomic
def create_token(*, user: User, name: str, scope: str = TokenScope.SUBMIT, days: int = 365) -> tuple[ApiToken, str]:
    """Create an API token; returns its record and the token itself, which is never shown again.

    Args:
        scope: one of `TokenScope`.
        days: how long it is valid.

    Raises:
        TooManyTokensError: the account has `MAX_TOKENS` active tokens.
    """
    User.objects.select_for_update(no_key=True).get(pk=user.pk)
    if active_tokens().filter(user=user).count() >= MAX_TOKENS:
        raise TooManyTokensError(
            f"You have {MAX_TOKENS} tokens, the maximum for one account. Revoke a token that you no longer use."
        )
    secret = TOKEN_PREFIX + secrets.token_urlsafe(32)
    now = timezone.now()
    token = ApiToken.objects.create(
        user=user,
        name=name,
        scope=scope,
        prefix=secret[:8],
        digest=digest_of(secret),
        created_at=now,
        expires_at=now + datetime.timedelta(days=days),
    )
    return token, secret


def revoke_token(token: ApiToken) -> None:
    """Revoke a token; its record remains."""
    ApiToken.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=timezone.now())


class EndTokens:
    """Revokes an account's tokens when its password changes. Django calls its password validators after each change, on
    pages, in the administration and by commands, and not when it only stores the same password in a newer form."""

    def validate(self, password: str, user: User | None = None) -> None:
        """Accept every password."""

    def get_help_text(self) -> str:
        """What a user reads beside the new password."""
        return "A new password revokes all API tokens of the account."

    def password_changed(self, password: str, user: User | None = None) -> None:
        """Revoke the user's tokens."""
        del password
        if user is not None and user.pk is not None:
            ApiToken.objects.filter(user=user, revoked_at=None).update(revoked_at=timezone.now())


def digest_of(secret: str) -> str:
    """The stored digest of a token: the SHA-256 of a random 256-bit secret needs no salt."""
    return hashlib.sha256(secret.encode()).hexdigest()


def token_of(secret: str) -> ApiToken:
    """The record of a token, with its user. Records that it was used.

    The user's rights as staff are withheld unless the token's scope is *maintain*.

    Raises:
        TokenError: it is unknown, revoked or expired, or its account is disabled.
    """
    token = ApiToken.objects.select_related("user").filter(digest=digest_of(secret)).first()
    if token is None:
        raise TokenError("This token does not exist.")
    if token.revoked_at is not None:
        revoked = day_in_words(timezone.localtime(token.revoked_at))
        raise TokenError(f"This token was revoked on {revoked}. Create a new one on the account page.")
    now = timezone.now()
    if token.expires_at <= now:
        expired = day_in_words(timezone.localtime(token.expires_at))
        raise TokenError(f"This token expired on {expired}. Create a new one on the account page.")
    if not token.user.is_active:
        raise TokenError("The account of this token is disabled.")
    if token.last_used_at is None or now - token.last_used_at > datetime.timedelta(seconds=TOKEN_USE_SECONDS):
        ApiToken.objects.filter(pk=token.pk).update(last_used_at=now)
    token.user.rights_withheld = not token.allows(TokenScope.MAINTAIN)
    return token


def send_expiry_notices() -> int:
    """Send an email to each account with tokens that expire within `NOTICE`; returns how many were sent.

    An unavailable mail server is not tried again for a while.
    """
    due = (
        active_tokens()
        .filter(expiry_notified_at=None, expires_at__lte=timezone.now() + NOTICE)
        .filter(expires_at__gt=F("created_at") + NOTICE)
        .select_related("user")
        .order_by("user", "expires_at")
    )
    if cache.get(MAIL_PAUSE) or not due.exists():
        return 0
    n_sent = 0
    with only_one("token-notices") as mine:
        by_user: dict[User, list[ApiToken]] = {}
        for token in due if mine else ():
            by_user.setdefault(token.user, []).append(token)
        for user, expiring in by_user.items():
            try:
                n_sent += _expiry_mail(user, expiring).send() if user.email else 0
            except (smtplib.SMTPRecipientsRefused, smtplib.SMTPDataError) as error:
                logger.warning("The mail server refused an email about API tokens: %s", type(error).__name__)
            except (OSError, smtplib.SMTPException) as error:
                logger.warning("The mail server cannot be reached: %s", type(error).__name__)
                cache.set(MAIL_PAUSE, True, timeout=MAIL_PAUSE_SECONDS)
                break
            ApiToken.objects.filter(pk__in=[token.pk for token in expiring]).update(expiry_notified_at=timezone.now())
    return n_sent


def _expiry_mail(user: User, expiring: list[ApiToken]) -> EmailMessage:
    context = {"tokens": expiring, "account": user.get_username(), "address": settings.SITE_URL + reverse("account")}
    body = render_to_string("emails/tokens_expire.txt", context)
    return EmailMessage(f"{settings.SITE_NAME}: API tokens expire soon", body, to=[user.email])
