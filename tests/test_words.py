"""Texts that people read use standard words, and none of those in `PRIVATE` in a sense that only this project knows.

The test reads the templates (text, visible attributes, emails), the documents, the Makefile's help, and the sentences
among the strings of the three apps. It reports each finding with its file, line and sentence.

A second test reads the strings of the tests: none repeats a sentence of the product, so that a sentence can be reworded
in one place. Tests assert on structure, codes and values; where a sentence matters, they import it.
"""

import ast
import re
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from tests.paths import ROOT

PRIVATE: Final = {
    "whoever": r"who(?:m)?ever",
    "stands": r"(?:stands?|stood)(?!-)",
    "told": r"told",
    "kept": r"kept",
    "in line": r"in line",
    "under way": r"under way",
    "mend": r"mend(?:s|ed|ing)?",
    "turn round": r"turn(?:s|ed|ing)? round",
    "take along": r"(?:take|takes|taken|taking|took)(?: \w+)? along",
    "how-manieth": r"how-manieth",
}
"""By what a finding is called: the regular expression of the whole word."""

ALLOWED: Final = (
    "stands for",  # means: a symbol stands for something
    "answers are kept",  # the opposite of deleted: what a study does with answers after a withdrawal
    "is kept for",  # a retention period
    "are kept for",
)
"""Phrases in which a word above has its usual sense."""

FEWEST_WORDS: Final = 4
"""A string of a test repeats a sentence if it has so many words and is a part of the sentence."""

REPEATED_ALL_THE_SAME: Final = {
    "What is the capital of": "a sample question; the template of a benchmark has the same one",
    "(jq -c '.[]' FILE": "a command",
}
"""Strings of tests that may also occur in the product, and why."""

_WORD = re.compile(
    rf"\b(?:{'|'.join(f'(?P<w{n}>{word})' for n, word in enumerate(PRIVATE.values()))})\b", re.IGNORECASE
)
_ALLOWED = re.compile("|".join(map(re.escape, ALLOWED)), re.IGNORECASE)
_SENTENCE_END = re.compile(r"(?<=[.!?:;])\s+|\n\s*\n|\n(?=[-*|] )")
_TWO_WORDS = re.compile(r"[^\W\d_]{2,}\W{0,2} +\W{0,2}[^\W\d_]{2,}")
_CODE = re.compile(
    r"^\s*(?:SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|WITH|PRAGMA|SET|LOCK)\s"  # SQL
    r"|\(\?|\\[bdsSwW]|\[\^"  # regular expressions
    r"|^[.#\[][\w-]+[^.!?]*[>{\]]"  # selectors
)
_SHOWN_ATTRIBUTES = {"alt", "content", "label", "placeholder", "title", "value"}
_TEMPLATE_TAG = re.compile(r"\{#.*?#\}|\{%\s*comment\b.*?%\}.*?\{%\s*endcomment\s*%\}|\{%.*?%\}|\{\{.*?\}\}", re.DOTALL)


class Text(NamedTuple):
    """A piece of text that people read."""

    file: Path
    line: int
    text: str


