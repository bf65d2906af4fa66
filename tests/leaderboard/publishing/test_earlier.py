"""After the newest submission of a system was withdrawn, the earlier one can be shown again."""

import pytest
from django.test import Client

from leaderboard.models import Entry
from leaderboard.submissions.services import withdraw_submission
from tests import factories

pytestmark = pytest.mark.django_db


def test_withdrawing_the_newest_offers_to_show_the_earlier_one_again(client: Client) -> None:
    owner, split = factories.user("owner"), factories.split(factories.benchmark(), "test")
    first = factories.published(owner, split, {"openbook": factories.perfect("test", right=2)})
    second = factories.published(owner, split, {"openbook": factories.perfect("test")})
    client.force_login(owner)
    assert client.get(f"/submissions/{second.pk}/").context["earlier"] is None
    withdraw_submission(second, actor=owner)
    assert not Entry.objects.filter(replaced_at=None).exists()
    assert client.get(f"/submissions/{second.pk}/").context["earlier"] == first
    client.force_login(factories.user("stranger"))
    assert client.post(f"/submissions/{second.pk}/earlier/").status_code == 404
    client.force_login(owner)
    assert client.post(f"/submissions/{second.pk}/earlier/").status_code == 302
    row = Entry.objects.get(replaced_at=None)
    assert (row.submission, row.shows_answers) == (first, False)
    assert client.get(f"/submissions/{second.pk}/").context["earlier"] is None


def test_a_withdrawn_earlier_submission_is_not_shown_again(client: Client) -> None:
    owner, split = factories.user("owner"), factories.split(factories.benchmark(), "test")
    first = factories.published(owner, split, {"openbook": factories.perfect("test", right=2)})
    second = factories.published(owner, split, {"openbook": factories.perfect("test")})
    withdraw_submission(second, actor=owner)
    withdraw_submission(first, actor=owner)
    client.force_login(owner)
    assert client.get(f"/submissions/{second.pk}/").context["earlier"] is None
    client.post(f"/submissions/{second.pk}/earlier/")
    assert not Entry.objects.filter(replaced_at=None).exists()
