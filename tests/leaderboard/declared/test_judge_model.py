"""The judge that a benchmark declares: its model, what a change of it does, and a trial before anybody submits."""

import json
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from leaderboard.maintenance import rescoring
from leaderboard.publishing.services import publish_submission
from scoring.benchmarks.base import SourceError
from scoring.benchmarks.declared.reading import read_declaration
from scoring.benchmarks.declared.template import template
from scoring.importing.declared import import_declaration
from scoring.models import Benchmark, Run
from scoring.registry import judge_of
from tests import compared_site, factories, graded_site
from tests.boards import board_for
from tests.judge_server import JudgeServer, Play
from tests.leaderboard.declared.declared_site import SLUG
from tests.scoring.metrics.graded_answer.prompts import GRADES, VERDICTS
from tests.scoring.runs.judging.site import judged_by, run_of, work

MODEL = '[metrics.judge]\nmodel = "{}"\n'
ANSWERS = {"dev-1": "Oslo", "dev-2": "Nairobi", "dev-3": "Lima", "dev-4": "Kyoto", "dev-5": "Toronto"}


@pytest.fixture
def server(settings: Any) -> Iterator[JudgeServer]:
    with JudgeServer() as server:
        judged_by(settings, server, SUBMISSION_CAP_USD="", MONTHLY_CAP_USD="")
        yield server


def files(judge: str = MODEL.format("judge-1")) -> dict[str, bytes]:
    """A folder of texts that a judge scores too."""
    made = template(SLUG)
    toml = made["benchmark.toml"].decode().replace("[metrics.rouge]\n", judge)
    return made | {"benchmark.toml": toml.encode()}


def declare(model: str) -> Benchmark:
    return import_declaration(read_declaration(files(MODEL.format(model)))).benchmark


def written(folder: Path, content: dict[str, bytes]) -> Path:
    """The folder, written."""
    for name, data in content.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    return folder


def run(*arguments: object) -> str:
    out = StringIO()
    call_command("benchmark", "try-judge", *map(str, arguments), stdout=out, no_color=True)
    return out.getvalue()


# --- The model -------------------------------------------------------------------------------------------------------


@pytest.mark.django_db
def test_a_declared_model_judges_its_benchmark_and_the_sites_model_the_others(settings: Any) -> None:
    settings.JUDGE_MODEL = "the-sites"
    declare("judge-1")
    factories.benchmark()
    assert "|model:judge-1|" in judge_of(SLUG, "judge").signature()
    assert "|model:the-sites|" in judge_of("fanoutqa", "judge").signature()


@pytest.mark.django_db
def test_runs_wait_for_a_model_whose_name_signatures_have_no_room_for(settings: Any) -> None:
    settings.JUDGE_MODEL, settings.JUDGE_API_KEY = "m" * 400, "key"
    factories.benchmark()
    judge = judge_of("fanoutqa", "judge")
    assert "|model:unknown|" in judge.signature()
    assert "JUDGE_MODEL: the model's name has 400 characters" in judge.unavailable(settings)


@pytest.mark.django_db
def test_scores_by_an_old_and_a_new_model_never_share_a_rank(server: JudgeServer) -> None:
    dev = factories.split(declare("judge-1"), "dev")
    first = factories.published(factories.user(), dev, {"closed-book": ANSWERS}, name="First")
    work(run_of(first, "closed-book"))
    made = declare("judge-2")
    dev = factories.split(made, "dev")
    second = factories.published(factories.user("bob"), dev, {"closed-book": ANSWERS}, name="Second")
    work(run_of(second, "closed-book"))
    assert {chat.body["model"] for chat in server.chats} == {"judge-1", "judge-2"}

    def judged() -> dict[str, float | None]:
        board = board_for(factories.split(made, "dev"), factories.setting(made, "closed-book"))
        place = [column.score for column in board.columns].index("judge")
        return {row.name: row.cells[place].value for row in board.rows}

    assert judged() == {"First": 0.6, "Second": None}
    [again] = rescoring.estimate(dev, metrics=["judge"])
    assert again.requests is not None
    assert (again.n_runs, again.requests.n_calls) == (1, 0), "equal answers have verdicts of the new model"
    rescoring.make_missing_runs(dev, metrics=["judge"])
    for waiting in Run.objects.filter(metric="judge", state="waiting"):
        work(waiting)
    rescoring.switch(dev)
    publish_submission(second, actor=second.owner)
    assert judged() == {"First": 0.6, "Second": 0.6}


