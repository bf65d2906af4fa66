"""The stemmer against NLTK's, which rouge_score uses."""

import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.stem.porter import PorterStemmer

from scoring.metrics.text.lemmatizer import LookupLemmatiser
from scoring.metrics.text.porter import LONG, Stemmer, porter_stem, shape_of
from tests.scoring.metrics.strategies import thorough

PORTER = PorterStemmer()
SUFFIXES = (
    "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion", "sion", "ou", "ism",
    "ate", "iti", "ous", "ive", "ize", "icate", "ative", "alize", "iciti", "ical", "ful", "ness", "ational",
    "tional", "enci", "anci", "izer", "bli", "alli", "entli", "eli", "ousli", "ization", "ation", "ator", "alism",
    "iveness", "fulness", "ousness", "aliti", "iviti", "biliti", "fulli", "logi", "sses", "ies", "ss", "s", "eed",
    "ed", "ing", "ied", "y", "e", "ll", "at", "bl", "iz", "ated", "izing", "bling",
)  # fmt: skip
letters = st.one_of(
    st.text("abcdefghijklmnopqrstuvwxyz0123456789"), *(st.text(few) for few in ("aeiouybcdlst1", "yb", "ya", "sl"))
)
words = st.builds(
    lambda start, endings: start + "".join(endings), letters, st.lists(st.sampled_from(SUFFIXES), max_size=3)
).filter(bool)


@pytest.mark.slow
@thorough(1500)
@given(words)
def test_any_word(word: str) -> None:
    assert porter_stem(word) == PORTER.stem(word)


@pytest.mark.slow
def test_every_english_word_of_the_lookup_table() -> None:
    lemmatiser = LookupLemmatiser()
    lemmatiser.load()
    vocabulary = {word for word in (*lemmatiser.table, *lemmatiser.table.values()) if re.fullmatch("[a-z0-9]+", word)}
    assert len(vocabulary) > 40_000
    assert [word for word in vocabulary if porter_stem(word) != PORTER.stem(word)] == []


def test_irregular_words() -> None:
    assert {word: porter_stem(word) for word in PORTER.pool} == PORTER.pool


@thorough(150)
@given(words, st.integers(0, 2**32))
def test_long_words_by_way_of_short_ones(word: str, seed: int) -> None:
    chance = random.Random(seed)
    alphabet = chance.choice(["aeiouybcd1", "yb", "ya", "y", "b", "a", "abcdefghijklmnopqrstuvwxyz0123456789"])
    long_word = "".join(chance.choices(alphabet, k=LONG)) + word
    assert Stemmer().stems([long_word]) == [PORTER.stem(long_word)]


@thorough(200)
@given(letters.filter(bool))
def test_shape(word: str) -> None:
    measure, ends_in_vowel = shape_of(word)
    assert measure == min(2, PORTER._measure(word))
    assert ends_in_vowel is not PORTER._is_consonant(word, len(word) - 1)


@pytest.mark.parametrize(
    "word", ["y" * 2_000_000, "by" * 1_000_000, "a" * 2_000_000 + "tional", "x" * 2_000_000 + "ies"]
)
def test_words_of_millions_of_letters(word: str) -> None:
    (stem,) = Stemmer().stems([word])
    assert stem[: len(word) - 10] == word[:-10]
