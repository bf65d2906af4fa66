"""The attacks of docs/security.md on hidden answers, through the door: real uploads by the API, real intake, scores by
the metrics, and whatever the site then shows to who sent them."""

import datetime
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from django.core import mail
from django.core.cache import cache
from django.db import transaction
from django.db.models import F
from django.test import Client
from pytest_django import Settings

from leaderboard.accounts.teams.services import create_team
from leaderboard.models import Entry, Submission, SubmissionFile, User
from leaderboard.submissions import notifications
from scoring.analysis import probing
from scoring.benchmarks import definition_of
from scoring.models import Score, Split
from tests import attacks, factories
from tests.chance import without_ids
from tests.leaderboard.test_dictionaries import titles, waits

pytestmark = [pytest.mark.slow, pytest.mark.django_db]

N_QUESTIONS = 100
"""One question is a step of 0.01, so that each right answer shows: the best case of an attacker."""
FILLER = "zzz"
SETTINGS = ("closedbook", "openbook", "evidenceprovided")
A_DAY, IN_ALL = 9, 60


@pytest.fixture(autouse=True)
def quotas(settings: Settings, uploads: Path) -> None:
    settings.HIDDEN_FILES = (A_DAY, 30, IN_ALL)


def hidden_split(answers: Mapping[int, str]) -> Split:
    """A hidden split like FanOutQA's: titles are the answers to some questions, and nobody has those to the others."""
    split = factories.split(factories.benchmark(), "test")
    wanted = {number: answers.get(number, f"unknown{number}") for number in range(N_QUESTIONS)}
    factories.revise(
        split, factories.source_questions("test", N_QUESTIONS, overrides=wanted), datetime.date(2024, 2, 1)
    )
    return factories.split(split.benchmark, "test")


class Attacker:
    """Somebody with an account, a token and a browser."""

    def __init__(self, user: User) -> None:
        self.user = user
        self.client = Client()
        self.client.force_login(user)
        self.headers = factories.token_of(user)

    def send(self, files: Mapping[str, Mapping[str, Any]], **fields: Any) -> Any:
        """Upload files by the API; a worker scores what is accepted."""
        data = factories.form_data("test", **fields) | {name: factories.upload(file) for name, file in files.items()}
        response = Client().post("/api/v1/submissions/", data, headers=self.headers)
        if response.status_code == 201:
            factories.score(Submission.objects.get(pk=response.json()["id"]))
        return response

    def read(self, pk: str) -> Any:
        return Client().get(f"/api/v1/submissions/{pk}/", headers=self.headers).json()

    def shown(self, pk: str, score: str) -> dict[str, float | None]:
        """What a submission shows of one score, by setting."""
        return {
            file["setting"]: value["value"]
            for file in self.read(pk)["files"]
            for run in file["runs"]
            for value in run["scores"]
            if value["name"] == score
        }


@pytest.fixture
def attacker() -> Attacker:
    return Attacker(factories.user("mallory"))


def guesses(answers: Mapping[int, str]) -> dict[str, str]:
    """Answers to all questions: guesses to some, words without a meaning to the others."""
    return {f"test-{number}": answers.get(number, FILLER) for number in range(N_QUESTIONS)}


# --- Above the limits -----------------------------------------------------------------------------------------------