@pytest.mark.django_db
def test_maintainers_see_which_benchmarks_have_a_judge_of_their_own(server: JudgeServer, client: Client) -> None:
    declare("judge-1")
    client.force_login(factories.maintainer())
    assert "judge-1 for Capitals, GPT judge" in client.get("/maintenance/judge/").content.decode()


@pytest.mark.parametrize(
    ("judge", "message"),
    [
        (MODEL.format("two words"), 'metrics.judge.model: found the text "two words", expected the name of a model'),
        (MODEL.format("a|b"), 'metrics.judge.model: found the text "a|b", expected the name of a model'),
        ('[metrics.rouge]\nmodel = "judge-1"\n', "metrics.rouge.model: found a model for a metric that asks none"),
    ],
)
def test_a_model_that_cannot_be_is_named_with_its_line(judge: str, message: str) -> None:
    with pytest.raises(SourceError) as error:
        read_declaration(files(judge))
    [problem] = error.value.problems
    assert problem.startswith("benchmark.toml: line ")
    assert message in problem


# --- The trial -------------------------------------------------------------------------------------------------------


def test_a_trial_prints_prompts_replies_verdicts_and_cost(server: JudgeServer, settings: Any, tmp_path: Path) -> None:
    settings.JUDGE_PRICES = "judge-1=1000/1000"
    folder = written(tmp_path / SLUG, files())
    said = run(folder, "-n", "2", "--split", "dev")
    assert len(server.chats) == 4
    assert {chat.body["model"] for chat in server.chats} == {"judge-1"}
    asked = {(chat.question, chat.submission) for chat in server.chats}
    questions = ["What is the capital of Norway?", "What is the capital of Peru?"]
    assert asked == {(question, answer) for question in questions for answer in ("Oslo", "Lima")}
    assert "Question dev-1, with its own answer\n--- system\n" in said
    assert "Question dev-1, with the answer of dev-3" in said
    assert said.count("--- read as: verdict C") == 2
    assert said.count("--- read as: verdict D") == 2
    assert "4 requests to judge-1; expected cost: about " in said
    assert float(said.rpartition("Cost: ")[2].removesuffix(" USD.\n")) > 0


def test_a_dry_trial_asks_nothing(server: JudgeServer, tmp_path: Path) -> None:
    said = run(written(tmp_path / SLUG, files()), "--dry-run")
    assert server.chats == []
    assert said.count("Question test-") == 10
    assert said.endswith("10 requests to judge-1; expected cost: unknown, as the model's price is.\n")


def test_a_reply_without_a_verdict_is_shown_with_its_reason(server: JudgeServer, tmp_path: Path) -> None:
    server.rule = lambda chat: Play("prose")
    said = run(written(tmp_path / SLUG, files()), "-n", "1")
    assert said.count("--- read as: unparsed: the reply has no readable verdict") == len(server.chats)


def test_a_reply_changes_nothing_in_the_terminal(server: JudgeServer, tmp_path: Path) -> None:
    server.rule = lambda chat: Play("text", message="\x1b]0;judge\x07\x1b[2Jb")
    said = run(written(tmp_path / SLUG, files()), "-n", "1")
    assert "·[2Jb" in said
    assert "\x1b" not in said


