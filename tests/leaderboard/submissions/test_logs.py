"""Logs of evaluation frameworks in the form and in the API: what is stored of them, and what is not."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from leaderboard.models import Submission, System, User
from leaderboard.publishing.services import publish_submission
from leaderboard.systems.page import system_page
from leaderboard.systems.shown_facts import facts_by_group
from scoring.generations.problems import FROM_LOG, UNFINISHED_LOG
from scoring.models import AnswerBlock, Benchmark
from tests import factories
from tests.scoring.logs import files as logs

pytestmark = pytest.mark.django_db


def log_of(answers: dict[str, str], **more: Any) -> bytes:
    samples = [logs.sample(qid, output={"completion": text}, **more) for qid, text in answers.items()]
    return logs.eval_log(*samples)


def sent(client: Client, data: bytes, **fields: Any) -> Any:
    form = factories.form_data("dev", openbook=factories.upload(data, "run.eval"), **fields)
    return client.post("/submit/?benchmark=fanoutqa", form)


def everything_in(uploads: Path) -> bytes:
    return b"".join(path.read_bytes() for path in uploads.rglob("*") if path.is_file())


def test_a_log_is_submitted_as_its_generations(client: Client, made: Benchmark, uploads: Path, ada: User) -> None:
    response = sent(client, log_of(factories.perfect()))
    assert response.status_code == 302
    submission = Submission.objects.get()
    assert submission.run_facts["model"] == "Qwen/Qwen3"
    assert submission.run_facts["framework"] == "inspect_ai 0.3.285"
    (file,) = submission.files.all()
    assert file.filename == "run.eval.jsonl"
    lines = [json.loads(line) for line in file.original.read().decode().splitlines()]
    assert {line["id"]: line["answer"] for line in lines} == factories.perfect()
    assert file.answer_set.usage.totals["output_tokens"] == 4 * len(lines)
    (note,) = (group for group in file.warnings if group["code"] == FROM_LOG)
    assert "output.completion" in note["title"]
    stored = everything_in(uploads)
    assert b"output_tokens" in stored
    assert logs.SECRET.encode() not in stored
    assert logs.SECRET not in repr([submission.run_facts, file.warnings])


def test_stated_facts_count_before_those_of_the_log(client: Client, made: Benchmark, ada: User) -> None:
    assert sent(client, log_of(factories.perfect()), **{"run_facts.model": "me/mine"}).status_code == 302
    facts = Submission.objects.get().run_facts
    assert (facts["model"], facts["framework"]) == ("me/mine", "inspect_ai 0.3.285")


def test_the_systems_page_says_what_is_from_the_log(client: Client, made: Benchmark, ada: User) -> None:
    totals = {"usage.openbook.seconds": "100", "run_facts.model": "me/mine"}
    assert sent(client, log_of(factories.perfect()), **totals).status_code == 302
    submission = Submission.objects.get()
    factories.score(submission)
    publish_submission(submission, actor=ada, approved=True)
    system = System.objects.get()
    assert system.run_facts["from_log"].split() == sorted(system.run_facts.keys() - {"model", "from_log"})
    facts = [fact for group in facts_by_group(system).values() for fact in group]
    sources = {label: source for label, text, source in facts if text}
    assert (sources["Model"], sources["Framework"]) == ("stated", "from the log")
    (result,) = system_page(system).results
    sources = {label: source for label, _, source in result.taken}
    assert (sources["Tokens a question"], sources["Seconds a question"]) == ("from the log", "stated")
    assert client.get(submission.get_absolute_url()).content.decode().count("from the log") >= 1
    described = client.get(f"/api/v1/systems/{system.slug}/").json()
    assert "from_log" not in described["run_facts"]


def test_what_a_form_sends_back_is_still_from_the_log(client: Client, made: Benchmark, ada: User) -> None:
    some = dict(list(factories.perfect().items())[1:])
    asked = sent(client, log_of(some))
    shown = dict(re.findall(r'name="(run_facts\.[a-z_]+)"[^>]*?value="([^"]+)"', asked.content.decode(), re.DOTALL))
    assert shown["run_facts.framework"] == "inspect_ai 0.3.285"
    fields = {**shown, "run_facts.model": "me/mine", "confirm_missing": "on"}
    assert sent(client, log_of(some), **fields).status_code == 302
    facts = Submission.objects.get().run_facts
    assert facts["model"] == "me/mine"
    assert facts["from_log"].split() == sorted(facts.keys() - {"model", "from_log"})


def test_a_generations_file_is_stated(client: Client, made: Benchmark, ada: User) -> None:
    assert sent(client, factories.generations(factories.perfect()), **{"run_facts.model": "me/mine"}).status_code == 302
    submission = Submission.objects.get()
    assert submission.run_facts == {"model": "me/mine"}
    assert not submission.files.get().is_from_log


@pytest.mark.parametrize("fields", [{"name": ""}, {"split": ""}])
def test_a_refused_form_stores_nothing_of_the_log(
    client: Client, made: Benchmark, uploads: Path, ada: User, fields: dict[str, str]
) -> None:
    response = sent(client, log_of(factories.perfect()), **fields)
    assert response.status_code == 422
    assert logs.SECRET.encode() not in everything_in(uploads)
    if "name" in fields:
        assert 'value="Qwen/Qwen3"' in response.content.decode(), "the log's facts are in the form"


def test_what_is_wrong_with_a_log_is_said_and_nothing_is_stored(
    client: Client, made: Benchmark, uploads: Path, ada: User
) -> None:
    broken = logs.eval_log(logs.sample("dev-0", output=logs.SECRET))
    response = sent(client, broken)
    assert response.status_code == 422
    (message,) = response.context["form"].errors["openbook"]
    assert "samples/dev-0_epoch_1.json" in message
    assert logs.SECRET not in response.content.decode()
    assert logs.SECRET.encode() not in everything_in(uploads)
    assert not Submission.objects.exists()


def test_the_api_takes_a_log(client: Client, made: Benchmark) -> None:
    data = logs.eval_log(*(logs.sample(qid) for qid in factories.perfect()), logs.sample("nobody"))
    fields = {"split": "dev", "openbook": factories.upload(data, "run.eval")}
    answer = client.post("/api/v1/submissions/validate/", fields)
    assert answer.status_code == 422
    groups = {group["code"]: group for group in answer.json()["files"][0]["groups"]}
    assert groups["unknown-id"]["problems"][0]["question_id"] == "nobody"
    assert FROM_LOG in groups
    assert logs.SECRET not in answer.content.decode()
    good = log_of(factories.perfect())
    fields = {"split": "dev", "openbook": factories.upload(good, "run.eval")}
    assert client.post("/api/v1/submissions/validate/", fields).status_code == 200
    broken = {"split": "dev", "openbook": factories.upload(good[:-30], "run.eval")}
    said = client.post("/api/v1/submissions/validate/", broken)
    assert said.status_code == 422
    assert "breaks off" in json.dumps(said.json()["errors"]["openbook"])


def test_the_field_of_the_answers_is_shown_and_can_be_chosen(client: Client, made: Benchmark, ada: User) -> None:
    log = log_of(factories.perfect())
    fields = {"split": "dev", "openbook": factories.upload(log, "run.eval")}
    checked = client.post("/check/?benchmark=fanoutqa", fields).content.decode()
    assert "output.completion" in checked and "scores.includes.answer" in checked
    wrong = sent(client, log, answer_field="nowhere")
    assert wrong.status_code == 422
    assert "scores.includes.answer" in wrong.context["form"].errors["openbook"][0]
    assert sent(client, log, answer_field="scores.includes.answer").status_code == 302
    (file,) = Submission.objects.get().files.all()
    assert set(AnswerBlock.objects.texts_of(file.answer_set).values()) == {qid.upper() for qid in factories.perfect()}
    fields = {"split": "dev", "openbook": factories.upload(log, "run.eval"), "answer_field": "target"}
    refused = client.post("/api/v1/submissions/validate/", fields)
    assert refused.status_code == 422
    assert "output.completion" in refused.json()["errors"]["openbook"][0]


def test_of_several_epochs_the_result_says_that_each_is_an_attempt(client: Client, made: Benchmark, ada: User) -> None:
    answers = factories.perfect()
    samples = [
        logs.sample(qid, epoch, output={"completion": text if epoch == 1 else "Later."})
        for epoch in (2, 1)
        for qid, text in answers.items()
    ]
    fields = {"split": "dev", "openbook": factories.upload(logs.eval_log(*samples), "run.eval")}
    report = client.post("/api/v1/submissions/validate/", fields).json()["files"][0]
    (group,) = (group for group in report["groups"] if group["code"] == FROM_LOG)
    assert any(problem["found"].startswith("2 attempts at each question") for problem in group["problems"])
    assert (report["n_attempts"], report["n_answered"]) == (2, len(answers))
    assert sent(client, logs.eval_log(*samples)).status_code == 302
    submission = Submission.objects.get()
    attempts = AnswerBlock.objects.attempts_of(submission.files.get().answer_set)
    assert attempts == {qid: (text, "Later.") for qid, text in answers.items()}
    assert "2 attempts at each question" in client.get(submission.get_absolute_url()).content.decode()


def test_several_files_for_a_setting_stay_a_mistake(client: Client, made: Benchmark, ada: User) -> None:
    twice = [factories.upload(log_of(factories.perfect()), name) for name in ("a.eval", "b.eval")]
    response = client.post("/submit/?benchmark=fanoutqa", factories.form_data("dev", openbook=twice))
    assert response.status_code == 422
    assert "Several files" in str(response.context["form"].errors["openbook"])


def test_a_log_that_breaks_off_is_stored_only_once_that_is_confirmed(
    client: Client, made: Benchmark, ada: User
) -> None:
    samples = [logs.sample(qid, output={"completion": text}) for qid, text in factories.perfect().items()]
    described = logs.header(status="started")
    described["eval"] |= {"dataset": {"sample_ids": list(range(9))}}
    broken = logs.eval_log(*samples, **described)
    asked = sent(client, broken)
    assert asked.status_code == 422
    (message,) = asked.context["form"].errors["confirm_noticed"]
    assert "4 of 9 samples" in message
    assert not Submission.objects.exists()
    assert sent(client, broken, confirm_noticed="on").status_code == 302
    fields = {"split": "dev", "openbook": factories.upload(broken, "run.eval")}
    report = client.post("/api/v1/submissions/validate/", fields).json()["files"][0]
    assert UNFINISHED_LOG in [group["code"] for group in report["groups"]]


def test_reasoning_one_text_and_empty_answers_are_said_before_anything_is_stored(client: Client, ada: User) -> None:
    factories.benchmark(n_dev=12)
    doubtful = dict.fromkeys(factories.perfect(n=12), "Error: rate limit exceeded")
    doubtful["dev-0"] = "<think>Paris?</think> Rome"
    for data in (factories.generations(doubtful), log_of(doubtful)):
        asked = sent(client, data)
        assert asked.status_code == 422
        assert set(asked.context["form"].errors) == {"confirm_noticed"}
        (message,) = asked.context["form"].errors["confirm_noticed"]
        assert "1 answer contains" in message and "11 answers repeat" in message
        assert 'name="confirm_noticed"' in asked.content.decode()
        fields = {"split": "dev", "openbook": factories.upload(data, "run.eval")}
        report = client.post("/api/v1/submissions/validate/", fields).json()["files"][0]
        counts = {group["code"]: group["count"] for group in report["groups"]}
        assert (counts["reasoning"], counts["same-answer"]) == (1, 11)
    empty = {**factories.perfect(n=12), "dev-2": " "}
    del empty["dev-3"]
    asked = sent(client, log_of(empty))
    (message,) = asked.context["form"].errors["confirm_missing"]
    assert "2 of 12 questions have no answer" in message
    assert not Submission.objects.exists()
    assert sent(client, log_of(empty), confirm_missing="on").status_code == 302
    assert Submission.objects.get().files.get().n_answered == 10
