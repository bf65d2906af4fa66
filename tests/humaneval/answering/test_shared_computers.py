"""Several people at one computer: whose session it is is asked, and a session ends with a button."""

import pytest
from django.test import Client
from django.urls import reverse

from humaneval.answering import session
from humaneval.answering.cookies import COOKIE
from humaneval.models import InvitationKind, Participant, Study
from humaneval.participants.invitations import path_of
from tests import volunteers

pytestmark = pytest.mark.django_db


def somebody_at(client: Client, study: Study) -> tuple[Participant, str]:
    """A participant who came by a link for many and wrote an answer, and the link's address."""
    shared = volunteers.link(study, kind=InvitationKind.SHARED, limit=5)
    who = volunteers.seated(client, study, shared)
    who.assignments.filter(position=1).update(text="A private answer", version=1)
    return who, path_of(shared)


def test_the_page_of_a_link_for_many_asks_who_sits_there_and_shows_no_answers(client: Client) -> None:
    study = volunteers.open_study()
    first, address = somebody_at(client, study)
    page = client.get(address)
    assert page.context["before"] == first
    assert page.context["returning"] is None
    assert "A private answer" not in page.content.decode()
    assert 'name="somebody_else"' in page.content.decode()
    assert client.post(address).url == reverse("study-home", args=[study.slug])  # type: ignore[attr-defined]
    assert Participant.objects.count() == 1, "continues"
    client.post(address, {"somebody_else": "1"})
    assert Participant.objects.count() == 2
    second = Participant.objects.latest("joined_at")
    shown = client.get(reverse("study-home", args=[study.slug]), follow=True)
    assert shown.context["participant_session"].participant == second
    assert "A private answer" not in shown.content.decode()


def test_a_new_browser_is_not_asked(client: Client) -> None:
    study = volunteers.open_study()
    _, address = somebody_at(client, study)
    assert Client().get(address).context["before"] is None


def test_somebody_who_left_is_not_offered_to_continue_as(client: Client) -> None:
    study = volunteers.open_study()
    who, address = somebody_at(client, study)
    Participant.objects.filter(pk=who.pk).update(dropped_at=who.joined_at)
    assert client.get(address).context["before"] is None


def test_done_ends_the_session_where_a_study_says_that_computers_are_shared(client: Client) -> None:
    study = volunteers.open_study(on_shared_computer=True)
    who, address = somebody_at(client, study)
    assert client.cookies[COOKIE]["max-age"] == "", "closing the browser ends it too"
    session.finish(who)
    page = client.get(reverse("study-thanks", args=[study.slug])).content.decode()
    leave = reverse("study-leave", args=[study.slug])
    assert f'action="{leave}"' in page
    assert "data-forgets" in page, "what the browser stored goes too"
    assert client.get(leave).status_code == 405
    assert client.post(leave).status_code == 200
    assert client.get(reverse("study-thanks", args=[study.slug])).status_code == 403
    assert client.get(address).context["before"] is None
    assert Participant.objects.get().assignments.get(position=1).text == "A private answer", "everything stays saved"


def test_other_studies_keep_the_session_and_have_no_such_button(client: Client) -> None:
    study = volunteers.open_study()
    who, _ = somebody_at(client, study)
    assert int(client.cookies[COOKIE]["max-age"]) > 0
    session.finish(who)
    page = client.get(reverse("study-thanks", args=[study.slug])).content.decode()
    assert reverse("study-leave", args=[study.slug]) not in page


@pytest.mark.parametrize("origin", ["none", "cross-site"])
def test_the_address_of_the_study_asks_who_sits_there_as_the_link_for_many_does(client: Client, origin: str) -> None:
    study = volunteers.open_study()
    who, _ = somebody_at(client, study)
    home = reverse("study-home", args=[study.slug])
    page = client.get(home, headers={"Sec-Fetch-Site": origin})
    assert page.context["before"] == who
    assert "A private answer" not in page.content.decode()
    assert client.post(home).url == reverse("study-questions", args=[study.slug])  # type: ignore[attr-defined]
    assert client.post(home, {"somebody_else": "1"}).status_code == 200
    assert client.get(home).status_code == 403, "the session has ended"
    assert who.assignments.get(position=1).text == "A private answer"


def test_pages_of_the_study_lead_on_without_a_question(client: Client) -> None:
    study = volunteers.open_study()
    somebody_at(client, study)
    page = client.get(reverse("study-home", args=[study.slug]), headers={"Sec-Fetch-Site": "same-origin"})
    assert page.url == reverse("study-questions", args=[study.slug])  # type: ignore[attr-defined]
