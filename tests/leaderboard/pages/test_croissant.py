"""Croissant: what the descriptions of data say, what they never say, and that their files are what they describe."""

import hashlib
import json
from typing import Any

import pytest
from django.test import Client

from leaderboard.pages.croissant import CONFORMS_TO, FIELDS, RAI
from scoring.benchmarks import definition_of
from tests import factories

pytestmark = pytest.mark.django_db


def described(client: Client, address: str) -> dict[str, Any]:
    response = client.get(address)
    assert response["Content-Type"] == "application/ld+json"
    content: dict[str, Any] = json.loads(response.content)
    return content


def path_of(file: dict[str, Any]) -> str:
    return "/" + str(file["contentUrl"]).split("/", 3)[3]


def test_describes_each_open_file_with_its_digest(client: Client) -> None:
    factories.benchmark(n_dev=3, n_test=2)
    card = described(client, "/fanoutqa/croissant.json")
    assert card["conformsTo"] == list(CONFORMS_TO)
    [file] = card["distribution"]
    content = client.get(path_of(file)).content
    assert hashlib.sha256(content).hexdigest() == file["sha256"]
    lines = [json.loads(line) for line in content.splitlines()]
    assert [list(line) for line in lines] == [list(FIELDS)] * 3
    [records] = card["recordSet"]
    assert [field["source"]["extract"]["column"] for field in records["field"]] == list(FIELDS)
    assert {field["source"]["fileObject"]["@id"] for field in records["field"]} == {file["@id"]}
    assert described(client, "/fanoutqa/dev/croissant.json")["distribution"] == card["distribution"]


def test_every_reference_in_it_leads_somewhere(client: Client) -> None:
    factories.benchmark(n_dev=3)
    card = described(client, "/fanoutqa/croissant.json")
    known = {card["recordSet"][0]["@id"], card["distribution"][0]["@id"]}
    known |= {field["@id"] for field in card["recordSet"][0]["field"]}
    assert card["recordSet"][0]["key"]["@id"] in known
    required = {"@context", "@type", "conformsTo", "name", "description", "license", "url", "creator", "datePublished"}
    assert required <= set(card), "what the specification requires of a data set"


def test_says_for_responsible_ai_what_the_data_card_says(client: Client) -> None:
    factories.benchmark(n_dev=1)
    card = described(client, "/fanoutqa/croissant.json")
    sections = [section for section in definition_of("fanoutqa").card.sections if section.slug in RAI]
    assert len(sections) >= 5
    for section in sections:
        assert all(text in card[f"rai:{RAI[section.slug]}"] for text in section.paragraphs + section.points)


def test_a_hidden_split_has_no_file_and_no_record(client: Client) -> None:
    factories.benchmark(n_dev=1, n_test=2)
    card = described(client, "/fanoutqa/test/croissant.json")
    assert card["name"].endswith("-test")
    assert (card["distribution"], card["recordSet"]) == ([], [])
    assert client.get("/fanoutqa/test/questions.jsonl").status_code == 404
    assert client.get("/fanoutqa/nowhere/croissant.json").status_code == 404
