"""Whatever changes a board marks it, in the transaction that changes it, and marks no other."""

import datetime
import html
from collections.abc import Callable
from typing import Any

import pytest
from django.db import transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from leaderboard.board import standings, write
from leaderboard.board.inputs import BoardInputs
from leaderboard.board.staleness import mark_runs
from leaderboard.maintenance import corrections, rescoring
from leaderboard.maintenance.moderation import services as moderation
from leaderboard.models import BoardChange, CorrectedScore, Standing, Submission, System
from leaderboard.publishing import reported_rows
from leaderboard.publishing import services as publishing
from leaderboard.publishing.services import reveal_submission, unpublish_submission
from leaderboard.submissions import services
from scoring.models import Benchmark, Run, Score
from scoring.models.run_states import RunState
from scoring.runs import answer_sets, execution, leases
from scoring.statistics import Corrected
from tests import boards, factories
from tests.rows import remembered

pytestmark = pytest.mark.django_db
TODAY = timezone.now().date()


@pytest.fixture
def made() -> Benchmark:
    """A site with two boards written: one with a submission, and one with drawn systems."""
    remembered("staleness", _fill)
    return Benchmark.objects.get()


def _fill() -> None:
    made = factories.benchmark(n_dev=8, n_test=20)
    dev = factories.split(made, "dev")
    factories.published(factories.user(), dev, {"openbook": factories.perfect(n=8)}, name="Ada's system")
    boards.fill(factories.split(made, "test"), factories.setting(made), 3)
    boards.refresh()
    assert not BoardChange.objects.exists()


def marked() -> set[str]:
    """The boards that are marked now."""
    return {f"{change.split.slug}/{change.setting.slug}" for change in BoardChange.objects.all()}


def sent() -> Submission:
    return Submission.objects.get()


def publish_another(made: Benchmark) -> None:
    ada = sent().owner
    factories.published(ada, factories.split(made, "dev"), {"closedbook": factories.perfect(n=8)}, name="Another")


def publish_under_the_same_name(made: Benchmark) -> None:
    """Its citation is shown wherever the system is."""
    test = factories.split(made, "test")
    factories.published(
        sent().owner, test, {"closedbook": factories.perfect("test", 20)}, name="Ada's system", citation="New"
    )


def unpublish(made: Benchmark) -> None:
    unpublish_submission(sent(), actor=sent().owner)


def withdraw(made: Benchmark) -> None:
    services.withdraw_submission(sent(), actor=sent().owner)


def retract(made: Benchmark) -> None:
    moderation.retract(sent(), actor=factories.maintainer(), note="Copied.")


def report(made: Benchmark) -> None:
    system = System.objects.create(name="Paper", slug="paper", authors="B")
    reported_rows.report_row(
        system=system,
        split=factories.split(made, "dev"),
        setting=factories.setting(made),
        source="Table 1",
        note="",
        context_size=None,
        values={"loose": 0.5},
        published_at=timezone.now(),
    )


def correct(made: Benchmark) -> None:
    score = Score.objects.get(run__answer_set__board_entry__submission=sent(), name="loose")
    corrections.save_corrections("round", "People", [(score.pk, Corrected(0.5, 0.4, 0.6, 3, 5))])


def take_corrections_back(made: Benchmark) -> None:
    correct(made)
    BoardChange.objects.all().delete()
    corrections.save_corrections("round", "People", [])
    assert not CorrectedScore.objects.exists()


def switch(made: Benchmark) -> None:
    answer_sets.switch_signature(factories.split(made, "dev"), "rouge", "rouge|another")


def revise(made: Benchmark) -> None:
    dev = factories.split(made, "dev")
    factories.revise(dev, factories.source_questions("dev", 9), date=datetime.date(2025, 5, 5))


def finish_a_run(made: Benchmark) -> None:
    run = Run.objects.get(answer_set__board_entry__submission=sent(), metric="accuracy")
    Run.objects.filter(pk=run.pk).update(state=RunState.WAITING)
    token = leases.claim(str(run.pk))
    assert token is not None
    execution.execute(str(run.pk), token, check=lambda: None)


def fail_a_run(made: Benchmark) -> None:
    run = Run.objects.get(answer_set__board_entry__submission=sent(), metric="accuracy")
    Run.objects.filter(pk=run.pk).update(state=RunState.WAITING)
    token = leases.claim(str(run.pk))
    assert token is not None
    assert leases.end_run(str(run.pk), token, state=RunState.FAILED, reason="It broke.")


CHANGES: dict[Callable[[Benchmark], None], set[str]] = {
    publish_another: {"dev/closedbook"},
    publish_under_the_same_name: {"dev/openbook", "test/closedbook"},
    unpublish: {"dev/openbook"},
    withdraw: {"dev/openbook"},
    retract: {"dev/openbook"},
    report: {"dev/openbook"},
    correct: {"dev/openbook"},
    take_corrections_back: {"dev/openbook"},
    switch: {"dev/openbook"},
    revise: {"dev/openbook"},
    finish_a_run: {"dev/openbook"},
    fail_a_run: {"dev/openbook"},
}


