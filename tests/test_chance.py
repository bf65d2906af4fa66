"""What tests take out of a text before they look for a word in it is what the site puts there."""

import datetime
import uuid

import pytest
from django.test import Client

from leaderboard.accounts.mails import token_of
from leaderboard.models import MailKind
from tests import factories
from tests.chance import without_ids, without_times


def test_times_are_left_out_and_numbers_and_dates_kept() -> None:
    time = datetime.datetime(2026, 11, 30, 9, 23, 40, 432_100, tzinfo=datetime.UTC)
    assert without_times(f"{time.isoformat()} 0.432 9:23 28.3") == "2026-11-30T+00:00 0.432 9:23 28.3"
    assert without_times(f"{time:%H:%M:%S} 0.432") == " 0.432"


@pytest.mark.django_db
def test_ids_tokens_and_signatures_are_left_out_and_words_kept(client: Client) -> None:
    assert without_ids(f"/submissions/{uuid.uuid4()}/ada/") == "/submissions//ada/"
    ada = factories.user("ada")
    assert without_ids(f"/mails/{token_of(ada, MailKind.SCORED)}/ada") == f"/mails/{ada.pk}-{MailKind.SCORED}./ada"
    page = client.get("/accounts/sign-in/").content.decode()
    assert 'name="csrfmiddlewaretoken" value=""' in without_ids(page) != page
