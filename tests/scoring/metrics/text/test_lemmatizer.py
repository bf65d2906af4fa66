"""Choosing, checking and running lemmatisers."""

import json
import threading
from collections.abc import Callable, Sequence
from importlib import metadata
from typing import Any

import pytest
import spacy
from hypothesis import example, given
from hypothesis import strategies as st

from scoring.metrics.text import lemmatizer
from scoring.metrics.text.lemmatizer import (
    LICENCE_FILE,
    LOOKUP,
    MODEL,
    TABLE,
    TABLE_FILE,
    Lemmatiser,
    LemmatiserError,
    LookupLemmatiser,
    ModelLemmatiser,
    model_installed,
    packaged_file,
    pieces,
    text_lemmatiser,
    tidy,
)
from tests.scoring.metrics.official import GivenPipeline, lookup_pipeline
from tests.scoring.metrics.strategies import nasty_texts, thorough

LEMMATISER = LookupLemmatiser()
WORDNET_LICENCE = packaged_file("en_license.txt").read_text(encoding="utf-8").split()


def through_spacy(text: str) -> str:
    return tidy(" ".join(token.lemma_ for token in lookup_pipeline()(text)))


@pytest.mark.slow
@thorough(600)
@given(st.one_of(nasty_texts(), st.text(" \n\t\u00a0\u2028\u3000a,.:)", max_size=12)))
@example("")
@example(" ")
@example("  ")
@example("\n")
@example("a ")
@example("a  ")
@example("a\n")
@example(" a")
@example(", a ,")
@example("a\u00a0b")
@example("a \n b")
def test_looking_up_word_by_word_equals_the_pipeline(text: str) -> None:
    assert LEMMATISER.tidied(text) == through_spacy(text)
    assert LookupLemmatiser.tidied(LEMMATISER, text) == through_spacy(text)  # again, remembered


def test_the_table_beside_the_code_is_that_of_the_package() -> None:
    assert f"spacy-lookups-data-{metadata.version('spacy-lookups-data')}" == TABLE
    assert TABLE_FILE.read_bytes() == packaged_file("en_lemma_lookup.json.gz").read_bytes()
    licence = LICENCE_FILE.read_text(encoding="utf-8").split()
    assert licence[: len(WORDNET_LICENCE)] == WORDNET_LICENCE


def test_every_word_of_the_table_has_the_lemma_that_spacy_gives() -> None:
    LEMMATISER.load()
    words = [*LEMMATISER.table, *sorted(set(LEMMATISER.table.values()) - LEMMATISER.table.keys())]
    assert len(words) > 41_000
    # Many words a text, since a call of spaCy costs more than its words: each on a line, so that none changes another.
    text = "\n".join(words)
    assert [LEMMATISER.tidied(word) for word in words[::100]] == [through_spacy(word) for word in words[::100]]
    assert LEMMATISER.tidied(text) == through_spacy(text)


def test_words_forgotten_meanwhile_are_looked_up_again() -> None:
    small = LookupLemmatiser(max_bytes=3000)
    text = " ".join(f"museums{number} mice" for number in range(500))
    assert small.tidied(text) == through_spacy(text)
    assert small.words.bytes <= 3000


def test_each_distinct_word_is_tokenised_once(monkeypatch: pytest.MonkeyPatch) -> None:
    lemmatiser = LookupLemmatiser()
    lemmatiser.load()
    seen: list[str] = []
    tokenise = lemmatiser.tokeniser.word

    def counting(word: str) -> tuple[Sequence[str], bool]:
        seen.append(word)
        return tokenise(word)

    monkeypatch.setattr(lemmatiser.tokeniser, "word", counting)
    lemmatiser.tidied("Two museums, two mice, and two museums, again.")
    lemmatiser.tidied("again. and mice, museums, Two")
    assert sorted(seen) == ["Two", "again.", "and", "mice,", "museums,", "two"]


Chooser = Callable[[str], Lemmatiser]


@pytest.fixture
def uncached(monkeypatch: pytest.MonkeyPatch) -> Chooser:
    """The choice made anew each time, which leaves no trace in the shared lemmatisers."""
    choose = text_lemmatiser.__wrapped__
    monkeypatch.setattr(lemmatizer, "text_lemmatiser", choose)
    return choose


