"""Publishing by name and anonymously, with a maintainer's approval and without, and what becomes of it on the day."""

import datetime
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser
from django.http import QueryDict
from django.utils import timezone

from leaderboard.access import can_read_answers
from leaderboard.maintenance.moderation import services as moderation
from leaderboard.maintenance.moderation.queries import queue_page
from leaderboard.models import (
    AuditRecord,
    Entry,
    Publication,
    PublicationState,
    Submission,
    System,
    Team,
    User,
)
from leaderboard.publishing import pseudonyms, requests
from leaderboard.publishing.errors import SubmissionError
from leaderboard.publishing.services import (
    NOT_ANONYMOUS,
    REVEALED_ON_ITS_DAY,
    publish_submission,
    reveal_due,
    reveal_submission,
    unpublish_submission,
)
from leaderboard.publishing.status import publication_view
from leaderboard.submissions import deletion
from leaderboard.web.dates import day_in_words
from scoring.benchmarks.attributes import OLD_NAMES
from scoring.models import Benchmark, Split
from tests import factories

pytestmark = pytest.mark.django_db

TRUTH = {
    "authors": "Ada Lovelace and Charles Babbage",
    "url": "https://truth.example.org/engine",
    "citation": "Lovelace (1843), Notes on the Engine",
    "details": "Punched cards of our own.",
    "type": "FINETUNE",
    "context_size": 4242,
    "trained_for_function_calling": True,
}


def sent_by(owner: User, made: Benchmark, *, name: str = "Analytical Engine", **fields: Any) -> Submission:
    return factories.scored(
        owner, factories.split(made, "dev"), {"openbook": factories.perfect()}, name=name, **TRUTH | fields
    )


def in_days(days: int) -> datetime.date:
    return timezone.now().astimezone(datetime.UTC).date() + datetime.timedelta(days=days)


def row_of(sent: Submission) -> Entry:
    return Entry.objects.select_related("system").get(submission=sent, replaced_at=None)


def day_comes(sent: Submission) -> None:
    Publication.objects.filter(submission=sent).update(anonymous_until=in_days(0))


def needs_approval(made: Benchmark) -> None:
    Benchmark.objects.filter(pk=made.pk).update(needs_approval=True)


