"""Passages of articles: those of FanOutQA's package, in its order, and their parts as pages show them."""

import doctest
import re
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from humaneval.encyclopedia import bm25 as module
from humaneval.encyclopedia.bm25 import Block, blocks, ranked
from humaneval.encyclopedia.html.sanitiser import sanitise
from humaneval.encyclopedia.sources.urls import encyclopedia_at
from tests import volunteers
from tests.encyclopedias import AT
from tests.scoring.test_corpus import package

__all__ = ["package"]  # the fixture

WORDS = ["Oslo", "oslos", "mice,", "runs.", "1,200", "café", "x" * 700, "x" * 2500, ".", "- item", "| a | b |"]
LINES = st.lists(st.sampled_from(WORDS), max_size=60).map(" ".join)
TEXTS = st.lists(LINES | st.just("## Heading") | st.just("\n"), max_size=30).map("\n".join)

SENTENCES = " ".join(f"Sentence {number} is about {'x' * 90}." for number in range(30))
TABLE = "\n".join(f"| {number} | {'cell ' * 20}|" for number in range(40))
MADE_UP = {
    "empty": "",
    "spaces": " \n\n \n",
    "headings": "\n\n".join(f"## Section {number}\n\n{'word ' * 90}" for number in range(20)),
    "heading_at_a_cut": f"{'a' * 1000}\n\n## Career\n\n{'b' * 900}",
    "headings_alone": "\n\n".join(f"## Section {number}" for number in range(200)),
    "long_paragraph": f"Before.\n\n{SENTENCES}\n\nAfter.",
    "clauses": f"- {'a clause of a long item, ' * 100}\n- the next",
    "table": f"## Results\n\n{TABLE}\n\nAfter it.",
    "long_row": f"| {'a cell | ' * 300}",
    "list": "\n".join(f"- item {number} of the list" for number in range(200)),
    "long_word": f"Oslo {'x' * 5000} and more",
    "full_lines": "\n".join(["y" * 1023] * 3) + "\n\n" + "z" * 1024,
    "other_scripts": "Осло — столица Норвегии. " * 90 + "東京は首都です。" * 200,
}


