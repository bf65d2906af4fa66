"""Run facts: stated in the form and the API, shown by boards, exports, filters and the system's page."""

import csv
import datetime
import io
import json
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from django.test import Client
from django.utils import timezone

from leaderboard.board.document import Document
from leaderboard.board.table import BoardParams, board_for
from leaderboard.board.write import open_board
from leaderboard.models import Submission, System, User
from leaderboard.publishing.services import publish_submission
from leaderboard.run_columns import NOT_STATED, USAGE
from leaderboard.submissions.json_documents import parse_document
from leaderboard.submissions.metadata_json import system_fields
from scoring.benchmarks.facts import FACTS, RunFacts, facts_of
from scoring.models import Usage
from tests import boards, factories

STATED: dict[str, Any] = {
    "organisation": "Example Lab",
    "model": "openai/gpt-4o-2024-11-20",
    "access": "open-weights",
    "parameters": 70,
    "released": "2026-01-31",
}
KEYS = [column.key for column in USAGE]
API = "/api/v1/submissions/"
EXPORT = "/fanoutqa/dev/openbook/export."


def exported(client: Client, query: str = "") -> Any:
    return client.get(f"{EXPORT}json?kind=scored&columns=all&{query}").json()


def document(split: str = "dev") -> Document:
    board = open_board("fanoutqa", split, "openbook")
    assert board is not None
    return board.content


@pytest.fixture
def publish(db: None) -> Callable[..., Submission]:
    """A function that publishes a system with some facts and the totals of its run."""
    split = factories.split(factories.benchmark(), "dev")
    owner = factories.user()

    def of(name: str, totals: dict[str, float] | None = None, **facts: Any) -> Submission:
        sent = factories.submission(
            owner, split, {"openbook": {**factories.perfect(), "dev-0": name}}, name=name, run_facts=facts
        )
        if totals is not None:
            Usage.objects.create(answer_set=sent.files.get().answer_set, totals=totals)
        factories.score(sent)
        publish_submission(sent, actor=owner, approved=True)
        boards.write()
        return sent

    return of


def test_each_fact_is_declared_once() -> None:
    assert [fact.name for fact in FACTS] == list(RunFacts.__struct_fields__)
    assert all(fact.label and fact.help for fact in FACTS)
    assert facts_of({"access": "perhaps", "parameters": "7", "speed": 3}) == RunFacts(parameters=7)
    assert msgspec.to_builtins(facts_of(STATED)) == STATED


def test_a_document_has_the_facts_and_what_runs_took(publish: Callable[..., Submission]) -> None:
    tokens = {"input_tokens": 400_000, "output_tokens": 20_000, "n_answers": 4}
    publish("Cheap", tokens | {"cost_usd": 0.5, "seconds": 10.0}, **STATED)
    publish("Listed", tokens, model="openai/gpt-4o-2024-11-20")
    publish("Silent")
    publish("Unlisted", tokens, model="example/gpt-4o-2024-11-20")
    known = document()
    rows = {row.name: row for row in known.rows}
    assert {row.name: row.facts for row in known.rows} == {
        "Cheap": facts_of(STATED),
        "Listed": RunFacts(model="openai/gpt-4o-2024-11-20"),
        "Silent": None,
        "Unlisted": RunFacts(model="example/gpt-4o-2024-11-20"),
    }
    values = {name: [row.cell(key).value for key in KEYS] for name, row in rows.items()}
    assert values == {
        "Cheap": [0.5, 105_000, 2.5],
        "Listed": [1.2, 105_000, None],  # 0.4 × 2.50 + 0.02 × 10.00 dollars
        "Silent": [None, None, None],
        "Unlisted": [None, 105_000, None],
    }
    assert {name: row.cell("cost").state for name, row in rows.items()} == {
        "Cheap": "stated",
        "Listed": "computed",
        "Silent": "not_scored",
        "Unlisted": "not_scored",
    }
    assert all(row.cell("cost").rank is None and not row.cell("cost").best for row in known.rows)
    assert rows["Silent"].cell("cost").reason == NOT_STATED


# --- From the form and the API --------------------------------------------------------------------------------------


@pytest.fixture
def ada(db: None, client: Client) -> User:
    """A submitter, signed in."""
    factories.benchmark()
    account = factories.user("ada")
    client.force_login(account)
    return account


def with_usage(**changes: Any) -> bytes:
    """A file whose lines state what each answer took."""
    lines = []
    for number, (qid, answer) in enumerate(factories.perfect().items()):
        usage = {"input_tokens": 1000, "output_tokens": 100, "seconds": 1.5 + number, "stop_reason": "stop"} | changes
        lines.append(json.dumps({"id": qid, "answer": answer, "usage": usage}))
    return "\n".join(lines).encode()