@pytest.mark.slow
@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_what_changes_a_board_marks_it_and_no_other(change: Callable[[Benchmark], None], made: Benchmark) -> None:
    change(made)
    assert marked() == CHANGES[change]


@pytest.mark.parametrize("remove", [unpublish, withdraw, retract], ids=lambda remove: remove.__name__)
def test_a_row_that_leaves_is_gone_from_the_page_without_a_worker(
    remove: Callable[[Benchmark], None],
    made: Benchmark,
    client: Client,
    django_capture_on_commit_callbacks: Callable[..., Any],
) -> None:
    page = reverse("board", args=["fanoutqa", "dev", "openbook"])
    assert "Ada&#x27;s system" in client.get(page).content.decode()
    with django_capture_on_commit_callbacks(execute=True):
        remove(made)
    assert "Ada&#x27;s system" not in client.get(page).content.decode()


def test_a_change_that_is_taken_back_marks_nothing(made: Benchmark) -> None:
    def unpublish_and_fail() -> None:
        with transaction.atomic():
            unpublish(made)
            assert marked() == {"dev/openbook"}
            raise RuntimeError

    with pytest.raises(RuntimeError):
        unpublish_and_fail()
    assert marked() == set()


def test_putting_back_and_revealing_a_name_mark_too(made: Benchmark) -> None:
    grace = factories.maintainer()
    moderation.retract(sent(), actor=grace, note="Copied.")
    standings.refresh_marked()
    moderation.put_back(sent(), actor=grace)
    assert marked() == {"dev/openbook"}
    standings.refresh_marked()
    dev = factories.split(made, "dev")
    hidden = factories.scored(sent().owner, dev, {"closedbook": factories.perfect(n=8)}, name="Blind")
    publishing.publish_submission(hidden, actor=hidden.owner, anonymous_until=TODAY + datetime.timedelta(days=30))
    standings.refresh_marked()
    reveal_submission(hidden, actor=hidden.owner)
    assert marked() == {"dev/closedbook"}


def test_scores_that_no_board_shows_mark_none(made: Benchmark) -> None:
    dev = factories.split(made, "dev")
    factories.scored(sent().owner, dev, {"openbook": factories.perfect(n=8)}, name="Private")
    assert marked() == set(), "it is on no board"
    factories.revise(dev, factories.source_questions("dev", 8, overrides={0: "Something else"}))
    standings.refresh_marked()
    shown = Submission.objects.get(name="Ada's system")
    rescoring.make_missing_runs(factories.split(made, "dev"))
    factories.score(shown)
    assert marked() == set(), "its new scores are under a signature that is not in force"


class TestTheAdministration:
    @pytest.fixture
    def client(self, client: Client) -> Client:
        client.force_login(factories.maintainer())
        return client

    def test_renaming_a_system_marks_its_board(self, made: Benchmark, client: Client) -> None:
        system = System.objects.get(slug="system-1")
        fields = {"name": "Renamed", "authors": "A", "type": "OTHER", "attributes": ""}
        response = client.post(reverse("admin:leaderboard_system_change", args=[system.pk]), fields)
        assert response.status_code == 302
        assert marked() == {"test/openbook"}

    def test_a_system_that_is_deleted(self, made: Benchmark, client: Client) -> None:
        Standing.objects.all().delete()  # which the administration deletes for nobody
        system = System.objects.get(slug="system-1")
        client.post(reverse("admin:leaderboard_system_delete", args=[system.pk]), {"post": "yes"})
        assert not System.objects.filter(pk=system.pk).exists()
        assert marked() == {"test/openbook"}


def test_statistics_that_cannot_be_computed_hold_up_nothing_that_can_be_shown(
    made: Benchmark, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(inputs: BoardInputs) -> standings.Computed:
        raise ArithmeticError

    monkeypatch.setattr(standings, "compute", failing)
    loose = Score.objects.filter(run__answer_set__split__slug="dev", name="loose")
    loose.update(value=0.4321)
    mark_runs(list(loose.values_list("run", flat=True)))
    assert standings.refresh_marked() == 1
    assert marked() == set()
    board = boards.board_for(factories.split(made, "dev"), factories.setting(made))
    assert [row.cells[0].value for row in board.rows] == [0.4321]
    assert board.stored.content.statistics_stale


def test_a_board_says_that_it_is_being_updated_whatever_else_is_stale(made: Benchmark, client: Client) -> None:
    del made
    unpublish_submission(sent(), actor=sent().owner)
    boards.fill(sent().split, sent().files.get().setting, 2)
    write.write_marked()
    publishing.publish_submission(sent(), actor=sent().owner)
    for path, headers in (("", {}), ("", {"HX-Request": "true", "HX-Target": "board-table"}), ("pictures/", {})):
        page = client.get(f"/fanoutqa/dev/openbook/{path}", headers=headers).content.decode()
        assert "Ada's system" not in html.unescape(page), path
        assert 'id="board-stale"' in page, path
        assert 'id="statistics-stale"' in page, path
    told = client.get("/api/v1/board/?split=dev").json()
    assert (told["stale"], told["statistics_stale"]) == (True, True)
    boards.refresh()
    told = client.get("/api/v1/board/?split=dev").json()
    assert (told["stale"], told["statistics_stale"]) == (False, False)
