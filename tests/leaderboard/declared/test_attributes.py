"""Attributes that a benchmark declares: its declaration alone makes form, API, filters, exports and pages."""

from __future__ import annotations

import csv
import datetime
import io
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from leaderboard.attributes import Values, accepted, restated
from leaderboard.models import Submission, System, User
from leaderboard.publishing.services import publish_submission
from scoring.benchmarks import definition_of
from scoring.benchmarks.base import SourceError
from scoring.benchmarks.declared.reading import read_declaration
from scoring.benchmarks.declared.template import template
from scoring.importing.declared import import_declaration
from tests import boards, factories
from tests.leaderboard.declared import declared_site
from tests.scoring.benchmarks.test_declared import place_of

ATTRIBUTES = """
[[attributes]]
name = "open_weights"
label = "Open weights"
kind = "yes-no"
board = "filter"

[[attributes]]
name = "licence"
label = "Licence"
kind = "choice"
choices = ["MIT", "other"]
board = "filter"

[[attributes]]
name = "size"
label = "Parameters"
kind = "number"
unit = "billion"
low = 0
board = "filter"

[[attributes]]
name = "released"
label = "Released"
kind = "date"
board = "show"

[[attributes]]
name = "model_card"
label = "Model card"
kind = "url"
"""
STATED = {
    "open_weights": "false",
    "licence": "MIT",
    "size": "7.5",
    "released": "2026-01-31",
    "model_card": "https://example.org/card",
}
STORED = {**STATED, "open_weights": False, "size": 7.5}
BOARD = "/capitals/test/closed-book/"


def toml(attributes: str = ATTRIBUTES) -> str:
    return template(declared_site.SLUG)["benchmark.toml"].decode() + attributes


def form(**fields: Any) -> dict[str, Any]:
    return declared_site.form(**{"closed-book": factories.upload(declared_site.RIGHT), "context_size": "", **fields})


@pytest.fixture
def ada(client: Client) -> User:
    """A submitter, on a site with the benchmark."""
    declared_site.declare(benchmark_toml=toml())
    owner = factories.user()
    client.force_login(owner)
    return owner


def publish(submission: Submission, **options: Any) -> None:
    factories.score(submission)
    publish_submission(submission, actor=submission.owner, **options)
    boards.write()


@pytest.mark.django_db
class TestASubmission:
    def test_the_form_has_the_declared_fields_and_no_others(self, client: Client, ada: User) -> None:
        shown = client.get("/submit/?benchmark=capitals").context["form"].shown_attributes
        assert [field.name for field in shown] == list(STATED)
        assert client.post("/submit/?benchmark=capitals", form(**STATED)).status_code == 302
        sent = ada.submissions.get()
        assert sent.attributes == STORED
        page = client.get(f"/submissions/{sent.pk}/").content.decode()
        assert "7.5 billion" in page
        assert "function calling" not in page

    @pytest.mark.parametrize(
        ("name", "text"),
        [
            ("open_weights", "perhaps"),
            ("licence", "GPL"),
            ("size", "-1"),
            ("released", "2026-02-30"),
            ("model_card", "no address"),
        ],
    )
    def test_a_wrong_value_is_an_error_of_its_field(self, client: Client, ada: User, name: str, text: str) -> None:
        refused = client.post("/submit/?benchmark=capitals", form(**{name: text}))
        assert refused.status_code == 422
        assert list(refused.context["form"].errors) == [name]

    def test_the_api_takes_them_and_the_fields_that_every_benchmark_has(self, client: Client, ada: User) -> None:
        sent = client.post(
            "/api/v1/submissions/", form(**STATED, context_size="8192", trained_for_function_calling="true")
        )
        assert sent.status_code == 201, sent.content
        old = {"context_size": 8192, "trained_for_function_calling": True}
        assert ada.submissions.get().attributes == STORED | old
        publish(ada.submissions.get())
        system = client.get("/api/v1/systems/atlas/").json()
        assert system["attributes"] == STORED | old
        assert {name: system[name] for name in old} == old
        asked = client.get("/api/v1/benchmarks/capitals/").json()["attributes"]
        assert [(one["name"], one["kind"], one["choices"]) for one in asked][1] == (
            "licence",
            "choice",
            ["MIT", "other"],
        )

    def test_a_pseudonym_states_nothing_unless_its_owner_shows_it(self, client: Client, ada: User) -> None:
        client.post("/submit/?benchmark=capitals", form(**STATED))
        sent = ada.submissions.get()
        day = timezone.now().date() + datetime.timedelta(days=30)
        publish(sent, anonymous_until=day)
        assert System.objects.get(is_pseudonym=True).attributes == {}
        row = client.get(f"{BOARD}export.json?kind=scored&attribute.open_weights=unknown").json()["rows"]
        assert row == []  # withheld, which is not the same as not stated
        publish(sent, anonymous_until=day, shows_traits=True)
        assert System.objects.get(is_pseudonym=True).attributes == STORED


