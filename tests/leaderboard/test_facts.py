"""Run facts: stated in the form and the API, shown by boards, exports, filters and the system's page."""

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from leaderboard.board.document import Document
from leaderboard.board.lookup import document_of
from leaderboard.board.write import open_board
from leaderboard.facts import FACTS, KEYS, NOT_STATED, RunFacts, facts_of
from leaderboard.models import Submission
from leaderboard.publishing.services import publish_submission
from scoring.models import Usage
from tests import boards, factories

STATED = {
    "organisation": "Example Lab",
    "model": "openai/gpt-4o-2024-11-20",
    "access": "open-weights",
    "parameters": 70,
    "released": "2026-01-31",
}


def document(split: str = "dev") -> Document:
    board = open_board("fanoutqa", split, "openbook")
    assert board is not None
    return document_of(board)


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
    rows = {row.name: place for place, row in enumerate(known.rows)}
    assert {row.name: row.facts for row in known.rows} == {
        "Cheap": facts_of(STATED),
        "Listed": RunFacts(model="openai/gpt-4o-2024-11-20"),
        "Silent": None,
        "Unlisted": RunFacts(model="example/gpt-4o-2024-11-20"),
    }
    values = {name: [known.value(place, key) for key in KEYS] for name, place in rows.items()}
    assert values == {
        "Cheap": [0.5, 105_000, 2.5],
        "Listed": [1.2, 105_000, None],  # 0.4 × 2.50 + 0.02 × 10.00 dollars
        "Silent": [None, None, None],
        "Unlisted": [None, 105_000, None],
    }
    assert {name: known.state(place, "cost") for name, place in rows.items()} == {
        "Cheap": "stated",
        "Listed": "computed",
        "Silent": "not_scored",
        "Unlisted": "not_scored",
    }
    assert known.columns["cost"].standings is None and not known.columns["cost"].best
    assert known.cell(rows["Silent"], "cost").reason == NOT_STATED


def test_a_board_without_costs_has_no_column_of_costs(publish: Callable[..., Submission]) -> None:
    publish("Slow", {"seconds": 12.0, "n_answers": 4})
    assert [key for key in KEYS if key in document().columns] == ["seconds"]