def everything(attacker: Attacker, sent: Submission) -> dict[str, str]:
    """Whatever an attacker can look at after sending a file: pages, API, mails, exports, by where it is."""
    pk = str(sent.pk)
    api = [f"/api/v1/{path}" for path in ("submissions/", f"submissions/{pk}/", "systems/", "benchmarks/")]
    boards = [f"/fanoutqa/test/{setting}/" for setting in SETTINGS]
    asked = [f"?benchmark=fanoutqa&split=test&setting={setting}" for setting in SETTINGS]
    paths = [
        *(f"/submissions/{pk}/{page}" for page in ("", "progress/", "publish/")),
        *("/", "/submit/", "/submissions/", *api, *boards, *(f"/api/v1/board/{query}" for query in asked)),
        *(f"{board}{page}" for board in boards for page in ("pictures/", "states/")),
        *(f"{board}export.{kind}" for board in boards for kind in ("json", "csv", "tex", "bib")),
    ]
    found = {}
    for path in paths:
        response: Any = attacker.client.get(path, headers=attacker.headers if "/api/" in path else {})
        body = b"".join(response.streaming_content) if response.streaming else response.content
        found[path.replace(pk, "PK")] = f"{response.status_code} {body.decode(errors='replace')}"
    found["mails"] = "\n".join(f"{message.subject}\n{message.body}" for message in mail.outbox)
    return {where: without_chance(text, sent) for where, text in found.items()}


def without_chance(text: str, sent: Submission) -> str:
    """A page without what differs between any two submissions: ids, hashes, times, and tokens of forms."""
    text = without_ids(text.replace(str(sent.pk), "PK"))
    for pattern in (
        r'"csrfmiddlewaretoken": ?"[^"]*"|X-CSRFToken[^}]*',
        r"\b[0-9a-f]{10,64}\b",
        r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|\+00:00)?",
        r"\d\d:\d\d(:\d\d)?",
        r'"(mean_)?seconds": ?[\d.e-]+',
    ):
        text = re.sub(pattern, "…", text)
    return text


@pytest.mark.parametrize("kind", ["many names", "long answers"])
def test_above_the_limits_every_door_shows_the_same_whether_the_answer_is_in_it_or_not(
    attacker: Attacker, kind: str
) -> None:
    """One dictionary holds the answers, the other differs from it in these alone; the attacker sees which answers
    wait, and why, and could not say which of the two was sent."""
    names = [f"Place{number:04}" for number in range(600)]
    n_wanted = 1 if kind == "many names" else 4
    split = hidden_split(dict.fromkeys(range(n_wanted), "Place0007"))
    if kind == "long answers":  # few names, which are the same words again and again
        names = [f"Place{number % 100:04}" for number in range(900)]
    looks = []
    for right in (True, False):
        text = " ".join(names) if right else " ".join(names).replace("Place0007", "Plate0007")
        point = transaction.savepoint()
        cache.clear()
        mail.outbox.clear()
        response = attacker.send({"openbook": guesses(dict.fromkeys(range(n_wanted), text))})
        assert response.status_code == 201, response.content
        sent = Submission.objects.get()
        assert notifications.queue_due() == 0
        told = attacker.read(str(sent.pk))
        code = probing.MANY_NAMES if kind == "many names" else probing.LONG_ANSWERS
        assert [(review["code"], review["count"]) for review in told["reviews"]] == [(code, n_wanted)]
        assert set(told["reviews"][0]["questions"]) == {f"test-{number}" for number in range(n_wanted)}
        values = [score["value"] for file in told["files"] for run in file["runs"] for score in run["scores"]]
        assert values and set(values) == {None}
        publish = f"/api/v1/submissions/{sent.pk}/publish/"
        assert Client().post(publish, {}, content_type="application/json", headers=attacker.headers).status_code == 409
        page = f"/submissions/{sent.pk}/publish/"
        seen = told["publication"]["fingerprint"]
        assert attacker.client.post(page, {"how": "named", "seen": seen}).status_code == 422
        looks.append(everything(attacker, sent))
        assert not Entry.objects.exists() and not mail.outbox
        exact = Score.objects.get(run__answer_set__submission_file__submission=sent, name="loose")
        assert ((exact.value or 0.0) > 0) is right, "the site knows; it does not tell"
        transaction.savepoint_rollback(point)
    assert split.hidden
    first, second = looks
    assert [where for where in first if first[where] != second[where]] == []
    assert sum(text.startswith("200") for text in first.values()) > 20


# --- Below the limits -----------------------------------------------------------------------------------------------


class QuotaError(Exception):
    """The site takes no more files."""


