"""What an address asks of a board, and the one address that asks it again."""

from urllib.parse import urlencode

import pytest
from django.http import QueryDict
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.board.table import BoardParams, SortKey
from scoring.benchmarks import definition_of

DEFINITION = definition_of("fanoutqa")
ALL = tuple(column.key for column in DEFINITION.columns)


def ask(text: str) -> BoardParams:
    return BoardParams.of(QueryDict(text), DEFINITION)


@pytest.mark.parametrize(
    "text",
    [
        *("", "page=0", "page=-3", "page=x", "type=HUMAN", "kind=x"),
        *("sort=", "sort=-loose", "sort=nonsense,,--loose,-,authors,%00"),
        *(
            "context_min=-1",
            "context_min=1e3",
            "context_min=٣",
            "function_calling=maybe",
            "columns=",
            "columns=no,such",
        ),
        *("q=%20%20", "q=", "unknown=1", "columns=default"),
    ],
)
def test_what_is_not_known_asks_nothing(text: str) -> None:
    assert ask(text) == BoardParams()
    assert ask(text).query_string() == ""


def test_a_choice_of_all_columns_that_boards_may_show_by_default_is_kept() -> None:
    usual = "loose", "strict", "rouge1.fscore", "rouge2.fscore", "rougeL.fscore", "bleurt", "judge"
    assert ask(f"columns={','.join(usual)}").columns == usual, "a page shows few of them unless a reader asks"


def test_everything_at_once_and_back() -> None:
    text = (
        "sort=-judge,name&q=open+model&type=FINETUNE&type=PROMPT&context_min=4096&context_max=200000"
        "&function_calling=unknown&kind=scored&columns=loose,judge&page=3"
    )
    params = ask(text)
    assert params == BoardParams(
        sort=(SortKey("judge", descending=True), SortKey("name")),
        q="open model",
        types=frozenset({"FINETUNE", "PROMPT"}),
        context_min=4096,
        context_max=200_000,
        function_calling="unknown",
        kind="scored",
        columns=("loose", "judge"),
        page=3,
    )
    assert params.query_string() == text
    assert params.filtered


def test_lists_may_be_repeated_as_a_form_sends_them() -> None:
    assert ask("sort=-judge&sort=name&columns=judge&columns=loose") == ask("sort=-judge,name&columns=loose,judge")
    assert ask("&".join(f"columns={key}" for key in ALL)).columns == "all"


def test_every_key_counts_once() -> None:
    assert ask("sort=judge,-judge,name").sort == (SortKey("judge"), SortKey("name"))
    assert len(ask("sort=" + ",".join(ALL)).sort) == len(ALL)


def test_a_change_leads_to_the_first_page_but_a_page_to_itself() -> None:
    params = ask("kind=scored&page=4")
    assert params.query_string(kind="") == ""
    assert params.query_string(page=5) == "kind=scored&page=5"
    assert params.query_string() == "kind=scored&page=4"


def test_large_numbers_are_held_to_what_the_database_takes() -> None:
    assert ask(f"context_min={10**40}").context_min is None
    assert ask("context_min=999999999999999").context_min == 999_999_999_999_999
    for text in (
        "128,000",
        "128.000",
        "128 000",
        "128'000",
        "128’000",
        "128_000",
        "128\u00a0000",
        "128\u202f000",
        " 128000 ",
    ):
        assert ask(urlencode({"context_min": text})).context_min == 128_000, text
    for text in ("128.5", "1,28", "12.80.00", "1.2800", ".128", "128,"):
        assert ask(urlencode({"context_min": text})).context_min is None, text


def test_columns_that_are_sorted_by_are_shown_and_ranks_are_of_the_first() -> None:
    params = ask("sort=name,-rouge2.fscore,judge&columns=strict")
    assert [column.key for column in params.shown(DEFINITION)] == ["strict", "rouge2.fscore", "judge"]
    assert params.ranked_by(DEFINITION) == "rouge2.fscore"
    assert ask("sort=name").ranked_by(DEFINITION) == "loose"


@given(st.text(max_size=300))
def test_any_search_survives_its_address(text: str) -> None:
    query = QueryDict(mutable=True)
    query["q"] = text.encode("utf-8", "replace").decode()
    params = BoardParams.of(query, DEFINITION)
    assert len(params.q) <= 100
    assert ask(params.query_string()) == params
