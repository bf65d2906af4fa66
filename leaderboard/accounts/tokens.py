"""API tokens: created once, stored as a digest, revoked by their owner."""

import datetime
import hashlib
import secrets

from django.db import transaction
from django.utils import timezone

from leaderboard.models import (
    ApiToken,
    User,
)

TOKEN_PREFIX = "mh_"  # noqa: S105 - the prefix of tokens, not a token


MAX_TOKENS = 50
"""The maximum number of active tokens per account."""


TOKEN_USE_SECONDS = 60
"""The resolution of a token's last use: fine enough to be useful, coarse enough not to write at each request."""


class TooManyTokensError(ValueError):
    """An account has reached the limit of tokens; the message is for its owner."""


@transaction.atomic
def create_token(*, user: User, name: str) -> tuple[ApiToken, str]:
    """Create an API token; returns its record and the token itself, which is never shown again.

    Raises:
        TooManyTokensError: the account has `MAX_TOKENS` active tokens.
    """
    User.objects.select_for_update(no_key=True).get(pk=user.pk)
    if ApiToken.objects.filter(user=user, revoked_at=None).count() >= MAX_TOKENS:
        raise TooManyTokensError(
            f"You have {MAX_TOKENS} tokens, the maximum for one account. Revoke a token that you no longer use."
        )
    secret = TOKEN_PREFIX + secrets.token_urlsafe(32)
    token = ApiToken.objects.create(user=user, name=name, prefix=secret[:8], digest=digest_of(secret))
    return token, secret


def revoke_token(token: ApiToken) -> None:
    """Revoke a token; its record remains."""
    ApiToken.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=timezone.now())


def digest_of(secret: str) -> str:
    """The stored digest of a token: the SHA-256 of a random 256-bit secret needs no salt."""
    return hashlib.sha256(secret.encode()).hexdigest()


def user_of_token(secret: str) -> User | None:
    """The user of a token; None if it is unknown or revoked. Records that it was used."""
    token = ApiToken.objects.select_related("user").filter(digest=digest_of(secret), revoked_at=None).first()
    if token is None or not token.user.is_active:
        return None
    now = timezone.now()
    if token.last_used_at is None or now - token.last_used_at > datetime.timedelta(seconds=TOKEN_USE_SECONDS):
        ApiToken.objects.filter(pk=token.pk).update(last_used_at=now)
    return token.user
