"""Scoring again after a correction: what is made, what is compared, and when the boards change."""

import datetime
import io
import re
from dataclasses import replace
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from humaneval.results.answer_sets import make_answer_set
from humaneval.results.human_row import EARLIER_REVISION, HumanRowError, publish_people
from leaderboard.maintenance import imports, rescoring
from leaderboard.maintenance.judge_spending import judgings_of
from leaderboard.models import Entry, PublicationState, Submission, User
from leaderboard.project.management.commands.import_benchmark import Command as ImportCommand
from leaderboard.publishing.services import publish_submission, unpublish_submission
from leaderboard.submissions.page import submission_view
from scoring.models import AnswerSet, Benchmark, CurrentSignature, Run, Score, Split
from scoring.models.run_states import RunState
from scoring.runs import execution, leases
from tests import factories, study_people
from tests.boards import board_for
from tests.judge_server import JudgeServer
from tests.notices import notices
from tests.scoring.runs.judging.site import RIGHT, judged_by, run_of, submit, work

pytestmark = pytest.mark.django_db
ALL_METRICS = ("accuracy", "rouge", "bleurt", "judge")
"""Cheapest first."""
LATER = datetime.date(2026, 7, 1)
UNKNOWN = "Unknown metric magic. Available: accuracy, rouge, bleurt, judge."


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


def switch_over(dev: Split) -> None:
    rescoring.make_missing_runs(dev)
    score_all()
    rescoring.switch(dev)


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
    loose = {change.system: change for change in rescoring.changes(dev) if change.column.label == "Loose accuracy"}
    assert (loose["Old truth"].old, loose["Old truth"].new) == (1.0, 0.75)
    assert (loose["Old truth"].difference, loose["Old truth"].places) == (-0.25, -1)
    assert (loose["New truth"].difference, loose["New truth"].places) == (0.25, 1)
    assert rescoring.switch(dev)[:2] == ["accuracy", "rouge"]
    assert shown(made) == {"New truth": (1, 1.0), "Old truth": (2, 0.75)}
    assert rescoring.changes(dev) == []
    assert Score.objects.filter(name="loose").count() == 4


def test_who_submits_in_between_is_scored_on_the_new_revision_and_joins_with_the_switch(
    made: Benchmark, ada: User
) -> None:
    factories.published(ada, factories.split(made, "dev"), {"openbook": factories.perfect(right=1)}, name="First")
    dev = correct(made)
    sent = factories.published(ada, dev, {"openbook": factories.perfect()}, name="Second")
    assert shown(made) == {"First": (1, 0.25)}
    values = Score.objects.filter(name="loose", run__answer_set__submission_file__submission=sent)
    assert [(score.value, score.run.revision) for score in values] == [(0.75, dev.current_revision)]
    assert not Entry.objects.filter(submission=sent).exists(), "no page, export or API shows it"
    assert sent.publications.get().state == PublicationState.JOINING
    assert publish_submission(sent, actor=ada) == sent.publications.get(), "once is enough"
    switch_over(dev)
    assert shown(made) == {"Second": (1, 0.75), "First": (2, 0.25)}
    assert sent.publications.get().state == PublicationState.APPROVED


def test_a_newer_version_joins_with_the_switch_and_the_older_stays_until_then(made: Benchmark, ada: User) -> None:
    sent = factories.published(ada, factories.split(made, "dev"), {"openbook": factories.perfect(right=2)}, name="One")
    dev = correct(made)
    old, new, sent = sent.split.current_revision, dev.current_revision, Submission.objects.get()
    factories.replace_file(sent, factories.perfect(), by=ada)
    factories.score(sent)
    publish_submission(sent, actor=ada)
    version = "answer_set__submission_file__version"
    scored = Run.objects.filter(answer_set__submission_file__submission=sent).order_by(version)
    assert list(scored.values_list("revision", flat=True).distinct()) == [old and old.pk, new and new.pk]
    assert shown(made) == {"One": (1, 0.5)}
    switch_over(dev)
    assert shown(made) == {"One": (1, 0.75)}


