"""Encyclopedias on other servers: a kiwix-serve and a MediaWiki, well-behaved and not."""

import logging
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from humaneval.encyclopedia import (
    Article,
    ArticleNotFoundError,
    Encyclopedia,
    EncyclopediaNotConfiguredError,
    EncyclopediaUnavailableError,
    ImageNotFoundError,
    encyclopedia_at,
)
from humaneval.encyclopedia.sources import http as sources_http
from humaneval.encyclopedia.sources import urls as sources
from humaneval.encyclopedia.zim_writer import NewArticle
from humaneval.models.source_addresses import NOT_A_URL
from scoring.analysis.explanations import Piece
from tests.encyclopedia_server import Fault, KiwixServer, LocalServer, MediaWikiServer, WikiPage
from tests.encyclopedias import NAME, small_zim
from tests.services import LOOPBACK, PATIENCE_SECONDS, accepts_connections, free_port, wait_for

KIWIX = shutil.which("kiwix-serve")
KINDS = ["3.3", "3.5", *(["real"] if KIWIX else [])]
ODD_TITLE = 'Tom & Jerry\'s "film" <b>'


@pytest.fixture(autouse=True)
def _fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    """No encyclopedia of a test before, and no rest after a failure unless a test is about it."""
    monkeypatch.setattr(sources, "_known", {})
    monkeypatch.setattr(sources_http, "REST_SECONDS", 0.0)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    odd = NewArticle(ODD_TITLE, "<p>Tom &amp; Jerry go to <a href='Norway'>Norway</a>.</p>")
    return small_zim(tmp_path_factory.mktemp("served") / "small.zim", odd)


# --- kiwix-serve -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module", params=KINDS)
def kiwix_url(request: pytest.FixtureRequest, file: Path) -> Iterator[str]:
    """Of a server that answers as kiwix-serve does; of kiwix-serve itself too, where it is installed."""
    if request.param != "real":
        with KiwixServer(file, dialect=request.param, root="/wiki" if request.param == "3.5" else "") as server:
            yield server.url + ("/wiki" if request.param == "3.5" else "")
        return
    assert KIWIX is not None
    port = free_port()
    with subprocess.Popen([KIWIX, "-i", LOOPBACK, "-p", str(port), str(file)], stdout=subprocess.DEVNULL) as process:
        try:
            wait_for(lambda: accepts_connections(port), PATIENCE_SECONDS, "kiwix-serve")
            yield f"http://{LOOPBACK}:{port}"
        finally:
            process.terminate()


@pytest.fixture
def kiwix(kiwix_url: str) -> Encyclopedia:
    return encyclopedia_at(f"kiwix:{kiwix_url}#images=yes")


def test_a_kiwix_serve_gives_what_its_file_gives(kiwix: Encyclopedia, file: Path) -> None:
    direct = encyclopedia_at(f"zim:{file}#images=yes")
    assert kiwix.name == NAME
    for path in ("Norway", "Kingdom_of_Norway", "AC/DC_(band?)", "Hostile", ODD_TITLE.replace(" ", "_")):
        assert kiwix.article(path) == direct.article(path)
    for words in ("nor", "kingdom", "tom"):
        assert kiwix.suggest(words) == direct.suggest(words)
    for words in ("capital oslo", "fjord", "jerry"):
        assert [(r.title, r.path) for r in kiwix.search(words)] == [(r.title, r.path) for r in direct.search(words)]
    assert kiwix.image("images/flag.png") == direct.image("images/flag.png")


def test_a_kiwix_serves_results_show_what_was_found(kiwix: Encyclopedia) -> None:
    (result,) = kiwix.search("fjord")
    assert "head of a fjord." in result.snippet
    assert Piece("fjord", marked=True) in result.pieces
    assert kiwix.search("zebra") == []
    assert isinstance(kiwix.search('*"('), list)


@pytest.mark.parametrize("path", ["Nowhere", "images/flag.png", "../../catalog/v2/entries", "Norway?x=1"])
def test_what_a_kiwix_serve_does_not_have_is_none(kiwix: Encyclopedia, path: str) -> None:
    with pytest.raises(ArticleNotFoundError):
        kiwix.article(path)


def test_pictures_of_a_kiwix_serve_come_only_by_leave(kiwix: Encyclopedia, kiwix_url: str) -> None:
    with pytest.raises(ImageNotFoundError):
        kiwix.image("images/bad.png")
    with pytest.raises(ImageNotFoundError):
        encyclopedia_at(f"kiwix:{kiwix_url}").image("images/flag.png")


