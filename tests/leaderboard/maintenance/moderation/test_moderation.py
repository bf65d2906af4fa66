"""The pages on which maintainers decide, and their log."""

import datetime
import re
from typing import Any

import pytest
from django.http import QueryDict
from django.test import Client

from leaderboard import access
from leaderboard.maintenance import rescoring
from leaderboard.maintenance.moderation import services as moderation
from leaderboard.maintenance.moderation.queries import moderation_page, queue_page
from leaderboard.maintenance.moderation.views import DONE
from leaderboard.models import AuditRecord, Entry, Membership, Publication, PublicationState, Submission, Team, User
from leaderboard.publishing import flags, requests
from leaderboard.publishing import services as publishing
from leaderboard.publishing.errors import SubmissionError
from leaderboard.publishing.services import unpublish_submission
from leaderboard.submissions.page import submission_view
from scoring.models import Benchmark, Run
from scoring.models.run_states import RunState
from tests import factories
from tests.notices import notices

pytestmark = pytest.mark.django_db

QUEUE = "/maintenance/moderation/"
N_OF_LIST, N_OF_ONE = 9, 22


@pytest.fixture
def made() -> Benchmark:
    benchmark = factories.benchmark()
    Benchmark.objects.update(needs_approval=True)
    return benchmark


@pytest.fixture
def grace(client: Client, made: Benchmark) -> User:
    grace = factories.maintainer()
    client.force_login(grace)
    return grace


def asked(ada: User, made: Benchmark, **fields: Any) -> Submission:
    sent = factories.scored(ada, factories.split(made, "dev"), {"openbook": factories.perfect()}, **fields)
    publishing.publish_submission(sent, actor=ada)
    return sent


def page_of(sent: Submission) -> str:
    return f"{QUEUE}{sent.pk}/"


def decide(client: Client, sent: Submission, fields: dict[str, str], *, follow: bool = False) -> Any:
    """Send a decision about what is there now."""
    return client.post(page_of(sent), fields | {"seen": requests.fingerprint(sent)}, follow=follow)


def text_of(client: Client, address: str) -> str:
    return client.get(address).content.decode()


class TestQueue:
    def test_what_waits_stands_there_the_first_first(
        self, client: Client, made: Benchmark, ada: User, grace: User
    ) -> None:
        first, second = asked(ada, made, name="First sent"), asked(ada, made, name="Second sent")
        text = text_of(client, QUEUE)
        assert text.index("First sent") < text.index("Second sent")
        assert page_of(first) in text and "not checked yet" in text
        moderation.approve(first, actor=grace)
        unpublish_submission(second, actor=ada)
        assert "No pending requests" in text_of(client, QUEUE)
        assert "First sent" in text_of(client, f"{QUEUE}?tab=public")
        assert "First sent" in text_of(client, f"{QUEUE}?tab=decided")
        assert "Second sent" not in text_of(client, f"{QUEUE}?tab=decided"), "taken back is not decided"

    def test_what_is_odd_stands_there_with_its_counts(
        self, client: Client, made: Benchmark, ada: User, grace: User
    ) -> None:
        answers = {"openbook": factories.perfect()}
        factories.scored(factories.user("bob"), factories.split(made, "dev"), answers, name="Original")
        factories.scored(ada, factories.split(made, "dev"), answers, name="Imitator")
        flags.find_due()
        text = text_of(client, f"{QUEUE}?tab=odd")
        assert "Imitator" in text and f"{flags.TITLES[flags.SAME_FILE]}: " in text
        assert "Private" in text

    def test_queries_do_not_grow(
        self,
        client: Client,
        made: Benchmark,
        ada: User,
        grace: User,
        django_assert_max_num_queries: Any,
        django_assert_num_queries: Any,
    ) -> None:
        asked(ada, made)
        client.get("/about/")  # the number in the navigation is kept for a while
        with django_assert_max_num_queries(15) as one:
            client.get(QUEUE)
        more = [asked(ada, made, name=f"Number {number}") for number in range(4)]
        with django_assert_max_num_queries(15) as five:
            client.get(QUEUE)
        assert len(one) == len(five)
        with django_assert_num_queries(N_OF_LIST):
            queue_page(QueryDict())
        found = access.submission_for(grace, more[0].pk)
        with django_assert_num_queries(N_OF_ONE):
            moderation_page(found)