def test_a_row_of_people_is_published_after_the_switch(made: Benchmark, ada: User) -> None:
    factories.published(ada, factories.split(made, "dev"), {"openbook": factories.perfect()}, name="First")
    dev = correct(made)
    study = factories.study(factories.maintainer(), dev)
    study_people.assigned(study_people.participant(study, 1), 1, "dev-2", "Cuzco")
    result = make_answer_set(study, by=study.owner)
    for run in result.answer_set.runs.filter(state=RunState.WAITING):
        token = leases.claim(str(run.pk))
        assert token is not None
        execution.execute(str(run.pk), token, check=lambda: None)
    assert {score.run.revision for score in Score.objects.filter(run__answer_set=result.answer_set)} == {
        dev.current_revision
    }
    with pytest.raises(HumanRowError, match=EARLIER_REVISION):
        publish_people(result, by=study.owner, authors="G. Hopper")
    switch_over(dev)
    assert publish_people(result, by=study.owner, authors="G. Hopper").answer_set == result.answer_set


def test_the_form_and_the_import_say_what_comes_next(made: Benchmark, ada: User, client: Client) -> None:
    factories.published(ada, factories.split(made, "dev"), {"openbook": factories.perfect()}, name="First")
    client.force_login(ada)
    before = client.get("/submit/").context["form"].fields["split"].help_text
    correct(made)
    assert client.get("/submit/").context["form"].fields["split"].help_text.startswith(before + " ")
    out = io.StringIO()
    reporter = ImportCommand(stdout=out)
    reporter.dry_run = True
    dev = factories.split(made, "dev")
    questions = factories.source_questions("dev", overrides={1: "Oslo"})
    imported = factories.revise(dev, questions, date=datetime.date(2026, 8, 1))
    assert imports.RESCORE_NEXT in imports.summary(imported)
    reporter.report(dev, imported)
    assert re.findall(r"manage\.py [^;]+|--\w+", out.getvalue()) == [
        "manage.py rescore fanoutqa dev",
        "--compare",
        "--switch",
    ]


def test_a_publication_that_waits_for_the_switch_can_be_taken_back(made: Benchmark, ada: User) -> None:
    factories.published(ada, factories.split(made, "dev"), {"openbook": factories.perfect(right=1)}, name="First")
    dev = correct(made)
    sent = factories.published(ada, dev, {"openbook": factories.perfect()}, name="Second")
    unpublish_submission(sent, actor=ada)
    switch_over(dev)
    assert set(shown(made)) == {"First"}


def test_a_submission_scored_again_shows_one_score_of_a_metric_at_every_door(
    made: Benchmark, ada: User, client: Client
) -> None:
    """The difference of two would tell of the corrected question."""
    sent = factories.published(ada, factories.split(made, "dev"), {"openbook": factories.perfect()}, name="First")
    old = sent.split.current_revision
    dev = correct(made)
    rescoring.make_missing_runs(dev)
    score_all()
    client.force_login(ada)

    def told() -> list[set[str]]:
        by_api = client.get(f"/api/v1/submissions/{sent.pk}/").json()["files"][0]["runs"]
        of_system = client.get("/api/v1/systems/first/scores/").json()
        page = submission_view(sent, viewer_id=ada.pk).files[0].runs
        return [
            {run["revision"] for run in by_api if run["scores"]},
            {score["revision"] for result in of_system for score in result["scores"]},
            {run.revision for run in page if run.scores},
        ]

    assert old is not None
    assert dev.current_revision is not None
    assert told() == [{old.short_hash}] * 3
    rescoring.switch(dev)
    assert told() == [{dev.current_revision.short_hash}] * 3


@pytest.mark.parametrize("hidden", [False, True])
def test_judge_details_show_a_sender_one_revision_and_maintainers_the_newest(settings: Any, hidden: bool) -> None:
    made = factories.benchmark()
    with JudgeServer() as server:
        judged_by(settings, server)
        sent = submit(factories.split(made, "dev"), RIGHT)
        factories.score(sent)
        publish_submission(sent, actor=sent.owner, approved=True)
        old = sent.split.current_revision
        dev = correct(made)
        rescoring.make_missing_runs(dev)
        score_all()
        Split.objects.filter(pk=dev.pk).update(hidden=hidden)

        def shown_judgings(*, for_maintainer: bool) -> list[Any]:
            submission = Submission.objects.get(pk=sent.pk)
            judgings = judgings_of(submission, for_maintainer=for_maintainer)
            return [(one["run"].revision, one["run"].state) for one in judgings]

        assert shown_judgings(for_maintainer=False) == [(old, RunState.DONE)]
        assert shown_judgings(for_maintainer=True) == [(dev.current_revision, RunState.DONE)]
        rescoring.switch(dev, even_if_incomplete=True)
        assert shown_judgings(for_maintainer=False) == [(dev.current_revision, RunState.DONE)]


