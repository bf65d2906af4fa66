"""The glossary: each term once, on the page of definitions and in the documentation."""

import html
import re

import pytest
from django.test import Client
from django.utils.text import slugify

from leaderboard.pages.glossary import DOCUMENT, GLOSSARY, as_markdown


def test_each_term_is_there_once_in_alphabetical_order_and_is_short() -> None:
    names = [term.casefold() for term in GLOSSARY]
    assert names == sorted(set(names))
    assert len({slugify(term) for term in GLOSSARY}) == len(GLOSSARY)
    for term, meaning in GLOSSARY.items():
        assert re.fullmatch(r"[A-Z].*\.", meaning), term
        assert len(re.findall(r"[.:](?: |$)", meaning)) <= 4, term
        assert len(meaning) <= 300, term


def test_the_document_is_written_from_it() -> None:
    assert DOCUMENT.read_text(encoding="utf-8") == as_markdown(), "python -m leaderboard.pages.glossary writes it again"


@pytest.mark.django_db
def test_the_page_has_an_anchor_for_each_term(client: Client) -> None:
    page = html.unescape(client.get("/definitions/").content.decode())
    assert 'id="glossary"' in page
    text = " ".join(page.split())
    for term, meaning in GLOSSARY.items():
        assert f'id="glossary-{slugify(term)}"' in page
        assert meaning in text
    anchors = re.findall(r'id="([^"]+)"', page)
    assert len(set(anchors)) == len(anchors)
