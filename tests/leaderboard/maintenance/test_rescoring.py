"""Scoring again after a correction: what is made, what is compared, and when the boards change."""

import datetime
import io
from dataclasses import replace
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from leaderboard.maintenance import rescoring
from leaderboard.models import Submission, User
from scoring.models import Benchmark, CurrentSignature, Run, Score, Split
from scoring.models.run_states import RunState
from tests import factories
from tests.boards import board_for
from tests.notices import notices

pytestmark = pytest.mark.django_db
ALL_METRICS = ("accuracy", "accuracy-repaired", "rouge", "bleurt", "judge")
"""Cheapest first."""
LATER = datetime.date(2026, 7, 1)


@pytest.fixture
def made() -> Benchmark:
    return factories.benchmark()


@pytest.fixture
def ada() -> User:
    return factories.user()


def correct(made: Benchmark) -> Split:
    """A revision in which the answer to dev-2 is another: what was right there is wrong now."""
    questions = factories.source_questions("dev")
    questions[2] = replace(questions[2], answer="Cuzco")
    factories.revise(factories.split(made, "dev"), questions, date=LATER)
    return factories.split(made, "dev")


def shown(made: Benchmark) -> dict[str, tuple[int | None, float | None]]:
    board = board_for(factories.split(made, "dev"), factories.setting(made))
    return {row.name: (row.rank, row.cells[0].value) for row in board.rows}


def score_all() -> None:
    for sent in Submission.objects.all():
        factories.score(sent)


def test_a_correction_changes_no_board_before_it_is_switched_over(made: Benchmark, ada: User) -> None:
    dev = factories.split(made, "dev")
    factories.published(ada, dev, {"openbook": factories.perfect()}, name="Old truth")
    new_truth = factories.perfect(right=2) | {"dev-2": "Cuzco", "dev-3": "3 Tokyo Japan"}
    factories.published(ada, dev, {"openbook": new_truth}, name="New truth")
    before = shown(made)
    assert before == {"Old truth": (1, 1.0), "New truth": (2, 0.75)}
    dev = correct(made)
    assert shown(made) == before
    assert rescoring.make_missing_runs(dev)["accuracy"] == 2
    assert rescoring.make_missing_runs(dev) == dict.fromkeys(ALL_METRICS, 0)
    with pytest.raises(rescoring.SwitchError, match="String accuracy: 2 of 2 rows "):
        rescoring.switch(dev)
    score_all()
    assert shown(made) == before
    loose = {change.system: change for change in rescoring.changes(dev) if change.column == "Loose accuracy"}
    assert (loose["Old truth"].old, loose["Old truth"].new) == (1.0, 0.75)
    assert (loose["Old truth"].difference, loose["Old truth"].places) == (-0.25, -1)
    assert (loose["New truth"].difference, loose["New truth"].places) == (0.25, 1)
    assert rescoring.switch(dev)[:3] == ["accuracy", "accuracy-repaired", "rouge"]
    assert shown(made) == {"New truth": (1, 1.0), "Old truth": (2, 0.75)}
    assert rescoring.changes(dev) == []
    assert Score.objects.filter(name="loose").count() == 4


def test_who_submits_in_between_is_scored_against_both_and_ranked_at_once(made: Benchmark, ada: User) -> None:
    factories.published(ada, factories.split(made, "dev"), {"openbook": factories.perfect(right=1)}, name="First")
    dev = correct(made)
    factories.published(ada, dev, {"openbook": factories.perfect()}, name="Second")
    assert shown(made) == {"Second": (1, 1.0), "First": (2, 0.25)}
    values = Score.objects.filter(name="loose", run__answer_set__board_entry__system__name="Second")
    assert sorted(values.values_list("value", flat=True)) == [0.75, 1.0]


def test_a_row_without_a_new_score_stands_apart_after_a_forced_switch(made: Benchmark, ada: User) -> None:
    factories.published(ada, factories.split(made, "dev"), {"openbook": factories.perfect()}, name="Old")
    dev = correct(made)
    rescoring.switch(dev, even_if_incomplete=True)
    board = board_for(factories.split(made, "dev"), factories.setting(made))
    assert board.rows == []
    assert [(row.name, row.cells[0].other) for row in board.apart_rows] == [("Old", 1.0)]


def test_withdrawn_submissions_are_not_scored_again(made: Benchmark, ada: User) -> None:
    from leaderboard.submissions import services

    sent = factories.scored(ada, factories.split(made, "dev"), {"openbook": factories.perfect()})
    services.withdraw_submission(sent, actor=ada)
    assert sum(rescoring.make_missing_runs(correct(made)).values()) == 0