class TestAnonymity:
    def test_the_row_stands_under_a_system_that_knows_nothing_of_the_true_one(self, made: Benchmark, ada: User) -> None:
        sent = sent_by(ada, made)
        publish_submission(sent, actor=ada, anonymous_until=in_days(30))
        system = row_of(sent).system
        assert system.name.startswith("Anonymous ") and system.slug.startswith("anonymous-")
        assert system.authors == f"Withheld until {day_in_words(in_days(30))}"
        assert (system.owner, system.team, system.url, system.citation, system.details) == (None, None, "", "", "")
        assert (system.type, system.attributes) == ("OTHER", {})
        assert not System.objects.filter(name="Analytical Engine").exists()

    def test_traits_are_told_only_if_the_owner_lets_them(self, made: Benchmark, ada: User) -> None:
        sent = sent_by(ada, made)
        publish_submission(sent, actor=ada, anonymous_until=in_days(30), shows_traits=True)
        system = row_of(sent).system
        assert (system.type, system.attributes) == ("FINETUNE", {name: TRUTH[name] for name in OLD_NAMES})
        assert (system.url, system.citation, system.details) == ("", "", "")

    def test_two_submissions_of_one_system_do_not_tell_that_they_belong_together(
        self, made: Benchmark, ada: User
    ) -> None:
        for _ in range(2):
            publish_submission(sent_by(ada, made), actor=ada, anonymous_until=in_days(30))
        assert Entry.objects.filter(replaced_at=None).values("system").distinct().count() == 2

    def test_on_its_day_it_gets_its_name_and_not_before(self, made: Benchmark, ada: User) -> None:
        sent = sent_by(ada, made)
        publish_submission(sent, actor=ada, anonymous_until=in_days(1))
        made_up = row_of(sent).system
        assert reveal_due() == 0
        day_comes(sent)
        assert (reveal_due(), reveal_due()) == (1, 0)
        system = row_of(sent).system
        assert (system.name, system.authors, system.owner) == ("Analytical Engine", TRUTH["authors"], ada)
        made_up.refresh_from_db()
        assert made_up.revealed_as == system
        assert sent.publications.get().revealed_at is not None
        assert sent.events.last().text == REVEALED_ON_ITS_DAY  # type: ignore[union-attr]

    @pytest.mark.parametrize("decision", ["pending", "returned", "replaced", "retracted"])
    def test_no_name_is_revealed_before_the_day_that_its_page_shows(
        self, made: Benchmark, ada: User, monkeypatch: pytest.MonkeyPatch, decision: str
    ) -> None:
        sent = sent_by(ada, made)
        publish_submission(sent, actor=ada, anonymous_until=in_days(10))
        Benchmark.objects.update(needs_approval=True)
        factories.replace_file(sent, factories.perfect(right=2), by=ada)
        factories.score(sent)
        sent = Submission.objects.get()
        wish = publish_submission(sent, actor=ada, anonymous_until=in_days(40))
        assert wish.state == PublicationState.PENDING
        if decision == "returned":
            moderation.give_back(sent, actor=factories.maintainer(), message="Which model is it?")
        elif decision == "replaced":
            factories.replace_file(sent, factories.perfect(right=1), by=ada)
        elif decision == "retracted":
            grace = factories.maintainer()
            moderation.retract(sent, actor=grace, note="A look is needed.")
            moderation.put_back(sent, actor=grace)
        day = in_days(40)
        rows = Entry.objects.filter(replaced_at=None).select_related("system")
        assert publication_view(sent, list(rows)).anonymous_until == day
        assert row_of(sent).system.authors == pseudonyms.WITHHELD.format(day=day_in_words(day))
        monkeypatch.setattr(pseudonyms, "today", lambda: day - datetime.timedelta(days=1))
        assert reveal_due() == 0
        monkeypatch.setattr(pseudonyms, "today", lambda: day)
        assert reveal_due() == 1

    def test_another_day_counts_from_when_it_is_named(self, made: Benchmark, ada: User) -> None:
        sent = sent_by(ada, made)
        publish_submission(sent, actor=ada, anonymous_until=in_days(1))
        day_comes(sent)
        publish_submission(sent, actor=ada, anonymous_until=in_days(9))
        assert reveal_due() == 0
        system = row_of(sent).system
        assert (system.is_pseudonym, system.authors) == (True, f"Withheld until {day_in_words(in_days(9))}")
        assert System.objects.filter(is_pseudonym=True).count() == 1

    def test_its_owner_may_name_it_before_the_day_once(self, made: Benchmark, ada: User) -> None:
        sent = sent_by(ada, made)
        publish_submission(sent, actor=ada, anonymous_until=in_days(30))
        assert reveal_submission(sent, actor=ada).name == "Analytical Engine"
        with pytest.raises(SubmissionError, match=NOT_ANONYMOUS):
            reveal_submission(sent, actor=ada)

    def test_what_was_taken_off_is_not_named_on_the_day(self, made: Benchmark, ada: User) -> None:
        sent = sent_by(ada, made)
        publish_submission(sent, actor=ada, anonymous_until=in_days(1))
        unpublish_submission(sent, actor=ada)
        day_comes(sent)
        assert reveal_due() == 0
        assert not System.objects.filter(name="Analytical Engine").exists()

    def test_what_was_public_by_name_cannot_become_anonymous(self, made: Benchmark, ada: User) -> None:
        sent = sent_by(ada, made)
        publish_submission(sent, actor=ada)
        unpublish_submission(sent, actor=ada)
        with pytest.raises(SubmissionError, match="cannot become anonymous"):
            publish_submission(sent, actor=ada, anonymous_until=in_days(30))

    @pytest.mark.parametrize("days", [-1, 0, requests.MAX_ANONYMOUS_DAYS + 1])
    def test_the_day_lies_ahead_but_not_too_far(self, made: Benchmark, ada: User, days: int) -> None:
        with pytest.raises(SubmissionError, match=day_in_words(in_days(requests.MAX_ANONYMOUS_DAYS))):
            publish_submission(sent_by(ada, made), actor=ada, anonymous_until=in_days(days))

    @pytest.mark.parametrize("anonymous_is_later", [True, False])
    def test_of_two_rows_that_meet_on_the_day_the_later_one_stays(
        self, made: Benchmark, ada: User, anonymous_is_later: bool
    ) -> None:
        anonymous, named = sent_by(ada, made), sent_by(ada, made, details="Said with the name")
        publish_submission(anonymous, actor=ada, anonymous_until=in_days(1))
        publish_submission(named, actor=ada)
        if anonymous_is_later:
            Entry.objects.filter(submission=anonymous).update(published_at=timezone.now())
        day_comes(anonymous)
        assert reveal_due() == 1
        (row,) = Entry.objects.filter(replaced_at=None).select_related("system")
        assert row.submission == (anonymous if anonymous_is_later else named)
        assert (row.system.name, row.system.details) == ("Analytical Engine", "Said with the name")
        assert Entry.objects.filter(system=row.system).count() == 2

    def test_a_deleted_submission_takes_its_made_up_name_along(self, made: Benchmark, ada: User, grace: User) -> None:
        sent = sent_by(ada, made)
        publish_submission(sent, actor=ada, anonymous_until=in_days(30))
        deletion.delete_submission(sent, actor=grace)
        assert not System.objects.exists()