def test_files_made_before_a_question_was_added_are_ranked_on_it_by_force_alone(made: Benchmark, ada: User) -> None:
    factories.published(ada, factories.split(made, "dev"), {"openbook": factories.perfect()}, name="First")
    factories.revise(factories.split(made, "dev"), factories.source_questions("dev", 5), date=LATER)
    dev = factories.split(made, "dev")
    factories.published(ada, dev, {"openbook": factories.perfect(n=5)}, name="Second")
    rescoring.make_missing_runs(dev)
    score_all()
    with pytest.raises(rescoring.SwitchError, match="files of First were"):
        rescoring.switch(dev)
    assert shown(made) == {"First": (1, 1.0)}
    rescoring.switch(dev, even_if_incomplete=True)
    assert shown(made) == {"Second": (1, 1.0), "First": (2, 0.8)}


def test_what_is_not_scored_any_more_is_not_counted(made: Benchmark, ada: User) -> None:
    from leaderboard.submissions import services

    split, other, answers = factories.split(made, "dev"), factories.split(made, "test"), factories.perfect()
    factories.scored(ada, other, {"openbook": {"test-0": "Oslo"}}, name="Of another split")
    sent = {name: factories.scored(ada, split, {"openbook": answers}, name=name) for name in ("A", "B", "C", "D")}
    publish_submission(sent["D"], actor=ada)
    services.withdraw_submission(sent["A"], actor=ada)
    for name in ("B", "D"):
        factories.replace_file(sent[name], factories.perfect(right=2), by=ada)
    AnswerSet.objects.filter(submission_file__submission=sent["C"]).update(closed_at=timezone.now())
    # B's new version, and D's with the earlier one, which the board still shows.
    active = rescoring.active_answer_sets(split)
    assert active.count() == 3
    for item in rescoring.plan(split):
        runs = Run.objects.filter(answer_set__in=active, metric=item.metric, signature=item.target)
        assert (item.n_answer_sets, item.n_missing) == (3, 0)
        assert item.n_scored == runs.filter(state=RunState.DONE).count()
        assert item.n_active == runs.filter(state=RunState.WAITING).count()
    assert {item.n_active for item in rescoring.plan(split) if item.metric == "rouge"} == {2}


class TestTheCommand:
    def run(self, *args: str) -> str:
        out = io.StringIO()
        call_command("rescore", "fanoutqa", "dev", *args, stdout=out)
        return out.getvalue()

    def test_from_the_correction_to_the_switch(self, made: Benchmark, ada: User) -> None:
        factories.published(ada, factories.split(made, "dev"), {"openbook": factories.perfect()}, name="System")
        assert "nothing to compare" in self.run("--compare")
        dev = correct(made)
        planned = self.run("--plan", "--metric", "accuracy")
        assert "1 without a run" in planned
        assert "ROUGE" not in planned
        assert "To create: String accuracy: 1 run; time unknown." in planned
        assert not Run.objects.filter(revision=dev.current_revision).exists(), "the plan creates nothing"
        assert "accuracy: 1 run created" in self.run("--metric", "accuracy", "--system", "system")
        assert Run.objects.filter(revision=dev.current_revision).count() == 1
        with pytest.raises(CommandError, match=" --force"):
            self.run("--switch")
        score_all()
        summary = "String accuracy, open book: ranks by Loose accuracy change for 0 of 1 rows."
        compared = self.run("--compare", "--metric", "accuracy")
        assert compared.index(summary) < compared.index(
            "Open book | System | Loose accuracy: 1.000 → 0.750 (−0.250), rank 1 → 1"
        )
        assert "ROUGE" not in compared
        switched = self.run("--switch", "--metric", "accuracy")
        assert switched.index(summary) < switched.index("Switched: accuracy\n")
        assert "String accuracy: switched." in switched
        assert "ROUGE: waits for scores." in self.run("--plan", "--metric", "rouge")
        assert dev.current_revision is not None
        assert f"@{dev.current_revision.short_hash}" in CurrentSignature.objects.get(metric="accuracy").signature

    @pytest.mark.parametrize(
        ("args", "message"),
        [
            (("fanoutqa", "train"), "fanoutqa train has no questions"),
            (("fanoutqa", "dev", "--system", "nobody"), "FanOutQA, development belongs to nobody"),
            (
                ("fanoutqa", "dev", "--metric", "magic"),
                "Unknown metric magic. Available: accuracy, rouge",
            ),
        ],
    )
    def test_what_it_cannot_do(self, made: Benchmark, args: tuple[str, ...], message: str) -> None:
        with pytest.raises(CommandError, match=message):
            call_command("rescore", *args)


