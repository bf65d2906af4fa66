"""The glossary: each term once, on the page of definitions and in the documentation."""

import html
import re

import pytest
from django.test import Client

from leaderboard.pages.glossary import DOCUMENT, GLOSSARY, as_markdown


def test_each_term_is_there_once_in_alphabetical_order_and_is_short() -> None:
    names = [term.name.casefold() for term in GLOSSARY]
    assert names == sorted(set(names))
    assert len({term.anchor for term in GLOSSARY}) == len(GLOSSARY)
    for term in GLOSSARY:
        assert re.fullmatch(r"[A-Z].*\.", term.meaning), term.name
        assert len(re.findall(r"[.:](?: |$)", term.meaning)) <= 4, term.name
        assert len(term.meaning) <= 300, term.name


def test_the_document_is_written_from_it() -> None:
    assert DOCUMENT.read_text(encoding="utf-8") == as_markdown(), "python -m leaderboard.pages.glossary writes it again"


@pytest.mark.django_db
def test_the_page_has_an_anchor_for_each_term(client: Client) -> None:
    page = html.unescape(client.get("/definitions/").content.decode())
    assert 'id="glossary"' in page
    text = " ".join(page.split())
    for term in GLOSSARY:
        assert f'id="{term.anchor}"' in page
        assert term.meaning in text
    anchors = re.findall(r'id="([^"]+)"', page)
    assert len(set(anchors)) == len(anchors)
