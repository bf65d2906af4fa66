"""Encyclopedias on other servers: a MediaWiki, well-behaved and not."""

import logging
import re
from collections.abc import Callable, Iterator
from contextlib import suppress

import pytest
from django.test import override_settings

from humaneval.encyclopedia.base import (
    Article,
    ArticleNotFoundError,
    EncyclopediaNotConfiguredError,
    EncyclopediaUnavailableError,
)
from humaneval.encyclopedia.sources import http as sources_http
from humaneval.encyclopedia.sources import urls as sources
from humaneval.encyclopedia.sources.caching import Encyclopedia
from humaneval.encyclopedia.sources.urls import encyclopedia_at
from scoring.analysis.explanations import Piece
from tests.encyclopedia_server import Fault, LocalServer, MediaWikiServer, WikiPage
from tests.encyclopedias import AT, text_of


@pytest.fixture(autouse=True)
def _fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    """No encyclopedia of a test before."""
    monkeypatch.setattr(sources, "_known", {})


# --- MediaWiki -------------------------------------------------------------------------------------------------------

LINKS = (
    '<p>A <a href="/wiki/Caf%C3%A9#Menu">café</a>, <a href="/w/index.php?title=Red&amp;action=edit">red</a>, '
    '<a href="/wiki/File:X.png">file</a>, <a href="//de.wiki.example/wiki/X">German</a>, <a href="#Top">top</a>.</p>'
    '<img src="//upload.example/x.png">'
)


def pages() -> dict[str, WikiPage]:
    return {
        "Pat Burrell": WikiPage(
            428791,
            [
                (1, "2020-01-01", "An old text."),
                (2, "2023-11-19", f"Bats right.{LINKS}"),
                (3, "2024-02-01", "A new text."),
            ],
        ),
        "Newborn": WikiPage(9, [(7, "2024-05-05", "Made later.")]),
        "P. Burrell": WikiPage(10, [], redirects_to="Pat Burrell"),
        "Was redirect": WikiPage(11, [(20, "2022-01-01", "#Pat Burrell"), (21, "2024-01-01", "An article by now.")]),
        "Circle": WikiPage(12, [(30, "2022-01-01", "#Circle")]),
        "User:Eve": WikiPage(13, [(40, "2022-01-01", "A user.")], namespace=2),
        "Hostile": WikiPage(14, [(50, "2022-01-01", "<script>alert(1)</script><p onclick=x>Text</p>")]),
    }


@pytest.fixture
def wiki() -> Iterator[MediaWikiServer]:
    with MediaWikiServer(pages()) as server:
        yield server


@pytest.fixture
def mediawiki(wiki: MediaWikiServer) -> Encyclopedia:
    return encyclopedia_at(f"mediawiki:{wiki.url}/w/api.php#date=2023-11-20")


def test_an_article_is_the_one_of_the_day(mediawiki: Encyclopedia, wiki: MediaWikiServer) -> None:
    article = mediawiki.article("Pat_Burrell", AT)
    assert (article.title, article.page_id, article.revision_id) == ("Pat Burrell", 428791, 2)
    assert article.text.startswith("Bats right.")
    assert article.url == f"{wiki.url}/wiki/Pat_Burrell"
    asked = [parameters for _, parameters, _ in wiki.asked]
    assert asked[0]["rvstart"] == "2023-11-20T00:00:00Z"
    assert asked[1]["oldid"] == "2"
    assert mediawiki.name == "127.0.0.1, as of 20 November 2023"


def test_links_of_a_mediawiki_lead_into_the_reader_or_out(mediawiki: Encyclopedia) -> None:
    html = mediawiki.article("Pat Burrell", AT).html
    assert '<a href="?path=Caf%C3%A9#s-Menu" data-article="Café">café</a>' in html
    assert 'href="https://de.wiki.example/wiki/X" rel="noopener noreferrer nofollow" data-external=""' in html
    assert '<a href="#s-Top">top</a>' in html
    assert html.count("<a ") == 3, "what is not there, and what is no article, is no link"
    assert "<img" not in html


