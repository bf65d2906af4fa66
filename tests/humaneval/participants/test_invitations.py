"""Links into a study: unguessable, kept hashed, revoked and renewed; and the mails that bring them."""

import hashlib
import re
import smtplib
from typing import Any

import pytest
from django.conf import settings as site
from django.core import mail
from django.core.mail.backends.locmem import EmailBackend
from pytest_django import DjangoAssertNumQueries, Settings

from humaneval.models import Contact, Invitation, InvitationKind, Participant, Study, StudyEvent
from humaneval.models.people import PREVIEW_NUMBERS_FROM
from humaneval.participants import invitations, mails
from leaderboard.models import AuditRecord, User
from tests import factories
from tests import study_people as studies

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(grace: User) -> Study:
    return factories.study(grace, factories.split(factories.benchmark(), "dev"))


class TestTokens:
    def test_a_token_is_kept_as_its_hash_alone(self, study: Study, grace: User) -> None:
        link = invitations.invite(study, by=grace)
        token = invitations.token_of(link)
        assert len(token) == 43
        assert link.digest == hashlib.sha256(token.encode()).hexdigest()
        row = Invitation.objects.filter(pk=link.pk).values().get()
        assert token not in repr(row)
        assert invitations.address_of(link) == f"{site.SITE_URL}/studies/{study.slug}/join/{token}/"

    def test_a_link_is_found_by_its_token_in_its_own_study_alone(
        self, study: Study, grace: User, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        link = invitations.invite(study, by=grace)
        token = invitations.token_of(link)
        with django_assert_num_queries(1):
            assert invitations.invitation_for(study, token) == link
        other = factories.study(grace, study.split)
        assert invitations.invitation_for(other, token) is None
        with django_assert_num_queries(0):
            assert invitations.invitation_for(study, "") is None
            assert invitations.invitation_for(study, "x" * 101) is None
        assert invitations.invitation_for(study, link.digest) is None
        assert invitations.invitation_for(study, token[:-1]) is None
        assert invitations.invitation_for(study, "\0é") is None

    def test_links_outlive_a_rotated_key(self, study: Study, grace: User, settings: Settings) -> None:
        link = invitations.invite(study, by=grace)
        token = invitations.token_of(link)
        settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY]
        settings.SECRET_KEY = "k" * 50
        assert invitations.token_of(link) == token
        settings.SECRET_KEY_FALLBACKS = []
        with pytest.raises(invitations.UnknownTokenError, match="Renew the link"):
            invitations.token_of(link)
        assert invitations.invitation_for(study, token) == link, "whoever has the link goes on by it"
        assert invitations.token_of(invitations.renew(link, by=grace)) != token


class TestMaking:
    def test_many_at_once_are_one_event_and_one_record(self, study: Study, grace: User) -> None:
        before = StudyEvent.objects.count()
        invitations.invite_many(study, by=grace, n=2, emails=("a@example.org", "A@example.org"), label="Course")
        assert Invitation.objects.filter(study=study, label="Course").count() == 3
        assert StudyEvent.objects.count() == before + 1
        text = StudyEvent.objects.latest("pk").text
        assert re.findall(r"\d+", text) == ["3", "1", "1"], "links, new addresses, addresses that have a link"
        assert AuditRecord.objects.filter(action="study.invited", actor=grace).count() == 1
        assert "example.org" not in text + AuditRecord.objects.latest("pk").text

    def test_an_address_gets_no_second_link_unless_the_first_is_revoked(self, study: Study, grace: User) -> None:
        (first,) = invitations.invite_many(study, by=grace, emails=("a@example.org",))
        assert invitations.invite_many(study, by=grace, emails=("a@EXAMPLE.org",)) == []
        invitations.revoke(first, by=grace)
        assert len(invitations.invite_many(study, by=grace, emails=("a@example.org",))) == 1

    def test_what_makes_no_sense_is_refused(self, study: Study, grace: User) -> None:
        for wrong in ({"kind": InvitationKind.SHARED, "email": "a@example.org"}, {"limit": 3}, {"limit": 0}):
            with pytest.raises(invitations.InvitationError):
                invitations.invite(study, by=grace, **wrong)
        for n in (0, 501):
            with pytest.raises(invitations.InvitationError, match="between 1 and 500"):
                invitations.invite_many(study, by=grace, n=n)

    def test_the_limit_of_a_shared_link_goes_no_lower_than_its_use(self, study: Study, grace: User) -> None:
        link = invitations.invite(study, by=grace, kind=InvitationKind.SHARED, limit=5)
        Invitation.objects.filter(pk=link.pk).update(n_used=3)
        assert not invitations.change_limit(link, 2, by=grace)
        assert invitations.change_limit(link, 3, by=grace)
        assert Invitation.objects.get(pk=link.pk).limit == 3

    def test_a_preview_takes_no_number_and_is_made_anew_each_time(self, study: Study, grace: User) -> None:
        first = invitations.preview_link(study, by=grace).participant
        again = invitations.preview_link(study, by=grace).participant
        other = invitations.preview_link(study, by=factories.maintainer("edsger")).participant
        assert first and again and other
        assert not Participant.objects.filter(pk=first.pk).exists()
        assert set(Participant.objects.filter(is_preview=True)) == {again, other}
        assert min(again.number, other.number) >= PREVIEW_NUMBERS_FROM
        assert Invitation.objects.count() == 2


