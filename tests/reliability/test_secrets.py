"""Nothing tells a reference answer, and a private submission is nobody else's.

Canaries stand in the hidden answers: in texts, in keys, nested, in the decomposition. Then everything that the site
can be asked is asked, by everybody, and no answer, log line, reason or event may contain one.
"""

import json
import logging
import re
import secrets
import uuid
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.core.management import call_command
from django.db import DatabaseError
from django.test import Client

from humaneval.models import Study
from humaneval.studies.form_steps import STEPS
from humaneval.studies.services import create_study
from leaderboard.accounts import tokens
from leaderboard.board.exports.files import FORMATS, SYSTEM_FORMATS
from leaderboard.board.exports.snapshots import snapshot_name
from leaderboard.models import ApiToken, BoardSnapshot, Entry, Event, Standing, Submission, System, User
from scoring import registry
from scoring.benchmarks.base import SourceFile
from scoring.importing import drafts
from scoring.importing.revisions import source_of
from scoring.metrics.base import Metric
from scoring.models import ImportDraft, Reference, Revision, Run, Score, Split
from scoring.models.run_states import RunState
from scoring.runs import execution
from scoring.tasks import execute_run
from tests import boards, factories
from tests.processes import Beat, Site, Worker
from tests.reliability.crawl import addresses, admin_addresses
from tests.reliability.ground import SCORED, rows, scorable_runs, wait_until
from tests.reliability.raw_http import Part
from tests.reliability.visitors import doors
from tests.services import Redis

pytestmark = pytest.mark.slow

CANARY = f"canary{secrets.token_hex(8)}"
"""Part of every reference answer; one word in lower case, so that it is the same after any normalisation."""
PRIVATE = f"private{secrets.token_hex(8)}"
"""Part of everything that a submitter says of a submission that is not public."""


def hidden_questions() -> list[dict[str, Any]]:
    """A file of hidden answers, every place of which that may not be told has the canary."""

    def step(depth: int) -> dict[str, Any]:
        return {
            "id": f"step-{depth}",
            "question": f"Which {CANARY} comes at {depth}?",
            "answer": {f"{CANARY} {depth}": [CANARY, depth]},
            "decomposition": [step(depth - 1)] if depth else [],
            "depends_on": [],
            "evidence": {"pageid": depth, "revid": 1, "title": "Norway", "url": "https://example.org/norway"},
        }

    answers: list[Any] = [
        CANARY,
        f"The {CANARY} of Norway",
        [CANARY, f"{CANARY} two", 3],
        {CANARY: "value", "key": CANARY},
        {"outer": {CANARY: [f"{CANARY} {number}" for number in range(5)]}, f"{CANARY} key": {"inner": CANARY}},
        [[CANARY], {"nested": {CANARY: True}}],
    ]
    return [
        {
            "id": f"test-{number}",
            "question": f"What is known about country number {number}?",
            "categories": ["Geography"],
            "necessary_evidence": [step(0)["evidence"]],
            "decomposition": [step(2)],
            "answer": answer,
        }
        for number, answer in enumerate(answers)
    ]


ANSWERS = {f"test-{number}": f"Norway and {number}" for number in range(6)}


def import_hidden(folder: Path) -> Split:
    made = factories.benchmark()
    file = folder / "hidden-answers.json"
    file.write_text(json.dumps(hidden_questions()))
    call_command("import_benchmark", made.slug, test_answers=file, verbosity=0)
    split = factories.split(made, "test")
    assert split.hidden
    assert split.current_revision is not None
    assert split.current_revision.has_references
    assert Reference.objects.filter(answer_json__contains=CANARY, decomposition_json__contains=CANARY).count() == 6
    return split


def assert_tells_nothing(what: str, text: str | bytes) -> None:
    found = text.decode(errors="replace") if isinstance(text, bytes) else text
    at = found.lower().find(CANARY)
    assert at < 0, f"{what}: …{found[max(0, at - 200) : at + 200]}…"


