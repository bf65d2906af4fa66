"""Encyclopedias in ZIM files: made by the builder, read through the one interface."""

import re
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, quote, urlencode

import pytest
from django.core.exceptions import ImproperlyConfigured
from pytest_django import Settings

from humaneval.encyclopedia.base import (
    ArticleNotFoundError,
    EncyclopediaNotConfiguredError,
    EncyclopediaUnavailableError,
    Heading,
    ImageNotFoundError,
)
from humaneval.encyclopedia.html.sanitiser import Sanitised, sanitise
from humaneval.encyclopedia.html.targets import Here, Inner, Outer
from humaneval.encyclopedia.sources import caching as source
from humaneval.encyclopedia.sources import urls
from humaneval.encyclopedia.sources.caching import Encyclopedia
from humaneval.encyclopedia.sources.urls import encyclopedia_at
from humaneval.encyclopedia.sources.zim import link_target, raw_article
from humaneval.encyclopedia.zim_writer import NewArticle, build, path_of
from humaneval.studies import checks
from tests.encyclopedias import AT, DATE, NAME, png, small_encyclopedia, small_zim, text_of
from tests.services import PATIENCE_SECONDS


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_zim(tmp_path_factory.mktemp("zim") / "small.zim")


@pytest.fixture
def encyclopedia(file: Path) -> Encyclopedia:
    return encyclopedia_at(f"zim:{file}")


# --- Reading ---------------------------------------------------------------------------------------------------------


def test_an_article_comes_with_ids_address_headings_and_text(encyclopedia: Encyclopedia) -> None:
    article = encyclopedia.article("Norway", AT)
    assert (article.title, article.path) == ("Norway", "Norway")
    assert (article.page_id, article.revision_id) == (21241, 1185838593)
    assert article.url == "https://en.wikipedia.org/wiki/Norway"
    assert article.headings == (
        Heading(2, "History", "s-History"),
        Heading(2, "Cities", "s-Cities"),
        Heading(3, "Large", "s-Large"),
    )
    assert article.text.startswith("Norway is a country in Northern Europe. Its capital is Oslo.\n\n")
    assert "| Population | 5,550,203" in article.text
    assert "## History\n\nThe union with Sweden" in article.text
    assert not article.cut


def test_the_title_is_not_repeated_and_headings_stand_one_lower(encyclopedia: Encyclopedia) -> None:
    html = encyclopedia.article("Norway", AT).html
    assert "<h1" not in html
    assert "<h2" not in html
    assert '<h3 id="s-History">History</h3>' in html
    assert '<h4 id="s-Large">Large</h4>' in html


def test_links_lead_where_the_page_wants_them(encyclopedia: Encyclopedia) -> None:
    article = encyclopedia.article(
        "Norway", replace(AT, link=lambda path: f'/read/"{path}"/', outside=lambda url: f"/leave/?to={url}&x=1")
    )
    assert 'href="/read/&quot;Oslo&quot;/" data-article="Oslo"' in article.html
    assert 'href="/read/&quot;Oslo&quot;/#s-History"' in article.html
    assert 'href="/leave/?to=https://en.wikipedia.org/wiki/Union&amp;x=1"' in article.html
    assert 'rel="noopener noreferrer nofollow" data-external=""' in article.html
    assert 'href="?path=Oslo"' in encyclopedia.article("Norway", AT).html


def test_redirects_titles_and_odd_paths_are_followed(encyclopedia: Encyclopedia) -> None:
    assert encyclopedia.article("Kingdom_of_Norway", AT).path == "Norway"
    assert encyclopedia.article("Kingdom of Norway", AT).path == "Norway"
    band = encyclopedia.article("AC/DC_(band?)", AT)
    assert band.title == "AC/DC (band?)"
    assert 'data-article="Norway"' in band.html, "the relative link is resolved against the article's own path"


@pytest.mark.parametrize("path", ["", "Nowhere", "../Norway", "images/flag.png", "x" * 5000, "\x00", "Nor\nway"])
def test_what_is_no_article_is_none(encyclopedia: Encyclopedia, path: str) -> None:
    with pytest.raises(ArticleNotFoundError):
        encyclopedia.article(path, AT)


