"""Answers in Markdown: what is shown of them, and that hostile ones change nothing else on the page."""

import re
import time
from html.parser import HTMLParser

import pytest

from leaderboard.web.markdown import (
    DEEPEST,
    LONGEST,
    MOST_CELLS,
    MOST_HEADINGS,
    MOST_LINES,
    MOST_MARKS,
    WORDS_WITH_CONTENTS,
    Report,
    read,
)
from scoring.analysis.explanations import readable

SAFE = {
    *("p", "br", "hr", "strong", "em", "s", "code", "pre", "blockquote", "a", "ul", "ol", "li", "div", "sup"),
    *("table", "thead", "tbody", "tr", "th", "td", "h3", "h4", "h5", "h6"),
}
ATTRIBUTES = {
    "a": {"href", "rel", "id"},
    "ol": {"start"},
    "div": {"class", "id", "role", "tabindex", "aria-label"},
    **{f"h{level}": {"id"} for level in range(3, 7)},
}


class Elements(HTMLParser):
    """The elements of some HTML with their attributes, and its text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.open: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag not in ("br", "hr"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data

    def of(self, *tags: str) -> list[str]:
        """The tags, of some, in their order."""
        return [tag for tag, _ in self.found if tag in tags]

    @property
    def links(self) -> list[str]:
        return [attributes["href"] or "" for tag, attributes in self.found if tag == "a"]

    @property
    def ids(self) -> list[str]:
        return [attributes["id"] or "" for _, attributes in self.found if "id" in attributes]


def elements(text: str, anchor: str = "text", level: int = 3) -> Elements:
    return Elements(read(text, anchor, level).html)


def test_markdown_becomes_html() -> None:
    text = "It is **so**, *really*: [source](https://example.org/a)\n\n1. one\n2. two\n\n|a|b|\n|-|-|\n|1|2|"
    found = elements(text)
    assert found.of("strong", "em", "ol", "li", "td") == ["strong", "em", "ol", "li", "li", "td", "td"]
    (link,) = (attributes for tag, attributes in found.found if tag == "a")
    assert link == {"href": "https://example.org/a", "rel": "nofollow noopener noreferrer"}
    assert found.of("div", "table") == ["div", "table"], "a table has a box of its own, which scrolls"


# --- Headings ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "levels"),
    [
        ("# a\n## b\n### c\n# d", ["h3", "h4", "h5", "h3"]),
        ("### a\n### b\n# c\n## d", ["h3", "h3", "h3", "h4"]),
        ("# a\n### b\n###### c", ["h3", "h4", "h5"]),
        ("# a\n## b\n### c\n#### d\n##### e\n###### f", ["h3", "h4", "h5", "h6", "h6", "h6"]),
        ("Title\n=====\n\nPart\n----", ["h3", "h4"]),
        ("#\n##  \n> # a", ["h3"]),
    ],
)
def test_headings_stand_below_those_of_the_page_and_leave_out_no_level(text: str, levels: list[str]) -> None:
    assert elements(text).of(*(f"h{level}" for level in range(1, 7))) == levels


def test_headings_begin_at_the_level_that_the_page_wants() -> None:
    assert elements("# a\n## b", level=5).of("h5", "h6") == ["h5", "h6"]


def long_text(*headings: str) -> str:
    return "\n\n".join((*headings, "word " * WORDS_WITH_CONTENTS))


def test_a_long_text_with_headings_has_a_table_of_contents() -> None:
    report = read(long_text("# One *two*[^1]", "## `Three`", "### Deeper", "# Four", "[^1]: Note"), "left")
    assert [(one.label, [part.label for part in one.parts]) for one in report.contents] == [
        ("One two", ["Three"]),
        ("Four", []),
    ]
    anchors = [anchor for one in report.contents for anchor in (one.anchor, *(part.anchor for part in one.parts))]
    assert set(anchors) <= set(Elements(report.html).ids)
    assert not read("# One\n\nShort.").contents
    assert not read(long_text()).contents


def test_a_contraction_and_a_decimal_number_are_one_word_each() -> None:
    assert read("I don't, he doesn’t: 3.5 of 1,000.\n'So', 3, 4.").n_words == 10


def test_chinese_is_counted_by_characters() -> None:
    assert read("北京是中国的首都。").n_words == 8
    assert read("Oslo, the capital: 北京 and 東京").n_words == 8
    assert read("# 标题\n\n" + "北" * WORDS_WITH_CONTENTS).contents


def test_a_table_of_contents_says_how_many_headings_it_has_no_room_for() -> None:
    report = read(long_text(*["# a"] * (MOST_HEADINGS + 7)))
    assert (len(report.contents), report.n_left_out) == (MOST_HEADINGS, 7)


# --- Footnotes -----------------------------------------------------------------------------------------------------


def test_footnotes_and_their_marks_lead_to_each_other() -> None:
    found = elements("One[^1], two[^b], again[^1].\n\n[^1]: First.\n\n    More.\n\n[^b]: Second[^1].", "left")
    marks = ["left-note-1-mark-1", "left-note-2-mark-1", "left-note-1-mark-2"]
    assert found.ids == [*marks, "left-note-1", "left-note-2", "left-note-1-mark-3"]
    backwards = [*(f"#left-note-1-mark-{number}" for number in (1, 2, 3)), "#left-note-2-mark-1"]
    assert found.links == ["#left-note-1", "#left-note-2", "#left-note-1", *backwards, "#left-note-1"]
    assert "First." in found.text and "More." in found.text


def test_a_note_that_is_not_cited_and_a_mark_without_a_note_are_shown() -> None:
    found = elements("One[^2].\n\n[^1]: Only a judge would read this.")
    assert "Only a judge would read this." in found.text
    assert "One[^2]." in found.text
    assert found.links == []


def test_two_notes_with_one_label_have_ids_of_their_own() -> None:
    found = elements("One[^1].\n\n[^1]: First.\n\n[^1]: Second.")
    assert found.ids == ["text-note-1-mark-1", "text-note-1", "text-note-2"]
    assert found.links == ["#text-note-1", "#text-note-1-mark-1"]


def test_two_texts_on_a_page_share_no_id() -> None:
    text = "# a\n\nOne[^1].\n\n[^1]: First."
    assert not set(elements(text, "left").ids) & set(elements(text, "right").ids)


# --- Formulas and code ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "formula", ["$x_1 * y_1 * z_2$", r"\(a_1*b*c_2\)", r"\[ E = m*c^2 * d \]", "$$\na_1 * b * c_1\n$$"]
)
def test_formulas_stay_as_they_were_sent(formula: str) -> None:
    found = elements(f"So {formula} holds.")
    assert formula in found.text
    assert found.of("code", "em") == ["code"]


@pytest.mark.parametrize("text", ["It costs $5 and *not* $10.", r"As \[1\] *says*", "$ 3 and *4* $"])
def test_amounts_and_escaped_brackets_are_no_formulas(text: str) -> None:
    assert elements(text).of("code", "em") == ["em"]


def test_code_keeps_its_lines() -> None:
    assert elements("```python\nif a:\n    b(*c*)\n```").text.strip() == "if a:\n    b(*c*)"


# --- Hostile texts -------------------------------------------------------------------------------------------------

HOSTILE = {
    "script": "<script>alert(1)</script>",
    "raw HTML": '<b onclick="x()">b</b> <iframe src="https://example.org"></iframe> <!-- hidden -->',
    "raw block": '<div style="position:fixed" id="left-note-1">\n\nx\n\n</div>',
    "script link": "[a](javascript:alert(1)) [b](JaVa&#x53;cript:x) [c]( javascript:x) <javascript:x>",
    "data link": "[a](data:text/html;base64,PHNjcmlwdD4=) [b](vbscript:x) [c](//e.org) [d](/maintenance/) [](#main)",
    "picture": "![map](https://example.org/x.png) <img src=x onerror=alert(1)> [![i](https://example.org/i)](javascript:1)",
    "attributes": '[a](https://example.org "onmouseover=x()") <https://example.org/"onmouseover=x>',
    "fence": '```html" onclick="x()"><script>\n</pre><script>x</script>\n```',
    "reference": "[a]: javascript:alert(1)\n[b]: https://example.org 'what only a judge reads'\n\n[a] [b]",
    "invisible": "a\u202eb &#x202e; \x00 &#0;",
    "table": '|<script>|"|\n|-|:-:|\n|<img src=x>|`</td>`|',
    "heading": '# Results" onclick="x()\n\nTitle <script>\n=====',
    "notes": '[^"><script>]\n\n[^"><script>]: </div></div><b id="x">x\n\n[^a]: - > # h\n\nx[^a][^"><script>]',
    "math": "$<script>_x</script>$ \\(\"'<b>_\\)",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=list(HOSTILE))
def test_hostile_answers_give_safe_elements_alone(text: str) -> None:
    html = read(text).html
    found = Elements(html)
    for tag, attributes in found.found:
        assert tag in SAFE, html
        assert set(attributes) <= ATTRIBUTES.get(tag, set()), html
        assert (attributes.get("href") or "https://").startswith(("https://", "http://", "#text-note-")), html
        assert attributes.get("class") in (None, "markdown__table", "markdown__note"), html
    assert found.open == []
    assert all(re.fullmatch(r"text-\d+|text-note-\d+(-mark-\d+)?", name) for name in found.ids), html
    assert readable(html) == html


def test_nothing_is_hidden_from_people_that_a_judge_reads() -> None:
    shown = elements(HOSTILE["reference"]).text + elements(HOSTILE["raw HTML"]).text
    assert "what only a judge reads" in shown
    assert "<!-- hidden -->" in shown
    deep = read("> " * (DEEPEST + 5) + "what only a judge reads")
    assert "what only a judge reads" in Elements(deep.html).text


TOO_MUCH = {
    "2 MB": "A line of text. " * 131_072,
    "100,000 brackets": "[" * 100_000,
    "10,000 quotes": ">" * 10_000,
    "nested lists": "\n".join(f"{'  ' * level}- a" for level in range(DEEPEST)),
    "one character too many": "*a" * (LONGEST // 2) + "a",
    "lines": "a\n" * (MOST_LINES + 1),
    "a table": "|a" * 200 + "\n" + "|-" * 200 + "\n" + "|\n" * (MOST_CELLS // 200),
    "marks": "[^1" * (MOST_MARKS + 1),
}


@pytest.mark.parametrize("text", TOO_MUCH.values(), ids=list(TOO_MUCH))
def test_what_takes_long_to_read_is_shown_as_it_was_sent(text: str) -> None:
    report = read(f"{text}<b>")
    assert not report.is_formatted
    assert Elements(report.html).of(*SAFE) == ["pre"]
    assert Elements(report.html).text == report.text == f"{text}<b>"


@pytest.mark.parametrize(
    "piece",
    [
        "[^a",
        "![a](",
        "**a *b",
        "[](",
        "`a``",
        "$a_",
        "\\(a_",
        "> a\n\n",
        "[^a]: b\n\n",
        "# a\n",
        "<a@b.c>",
        "|a|\n|-|\n",
    ],
)
def test_reading_takes_time_in_proportion_to_the_text(piece: str) -> None:
    def seconds(n: int) -> float:
        text = "[^a]: b\n\n" + piece * n
        start = time.process_time()
        assert isinstance(read(text), Report)
        return time.process_time() - start

    n = min(MOST_MARKS // (2 * max(1, sum(map(piece.count, "*_~[`$\\<&")))), 1_200)
    assert seconds(n) < 20 * seconds(n // 4) + 0.2
