"""Texts that people read use standard words, and none of those in `PRIVATE` in a sense that only this project knows.

The test reads the templates (text, visible attributes, emails), the documents, the Makefile's help, and the sentences
among the strings of the three apps. It reports each finding with its file, line and sentence.

A second test reads the strings of the tests: none shares four consecutive words with a text of the product, so that
wording is changed in one place. Tests assert on structure, codes and values; where a sentence matters, they import it.
"""

import ast
import re
import string
from collections.abc import Collection, Iterator
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

RUN_LENGTH: Final = 4
"""A string of a test repeats a sentence if it shares so many consecutive words with it."""

REPEATED_ALL_THE_SAME: Final = {
    "What is the capital of": "a sample question; the template of a benchmark has the same one",
    "At the end, repeat just the letter": "in answers that quote the judge's prompt to mislead it",
    "The submitted answer contains all the same details as the expert answer": "in an answer, likewise",
    "The submitted answer is": "the start of a judge's reply",
    "The response lists over": "in a judge's reply, which repeats words of its prompt",
    "Human, graded by hand": "names that imitate that of a reference row",
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau": "LaTeX commands",
    "upsilon phi chi psi omega": "LaTeX commands",
    "ss ae AE oe OE o O aa AA l L i": "LaTeX commands",
}
"""Phrases that tests and product may share, and why."""

SAMPLES: Final = {
    "bench": "descriptions of measurements",
    "gallery": "pages of sample data, which imitate the site's",
    "judge_server.py": "a judge that quotes its prompt",
}
"""Folders and files of ``tests`` whose strings are no assertions, and what they are."""

_WORD = re.compile(
    rf"\b(?:{'|'.join(f'(?P<w{n}>{word})' for n, word in enumerate(PRIVATE.values()))})\b", re.IGNORECASE
)
_ALLOWED = re.compile("|".join(map(re.escape, ALLOWED)), re.IGNORECASE)
_SENTENCE_END = re.compile(r"(?<=[.!?:;])\s+|\n\s*\n|\n(?=[-*|] )")
_WORD_OF_RUN = re.compile(r"\w+(?:['’-]\w+)*")
_AROUND_WORDS = "".join(set(string.punctuation) - set("{}<>%=")) + "“”‘’–—·"
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


def runs_of_words(text: str) -> Iterator[str]:
    """Each `RUN_LENGTH` consecutive words of a text, in lower case and without punctuation.

    A hole (…), a placeholder, a template tag and markup end a run. A run has at most one word of a single character.
    """
    run: list[str] = []
    for piece in text.replace("\\", "").split():  # without the escapes of a regular expression
        word = piece.strip(_AROUND_WORDS).lower()
        run = [*run, word][-RUN_LENGTH:] if _WORD_OF_RUN.fullmatch(word) else []
        if len(run) == RUN_LENGTH and sum(len(one) == 1 for one in run) < 2:
            yield " ".join(run)


def repetitions(source: str, sentences: Collection[str]) -> Iterator[tuple[int, str]]:
    """The runs of words of a test file's strings that are among `sentences`, with their lines."""
    for line, text in strings_of_test(source):
        yield from ((line, run) for run in runs_of_words(text) if run in sentences)


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ('assert "The file is too large" in page', ["the file is too", "file is too large"]),
        ('assert page == f"“The file  is” too small: {n}"', ["the file is too"]),
        ('with raises(E, match=r"is too large: 5 MB\\."):\n    pass', ["is too large 5"]),
        ('CASES = {"a": ("b", "file is too\\nlarge")}', ["file is too large"]),
        ('assert "5 MB. Choose another" in page', []),
        ('assert "MB than the largest" in page and f"{n} MB more than {m}" in page', []),
        ('"""The file is too large."""\nassert x, "The file is too large"', []),
    ],
)
def test_a_string_that_repeats_a_sentence_is_found(source: str, found: list[str]) -> None:
    sentences = ("The file is too large: 5 {unit}.", "Choose another one.", "It has … MB more than … the largest.")
    runs = {run for sentence in sentences for run in runs_of_words(sentence)}
    assert [text for _, text in repetitions(source, runs)] == found


def test_the_tests_repeat_no_sentence_of_the_product() -> None:
    product = {"templates", "scoring", "leaderboard", "humaneval"}
    sentences = {
        run for file, _, text in texts() if file.relative_to(ROOT).parts[0] in product for run in runs_of_words(text)
    }
    tests = ROOT / "tests"
    files = [file for file in sorted(tests.rglob("*.py")) if file.relative_to(tests).parts[0] not in SAMPLES]
    found = [
        (f"{file.relative_to(ROOT)}:{line}", run)
        for file in files
        if file != Path(__file__)
        for line, run in repetitions(file.read_text(encoding="utf-8"), sentences)
    ]
    repeated = {run for _, run in found}
    unused = [phrase for phrase in REPEATED_ALL_THE_SAME if repeated.isdisjoint(runs_of_words(phrase))]
    assert not unused, f"exceptions that are no longer needed: {unused}"
    allowed = {run for phrase in REPEATED_ALL_THE_SAME for run in runs_of_words(phrase)}
    wrong = [f"{place}: {run}" for place, run in found if run not in allowed]
    advice = f"{len(wrong)} strings repeat a part of a sentence. Assert on codes and values, or import it:\n"
    assert not wrong, advice + "\n".join(wrong)