ODD = """
می‌خواهم  ශ්‍රී ලංකාව  👨‍👩‍👧  क्‍ष  東京　大阪  A//B  A///B  //A  A/  A//  /b/  https://example.org/
http:x  mailto:a@b.example  javascript:alert(1)  data:text/html,x  Star Trek: Picard  a/b/c/../d
a/./b  ..  ../up  ./here  ...  ...And Justice for All  .hack  C#  F♯ A♯ ∞  What?  Who? Me & You
100%  50%25  %2F  a%2Fb  a+b  a b  Picture.jpg  song.mp3  Index.svg  'single'  <b>bold</b>  AC/DC
AC/DC (band?)  a;b=c  İstanbul  ﬁ ligature  é  Ω  ℵ₀  𝔘𝔫𝔦  ‮reversed  NOT  AND/OR  ~tilde  #hash  ?
&amp;  מִלָּה  العَرَبِيَّة  ไทย  [brackets]  {braces}  a|b
"""
"""Titles, separated by two spaces or by line breaks."""
ODD_TITLES = (
    *re.split("  |\n", ODD.strip("\n")),
    "A\u200bB",
    "\ufeffBOM",
    "soft\u00adhyphen",
    "no\u00a0break",
    "narrow\u202fspace",
    '"quoted"',
    "a\\b",
    "e\u0301",
    "x" * 200,
)


def odd_zim(file: Path) -> Path:
    """Writes an article for each odd title, and one that links to them all."""
    links = [
        f'<li><a href="{quote(path_of(title), safe="")}">{number}</a></li>' for number, title in enumerate(ODD_TITLES)
    ]
    articles = [
        NewArticle(title, f"<p>The article of number{number}. Not this and that, or near, xor adj.</p>")
        for number, title in enumerate(ODD_TITLES)
    ]
    # libzim refuses a file of which too few titles have words.
    articles += [NewArticle(f"Plain title {number}", "<p>Other words.</p>") for number in range(200)]
    build(file, [NewArticle("All", f"<ul>{''.join(links)}</ul>"), *articles], title="Odd", made=DATE)
    return file


@pytest.fixture(scope="module")
def odd_encyclopedia(tmp_path_factory: pytest.TempPathFactory) -> Encyclopedia:
    return encyclopedia_at(f"zim:{odd_zim(tmp_path_factory.mktemp('odd') / 'odd.zim')}")


def test_every_odd_title_is_opened_by_its_link(odd_encyclopedia: Encyclopedia) -> None:
    addresses: list[str] = []

    def noted(path: str) -> str:
        addresses.append(path)
        return f"?{urlencode({'path': path})}"

    html = odd_encyclopedia.article("All", replace(AT, link=noted)).html
    assert len(addresses) == len(ODD_TITLES) == html.count("data-article") > 60
    for number, path in enumerate(addresses):
        read_back = parse_qs(urlencode({"path": path}))["path"][0]
        assert f"number{number}." in odd_encyclopedia.article(read_back, AT).text, path


def test_every_odd_title_is_opened_by_its_address_a_search_and_a_suggestion(odd_encyclopedia: Encyclopedia) -> None:
    suggested = 0
    for number, title in enumerate(ODD_TITLES):
        for address in (path_of(title), title):
            assert f"number{number}." in odd_encyclopedia.article(address, AT).text, title
        (result,) = odd_encyclopedia.search(f"number{number}")
        assert f"number{number}." in odd_encyclopedia.article(result.path, AT).text, title
        paths = [found.path for found in odd_encyclopedia.suggest(title, limit=50)]
        suggested += path_of(title) in paths
    assert suggested == len(ODD_TITLES)


def test_capital_operators_are_words(odd_encyclopedia: Encyclopedia) -> None:
    for query in (
        "number1 AND that",
        "NOT number1",
        "AND number1 OR",
        "number1 XOR",
        "number1 NEAR that",
        "ADJ number1",
    ):
        (result,) = odd_encyclopedia.search(query)
        assert "number1" in text_of(result), query


def test_what_was_sanitised_is_kept_within_bounds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    encyclopedia = encyclopedia_at(small_encyclopedia(tmp_path))
    made: list[str] = []

    def noting(html: str, **options: Any) -> Sanitised:
        made.append(html)
        return sanitise(html, **options)

    monkeypatch.setattr(source, "sanitise", noting)
    for path in ("Norway", "Norway", "Oslo", "Norway"):
        encyclopedia.article(path, AT)
    assert len(made) == 2


# --- Looking for -----------------------------------------------------------------------------------------------------


def test_suggestions_know_titles_and_redirects(encyclopedia: Encyclopedia) -> None:
    assert [(found.title, found.path) for found in encyclopedia.suggest("nor")] == [("Norway", "Norway")]
    assert [found.title for found in encyclopedia.suggest("kingdom")] == ["Kingdom of Norway"]
    assert len(encyclopedia.suggest("norway")) == 1, "an article and its redirect are one suggestion"


