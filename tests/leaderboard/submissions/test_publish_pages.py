"""The pages on which a submission goes to the board, and that no public address tells whose an anonymous one is."""

import datetime
import re
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from leaderboard.board.exports.snapshots import snapshot_name
from leaderboard.maintenance.moderation import services as moderation
from leaderboard.models import (
    Entry,
    Publication,
    PublicationState,
    Submission,
    System,
    User,
)
from leaderboard.publishing import pseudonyms, requests
from leaderboard.publishing import services as publishing
from leaderboard.publishing.services import reveal_submission, unpublish_submission
from leaderboard.submissions import services
from leaderboard.web.dates import day_in_words
from scoring.models import Benchmark
from tests import boards, factories
from tests.notices import error_codes

pytestmark = pytest.mark.django_db

TRUTH = {
    "name": "Analytical Engine",
    "authors": "Ada Lovelace and Charles Babbage",
    "url": "https://truth.example.org/engine",
    "citation": "Lovelace (1843), Notes on the Engine",
    "details": "Punched cards of our own.",
    "context_size": 424242,
}
TELLING = ("Analytical", "analytical-engine", "Lovelace", "Babbage", "truth.example", "Punched", "424242", "countess")


@pytest.fixture
def ada(made: Benchmark) -> User:
    return factories.user("countess")


@pytest.fixture
def sent(made: Benchmark, ada: User) -> Submission:
    return factories.scored(ada, factories.split(made, "dev"), {"openbook": factories.perfect()}, **TRUTH)


def in_days(days: int) -> datetime.date:
    return pseudonyms.today() + datetime.timedelta(days=days)


def publish_page(sent: Submission) -> str:
    return reverse("submission-publish", args=[sent.pk])


def publish(client: Client, sent: Submission, fields: dict[str, str], *, follow: bool = False) -> Any:
    """Send the form as it was just read."""
    return client.post(publish_page(sent), fields | {"seen": requests.fingerprint(sent)}, follow=follow)


