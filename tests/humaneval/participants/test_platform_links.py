"""Links of people whom Prolific or Mechanical Turk recruits."""

import logging
from typing import Any
from urllib.parse import urlencode

import pytest
from django.test import Client
from django.urls import reverse

from humaneval.answering import session, withdrawal
from humaneval.models import InvitationKind, Participant, Platform, Study, Withdrawal
from humaneval.participants.invitations import path_of
from humaneval.results.exports.own_data import data_of
from leaderboard.operations.redaction import WithoutLinks
from tests import volunteers

pytestmark = pytest.mark.django_db

PROLIFIC = {"PROLIFIC_PID": "5f3c0000aaaa1111bbbb2222", "STUDY_ID": "65d0", "SESSION_ID": "65e1"}
MTURK = {"workerId": "A2EXAMPLEWORKER", "assignmentId": "3EXAMPLEASSIGNMENT", "hitId": "3HIT"}
LINKS = {Platform.PROLIFIC: PROLIFIC, Platform.MTURK: MTURK}
PEOPLE = {Platform.PROLIFIC: "PROLIFIC_PID", Platform.MTURK: "workerId"}


def shared_link(platform: str, **fields: Any) -> tuple[Study, str]:
    """A study on a platform that is open, and the path of its shared link."""
    study = volunteers.open_study(platform=platform, **fields)
    return study, path_of(volunteers.link(study, kind=InvitationKind.SHARED, limit=5))


def join(client: Client, path: str, ids: dict[str, str]) -> Participant:
    """Come in as a browser does: by the page of the link, whose form sends what the page has."""
    page = client.get(path, ids)
    assert page.status_code == 200
    sent = page.context["ids"]
    assert all(f'name="{name}" value="{value}"' in page.content.decode() for name, value in sent.items())
    assert client.post(path, sent).status_code == 302
    return Participant.objects.latest("joined_at")


@pytest.mark.parametrize("platform", Platform.values)
def test_a_person_with_ids_in_the_link_becomes_one_participant(client: Client, platform: str) -> None:
    study, path = shared_link(platform)
    who = join(client, path, LINKS[Platform(platform)])
    person, submission = LINKS[Platform(platform)][PEOPLE[Platform(platform)]], who.platform_id
    assert submission is not None
    assert submission.split()[0] == person
    assert len(who.platform_key or "") == 64
    assert person not in (who.platform_key or "")
    page = client.get(path, LINKS[Platform(platform)])
    assert page.context["returning"] == who
    assert client.post(path, page.context["ids"]).url == reverse("study-home", args=[study.slug])  # type: ignore[attr-defined]
    assert Participant.objects.count() == 1, "in the same browser the person continues"


def test_the_same_id_in_another_browser_lets_nobody_in(client: Client) -> None:
    study, path = shared_link(Platform.PROLIFIC)
    who = join(client, path, PROLIFIC)
    other = Client()
    for answer in (other.get(path, PROLIFIC), other.post(path, PROLIFIC)):
        assert answer.status_code == 403
        assert who.code not in answer.content.decode()
        assert PROLIFIC["PROLIFIC_PID"] not in answer.content.decode()
    assert Participant.objects.count() == 1
    assert other.get(reverse("study-home", args=[study.slug])).status_code == 403, "no cookie"
    assert other.post(path_of(who.invitation)).status_code == 302, "the own link does"
    assert Participant.objects.count() == 1


def test_whoever_gives_the_task_back_and_takes_it_again_is_paid_for_the_newer_submission(client: Client) -> None:
    _, path = shared_link(Platform.MTURK)
    who = join(client, path, MTURK)
    again = MTURK | {"assignmentId": "3NEWER"}
    assert Client().post(path, again).status_code == 403, "not by somebody who only knows the ID"
    client.get(path, again)
    who.refresh_from_db()
    assert who.platform_id == "A2EXAMPLEWORKER 3EXAMPLEASSIGNMENT", "opening the page changes nothing"
    client.post(path, again)
    who.refresh_from_db()
    assert who.platform_id == "A2EXAMPLEWORKER 3NEWER"
    Participant.objects.update(finished_at=who.joined_at)
    client.post(path, MTURK)
    who.refresh_from_db()
    assert who.platform_id == "A2EXAMPLEWORKER 3NEWER", "the submission in which they finished"


