"""Retrieved passages, an optional second file of a setting: read, stored, scored, shown, replaced and deleted."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.core.files.storage import default_storage
from django.test import Client

from leaderboard.board.table.cells import NO_PASSAGES
from leaderboard.disclosure import DisclosureRule
from leaderboard.maintenance import rescoring
from leaderboard.models import Submission, SubmissionFile, User
from leaderboard.publishing.services import publish_submission
from leaderboard.submissions.deletion import delete_submission
from scoring.benchmarks.base import SourceQuestion
from scoring.metrics.passage_recall import CUTOFFS
from scoring.models import Benchmark, PassageFile, Run, Split
from scoring.models.run_states import RunState
from scoring.runs.execution import UNREADABLE_PASSAGES
from scoring.tasks import execute_run
from tests import boards, factories

pytestmark = pytest.mark.django_db
FORM = {"benchmark": factories.LISTS}
WIKI = "https://en.wikipedia.org/wiki/"
CITIES = list(factories.CAPITALS.values())


@pytest.fixture
def made() -> Benchmark:
    """The benchmark of lists, whose gold answers have evidence."""
    found = factories.list_benchmark()
    factories.revise(factories.split(found, "dev"), dev_questions())
    return found


def dev_questions() -> list[SourceQuestion]:
    """The questions of the development split, with evidence."""
    questions = []
    for question in factories.list_questions("dev"):
        gold = [
            {**one, "proof": [{"proof_text": f"{one['answer_text']} is a capital.", "found_in_url": f"{WIKI}Page_{i}"}]}
            for i, one in enumerate(question.answer)
        ]
        questions.append(replace(question, answer=gold))
    return questions


def lines(passages: Mapping[str, Sequence[tuple[str, str]]]) -> bytes:
    """A file of passages: title and text of each."""
    objects = (
        {"id": qid, "passages": [{"title": title, "text": text} for title, text in found]}
        for qid, found in passages.items()
    )
    return "".join(json.dumps(one) + "\n" for one in objects).encode()


def retrieved(n: int = 4, *, filler: int = 10) -> bytes:
    """Passages for *n* questions: the first one has an answer, one after *filler* others is evidence for another."""
    found = [("Somewhere", f"{CITIES[0]} is far away."), *[("Nowhere", "Nothing.")] * filler]
    found.append(("page 1", f"{CITIES[1]} is a capital."))
    return lines({question.qid: found for question in factories.list_questions("dev", n)})


def form(passages: bytes | None = None, **fields: Any) -> dict[str, Any]:
    """A submission to the open-book setting."""
    answers = factories.upload(factories.generations(factories.list_answers()))
    data = factories.form_data() | FORM | {"openbook": answers, "confirm_missing": "on"} | fields
    return data | ({"openbook_passages": factories.upload(passages, name="found.jsonl")} if passages else {})


def send(client: Client, data: dict[str, Any]) -> Any:
    return client.post(f"/submit/?benchmark={factories.LISTS}", data)


def score_all() -> dict[str, float]:
    for run in Run.objects.filter(state=RunState.WAITING):
        execute_run(str(run.pk))
    found = Run.objects.filter(metric="passage-recall", state=RunState.DONE)
    return {score.name: score.value for run in found.order_by("created_at") for score in run.scores.all()}


def test_passages_are_stored_scored_and_shown(client: Client, made: Benchmark, ada: User) -> None:
    raw = retrieved(3)
    assert send(client, form(raw)).status_code == 302
    sent = Submission.objects.get()
    stored = PassageFile.objects.get()
    assert (stored.filename, stored.n_questions) == ("found.jsonl", 3)
    assert stored.sha256 == hashlib.sha256(raw).hexdigest()
    assert stored.original.read() == raw
    scores = score_all()
    sizes = [5, 6, 5]  # gold answers of the questions with passages; the fourth has none
    assert scores["arecall.10"] == pytest.approx(sum(1 / n for n in sizes) / 4)
    assert scores["arecall.25"] == scores["arecall.200"] == pytest.approx(sum(2 / n for n in sizes) / 4)
    assert scores["erecall.10"] == 0
    assert scores["erecall.25"] == pytest.approx(sum(1 / n for n in sizes) / 4)
    run = Run.objects.get(metric="passage-recall")
    assert run.signature.startswith(f"passage-recall|k:{','.join(map(str, CUTOFFS))}|overlap:0.7|data:dev@")
    assert {score.n_answered for score in run.scores.all()} == {3}
    page = client.get(sent.get_absolute_url()).content.decode()
    assert "found.jsonl" in page
    assert "ARecall@25" in page
    download: Any = client.get(f"/submissions/{sent.pk}/files/openbook/?part=passages")
    assert b"".join(download.streaming_content) == raw


def test_boards_have_the_columns_where_passages_are_taken(client: Client, made: Benchmark, ada: User) -> None:
    send(client, form(retrieved(), name="With passages"))
    score_all()
    publish_submission(Submission.objects.get(), actor=ada)
    factories.published(ada, factories.split(made, "dev"), {"openbook": factories.list_answers()}, name="Without")
    boards.write()
    board = f"/{factories.LISTS}/dev/openbook/"
    assert "ARecall@10" not in client.get(board).content.decode()
    page = client.get(f"{board}?columns=all").content.decode()
    assert "ARecall@10" in page
    assert NO_PASSAGES in page
    assert "ARecall@10" not in client.get(f"/{factories.LISTS}/dev/closedbook/?columns=all").content.decode()
    where = {"benchmark": factories.LISTS, "split": "dev", "setting": "openbook", "columns": "all"}
    rows = client.get("/api/v1/board/", where).json()["rows"]
    cells = {row["name"]: {cell["score"]: cell["value"] for cell in row["scores"]}["arecall.10"] for row in rows}
    assert cells == {"With passages": pytest.approx((1 / 5 + 1 / 6) / 2), "Without": None}
    assert "arecall.10" in client.get(f"{board}export.csv?columns=all").content.decode()
    assert "<mtext>ARecall@K</mtext>" in client.get("/definitions/").content.decode()


@pytest.mark.slow
def test_rescoring_needs_no_score_of_passages_where_there_are_none(client: Client, made: Benchmark, ada: User) -> None:
    send(client, form(retrieved(), name="With passages"))
    score_all()
    publish_submission(Submission.objects.get(), actor=ada)
    dev = factories.split(made, "dev")
    factories.published(ada, dev, {"openbook": factories.list_answers()}, name="Without")
    questions = [replace(one, text="Which?") for one in dev_questions()]
    factories.revise(dev, questions)
    dev = factories.split(made, "dev")
    [plan] = [one for one in rescoring.plan(dev) if one.metric == "passage-recall"]
    assert (plan.n_answer_sets, plan.n_missing) == (1, 1)
    systems = {one.system for one in rescoring.changes(dev) if one.column.label.startswith("ARecall")}
    assert systems == {"With passages"}


def test_every_problem_is_named_with_line_and_field(client: Client, made: Benchmark, ada: User) -> None:
    qids = [question.qid for question in factories.list_questions("dev")]
    rows = [
        {"id": qids[0], "passages": [{"title": "A"}, "B", {"title": 1, "text": "C"}]},
        {"id": qids[1], "passages": "text"},
        {"id": qids[2], "ctxs": []},
        {"id": "nobody", "passages": []},
        {"id": qids[3], "passages": []},
    ]
    response = send(client, form("\n".join(map(json.dumps, rows)).encode()))
    assert response.status_code == 422
    assert not PassageFile.objects.exists()
    assert "openbook_passages" in response.context["form"].errors
    report = response.context["file_reports"][-1]
    report = report if isinstance(report, dict) else report.as_dict()
    found = {(one["line"], one["field"], one["found"]) for group in report["groups"] for one in group["problems"]}
    assert {
        (1, "passages", 'no "text" in passage 1'),
        (1, "passages", "a string as passage 2"),
        (1, "passages", 'a number as "title" of passage 3'),
        (2, "passages", "a string"),
        (4, "id", "id “nobody”"),
    } <= found
    titles = {group["code"]: group["title"] for group in report["groups"]}
    assert "answer" not in json.dumps(list(titles.values()))
    assert titles["empty-answer"].startswith("1 list of passages ")
    page = response.content.decode()
    assert "Open book: retrieved passages" in page
    assert "found.jsonl" in page


def test_passages_need_answers_and_a_setting_that_takes_them(client: Client, made: Benchmark, ada: User) -> None:
    data = form(retrieved())
    del data["openbook"]
    response = send(client, data)
    assert response.status_code == 422
    assert response.context["form"].has_error("openbook_passages", "no_answers")
    assert "closedbook_passages" not in response.context["form"].fields


def test_the_check_and_the_api_read_them_too(client: Client, made: Benchmark) -> None:
    page = client.post(f"/check/?benchmark={factories.LISTS}", form(retrieved()))
    assert page.status_code == 200
    assert "4 of 4 questions with passages" in page.content.decode()

    def data(passages: bytes) -> dict[str, Any]:
        return {name: value for name, value in form(passages).items() if name != "confirm_missing"}

    answer = client.post("/api/v1/submissions/validate/", data(retrieved(3)))
    assert answer.status_code == 200
    assert [(one["part"], one["n_answered"]) for one in answer.json()["files"]] == [("answers", 3), ("passages", 3)]
    refused = client.post("/api/v1/submissions/validate/", data(b"[]"))
    assert refused.status_code == 422
    assert "openbook_passages" in refused.json()["errors"]


def test_a_newer_version_brings_its_own_passages(client: Client, made: Benchmark, ada: User) -> None:
    send(client, form(retrieved()))
    sent = Submission.objects.get()
    answers = factories.generations(factories.list_answers())
    address = f"/submissions/{sent.pk}/files/openbook/replace/"

    def newer(passages: bytes | None) -> Any:
        data: dict[str, Any] = {"openbook": factories.upload(answers), "confirm_missing": "on", "confirm_same": "on"}
        return client.post(address, data | ({"openbook_passages": factories.upload(passages)} if passages else {}))

    assert newer(retrieved()).status_code == 422, "both files are the same"
    assert newer(retrieved(filler=0)).status_code == 302
    assert score_all()["arecall.10"] == pytest.approx((2 / 5 + 2 / 6) / 2)
    assert newer(None).status_code == 302
    assert [bool(file.passages) for file in SubmissionFile.objects.order_by("version")] == [True, True, False]
    told = client.get(f"/submissions/{sent.pk}/files/openbook/?part=passages")
    assert told.status_code == 404


def test_deletion_deletes_the_passages(client: Client, made: Benchmark, ada: User, tmp_path: Path) -> None:
    send(client, form(retrieved()))
    name = PassageFile.objects.get().original.name
    assert name is not None
    assert default_storage.exists(name)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("django.db.transaction.on_commit", lambda call, **kwargs: call())
        delete_submission(Submission.objects.get(), actor=ada)
    assert not PassageFile.objects.exists()
    assert not default_storage.exists(name)


def test_a_file_that_is_not_there_fails_with_the_reason(client: Client, made: Benchmark, ada: User) -> None:
    send(client, form(retrieved()))
    Path(PassageFile.objects.get().original.path).unlink()
    assert score_all() == {}
    run = Run.objects.get(metric="passage-recall")
    assert run.state == RunState.FAILED
    assert run.reason.startswith(UNREADABLE_PASSAGES)


def test_a_hidden_split_shows_none_of_the_scores(made: Benchmark) -> None:
    dev = factories.split(made, "dev")
    Split.objects.filter(pk=dev.pk).update(hidden=True)
    rule = DisclosureRule.of(Split.objects.get(pk=dev.pk))
    names = [f"{part}.{cutoff}" for part in ("arecall", "arecall-aliases", "erecall") for cutoff in CUTOFFS]
    assert all(rule.reason_withheld(name) for name in names)
