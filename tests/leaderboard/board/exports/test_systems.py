"""The scores of one system for other programs: Every Eval Ever, and model cards and results of the Hub."""

import datetime
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import jsonschema
import pytest
import yaml
from django.test import Client
from msgspec import UNSET

from leaderboard.board import standings
from leaderboard.board.exports.every_eval_ever import limits_of
from leaderboard.board.exports.files import SYSTEM_FORMATS
from leaderboard.models import Entry, EntryKind, ReportedValue, System
from tests import boards, factories

pytestmark = pytest.mark.django_db

SCHEMA = json.loads(Path(__file__).with_name("every_eval_ever.schema.json").read_text())
FACTS = {
    "model": "example/model-7b",
    "access": "open-weights",
    "licence": "Apache-2.0",
    "parameters": 7.0,
    "released": datetime.date(2026, 1, 2).isoformat(),
}


def filled(split: str = "dev") -> System:
    """A board with a system that states facts and one with reported numbers; returns the first."""
    made = factories.benchmark(n_dev=12, n_test=12)
    place, setting = factories.split(made, split), factories.setting(made)
    boards.fill(place, setting, 3)
    known = System.objects.filter(entries__kind=EntryKind.SCORED).order_by("pk")[0]
    System.objects.filter(pk=known.pk).update(run_facts=FACTS)
    other = System.objects.create(name="Reported", slug="reported", authors="B. Author")
    entry = Entry.objects.create(system=other, split=place, setting=setting, kind=EntryKind.REPORTED, source="Table 1")
    ReportedValue.objects.create(entry=entry, name="loose", value=0.25)
    standings.refresh(place, setting)
    return known


def file_of(client: Client, system: str, name: str, split: str = "dev") -> bytes:
    response = client.get(f"/fanoutqa/{split}/openbook/systems/{system}/{name}")
    assert (response.status_code, response["Content-Type"]) == (200, SYSTEM_FORMATS[name].media_type)
    return response.content


def board_of(client: Client, split: str = "dev") -> dict[str, dict[str, Any]]:
    content = json.loads(client.get(f"/fanoutqa/{split}/openbook/export.json?columns=all").content)
    return {row["slug"]: row["cells"] for row in content["rows"]}


@pytest.mark.parametrize("split", ["dev", "test"])
def test_every_eval_ever_has_the_model_and_the_numbers_of_the_board(client: Client, split: str) -> None:
    known = filled(split)
    record = json.loads(file_of(client, known.slug, "every-eval-ever.json", split))
    jsonschema.validate(record, SCHEMA)
    model = record["model_info"]
    assert (model["id"], model["developer"]) == ("example/model-7b", "example")
    details = model["additional_details"]
    assert (details["model_availability"], details["licence"], details["parameters"]) == (
        "open_weights",
        "Apache-2.0",
        "7.0",
    )
    cells = board_of(client, split)[known.slug]
    results = {result["evaluation_result_id"]: result["score_details"] for result in record["evaluation_results"]}
    assert set(results) == {key for key, cell in cells.items() if cell["value"] is not None}
    for key, result in results.items():
        assert result["score"] == cells[key]["value"], "with the digits that the board shows"
        if cells[key]["low"] is not None:
            interval = result["uncertainty"]["confidence_interval"]
            assert (interval["lower"], interval["upper"]) == (cells[key]["low"], cells[key]["high"])


@pytest.mark.parametrize(
    ("value", "unit", "bounds", "limits"),
    [
        (0.5, UNSET, UNSET, (0, 1)),
        (-0.25, UNSET, None, ("-Infinity", "Infinity")),
        (12.5, "number", None, (0, "Infinity")),
        (-12.5, "number", None, ("-Infinity", "Infinity")),
        (3.0, "number", (1.0, 5.0), (1, 5)),
    ],
)
def test_every_eval_ever_has_the_least_and_the_greatest_possible_number(
    client: Client, value: float, unit: Any, bounds: Any, limits: Any
) -> None:
    filled()
    record = json.loads(file_of(client, "reported", "every-eval-ever.json"))
    (result,) = record["evaluation_results"]
    least, greatest = limits_of(SimpleNamespace(unit=unit, bounds=bounds), value)  # type: ignore[arg-type]
    result["metric_config"] |= {"min_score": least, "max_score": greatest}
    jsonschema.validate(record, SCHEMA)
    assert (least, greatest) == limits


def test_reported_numbers_are_not_said_to_be_made_here(client: Client) -> None:
    filled()
    record = json.loads(file_of(client, "reported", "every-eval-ever.json"))
    jsonschema.validate(record, SCHEMA)
    assert record["source_metadata"]["source_type"] == "documentation"
    assert record["source_metadata"]["additional_details"] == {"reported_in": "Table 1"}
    assert record["eval_library"]["name"] == "unknown"
    [result] = record["evaluation_results"]
    assert "additional_details" not in result["metric_config"], "no signature"


def test_hub_files_have_shares_in_the_card_and_per_cent_in_the_results(client: Client) -> None:
    known = filled()
    loose = board_of(client)[known.slug]["loose"]["value"]
    [model] = yaml.safe_load(file_of(client, known.slug, "model-index.yaml"))["model-index"]
    [result] = model["results"]
    assert model["name"] == "example/model-7b"
    assert result["dataset"]["split"] == "dev"
    assert {metric["type"]: metric["value"] for metric in result["metrics"]}["loose"] == loose
    entries = yaml.safe_load(file_of(client, known.slug, "eval-results.yaml"))
    [entry] = [entry for entry in entries if "; loose;" in entry["notes"]]
    assert entry["value"] == pytest.approx(100 * loose)
    assert entry["source"]["url"].endswith("/fanoutqa/dev/openbook/")


def test_an_unknown_system_or_format_is_not_found_and_the_page_links_the_files(client: Client) -> None:
    known = filled()
    place = "/fanoutqa/dev/openbook/systems"
    assert client.get(f"{place}/nobody/model-index.yaml").status_code == 404
    assert client.get(f"{place}/{known.slug}/model.txt").status_code == 404
    page = client.get(f"/systems/{known.slug}/").content.decode()
    assert all(f'href="{place}/{known.slug}/{name}"' in page for name in SYSTEM_FORMATS)
