"""The table of a submission's scores, and the next step: what is where, each reason once, and who is shown which."""

import re
from typing import Any

import pytest
from django.test import Client

from leaderboard.disclosure import NOT_DISCLOSED, too_few_answered
from leaderboard.models import Submission
from leaderboard.submissions.next_step import FAILED, PUBLISH, next_step
from leaderboard.submissions.page import submission_view
from leaderboard.submissions.score_table import NO_WORKER, score_table, signatures
from leaderboard.submissions.types import CANNOT_RUN, OF_STATE, FileView, RunView, ScoreTable, ScoreView
from scoring.benchmarks import definition_of
from scoring.models import Run
from scoring.models.run_states import RunState
from tests import factories

COLUMNS = definition_of("fanoutqa").columns
BLEURT = definition_of("fanoutqa").column("bleurt")
SETTINGS = ("closedbook", "openbook", "evidenceprovided")


def run_view(metric: str, state: str = "done", **fields: Any) -> RunView:
    scores = [ScoreView(column, 0.5, 0.4, 0.6) for column in COLUMNS if column.metric == metric and state == "done"]
    values: dict[str, Any] = {
        "metric": metric, "metric_label": metric, "state": state, "state_label": state, "reason": "", "done": 0,
        "total": 0, "percent": None, "position": None, "scores": scores, "signature": f"{metric}|data", "attempts": 1,
        "started_at": None, "finished_at": None,
    }  # fmt: skip
    return RunView(**(values | fields))


def file_view(slug: str, *runs: RunView) -> FileView:
    return FileView(slug, slug, "a.jsonl", 1, "0" * 64, 1, 1, 1, [], "", list(runs))


def labels(table: ScoreTable, more: bool = False) -> list[str]:
    return [row.column.label for row in (table.more if more else table.rows)]


class TestTheTable:
    def test_the_scores_of_the_board_come_first_and_the_others_apart(self) -> None:
        table = score_table([file_view(slug, run_view("rouge"), run_view("accuracy")) for slug in SETTINGS], COLUMNS)
        assert labels(table) == ["Loose accuracy", "Strict accuracy", "ROUGE-1 F1", "ROUGE-2 F1", "ROUGE-L F1"]
        assert labels(table, more=True) == [f"ROUGE-{k} {part}" for part in ("precision", "recall") for k in "12L"]
        assert table.more_label == "ROUGE (precision), ROUGE (recall)"
        assert all(len(row.cells) == 3 for row in [*table.rows, *table.more])
        assert table.notes == []

    def test_a_reason_is_given_once_for_all_settings(self) -> None:
        runs = [
            run_view("accuracy"),
            run_view("bleurt", "not_configured", reason="why"),
            run_view("judge", "over_budget", reason="why"),
        ]
        table = score_table([file_view(slug, *runs) for slug in SETTINGS], COLUMNS)
        [note] = table.notes
        assert (note.number, note.text, note.left_out) == (1, "why", [])
        cells = [cell for row in table.rows[2:] for cell in row.cells]
        assert [cell.note for cell in cells] == [1] * 6

    def test_a_run_without_scores_has_one_cell_for_all_scores_of_its_metric(self) -> None:
        files = [file_view("openbook", run_view("rouge", "running")), file_view("closedbook", run_view("rouge"))]
        table = score_table(files, COLUMNS)
        assert [len(row.cells) for row in table.rows] == [2, 1, 1]
        assert table.rows[0].cells[0].n_rows == 3
        assert len(table.more[0].cells) == 2

    def test_what_a_hidden_split_does_not_show_has_no_row_and_one_reason(self) -> None:
        rouge = run_view("rouge")
        scores = [
            score if score.name.endswith("fscore") else ScoreView(score.column, None, reason=NOT_DISCLOSED)
            for score in rouge.scores
        ]
        files = [file_view(slug, run_view("rouge", scores=scores)) for slug in SETTINGS]
        table = score_table(files, COLUMNS)
        assert (len(table.rows), table.more) == (3, [])
        [note] = table.notes
        assert len(note.left_out) == 6
        assert note.text == NOT_DISCLOSED

    def test_a_metric_without_a_worker_says_so_and_one_that_was_not_asked_for_has_no_row(self) -> None:
        waiting = run_view("bleurt", "waiting", position=1, has_workers=False)
        table = score_table([file_view("openbook", waiting), file_view("closedbook")], COLUMNS)
        assert labels(table) == ["BLEURT"]
        assert [note.text for note in table.notes] == [NO_WORKER]
        assert table.rows[0].cells[1].run is None

    def test_of_several_runs_the_newest_with_scores_counts(self) -> None:
        old = run_view("bleurt", scores=[ScoreView(BLEURT, 0.1)])
        new = run_view("bleurt", scores=[ScoreView(BLEURT, 0.2)])
        waiting = run_view("bleurt", "waiting")
        [row] = score_table([file_view("openbook", old, new, waiting)], COLUMNS).rows
        score = row.cells[0].score
        assert score is not None
        assert score.value == 0.2

    def test_of_several_runs_with_scores_the_one_that_boards_show_counts(self) -> None:
        shown = run_view("bleurt", scores=[ScoreView(BLEURT, 0.1)])
        newer = run_view("bleurt", scores=[ScoreView(BLEURT, 0.2)], shown=False)
        [row] = score_table([file_view("openbook", shown, newer)], COLUMNS).rows
        score = row.cells[0].score
        assert score is not None
        assert score.value == 0.1

    def test_a_signature_is_given_once_with_its_settings(self) -> None:
        files = [file_view(slug, run_view("accuracy"), run_view("bleurt", signature="")) for slug in SETTINGS]
        assert signatures(files) == [("accuracy", list(SETTINGS), "accuracy|data")]


