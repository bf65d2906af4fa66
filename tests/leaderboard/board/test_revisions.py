"""After a corrected key is put in force: every page names the revision that its numbers have."""

import datetime
import json
import re
from dataclasses import replace

import pytest
from django.test import Client

from leaderboard.maintenance import rescoring
from leaderboard.models import Submission, User
from leaderboard.submissions.next_step import SWITCH, next_step
from leaderboard.submissions.page import submission_view
from scoring.models import Benchmark, Split
from tests import factories
from tests.boards import board_for

pytestmark = pytest.mark.django_db
LATER = datetime.date(2026, 7, 1)
BOARD = "/fanoutqa/dev/openbook/"


@pytest.fixture
def ada() -> User:
    return factories.user()


@pytest.fixture
def made(ada: User) -> Benchmark:
    made = factories.benchmark()
    factories.published(ada, factories.split(made, "dev"), {"openbook": factories.perfect()})
    return made


def correct(made: Benchmark) -> tuple[str, Split]:
    """The old revision's first digits, and the split after its correction."""
    before = factories.split(made, "dev")
    assert before.current_revision is not None
    questions = factories.source_questions("dev")
    questions[2] = replace(questions[2], answer="Cuzco")
    factories.revise(before, questions, date=LATER)
    return before.current_revision.short_hash, factories.split(made, "dev")


def score_all() -> None:
    for sent in Submission.objects.all():
        factories.score(sent)


def revision_of(split: Split) -> str:
    assert split.current_revision is not None
    return split.current_revision.short_hash


def test_the_header_names_the_revision_of_the_numbers(made: Benchmark, client: Client) -> None:
    assert 'id="newer-revision"' not in client.get(BOARD).content.decode()
    old, dev = correct(made)
    new = revision_of(dev)
    board = board_for(dev, factories.setting(made))
    assert [one.short for one in board.revisions] == [old]
    assert board.stored.content.newer_revision and board.stored.content.newer_revision.short == new
    page = client.get(BOARD).content.decode()
    assert f"Revision <b>{old}</b>" in page
    assert 'id="newer-revision"' in page
    document = json.loads(client.get(f"{BOARD}export.json").content)
    assert document["revision"]["hash"].startswith(old)
    assert document["newer_revision"]["hash"].startswith(new)
    api = client.get("/api/v1/board/?split=dev&setting=openbook").json()
    assert (api["revision"], api["newer_revision"]["revision"]) == (old, new)
    rescoring.make_missing_runs(dev)
    score_all()
    rescoring.switch(dev)
    board = board_for(dev, factories.setting(made))
    assert [one.short for one in board.revisions] == [new]
    assert board.stored.content.newer_revision is None


def test_a_submission_s_page_and_the_api_show_the_scores_that_boards_show(
    made: Benchmark, ada: User, client: Client
) -> None:
    client.force_login(ada)
    sent = Submission.objects.get()
    address, api = f"/submissions/{sent.pk}/", f"/api/v1/submissions/{sent.pk}/"
    assert len(client.get(api).json()["revisions"]) == 1
    old, dev = correct(made)
    new = revision_of(dev)
    rescoring.make_missing_runs(dev)
    score_all()

    def grouped() -> list[tuple[str, bool]]:
        return [(one["revision"], "String accuracy" in one["shown"]) for one in client.get(api).json()["revisions"]]

    def scored() -> set[tuple[str, str]]:
        runs = client.get(api).json()["files"][0]["runs"]
        return {(run["metric"], run["revision"]) for run in runs if run["scores"]}

    def first() -> str:
        page = " ".join(client.get(address).content.decode().split())
        return str(re.findall(r'data-boards="shown"> Scored against revision <code>(\w+)</code>', page)[0])

    metrics = ("accuracy", "rouge")
    assert (grouped()[0], first()) == ((old, True), old)
    assert scored() == {(metric, old) for metric in metrics}
    rescoring.switch(dev, metrics=["rouge"])
    assert scored() == {("accuracy", old), ("rouge", new)}
    page = client.get(address).content.decode()
    assert page.count('id="reason-1"') <= 1
    rescoring.switch(dev)
    assert (grouped()[0], first()) == ((new, True), new)
    assert scored() == {(metric, new) for metric in metrics}


def test_a_file_for_a_revision_that_boards_do_not_show_yet_is_counted_on_its_own(
    made: Benchmark, ada: User, client: Client
) -> None:
    """A correction removes a question; the boards wait for the switch."""
    factories.revise(factories.split(made, "dev"), factories.source_questions("dev")[:3], date=LATER)
    dev = factories.split(made, "dev")
    sent = factories.published(ada, dev, {"openbook": factories.perfect(n=3)}, name="Later")
    client.force_login(ada)

    def told() -> tuple[list[str], list[str]]:
        page = client.get(f"/submissions/{sent.pk}/").content.decode()
        return re.findall(r'data-boards="([^"]*)"', page), re.findall(r"\d of \d(?= answered)", page)

    assert told() == (["awaited"], ["3 of 3", "3 of 3"])
    step = next_step(submission_view(sent, viewer_id=ada.pk))
    assert step == SWITCH
    assert 'id="take-back"' in client.get(f"/submissions/{sent.pk}/").content.decode()
    assert client.get(f"/api/v1/submissions/{sent.pk}/").json()["publication"]["state"] == "joining"
    rescoring.make_missing_runs(dev)
    score_all()
    rescoring.switch(dev)
    assert told() == (["shown"], ["3 of 3", "3 of 3"])
