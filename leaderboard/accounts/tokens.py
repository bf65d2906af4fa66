"""API tokens: created once, stored as a digest, with a scope, until they expire or are revoked."""

import datetime
import hashlib
import secrets
from typing import Final

from django.db import transaction
from django.db.models import F
from django.urls import reverse
from django.utils import timezone

from leaderboard.access import TokenError, active_tokens
from leaderboard.accounts import mails
from leaderboard.models import ApiToken, MailKind, TokenScope, User
from leaderboard.web.dates import day_in_words
from leaderboard.web.site_address import at_site

TOKEN_PREFIX = "mh_"  # noqa: S105 - the prefix of tokens, not a token


MAX_TOKENS = 50
"""The maximum number of active tokens per account."""


TOKEN_USE_SECONDS = 60
"""The resolution of a token's last use: fine enough to be useful, coarse enough not to write at each request."""


LIFETIMES: Final = {30: "30 days", 90: "90 days", 365: "1 year"}
"""Days for which a new token can be valid."""
NOTICE: Final = datetime.timedelta(days=30)
"""Time before its end at which the email about a token is sent; a token with a shorter life has none."""


class TooManyTokensError(ValueError):
    """An account has reached the limit of tokens; the message is for its owner."""


@transaction.atomic
def create_token(*, user: User, name: str, scope: str = TokenScope.SUBMIT, days: int = 365) -> tuple[ApiToken, str]:
    """Create an API token; returns its record and the token itself, which is never shown again.

    Raises:
        TooManyTokensError: the account has `MAX_TOKENS` active tokens.
    """
    # Called for the lock alone: two requests at once must not both find one token fewer than the maximum.
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
        return "If the account has API tokens, a new password revokes them."

    def password_changed(self, password: str, user: User | None = None) -> None:
        del password
        if user is not None and user.pk is not None:
            ApiToken.objects.filter(user=user, revoked_at=None).update(revoked_at=timezone.now())


def digest_of(secret: str) -> str:
    """The stored digest of a token, or of an invitation's: the SHA-256 of a random 256-bit secret needs no salt."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


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


def queue_expiry_notices() -> int:
    """Queue an email to each account with tokens that expire within `NOTICE`; returns how many."""
    due = (
        active_tokens()
        .filter(expiry_notified_at=None, expires_at__lte=timezone.now() + NOTICE)
        .filter(expires_at__gt=F("created_at") + NOTICE)
    )
    n_queued = 0
    for user in User.objects.filter(pk__in=due.values("user")):
        with transaction.atomic():
            expiring = list(due.filter(user=user).select_for_update().order_by("expires_at"))
            if not expiring:  # another worker was faster
                continue
            ApiToken.objects.filter(pk__in=[token.pk for token in expiring]).update(expiry_notified_at=timezone.now())
            address = at_site(reverse("account"))
            context = {"tokens": expiring, "account": user.get_username(), "address": address}
            mails.queue(MailKind.TOKENS, user, "API tokens expire soon", "tokens_expire.txt", context)
            n_queued += 1
    return n_queued