def test_cheap_metrics_are_sent_first(made: Benchmark, ada: User) -> None:
    for name in ("A", "B"):
        factories.scored(ada, factories.split(made, "dev"), {"openbook": factories.perfect()}, name=name)
    dev = correct(made)
    before = set(Run.objects.values_list("pk", flat=True))
    rescoring.make_missing_runs(dev)
    order = Run.objects.exclude(pk__in=before).order_by("created_at").values_list("metric", flat=True)
    assert list(order) == [metric for metric in ALL_METRICS for _ in "AB"]


class TestTheCommand:
    def run(self, *args: str) -> str:
        out = io.StringIO()
        call_command("rescore", "fanoutqa", "dev", *args, stdout=out)
        return out.getvalue()

    def test_from_the_correction_to_the_switch(self, made: Benchmark, ada: User) -> None:
        factories.published(ada, factories.split(made, "dev"), {"openbook": factories.perfect()}, name="System")
        assert "nothing to compare" in self.run("--compare")
        dev = correct(made)
        assert "1 without a run" in self.run("--plan", "--metric", "accuracy")
        assert "accuracy: 1 run created" in self.run("--metric", "accuracy", "--system", "system")
        assert Run.objects.filter(revision=dev.current_revision).count() == 1
        with pytest.raises(CommandError, match=" --force"):
            self.run("--switch")
        score_all()
        assert "Open book | System | Loose accuracy: 1.0000 → 0.7500 (-0.2500), rank 1 → 1" in self.run("--compare")
        assert "Switched: accuracy" in self.run("--switch", "--metric", "accuracy")
        assert dev.current_revision is not None
        assert f"@{dev.current_revision.short_hash}" in CurrentSignature.objects.get(metric="accuracy").signature

    @pytest.mark.parametrize(
        ("args", "message"),
        [
            (("fanoutqa", "train"), "fanoutqa train has no questions"),
            (("fanoutqa", "dev", "--system", "nobody"), "FanOutQA dev belongs to nobody"),
            (
                ("fanoutqa", "dev", "--metric", "magic"),
                "Unknown metric magic. Available: accuracy, accuracy-repaired, rouge",
            ),
        ],
    )
    def test_what_it_cannot_do(self, made: Benchmark, args: tuple[str, ...], message: str) -> None:
        with pytest.raises(CommandError, match=message):
            call_command("rescore", *args)


@pytest.mark.slow
def test_the_page_does_the_same_for_a_maintainer(made: Benchmark, ada: User, client: Client) -> None:
    factories.published(ada, factories.split(made, "dev"), {"openbook": factories.perfect()}, name="System")
    dev = correct(made)
    path = "/maintenance/fanoutqa/dev/rescore/"
    client.force_login(factories.maintainer())
    assert (
        'href="/maintenance/fanoutqa/dev/rescore/"'
        in client.get(f"/admin/scoring/split/{dev.pk}/change/").content.decode()
    )

    def act(**data: Any) -> tuple[str, str]:
        (notice,) = notices(client.post(path, data, follow=True))
        return notice

    tone, text = act(action="runs")
    assert (tone, text[:2]) == ("good", "5 ")
    assert act(action="switch")[0] == "bad"
    score_all()
    page = client.get(path).content.decode()
    assert "−0.250" in page
    assert "1 → 1" in page
    tone, text = act(action="switch")
    assert (tone, "accuracy, accuracy-repaired, rouge" in text) == ("good", True)
    assert Run.objects.filter(state=RunState.DONE).count() == 6


def counted(made: Benchmark, client: Client) -> tuple[tuple[int | None, int, bool], str, list[int]]:
    """What the board, its remark on revisions, a system's page and the API say of what was answered."""
    board = board_for(factories.split(made, "dev"), factories.setting(made))
    [row] = board.rows
    page = client.get("/systems/waysider/").content.decode()
    told = client.get("/api/v1/systems/waysider/scores/").json()
    return (row.n_answered, row.n_questions, board.older_revision), page, [one["n_answered"] for one in told]


def test_a_row_counts_the_answers_to_the_questions_that_its_scores_are_of(
    made: Benchmark, ada: User, client: Client
) -> None:
    """A later revision drops a question: until the boards are switched, and after that."""
    answers = factories.perfect(right=3)
    del answers["dev-3"]
    factories.published(ada, factories.split(made, "dev"), {"openbook": answers}, name="Waysider")
    before, page, by_api = counted(made, client)
    assert (before, by_api) == ((3, 4, False), [3])
    assert "3 of 4 questions; 1 unanswered" in page

    factories.revise(factories.split(made, "dev"), factories.source_questions("dev")[1:], date=LATER)
    dev = factories.split(made, "dev")
    between, page, by_api = counted(made, client)
    assert (between, by_api) == ((3, 4, True), [3])

    rescoring.make_missing_runs(dev)
    score_all()
    rescoring.switch(dev)
    after, page, by_api = counted(made, client)
    assert (after, by_api) == ((2, 3, False), [2])
    assert "2 of 3 questions; 1 unanswered" in page
