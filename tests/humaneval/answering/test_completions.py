"""The last page of people whom a platform recruits, for each outcome, and the time limit."""

import datetime
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from humaneval.answering import session
from humaneval.answering.consent import consent_digest, give_consent
from humaneval.models import Outcome, Participant, Platform, Study
from humaneval.participants.services import extend, release_seats
from humaneval.studies.outcomes import Completion, completion_of
from humaneval.studies.queries import NOT_QUALIFIED
from tests import volunteers
from tests.study_people import assigned

pytestmark = pytest.mark.django_db
ADDRESSES = {
    outcome: f"https://app.prolific.com/submissions/complete?cc={outcome.upper()}" for outcome in Outcome.values
}
CHECK = {"text": "Write blue.", "answers": ["blue"]}


def ended(client: Client, outcome: Outcome, **fields: Any) -> Participant:
    """Somebody whose part in a study on a platform ended so; the client has their cookie."""
    usual: dict[str, Any] = {
        "platform": "prolific",
        "completions": ADDRESSES,
        "exclusion_rules": {"checks": 1},
        "time_limit": 60,
    }
    who = volunteers.seated(client, volunteers.open_study(**(usual | fields)))
    now = timezone.now()
    columns: dict[Outcome, dict[str, Any]] = {
        Outcome.DONE: {"finished_at": now},
        Outcome.FAILED_CHECKS: {"finished_at": now},
        Outcome.SCREENED_OUT: {"excluded_at": now, "exclusion_reason": NOT_QUALIFIED},
        Outcome.TIMED_OUT: {"consented_at": now - datetime.timedelta(minutes=60)},
    }
    if outcome == Outcome.FAILED_CHECKS:
        assigned(who, 20, text="red", attention_check=CHECK)
    Participant.objects.filter(pk=who.pk).update(**columns[outcome])
    return Participant.objects.select_related("study").get(pk=who.pk)


@pytest.mark.parametrize("outcome", Outcome)
def test_the_last_page_leads_to_the_address_of_the_outcome(client: Client, outcome: Outcome) -> None:
    who = ended(client, outcome)
    page = client.get(reverse("study-home", args=[who.study.slug]), follow=True)
    assert page.context["completion"] == Completion(Platform.PROLIFIC, address=ADDRESSES[outcome])
    text = page.content.decode()
    assert f'href="{ADDRESSES[outcome]}"' in text
    assert sum(address in text for address in ADDRESSES.values()) == 1
    assert "http-equiv" not in text, "nobody is sent away before they have read the page"


@pytest.mark.parametrize("outcome", Outcome)
def test_a_declared_code_is_shown_to_copy(client: Client, outcome: Outcome) -> None:
    who = ended(client, outcome, platform="mturk", completions={outcome: "C-77"})
    page = client.get(reverse("study-home", args=[who.study.slug]), follow=True)
    assert page.context["completion"] == Completion(Platform.MTURK, code="C-77")
    assert "C-77" in page.content.decode()


def test_without_a_declared_code_mechanical_turk_gets_the_receipt_and_prolific_nothing(client: Client) -> None:
    who = ended(client, Outcome.DONE, platform="mturk", completions={}, reward_note="A book.")
    assert completion_of(who) == Completion(Platform.MTURK, code=who.receipt_code)
    page = client.get(reverse("study-thanks", args=[who.study.slug])).content.decode()
    assert page.count(who.receipt_code) == 1
    assert "A book." in page, "what people receive is said all the same"
    who.study.platform = Platform.PROLIFIC
    assert completion_of(who) is None


def test_failed_checks_are_an_outcome_only_by_a_declared_rule(client: Client) -> None:
    who = ended(client, Outcome.FAILED_CHECKS, exclusion_rules={})
    assert completion_of(who) == Completion(Platform.PROLIFIC, address=ADDRESSES[Outcome.DONE])


def test_other_rules_leave_the_outcome_as_it_is(client: Client) -> None:
    who = ended(client, Outcome.DONE, exclusion_rules={"percent": 100})
    assert completion_of(who) == Completion(Platform.PROLIFIC, address=ADDRESSES[Outcome.DONE])