def test_another_id_in_the_same_browser_is_another_person(client: Client) -> None:
    study, path = shared_link(Platform.PROLIFIC)
    first = join(client, path, PROLIFIC)
    page = client.get(path, PROLIFIC | {"PROLIFIC_PID": "another"})
    assert page.context["returning"] is None
    second = join(client, path, PROLIFIC | {"PROLIFIC_PID": "another"})
    assert second != first
    home = client.get(reverse("study-home", args=[study.slug]), follow=True)
    assert home.context["participant_session"].participant == second


def test_a_pseudonym_is_another_one_in_another_study(client: Client) -> None:
    study, path = shared_link(Platform.PROLIFIC)
    first = join(client, path, PROLIFIC)
    copy = Study.objects.get(pk=study.pk)
    copy.pk, copy.slug = None, "another"
    copy.save()
    second = join(Client(), path_of(volunteers.link(copy, kind=InvitationKind.SHARED, limit=5)), PROLIFIC)
    assert (first.platform_id, first.study_id) != (second.platform_id, second.study_id)
    assert first.platform_key != second.platform_key


@pytest.mark.parametrize(
    "ids",
    [
        {},
        {"PROLIFIC_PID": "", "SESSION_ID": "65e1"},
        {"PROLIFIC_PID": "65f3"},
        {"PROLIFIC_PID": "{{%PROLIFIC_PID%}}", "SESSION_ID": "65e1"},
        {"PROLIFIC_PID": "a" * 65, "SESSION_ID": "65e1"},
        {"PROLIFIC_PID": "a b", "SESSION_ID": "65e1"},
        {"PROLIFIC_PID": "=cmd", "SESSION_ID": "65e1"},
        {"PROLIFIC_PID": "65f3\n", "SESSION_ID": "65e1"},
        {"PROLIFIC_PID": "65f3", "SESSION_ID": "65e1", "STUDY_ID": "<script>"},
        MTURK,
    ],
)
def test_a_link_without_valid_ids_is_refused_and_repeats_none(client: Client, ids: dict[str, str]) -> None:
    _, path = shared_link(Platform.PROLIFIC)
    for answer in (client.get(path, ids), client.post(path, ids)):
        assert answer.status_code == 403
        text = answer.content.decode()
        assert "Prolific" in text
        assert not any(value in text for value in ids.values() if len(value) > 3)
    assert not Participant.objects.exists()


def test_ids_of_the_longest_length_are_taken(client: Client) -> None:
    _, path = shared_link(Platform.PROLIFIC)
    ids = {"PROLIFIC_PID": "a" * 64, "SESSION_ID": "b" * 64}
    assert join(client, path, ids).platform_id == f"{'a' * 64} {'b' * 64}"


def test_a_preview_on_mechanical_turk_shows_the_instructions_and_takes_no_seat(client: Client) -> None:
    study, path = shared_link(Platform.MTURK)
    ids = {"assignmentId": "ASSIGNMENT_ID_NOT_AVAILABLE", "hitId": "3HIT"}
    for answer in (client.get(path, ids), client.post(path, ids), client.get(path, MTURK | ids)):
        assert answer.status_code == 200
        assert study.instructions.split("\n")[0] in answer.content.decode()
        assert "<form" not in answer.content.decode().split("<main")[1]
    assert not Participant.objects.exists()


def test_personal_links_of_a_study_on_a_platform_need_no_id(client: Client) -> None:
    study, _ = shared_link(Platform.PROLIFIC)
    assert volunteers.come_in(client, volunteers.link(study)).platform_id is None