@pytest.fixture(scope="module")
def articles(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The texts of the small encyclopedia, as its reader gets them."""
    source = encyclopedia_at(volunteers.encyclopedia(tmp_path_factory.mktemp("encyclopedia")))
    return {article.title: source.article(article.title, AT).text for article in volunteers.articles()}


def compare(package: Any, text: str, query: str) -> None:
    """Check that an article's passages are the package's, and so is the order of those with a word of the query."""
    corpus = package.Corpus([SimpleNamespace(title="", text=text)], doc_len=1024)
    chunks = [chunk.content for chunk in corpus.documents]
    assert [passage.text for passage in module._index(text)[1]] == chunks
    wanted = {word for word in corpus.tokenize(query) if re.search(r"\w", word)}
    best = [chunk.content for chunk in corpus.best(query) if wanted & set(corpus.tokenize(chunk.content))]
    passages = ranked(text, query, limit=len(chunks))
    assert [passage.text for passage in passages[: len(best)]] == best
    assert all(chunks[passage.position] == passage.text for passage in passages)
    assert len({passage.position for passage in passages}) == len(passages)


def test_the_examples_hold() -> None:
    assert doctest.testmod(module).failed == 0


class TestThePackage:
    """Passages are those of the package on the same text, chunk by chunk and in order."""

    def test_with_the_articles_of_the_small_encyclopedia(self, package: Any, articles: dict[str, str]) -> None:
        assert max(map(len, articles.values())) > 100_000
        for title, text in articles.items():
            compare(package, text, f"the government of {title}, trees and a Cell_number_7_without_a_break")

    @given(TEXTS, LINES)
    @example("\n\n" + "x " * 600, "x")
    def test_with_any_text(self, package: Any, text: str, query: str) -> None:
        compare(package, text, query)


ARTICLE = (
    "Pat Burrell is a former outfielder. " + "He was born in Arkansas. " * 30 + "\n\n## Career\n\n"
    "In 1998 the Phillies drafted him first. " + "He played on. " * 70 + "\n\n## Batting\n\n"
    "He threw right-handed and batted right-handed, hitting 292 home runs. " + "And so on. " * 60
)


class TestRanking:
    def test_the_passage_with_the_words_comes_first(self) -> None:
        assert "292 home runs" in ranked(ARTICLE, "home runs")[0].text
        assert "the Phillies" in ranked(ARTICLE, "DRAFTS")[0].text
        assert ranked(ARTICLE, "arkansas")[0].heading == ""

    def test_words_in_other_spellings_come_last(self) -> None:
        assert ranked("A café stands here.", "cafe")
        assert ranked("Many cities.", "city")
        years = "\n\n".join(f"{years} {'word ' * 190}" for years in ("1990–1998", "1999", "1998"))
        assert [passage.position for passage in ranked(years, "1998")] == [2, 0]
        assert [passage.position for passage in ranked(years, "1998", limit=1)] == [2]

    @pytest.mark.parametrize("query", ["", "  ", "?!", "zebra", "\x00", "##", "|"])
    def test_what_matches_nothing_gives_nothing(self, query: str) -> None:
        assert ranked(ARTICLE, query) == []

    def test_odd_texts_are_no_error(self) -> None:
        assert ranked("", "x") == []
        assert ranked("?!?!", "x") == []
        assert ranked("x", "x")[0].position == 0
        assert ranked(ARTICLE, "he", limit=0) == []


class TestPlaces:
    """What is known of a passage's surroundings."""

    def test_the_heading_above_or_at_its_start(self) -> None:
        places = [(passage.heading, passage.text[:9]) for passage in module._index(ARTICLE)[1]]
        assert places == [("", "Pat Burre"), ("Career", "In 1998 t"), ("Batting", "## Battin")]
        assert [passage.heading for passage in module._index(MADE_UP["headings"])[1]][:2] == ["Section 0", "Section 2"]

    def test_lines_that_are_cut(self) -> None:
        passages = module._index(MADE_UP["long_paragraph"])[1]
        assert [(bool(passage.line), passage.goes_on) for passage in passages] == [
            (False, False),
            (False, True),
            (True, True),
            (True, True),
            (True, False),
        ]
        assert all(not passage.goes_on for passage in module._index(MADE_UP["table"])[1])

    def test_a_line_that_fills_a_passage_is_not_cut(self) -> None:
        passages = module._index(f"{'x' * 1024}\n\nAfter.")[1]
        assert [(passage.text.strip()[:5], passage.line, passage.goes_on) for passage in passages] == [
            ("xxxxx", "", False),
            ("After", "", False),
        ]

    @given(TEXTS)
    def test_a_line_goes_on_if_and_only_if_it_has_a_beginning(self, text: str) -> None:
        passages = module._index(text)[1]
        assert [passage.goes_on for passage in passages[:-1]] == [bool(passage.line) for passage in passages[1:]]
        assert not passages[0].line
        assert not passages[-1].goes_on

    def test_one_word_of_a_million_characters_keeps_little_of_the_line(self) -> None:
        passages = module._index("x" * 10**6)[1]
        assert max(len(passage.line) for passage in passages) == 1024


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

    @pytest.mark.parametrize(
        ("line", "kind", "shown"),
        [
            ("The end of ", "text", "… a | b"),
            ("- An item of ", "items", "… a | b"),
            ("| A cell, ", "rows", "… a · b"),
            ("## A heading ", "heading", "… a | b"),
        ],
    )
    def test_the_rest_of_a_cut_line_is_what_its_beginning_was(self, line: str, kind: str, shown: str) -> None:
        assert blocks("a | b\n\n## Next", line) == (Block(kind, (shown,)), Block("heading", ("Next",)))  # type: ignore[arg-type]

    @given(
        st.text(alphabet=st.sampled_from("ab #-|\n"), max_size=200), st.sampled_from(["", "a", "- a", "| a", "## a"])
    )
    def test_no_word_is_lost(self, text: str, line: str) -> None:
        shown = "".join(line for block in blocks(text, line, goes_on=True) for line in block.lines)
        assert re.sub(r"[^ab]", "", shown) == re.sub(r"[^ab]", "", text)