def test_people_given_up_on_are_timed_out_and_people_who_left_have_no_outcome(client: Client) -> None:
    who = ended(client, Outcome.DONE)
    for columns, address in (
        ({"finished_at": None, "dropped_at": timezone.now()}, ADDRESSES[Outcome.TIMED_OUT]),
        ({"dropped_at": None, "excluded_at": timezone.now(), "exclusion_reason": "By hand."}, None),
        ({"excluded_at": None, "withdrawn_at": timezone.now()}, None),
        ({"withdrawn_at": None, "declined_at": timezone.now()}, None),
        ({"declined_at": None}, None),
    ):
        Participant.objects.filter(pk=who.pk).update(**columns)
        completion = completion_of(Participant.objects.select_related("study").get(pk=who.pk))
        assert (completion.address if completion else None) == address


def test_a_study_on_no_platform_has_the_receipt_only(client: Client) -> None:
    who = ended(client, Outcome.DONE, platform="", completions={})
    page = client.get(reverse("study-thanks", args=[who.study.slug]))
    assert page.context["completion"] is None
    assert who.receipt_code in page.content.decode()


def test_nothing_is_saved_and_nobody_finishes_after_the_time_limit(client: Client) -> None:
    who = volunteers.seated(client, volunteers.open_study(time_limit=60))
    deadline = session.ends_at(who)
    assert who.consented_at is not None
    assert deadline == who.consented_at + datetime.timedelta(minutes=60)
    Participant.objects.filter(pk=who.pk).update(consented_at=timezone.now() - datetime.timedelta(minutes=60))
    late = Participant.objects.select_related("study").get(pk=who.pk)
    with pytest.raises(session.StudyClosedError):
        session.require_changeable(late, grace=True)
    with pytest.raises(session.StudyClosedError):
        session.finish(late)


def test_whoever_finished_in_time_stays_finished(client: Client) -> None:
    who = ended(client, Outcome.DONE)
    long_ago = timezone.now() - datetime.timedelta(days=1)
    Participant.objects.filter(pk=who.pk).update(consented_at=long_ago, finished_at=long_ago)
    assert client.get(reverse("study-thanks", args=[who.study.slug])).status_code == 200


def test_the_deadline_is_the_sooner_of_time_limit_and_end(client: Client) -> None:
    who = volunteers.seated(client, volunteers.open_study(time_limit=60))
    end = timezone.now() + datetime.timedelta(minutes=30)
    who.study.closes_at = end
    assert session.ends_at(who) == end
    who.extended_until = end + datetime.timedelta(minutes=90)
    assert session.ends_at(who) == who.extended_until


def test_the_seat_of_whoever_has_no_time_left_is_released(client: Client) -> None:
    who = ended(client, Outcome.TIMED_OUT)
    release_seats(Study.objects.get(pk=who.study_id))
    who.refresh_from_db()
    assert who.dropped_at is not None
    assert completion_of(who) == Completion(Platform.PROLIFIC, address=ADDRESSES[Outcome.TIMED_OUT])


def test_a_seat_that_a_rule_frees_is_released_as_well_so_that_a_longer_time_gives_no_answer_too_many(
    client: Client,
) -> None:
    who = ended(client, Outcome.TIMED_OUT, exclusion_rules={"outcome": 1})
    release_seats(Study.objects.get(pk=who.study_id))
    extend(who, timezone.now() + datetime.timedelta(hours=1), by="test")
    late = Participant.objects.select_related("study").get(pk=who.pk)
    with pytest.raises(session.StudyClosedError):
        session.require_changeable(late)


def test_what_is_drawn_for_the_next_person_is_not_asked_of_whoever_ran_out_of_time_before(client: Client) -> None:
    late = ended(client, Outcome.TIMED_OUT, exclusion_rules={"outcome": 1})
    Participant.objects.filter(pk=late.pk).update(consented_at=timezone.now() - datetime.timedelta(minutes=59))
    invitation = volunteers.link(late.study)
    newcomer = volunteers.come_in(Client(), invitation)  # nobody has run out of time yet
    Participant.objects.filter(pk=late.pk).update(consented_at=timezone.now() - datetime.timedelta(minutes=60))
    assert give_consent(newcomer, digest=consent_digest(newcomer.study))
    late.refresh_from_db()
    newcomer.refresh_from_db()
    assert (late.dropped_at is None, newcomer.dropped_at) == (False, None)