def send(client: Client, fields: dict[str, Any], address: str = "/submit/", file: bytes | None = None) -> Any:
    upload = factories.upload(factories.perfect() if file is None else file)
    return client.post(address, factories.form_data() | fields | {"openbook": upload})


def publish_all(owner: User, **options: Any) -> Submission:
    sent = owner.submissions.get()
    factories.score(sent)
    publish_submission(sent, actor=owner, approved=True, **options)
    boards.write()
    return sent


def test_the_form_stores_facts_and_boards_filters_and_exports_show_them(client: Client, ada: User) -> None:
    fields = {f"run_facts.{name}": value for name, value in STATED.items()}
    assert 'id="run-facts"' in client.get("/submit/").content.decode()
    assert send(client, fields | {"usage.openbook.cost_usd": "3.5"}).status_code == 302
    sent = publish_all(ada)
    assert sent.run_facts == STATED
    page = client.get(f"/submissions/{sent.pk}/").content.decode()
    assert "70 billion" in page and "$3.50" in page
    stored = client.get(f"/api/v1/submissions/{sent.pk}/").json()
    assert stored["run_facts"]["access"] == "open-weights"
    assert stored["files"][0]["usage"] == {"cost_usd": 3.5, "n_answers": 4}
    assert "Open weights" in client.get("/fanoutqa/dev/openbook/").content.decode()
    row = exported(client)["rows"][0]
    assert row["run_facts"] == STATED | {"parameters": 70.0}
    assert (row["cells"]["cost"]["value"], row["cells"]["cost"]["state"]) == (3.5, "stated")
    lines = csv.DictReader(io.StringIO(client.get(EXPORT + "csv?kind=scored").content.decode()))
    line = next(line for line in lines if line["system"] == "Example system")
    assert (line["run.model"], line["run.released"], line["cost"]) == (STATED["model"], "2026-01-31", "3.5")
    api = client.get("/api/v1/board/?benchmark=fanoutqa&split=dev&setting=openbook").json()["rows"][0]
    assert {name: value for name, value in api["run_facts"].items() if value is not None} == STATED
    assert {one["score"]: one["value"] for one in api["scores"]}["cost"] == 3.5
    assert client.get("/api/v1/systems/example-system/").json()["run_facts"]["model"] == STATED["model"]
    page = client.get("/systems/example-system/").content.decode()
    assert "openai/gpt-4o-2024-11-20" in page and "$3.50" in page and "not stated" in page


@pytest.mark.parametrize(
    ("query", "passes"),
    [
        ("run.access=open-weights", True),
        ("run.access=api", False),
        ("run.access=unknown", False),
        ("run.access=free", None),  # no value
        ("run.parameters.max=70", True),
        ("run.parameters.max=69", False),
        ("run.released.min=2026-01-31", True),
        ("run.released.min=2026-02-01", False),
        ("run.organisation=example lab", True),
        ("run.organisation=another", False),
        ("run.cost.min=0", True),
        ("run.cost.max=0.1", False),
        ("run.seconds.min=0", False),
        ("run.model=other", None),  # no filter
    ],
)
def test_boards_and_exports_filter_by_facts(
    client: Client, publish: Callable[..., Submission], query: str, passes: bool | None
) -> None:
    publish("Atlas", {"cost_usd": 0.5, "n_answers": 4}, **STATED)
    if passes is None:
        where = "/api/v1/board/?benchmark=fanoutqa&split=dev&setting=openbook&"
        assert client.get(where + query).status_code == 400
        return
    assert [row["system"] for row in exported(client, query)["rows"]] == (["Atlas"] if passes else [])
    where = "/api/v1/board/?benchmark=fanoutqa&split=dev&setting=openbook&"
    assert [row["name"] for row in client.get(where + query).json()["rows"]] == (["Atlas"] if passes else [])


def test_usual_filters_have_counts_that_follow_the_others(publish: Callable[..., Submission]) -> None:
    publish("Open", {"cost_usd": 0.5, "n_answers": 4}, **STATED)
    publish("Closed", access="api")
    publish("Silent")
    board = open_board("fanoutqa", "dev", "openbook")
    assert board is not None
    shown = board_for(board, as_page=True).filter_links
    assert [(link.label, link.count, link.current) for link in shown] == [
        ("Open weights", 1, False),
        ("API", 1, False),
        ("Released since 2025", 1, False),
        ("With cost", 1, False),
    ]
    chosen = board_for(board, BoardParams(facts=(("access", "api"),)), as_page=True)
    assert [(link.label, link.count, link.current) for link in chosen.filter_links] == [
        ("Open weights", 1, False),
        ("API", 1, True),
    ]
    assert [link.url for link in chosen.filter_links if link.current] == [chosen.links.url]
    assert chosen.links.filters == [("Access: API", chosen.links.url)]