def test_redirects_of_today_and_of_the_day_are_followed(mediawiki: Encyclopedia) -> None:
    assert mediawiki.article("P._Burrell", AT).revision_id == 2
    assert mediawiki.article("Was redirect", AT).title == "Pat Burrell"


@pytest.mark.parametrize("path", ["Nowhere", "Newborn", "Circle", "User:Eve"])
def test_what_was_no_article_on_the_day_is_none(mediawiki: Encyclopedia, path: str) -> None:
    with pytest.raises(ArticleNotFoundError):
        mediawiki.article(path, AT)


def test_a_mediawiki_is_searched(mediawiki: Encyclopedia) -> None:
    assert [found.title for found in mediawiki.suggest("pat")] == ["Pat Burrell"]
    assert mediawiki.suggest("pat")[0].path == "Pat_Burrell"
    (result,) = mediawiki.search("new")
    assert (result.title, text_of(result)) == ("Pat Burrell", "A new text.")
    assert result.pieces == (Piece("A "), Piece("new", marked=True), Piece(" text."))


def test_a_mediawikis_markup_is_sanitised(mediawiki: Encyclopedia) -> None:
    html = mediawiki.article("Hostile", AT).html
    assert "script" not in html
    assert "onclick" not in html


def test_other_addresses_of_articles_are_learnt() -> None:
    page = WikiPage(1, [(1, "2020-01-01", '<a href="/pages/B/C">b</a><a href="/wiki/D">d</a>')])
    with MediaWikiServer({"A/B": page}, articles="/pages/") as server:
        html = encyclopedia_at(f"mediawiki:{server.url}/w/api.php#date=2023-11-20").article("A/B", AT).html
    assert 'data-article="B/C"' in html
    assert html.count("<a ") == 1


@pytest.mark.parametrize("code", ["maxlag", "ratelimited", "internal_api_error"])
def test_a_mediawikis_errors_make_it_away(mediawiki: Encyclopedia, wiki: MediaWikiServer, code: str) -> None:
    wiki.error = code
    for ask in (lambda: mediawiki.suggest("pat"), lambda: mediawiki.article("Pat_Burrell", AT)):
        with pytest.raises(EncyclopediaUnavailableError, match=code):
            ask()


@pytest.mark.parametrize("said", ["", "#date=yesterday", "#date=2023-11-20&images=yes", "#other=x"])
def test_a_mediawiki_needs_a_day_and_shows_no_pictures(said: str) -> None:
    with pytest.raises(EncyclopediaNotConfiguredError):
        encyclopedia_at(f"mediawiki:https://wiki.example/w/api.php{said}")


# --- Servers that misbehave ------------------------------------------------------------------------------------------


@pytest.fixture
def misbehaving() -> Iterator[tuple[LocalServer, Encyclopedia]]:
    with MediaWikiServer(pages()) as server:
        yield server, encyclopedia_at(f"mediawiki:{server.url}/w/api.php#date=2023-11-20")


Asking = Callable[[Encyclopedia], object]
ASKED: list[Asking] = [
    lambda encyclopedia: encyclopedia.suggest("private words"),
    lambda encyclopedia: encyclopedia.search("private words"),
    lambda encyclopedia: encyclopedia.article("private words", AT),
]


@pytest.mark.parametrize("fault", [Fault("status", 500), Fault("status", 429), Fault("reset"), Fault("gzip")], ids=str)
def test_a_server_that_fails_is_away_and_nothing_private_is_told(
    misbehaving: tuple[LocalServer, Encyclopedia], fault: Fault, caplog: pytest.LogCaptureFixture
) -> None:
    server, encyclopedia = misbehaving
    server.fault = fault
    with caplog.at_level(logging.DEBUG):
        for ask in ASKED:
            with pytest.raises(EncyclopediaUnavailableError) as told:
                ask(encyclopedia)
            assert "private" not in str(told.value)
            assert told.value.__cause__ is None or "private" not in str(told.value.__cause__)
    assert "private" not in caplog.text
    server.fault = None
    assert encyclopedia.suggest("private words") == [], "as soon as it is back it is asked again"