def test_a_study_on_no_platform_stores_no_id(client: Client) -> None:
    study = volunteers.open_study()
    path = path_of(volunteers.link(study, kind=InvitationKind.SHARED, limit=5))
    assert client.post(path, PROLIFIC).status_code == 302
    assert Participant.objects.get().platform_id is None


def test_ids_are_in_no_log_and_no_page_passes_them_on(client: Client, caplog: pytest.LogCaptureFixture) -> None:
    _, path = shared_link(Platform.PROLIFIC)
    with caplog.at_level(logging.DEBUG):
        for address, ids in ((path, PROLIFIC), (path, PROLIFIC | {"SESSION_ID": ""}), (f"{path}more/", PROLIFIC)):
            page = client.get(address, ids)
            assert page.status_code == 404 or page["Referrer-Policy"] == "strict-origin"
            assert 'name="referrer"' not in page.content.decode(), "nothing in the page allows more"
    assert all(PROLIFIC["PROLIFIC_PID"] not in record.getMessage() for record in caplog.records)
    for ids in LINKS.values():
        address = f"{path}?{urlencode(ids)}"
        line = logging.LogRecord("gunicorn.access", logging.INFO, "", 0, "GET %s", (address,), None)
        WithoutLinks().filter(line)
        assert not any(value in line.getMessage() for value in ids.values())


def test_whoever_withdraws_with_deletion_leaves_a_code_and_is_not_admitted_again(client: Client) -> None:
    study, path = shared_link(Platform.PROLIFIC)
    who = join(client, path, PROLIFIC)
    page = client.get(reverse("study-withdraw", args=[study.slug])).content.decode()
    assert "A code that stands for your ID" in page
    withdrawal.withdraw(who)
    who.refresh_from_db()
    assert who.platform_id is None
    assert who.platform_key is not None
    assert Client().post(path, PROLIFIC).status_code == 403
    assert Client().post(path, PROLIFIC | {"PROLIFIC_PID": "f" * 24}).status_code == 302


@pytest.mark.parametrize("promise", ["an older text", "anonymised"])
def test_whoever_agreed_to_no_such_code_leaves_none(client: Client, promise: str) -> None:
    study, path = shared_link(Platform.PROLIFIC)
    if promise == "anonymised":
        Study.objects.filter(pk=study.pk).update(on_withdrawal=Withdrawal.ANONYMISE)
    who = join(client, path, PROLIFIC)
    if promise == "an older text":
        text = {"text": "Everything is deleted.", "on_withdrawal": "delete"}
        who.consent = study.consent_versions.create(number=1, **text)
        who.save()
    withdrawal.withdraw(who)
    who.refresh_from_db()
    assert (who.platform_id, who.platform_key) == (None, None)


def test_people_can_read_what_is_stored_of_their_id_and_agree_to_it(client: Client) -> None:
    study, path = shared_link(Platform.PROLIFIC)
    who = join(client, path, PROLIFIC)
    assert data_of(who)["platform_id"] == "5f3c0000aaaa1111bbbb2222 65e1"
    assert "your ID on Prolific" in client.get(reverse("study-consent", args=[study.slug])).content.decode()


@pytest.mark.parametrize("platform", Platform.values)
def test_the_page_of_invitations_shows_what_the_platform_adds_to_the_link(client: Client, platform: str) -> None:
    study, _ = shared_link(platform)
    client.force_login(study.owner)
    link_end = client.get(reverse("manage-study-invitations", args=[study.slug])).context["link_ids"]
    names = [part.split("=")[0] for part in link_end.removeprefix("?").split("&")]
    assert set(names) == set(LINKS[Platform(platform)])


def test_whoever_came_back_after_the_end_sees_how_their_part_ended(client: Client) -> None:
    _, path = shared_link(Platform.PROLIFIC)
    who = join(client, path, PROLIFIC)
    Participant.objects.filter(pk=who.pk).update(dropped_at=who.joined_at)
    page = client.get(path, PROLIFIC)
    assert page.status_code == 403
    assert page.context["text"] == session.closed_reason(Participant.objects.get(pk=who.pk))
