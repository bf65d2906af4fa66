"""The list of one's submissions: headline scores, what is missing and why, and decisions about publication."""

import html
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from pytest_django import DjangoAssertNumQueries, Settings

from leaderboard.disclosure import HELD, too_few_answered
from leaderboard.maintenance.moderation import services as moderation
from leaderboard.models import Anomaly, PublicationState, Submission, User
from leaderboard.publishing.services import publish_submission
from leaderboard.submissions import services, views
from leaderboard.submissions.page import submission_view
from leaderboard.submissions.queries import submission_rows
from leaderboard.submissions.types import OF_STATE, SubmissionRow
from scoring.analysis import probing
from scoring.models import Benchmark, CurrentSignature, Run, Score
from scoring.models.run_states import RunState
from tests import factories
from tests.notices import plain

pytestmark = pytest.mark.django_db
OPEN_BOOK, CLOSED_BOOK = "Open book", "Closed book"


@pytest.fixture
def ada(made: Benchmark) -> User:
    return factories.user()


def scored(owner: User, made: Benchmark, split: str = "dev", **fields: Any) -> Submission:
    answers = {"openbook": factories.perfect(split, right=1), "closedbook": factories.perfect(split)}
    return factories.scored(owner, factories.split(made, split), answers, **fields)


def row_of(sent: Submission) -> SubmissionRow:
    (row,) = submission_rows(Submission.objects.filter(pk=sent.pk))
    return row


@pytest.mark.parametrize("split", ["dev", "test"])
def test_headline_scores_are_those_of_the_submission_s_own_page(made: Benchmark, ada: User, split: str) -> None:
    sent = scored(ada, made, split)
    Score.objects.filter(name="loose").update(value=0.123456, low=0.1111, high=0.1555)
    view = submission_view(sent, viewer_id=ada.pk)
    expected = [
        (file.setting_name, score)
        for file in view.files
        for run in file.runs
        for score in run.scores
        if score.name == "loose"
    ]
    row = row_of(sent)
    assert [setting for setting, _ in row.scores] == [CLOSED_BOOK, OPEN_BOOK]
    assert row.scores == expected
    numbers = {(score.value, score.low, score.high) for _, score in row.scores}
    assert numbers == {(0.123456, 0.1111, 0.1555) if split == "dev" else (0.123, 0.111, 0.156)}


def test_the_page_shows_them_with_intervals_and_what_is_missing(client: Client, made: Benchmark, ada: User) -> None:
    sent = scored(ada, made)
    Score.objects.filter(name="loose").update(value=0.25, low=0.125, high=0.5)
    client.force_login(ada)
    page = plain(client.get("/submissions/").content.decode())
    assert "0.250" in page and "0.125 – 0.500" in page
    assert OF_STATE[RunState.NOT_CONFIGURED] in page
    assert sent.name in page


def test_without_a_run_that_has_ended_nothing_is_shown_as_missing(made: Benchmark, ada: User) -> None:
    waiting = factories.submission(ada, factories.split(made, "dev"), {"openbook": factories.perfect()})
    Run.objects.exclude(state=RunState.WAITING).delete()
    row = row_of(waiting)
    assert (row.scores, row.missing, row.state) == ([], [], "waiting")


def test_missing_metrics_have_their_settings_and_the_reason_that_their_submitter_may_know(
    made: Benchmark, ada: User
) -> None:
    sent = scored(ada, made)
    secret = "The disk /dev/sda was full."
    Run.objects.filter(metric="rouge", answer_set__setting__slug="openbook").update(
        state=RunState.FAILED, reason=secret
    )
    missing = dict(row_of(sent).missing)
    assert missing["ROUGE (open book)"] == f"Failed. {OF_STATE[RunState.FAILED].format(contact='the maintainers')}"
    assert "BLEURT, GPT judge" in missing, "in all settings, for one reason"
    assert secret not in str(missing)


def test_a_metric_that_is_scored_is_not_missing_because_of_another_run(made: Benchmark, ada: User) -> None:
    sent = scored(ada, made)
    run = Run.objects.get(metric="rouge", answer_set__setting__slug="openbook")
    Run.objects.filter(pk=run.pk).update(signature="older")
    run.pk, run.signature, run.state = None, "newer", RunState.NOT_CONFIGURED
    run.save(force_insert=True)
    assert not any("ROUGE" in metrics for metrics, _ in row_of(sent).missing)


def test_of_several_scores_the_one_that_boards_show_counts(made: Benchmark, ada: User) -> None:
    sent = factories.scored(ada, factories.split(made, "dev"), {"openbook": factories.perfect(right=1)})
    run = Run.objects.get(metric="accuracy")
    value = run.scores.get(name="loose").value
    assert CurrentSignature.objects.filter(signature=run.scores.get(name="loose").signature).exists()
    run.pk, run.signature = None, "another"
    run.save(force_insert=True)
    score = Score.objects.get(name="loose")
    score.pk, score.run, score.signature, score.value = None, run, "another", 0.99
    score.save(force_insert=True)
    assert [one.value for _, one in row_of(sent).scores] == [value]