def test_results_show_the_place_that_was_found(encyclopedia: Encyclopedia) -> None:
    results = encyclopedia.search("capital oslo")
    assert {result.title for result in results} == {"Norway", "Oslo"}
    for result in results:
        assert {piece.text.lower() for piece in result.pieces if piece.marked} == {"capital", "oslo"}
        assert len(text_of(result)) < 260
    assert [result.title for result in encyclopedia.search("settlement", limit=1)] == ["Oslo"]
    assert encyclopedia.search("zebra") == []


@pytest.mark.parametrize("query", ["", "  ", "*", '"nor', "((", "NOT x", "\x00", "\udc80", "AND", "é" * 3000, "a:b^~"])
def test_no_query_is_an_error(encyclopedia: Encyclopedia, query: str) -> None:
    assert isinstance(encyclopedia.suggest(query), list)
    assert isinstance(encyclopedia.search(query), list)


def test_a_snippet_has_neither_title_nor_footnotes(tmp_path: Path) -> None:
    address = small_encyclopedia(
        tmp_path, NewArticle("Zoo", "<p>A zoo<sup class='reference'>[12]</sup> has a zebra.</p>")
    )
    assert [text_of(result) for result in encyclopedia_at(address).search("zebra")] == ["A zoo has a zebra."]


def test_a_search_returns_at_most_as_many_results_as_asked_for(encyclopedia: Encyclopedia) -> None:
    assert len(encyclopedia.search("country", limit=1)) == 1
    assert encyclopedia.search("country", limit=0) == []
    assert encyclopedia.suggest("o", limit=-1) == []


def test_many_threads_may_ask_at_once(encyclopedia: Encyclopedia) -> None:
    start = threading.Barrier(8)

    def ask(number: int) -> tuple[int, int, int]:
        start.wait(PATIENCE_SECONDS)
        totals = (0, 0, 0)
        for _ in range(20):
            totals = (
                len(encyclopedia.suggest("nor")),
                len(encyclopedia.search("capital")),
                len(encyclopedia.article(("Norway", "Oslo")[number % 2], AT).headings),
            )
        return totals

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(ask, range(8)))
    assert found == [(1, 3, 3), (1, 3, 1)] * 4


# --- Pictures --------------------------------------------------------------------------------------------------------


def test_pictures_come_only_by_leave(file: Path, encyclopedia: Encyclopedia) -> None:
    assert "<img" not in encyclopedia.article("Norway", AT).html
    with pytest.raises(ImageNotFoundError):
        encyclopedia.image("images/flag.png")
    allowed = encyclopedia_at(f"zim:{file}#images=yes")
    html = allowed.article("Norway", replace(AT, image=lambda path: f"/picture/{path}")).html
    assert '<img width="2" height="2" src="/picture/images/flag.png" alt="The flag"' in html
    assert allowed.image("images/flag.png") == (png(), "image/png")


@pytest.mark.parametrize("path", ["images/bad.png", "Norway", "nowhere.png", "../x", ""])
def test_only_pictures_are_pictures(file: Path, path: str) -> None:
    with pytest.raises(ImageNotFoundError):
        encyclopedia_at(f"zim:{file}#images=yes").image(path)


# --- Addresses -------------------------------------------------------------------------------------------------------


def test_the_sites_own_is_the_setting(tmp_path: Path, settings: Settings) -> None:
    settings.ENCYCLOPEDIA = small_encyclopedia(tmp_path)
    assert encyclopedia_at().name == NAME
    assert encyclopedia_at() is encyclopedia_at(settings.ENCYCLOPEDIA)
    assert encyclopedia_at(f"{settings.ENCYCLOPEDIA}#name=A+name").name == "A name"


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("", urls.NOT_CONFIGURED),
        ("file.zim", "zim:, mediawiki:"),
        ("zim:", "zim:, mediawiki:"),
        ("zim:/nowhere/at/all.zim", "was not found"),
        ("ftp://host/x", "zim:, mediawiki:"),
    ],
)
def test_what_is_wrong_with_an_address_is_said(address: str, said: str, settings: Settings) -> None:
    settings.ENCYCLOPEDIA = ""
    with pytest.raises(ImproperlyConfigured, match=said) as told:
        encyclopedia_at(address)
    assert isinstance(told.value, EncyclopediaUnavailableError), "so that a reader's page is kind about it too"


@pytest.mark.parametrize("said", ["images=perhaps", "colour=red", "nonsense"])
def test_what_is_wrong_after_the_hash_is_said(file: Path, said: str) -> None:
    with pytest.raises(EncyclopediaNotConfiguredError, match=said.partition("=")[0]):
        encyclopedia_at(f"zim:{file}#{said}")


def test_another_kind_of_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.zim").write_bytes(b"no such thing" * 100)
    with pytest.raises(EncyclopediaNotConfiguredError, match="cannot be opened"):
        encyclopedia_at(f"zim:{tmp_path / 'x.zim'}")


