"""Every journey on every task type: read, submit, ask people, grade, compare, export, and the API.

The details of each are tested where they belong; here, that none of them assumes a kind of answer.
"""

import datetime
import io
import json
import re
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from humaneval.models import Grade, GradingRound, Study
from humaneval.results import answer_sets
from humaneval.results.exports.archive import write_export
from humaneval.results.human_row import publish_people
from leaderboard.accounts import tokens
from leaderboard.models import Entry, Submission, User
from leaderboard.publishing import requests
from scoring.models import Benchmark, Run
from scoring.models.run_states import RunState
from scoring.runs import leases
from scoring.runs.execution import execute
from tests import boards, factories, volunteers
from tests.judge_server import JudgeServer
from tests.scoring.runs.judging.site import judged_by

pytestmark = pytest.mark.django_db


@dataclass(frozen=True)
class Kind:
    """A task type with a benchmark of it."""

    make: Callable[[], Benchmark]
    right: Mapping[str, Any]
    """Answers of a good system, as in its file."""
    weak: Mapping[str, Any]
    typed: str
    """What a person writes as the answer to any question."""
    score: str
    """The score that the board is sorted by."""


KINDS = {
    "text-answer": Kind(
        factories.benchmark, factories.perfect(), factories.perfect(right=2), "Norway has Oslo and 0.", "loose"
    ),
    "answer-list": Kind(
        factories.list_benchmark,
        factories.list_answers(),
        factories.list_answers(right=2),
        "Oslo\nAtlantis",
        "list-f1.f1",
    ),
    "judged-list": Kind(
        factories.judged_benchmark,
        {f"dev-j{index}": list(gold) for index, gold in enumerate(factories.GOLD)},
        {f"dev-j{index}": [gold[0], "Atlantis"] for index, gold in enumerate(factories.GOLD)},
        "Oslo\nAtlantis",
        "list-judge.f1",
    ),
}


@pytest.fixture(
    params=["answer-list", *(pytest.param(one, marks=pytest.mark.slow) for one in ("text-answer", "judged-list"))]
)
def kind(request: pytest.FixtureRequest, settings: Any) -> Iterator[Kind]:
    """A kind on a site with a judge."""
    with JudgeServer() as server:
        judged_by(settings, server)
        yield KINDS[request.param]


def test_every_journey(kind: Kind, client: Client) -> None:
    benchmark = kind.make()
    ada, grace = factories.user("ada"), factories.maintainer()
    where = f"benchmark={benchmark.slug}&split=dev&setting=openbook"
    submit(client, kind, benchmark, ada)
    result = ask_people(client, kind, benchmark, grace)
    grade(result, benchmark, grace)
    boards.write()
    read(client, kind, benchmark, where)
    compare(client, kind, where)
    export(client, kind, benchmark, where)
    use_the_api(client, kind, benchmark, where)


def pages(client: Client, *urls: str) -> str:
    """The text of some pages, each of which exists."""
    found = []
    for url in urls:
        response = client.get(url)
        assert response.status_code == 200, (url, response.status_code)
        found.append(response.content.decode())
    return "\n".join(found)


def submit(client: Client, kind: Kind, benchmark: Benchmark, ada: User) -> None:
    """One system by the form, one by the API; both are scored and published."""
    pages(client, f"/how-to-submit/?benchmark={benchmark.slug}", f"/check/?benchmark={benchmark.slug}")
    checked = {"split": "dev", "openbook": factories.upload(kind.right), "confirm_missing": "on"}
    assert client.post(f"/check/?benchmark={benchmark.slug}", checked).status_code == 200
    client.force_login(ada)
    pages(client, f"/submit/?benchmark={benchmark.slug}")
    form = factories.form_data("dev", openbook=factories.upload(kind.right), confirm_missing="on", name="Strong")
    response = client.post(f"/submit/?benchmark={benchmark.slug}", form)
    assert response.status_code == 302, response.content.decode()
    strong = Submission.objects.get()
    factories.score(strong)
    pages(
        client, f"/submissions/{strong.pk}/", f"/submissions/{strong.pk}/judge/", f"/submissions/{strong.pk}/publish/"
    )
    said = client.post(
        f"/submissions/{strong.pk}/publish/",
        {"how": "named", "shows_answers": "on", "seen": requests.fingerprint(strong)},
    )
    assert said.status_code == 302, said.content.decode()
    client.logout()

    _, secret = tokens.create_token(user=ada, name="a script")
    headers = {"Authorization": f"Bearer {secret}"}
    data = factories.form_data("dev", benchmark=benchmark.slug, openbook=factories.upload(kind.weak), name="Weak")
    made = client.post("/api/v1/submissions/", data, headers=headers)
    assert made.status_code == 201, made.json()["errors"]
    weak = Submission.objects.get(name="Weak")
    factories.score(weak)
    shown = client.get(f"/api/v1/submissions/{weak.pk}/", headers=headers).json()
    assert kind.score in json.dumps(shown)
    assert client.post(f"/api/v1/submissions/{weak.pk}/publish/", headers=headers).status_code == 200


