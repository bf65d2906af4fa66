"""Logs of evaluation frameworks in the form and in the API: what is stored of them, and what is not."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.core.files.storage import default_storage
from django.test import Client

from leaderboard.models import DraftFile, Submission, System, User
from leaderboard.models.submissions import FROM_LOG
from leaderboard.publishing.services import publish_submission
from leaderboard.systems.facts import facts_by_group
from leaderboard.systems.page import system_page
from scoring.models import Benchmark
from tests import factories
from tests.scoring.logs import files as logs

pytestmark = pytest.mark.django_db


@pytest.fixture
def made() -> Benchmark:
    return factories.benchmark()


@pytest.fixture
def ada(client: Client) -> User:
    ada = factories.user()
    client.force_login(ada)
    return ada


def log_of(answers: dict[str, str], **more: Any) -> bytes:
    samples = [logs.sample(qid, output={"completion": text}, **more) for qid, text in answers.items()]
    return logs.eval_log(*samples)


def sent(client: Client, data: bytes, **fields: Any) -> Any:
    form = factories.form_data("dev", openbook=factories.upload(data, "run.eval"), **fields)
    return client.post("/submit/?benchmark=fanoutqa", form)


def everything_stored() -> bytes:
    """The content of all stored files."""
    folders, content = [""], b""
    while folders:
        folder = folders.pop()
        inner, names = default_storage.listdir(folder)
        folders += [f"{folder}{name}/" for name in inner]
        for name in names:
            with default_storage.open(f"{folder}{name}") as file:
                content += file.read()
    return content


def test_a_log_is_submitted_as_its_generations(client: Client, made: Benchmark, ada: User) -> None:
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
    stored = everything_stored()
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
    sources = {fact.label: fact.source for fact in facts if fact.text}
    assert (sources["Model"], sources["Framework"]) == ("stated", "from the log")
    (result,) = system_page(system).results
    sources = {fact.label: fact.source for fact in result.taken}
    assert (sources["Tokens a question"], sources["Seconds a question"]) == ("from the log", "stated")
    assert client.get(submission.get_absolute_url()).content.decode().count("from the log") >= 1
    described = client.get(f"/api/v1/systems/{system.slug}/").json()
    assert "from_log" not in described["run_facts"]


def test_a_generations_file_is_stated(client: Client, made: Benchmark, ada: User) -> None:
    assert sent(client, factories.generations(factories.perfect()), **{"run_facts.model": "me/mine"}).status_code == 302
    submission = Submission.objects.get()
    assert submission.run_facts == {"model": "me/mine"}
    assert not submission.files.get().is_from_log


@pytest.mark.parametrize("fields", [{"name": ""}, {"split": ""}])
def test_no_draft_keeps_the_log(client: Client, made: Benchmark, ada: User, fields: dict[str, str]) -> None:
    response = client.post(
        "/submit/?benchmark=fanoutqa",
        factories.form_data("dev", openbook=factories.upload(log_of(factories.perfect()), "run.eval")) | fields,
        follow=True,
    )
    assert response.status_code == 422
    assert logs.SECRET.encode() not in everything_stored()
    kept = [file.filename for file in DraftFile.objects.all()]
    assert kept == (["run.eval.jsonl"] if "name" in fields else [])
    if "name" in fields:
        assert 'value="Qwen/Qwen3"' in response.content.decode(), "the log's facts are in the form"


def test_what_is_wrong_with_a_log_is_said_and_nothing_is_stored(client: Client, made: Benchmark, ada: User) -> None:
    broken = logs.eval_log(logs.sample("dev-0", output=logs.SECRET))
    response = sent(client, broken)
    assert response.status_code == 422
    (message,) = response.context["form"].errors["openbook"]
    assert "samples/dev-0_epoch_1.json" in message
    assert logs.SECRET not in response.content.decode()
    assert logs.SECRET.encode() not in everything_stored()
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


def test_several_files_for_a_setting_stay_a_mistake(client: Client, made: Benchmark, ada: User) -> None:
    twice = [factories.upload(log_of(factories.perfect()), name) for name in ("a.eval", "b.eval")]
    response = client.post("/submit/?benchmark=fanoutqa", factories.form_data("dev", openbook=twice))
    assert response.status_code == 422
    assert "Several files" in str(response.context["form"].errors["openbook"])
