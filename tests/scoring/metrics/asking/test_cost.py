"""Tokens and money: estimates say how they were made, and nothing is fetched for them."""

import hashlib
import socket
import sys
import types
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from scoring.metrics.asking import cost
from scoring.metrics.asking.cost import BY_CHARACTERS, Price, estimate, parse_prices, price_of, token_counter
from tests.scoring.conftest import MODEL, item


def test_prices_are_known_by_exact_name_can_be_set_and_are_never_guessed() -> None:
    assert price_of(MODEL) == Price(Decimal("2.5"), Decimal(10))
    assert price_of("gpt-4o-2031-01-01") is None
    own = parse_prices("local=0/0, gpt-4o-2024-11-20=1/2,org/llama:free=0.1/.2")
    assert price_of(MODEL, own) == Price(Decimal(1), Decimal(2))
    assert price_of("local", own) == Price(Decimal(0), Decimal(0))
    assert price_of("org/llama:free", own) == Price(Decimal("0.1"), Decimal("0.2"))
    assert parse_prices("") == {}


@pytest.mark.parametrize("text", ["m", "m=1", "m=1/2/3", "m=a/b", "=1/2", "m=-1/2", "m=nan/1", "m=inf/1", "m=1/"])
def test_prices_written_wrongly_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="expected model=input/output"):
        parse_prices(text)


def test_money_is_not_rounded() -> None:
    price = Price(Decimal("2.5"), Decimal(10))
    assert price.of(1, 0) == Decimal("0.0000025")
    assert price.of(724 * 600, 724 * 300) == Decimal("3.258")


def test_an_estimate_counts_the_real_prompts() -> None:
    items = [item(1), item(2, "x" * 9000)]
    made = estimate((one.messages() for one in items), counter=BY_CHARACTERS, price=price_of(MODEL), reply_tokens=100)
    characters = sum(len(message["content"]) for one in items for message in one.messages())
    assert made.n_calls == 2
    assert characters / 4 < made.tokens_in < characters / 4 + 30
    assert made.tokens_out == 200
    assert made.usd == (made.tokens_in * Decimal("2.5") + 200 * Decimal(10)) / 1_000_000
    assert made.method == "characters"
    assert estimate([], counter=BY_CHARACTERS, price=None).usd is None


def test_without_the_encoding_on_this_machine_characters_are_counted_and_nothing_is_fetched(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def no_network(*arguments: Any, **options: Any) -> None:
        raise AssertionError("the network was used")

    def get_encoding(name: str) -> None:
        raise AssertionError(f"{name} would have been fetched")

    monkeypatch.setattr(socket, "socket", no_network)
    monkeypatch.setitem(sys.modules, "tiktoken", types.SimpleNamespace(get_encoding=get_encoding))
    name = hashlib.sha1(b"https://openaipublic.blob.core.windows.net/encodings/o200k_base.tiktoken").hexdigest()
    for directory in (tmp_path / "missing", tmp_path, ""):
        monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(directory))
        assert token_counter(MODEL) is BY_CHARACTERS
    (tmp_path / name).write_bytes(b"half a file")
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    assert token_counter(MODEL) is BY_CHARACTERS
    assert (tmp_path / name).exists(), "tiktoken itself would have deleted it and fetched another"
    assert token_counter("llama-3.3-70b") is BY_CHARACTERS


def test_with_the_encoding_on_this_machine_its_tokens_are_counted(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    name = hashlib.sha1(b"https://openaipublic.blob.core.windows.net/encodings/o200k_base.tiktoken").hexdigest()
    (tmp_path / name).write_bytes(b"merges")
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    monkeypatch.setitem(cost._ENCODINGS, "o200k_base", hashlib.sha256(b"merges").hexdigest())
    read: list[str] = []

    def encode(text: str) -> list[str]:
        read.append(text)
        return text.split()

    words = types.SimpleNamespace(encode_ordinary=encode)
    tiktoken = types.SimpleNamespace(get_encoding={"o200k_base": words}.__getitem__)
    monkeypatch.setitem(sys.modules, "tiktoken", tiktoken)
    counter = token_counter(MODEL)
    assert (counter.method, counter.exact) == ("tiktoken o200k_base", True)
    messages = item(1).messages()
    assert counter.of_messages(messages) == 9 + sum(len(message["content"].split()) for message in messages)
    report = "# Bridges\n\n" + "A long line. " * 1_000 + "\n  indented\n/path\n"
    read.clear()
    assert [counter.count(f"{report}criterion {number}") for number in (1, 2)] == [3 * 1_000 + 6] * 2
    assert "".join(read) == f"{report}criterion 1criterion 2", "each line of a report is read once"
    monkeypatch.setitem(sys.modules, "tiktoken", None)
    assert token_counter(MODEL) is BY_CHARACTERS