@pytest.mark.django_db
class TestABoard:
    @pytest.mark.parametrize(
        ("query", "passes"),
        [
            ("open_weights=no", True),
            ("open_weights=yes", False),
            ("open_weights=unknown", False),
            ("open_weights=maybe", None),  # no value
            ("licence=MIT", True),
            ("licence=other", False),
            ("size.min=7.5", True),
            ("size.min=8", False),
            ("size.max=7", False),
            ("size=7.5", None),
            ("released=2020-01-01", None),  # no filter
        ],
    )
    def test_filters(self, client: Client, ada: User, query: str, passes: bool | None) -> None:
        client.post("/submit/?benchmark=capitals", form(**STATED))
        publish(ada.submissions.get())
        answer = client.get(f"{BOARD}export.json?kind=scored&attribute.{query}")
        if passes is None:
            assert answer.status_code == 400
            return
        assert [row["system"] for row in answer.json()["rows"]] == (["Atlas"] if passes else [])

    def test_the_page_shows_and_exports_have_them(self, client: Client, ada: User) -> None:
        client.post("/submit/?benchmark=capitals", form(**STATED))
        publish(ada.submissions.get())
        answer = client.get(f"{BOARD}?attribute.size.min=2&attribute.licence=MIT")
        page = answer.content.decode()
        assert "Parameters: 7.5 billion" in page and "Released: 2026-01-31" in page
        assert "https://example.org/card" not in page
        assert 'name="attribute.size.min"' in page and 'name="function_calling"' not in page
        assert "Licence: MIT" in page and "Parameters: at least 2 billion" in page
        document = client.get(f"{BOARD}export.json?attribute.size.min=2").json()
        assert document["asked"]["attributes"] == {"size.min": "2"}
        assert [one["name"] for one in document["attributes"]] == list(STATED)
        assert {row["system"]: row["attributes"] for row in document["rows"]} == {"Atlas": STORED}
        lines = csv.DictReader(io.StringIO(client.get(f"{BOARD}export.csv").content.decode()))
        line = next(line for line in lines if line["system"] == "Atlas")
        assert list(line)[-5:] == [f"attribute.{name}" for name in STATED]
        assert (line["attribute.size"], line["attribute.open_weights"]) == ("7.5", "false")
        page = client.get("/systems/atlas/").content.decode()
        assert "7.5 billion" in page and "https://example.org/card" in page


def test_values_that_only_another_benchmark_asks_for_stay() -> None:
    before: Values = {"licence": "MIT", "context_size": 8192, "trained_for_function_calling": True}
    assert restated(before, {}, definition_of("fanoutqa")) == {"licence": "MIT"}
    assert restated(before, {"context_size": 4096}, definition_of("qampari")) == before | {"context_size": 4096}
    assert [one.name for one in accepted(definition_of("qampari"))] == ["context_size", "trained_for_function_calling"]


@pytest.mark.django_db
def test_a_table_of_published_results_may_state_them() -> None:
    table = "system,setting,loose,size,licence,context_size\nPaper,closed-book,50,70,MIT,4096\n"
    declared_site.declare(benchmark_toml=toml(), reported_csv=table)
    assert System.objects.get(name="Paper").attributes == {"size": 70, "licence": "MIT", "context_size": 4096}