def test_which_book_is_read_has_to_be_clear(file: Path) -> None:
    with KiwixServer(file, books=("small", "other")) as server:
        with pytest.raises(EncyclopediaNotConfiguredError, match=r"#book=other\. Available books: other, small"):
            encyclopedia_at(f"kiwix:{server.url}").article("Norway")
        with pytest.raises(EncyclopediaNotConfiguredError, match="no book third"):
            encyclopedia_at(f"kiwix:{server.url}#book=third").suggest("nor")
        named = encyclopedia_at(f"kiwix:{server.url}#book=other&name=Ours")
        assert named.article("Norway").title == "Norway"
        assert named.name == "Ours"
        assert {path for path, _, _ in server.asked if path.startswith("/raw")} == {"/raw/other/content/Norway"}


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
    article = mediawiki.article("Pat_Burrell")
    assert (article.title, article.page_id, article.revision_id) == ("Pat Burrell", 428791, 2)
    assert article.text.startswith("Bats right.")
    assert article.url == f"{wiki.url}/wiki/Pat_Burrell"
    asked = [parameters for _, parameters, _ in wiki.asked]
    assert asked[0]["rvstart"] == "2023-11-20T00:00:00Z"
    assert asked[1]["oldid"] == "2"
    assert mediawiki.name == "127.0.0.1, as of 20 November 2023"


def test_links_of_a_mediawiki_lead_into_the_reader_or_out(mediawiki: Encyclopedia) -> None:
    html = mediawiki.article("Pat Burrell").html
    assert '<a href="?path=Caf%C3%A9#s-Menu" data-article="Café">café</a>' in html
    assert 'href="https://de.wiki.example/wiki/X" rel="noopener noreferrer nofollow" data-external=""' in html
    assert '<a href="#s-Top">top</a>' in html
    assert html.count("<a ") == 3, "what is not there, and what is no article, is no link"
    assert "<img" not in html


def test_redirects_of_today_and_of_the_day_are_followed(mediawiki: Encyclopedia) -> None:
    assert mediawiki.article("P._Burrell").revision_id == 2
    assert mediawiki.article("Was redirect").title == "Pat Burrell"


@pytest.mark.parametrize("path", ["Nowhere", "Newborn", "Circle", "User:Eve"])
def test_what_was_no_article_on_the_day_is_none(mediawiki: Encyclopedia, path: str) -> None:
    with pytest.raises(ArticleNotFoundError):
        mediawiki.article(path)


def test_a_mediawiki_is_searched(mediawiki: Encyclopedia) -> None:
    assert [found.title for found in mediawiki.suggest("pat")] == ["Pat Burrell"]
    assert mediawiki.suggest("pat")[0].path == "Pat_Burrell"
    (result,) = mediawiki.search("new")
    assert (result.title, result.snippet) == ("Pat Burrell", "A new text.")
    assert result.pieces == (Piece("A "), Piece("new", marked=True), Piece(" text."))


def test_a_mediawikis_markup_is_sanitised(mediawiki: Encyclopedia) -> None:
    html = mediawiki.article("Hostile").html
    assert "script" not in html
    assert "onclick" not in html


def test_other_addresses_of_articles_are_learnt() -> None:
    page = WikiPage(1, [(1, "2020-01-01", '<a href="/pages/B/C">b</a><a href="/wiki/D">d</a>')])
    with MediaWikiServer({"A/B": page}, articles="/pages/") as server:
        html = encyclopedia_at(f"mediawiki:{server.url}/w/api.php#date=2023-11-20").article("A/B").html
    assert 'data-article="B/C"' in html
    assert html.count("<a ") == 1


@pytest.mark.parametrize("code", ["maxlag", "ratelimited", "internal_api_error"])
def test_a_mediawikis_errors_make_it_away(mediawiki: Encyclopedia, wiki: MediaWikiServer, code: str) -> None:
    wiki.error = code
    for ask in (lambda: mediawiki.suggest("pat"), lambda: mediawiki.article("Pat_Burrell")):
        with pytest.raises(EncyclopediaUnavailableError, match=code):
            ask()


@pytest.mark.parametrize("said", ["", "#date=yesterday", "#date=2023-11-20&images=yes", "#book=x"])
def test_a_mediawiki_needs_a_day_and_shows_no_pictures(said: str) -> None:
    with pytest.raises(EncyclopediaNotConfiguredError):
        encyclopedia_at(f"mediawiki:https://wiki.example/w/api.php{said}")


# --- Both: servers that misbehave -------------------------------------------------------------------------------------


