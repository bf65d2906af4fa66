"""The tokeniser against spaCy's own."""

import importlib
from importlib import metadata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from scoring.metrics.text import tokenizer
from scoring.metrics.text.lemmatizer import rules_of_installed_spacy
from scoring.metrics.text.tokenizer import SPACY, EnglishTokeniser, alternatives, english_rules
from tests.scoring.metrics.official import lookup_pipeline
from tests.scoring.metrics.strategies import nasty_texts, thorough

TOKENISER = EnglishTokeniser()


def spacy_tokens(text: str) -> list[str]:
    return [token.text for token in lookup_pipeline().tokenizer(text) if not token.text.isspace()]


def test_the_rules_beside_the_code_are_those_of_the_installed_spacy() -> None:
    assert metadata.version("spacy") == SPACY
    assert english_rules() == rules_of_installed_spacy()


@pytest.mark.slow
@thorough(800)
@given(nasty_texts())
@example("x:)")
@example("foo:) :)bar")
@example("a :x:) )y:) ) :")  # what is found over a space keeps a shorter one from being put together
@example("10am 10a.m. (a.m.) he's can't U.S. $5.2km 5+5 a.b a.B x--y 5km² C++")
@example("……... ...…… . .. ...")
@example("http://a.b/c?d=e, user:pass@host.org, a@b@c.de www.x.com.")
@example(" leading\n\ntrailing  ")
@example("")
@example(" ")
def test_any_text(text: str) -> None:
    assert TOKENISER.tokens(text) == spacy_tokens(text)


@thorough(400)
@given(st.text())
def test_any_unicode(text: str) -> None:
    text = text.encode("utf-8", "ignore").decode()  # spaCy takes no lone surrogates; the normaliser removes them before
    assert TOKENISER.tokens(text) == spacy_tokens(text)


patterns = sorted(pattern for found in TOKENISER._patterns.values() for pattern in found)


@pytest.mark.slow
@thorough(800)
@given(
    st.lists(
        st.tuples(
            st.one_of(
                st.sampled_from([" ".join(pattern) for pattern in patterns]),
                st.sampled_from(["".join(pattern) for pattern in patterns]),
                st.sampled_from([token for pattern in patterns for token in pattern]),
                st.sampled_from(["x", "foo", "1"]),
            ),
            st.sampled_from(["", "", " ", " ", "\n"]),
        ),
        max_size=12,
    )
)
def test_special_cases_that_came_apart_next_to_others(parts: list[tuple[str, str]]) -> None:
    text = "".join(text + gap for text, gap in parts)
    assert TOKENISER.tokens(text) == spacy_tokens(text)


def test_a_neighbour_can_keep_a_special_case_apart() -> None:
    """Otherwise nothing here shows that neighbours are looked at."""
    alone, _ = TOKENISER.word("x:)")
    assert alone == ("x", ":)")
    assert spacy_tokens("x:) )") == TOKENISER.tokens("x:) )") == ["x", ":", ")", ")"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "(" * 3000 + "word" + ")" * 3000,
        "." * 3000 + "a" + "." * 3000,
        ("." * 70 + "(") * 40,
        "a:" * 1500,
        "word," * 1500,
        "中文。" * 1500,
        "5km" * 900,
        "\U0001f600" * 3000,
        "'s" * 1500,
    ],
)
def test_long_words(text: str) -> None:
    assert TOKENISER.tokens(text) == spacy_tokens(text)


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    ["(" * 200_000, "()[]{}'\"" * 25_000, "a:" * 100_000, "a:a@" * 50_000, ":x:) )y:) " * 20_000, "😀" * 200_000],
)
def test_hostile_texts_come_to_an_end(text: str) -> None:
    """Each of these keeps spaCy's loop over affixes, or its pattern of addresses, busy for hours."""
    assert "".join(TOKENISER.tokens(text)) == text.replace(" ", "")


def test_no_rule_is_wider_than_the_window() -> None:
    """The search for suffixes looks at the end of a long word only; this holds spaCy's rules to what that assumes."""
    parser = importlib.import_module("re._parser")
    for rule in english_rules()["suffixes"]:
        parsed = parser.parse(rule)
        shortest, longest = parsed.getwidth()
        assert longest <= tokenizer.SUFFIX_WINDOW or rule == r"\.\.+", rule
        assert shortest > 0
        for operation, argument in parsed.data:
            if str(operation) == "ASSERT":
                assert argument[1].getwidth()[1] <= tokenizer.LOOK_BEHIND
    assert not [rule for rule in english_rules()["prefixes"] if "(?<" in rule]


def test_the_login_pattern_is_the_one_known_to_be_slow() -> None:
    assert tokenizer._AMBIGUOUS_LOGIN in english_rules()["url"]


@thorough(200)
@given(st.text("a%(=b+.)", max_size=6))
def test_merging_rules_changes_no_match(text: str) -> None:
    import re

    rules = ["%", r"\+(?![0-9])", r"\(", "[a-c]", "=", r"\.\.+", r"\.", "=="]
    plain = re.compile("|".join(rules)).match(text)
    merged = re.compile(alternatives(rules)).match(text)
    assert (plain and plain.span()) == (merged and merged.span())
