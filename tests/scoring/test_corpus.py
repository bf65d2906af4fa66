"""The retriever of the paper, compared with that of the package fanoutqa."""

import doctest
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from scoring import corpus as module
from scoring.corpus import Corpus, cut
from scoring.metrics import official
from scoring.metrics.text.lemmatizer import text_lemmatiser
from scoring.metrics.text.normalise import Normaliser

LOOKUP = Normaliser(text_lemmatiser("lookup"))
TEXT = st.text(alphabet=st.sampled_from("ab .,!?\n#|é"), max_size=400)
WORDS = st.lists(
    st.sampled_from(["mice,", "mouse", "museum", "Oslo.", "1,200", "the\n\n", "ran", "runs", "café", ".", "##"]),
    max_size=120,
)


@pytest.fixture(scope="module")
def package() -> Iterator[Any]:
    """``fanoutqa.retrieval`` as it is in the package, with texts in place of articles and the lemmas of lookup."""
    official._prepare_imports()
    from fanoutqa import norm, retrieval

    before = norm.nlp, retrieval.wiki_content
    norm.nlp = official._lookup_pipeline()
    retrieval.wiki_content = lambda document: document.text
    yield retrieval
    norm.nlp, retrieval.wiki_content = before


def test_the_examples_hold() -> None:
    assert doctest.testmod(module).failed == 0


@given(TEXT, st.integers(1, 60))
@example("a" * 120, 40)
@example("\n\n", 1)
@example("", 5)
def test_passages_are_those_of_the_package(package: Any, text: str, size: int) -> None:
    assert cut(text, size) == package.chunk_text(text, size)


@given(st.lists(WORDS, min_size=1, max_size=3), WORDS, st.integers(20, 200))
def test_the_order_is_that_of_the_package(package: Any, articles: list[list[str]], query: list[str], size: int) -> None:
    texts = [(f"Article {number}", " ".join(words)) for number, words in enumerate(articles)]
    documents = [SimpleNamespace(title=title, text=text) for title, text in texts]
    expected = package.Corpus(documents, doc_len=size)
    passages = list(Corpus(texts, size, LOOKUP).best(" ".join(query)))
    assert [(each.title, each.text) for each in passages] == [
        (each.title, each.content) for each in expected.best(" ".join(query))
    ]


def test_one_word_of_a_million_characters_is_cut() -> None:
    assert [len(part) for part in cut("x" * 10**6)][-2:] == [1024, 576]


def test_no_articles_have_no_passages() -> None:
    assert not list(Corpus([], normaliser=LOOKUP).best("Oslo"))