@pytest.fixture(params=["kiwix", "mediawiki"])
def any_server(request: pytest.FixtureRequest, file: Path) -> Iterator[tuple[LocalServer, Encyclopedia]]:
    with KiwixServer(file) if request.param == "kiwix" else MediaWikiServer(pages()) as server:
        rest = "#book=small&name=Small" if request.param == "kiwix" else "/w/api.php#date=2023-11-20"
        yield server, encyclopedia_at(f"{request.param}:{server.url}{rest}")


Asking = Callable[[Encyclopedia], object]
ASKED: list[Asking] = [
    lambda encyclopedia: encyclopedia.suggest("private words"),
    lambda encyclopedia: encyclopedia.search("private words"),
    lambda encyclopedia: encyclopedia.article("private words"),
]


@pytest.mark.parametrize("fault", [Fault("status", 500), Fault("status", 429), Fault("reset"), Fault("gzip")], ids=str)
def test_a_server_that_fails_is_away_and_nothing_private_is_told(
    any_server: tuple[LocalServer, Encyclopedia], fault: Fault, caplog: pytest.LogCaptureFixture
) -> None:
    server, encyclopedia = any_server
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
def test_what_cannot_be_read_is_away_or_nothing(any_server: tuple[LocalServer, Encyclopedia], garbage: bytes) -> None:
    server, encyclopedia = any_server
    server.fault = Fault("garbage", garbage)
    for ask in ASKED:
        with suppress(EncyclopediaUnavailableError, ArticleNotFoundError):
            found = ask(encyclopedia)
            assert found == [] or isinstance(found, Article)


def test_no_redirect_to_another_host_is_followed(any_server: tuple[LocalServer, Encyclopedia]) -> None:
    server, encyclopedia = any_server
    with MediaWikiServer({}) as inner:
        for elsewhere in (
            f"{inner.url}/w/api.php",
            f"//{inner.url[7:]}/x",
            "http://169.254.169.254/",
            "file:///etc/passwd",
        ):
            server.fault = Fault("redirect", elsewhere)
            for ask in ASKED:
                with pytest.raises(EncyclopediaUnavailableError):
                    ask(encyclopedia)
        assert inner.asked == []


def test_redirects_in_circles_end(any_server: tuple[LocalServer, Encyclopedia]) -> None:
    server, encyclopedia = any_server
    server.fault = Fault("redirect", "/round")
    with pytest.raises(EncyclopediaUnavailableError, match="too many times"):
        encyclopedia.article("x")
    assert len(server.asked) == sources_http.MAX_REDIRECTS + 1


def test_no_answer_is_larger_than_allowed(
    any_server: tuple[LocalServer, Encyclopedia], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources_http, "MAX_BYTES", 3 * 2**20)
    server, encyclopedia = any_server
    server.fault = Fault("huge")
    with pytest.raises(EncyclopediaUnavailableError, match="more than 3 MiB"):
        encyclopedia.article("x")


@pytest.mark.parametrize("kind", ["slow", "silent"])
def test_no_answer_takes_longer_than_allowed(
    any_server: tuple[LocalServer, Encyclopedia], monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    for module in ("kiwix", "mediawiki"):
        monkeypatch.setattr(f"humaneval.encyclopedia.sources.{module}.QUICK_SECONDS", 0.3)
    server, encyclopedia = any_server
    server.fault = Fault(kind)
    with pytest.raises(EncyclopediaUnavailableError, match=r"timed out|Timeout"):
        encyclopedia.suggest("x")


def test_a_server_that_is_away_is_left_alone_for_a_moment(monkeypatch: pytest.MonkeyPatch, file: Path) -> None:
    monkeypatch.setattr(sources_http, "REST_SECONDS", 60.0)
    with KiwixServer(file) as server:
        encyclopedia = encyclopedia_at(f"kiwix:{server.url}")
    with pytest.raises(EncyclopediaUnavailableError, match="ConnectError"):
        encyclopedia.suggest("x")
    for ask in ASKED:
        with pytest.raises(EncyclopediaUnavailableError, match=re.escape(sources_http.RESTING.format(""))):
            ask(encyclopedia)
    assert encyclopedia.name == "Encyclopedia", "a page with its name can be shown all the same"


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
    with pytest.raises(EncyclopediaNotConfiguredError, match=re.escape(NOT_A_URL.format(place))):
        encyclopedia_at(f"kiwix:{place}")


def test_a_server_is_told_who_asks_and_nothing_else(any_server: tuple[LocalServer, Encyclopedia]) -> None:
    server, encyclopedia = any_server
    encyclopedia.suggest("pat")
    _, _, headers = server.asked[-1]
    assert re.match(r"Manyhop/\d", headers["user-agent"])
    assert set(headers) <= {"host", "accept", "accept-encoding", "connection", "user-agent"}