def test_choices() -> None:
    assert isinstance(text_lemmatiser(LOOKUP), LookupLemmatiser)
    assert text_lemmatiser("auto") is text_lemmatiser(MODEL if model_installed() else LOOKUP)
    with pytest.raises(LemmatiserError, match="no lemmatiser 'stanza'; there are auto, en_core_web_sm, lookup"):
        text_lemmatiser("stanza")


def test_auto_takes_the_model_where_it_is_installed(monkeypatch: pytest.MonkeyPatch, uncached: Chooser) -> None:
    monkeypatch.setattr(lemmatizer, "model_installed", lambda: True)
    monkeypatch.setattr(metadata, "version", lambda package: "3.8.0")
    assert isinstance(uncached("auto"), ModelLemmatiser)
    assert uncached("auto").signature_parts() == ("lemma:en_core_web_sm-3.8.0", "spacy:3.8.0")
    monkeypatch.setattr(lemmatizer, "model_installed", lambda: False)
    assert isinstance(uncached("auto"), LookupLemmatiser)


def test_the_model_where_it_is_not_installed(monkeypatch: pytest.MonkeyPatch, uncached: Chooser) -> None:
    def missing(package: str) -> str:
        raise metadata.PackageNotFoundError(package)

    monkeypatch.setattr(metadata, "version", missing)
    with pytest.raises(LemmatiserError, match=f"spacy download {MODEL}"):
        uncached(MODEL)
    assert isinstance(uncached("auto"), LookupLemmatiser)


def uninitialised() -> Any:
    pipeline = spacy.blank("en")
    pipeline.add_pipe("lemmatizer", config={"mode": "lookup"})
    return pipeline


@pytest.mark.parametrize("pipeline", [spacy.blank("en"), uninitialised()], ids=["blank", "uninitialised"])
def test_a_pipeline_without_lemmas_is_refused(pipeline: Any) -> None:
    lemmatiser = GivenPipeline(pipeline, "mine")
    with pytest.raises(LemmatiserError, match="'mine'"):
        lemmatiser.load()
    with pytest.raises(LemmatiserError, match="'mine'"):
        lemmatiser.tidied("mice")


def test_a_table_without_lemmas_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json, "loads", lambda text: {})
    with pytest.raises(LemmatiserError, match="'lookup' does not produce"):
        LookupLemmatiser().load()


@pytest.mark.slow
def test_a_pipeline_takes_texts_over_spacys_limit() -> None:
    text = "the mice were running " * 50_000
    assert len(text) > lookup_pipeline().max_length
    lemmatiser = GivenPipeline(lookup_pipeline())
    ticks: list[int] = []
    assert lemmatiser.tidied(text, lambda *ahead: ticks.append(1)) == "the mouse be run " * 49_999 + "the mouse be run"
    assert len(ticks) >= 10


def test_the_model_is_loaded_with_what_lemmas_need_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded: list[tuple[str, list[str]]] = []

    def load(name: str, *, exclude: list[str]) -> Any:
        loaded.append((name, exclude))
        return lookup_pipeline()

    monkeypatch.setattr(spacy, "load", load)
    assert ModelLemmatiser().tidied("mice") == "mouse"
    assert loaded == [("en_core_web_sm", ["parser", "senter", "ner"])]


@pytest.mark.parametrize("name", [MODEL] if model_installed() else [])
def test_the_real_model(name: str) -> None:
    lemmatiser = ModelLemmatiser()
    whole = spacy.load(name)
    for text in ("the mice were running to better museums", "he's left; leaves fall, i saw a saw"):
        assert lemmatiser.tidied(text) == tidy(" ".join(token.lemma_ for token in whole(text)))


@thorough(200)
@given(st.text("ab \n", max_size=40), st.integers(1, 10))
def test_pieces(text: str, longest: int) -> None:
    parts = list(pieces(text, longest))
    assert "".join(parts) == text
    assert max(map(len, parts)) <= longest
    for part in parts[:-1]:
        assert part[-1].isspace() or not any(map(str.isspace, part))


def test_threads_load_once_and_agree() -> None:
    lemmatiser = LookupLemmatiser()
    results: list[str] = []
    threads = [threading.Thread(target=lambda: results.append(lemmatiser.tidied("mice :x:) )y:)"))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(results) == {through_spacy("mice :x:) )y:)")}
    assert len(results) == 8
