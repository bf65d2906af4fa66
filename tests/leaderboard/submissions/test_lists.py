"""A benchmark whose answers are lists, from the upload to what readers see."""

import csv
import html
import io
import json
from typing import Any

import pytest
from django.test import Client

from leaderboard.models import Submission, User
from leaderboard.publishing.services import publish_submission
from leaderboard.templatetags.display import IN_PER_CENT
from scoring.metrics.answer_lists import predictions_of
from scoring.models import AnswerBlock, AnswerSet, Split
from tests import boards, factories
from tests.notices import plain

pytestmark = pytest.mark.django_db
BOARD = "/qampari/dev/openbook/"


@pytest.fixture
def ada() -> User:
    return factories.user()


@pytest.fixture
def dev(ada: User) -> Split:
    factories.benchmark()
    return factories.split(factories.list_benchmark(), "dev")


def sent(client: Client, file: Any, url: str = "/submit/?benchmark=qampari", **fields: Any) -> Any:
    data = factories.form_data("dev", openbook=factories.upload(file), **fields)
    return client.post(url, {"confirm_missing": "on"} | data)


def texts() -> list[list[str]]:
    answers = sorted(AnswerBlock.objects.texts(AnswerSet.objects.all()))
    return [predictions_of(text) for _, _, text in answers]


def test_from_the_form_to_the_board(client: Client, ada: User, dev: Split) -> None:
    client.force_login(ada)
    page = client.get("/submit/?benchmark=qampari").content.decode()
    assert 'name="separator"' in page
    assert "<code>predictions</code>" in page
    assert 'name="separator"' not in client.get("/submit/").content.decode(), "the first benchmark has texts"
    answers = factories.list_answers()
    assert sent(client, answers).status_code == 302
    assert texts() == list(answers.values())
    submission = Submission.objects.get()
    factories.score(submission)
    publish_submission(submission, actor=ada, shows_answers=True)
    boards.write()
    other = factories.published(ada, dev, {"openbook": factories.list_answers(right=2)}, name="Second")
    boards.write()
    read(client, submission, other)


def read(client: Client, submission: Submission, other: Submission) -> None:
    """Read the board, its exports, the comparison and the questions of published lists."""
    board = client.get(BOARD)
    assert board.status_code == 200
    assert board.content.decode().index("Example system") < board.content.decode().index("Second")
    assert "75.0" in board.content.decode()
    assert IN_PER_CENT in board.content.decode()
    document = client.get("/api/v1/board/?benchmark=qampari&split=dev&setting=openbook").json()
    row = document["rows"][0]
    assert (row["n_answered"], row["n_questions"]) == (3, 4)
    values = {one["score"]: one["value"] for one in row["scores"]}
    assert values["list-f1.rec_above"] == 0.75, "a share, whatever pages show"
    for suffix in ("csv", "tex", "json"):
        assert client.get(f"{BOARD}export.{suffix}").status_code == 200, suffix
    table = list(csv.reader(io.StringIO(client.get(f"{BOARD}export.csv").content.decode())))
    assert "list-f1.f1" in table[0]
    compared = client.get("/compare/?benchmark=qampari&split=dev&setting=openbook&system=example-system&system=second")
    assert "Lima" in compared.content.decode()
    questions = client.get("/systems/example-system/questions/?benchmark=qampari&split=dev&setting=openbook")
    page = questions.content.decode()
    assert "<mark>Oslo</mark>" in page
    assert ">Atlantis<" in page
    assert page.count("Not answered") >= 2, "the tab, and the question with an empty list"
    pictures = client.get(f"{BOARD}pictures/").content.decode()
    assert ">100</text>" in pictures, "the axis is in per cent"
    assert "0.625" not in pictures
    assert "62.5" in client.get(f"/submissions/{submission.pk}/").content.decode()
    system = client.get("/systems/example-system/").content.decode()
    assert "0.625" not in system
    assert "Median <b>6</b> answers" in system
    assert other.files.get().n_answered == 3