@pytest.mark.django_db
def test_a_table_of_published_results_may_state_run_facts(client: Client) -> None:
    table = """\
system,setting,loose,licence,run.organisation,run.access,run.parameters,run.released,run.licence
Paper,closed-book,50,MIT,Example Lab,open-weights,70.5,2026-01-31,Apache-2.0
Paper,open-book,40,,,,,,
"""
    declared_site.declare(benchmark_toml=toml(), reported_csv=table)
    facts = {"organisation": "Example Lab", "access": "open-weights", "licence": "Apache-2.0", "parameters": 70.5}
    paper = System.objects.get(name="Paper")
    assert (paper.attributes, paper.run_facts) == ({"licence": "MIT"}, facts | {"released": "2026-01-31"})
    boards.write()
    board = f"/{declared_site.SLUG}/test/closed-book/"
    lines = list(csv.DictReader(io.StringIO(client.get(f"{board}export.csv?run.access=open-weights").content.decode())))
    assert [(line["system"], line["run.parameters"]) for line in lines if line["kind"] == "reported"] == [
        ("Paper", "70.5")
    ]
    assert "Example Lab" in client.get(f"{board}?kind=reported").content.decode()
    page = client.get("/systems/paper/").content.decode()
    assert "70.5 billion" in page and "Apache-2.0" in page
    # What a later table does not state stays.
    declared_site.declare(
        benchmark_toml=toml(), reported_csv="system,setting,loose,run.model\nPaper,closed-book,51,a/b\n"
    )
    paper.refresh_from_db()
    assert paper.run_facts == facts | {"released": "2026-01-31", "model": "a/b"}


@pytest.mark.parametrize(
    ("column", "value", "text"),
    [
        ("run.access", "weights", "one of api, open-weights"),
        ("run.parameters", "70B", "a number of billion"),
        ("run.released", "2026-02-30", "a date such as 2026-01-31"),
        ("run.traces", "example.org", "a URL"),
    ],
)
def test_mistakes_in_run_facts_have_line_and_field(column: str, value: str, text: str) -> None:
    table = f"system,setting,loose,{column}\nPaper,closed-book,50,\nOther,closed-book,50,{value}\n"
    files = template(declared_site.SLUG) | {"benchmark.toml": toml().encode(), "reported.csv": table.encode()}
    with pytest.raises(SourceError) as caught:
        read_declaration(files)
    (problem,) = caught.value.problems
    assert f"reported.csv: line 3: {column}: " in problem and text in problem


def test_a_misspelt_name_of_a_run_fact_is_named_once_where_it_stands() -> None:
    table = b"system,setting,loose,run.acess\nPaper,closed-book,50,api\nOther,closed-book,50,api\n"
    with pytest.raises(SourceError) as caught:
        read_declaration(template(declared_site.SLUG) | {"benchmark.toml": toml().encode(), "reported.csv": table})
    (problem,) = caught.value.problems
    assert problem.startswith("reported.csv: line 1: run.acess: ") and "run.access?" in problem


@pytest.mark.parametrize(
    ("old", "new", "field"),
    [
        ('name = "size"', 'name = "licence"', "attributes[3].name"),
        ('name = "size"', 'name = "team"', "attributes[3].name"),
        ('name = "size"', 'name = "is_human"', "attributes[3].name"),
        ('name = "size"', 'name = "Size"', "attributes[3].name"),
        ('name = "licence"', 'name = "context_size"', "attributes[2].kind"),
        ('choices = ["MIT", "other"]\n', "", "attributes[2].choices"),
        ('unit = "billion"', "choices = ['a', 'b']", "attributes[3].choices"),
        ("low = 0", "low = 2\nhigh = 1", "attributes[3].high"),
        ('board = "show"', 'low = "1"', "attributes[4].low"),
        ('kind = "url"', 'kind = "url"\nboard = "filter"', "attributes[5].board"),
        ('kind = "url"', 'kind = "address"', "attributes[5].kind"),
    ],
)
def test_mistakes_are_named(old: str, new: str, field: str) -> None:
    assert old in ATTRIBUTES
    files = template(declared_site.SLUG) | {"benchmark.toml": toml(ATTRIBUTES.replace(old, new)).encode()}
    with pytest.raises(SourceError) as caught:
        read_declaration(files)
    assert field in {place_of(problem)[2] for problem in caught.value.problems}


@pytest.mark.django_db
def test_a_name_has_one_kind_on_a_site() -> None:
    declared_site.declare(benchmark_toml=toml())
    other = template("rivers")
    other["benchmark.toml"] += ATTRIBUTES.replace('kind = "date"', 'kind = "text"').encode()
    with pytest.raises(SourceError) as caught:
        import_declaration(read_declaration(other))
    assert "attributes.released.kind" in str(caught.value)
