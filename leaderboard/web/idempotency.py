"""Idempotency keys: a request that is repeated after a lost response has no second effect."""

from __future__ import annotations

import datetime
import hashlib
import re
from collections.abc import Callable
from typing import Final

from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.http import QueryDict
from django.utils import timezone
from django.utils.datastructures import MultiValueDict

from leaderboard.models import IdempotentRequest, Submission, User

RETENTION: Final = datetime.timedelta(days=7)
"""How long a key is stored."""
MAX_KEY_CHARACTERS: Final = 255


class KeyReusedError(ValueError):
    """A key that was used with other content before."""


def key_of(header: str) -> str:
    """The key in a header, with or without quotation marks around it.

    Raises:
        ValueError: it is empty, too long, or contains a space or anything else but visible ASCII characters.

    >>> key_of('"8e03978e"'), key_of("8e03978e")
    ('8e03978e', '8e03978e')
    """
    key = header.strip()
    if len(key) > 1 and key[0] == key[-1] == '"':
        key = key[1:-1]
    if not re.fullmatch(f"[!-~]{{1,{MAX_KEY_CHARACTERS}}}", key):
        raise ValueError(
            f"An Idempotency-Key must have 1 to {MAX_KEY_CHARACTERS} visible ASCII characters without spaces, for "
            "example a UUID."
        )
    return key


def content_of(fields: QueryDict, files: MultiValueDict[str, UploadedFile[bytes]]) -> str:
    """SHA-256 (hexadecimal) of a request's form: every field but the CSRF token, and every file with its name and its
    bytes."""
    digest = hashlib.sha256()

    def add(*parts: bytes) -> None:
        for part in parts:
            digest.update(len(part).to_bytes(8, "big") + part)

    for name in sorted(fields.keys() - {"csrfmiddlewaretoken"}):
        add(b"field", name.encode(), *[value.encode("utf-8", "surrogatepass") for value in fields.getlist(name)])
    for name in sorted(files):
        for upload in files.getlist(name):
            content = hashlib.sha256()
            for chunk in upload.chunks():
                content.update(chunk)
            add(b"file", name.encode(), (upload.name or "").encode("utf-8", "surrogatepass"), content.digest())
    return digest.hexdigest()


def first_of(*, owner: User, key: str, content: str) -> Submission | None:
    """The result of the first request with this key, if there was one.

    Args:
        content: the request's, by `content_of`.

    Raises:
        KeyReusedError: the key was used with other content.
    """
    known = IdempotentRequest.objects.select_related("submission").filter(user=owner, key=key).first()
    return _first(known, content) if known else None


def once(*, owner: User, key: str, content: str, make: Callable[[], Submission]) -> tuple[Submission, bool]:
    """Call *make* unless a request with this key did; returns the submission, and whether it existed before.

    Of two concurrent requests, the second waits for the key's row until the first has finished, then returns its
    result; if the first fails, its row is removed, and the second is treated as the first.

    Raises:
        KeyReusedError: the key was used with other content.
    """
    IdempotentRequest.objects.filter(user=owner, created_at__lt=timezone.now() - RETENTION).delete()
    with transaction.atomic():
        # A second request waits here, in the unique index, until the first one commits or is rolled back.
        known, is_first = IdempotentRequest.objects.get_or_create(
            user=owner, key=key, defaults={"fingerprint": content}
        )
        if is_first:
            known.submission = make()
            known.save(update_fields=["submission"])
            return known.submission, False
    return _first(known, content), True


def _first(known: IdempotentRequest, content: str) -> Submission:
    if known.fingerprint != content or known.submission is None:
        raise KeyReusedError(
            "This Idempotency-Key was already used with different content. Send a new submission with a new key."
        )
    return known.submission
