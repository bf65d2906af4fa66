"""Answers in Markdown: what is shown of them, and that hostile ones change nothing else on the page."""

from html.parser import HTMLParser

import pytest

from leaderboard.web.markdown import LONGEST, MOST_BRACKETS, to_html
from scoring.analysis.explanations import readable

SAFE = {
    *("p", "br", "hr", "strong", "em", "s", "code", "pre", "blockquote", "a", "ul", "ol", "li"),
    *("table", "thead", "tbody", "tr", "th", "td"),
}


class Elements(HTMLParser):
    """The elements of some HTML with their attributes, and its text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def test_markdown_becomes_html() -> None:
    text = "# Why\n\nIt is **so**, *really*: [source](https://example.org/a)\n\n1. one\n2. two\n\n|a|b|\n|-|-|\n|1|2|"
    found = Elements(to_html(text)).found
    assert [tag for tag, _ in found if tag in ("strong", "em", "ol", "li", "td", "h1")] == [
        *("strong", "strong", "em", "ol", "li", "li", "td", "td")
    ]
    (link,) = (attributes for tag, attributes in found if tag == "a")
    assert link == {"href": "https://example.org/a", "rel": "nofollow noopener noreferrer"}


HOSTILE = {
    "script": "<script>alert(1)</script>",
    "raw HTML": '<b onclick="x()">b</b> <iframe src="https://example.org"></iframe> <!-- hidden -->',
    "raw block": '<div style="position:fixed">\n\nx\n\n</div>',
    "script link": "[a](javascript:alert(1)) [b](JaVa&#x53;cript:x) [c]( javascript:x) <javascript:x>",
    "data link": "[a](data:text/html;base64,PHNjcmlwdD4=) [b](vbscript:x) [c](//example.org) [d](/maintenance/)",
    "picture": "![map](https://example.org/x.png) <img src=x onerror=alert(1)> [![i](https://example.org/i)](javascript:1)",
    "attributes": '[a](https://example.org "onmouseover=x()") <https://example.org/"onmouseover=x>',
    "fence": '```html" onclick="x()"><script>\n</pre><script>x</script>\n```',
    "reference": "[a]: javascript:alert(1)\n[b]: https://example.org 'what only a judge reads'\n\n[a] [b]",
    "invisible": "a\u202eb &#x202e; \x00 &#0;",
    "table": '|<script>|"|\n|-|:-:|\n|<img src=x>|`</td>`|',
    "heading": "# Results\n\nTitle\n=====",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=list(HOSTILE))
def test_hostile_answers_give_safe_elements_alone(text: str) -> None:
    html = to_html(text)
    for tag, attributes in Elements(html).found:
        assert tag in SAFE, html
        assert set(attributes) <= ({"href", "rel"} if tag == "a" else {"start"} if tag == "ol" else set()), html
        assert (attributes.get("href") or "https://").startswith(("https://", "http://")), html
    assert readable(html) == html


def test_nothing_is_hidden_from_people_that_a_judge_reads() -> None:
    shown = Elements(to_html(HOSTILE["reference"])).text + Elements(to_html(HOSTILE["raw HTML"])).text
    assert "what only a judge reads" in shown
    assert "<!-- hidden -->" in shown


@pytest.mark.parametrize(
    "text", ["*a" * LONGEST, "[" * (MOST_BRACKETS + 1), "|a" * 200 + "\n" + "|-" * 200 + "\n" + "|\n" * 200]
)
def test_what_takes_long_to_read_is_shown_as_it_is(text: str) -> None:
    found = Elements(to_html(f"{text}<b>"))
    assert {tag for tag, _ in found.found} <= {"p", "br"}
    assert found.text.replace("\n", "") == f"{text}<b>".replace("\n", "")
