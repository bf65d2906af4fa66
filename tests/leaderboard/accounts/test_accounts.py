"""Signing up, and what browsers and proxies may keep of the pages of somebody signed in."""

from pathlib import Path

import pytest
from django.core.exceptions import ValidationError
from django.test import Client

from leaderboard.models import Submission, User
from leaderboard.models.people import LIKE_ANOTHER
from leaderboard.web.visible_text import validate_visible_text
from tests import factories

pytestmark = pytest.mark.django_db


def sign_up(client: Client, name: str) -> int:
    password = {"password1": factories.PASSWORD, "password2": factories.PASSWORD}
    return client.post("/accounts/sign-up/", {"username": name, "email": "a@example.org", **password}).status_code


def test_a_name_that_differs_in_capitals_alone_is_taken(client: Client) -> None:
    assert sign_up(client, "ada") == 302
    client.logout()
    assert sign_up(client, "Ada") == 422
    assert list(User.objects.values_list("username", flat=True)) == ["ada"]


@pytest.mark.parametrize("name", ["ａ1", "а1", "al", "A-1"])
def test_a_username_that_looks_like_another_is_refused(client: Client, name: str) -> None:
    assert sign_up(client, "a1") == 302
    client.logout()
    assert sign_up(client, name) == 422
    assert list(User.objects.values_list("username", flat=True)) == ["a1"]


def test_a_username_that_looks_like_another_is_refused_when_an_account_is_renamed() -> None:
    factories.user("a1")
    earlier = factories.user("а1")  # from before this rule
    earlier.full_clean(exclude=["email", "password"])
    other = factories.user("bob")
    other.username = "ａ1"
    with pytest.raises(ValidationError) as refused:
        other.full_clean(exclude=["email", "password"])
    assert refused.value.message_dict == {"username": [LIKE_ANOTHER]}


def test_pages_of_somebody_signed_in_are_kept_by_no_proxy(client: Client) -> None:
    made = factories.benchmark()
    assert "private" not in client.get("/").headers.get("Cache-Control", "")
    user = factories.user()
    client.force_login(user)
    sent = factories.submission(user, factories.split(made, "dev"), {"openbook": factories.perfect()})
    for address in ("/", "/submissions/", "/accounts/", "/submit/", f"/api/v1/submissions/{sent.pk}/"):
        assert client.get(address)["Cache-Control"] == "private, no-cache", address
    assert client.get(f"/submissions/{sent.pk}/")["Cache-Control"] == "no-store"


@pytest.mark.parametrize("name", ["GPT\u202e4o", "GPT-4o\u200b", "\u3164\u2800", "\u200d", "a\u2028b", "a\x07b"])
def test_a_name_can_be_seen(name: str) -> None:
    with pytest.raises(ValidationError):
        validate_visible_text(name)


def test_names_in_any_script_and_with_emoji_are_fine(client: Client, uploads: Path) -> None:
    for text in ("می\u200cخواهم", "👩\u200d🔬 Lab", "Ł. Żółw\nB. Second", "模型"):
        validate_visible_text(text)
    factories.benchmark()
    client.force_login(factories.user())
    file = factories.upload(factories.perfect())
    assert client.post("/submit/", factories.form_data(name="One\ntwo\tthree") | {"openbook": file}).status_code == 302
    assert Submission.objects.get().name == "One two three"