class TestHiddenSplits:
    def test_scores_that_wait_for_a_maintainer_are_withheld_from_this_submission_alone(
        self, made: Benchmark, ada: User
    ) -> None:
        held, other = scored(ada, made, "test"), scored(ada, made, "test", name="Other")
        file = held.files.get(setting__slug="openbook")
        flag = Anomaly.objects.create(file=file, code=next(iter(probing.PADDING)), count=1)
        row = row_of(held)
        values = {setting: score.value is None for setting, score in row.scores}
        assert values == {OPEN_BOOK: True, CLOSED_BOOK: False}
        assert any(reason == HELD and "open book" in metrics for metrics, reason in row.missing)
        rows = {row.uuid: row for row in submission_rows(Submission.objects.all())}
        assert rows[held.pk].scores == row.scores
        assert all(score.value is not None for _, score in rows[other.pk].scores)
        flag.delete()
        assert all(score.value is not None for _, score in row_of(held).scores)

    def test_a_file_with_few_answers_has_none(self, made: Benchmark, ada: User, settings: Settings) -> None:
        settings.MIN_ANSWERED_SHARE = 0.9
        answers = {"openbook": dict([*factories.perfect("test").items()][:1])}
        sent = factories.scored(ada, factories.split(made, "test"), answers)
        row = row_of(sent)
        assert [score.value for _, score in row.scores] == [None]
        assert too_few_answered() in dict(row.missing).values()


class TestPublication:
    @pytest.fixture
    def grace(self, made: Benchmark) -> User:
        Benchmark.objects.update(needs_approval=True)
        return factories.maintainer()

    def state_of(self, sent: Submission) -> tuple[str, str] | None:
        publication = row_of(sent).publication
        return (publication.state, publication.message or publication.public_note) if publication else None

    def test_it_follows_the_newest_request(self, made: Benchmark, ada: User, grace: User) -> None:
        sent = scored(ada, made)
        assert self.state_of(sent) is None
        publish_submission(sent, actor=ada)
        assert self.state_of(sent) == (PublicationState.PENDING, "")
        moderation.give_back(sent, actor=grace, message="Name the model.")
        assert self.state_of(sent) == (PublicationState.RETURNED, "Name the model.")
        publish_submission(sent, actor=ada)
        assert self.state_of(sent) == (PublicationState.PENDING, "")
        moderation.approve(sent, actor=grace)
        assert self.state_of(sent) is None
        moderation.retract(sent, actor=grace, note="Copied.")
        assert self.state_of(sent) == (PublicationState.RETRACTED, "Copied.")

    def test_the_page_shows_that_it_was_returned_and_why(
        self, client: Client, made: Benchmark, ada: User, grace: User
    ) -> None:
        sent = scored(ada, made)
        publish_submission(sent, actor=ada)
        moderation.give_back(sent, actor=grace, message="<b>Name</b> the model." + "x" * 2_000)
        client.force_login(ada)
        page = client.get("/submissions/").content.decode()
        assert "&lt;b&gt;Name&lt;/b&gt; the model." in page and "x" * 2_000 not in page
        assert "Returned" in page

    def test_returned_ends_with_withdrawal(self, client: Client, made: Benchmark, ada: User, grace: User) -> None:
        sent = scored(ada, made)
        publish_submission(sent, actor=ada)
        moderation.give_back(sent, actor=grace, message="Name the model.")
        client.force_login(ada)
        page = f"/submissions/{sent.pk}/"
        assert 'id="publication-returned"' in client.get(page).content.decode()
        services.withdraw_submission(sent, actor=ada)
        assert self.state_of(sent) is None
        assert 'id="publication-returned"' not in client.get(page).content.decode()

    def test_a_withdrawn_submission_has_neither_request_nor_missing_scores(
        self, made: Benchmark, ada: User, grace: User
    ) -> None:
        sent = scored(ada, made)
        publish_submission(sent, actor=ada)
        services.withdraw_submission(sent, actor=ada)
        row = row_of(sent)
        assert (row.state, row.publication, row.missing) == ("withdrawn", None, [])


def test_the_number_of_queries_does_not_grow(
    client: Client, made: Benchmark, ada: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    Benchmark.objects.update(needs_approval=True)
    client.force_login(ada)
    for number in range(3):
        for split in ("dev", "test"):
            publish_submission(scored(ada, made, split, name=f"System {number} {split}"), actor=ada)
        with django_assert_num_queries(12):
            page = client.get("/submissions/")
        assert len(page.context["submissions"]) == 2 * (number + 1)


def test_the_list_has_pages_of_bounded_size(
    made: Benchmark, ada: User, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(views, "PER_PAGE", 2)
    split = factories.split(made, "dev")
    names = [f"Number {number}" for number in range(5)]
    for name in names:
        factories.submission(ada, split, {"openbook": {"dev-0": name}}, name=name)
    client.force_login(ada)
    address, seen, counts = "/submissions/", [], []
    while address:
        with CaptureQueriesContext(connection) as queries:
            page = client.get(address)
        seen.append([row.name for row in page.context["submissions"]])
        counts.append(len(queries))
        last, address = address, page.context["next_url"] and "/submissions/" + page.context["next_url"]
        assert not address or f'href="{html.escape(page.context["next_url"])}"' in page.content.decode(), "a plain link"
    assert seen == [names[:2:-1], names[2:0:-1], names[:1]]
    assert len(set(counts)) == 1
    back = client.get("/submissions/" + client.get(last).context["previous_url"])
    assert [row.name for row in back.context["submissions"]] == seen[1]
    beyond = {"nonsense": seen[0], "9": seen[2]}
    found = {page: client.get(f"/submissions/?page={page}").context["submissions"] for page in beyond}
    assert {page: [row.name for row in rows] for page, rows in found.items()} == beyond