@pytest.mark.django_db
class TestThePage:
    @pytest.fixture
    def sent(self, client: Client) -> Submission:
        owner = factories.user()
        client.force_login(owner)
        files = {slug: factories.perfect() for slug in ("openbook", "closedbook")}
        return factories.scored(owner, factories.split(factories.benchmark(), "dev"), files)

    def test_only_maintainers_see_what_is_missing_on_the_site(self, client: Client, sent: Submission) -> None:
        reason = "Set JUDGE_API_KEY."
        Run.objects.filter(state=RunState.NOT_CONFIGURED).update(reason=reason)
        path = sent.get_absolute_url()
        for url in (path, f"{path}progress/", f"/api/v1/submissions/{sent.pk}/"):
            content = client.get(url).content.decode()
            assert reason not in content
            assert content.count(CANNOT_RUN) == (4 if "/api/" in url else 1)
        client.force_login(factories.user("grace", is_staff=True, is_superuser=True))
        assert client.get(path).content.decode().count(reason) == 1

    def test_one_table_with_a_row_for_each_score(self, client: Client, sent: Submission) -> None:
        page = client.get(sent.get_absolute_url()).content.decode()
        assert len(re.findall(r"<tr>\s*<th scope=.row.>\s*Loose accuracy\s", page)) == 1
        assert page.count('id="next-step"') == 1
        assert page.index('id="next-step"') < page.index('id="scores"') < page.index('id="publishing"')


@pytest.mark.django_db
class TestTheNextStep:
    def step(self, sent: Submission, *, viewer: int | None = None) -> tuple[str, str]:
        view = submission_view(sent, viewer_id=sent.owner_id if viewer is None else viewer)
        found = next_step(view)
        return found.title.partition(":")[0], found.action

    @pytest.fixture
    def sent(self) -> Submission:
        split = factories.split(factories.benchmark(), "dev")
        return factories.submission(factories.user(), split, {"openbook": factories.perfect()})

    def test_wait_publish_retry_and_nothing(self, sent: Submission) -> None:
        assert self.step(sent) == ("Wait", "")
        factories.score(sent)
        assert self.step(sent) == (PUBLISH, "publish")
        Run.objects.filter(metric="judge").update(state=RunState.OVER_BUDGET)
        text = next_step(submission_view(sent, viewer_id=sent.owner_id)).text
        assert "BLEURT, GPT judge" in text, "whatever a score waits for, its owner reads that it is missing"
        assert self.step(sent, viewer=-1) == ("None", "")
        Run.objects.filter(metric="rouge").update(state=RunState.FAILED, reason="because")
        assert self.step(sent) == (FAILED.title, "retry")
        Run.objects.update(state=RunState.NOT_CONFIGURED, reason="because")
        assert self.step(sent) == ("Wait", "")

    @pytest.mark.parametrize("state", [RunState.INCOMPLETE, RunState.OVER_BUDGET, RunState.NOT_CONFIGURED])
    def test_what_a_score_waits_for_is_said_of_its_own_state(self, sent: Submission, state: RunState) -> None:
        factories.score(sent)
        Run.objects.update(state=state, reason="because")
        step = next_step(submission_view(sent, viewer_id=sent.owner_id))
        assert (step.title, step.text) == ("Wait: not scored yet", OF_STATE[state])

    def test_a_file_with_too_few_answers_is_to_be_completed(self, sent: Submission, settings: Any) -> None:
        split = sent.split
        split.hidden = True
        split.save()
        settings.MIN_ANSWERED_SHARE = 0.9
        sent = factories.scored(sent.owner, split, {"openbook": dict(list(factories.perfect().items())[:1])})
        assert self.step(sent) == ("Complete the file", "replace")
        table = submission_view(sent, viewer_id=sent.owner_id).table
        assert table is not None
        assert too_few_answered() in [note.text for note in table.notes]
