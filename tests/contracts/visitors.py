"""Test clients that are signed in as accounts of a site."""

from functools import cache
from typing import Any

from django.contrib.auth import get_user_model
from django.test import Client


def client_of(username: str = "") -> Client:
    """A client signed in to an account, or anonymous if no name is given."""
    client = Client()
    if username:
        client.force_login(get_user_model().objects.get(username=username))
    return client


def content_of(path: str, username: str = "", **options: Any) -> bytes:
    """The content at a URL, which must answer 200."""
    response = _known(username).get(path, **options)
    assert response.status_code == 200, f"{path} answers {response.status_code}"
    return b"".join(response) if response.streaming else response.content


_known = cache(client_of)
"""Clients by account; signing in takes time."""