@pytest.fixture
def heard() -> Iterator[list[str]]:
    """Every line that is logged in this process, at any level, with its traceback."""
    lines: list[str] = []

    class Listener(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            lines.append(self.format(record))

    listener = Listener(level=logging.DEBUG)
    listener.setFormatter(logging.Formatter("%(levelname)s %(name)s %(message)s"))
    root = logging.getLogger()
    before = root.level
    root.addHandler(listener)
    root.setLevel(logging.INFO)
    yield lines
    root.removeHandler(listener)
    root.setLevel(before)


# --- Who asks ------------------------------------------------------------------------------------------------------


@dataclass
class Place:
    """A site with a public and a private submission by ada, both scored against the hidden answers."""

    public: Submission
    private: Submission
    draft: ImportDraft
    """A revision that is not in force yet, with hidden answers in it."""
    askers: dict[str, Client]
    headers: Mapping[str, Mapping[str, str]]
    setting: str = "openbook"
    column: str = "strict"
    metrics: tuple[str, ...] = ("loose", "strict")

    def parameters(self) -> dict[str, list[Any]]:
        """Values for the parameters of addresses."""
        systems = [*System.objects.order_by("pk").values_list("slug", flat=True)[:1], "nobody"]
        studies = [*Study.objects.values_list("slug", flat=True), "nobody"]
        nothing = uuid.UUID(int=0)
        submissions = [self.public.pk, self.private.pk, nothing]
        revisions = Revision.objects.filter(current_of__benchmark=self.public.split.benchmark)
        firsts = {revision.questions.values_list("qid", flat=True)[0] for revision in revisions}
        return {
            "benchmark": [self.public.split.benchmark.slug],
            "split": ["dev", "test"],
            "setting": [self.setting],
            "/submissions/uuid:pk": submissions,
            "/api/v1/submissions/uuid:pk": submissions,
            "/maintenance/moderation/uuid:pk": submissions,
            "uuid:pk": [self.draft.pk, nothing],
            "int:pk": [*self.public.owner.api_tokens.values_list("pk", flat=True), 0],
            "slug:study": studies,
            "/systems/slug:slug": systems,
            "/api/v1/systems/slug:slug": systems,
            "/studies/slug:slug": studies,
            "/maintenance/studies/slug:slug": studies,
            "slug": ["nobody"],
            "slug:section": ["boards"],
            "slug:step": [*STEPS, "nothing"],
            "slug:page": ["consent", "question", "nothing"],
            "slug:sha256": ["0" * 64],
            "slug:extension": [*FORMATS, "txt"],
            "path:page": ["index.html", "nothing"],
            "path:qid": [*sorted(firsts), "nothing"],
            "slug:system": systems,
            "str:name": [*SYSTEM_FORMATS, "none.txt"],
            "slug:provider_id": ["oidc"],
            "str:key": ["none"],
            "str:token": ["none"],
            "str:code": ["P-01"],
            "int:number": [1],
            "int:position": [1],
            "slug:how": ["delete"],
            "base36:uidb36": ["a"],
            "slug:name": [
                *sorted({snapshot_name(state) for state in BoardSnapshot.objects.all()}),
                "2026-01-01-00000000",
            ],
        }

    def tells_apart(self, who: str, path: str) -> bool:
        """Whether *who* is anybody special at an address: with a token one is so in the API alone."""
        return who not in self.headers or path.startswith("/api/")

    def questions_asked(self) -> dict[str, list[str]]:
        """By address, the queries that say more than the address alone."""
        slug = self.public.split.benchmark.slug
        board_url = f"/{slug}/test/{self.setting}/"
        board = [f"benchmark={slug}&split={split}&setting={self.setting}" for split in ("dev", "test")]
        systems = list(System.objects.order_by("pk").values_list("slug", flat=True))
        both = "&".join(f"system={slug}" for slug in systems)
        search = [f"?sort={self.column}", "?format=json", f"?q={CANARY}", f"?{board[1]}"]
        asked = dict.fromkeys(("/", "/api/v1/board/", f"{board_url}export.json"), search)
        asked[f"{board_url}export.csv"] = ["?columns=all"]
        asked[f"{board_url}pictures/"] = [f"?column={self.column}&top=all"]
        asked["/compare/"] = [f"?{both}&{one}&metric={metric}" for one in board for metric in self.metrics]
        for system in systems[:1]:
            asked[f"/systems/{system}/questions/"] = [f"?{one}{more}" for one in board for more in ("", "&page=2")]
            revision = Revision.objects.get(current_of=self.public.split)
            first = revision.questions.values_list("qid", flat=True)[0]
            asked[f"/{slug}/test/questions/{first}/"] = [f"?left={system}&right={systems[-1]}"]
        return asked


SAID_BACK = (f"q={CANARY}", f'value="{CANARY}"', f"“{CANARY}”", f'"q": "{CANARY}"', f'"q":"{CANARY}"')
"""How a page, its links and an export repeat the word searched for; a reference answer would stand otherwise."""
ASKERS_WITHOUT_RIGHTS = ("anybody", "another user", "another's token", "a clerk without rights")


@pytest.fixture
def place(tmp_path: Path) -> Place:
    split = import_hidden(tmp_path)
    ada, eve = factories.user("ada"), factories.user("eve")
    public = factories.published(ada, split, {"openbook": ANSWERS, "closedbook": ANSWERS}, name="Public system")
    said = {field: f"{PRIVATE} {field}" for field in ("name", "authors", "citation", "details")}
    private_answers = ANSWERS | {"test-0": PRIVATE}
    private = factories.scored(ada, split, {"openbook": private_answers}, url=f"https://example.org/{PRIVATE}", **said)
    factories.published(eve, factories.split(split.benchmark, "dev"), {"openbook": factories.perfect()}, name="Eve's")
    boards.refresh()
    assert Standing.objects.filter(entry__split=split).exists()
    assert BoardSnapshot.objects.filter(split=split).count() == 2
    openbook = factories.setting(split.benchmark)
    create_study(owner=ada, split=split, setting=openbook, name=f"Study {PRIVATE}", questions_per_participant=2)
    known = SourceFile(tuple(source_of(split.current_revision)[:5])) if split.current_revision else SourceFile(())
    draft = drafts.save(split, known, date=factories.DATE, note="", make_current=True, made_by="grace")
    assert CANARY in draft.content_json
    tokens.create_token(user=ada, name=PRIVATE)
    _, secret = tokens.create_token(user=eve, name="tests")

    return Place(public, private, draft, askers_of(ada, eve), {"another's token": {"authorization": f"Token {secret}"}})


def askers_of(owner: User, other: User) -> dict[str, Client]:
    """Everybody who may ask, from nobody in particular to a maintainer who may not see references."""
    clerk = factories.user("clerk", is_staff=True)
    keeper = factories.user("keeper", is_staff=True)
    keeper.user_permissions.set(Permission.objects.exclude(content_type__model="reference"))

    def signed_in(user: User) -> Client:
        client = Client(raise_request_exception=False)
        client.force_login(user)
        return client

    return {
        "anybody": Client(raise_request_exception=False),
        "another user": signed_in(other),
        "another's token": Client(raise_request_exception=False),
        "a clerk without rights": signed_in(clerk),
        "the owner": signed_in(owner),
        "a maintainer without the right to see references": signed_in(keeper),
    }


def ask(place: Place, who: str, method: str, path: str, data: dict[str, Any] | None = None) -> Any:
    send: Callable[..., Any] = getattr(place.askers[who], method)
    return send(path, data or {}, headers=dict(place.headers.get(who, {})))


def contents(response: Any) -> bytes:
    body: bytes = b"".join(response.streaming_content) if response.streaming else response.content
    return repr(dict(response.headers)).encode() + body


def ask_everything(place: Place) -> None:
    """Ask for every page and every part of the API as everybody: none contains a canary."""
    paths = addresses(place.parameters()) + admin_addresses()
    assert len(paths) > 100
    queries = place.questions_asked()
    assert set(queries) <= set(paths)
    seen: dict[int, int] = {}
    for who in place.askers:
        for path in paths:
            if not place.tells_apart(who, path):
                continue
            for target in [path, *(path + query for query in queries.get(path, ()))]:
                response = ask(place, who, "get", target)
                seen[response.status_code] = seen.get(response.status_code, 0) + 1
                assert response.status_code < 500 or target == "/readyz", (who, target)  # no worker runs here
                # What was asked for may be said back; what was not, not.
                told = contents(response).replace(target.encode(), b"")
                for echo in SAID_BACK if CANARY in target else ():
                    told = told.replace(echo.encode(), b"")
                assert_tells_nothing(f"{who}: {target}", told)
                if who in ASKERS_WITHOUT_RIGHTS:
                    assert PRIVATE.encode() not in told, f"{who}: {target} tells of a private submission"
    assert seen[200] > 150, seen
    assert seen[404] > 40, seen


# --- Canaries ------------------------------------------------------------------------------------------------------


@pytest.mark.django_db
@pytest.mark.timeout(600)  # thousands of requests, on a machine that has other things to do
class TestNoAnswerTellsAReference:
    def test_no_page_and_no_part_of_the_api(self, place: Place, heard: list[str]) -> None:
        ask_everything(place)
        assert_tells_nothing("the log", "\n".join(heard).replace(f"?q={CANARY}", ""))

    def test_no_answer_to_what_is_sent(self, place: Place, heard: list[str]) -> None:
        """Every address takes a POST too: an empty one, and a submission with mistakes of every kind."""
        broken = b'{"id": "test-0"}\n{"id": "test-1", "answer": 3}\n{"id": "tset-2", "answer": "x"}\nnonsense\n[]\n'
        for who in place.askers:
            for path in addresses(place.parameters()):
                kept = path == "/accounts/sign-out/" or path.endswith("/withdraw/")
                if not kept and place.tells_apart(who, path):
                    assert_tells_nothing(f"{who}: POST {path}", contents(ask(place, who, "post", path)))
            for path in ("/submit/", "/api/v1/submissions/"):
                form = factories.form_data("test") | {"openbook": factories.upload(broken)}
                response = ask(place, who, "post", path, form)
                assert response.status_code < 500
                assert_tells_nothing(f"{who}: {path}", contents(response))
        assert_tells_nothing("the log", "\n".join(heard))

    def test_the_admin_is_no_oracle(self, place: Place) -> None:
        """Whoever may not see references may not search by them either."""
        client = place.askers["a maintainer without the right to see references"]
        assert client.get("/admin/scoring/question/").status_code == 200
        for model, field in {
            "question": "reference",
            "revision": "questions__reference",
            "split": "current_revision__questions__reference",
            "run": "revision__questions__reference",
            "benchmark": "splits__revisions__questions__reference",
        }.items():
            for lookup in ("answer_json__contains", "answer_json__startswith", "decomposition_json__regex"):
                response = client.get(f"/admin/scoring/{model}/", {f"{field}__{lookup}": CANARY})
                assert response.status_code in (302, 400, 403), (model, field, lookup)
        assert client.get("/admin/scoring/run/").status_code == 403, "a reason may quote a reference"
        assert client.get("/admin/scoring/reference/").status_code == 403

    def test_a_maintainer_with_the_right_does_see_them(self, place: Place) -> None:
        """The proof that the canaries are there to be found, and that looking for them finds them."""
        client = Client()
        client.force_login(factories.maintainer())
        page = client.get(f"/admin/scoring/reference/{Reference.objects.latest('pk').pk}/change/")
        assert page.status_code == 200
        with pytest.raises(AssertionError, match=CANARY):
            assert_tells_nothing("the admin", page.content)

    def test_nothing_that_is_written_down(self, place: Place) -> None:
        for model, fields in {
            Run: ("reason", "signature"),
            Score: ("name", "signature"),
            Event: ("text",),
            Entry: ("note", "source"),
            Submission: ("details",),
        }.items():
            for field in fields:
                manager: Any = model
                for value in manager.objects.values_list(field, flat=True):
                    assert_tells_nothing(f"{model.__name__}.{field}", value)
        for question in place.public.split.current_revision.questions.values():  # type: ignore[union-attr]
            assert_tells_nothing("a question", repr(question))


class Leaky(Metric):
    """A metric that fails with the references in the text of its error, as a bug in one would."""

    name = "accuracy"
    label = "String accuracy"
    version = "0.1.0"
    score_names = ("loose", "strict")
    task_types = ("text-answer",)

    def __init__(self, error: type[Exception], real: Metric) -> None:
        self.error = error
        self.real = real

    def signature_parts(self) -> tuple[str, ...]:
        return self.real.signature_parts()

    def signature(self, data: str | None = None) -> str:
        return self.real.signature(data)

    def prepare(self, references: Any) -> Any:
        return references

    def score(self, prepared: Any, generations: Any, progress: Any = None, budget: Any = None) -> Any:
        try:
            raise KeyError(prepared[0])
        except KeyError as cause:
            raise self.error(f"cannot score {prepared!r}") from cause


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("error", [ValueError, DatabaseError, MemoryError, RecursionError, KeyError, UnicodeError])
def test_an_error_while_scoring_tells_nothing(
    tmp_path: Path, heard: list[str], monkeypatch: pytest.MonkeyPatch, error: type[Exception], settings: Any
) -> None:
    split = import_hidden(tmp_path)
    submission = factories.submission(factories.user(), split, {"openbook": ANSWERS})
    leaky = Leaky(error, registry.METRICS["accuracy"].on_site(settings))
    execution.prepared_references.cache_clear()
    monkeypatch.setattr(Leaky, "on_site", classmethod(lambda cls, site: leaky))
    monkeypatch.setitem(registry.METRICS, "accuracy", Leaky)
    for debug in (False, True):
        settings.DEBUG = debug
        run = Run.objects.get(metric="accuracy")
        Run.objects.filter(pk=run.pk).update(state=RunState.WAITING)
        execute_run(str(run.pk))
        run.refresh_from_db()
        assert run.state == (RunState.RUNNING if error is DatabaseError else RunState.FAILED)
        assert_tells_nothing("the reason", run.reason)
        if error is not DatabaseError:
            assert error.__name__ in run.reason
    logged = "\n".join(heard)
    assert error.__name__ in logged
    assert "in score" in logged, "where it failed is told"
    assert_tells_nothing("the log", logged)
    client = Client()
    client.force_login(submission.owner)
    assert_tells_nothing("the page", client.get(submission.get_absolute_url()).content)


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_the_logs_of_the_real_processes(
    redis_server: Redis, live_site: Site, worker: Worker, beat: Beat, tmp_path: Path
) -> None:
    """Submissions through the real web server, good and bad, scored by the real worker, and one that cannot be."""
    split = import_hidden(tmp_path)
    ways_in = doors(live_site, factories.user())
    broken = b'{"id": "test-0"}\n{"id": "nobody", "answer": "x"}\n'
    spoilt = Reference.objects.get(question__qid="test-3", question__revision=split.current_revision)
    whole = spoilt.answer_json
    for answer_json in (json.dumps({"outer": {CANARY: []}}), whole):
        # An empty container, which the metrics refuse with its place: the keys that lead to it are part of the answer.
        Reference.objects.filter(pk=spoilt.pk).update(answer_json=answer_json)
        for door in ways_in:
            answer = door.submit([Part("split", b"test"), Part("openbook", factories.generations(ANSWERS), "good")])
            assert answer.status == door.accepted, answer.reason
            assert_tells_nothing(door.name, answer.body)
            refused = door.submit([Part("split", b"test"), Part("openbook", broken, f"{PRIVATE}.jsonl")])
            assert refused.status == 422
            assert_tells_nothing(door.name, refused.body)
        wait_until("nothing waits", lambda: all(run.state in _ENDS for run in scorable_runs()))
    states = sorted((run.metric, run.state) for run in scorable_runs())
    assert states == [(metric, state) for metric in SCORED for state in ("done", "done", "failed", "failed")]
    assert "UnusableReference" in worker.log.read_text()
    for process in (live_site, worker):
        assert process.log.stat().st_size
        assert_tells_nothing(process.name, process.log.read_bytes())
    for run in Run.objects.all():
        assert_tells_nothing("a reason", run.reason)


_ENDS = (RunState.DONE, RunState.FAILED)


# --- Private submissions -------------------------------------------------------------------------------------------


@pytest.mark.django_db
class TestAPrivateSubmissionIsNobodyElses:
    def test_an_address_of_it_answers_as_one_of_nothing(self, place: Place) -> None:
        """Method by method, a private submission and one that never was are the same to a stranger."""
        nothing = uuid.UUID(int=0)
        mine = [path for path in addresses(place.parameters()) if str(place.private.pk) in path]
        assert len(mine) >= 8
        for who in ASKERS_WITHOUT_RIGHTS:
            for path in mine:
                for method in ("get", "head", "post", "options", "put", "patch", "delete"):
                    answers = [
                        ask(place, who, method, target)
                        for target in (path, path.replace(str(place.private.pk), str(nothing)))
                    ]
                    here, there = (_comparable(answer, (place.private.pk, nothing)) for answer in answers)
                    assert here == there, (who, method, path)
                    assert answers[0].status_code in (302, 401, 403, 404, 405) or method == "options", (who, path)

    def test_nothing_that_a_stranger_sends_changes_it(self, place: Place) -> None:
        def everything() -> list[Any]:
            models = (Entry, Submission, ApiToken, Run)
            return [rows(), *(list(model._default_manager.order_by("pk").values()) for model in models)]

        before = everything()
        for who in ASKERS_WITHOUT_RIGHTS:
            for path in addresses(place.parameters()):
                if str(place.private.pk) in path or str(place.public.pk) in path or "/revoke/" in path:
                    for method in ("post", "put", "patch", "delete"):
                        ask(place, who, method, path)
        after = everything()
        for token in after[3]:
            token["last_used_at"] = None
        assert after == before

    def test_the_owner_does_see_it(self, place: Place) -> None:
        """The proof that the words looked for are on the pages of those who may see them."""
        pages = [path for path in addresses(place.parameters()) if str(place.private.pk) in path]
        told = [path for path in pages if PRIVATE.encode() in contents(ask(place, "the owner", "get", path))]
        assert len(told) >= 3


def _comparable(response: Any, ids: tuple[uuid.UUID, uuid.UUID]) -> tuple[int, bytes]:
    assert len(response.headers["X-Request-ID"]) == 16
    body = contents(response).replace(response.headers["X-Request-ID"].encode(), b"the request")
    body = re.sub(rb"'X-RateLimit-(Remaining|Reset)': '\d+'", b"one request less", body)
    body = re.sub(rb"'ETag': '\"[0-9a-f]{32}\"'", b"made of a page that names the request", body)
    for one in ids:
        body = body.replace(str(one).encode(), b"the id")
    for key in ("csrfmiddlewaretoken", "csrftoken"):
        body = b"".join(part for part in body.split(b"<") if key.encode() not in part)
    return response.status_code, body
