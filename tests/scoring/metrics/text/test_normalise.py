"""The normaliser, step by step and as a whole, against the official one and the libraries it calls."""

import re
import unicodedata

import ftfy
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from scoring.metrics.text import normalise as text_module
from scoring.metrics.text.lemmatizer import LookupLemmatiser
from scoring.metrics.text.normalise import (
    MISSES_BEFORE_REGEX,
    Normaliser,
    as_text,
    compose,
    drop_thousands_commas,
    fix_text,
    found_between_boundaries,
)
from tests.scoring.metrics.official import GivenPipeline, lemmas, lookup_pipeline, use_pipeline
from tests.scoring.metrics.strategies import references, texts, thorough

NORMALISER = Normaliser(LookupLemmatiser())
any_value = st.one_of(texts, st.integers(), st.floats(), st.booleans())


@pytest.mark.slow
@thorough(800)
@given(any_value)
@example("The Marathons, 1,234.5!")
@example("  double  spaces \n\n and breaks\t")
@example("nbsp\u00a0here, zero\u200bwidth, emoji \U0001f469\u200d\U0001f469\u200d\U0001f467, e\u0301")
@example("It's $5.2m; he'd 10% (c++)")
@example("")
def test_the_whole_equals_the_official_normaliser(value: object) -> None:
    expected = use_pipeline(lemmas).norm.normalize(value)
    assert NORMALISER(value) == expected
    assert NORMALISER(value) == expected  # again, remembered


@thorough(100)
@given(any_value)
def test_through_a_pipeline_too(value: object) -> None:
    normaliser = Normaliser(GivenPipeline(lookup_pipeline()))
    assert normaliser(value) == use_pipeline(lemmas).norm.normalize(value)


@pytest.mark.slow
@thorough(800)
@given(texts)
@example("&amp;amp;lt; &am&#112;;")
@example("a <b> &amp;\n&amp;")
@example("&amp;\n<b>\n&amp; schÃ¶n")
@example("\r\r\n\u2028\x85\x0b\x0c")
@example("\ud83d\ude00 \ud800")
@example("a" * 1_000_001 + "&amp;")
def test_fix_text(text: str) -> None:
    assert fix_text(text) == ftfy.fix_text(text)


@thorough(400)
@given(st.one_of(st.text("0123456789,. -a٣", max_size=30), texts))
@example("1,234.5,678,901")
@example("1.5,678")
@example(",1,2,,3,4.,5.6,7")
@example("12,34")
def test_thousands_commas(text: str) -> None:
    assert drop_thousands_commas(text) == use_pipeline(lemmas).norm.normalize_numbers(text)


@thorough(250)
@given(st.text(st.sampled_from("aé\u0301\u0316\u0338\u0345\U0001f600한\u1100\u1161 "), max_size=60))
def test_compose(text: str) -> None:
    assert compose(text) == unicodedata.normalize("NFC", text)


@thorough(200)
@given(st.integers(900, 3300), st.text("e \u0301", max_size=5))
def test_compose_keeps_every_mark_of_a_long_run(length: int, rest: str) -> None:
    text = "e" + "\u0316" * length + rest
    assert unicodedata.normalize("NFC", compose(text)) == unicodedata.normalize("NFC", text)


alphabet = st.text("ab1_ $%+.é中\u0301-", max_size=20)


@pytest.mark.slow
@thorough(1500)
@given(alphabet, st.text("ab1_ $%+.é中\u0301-", max_size=3))
@example("", "")
@example("a", "")
@example("-", "")
@example("US$5 $5", "$5")
@example("x" * 70 + " x", "x")
@example("ax " * (MISSES_BEFORE_REGEX + 5) + "x", "x")
def test_word_boundaries(text: str, item: str) -> None:
    assert found_between_boundaries(item, text) == bool(re.search(rf"\b{re.escape(item)}\b", text))


@thorough(150)
@given(st.text("ab ", min_size=150, max_size=400), st.text("ab", min_size=1, max_size=2))
def test_word_boundaries_with_many_misses(text: str, item: str) -> None:
    assert found_between_boundaries(item, text) == bool(re.search(rf"\b{re.escape(item)}\b", text))


@pytest.mark.slow
@thorough(200)
@given(references)
def test_references_as_text(reference: object) -> None:
    assert as_text(reference) == use_pipeline(lemmas).utils.str_answer(reference)  # type: ignore[arg-type]


def test_signature_loads_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    lemmatiser = LookupLemmatiser()
    monkeypatch.setattr(lemmatiser, "_load", lambda: pytest.fail("loaded"))
    names = [part.partition(":")[0] for part in Normaliser(lemmatiser).signature_parts]
    assert names == ["lemma", "spacy", "ftfy"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "1" * 500_000,
        "1," * 250_000,
        "&" + "amp;" * 200_000,
        ("&" + "amp;" * 500 + "\n") * 200,
        "&" + "#xff06;" * 100_000,
        "a" + "\u0301\u0316" * 300_000,
        "&am" + "&#112;" * 100_000,
        "Ã©â€œ" * 100_000,
        "\x1b[" * 250_000,
        " " * 500_000,
        "aaa " * 125_000,
    ],
)
def test_hostile_texts_come_to_an_end(text: str) -> None:
    """Each takes some step of the official normaliser quadratic time or worse."""
    ticks: list[int] = []
    normalised = NORMALISER(text, lambda *ahead: ticks.append(1))
    assert len(normalised) <= 2 * len(text)
    assert found_between_boundaries("aa", normalised) is False


def test_rounds_over_nested_entities_are_bounded_and_few_are_enough() -> None:
    nested = "&" + "amp;" * 40 + "lt;"
    assert fix_text(nested) == ftfy.fix_text(nested) == "<"
    beyond = "&" + "amp;" * (text_module.MOST_ROUNDS + 1) + "lt;"
    assert fix_text(beyond) == "&amp;lt;"