class TestChoosing:
    def test_by_name(self, client: Client, ada: User, sent: Submission) -> None:
        client.force_login(ada)
        assert 'name="anonymous_until"' in client.get(sent.get_absolute_url()).content.decode()
        assert publish(client, sent, {"how": "named"}, follow=True).status_code == 200
        assert Entry.objects.get().system.name == "Analytical Engine"

    @pytest.mark.parametrize(
        ("said", "refused"),
        [
            ({}, {"how": ["required"]}),
            ({"how": "anonymous"}, {"anonymous_until": ["required"]}),
            ({"how": "anonymous", "anonymous_until": "2019-01-01"}, {"anonymous_until": ["out_of_range"]}),
            ({"how": "anonymous", "anonymous_until": "tomorrow"}, {"anonymous_until": ["invalid"]}),
            ({"how": "named", "anonymous_until": "2999-01-01"}, {"how": ["contradictory"]}),
        ],
    )
    def test_what_is_unclear_publishes_nothing(
        self, client: Client, ada: User, sent: Submission, said: dict[str, str], refused: dict[str, list[str]]
    ) -> None:
        client.force_login(ada)
        page = publish(client, sent, said)
        assert (page.status_code, Entry.objects.count()) == (422, 0)
        assert error_codes(page, "publish_form") == refused

    def test_what_the_database_says_no_to_comes_back_with_the_reason(
        self, client: Client, ada: User, sent: Submission
    ) -> None:
        services.withdraw_submission(sent, actor=ada)
        client.force_login(ada)
        page = publish(client, sent, {"how": "named"})
        assert page.status_code == 422
        assert requests.WITHDRAWN in page.content.decode()

    def test_anonymously_with_another_day_and_its_name_at_last(
        self, client: Client, ada: User, sent: Submission
    ) -> None:
        client.force_login(ada)
        publish(client, sent, {"how": "anonymous", "anonymous_until": in_days(30).isoformat()})
        made_up = Entry.objects.get().system
        page = client.get(sent.get_absolute_url()).content.decode()
        found = re.search(r'id="published-anonymously">.*?</p>', page, re.DOTALL)
        assert found and made_up.name in found[0]
        assert f'value="{in_days(30).isoformat()}"' in client.get(publish_page(sent)).content.decode()
        publish(client, sent, {"how": "named", "anonymous_until": in_days(60).isoformat()})
        assert Entry.objects.get().system.authors == f"Withheld until {day_in_words(in_days(60))}"
        assert publish(client, sent, {"how": "named"}).status_code == 422, "the choice of a day reveals nothing"
        client.post(reverse("submission-reveal", args=[sent.pk]))
        assert Entry.objects.get().system.name == "Analytical Engine"
        led = client.get(made_up.get_absolute_url())
        assert (led.status_code, led["Location"]) == (302, "/systems/analytical-engine/")

    def test_what_was_to_be_anonymous_is_offered_so_again(self, client: Client, ada: User, sent: Submission) -> None:
        """After taking it off the board: whoever presses the button once more names nobody."""

        def offered() -> dict[str, object]:
            form = client.get(sent.get_absolute_url()).context["publish_form"]
            return {name: form[name].initial for name in ("how", "anonymous_until", "shows_traits")}

        client.force_login(ada)
        assert offered() == {"how": "named", "anonymous_until": None, "shows_traits": None}
        publishing.publish_submission(sent, actor=ada, anonymous_until=in_days(30), shows_traits=True)
        unpublish_submission(sent, actor=ada)
        assert offered() == {"how": "anonymous", "anonymous_until": in_days(30), "shows_traits": True}
        Publication.objects.update(anonymous_until=in_days(0))
        assert offered()["how"] == "named", "the day is here"

    def test_a_page_left_open_does_not_publish_by_name_what_was_to_be_anonymous(
        self, client: Client, ada: User, sent: Submission
    ) -> None:
        publishing.publish_submission(sent, actor=ada)
        unpublish_submission(sent, actor=ada)
        client.force_login(ada)
        asked = {"how": "anonymous", "anonymous_until": in_days(30).isoformat()}
        page = publish(client, sent, asked)
        assert page.status_code == 422
        assert "cannot become anonymous" in page.content.decode()

    @pytest.mark.parametrize("seen", ["what was read", ""])
    def test_a_member_publishes_no_newer_file_of_a_colleague_unseen(
        self, client: Client, made: Benchmark, ada: User, seen: str
    ) -> None:
        bob = factories.user("bob")
        team = factories.team(ada, bob)
        dev = factories.split(made, "dev")
        sent = factories.scored(ada, dev, {"openbook": factories.perfect()}, team=team)
        seen = requests.fingerprint(sent) if seen else ""
        factories.replace_file(sent, factories.perfect(right=1), by=bob)
        factories.score(sent)
        client.force_login(ada)
        response = client.post(publish_page(sent), {"how": "named", "seen": seen})
        assert response.status_code == 422
        assert not Publication.objects.exists() and not Entry.objects.filter(submission=sent).exists()
        assert publish(client, sent, {"how": "named"}).status_code == 302
        client.post(reverse("submission-answers", args=[sent.pk]), {"shown": "yes", "seen": seen})
        assert not Entry.objects.get(submission=sent).shows_answers

    def test_a_wish_waits_is_returned_and_is_retracted_in_words(
        self, client: Client, made: Benchmark, ada: User, sent: Submission
    ) -> None:
        Benchmark.objects.update(needs_approval=True)
        grace = factories.maintainer()
        client.force_login(ada)
        assert "Request publication" in client.get(sent.get_absolute_url()).content.decode()
        publish(client, sent, {"how": "named"})
        page = client.get(sent.get_absolute_url()).content.decode()
        assert 'id="publication-waits"' in page and 'id="take-back"' in page
        moderation.give_back(sent, actor=grace, message="Name all authors, please.")
        page = client.get(sent.get_absolute_url()).content.decode()
        assert "Name all authors, please." in page and "Request publication" in page
        publish(client, sent, {"how": "named"})
        moderation.approve(sent, actor=grace)
        moderation.retract(sent, actor=grace, note="Copied from elsewhere.")
        page = client.get(sent.get_absolute_url()).content.decode()
        assert "Copied from elsewhere." in page and "Request publication" not in page