class TestRenamedSystems:
    @pytest.fixture
    def sent(self, made: Benchmark, ada: User) -> Submission:
        sent = sent_by(ada, made, name="Gamma")
        publish_submission(sent, actor=ada)
        System.objects.update(name="Gamma Prime")
        return sent

    def newer_version(self, sent: Submission, ada: User) -> None:
        factories.replace_file(sent, factories.perfect(right=4 - sent.files.count()), by=ada)
        factories.score(sent)

    def test_a_newer_version_replaces_the_row_of_the_renamed_system(self, sent: Submission, ada: User) -> None:
        self.newer_version(sent, ada)
        publish_submission(sent, actor=ada)
        assert (row_of(sent).system.name, row_of(sent).system.slug) == ("Gamma Prime", "gamma")
        assert System.objects.count() == 1

    def test_the_name_outlasts_unpublishing(self, sent: Submission, ada: User) -> None:
        for _ in range(2):
            unpublish_submission(sent, actor=ada)
            publish_submission(sent, actor=ada)
        assert (row_of(sent).system.name, row_of(sent).system.slug) == ("Gamma Prime", "gamma")
        assert System.objects.count() == 1

    def test_it_counts_and_not_the_one_that_was_submitted(self, sent: Submission, ada: User) -> None:
        unpublish_submission(sent, actor=ada)
        Submission.objects.update(name="Human")
        publish_submission(sent, actor=ada)
        System.objects.update(name="Human")
        unpublish_submission(sent, actor=ada)
        with pytest.raises(SubmissionError):
            publish_submission(sent, actor=ada)

    def test_another_submission_of_its_new_name_joins_it(self, sent: Submission, made: Benchmark, ada: User) -> None:
        publish_submission(sent_by(ada, made, name="Gamma Prime"), actor=ada)
        assert Entry.objects.get(replaced_at=None).system == System.objects.get()

    def test_what_was_revealed_keeps_its_system(self, made: Benchmark, ada: User) -> None:
        sent = sent_by(ada, made, name="Gamma")
        publish_submission(sent, actor=ada, anonymous_until=in_days(1))
        reveal_submission(sent, actor=ada)
        System.objects.filter(is_pseudonym=False).update(name="Gamma Prime")
        unpublish_submission(sent, actor=ada)
        publish_submission(sent, actor=ada)
        assert row_of(sent).system.name == "Gamma Prime"

    def test_a_merged_system_keeps_its_rows(self, sent: Submission, made: Benchmark, ada: User) -> None:
        publish_submission(sent_by(ada, made, name="Alpha"), actor=ada)
        alpha = System.objects.get(name="Alpha")
        System.objects.filter(slug="gamma").update(same_as=alpha)
        unpublish_submission(sent, actor=ada)
        publish_submission(sent, actor=ada)
        assert (row_of(sent).system.slug, row_of(sent).system.same_as) == ("gamma", alpha)


class TestTeams:
    def test_what_a_team_publishes_is_the_teams_system_whoever_of_it_does_so(self, made: Benchmark, ada: User) -> None:
        team = Team.objects.create(name="Engineers", slug="engineers")
        bob = factories.user("bob")
        own = sent_by(ada, made)
        publish_submission(own, actor=ada)
        for owner in (ada, bob):
            sent = sent_by(owner, made)
            Submission.objects.filter(pk=sent.pk).update(team=team)
            publish_submission(Submission.objects.get(pk=sent.pk), actor=owner, approved=True)
        systems = list(System.objects.order_by("pk"))
        assert [(system.team, system.owner) for system in systems] == [(None, ada), (team, ada)]
        (row,) = Entry.objects.filter(system=systems[1], replaced_at=None)
        assert row.submission is not None and row.submission.owner == bob