class Oracle:
    """Asks the site whether the answer to a question is among titles, one file for each question asked; no more than
    the site's quotas of files let through. A day or a month of waiting costs an attacker nothing."""

    def __init__(self, attacker: Attacker, *, patient: bool) -> None:
        self.attacker = attacker
        self.patient = patient
        self.n_files = 0
        self.n_refused = 0

    def ask(self, question: int, candidates: Sequence[str], known: Mapping[int, str]) -> bool:
        answers = guesses({**known, question: " ".join(candidates)})
        while True:
            response = self.attacker.send({"openbook": answers}, name=f"Probe {self.n_files}")
            if response.status_code == 201:
                break
            assert response.status_code == 429, response.content
            quota = response.json()["quota"]
            assert quota["unit"] == "file"
            self.n_refused += 1
            if not self.patient or quota["frees_at"] is None:
                raise QuotaError
            wait = datetime.datetime.fromisoformat(quota["frees_at"]) - datetime.datetime.now(datetime.UTC)
            SubmissionFile.objects.update(sent_at=F("sent_at") - wait - datetime.timedelta(seconds=1))
        self.n_files += 1
        assert response.json()["reviews"] == [], "it is scored at once"
        (value,) = self.attacker.shown(response.json()["id"], "loose").values()
        assert value is not None
        n_right = round(value * N_QUESTIONS)
        assert n_right - len(known) in (0, 1), "a file tells one bit"
        return n_right > len(known)