class TestDeciding:
    def test_approving_publishes(self, client: Client, made: Benchmark, ada: User, grace: User) -> None:
        sent = asked(ada, made)
        seen = requests.fingerprint(sent)
        assert f'value="{seen}"' in text_of(client, page_of(sent))
        response = client.post(page_of(sent), {"action": "approve", "seen": seen}, follow=True)
        assert notices(response) == [("good", DONE["approve"])]
        assert Entry.objects.get(replaced_at=None).submission == sent

    def test_approval_is_not_offered_while_it_would_be_refused(
        self, client: Client, made: Benchmark, ada: User, grace: User
    ) -> None:
        sent = asked(ada, made)
        assert 'id="approve"' in text_of(client, page_of(sent))
        for state, reason in ((RunState.WAITING, requests.STILL_SCORING), (RunState.FAILED, requests.NO_SCORE)):
            Run.objects.update(state=state)
            page = text_of(client, page_of(sent))
            assert 'id="approve"' not in page
            assert 'id="return"' in page
            assert reason in page
            response = client.post(page_of(sent), {"action": "approve", "seen": requests.fingerprint(sent)})
            assert (response.status_code, Entry.objects.count()) == (422, 0)

    def test_what_changed_since_is_not_approved(self, client: Client, made: Benchmark, ada: User, grace: User) -> None:
        sent = asked(ada, made)
        seen = requests.fingerprint(sent)
        publishing.publish_submission(sent, actor=ada, shows_answers=True)
        response = client.post(page_of(sent), {"action": "approve", "seen": seen})
        assert (response.status_code, Entry.objects.count()) == (422, 0)
        assert requests.CHANGED_SINCE in response.content.decode()

    @pytest.mark.parametrize("seen", ["version 1", ""])
    @pytest.mark.parametrize("action", ["approve", "return", "retract", "put-back"])
    def test_no_decision_is_about_a_file_that_came_since(
        self, client: Client, made: Benchmark, ada: User, grace: User, action: str, seen: str
    ) -> None:
        sent = asked(ada, made)
        fields = {"action": action, f"{action}-text": "A look is needed."}
        if action in ("retract", "put-back"):
            moderation.approve(sent, actor=grace)
        if action == "put-back":
            moderation.retract(sent, actor=grace, note="Copied.")
        seen = requests.fingerprint(sent) if seen else ""
        factories.replace_file(sent, factories.perfect(right=3), by=ada)
        factories.score(sent)
        if action in ("approve", "return"):
            publishing.publish_submission(sent, actor=ada)
        before = list(Publication.objects.order_by("pk").values_list("pk", "state"))
        rows = list(Entry.objects.values_list("answer_set", "replaced_at"))
        response = client.post(page_of(sent), fields | {"seen": seen})
        assert response.status_code == 422
        assert requests.CHANGED_SINCE in response.content.decode()
        assert list(Publication.objects.order_by("pk").values_list("pk", "state")) == before
        assert list(Entry.objects.values_list("answer_set", "replaced_at")) == rows
        assert decide(client, sent, fields).status_code == 302

    def test_returning_needs_a_message(self, client: Client, made: Benchmark, ada: User, grace: User) -> None:
        sent = asked(ada, made)
        assert decide(client, sent, {"action": "return", "return-text": " "}).status_code == 422
        assert Publication.objects.get().state == PublicationState.PENDING
        decide(client, sent, {"action": "return", "return-text": "Name <b>all</b> authors."})
        wish = Publication.objects.get()
        assert (wish.state, wish.message, wish.decided_by) == ("returned", "Name <b>all</b> authors.", grace)
        client.force_login(ada)
        assert "Name &lt;b&gt;all&lt;/b&gt; authors." in text_of(client, sent.get_absolute_url())

    def test_returning_decides_the_flags_too(self, client: Client, made: Benchmark, ada: User, grace: User) -> None:
        answers = {"openbook": factories.perfect()}
        factories.scored(factories.user("bob"), factories.split(made, "dev"), answers, name="Original")
        sent = asked(ada, made, name="Imitator")
        flags.find_due()
        flagged = flags.flags_of(sent, flags.ALL)
        assert set(flagged.values_list("reason", flat=True)) == {""}
        decide(client, sent, {"action": "return", "return-text": "This is the file of Original."})
        assert set(flagged.values_list("reason", flat=True)) == {"This is the file of Original."}
        assert "Imitator" not in text_of(client, f"{QUEUE}?tab=odd")
        assert "flag confirmed" in AuditRecord.objects.get(action="submission.returned").text
        with pytest.raises(SubmissionError):  # none is left without a decision
            moderation.decide_flags(sent, actor=grace, dismissed=True, reason="Fine.")

    def test_retracting_and_putting_back(self, client: Client, made: Benchmark, ada: User, grace: User) -> None:
        sent = asked(ada, made)
        moderation.approve(sent, actor=grace)
        assert decide(client, sent, {"action": "retract", "retract-text": ""}).status_code == 422
        decide(client, sent, {"action": "retract", "retract-text": "Copied."})
        assert not Entry.objects.filter(replaced_at=None).exists()
        assert 'id="put-back"' in text_of(client, page_of(sent))
        decide(client, sent, {"action": "put-back"})
        assert Entry.objects.filter(replaced_at=None).exists()

    def test_what_waits_for_a_switch_is_retracted_and_does_not_join_the_board(
        self, client: Client, made: Benchmark, ada: User, grace: User
    ) -> None:
        dev = factories.split(made, "dev")
        factories.published(ada, dev, {"openbook": factories.perfect()}, name="Earlier")
        factories.revise(dev, factories.source_questions("dev")[:3], date=datetime.date(2026, 7, 1))
        sent = factories.scored(ada, factories.split(made, "dev"), {"openbook": factories.perfect(n=3)}, name="Later")
        publishing.publish_submission(sent, actor=ada)
        moderation.approve(sent, actor=grace)
        assert requests.newest_publication(sent).state == PublicationState.JOINING  # type: ignore[union-attr]
        assert [row["name"] for row in queue_page(QueryDict("tab=public"))["rows"]] == ["Later", "Earlier"]
        assert decide(client, sent, {"action": "retract", "retract-text": "Copied."}).status_code == 302
        states = sent.publications.order_by("pk").values_list("state", flat=True)
        assert list(states) == [PublicationState.RETURNED, PublicationState.RETRACTED]
        client.force_login(ada)
        assert "Copied." in text_of(client, sent.get_absolute_url())
        with pytest.raises(SubmissionError):
            publishing.publish_submission(sent, actor=ada)
        rescoring.make_missing_runs(factories.split(made, "dev"))
        for submission in Submission.objects.all():
            factories.score(submission)
        rescoring.switch(factories.split(made, "dev"))
        assert not Entry.objects.filter(submission=sent).exists()
        moderation.put_back(sent, actor=grace)
        assert Entry.objects.filter(submission=sent, replaced_at=None).exists()

    @pytest.mark.parametrize("action", ["", "delete", "approve", "put-back", "retract"])
    def test_what_cannot_be_done_is_said(
        self, client: Client, made: Benchmark, ada: User, grace: User, action: str
    ) -> None:
        sent = factories.scored(ada, factories.split(made, "dev"), {"openbook": factories.perfect()})
        response = decide(client, sent, {"action": action, "retract-text": "Copied."})
        assert response.status_code == 422
        assert "No change made" in response.content.decode()
        assert not Entry.objects.exists()

    def test_the_log_names_who_asked_and_who_approved(self, made: Benchmark, ada: User, grace: User) -> None:
        team, bob = Team.objects.create(name="Night shift", slug="night-shift"), factories.user("bob")
        owner = Membership.objects.create(team=team, user=ada)
        sent = factories.scored(ada, factories.split(made, "dev"), {"openbook": factories.perfect()}, team=team)
        publishing.publish_submission(sent, actor=bob)
        owner.delete()
        moderation.approve(sent, actor=grace)
        names = [event.actor.username for event in sent.events.all() if event.actor]
        assert names == ["ada", "bob", "grace", "bob"]
        assert [re.findall(r"\((\w+)\)$", text) for _, text in submission_view(sent, viewer_id=ada.pk).events[-2:]] == [
            [],
            ["bob"],
        ]
        seen_by_maintainers = submission_view(sent, viewer_id=grace.pk, for_maintainer=True)
        assert seen_by_maintainers.events[-2][1].endswith("(grace)")

    def test_every_decision_is_in_the_log(self, client: Client, made: Benchmark, ada: User, grace: User) -> None:
        sent = asked(ada, made)
        moderation.give_back(sent, actor=grace, message="Later.")
        publishing.publish_submission(sent, actor=ada)
        moderation.approve(sent, actor=grace)
        moderation.retract(sent, actor=grace, note="Copied.")
        moderation.put_back(sent, actor=grace)
        log = AuditRecord.objects.filter(actor=grace, target=f"submission {sent.pk}").order_by("pk")
        actions = [record.action.removeprefix("submission.") for record in log]
        assert actions == ["returned", "approved", "retracted", "put_back", "published"]
        assert "Copied." in text_of(client, "/maintenance/audit/")