def test_the_api_takes_them_as_json_and_the_file_what_each_answer_took(client: Client, ada: User) -> None:
    facts = json.dumps({"model": "openai/gpt-4o", "access": None})
    sent = send(client, {"run_facts": facts}, API, with_usage())
    assert sent.status_code == 201, sent.content
    submission = publish_all(ada)
    assert submission.run_facts == {"model": "openai/gpt-4o"}
    usage = submission.files.get().answer_set.usage
    assert usage.totals == {"input_tokens": 4000, "output_tokens": 400, "seconds": 12.0, "n_answers": 4}
    assert usage.questions["seconds"] == [1.5, 2.5, 3.5, 4.5]
    assert usage.questions["qids"] == list(factories.perfect())
    [row] = document().rows
    assert [row.cell(key).value for key in KEYS] == [0.014, 1100, 3.0]  # 0.004 × 2.50 + 0.0004 × 10.00 dollars
    page = client.get("/systems/example-system/").content.decode()
    assert "1,000 in, 100 out" in page and "Median of seconds" in page and "stop 4" in page


def test_all_mistakes_are_named_at_once_and_nothing_is_stored(client: Client, ada: User) -> None:
    wrong = {"model": "gpt", "parameters": -1, "released": "2026-02-30", "traces": "javascript:1", "size": 3}
    usage = {"openbook": {"cost_usd": -1, "seconds": "1", "words": 2}, "moon": {}}
    refused = send(client, {"run_facts": json.dumps(wrong), "usage": json.dumps(usage)}, API)
    assert refused.status_code == 422
    errors = refused.json()["errors"]
    assert all(any(f"“{name}”" in text for text in errors["run_facts"]) for name in wrong)
    assert len(errors["run_facts"]) == len(wrong)
    places = ("openbook.cost_usd", "openbook.seconds", "openbook.words", "moon")
    assert all(any(f"“{name}”" in text for text in errors["usage"]) for name in places)
    refused = send(client, {"run_facts": "[" * 10_000, "usage": "{"}, API)
    assert set(refused.json()["errors"]) == {"run_facts", "usage"}
    names = ("model", "access", "parameters", "released", "traces")
    refused = send(client, {f"run_facts.{name}": "<no>" for name in names} | {"usage.openbook.cost_usd": "-1"})
    assert refused.status_code == 422
    assert set(refused.context["form"].errors) == {*(f"run_facts.{name}" for name in names), "usage.openbook.cost_usd"}
    assert 'id="run-facts" open' in refused.content.decode()
    assert not ada.submissions.exists()


def test_a_stated_total_counts_instead_of_a_sum_and_a_partial_sum_is_none(client: Client, ada: User) -> None:
    lines = with_usage().splitlines()
    lines[0] = json.dumps({"id": "dev-0", "answer": "Oslo", "usage": {"input_tokens": 5, "tool_calls": 2}}).encode()
    file = b"\n".join(lines)
    sent = send(client, {"usage": json.dumps({"openbook": {"seconds": 99}})}, API, file)
    warnings = {group["code"] for group in sent.json()["files"][0]["warnings"]}
    assert "partial-usage" in warnings and "extra-key" not in warnings
    totals = ada.submissions.get().files.get().answer_set.usage.totals
    assert totals == {"input_tokens": 3005, "seconds": 99, "n_answers": 4}


def test_a_newer_file_keeps_the_facts_unless_they_are_sent(client: Client, ada: User) -> None:
    send(client, {f"run_facts.{name}": value for name, value in STATED.items()} | {"usage.openbook.seconds": "8"})
    sent = ada.submissions.get()
    api = f"/api/v1/submissions/{sent.pk}/replace/"
    for number, (facts, expected) in enumerate([({}, STATED), ({"run_facts": '{"access": "api"}'}, {"access": "api"})]):
        file = factories.upload(factories.perfect() | {"dev-0": f"Oslo {number}"})
        assert client.post(api, {"openbook": file, **facts}).status_code == 200
        sent.refresh_from_db()
        assert sent.run_facts == expected
    assert not Usage.objects.filter(answer_set__submission_file__replaced_at=None).exists()
    page = client.get(f"/submissions/{sent.pk}/files/openbook/replace/")
    assert page.context["form"]["run_facts.access"].value() == "api"


