"""Cutting articles into passages and ranking these."""

import doctest
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from humaneval.encyclopedia import bm25 as module
from humaneval.encyclopedia.bm25 import PASSAGE_CHARACTERS, Block, blocks, passages, ranked
from humaneval.encyclopedia.html.sanitiser import sanitise

TEXT = st.text(alphabet=st.sampled_from("ab .,!?\n#\té"), max_size=400)


def bare(text: str) -> str:
    return re.sub(r"\s+", "", text)


def test_the_example_holds() -> None:
    assert doctest.testmod(module).failed == 0


@given(TEXT, st.integers(1, 60))
def test_nothing_is_lost_and_nothing_is_too_long(text: str, size: int) -> None:
    cut = passages(text, size)
    assert bare("".join(cut)) == bare(text)
    assert all(0 < len(passage) <= size for passage in cut)
    assert all(passage == passage.strip() for passage in cut)


def test_paragraphs_that_fit_stay_together_and_whole() -> None:
    paragraphs = [f"{letter * 300}." for letter in "abcdefg"]
    cut = passages("\n\n".join(paragraphs))
    assert cut == ["\n\n".join(paragraphs[:3]), "\n\n".join(paragraphs[3:6]), paragraphs[6]]


def test_a_long_paragraph_is_cut_between_sentences() -> None:
    sentences = [f"Sentence {number} is about {'x' * 90}." for number in range(30)]
    cut = passages(" ".join(sentences))
    assert all(passage.startswith("Sentence") and passage.endswith(".") for passage in cut)
    assert all(len(passage) > PASSAGE_CHARACTERS * 3 / 4 for passage in cut[:-1])


def test_a_long_sentence_is_cut_between_words_and_a_long_word_within() -> None:
    assert passages("aaa bbb ccc ddd", 7) == ["aaa bbb", "ccc ddd"]
    assert passages("a" * 10, 4) == ["aaaa", "aaaa", "aa"]


def test_a_heading_goes_with_what_comes_after_it() -> None:
    text = f"{'a' * 40}\n\n## Career\n\n{'b' * 40}"
    assert passages(text, 55) == ["a" * 40, f"## Career\n\n{'b' * 40}"]


def test_a_size_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one"):
        passages("x", 0)


ARTICLE = (
    "Pat Burrell is a former outfielder. " + "He was born in Arkansas. " * 30 + "\n\n## Career\n\n"
    "In 1998 the Phillies drafted him first. " + "He played on. " * 70 + "\n\n## Batting\n\n"
    "He threw right-handed and batted right-handed, hitting 292 home runs. " + "And so on. " * 60
)


def test_the_passage_with_the_words_comes_first_with_its_heading() -> None:
    best = ranked(ARTICLE, "home runs batting")
    assert best[0].heading == "Batting"
    assert "292 home runs" in best[0].text
    assert [passage.score for passage in best] == sorted((passage.score for passage in best), reverse=True)
    assert ranked(ARTICLE, "drafted")[0].heading == "Career"
    assert ranked(ARTICLE, "arkansas")[0].heading == ""


def test_forms_of_a_word_are_one_word() -> None:
    assert ranked(ARTICLE, "DRAFTS")[0].heading == "Career"
    assert ranked("A café stands here.", "cafe")
    assert ranked("Many cities.", "city")


@pytest.mark.parametrize("query", ["", "  ", "?!", "zebra", "\x00"])
def test_what_matches_nothing_gives_nothing(query: str) -> None:
    assert ranked(ARTICLE, query) == []


def test_odd_texts_are_no_error() -> None:
    assert ranked("", "x") == []
    assert ranked("?!?!", "x") == []
    assert ranked("x", "x")[0].position == 0
    assert ranked(ARTICLE, "he", limit=0) == []


def test_positions_are_those_of_the_passages() -> None:
    cut = passages(ARTICLE)
    for passage in ranked(ARTICLE, "he", limit=50):
        assert cut[passage.position] == passage.text


def test_scores_are_rank_bm25s() -> None:
    """With words that need no folding, the library's own numbers."""
    from rank_bm25 import BM25Plus

    text = "\n\n".join(f"{word} " * 150 for word in ("alpha", "beta", "gamma alpha"))
    cut = passages(text)
    expected = BM25Plus([passage.split() for passage in cut]).get_scores(["alpha"])
    for passage in ranked(text, "alpha", limit=50):
        assert passage.score == expected[passage.position]


def test_an_enormous_text_takes_no_enormous_time() -> None:
    text = "word " * 400_000
    assert len(passages(text)) == pytest.approx(400_000 * 5 / 1024, rel=0.01)


class TestBlocks:
    def test_an_article_comes_apart_into_what_it_was_made_of(self) -> None:
        markup = (
            "<p>Jupiter is far - very far - away.</p><p>Far.</p><h2>Moons</h2>"
            "<ul><li>Io</li><li>Europa<ul><li>its ice</li></ul></li></ul>"
            "<h3>Found</h3><table><tr><th>Io</th><td>1610</td><td></td></tr><tr><th>Thebe</th><td>1979</td></tr></table>"
        )
        text = sanitise(markup, title="Jupiter", link_target=lambda _: None, image_path=lambda _: None).text
        assert blocks(text) == (
            Block("text", ("Jupiter is far - very far - away.",)),
            Block("text", ("Far.",)),
            Block("heading", ("Moons",)),
            Block("items", ("Io", "Europa", "its ice")),
            Block("heading", ("Found",)),
            Block("rows", ("Io · 1610", "Thebe · 1979")),
        )

    def test_signs_within_a_line_and_without_words_stay(self) -> None:
        assert blocks("C## is none\n##\n-1 is a number") == (Block("text", ("C## is none", "##", "-1 is a number")),)

    @given(st.text(alphabet=st.sampled_from("ab #-\n"), max_size=200))
    def test_no_word_is_lost(self, text: str) -> None:
        shown = "".join(line for block in blocks(text) for line in block.lines)
        assert re.sub(r"[^ab]", "", shown) == re.sub(r"[^ab]", "", text)