def test_a_replaced_file_is_opened_anew(tmp_path: Path) -> None:
    address = small_encyclopedia(tmp_path)
    assert encyclopedia_at(address).suggest("Denmark") == []
    small_encyclopedia(tmp_path, NewArticle("Denmark", "<p>A country.</p>"))
    assert [found.title for found in encyclopedia_at(address).suggest("Denmark")] == ["Denmark"]


def test_the_check_of_a_site_says_what_is_wrong(
    tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.ENCYCLOPEDIA = ""
    assert checks.encyclopedia(None) == []
    settings.ENCYCLOPEDIA = small_encyclopedia(tmp_path)
    assert checks.encyclopedia(None) == []
    monkeypatch.setattr(encyclopedia_at(), "_searcher", None)
    assert [message.id for message in checks.encyclopedia(None)] == ["humaneval.I001"]
    settings.ENCYCLOPEDIA = "zim:/nowhere.zim"
    assert [message.id for message in checks.encyclopedia(None)] == ["humaneval.W001"]


def test_without_an_index_titles_are_searched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = encyclopedia_at(small_encyclopedia(tmp_path))
    monkeypatch.setattr(source, "_searcher", None)
    assert [result.title for result in source.search("norw")] == ["Norway"]
    assert source.search("fjord") == []


# --- What markup says of itself, and links ---------------------------------------------------------------------------


def test_ids_are_found_as_parsoid_and_kiwix_write_them() -> None:
    parsoid = (
        '<html about="https://en.wikipedia.org/wiki/Special:Redirect/revision/1172527864"><head>'
        '<meta property="mw:pageId" content="428791"/><link rel="dc:isVersionOf" '
        'href="//en.wikipedia.org/wiki/Pat_Burrell"/><title>Pat &amp; Burrell</title></head><body>x</body></html>'
    )
    article = raw_article(parsoid, path="Pat_Burrell", title="")
    assert (article.title, article.page_id, article.revision_id) == ("Pat & Burrell", 428791, 1172527864)
    assert article.url == "https://en.wikipedia.org/wiki/Pat_Burrell"
    kiwix = '<p>x</p><div>issued from <a href="https://en.wikipedia.org/?title=Pat&amp;oldid=99">Wikipedia</a></div>'
    article = raw_article(kiwix, path="Pat", title="Pat")
    assert (article.page_id, article.revision_id, article.url) == (None, 99, "")


@pytest.mark.parametrize("content", ["-1", "x", "", "9" * 30, "1e3", "²"])
def test_ids_that_are_none_are_left_out(content: str) -> None:
    assert raw_article(f'<meta property="mw:pageId" content="{content}">', path="x", title="x").page_id is None


@pytest.mark.parametrize(
    ("address", "target"),
    [
        ("#Top", Here("Top")),
        ("./Pat_Burrell#Career", Inner("A/Pat_Burrell", "Career")),
        ("Caf%C3%A9", Inner("A/Café")),
        ("./Jeff_Austin#cite_note-1", Here("cite_note-1")),
        ("./Jeff_Austin", Inner("A/Jeff_Austin")),
        ("../B/What%3F", Inner("B/What?")),
        ("https://en.wikipedia.org/wiki/X", Outer("https://en.wikipedia.org/wiki/X")),
        ("//host.example/x", Outer("https://host.example/x")),
        ("../../../etc/passwd", None),
        ("javascript:alert(1)", None),
        ("ftp://host/x", None),
        ("mailto:a@b.example", None),
        ("../I/picture.jpg", None),
        ("http://[", None),
        ("?action=edit", None),
    ],
)
def test_links_of_a_file_are_read(address: str, target: object) -> None:
    assert link_target(address, "A/Jeff_Austin") == target


# --- Making ----------------------------------------------------------------------------------------------------------


def test_nothing_is_left_behind_when_making_fails(tmp_path: Path) -> None:
    file = tmp_path / "x.zim"
    with pytest.raises(ValueError, match="at least one"):
        build(file, [], title="x", made=DATE)
    with pytest.raises(ValueError, match="Nowhere"):
        build(file, [NewArticle("A", "a")], title="x", made=DATE, redirects={"B": "Nowhere"})

    class Broken(NewArticle):
        @property
        def document(self) -> str:
            raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        build(file, [NewArticle("A", "a"), Broken("B", "b")], title="x", made=DATE)
    assert list(tmp_path.iterdir()) == []


def test_only_the_finished_file_stays(tmp_path: Path) -> None:
    small_zim(tmp_path / "x.zim")
    assert [path.name for path in tmp_path.iterdir()] == ["x.zim"]