def ask_people(client: Client, kind: Kind, benchmark: Benchmark, grace: User) -> Study:
    """A participant answers two questions; the answers are scored, and people are on the board."""
    past = timezone.now() - datetime.timedelta(hours=1)
    study = factories.study(grace, factories.split(benchmark, "dev"))
    Study.objects.filter(pk=study.pk).update(opens_at=past, seats=5, encyclopedia=volunteers.NOTHING_THERE)
    study.refresh_from_db()
    volunteers.seated(client, study)
    for number in (1, 2):
        pages(client, f"/studies/{study.slug}/questions/{number}/")
        done = client.post(f"/studies/{study.slug}/questions/{number}/done/", {"text": kind.typed, "based_on": "0"})
        assert done.status_code == 303, done.content.decode()
    result = answer_sets.make_answer_set(study, by=grace)
    for run in Run.objects.filter(answer_set=result.answer_set, state=RunState.WAITING):
        token = leases.claim(str(run.pk))
        assert token is not None
        execute(str(run.pk), token, check=lambda: None)
    publish_people(result, by=grace, authors="The Manyhop team")
    keeper = Client()
    keeper.force_login(grace)
    pages(keeper, f"/maintenance/studies/{study.slug}/", f"/api/v1/studies/{study.slug}/")
    stream = io.BytesIO()
    write_export(study, stream, by=grace)
    with zipfile.ZipFile(stream) as archive:
        lines = archive.read("generations/P-01.jsonl").decode().splitlines()
    answers = [json.loads(line) for line in lines]
    expected = kind.typed if kind.score == "loose" else ["Oslo", "Atlantis"]
    assert [one.get("answer", one.get("predictions")) for one in answers] == [expected] * 2
    return study


def grade(study: Study, benchmark: Benchmark, grace: User) -> GradingRound:
    """A grader grades all answers of the systems and of the people at the desk; the maintainer sees the outcome."""
    greta, browser, keeper = factories.user("greta"), Client(), Client()
    files = [file for one in Submission.objects.all() for file in one.files.all()]
    split = factories.split(benchmark, "dev")
    made = factories.grading_round(grace, split, graders=[greta], files=files, studies=[study], graders_per_answer=1)
    browser.force_login(greta)
    desk = f"/grading/{made.slug}/desk/"
    browser.post(desk, {"action": "start"})
    n_graded = 0
    while slot := re.search(r'name="answer"\s+value="(\d+)"', pages(browser, desk)):
        said = {"action": "save", "answer": slot[1], "item": ["0"]}
        assert browser.post(desk, said).status_code == 302, n_graded
        n_graded += 1
    assert n_graded == Grade.objects.count() == made.answers.count() > 5
    keeper.force_login(grace)
    outcome = pages(keeper, f"/grading/{made.slug}/", f"/grading/{made.slug}/outcome/")
    assert "Krippendorff" in outcome
    for extension in ("json", "csv"):
        assert len(pages(keeper, f"/grading/{made.slug}/export.{extension}")) > 100
    return made


def read(client: Client, kind: Kind, benchmark: Benchmark, where: str) -> None:
    """The pages of the board, of the benchmark and of the systems; none of them names another benchmark."""
    board = f"/{benchmark.slug}/dev/openbook/"
    text = pages(client, board, "/")
    assert text.index("Strong") < text.index("Weak")
    assert "People" in text
    text += pages(client, f"{board}pictures/", f"{board}states/", f"/{benchmark.slug}/data-card/", "/systems/strong/")
    text += pages(client, f"/systems/strong/questions/?{where}", f"/definitions/?benchmark={benchmark.slug}")
    others = {"FanOutQA", "QAMPARI", "MoNaCo"} - {benchmark.name}
    shown = re.sub(r"<[^>]*>", " ", text)
    assert [one for one in others if one in shown] == []


def compare(client: Client, kind: Kind, where: str) -> None:
    """Two systems with each other, and all systems with people."""
    text = pages(client, f"/compare/?{where}&system=strong&system=weak")
    assert "Strong" in text and "Weak" in text
    human = Entry.objects.get(system__is_human=True, replaced_at=None).system
    pages(client, f"/systems/{human.slug}/against/?{where}")


def export(client: Client, kind: Kind, benchmark: Benchmark, where: str) -> None:
    """The board's files, and the judge's verdicts where there are some."""
    files = {
        extension: pages(client, f"/{benchmark.slug}/dev/openbook/export.{extension}?columns=all")
        for extension in ("csv", "json", "tex", "bib")
    }
    assert kind.score in files["csv"]
    rows = {row["system"]: row["cells"][kind.score]["value"] for row in json.loads(files["json"])["rows"]}
    assert 1 >= rows["Strong"] > rows["Weak"] > 0
    judged = Run.objects.filter(metric__in=("judge", "list-judge"), state=RunState.DONE).exists()
    response = client.get(f"/systems/weak/questions/verdicts.csv?{where}")
    assert response.status_code == (200 if judged else 404)
    assert judged == (kind.score != "list-f1.f1")


def use_the_api(client: Client, kind: Kind, benchmark: Benchmark, where: str) -> None:
    """What the API says of the benchmark, its questions, its board and a system."""
    base = f"/api/v1/benchmarks/{benchmark.slug}/"
    pages(client, "/api/v1/benchmarks/", base, f"{base}settings/", f"{base}splits/dev/")
    questions = client.get(f"{base}splits/dev/questions/").json()
    assert {one["id"] for one in questions} == set(kind.right)
    pages(client, "/api/v1/systems/", "/api/v1/systems/strong/")
    (row, *_) = client.get(f"/api/v1/board/?{where}").json()["rows"]
    shares = {one["score"]: one["value"] for one in row["scores"]}
    assert 0 < shares[kind.score] <= 1
    assert kind.score in pages(client, "/api/v1/systems/strong/scores/")