def test_under_a_pseudonym_nothing_tells_whose_the_facts_are(client: Client, ada: User) -> None:
    send(client, {f"run_facts.{name}": value for name, value in STATED.items()})
    day = timezone.now().date() + datetime.timedelta(days=30)
    sent = publish_all(ada, anonymous_until=day)
    assert System.objects.get(is_pseudonym=True).run_facts == {}
    assert exported(client, "run.access=unknown")["rows"] == []  # withheld, which is not the same as not stated
    publish_submission(sent, actor=ada, approved=True, anonymous_until=day, shows_traits=True)
    assert System.objects.get(is_pseudonym=True).run_facts == {"access": "open-weights", "parameters": 70}


def test_of_a_hidden_split_only_totals_are_told(client: Client, ada: User) -> None:
    sent = send(client, {"split": "test"}, file=with_usage().replace(b'"dev-', b'"test-'))
    assert sent.status_code == 302
    publish_all(ada)
    page = client.get("/systems/example-system/").content.decode()
    assert "Seconds a question" in page and "Median of seconds" not in page and "stop 4" not in page


def test_the_order_by_cost_has_the_ranks_of_the_score(client: Client, publish: Callable[..., Submission]) -> None:
    for name, cost in (("Dear", 5.0), ("Cheap", 0.5)):
        publish(name, {"cost_usd": cost, "n_answers": 4})
    publish("Silent")
    shown = exported(client, "sort=cost")
    assert [row["system"] for row in shown["rows"]] == ["Cheap", "Dear", "Silent"]
    assert shown["asked"]["ranked_by"] == "loose"
    assert shown["rows"][2]["cells"]["cost"]["reason"] == NOT_STATED
    column = next(column for column in shown["columns"] if column["key"] == "cost")
    assert (column["higher_is_better"], column["unit"], column["bounds"]) == (False, "usd", None)
    page = client.get("/fanoutqa/dev/openbook/?columns=all")
    assert [column.key for column in page.context["board"].columns][-1] == "cost"


def test_a_merged_system_has_its_own_facts_or_those_of_the_row(publish: Callable[..., Submission]) -> None:
    publish("Member", **STATED)
    head = System.objects.create(name="Head", slug="head", authors="A. Author")
    System.objects.filter(name="Member").update(same_as=head)
    for own, shown in (({}, facts_of(STATED)), ({"access": "api"}, RunFacts(access="api"))):
        System.objects.filter(pk=head.pk).update(run_facts=own)
        boards.write()
        assert [(row.name, row.facts) for row in document().rows] == [("Head", shown)]


def test_metadata_from_a_file_may_state_them() -> None:
    known = {"name": "Atlas", "authors": "A. Author", "type": "OTHER"}
    document = parse_document(json.dumps(known | {"run_facts": STATED}), "atlas.json")
    fields, problems = system_fields(document, document.values, {key: key for key in known}, [])
    assert fields is not None and fields["run_facts"] == STATED and not problems
    wrong = parse_document(json.dumps(known | {"run_facts": {"access": "free", "speed": 3}}), "atlas.json")
    fields, problems = system_fields(wrong, wrong.values, {key: key for key in known}, [])
    assert fields is None and {problem.field for problem in problems} == {"run_facts.access", "run_facts.speed"}


def test_the_administration_refuses_what_is_no_fact(client: Client, publish: Callable[..., Submission]) -> None:
    publish("Atlas", **STATED)
    client.force_login(factories.maintainer())
    system = System.objects.get()
    address = f"/admin/leaderboard/system/{system.pk}/change/"
    for facts, errors in (({"access": "free"}, True), ([1], True), ({"access": "api"}, False)):
        fields = {"name": "Atlas", "authors": "A", "type": "OTHER", "attributes": "{}", "run_facts": json.dumps(facts)}
        answer = client.post(address, fields)
        assert (answer.status_code == 200) == errors
    system.refresh_from_db()
    assert system.run_facts == {"access": "api"}
    # What was read from a log stays so until it is changed.
    System.objects.update(run_facts={"access": "api", "model": "a/b", "from_log": "access model"})
    fields["run_facts"] = json.dumps({"access": "api", "model": "a/c", "from_log": "access model"})
    assert client.post(address, fields).status_code == 302
    system.refresh_from_db()
    assert system.run_facts == {"access": "api", "model": "a/c", "from_log": "access"}