def test_a_summary_names_the_rows_whose_rank_changes_before_all_others(made: Benchmark, ada: User) -> None:
    dev = factories.split(made, "dev")
    new_truth = factories.perfect(right=2) | {"dev-2": "Cuzco", "dev-3": "3 Tokyo Japan"}
    for name, answers in (("Old truth", factories.perfect()), ("New truth", new_truth)):
        factories.published(ada, dev, {"openbook": answers}, name=name)
    dev = correct(made)
    rescoring.make_missing_runs(dev, metrics=["accuracy"])
    score_all()
    [summary] = rescoring.rank_summaries(rescoring.changes(dev, ["accuracy"]))
    assert "change for 2 of 2 rows: " in summary
    assert "Old truth 1 → 2" in summary
    assert "New truth 2 → 1" in summary
    [unscored] = rescoring.rank_summaries(rescoring.changes(dev, ["rouge"]))
    assert "→" not in unscored
    assert unscored.endswith(" 2 rows have no new score; new ranks leave them out.")


def test_the_estimate_is_of_the_verdicts_that_are_missing_and_creates_nothing(settings: Any, made: Benchmark) -> None:
    with JudgeServer() as server:
        judged_by(settings, server)
        sent = submit(factories.split(made, "dev"), RIGHT)
        work(run_of(sent))
        dev = correct(made)
        n_chats = len(server.chats)
        before = set(Run.objects.values_list("pk", flat=True))
        [judge] = rescoring.estimate(dev, metrics=["judge"])
        assert judge.requests is not None
        assert (judge.n_runs, judge.requests.n_calls) == (1, 1), "of four answers one has another reference"
        assert judge.systems == [("Example system, open book", judge.requests)]
        assert judge.requests.in_words in judge.in_words
        assert f"{judge.requests.usd:.2f} USD" in judge.requests.in_words
        assert set(Run.objects.values_list("pk", flat=True)) == before
        assert len(server.chats) == n_chats
    settings.JUDGE_API_KEY = settings.JUDGE_BASE_URL = ""
    [judge] = rescoring.estimate(dev, metrics=["judge"])
    assert (judge.n_runs, judge.requests) == (1, None)
    assert "JUDGE_API_KEY" in judge.waiting_reason


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

    asked = client.get(f"{path}?metric=accuracy&estimate=1")
    assert [one.metric for one in asked.context["estimates"]] == ["accuracy"]
    assert 'name="metric" value="accuracy"' in asked.content.decode()
    assert not Run.objects.filter(revision=dev.current_revision).exists()
    assert act(action="runs", metric="magic") == ("bad", UNKNOWN)
    tone, text = act(action="runs", metric="accuracy")
    assert (tone, text[:2]) == ("good", "1 ")
    tone, text = act(action="runs")
    assert (tone, text[:2]) == ("good", "3 ")
    assert act(action="switch")[0] == "bad"
    score_all()
    page = client.get(path).content.decode()
    assert "−0.250" in page
    assert "1 → 1" in page
    tone, text = act(action="switch", metric="rouge")
    assert (tone, text) == ("good", "The boards now show: ROUGE.")
    states = {plan.metric: plan.state for plan in client.get(path).context["plans"]}
    assert (states["rouge"], states["judge"]) == ("switched", "nothing to switch, not all scored")
    tone, text = act(action="switch")
    assert (tone, "String accuracy" in text) == ("good", True)
    assert Run.objects.filter(state=RunState.DONE).count() == 4


def counted(made: Benchmark, client: Client) -> tuple[tuple[int | None, int | None, bool], str, list[int]]:
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

    switch_over(dev)
    after, page, by_api = counted(made, client)
    assert (after, by_api) == ((2, 3, False), [2])
    assert "2 of 3 questions; 1 unanswered" in page