def find(oracle: Oracle, question: int, parts: Sequence[Sequence[str]], known: Mapping[int, str]) -> Iterator[int]:
    """Search an answer in a dictionary: part after part, then by bisection. Yields how many candidates are left after
    each file."""
    left = [list(part) for part in parts]
    while len(left) > 1 and not oracle.ask(question, left[0], known):
        left.pop(0)
        yield sum(map(len, left))
    (candidates, *_) = left
    yield len(candidates)
    while len(candidates) > 1:
        half = candidates[: len(candidates) // 2]
        candidates = half if oracle.ask(question, half, known) else candidates[len(half) :]
        yield len(candidates)


def dictionary() -> tuple[list[str], list[tuple[str, ...]]]:
    """1,024 titles of Wikipedia in lower case, and their parts just below both limits."""
    known = [title.lower() for title in titles()[:1_024]]
    return known, attacks.dictionary_answers(known, lambda text: len(text) <= 8_000 and not waits(text))


def test_a_day_of_dictionaries_below_the_limits_leaves_the_answer_among_many(attacker: Attacker) -> None:
    known, parts = dictionary()
    wanted = parts[len(parts) // 2][0]
    hidden_split({0: wanted})
    oracle, left = Oracle(attacker, patient=False), [len(known)]
    with pytest.raises(QuotaError):
        left += find(oracle, 0, parts, {})
    assert (oracle.n_files, oracle.n_refused) == (A_DAY, 1)
    assert math.log2(len(known) / left[-1]) <= A_DAY, "one bit a file"
    assert left[-1] > 1, "one day is not enough for one answer"


@pytest.mark.slow
def test_all_files_of_the_quota_find_no_more_answers_than_documented(attacker: Attacker) -> None:
    """The bound of docs/security.md: a bit a file, and about 5 answers among 1,024 titles with all 60 files, after
    months of waiting. An answer that is found is sent in each later file, as an attacker would."""
    known, parts = dictionary()
    plain = [title for title in known if re.fullmatch("[a-z]+ [a-z]+", title)]  # the official accuracy finds these
    answers = {number: plain[(number * 397 + 100) % len(plain)] for number in range(12)}
    hidden_split(answers)
    oracle = Oracle(attacker, patient=True)
    found: dict[int, str] = {}
    with pytest.raises(QuotaError):
        for question, answer in answers.items():
            assert list(find(oracle, question, parts, found))[-1] == 1
            found[question] = answer
    assert (oracle.n_files, SubmissionFile.objects.count()) == (IN_ALL, IN_ALL)
    assert oracle.n_refused > IN_ALL / A_DAY
    assert len(found) * math.log2(len(known)) <= IN_ALL, "one bit a file"
    assert 4 <= len(found) <= 6


def test_files_of_several_settings_count_each_and_other_teams_and_names_give_no_more(attacker: Attacker) -> None:
    hidden_split({0: "Oslo"})
    for number in range(3):
        files = {setting: guesses({0: f"{setting} {number}"}) for setting in SETTINGS}
        assert attacker.send(files, name=f"System {number}").status_code == 201
    team = create_team(by=attacker.user, name="Probers")
    for fields in ({"name": "Another"}, {"team": team.slug}):
        assert attacker.send({"openbook": guesses({0: "Oslo"})}, **fields).status_code == 429
    assert SubmissionFile.objects.count() == A_DAY


# --- Lists ----------------------------------------------------------------------------------------------------------

N_LISTS = 200


def lists(first: list[str]) -> dict[str, list[str]]:
    """Predictions: these for the first question, and one that is always wrong for the others."""
    qids = [question.qid for question in factories.list_questions("test", N_LISTS)]
    return {qid: ["Atlantis"] for qid in qids} | {qids[0]: first}


@pytest.fixture
def list_split() -> Split:
    split = factories.split(factories.list_benchmark(n_test=N_LISTS), "test")
    if not split.hidden:
        Split.objects.filter(pk=split.pk).update(hidden=True)
    return factories.split(split.benchmark, "test")


def list_scores(attacker: Attacker, first: list[str]) -> tuple[dict[str, float | None], list[str]]:
    response = attacker.send(
        {"openbook": lists(first)}, benchmark=factories.LISTS, name=f"Lists {SubmissionFile.objects.count()}"
    )
    assert response.status_code == 201, response.content
    told = attacker.read(response.json()["id"])
    values = {
        score["name"]: score["value"] for file in told["files"] for run in file["runs"] for score in run["scores"]
    }
    return values, [review["code"] for review in told["reviews"]]


def test_a_repeated_right_answer_hides_no_candidates(attacker: Attacker, list_split: Split) -> None:
    """ALCE's F1 counts a repeated prediction again: 100 times a known answer, and any number of candidates cost no
    precision. Scores of such a list wait, and none of ALCE is shown even where nothing waits."""
    known = next(iter(factories.CAPITALS.values()))
    held, codes = list_scores(attacker, [known] * 100 + [f"Candidate {number}" for number in range(40)])
    assert codes == [probing.REPEATED] and set(held.values()) == {None}
    few = probing.REPEATS_ALLOWED + 1
    plain, _ = list_scores(attacker, [known])
    repeated, codes = list_scores(attacker, [known] * few)
    assert codes == []
    assert repeated == plain, "every score that is shown counts an answer once"
    assert any(value is not None for value in plain.values())
    columns = definition_of(factories.LISTS).columns
    alce = {column.score for column in columns if column.metric == "list-f1-alce"}
    assert alce and all(plain.get(name) is None for name in alce)


def test_a_list_with_candidates_tells_of_a_few_alone(attacker: Attacker, list_split: Split) -> None:
    """Of a file with a known answer, repeated as often as nothing waits, and candidates with or without another
    answer: the shown scores differ only while the list is short, because what is shown falls with its length."""
    first, second, *_ = factories.CAPITALS.values()
    repeats = probing.REPEATS_ALLOWED + 1
    differs = []
    for n_candidates in (1, 3, 100):
        others = [f"Candidate {number}" for number in range(n_candidates)]
        without, codes = list_scores(attacker, [first] * repeats + others)
        assert codes == []
        differs.append(list_scores(attacker, [first] * repeats + [second, *others[1:]])[0] != without)
        SubmissionFile.objects.update(sent_at=F("sent_at") - datetime.timedelta(days=2))
    assert differs == [True, True, False]