class Away(EmailBackend):
    """A mail server that cannot be reached after its second mail."""

    def send_messages(self, messages: Any) -> int:
        if len(mail.outbox) >= 2:
            raise ConnectionRefusedError
        return int(super().send_messages(messages))


class Picky(EmailBackend):
    """A mail server that refuses one address."""

    def send_messages(self, messages: Any) -> int:
        if "b@example.org" in messages[0].to:
            raise smtplib.SMTPRecipientsRefused({"b@example.org": (550, b"no such user")})
        return int(super().send_messages(messages))


class TestMails:
    @pytest.fixture
    def links(self, study: Study, grace: User) -> list[Invitation]:
        emails = ("a@example.org", "b@example.org", "c@example.org")
        return invitations.invite_many(study, by=grace, emails=emails, n=1)

    def test_each_gets_their_own_link_once(self, study: Study, grace: User, links: list[Invitation]) -> None:
        outcome = mails.send_unsent(study, by=grace, message="  Dear all, <b>please</b> come.\n")
        assert (outcome.n_sent, outcome.n_refused, outcome.n_left, outcome.server_unavailable) == (3, 0, 0, False)
        assert [message.to for message in mail.outbox] == [["a@example.org"], ["b@example.org"], ["c@example.org"]]
        for message, link in zip(mail.outbox, links, strict=False):
            assert invitations.address_of(link) in message.body
            assert str(message.body).count("/join/") == 1
            assert "Dear all, <b>please</b> come." in message.body
        assert mails.send_unsent(study, by=grace).n_sent == 0
        assert len(mail.outbox) == 3
        assert "example.org" not in "".join(StudyEvent.objects.values_list("text", flat=True))

    def test_a_name_cannot_add_a_header(self, grace: User, study: Study, links: list[Invitation]) -> None:
        Study.objects.filter(pk=study.pk).update(name="Come\r\nBcc: everybody@example.org\n\nor not")
        mails.send_unsent(study, by=grace)
        assert len(mail.outbox) == 3
        for message in mail.outbox:
            assert message.subject == "Manyhop: Invitation to Come Bcc: everybody@example.org or not"
            assert message.recipients() == message.to

    def test_a_server_that_is_away_loses_nothing(
        self, study: Study, grace: User, links: list[Invitation], settings: Settings, caplog: Any
    ) -> None:
        settings.EMAIL_BACKEND = f"{__name__}.Away"
        outcome = mails.send_unsent(study, by=grace)
        assert (outcome.n_sent, outcome.n_left, outcome.server_unavailable) == (2, 1, True)
        assert "cannot be reached; 1 not sent" in outcome.text
        assert "example.org" not in caplog.text
        assert [link.pk for link in mails.unsent(study)] == [links[2].pk]
        settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
        assert mails.send_unsent(study, by=grace).n_sent == 1
        assert len(mail.outbox) == 3

    def test_one_address_that_is_refused_stops_no_other(
        self, study: Study, grace: User, links: list[Invitation], settings: Settings
    ) -> None:
        settings.EMAIL_BACKEND = f"{__name__}.Picky"
        outcome = mails.send_unsent(study, by=grace)
        assert (outcome.n_sent, outcome.n_refused, outcome.server_unavailable) == (2, 1, False)
        assert "rejected 1." in outcome.text

    def test_a_link_without_address_or_revoked_is_not_sent(
        self, study: Study, grace: User, links: list[Invitation]
    ) -> None:
        with pytest.raises(mails.MailError, match="no email address"):
            mails.send_one(links[3], by=grace)
        invitations.revoke(links[0], by=grace)
        links[0].refresh_from_db()
        with pytest.raises(mails.MailError, match="revoked"):
            mails.send_one(links[0], by=grace)
        mails.send_one(links[1], by=grace)
        mails.send_one(links[1], by=grace)
        assert len(mail.outbox) == 2

    def test_a_reminder_says_how_far_they_are(self, study: Study) -> None:
        people = studies.lively(study)
        mails.remind(people["stuck"], by=study.owner, message="We miss you.")
        (message,) = mail.outbox
        assert message.to == ["third@example.org"]
        assert "We miss you." in message.body
        assert invitations.address_of(people["stuck"].invitation) in message.body
        assert Participant.objects.get(pk=people["stuck"].pk).reminded_at is not None
        assert StudyEvent.objects.filter(participant_code="P-03", text=mails.REMINDED).exists()

    @pytest.mark.parametrize("who", ["finished", "declined", "withdrawn", "dropped", "excluded", "answering"])
    def test_who_has_finished_or_left_or_gave_no_address_is_not_reminded(self, study: Study, who: str) -> None:
        people = studies.lively(study)
        if who != "answering":
            Contact.objects.update_or_create(invitation=people[who].invitation, defaults={"email": "x@example.org"})
        with pytest.raises(mails.MailError, match="no email address" if who == "answering" else "has finished or"):
            mails.remind(people[who], by=study.owner)
        assert mail.outbox == []

    def test_a_reminder_that_did_not_go_is_not_noted(self, study: Study, settings: Settings) -> None:
        people = studies.lively(study)
        Contact.objects.filter(invitation__participant=people["stuck"]).update(email="b@example.org")
        settings.EMAIL_BACKEND = f"{__name__}.Picky"
        with pytest.raises(mails.MailError, match=r"rejected .* P-03"):
            mails.remind(people["stuck"], by=study.owner)
        assert Participant.objects.get(pk=people["stuck"].pk).reminded_at is None