class _Page(HTMLParser):
    """The texts of a page, and the attributes that are shown, with their lines."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[tuple[int, str]] = []
        self._hidden = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._hidden += tag in ("script", "style")
        for name, value in attrs:
            if value and (name in _SHOWN_ATTRIBUTES or name.startswith(("aria-", "data-"))) and " " in value.strip():
                self.found.append((self.getpos()[0], value))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        self._hidden -= tag in ("script", "style")

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self.found.append((self.getpos()[0], data))


def texts_of_page(source: str) -> Iterator[tuple[int, str]]:
    """The texts of a template: its HTML without template tags, and the sentences that tags pass on."""
    for tag in _TEMPLATE_TAG.finditer(source):
        if not tag[0].startswith("{#") and "endcomment" not in tag[0]:
            for quoted in re.finditer(r'"([^"]*)"', tag[0]):
                if " " in quoted[1]:
                    yield source.count("\n", 0, tag.start() + quoted.start()) + 1, quoted[1]
    page = _Page()
    page.feed(_TEMPLATE_TAG.sub(lambda tag: "\n" * tag[0].count("\n") or " ", source))
    page.close()
    yield from page.found


def texts_of_document(source: str) -> Iterator[tuple[int, str]]:
    """The text of a Markdown document without its code and the targets of its links."""
    blank = lambda found: "\n" * found[0].count("\n") or "…"  # noqa: E731
    text = re.sub(r"^( *)```.*?^\1```$", blank, source, flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"`[^`]*`", blank, text)
    yield 1, re.sub(r"\]\([^)\s]*\)", "]", text)


def texts_of_makefile(source: str) -> Iterator[tuple[int, str]]:
    """What ``make help`` prints."""
    for number, line in enumerate(source.splitlines(), start=1):
        if "## " in line:
            yield number, line.partition("## ")[2]


def texts_of_module(source: str) -> Iterator[tuple[int, str]]:
    """The strings of a module that are sentences: not its docstrings, SQL, regular expressions and selectors."""
    waiting: list[ast.AST] = [ast.parse(source)]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            continue
        if isinstance(node, ast.JoinedStr):
            parts = [part.value if isinstance(part, ast.Constant) else "…" for part in node.values]
            text = "".join(map(str, parts))
            waiting += [part for part in node.values if isinstance(part, ast.FormattedValue)]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            text = node.value
        else:
            waiting += ast.iter_child_nodes(node)
            continue
        if _TWO_WORDS.search(text) and not _CODE.search(text):
            yield node.lineno, text


@cache
def texts() -> tuple[Text, ...]:
    """Every text that is read by somebody."""
    sources = [
        (texts_of_page, sorted((ROOT / "templates").rglob("*.html"))),
        (lambda source: [(1, source)], sorted((ROOT / "templates").rglob("*.txt"))),
        (texts_of_document, sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])),
        (texts_of_makefile, [ROOT / "Makefile"]),
        (
            texts_of_module,
            sorted(
                file
                for app in ("leaderboard", "scoring", "humaneval")
                for file in (ROOT / app).rglob("*.py")
                if "migrations" not in file.parts
            ),
        ),
    ]
    return tuple(
        Text(file, line, text)
        for reader, files in sources
        for file in files
        for line, text in reader(file.read_text(encoding="utf-8"))
    )


def findings(text: str) -> Iterator[tuple[int, str, str]]:
    """The private words of a text: the line in it (from 0), the word as `PRIVATE` has it, and the sentence."""
    allowed = [found.span() for found in _ALLOWED.finditer(text)]
    for found in _WORD.finditer(re.sub(r"\s", " ", text)):
        if not any(start <= found.start() < end for start, end in allowed):
            number = next(n for n in range(len(PRIVATE)) if found[f"w{n}"])
            start = max((end.end() for end in _SENTENCE_END.finditer(text, 0, found.start())), default=0)
            ending = _SENTENCE_END.search(text, found.end())
            sentence = " ".join(text[start : ending.start() if ending else None].split())
            yield text.count("\n", 0, found.start()), list(PRIVATE)[number], sentence


@pytest.mark.parametrize(
    ("reader", "source", "expected"),
    [
        (texts_of_page, '<p class="told">\n{# told #}{% if told %}It was kept.{% endif %}</p>', ["kept"]),
        (
            texts_of_page,
            '{% include "a.html" with text="Nothing is told." %}<a title="in line">x</a>',
            ["told", "in line"],
        ),
        (texts_of_page, "<script>told = kept</script>{% comment %}x{% endcomment %}<p>Answers are kept.</p>", []),
        (texts_of_document, "Told\n```\nkept\n```\n`whoever` [x](mend.md) stand-in\n", ["told"]),
        (texts_of_makefile, "a: ## take it along\n\techo told", ["take along"]),
        (
            texts_of_module,
            'def f():\n    """Told twice."""\n    return f"{f(1)} under way", f"mended {1} here"',
            ["under way", "mend"],
        ),
        (texts_of_module, 'told = {"told": "kept"}; SQL = "SELECT told FROM kept"; R = r"\\btold me\\b"', []),
    ],
)
def test_a_text_is_found_where_it_is_read_and_nowhere_else(reader, source: str, expected: list[str]) -> None:  # type: ignore[no-untyped-def]
    assert sorted(word for _, text in reader(source) for _, word, _ in findings(text)) == sorted(expected)


def test_a_finding_has_its_line_and_its_sentence() -> None:
    assert list(findings("All is well.\nHere it\nstands on. Good.")) == [(2, "stands", "Here it stands on.")]
    assert list(findings("An x stands for any digit.")) == []


def test_no_text_uses_a_private_word() -> None:
    found = sorted(
        f"{file.relative_to(ROOT)}:{line + offset}: {word}: {sentence}"
        for file, line, text in texts()
        for offset, word, sentence in findings(text)
    )
    assert not found, f"{len(found)} texts use words of their own:\n" + "\n".join(found)


def strings_of_test(source: str) -> Iterator[tuple[int, str]]:
    """The strings of a test file with their lines: not its docstrings, and not the messages of its assertions."""
    waiting: list[ast.AST] = [ast.parse(source)]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Constant):
            if isinstance(node.value, str):
                yield node.lineno, node.value
        elif isinstance(node, ast.Assert):
            waiting.append(node.test)
        elif not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
            waiting += ast.iter_child_nodes(node)


def repetitions(source: str, sentences: str) -> Iterator[tuple[int, str]]:
    """The strings of a test file that repeat a part of `sentences`, with their lines."""
    for line, text in strings_of_test(source):
        words = text.replace("\\", "").split()  # without the escapes of a regular expression
        if len(words) >= FEWEST_WORDS and " ".join(words) in sentences:
            yield line, " ".join(words)


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ('assert "The file is too large" in page', ["The file is too large"]),
        ('assert page == f"The file is  too large: {n}"', ["The file is too large:"]),
        ('with raises(E, match=r"is too large: 5 MB\\."):\n    pass', ["is too large: 5 MB."]),
        ('CASES = {"a": ("b", "file is too\\nlarge")}', ["file is too large"]),
        ('assert "is too large" in page and "The file is too small" in page', []),
        ('"""The file is too large."""\nassert x, "The file is too large"', []),
    ],
)
def test_a_string_that_repeats_a_sentence_is_found(source: str, found: list[str]) -> None:
    assert [text for _, text in repetitions(source, "The file is too large: 5 MB.\nChoose another one.")] == found


def test_the_tests_repeat_no_sentence_of_the_product() -> None:
    product = {"templates", "scoring", "leaderboard", "humaneval"}
    sentences = "\n".join(
        " ".join(text.split()) for file, _, text in texts() if file.relative_to(ROOT).parts[0] in product
    )
    files = [file for file in sorted((ROOT / "tests").rglob("*.py")) if file != Path(__file__)]
    found = [
        (f"{file.relative_to(ROOT)}:{line}", text)
        for file in files
        for line, text in repetitions(file.read_text(encoding="utf-8"), sentences)
    ]
    assert {text for _, text in found} >= REPEATED_ALL_THE_SAME.keys(), "an exception is no longer needed"
    wrong = [f"{place}: {text}" for place, text in found if text not in REPEATED_ALL_THE_SAME]
    advice = f"{len(wrong)} strings repeat a sentence. Assert on codes and values, or import it:\n"
    assert not wrong, advice + "\n".join(wrong)