def test_answers_of_a_system_are_judged_in_place_of_the_references(server: JudgeServer, tmp_path: Path) -> None:
    folder = written(tmp_path / SLUG, files())
    answers = tmp_path / "answers.jsonl"
    answers.write_text("".join(json.dumps({"id": qid, "answer": text}) + "\n" for qid, text in ANSWERS.items()))
    said = run(folder, "--split", "dev", "--generations", answers)
    assert "[Submission]: Kyoto" in said
    answers.write_text('{"id": "dev-1"}\n')
    with pytest.raises(CommandError, match="has mistakes:"):
        run(folder, "--split", "dev", "--generations", answers)


def test_lists_and_compared_answers_are_tried_too(server: JudgeServer, tmp_path: Path) -> None:
    lists = run(written(tmp_path / "lists", template("lists", "judged-list")), "-n", "1")
    assert lists.count("--- read as: verdict ") == 2
    folder = written(tmp_path / compared_site.SLUG, compared_site.files())
    with pytest.raises(CommandError, match="pass --generations FILE"):
        run(folder)
    answers = tmp_path / "answers.jsonl"
    answers.write_text("".join(json.dumps({"id": f"test-{n}", "answer": f"It is {n + 70}."}) + "\n" for n in range(3)))
    compared = run(folder, "--split", "test", "--generations", answers, "-n", "2")
    assert "Question test-0, with its own answer, compared with the answer of test-1" in compared
    assert compared.count("--- read as: verdict ") == 4, "two questions, each in both orders"


@pytest.mark.parametrize(
    ("metric", "read"),
    [("graded-answer", ("correct", "incorrect")), ("verified-answer", ("correct/100", "incorrect/100"))],
)
def test_judges_of_short_answers_are_tried_with_the_benchmarks_prompt(
    server: JudgeServer, tmp_path: Path, metric: str, read: tuple[str, str]
) -> None:
    prompts: dict[str, Any] = {
        f"{name}_answer_prompt": f"{{context}}\n{text}" for name, text in (("graded", GRADES), ("verified", VERDICTS))
    }
    folder = written(tmp_path / graded_site.SLUG, graded_site.files(**prompts))
    said = run(folder, "--split", "dev", "-n", "2", "--metric", metric)
    for verdict in read:
        assert said.count(f"--- read as: verdict {verdict}\n") == 2
    assert "--- user\nOf AA.\n" in said and "--- user\nOf AU.\n" in said


def test_a_prompt_that_lacks_a_place_is_named_with_the_judge() -> None:
    with pytest.raises(SourceError) as error:
        read_declaration(graded_site.files(graded_answer_prompt="{question} {target} NOT_ATTEMPTED"))
    [problem] = error.value.problems
    assert problem.startswith("prompts/graded_answer_prompt.txt: ")
    assert "the prompt of the judge graded-answer, with {predicted_answer} or {response}" in problem
    with pytest.raises(SourceError) as error:
        read_declaration(graded_site.files(verified_answer_prompt=f"{VERDICTS}\n{{rubric}}"))
    [problem] = error.value.problems
    assert f"line {VERDICTS.count(chr(10)) + 2}:" in problem and "{rubric}" in problem


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--split", "other"], "The folder has no questions of a split 'other'. Its splits with questions: dev, test."),
        (["--metric", "rouge"], "The benchmark declares judge, not 'rouge'."),
    ],
)
def test_a_trial_that_cannot_be_says_why(
    server: JudgeServer, tmp_path: Path, arguments: list[str], message: str
) -> None:
    with pytest.raises(CommandError) as error:
        run(written(tmp_path / SLUG, files()), *arguments)
    assert str(error.value) == message
    assert server.chats == []


def test_a_trial_without_a_judge_says_what_to_set(settings: Any, tmp_path: Path) -> None:
    settings.JUDGE_API_KEY = settings.JUDGE_BASE_URL = ""
    with pytest.raises(CommandError, match="JUDGE_API_KEY"):
        run(written(tmp_path / SLUG, files()))