def test_the_api_reads_lists_and_texts_with_a_separator(client: Client, ada: User, dev: Split) -> None:
    headers = factories.token_of(ada)
    qids = list(factories.list_answers())
    given = ["Oslo [1], Lima, .", '["Oslo", "Lima"]', "", "Rome"]
    file = "".join(json.dumps({"qid": q, "predictions": p}) + "\n" for q, p in zip(qids, given, strict=True)).encode()
    data = factories.form_data("dev", benchmark="qampari", openbook=factories.upload(file))
    refused = client.post("/api/v1/submissions/validate/", data)
    assert refused.status_code == 422
    (group,) = refused.json()["files"][0]["groups"][:1]
    assert (group["code"], group["count"]) == ("answer-not-a-list", 3)
    assert (group["problems"][0]["line"], group["problems"][0]["field"]) == (1, "predictions")
    assert "--separator" in group["fix"] and "--separator" in group["problems"][0]["message"]
    made = client.post(
        "/api/v1/submissions/", data | {"openbook": factories.upload(file), "separator": ","}, headers=headers
    )
    assert made.status_code == 201, made.json()
    assert texts() == [["Oslo", "Lima"], ["Oslo", "Lima"], [], ["Rome"]]
    assert made.json()["files"][0]["n_answered"] == 3
    broken = client.post(
        "/api/v1/submissions/validate/", data | {"openbook": factories.upload(file), "separator": "\n"}
    )
    assert list(broken.json()["errors"]) == ["separator", "openbook"]
    other = factories.form_data("dev", openbook=factories.upload(factories.perfect()), separator=",")
    refused = client.post("/api/v1/submissions/", other, headers=headers)
    assert list(refused.json()["errors"]) == ["separator"], "texts are not split"


def test_checking_names_line_and_field(client: Client, dev: Split) -> None:
    qid = next(iter(factories.list_answers()))
    file = json.dumps({"id": qid, "predictions": ["Oslo", 5]}).encode()
    response = client.post("/check/?benchmark=qampari", {"split": "dev", "openbook": factories.upload(file)})
    assert response.status_code == 422
    (problem,) = (one for group in response.context["file_reports"][0].errors for one in group.problems)
    assert (problem.line, problem.field) == (1, "predictions")
    assert "item 2 " in problem.found
    assert plain(problem.found) in plain(response.content.decode())
    fine = client.post(
        "/check/?benchmark=qampari", {"split": "dev", "openbook": factories.upload(factories.list_answers())}
    )
    assert fine.status_code == 200


def test_what_a_submitter_writes_is_escaped(client: Client, ada: User, dev: Split) -> None:
    answers = {qid: ["<script>alert(1)</script>", "Oslo"] for qid in factories.list_answers()}
    submission = factories.scored(ada, dev, {"openbook": answers})
    publish_submission(submission, actor=ada, shows_answers=True)
    boards.write()
    page = client.get("/systems/example-system/questions/?benchmark=qampari&split=dev&setting=openbook")
    assert "<script>alert(1)" not in page.content.decode()
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page.content.decode()


@pytest.mark.slow
def test_links_of_a_system_on_two_benchmarks_name_the_benchmark(client: Client, ada: User, dev: Split) -> None:
    texts = factories.split(factories.benchmark(), "dev")
    for name in ("First", "Second"):
        factories.published(ada, texts, {"openbook": factories.perfect()}, name=name)
        factories.published(ada, dev, {"openbook": factories.list_answers()}, name=name)
    boards.write()
    page = html.unescape(client.get("/systems/first/").content.decode())
    for benchmark in ("fanoutqa", "qampari"):
        assert f"/systems/first/questions/?benchmark={benchmark}&split=dev&setting=openbook" in page
        assert f"/compare/?system=first&benchmark={benchmark}&split=dev&setting=openbook" in page
    compared = client.get("/compare/?benchmark=qampari&split=dev&setting=openbook&system=first&system=second")
    for benchmark in ("FanOutQA", "QAMPARI"):
        assert f"{benchmark}, Open book, development" in compared.content.decode()


def test_a_hidden_split_shows_no_recall_and_no_precision(client: Client, ada: User, dev: Split) -> None:
    Split.objects.filter(pk=dev.pk).update(hidden=True)
    answers = {qid: ["Oslo", "Lima"] for qid in factories.list_answers()}
    factories.published(ada, factories.split(dev.benchmark, "dev"), {"openbook": answers})
    boards.write()
    document = client.get("/api/v1/board/?benchmark=qampari&split=dev&setting=openbook").json()
    shown = {one["score"]: one for one in document["rows"][0]["scores"]}
    assert {name for name, one in shown.items() if one["value"] is not None} == {
        *("list-f1.f1", "list-f1.f1_above"),
    }
    assert "hidden split" in shown["list-f1.rec_above"]["reason"]
    assert (
        client.get("/systems/example-system/questions/?benchmark=qampari&split=dev&setting=openbook").status_code == 404
    )