@pytest.mark.parametrize("garbage", [b"\xff\xfe", b"[1, 2]", b'{"query": 5}', b"null", b"[" * 100_000])
def test_what_cannot_be_read_is_away_or_nothing(misbehaving: tuple[LocalServer, Encyclopedia], garbage: bytes) -> None:
    server, encyclopedia = misbehaving
    server.fault = Fault("garbage", garbage)
    for ask in ASKED:
        with suppress(EncyclopediaUnavailableError, ArticleNotFoundError):
            found = ask(encyclopedia)
            assert found == [] or isinstance(found, Article)


def test_no_redirect_is_followed(misbehaving: tuple[LocalServer, Encyclopedia]) -> None:
    server, encyclopedia = misbehaving
    with MediaWikiServer({}) as inner:
        for elsewhere in (
            "/round",
            f"{inner.url}/w/api.php",
            f"//{inner.url[7:]}/x",
            "http://169.254.169.254/",
            "file:///etc/passwd",
        ):
            server.fault = Fault("redirect", elsewhere)
            for ask in ASKED:
                with pytest.raises(EncyclopediaUnavailableError, match="302"):
                    ask(encyclopedia)
        assert inner.asked == []


def test_no_answer_is_larger_than_allowed(
    misbehaving: tuple[LocalServer, Encyclopedia], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources_http, "MAX_BYTES", 3 * 2**20)
    server, encyclopedia = misbehaving
    server.fault = Fault("huge")
    with pytest.raises(EncyclopediaUnavailableError, match="more than 3 MiB"):
        encyclopedia.article("x", AT)


@pytest.mark.parametrize("kind", ["slow", "silent"])
def test_no_answer_takes_longer_than_allowed(
    misbehaving: tuple[LocalServer, Encyclopedia], monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setattr("humaneval.encyclopedia.sources.mediawiki.QUICK_SECONDS", 0.3)
    server, encyclopedia = misbehaving
    server.fault = Fault(kind)
    with pytest.raises(EncyclopediaUnavailableError, match=r"timed out|Timeout"):
        encyclopedia.suggest("x")


def test_the_name_of_a_server_that_is_away_can_be_shown() -> None:
    with MediaWikiServer({}) as server:
        encyclopedia = encyclopedia_at(f"mediawiki:{server.url}/w/api.php#date=2023-11-20&name=Ours")
    with pytest.raises(EncyclopediaUnavailableError, match="ConnectError"):
        encyclopedia.suggest("x")
    assert encyclopedia.name == "Ours"


@pytest.mark.parametrize("host", ["exämple..org", "a..b", "xn--"])
def test_a_server_whose_name_cannot_be_looked_up_is_away(host: str) -> None:
    encyclopedia = encyclopedia_at(f"mediawiki:https://{host}/w/api.php#date=2023-11-20")
    for ask in ASKED:
        with pytest.raises(EncyclopediaUnavailableError, match="did not respond"):
            ask(encyclopedia)


@pytest.mark.parametrize(
    "place",
    [
        "localhost:8080",
        "ftp://host/",
        "http://",
        "file:///etc/passwd",
        "http://user:word@host/",
        "http://host:0x1/",
        "http://[",
        "http://a/?b",
    ],
)
def test_only_addresses_of_servers_are_taken(place: str) -> None:
    with pytest.raises(EncyclopediaNotConfiguredError, match=re.escape(sources.NOT_A_URL.format(place))):
        encyclopedia_at(f"mediawiki:{place}#date=2023-11-20")


def test_a_server_is_told_who_asks_and_nothing_else(misbehaving: tuple[LocalServer, Encyclopedia]) -> None:
    server, encyclopedia = misbehaving
    encyclopedia.suggest("pat")
    _, _, headers = server.asked[-1]
    assert re.match(r"Manyhop/\d", headers["user-agent"])
    assert set(headers) <= {"host", "accept", "accept-encoding", "connection", "user-agent"}


def test_the_contact_that_a_server_is_told_may_have_any_letters() -> None:
    with override_settings(SITE_CONTACT="Zoë"), MediaWikiServer(pages()) as server:
        encyclopedia_at(f"mediawiki:{server.url}/w/api.php#date=2023-11-20").suggest("pat")
        _, _, headers = server.asked[-1]
    assert headers["user-agent"].encode("latin-1").decode().endswith("(Zoë)")