class TestApproval:
    def test_nothing_is_public_before_a_maintainer_approves(self, made: Benchmark, ada: User, grace: User) -> None:
        needs_approval(made)
        sent = sent_by(ada, made)
        wish = publish_submission(sent, actor=ada)
        assert wish.state == PublicationState.PENDING
        assert not Entry.objects.exists() and not System.objects.exists()
        moderation.approve(sent, actor=grace)
        assert row_of(sent).system.name == "Analytical Engine"
        wish.refresh_from_db()
        assert (wish.state, wish.decided_by) == (PublicationState.APPROVED, grace)
        record = AuditRecord.objects.get(action="submission.approved")
        assert (record.actor, record.target) == (grace, f"submission {sent.pk}")
        assert record.text == "Analytical Engine: approved under its own name."

    def test_a_wish_that_waits_can_be_changed_and_taken_back(self, made: Benchmark, ada: User, grace: User) -> None:
        needs_approval(made)
        sent = sent_by(ada, made)
        publish_submission(sent, actor=ada)
        wish = publish_submission(sent, actor=ada, anonymous_until=in_days(30))
        assert (sent.publications.count(), wish.anonymous_until) == (1, in_days(30))
        unpublish_submission(sent, actor=ada)
        with pytest.raises(SubmissionError, match=r"no pending request .*: .* withdrew"):
            moderation.approve(sent, actor=grace)
        assert not Entry.objects.exists()

    def test_withdrawing_takes_the_wish_back(self, made: Benchmark, ada: User, grace: User) -> None:
        from leaderboard.submissions import services

        needs_approval(made)
        sent = sent_by(ada, made)
        publish_submission(sent, actor=ada)
        services.withdraw_submission(sent, actor=ada)
        assert queue_page(QueryDict())["page"].paginator.count == 0
        assert publication_view(sent, []).state == PublicationState.TAKEN_BACK
        with pytest.raises(SubmissionError):
            moderation.approve(sent, actor=grace)
        assert not Entry.objects.exists()

    def test_returned_with_a_message_it_can_be_asked_again(self, made: Benchmark, ada: User, grace: User) -> None:
        needs_approval(made)
        sent = sent_by(ada, made)
        publish_submission(sent, actor=ada)
        wish = moderation.give_back(sent, actor=grace, message="Please name all authors.")
        assert (wish.state, wish.message) == (PublicationState.RETURNED, "Please name all authors.")
        again = publish_submission(sent, actor=ada)
        assert (again.state, sent.publications.count()) == (PublicationState.PENDING, 2)

    def test_another_day_of_what_is_on_the_board_needs_no_approval(
        self, made: Benchmark, ada: User, grace: User
    ) -> None:
        needs_approval(made)
        sent = sent_by(ada, made)
        publish_submission(sent, actor=ada, anonymous_until=in_days(3))
        moderation.approve(sent, actor=grace)
        wish = publish_submission(sent, actor=ada, anonymous_until=in_days(9))
        assert wish.state == PublicationState.APPROVED

    def test_approved_after_its_day_it_stands_under_its_name(self, made: Benchmark, ada: User, grace: User) -> None:
        needs_approval(made)
        sent = sent_by(ada, made)
        publish_submission(sent, actor=ada, anonymous_until=in_days(1))
        day_comes(sent)
        assert reveal_due() == 0, "a wish that waits reveals nothing"
        moderation.approve(sent, actor=grace)
        assert row_of(sent).system.name == "Analytical Engine"


class TestRetraction:
    def test_the_row_leaves_and_only_a_maintainer_puts_it_back(self, made: Benchmark, ada: User, grace: User) -> None:
        sent = sent_by(ada, made)
        publish_submission(sent, actor=ada, shows_answers=True)
        moderation.retract(sent, actor=grace, note="Answers were copied.")
        row = Entry.objects.get()
        assert row.replaced_at is not None and row.retracted_at is not None
        assert (row.retraction_note, row.shows_answers) == ("Answers were copied.", False)
        with pytest.raises(SubmissionError, match="only a maintainer"):
            publish_submission(sent, actor=ada)
        with pytest.raises(SubmissionError, match="cannot be retracted"):
            moderation.retract(sent, actor=grace, note="Again.")
        moderation.put_back(sent, actor=grace)
        row = row_of(sent)
        assert (row.retracted_at, row.retraction_note, row.shows_answers) == (None, "", False)
        with pytest.raises(SubmissionError, match="not retracted"):
            moderation.put_back(sent, actor=grace)

    def test_an_anonymous_row_stays_anonymous_through_it(self, made: Benchmark, ada: User, grace: User) -> None:
        sent = sent_by(ada, made)
        publish_submission(sent, actor=ada, anonymous_until=in_days(30))
        made_up = row_of(sent).system
        moderation.retract(sent, actor=grace, note="A look is needed.")
        moderation.put_back(sent, actor=grace)
        assert row_of(sent).system == made_up


def test_public_answers_are_private_once_their_split_is_hidden(made: Benchmark, ada: User) -> None:
    sent = factories.scored(ada, factories.split(made, "dev"), {"openbook": factories.perfect()})
    publish_submission(sent, actor=ada, shows_answers=True)
    for hidden in (False, True):
        Split.objects.update(hidden=hidden)
        row = Entry.objects.get(submission=sent)
        assert can_read_answers(AnonymousUser(), row) is not hidden
        assert can_read_answers(ada, row)