class TestAnonymity:
    """Every address that a stranger can ask for, and not a word of the truth."""

    def addresses(self, made: Benchmark, sent: Submission, system: System) -> list[str]:
        board = "/fanoutqa/dev/openbook/"
        state = boards.take_state(factories.split(made, "dev"), factories.setting(made))
        kept = [f"{board}states/{snapshot_name(state)}/"] if state else []
        return [
            "/",
            board,
            f"{board}?columns=all",
            f"{board}?q=anonymous",
            f"{board}pictures/",
            f"{board}states/",
            *kept,
            *(f"{place}export.{form}" for place in (board, *kept) for form in ("csv", "json", "tex", "bib")),
            system.get_absolute_url(),
            f"{system.get_absolute_url()}questions/?split=dev&setting=openbook",
            f"/compare/?split=dev&setting=openbook&system={system.slug}&system=other",
            "/definitions/",
            "/fanoutqa/data-card/",
            "/api/v1/systems/",
            f"/api/v1/systems/{system.slug}/",
            f"/api/v1/systems/{system.slug}/scores/",
            "/api/v1/board/?benchmark=fanoutqa&split=dev&setting=openbook",
            sent.get_absolute_url(),
            f"/api/v1/submissions/{sent.pk}/",
            "/systems/analytical-engine/",
            "/metrics",
            "/maintenance/moderation/",
        ]

    @pytest.mark.slow
    def test_no_public_address_tells_whose_it_is(
        self, client: Client, made: Benchmark, ada: User, sent: Submission
    ) -> None:
        bob = factories.user("bob")
        factories.published(bob, factories.split(made, "dev"), {"openbook": factories.perfect(right=2)}, name="Other")
        publishing.publish_submission(sent, actor=ada, anonymous_until=in_days(30), shows_answers=True)
        boards.refresh()
        system = Entry.objects.get(submission=sent).system
        seen = 0
        for address in self.addresses(made, sent, system):
            response = client.get(address, follow=True)
            text = (b"".join(response) if response.streaming else response.content).decode()
            assert response.status_code in (200, 401, 404), address
            telling = [word for word in TELLING if word.lower() in text.lower()]
            assert not telling, f"{address} tells {telling}"
            seen += system.name in text
        assert seen > 12, "the crawl has seen the row where it is"

    @pytest.mark.parametrize("word", ["Analytical", "Lovelace", "1843"])
    def test_searching_for_the_truth_finds_nothing(
        self, client: Client, ada: User, sent: Submission, word: str
    ) -> None:
        publishing.publish_submission(sent, actor=ada, anonymous_until=in_days(30))
        name = Entry.objects.get().system.name
        boards.write()
        for query, is_there in (("anonymous", True), (word, False)):
            page = client.get("/fanoutqa/dev/openbook/", {"q": query}).content.decode()
            assert (name in page.partition('id="board-table"')[2]) == is_there

    def test_what_was_kept_under_the_made_up_name_stays_so(
        self, client: Client, made: Benchmark, ada: User, sent: Submission
    ) -> None:
        publishing.publish_submission(sent, actor=ada, anonymous_until=in_days(30))
        boards.refresh()
        state = boards.take_state(factories.split(made, "dev"), factories.setting(made)) or None
        made_up = Entry.objects.get().system
        reveal_submission(sent, actor=ada)
        boards.refresh()
        listed = client.get("/fanoutqa/dev/openbook/states/").content.decode()
        assert state is None or snapshot_name(state) in listed
        address = listed.split('href="/fanoutqa/dev/openbook/states/')[-1].split('"')[0]
        page = client.get(f"/fanoutqa/dev/openbook/states/{address}").content.decode()
        assert made_up.name in page and "Removed" not in page
        assert "Analytical" in client.get("/fanoutqa/dev/openbook/").content.decode()


class TestRetractedPage:
    def test_the_systems_page_says_so_and_the_board_has_no_row(
        self, client: Client, ada: User, sent: Submission
    ) -> None:
        publishing.publish_submission(sent, actor=ada)
        moderation.retract(sent, actor=factories.maintainer(), note="212 answers are another's.")
        page = client.get("/systems/analytical-engine/")
        assert page.status_code == 200
        assert "Retracted" in page.content.decode() and "212 answers are another&#x27;s." in page.content.decode()
        assert "Analytical" not in client.get("/fanoutqa/dev/openbook/").content.decode()
        assert client.get("/api/v1/systems/analytical-engine/").status_code == 404

    def test_the_page_of_what_was_only_taken_off_is_gone(self, client: Client, ada: User, sent: Submission) -> None:
        publishing.publish_submission(sent, actor=ada)
        unpublish_submission(sent, actor=ada)
        assert client.get("/systems/analytical-engine/").status_code == 404


def test_the_day_is_kept_while_it_waits(client: Client, ada: User, sent: Submission) -> None:
    Benchmark.objects.update(needs_approval=True)
    client.force_login(ada)
    publish(client, sent, {"how": "anonymous", "anonymous_until": in_days(30).isoformat()})
    wish: Any = Publication.objects.get()
    assert (wish.state, wish.anonymous_until) == (PublicationState.PENDING, in_days(30))
    client.post(reverse("submission-unpublish", args=[sent.pk]))
    wish.refresh_from_db()
    assert wish.state == PublicationState.TAKEN_BACK
