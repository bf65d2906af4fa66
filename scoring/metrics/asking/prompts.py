"""Prompts: the files that a judge reads of a benchmark, what these must have, and how they are filled.

A prompt is filled as ``str.format`` fills it, in one pass, so that braces in an answer change nothing.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, NamedTuple

from scoring.metrics.asking.neutralising import CLOSINGS, Rules, spaced, unknown_places

TOKEN: Final = re.compile(r"\{\{|\}\}|\{(\w+)\}")
"""What is replaced when a prompt is filled: two braces, or a place with its name."""

_LABELLED_PLACE: Final = re.compile(r"(?m)^[ \t]*(?P<label>[^{}\n]*?\w[^{}\n]*?)[ \t]*:[ \t]*\{(?P<place>\w+)\}")
_AFTER_ANSWER: Final = re.compile(r"\{(?:predicted_answer|response)\}\s*\n\s*(?P<line>[^\n]*\w[^\n]*)")
_SPACE: Final = r"\s+"
_FENCE: Final = "```"
_FENCES: Final = re.compile("`{3,}")
_REPLY_LABELS: Final[Rules] = (
    (re.compile(r"\b(extracted[ _]final[ _]answer)\s*:", re.IGNORECASE), r"\1 -"),
    (re.compile(r"(?im)^([^\w\n]*correct[^\w\n:]*):(?=[^\w\n]*(?:yes|no)\b)"), r"\1 -"),
    (re.compile(r"\b([ABC])\s*:\s*(?=(?:IN)?CORRECT\b|NOT[ _]ATTEMPTED\b)"), r"\1 - "),
)
"""Forms of a judge's finished reply in an answer. A stated confidence stays: the judge is asked to extract it."""
_TAG: Final = re.compile(r"<(\w[\w-]{0,40})>")
_HEADING: Final = re.compile(r"(?m)^[ \t]*#{1,6}[ \t]+([^\n{}]*\w)")
_BOLD_LABEL: Final = re.compile(r"(?m)^[ \t]*([*_]{1,3})([^\n{}*:]*\w)\1[ \t]*:[ \t]*\{\w+\}")


@dataclass(frozen=True)
class Prompt:
    """A benchmark's prompt, which may have a system message."""

    text: str
    system: str = ""
    finished_reply: Rules = field(default=(), kw_only=True)
    """What a finished reply in an answer looks like."""

    @property
    def digest(self) -> str:
        """Digest of the prompt, as signatures have it."""
        return hashlib.sha256(self.text.encode()).hexdigest()[:12]

    @cached_property
    def places(self) -> frozenset[str]:
        """The names of its places."""
        return frozenset(filter(None, TOKEN.findall(self.text)))

    def filled(self, values: Mapping[str, str]) -> str:
        """The prompt with values in its places; ``{{`` and ``}}`` stand for braces.

        >>> Prompt('{question} {response} {{"a": 1}}').filled({"question": "{response}?", "response": "{{x}}"})
        '{response}? {{x}} {"a": 1}'
        """
        return TOKEN.sub(lambda match: values.get(match[1], match[0]) if match[1] else match[0][0], self.text)

    def messages(self, values: Mapping[str, str]) -> list[dict[str, str]]:
        """The conversation that it begins, with values in its places; the system message is sent as it is."""
        system = [{"role": "system", "content": self.system}] if self.system else []
        return [*system, {"role": "user", "content": self.filled(values)}]

    @cached_property
    def rules(self) -> Rules:
        """The delimiters to replace in answers: labels of the prompt but for the question's, which answers repeat and
        which is harmless, its line after the answer, fences of code if it has some, and what a finished reply looks
        like."""
        rules = [_label_rule(match["label"]) for match in _LABELLED_PLACE.finditer(self.text)]
        lines = [match["line"].split() for match in _AFTER_ANSWER.finditer(self.text)]
        patterns = [re.compile(rf"({_SPACE.join(map(re.escape, words))})", re.IGNORECASE) for words in lines]
        fences = [(_FENCES, spaced)] if _FENCE in self.text else []
        return (*filter(None, rules), *((line, r"(\1)") for line in patterns), *fences, *_REPLY_LABELS, *CLOSINGS)

    @cached_property
    def delimiters(self) -> Rules:
        """What is replaced in reports, which no report may begin, end or imitate: the prompt's parts too."""
        return (*part_rules(self.text), *self.rules, *self.finished_reply)


def _label_rule(label: str) -> tuple[re.Pattern[str], str] | None:
    """The rule for a label, without its colon; None for that of the question."""
    words = r"[\s_]+".join(re.escape(word) for word in re.findall(r"[^\W_]+", label))
    if label.strip().startswith("["):
        return re.compile(rf"\[(\s*{words}\s*)\]", re.IGNORECASE), r"(\1)"
    if words.casefold() == "question":
        return None
    return re.compile(rf"\b({words})\s*:", re.IGNORECASE), r"\1 -"


def part_rules(prompt: str) -> Rules:
    """What parts of a prompt begin and end with, which no answer may have: its tags, opened or not, its headings, and
    labels in bold type before a place.

    >>> [pattern.sub(new, "</ report >") for pattern, new in part_rules("<report>{response}</report>")]
    ['(/ report )']
    >>> [pattern.sub(new, "# your task") for pattern, new in part_rules("{response}\\n\\n## Your Task")]
    ['(# your task)']
    """
    tags = (rf"<(\s{{0,3}}/?\s{{0,3}}{re.escape(name)}\s{{0,3}})>" for name in dict.fromkeys(_TAG.findall(prompt)))
    headings = (rf"(?m)^([^\S\n]*#{{1,6}}[^\S\n]*{_spaced(text)}[^\S\n#]*)$" for text in _HEADING.findall(prompt))
    labels = (rf"([*_]{{1,3}}{_spaced(text)}[*_]{{1,3}})\s*:" for _, text in _BOLD_LABEL.findall(prompt))
    return [
        *((re.compile(pattern, re.IGNORECASE), r"(\1)") for pattern in (*tags, *headings)),
        *((re.compile(pattern, re.IGNORECASE), r"\1 -") for pattern in labels),
    ]


def _spaced(text: str) -> str:
    """The pattern of some words with any spaces between them."""
    return r"[^\S\n]+".join(map(re.escape, text.split()))


# --- Files ----------------------------------------------------------------------------------------------------------


class Asked(NamedTuple):
    """What a prompt has to ask for, so that its replies can be read."""

    forms: Mapping[str, str]
    """Regular expressions that it must match, by what they stand for."""
    expected: str
    found: str = "a prompt that does not ask for {}"
    """What a prompt is that lacks some."""


@dataclass(frozen=True)
class PromptFile:
    """A file with a prompt, and what it must have."""

    name: str
    needed: Sequence[Sequence[str]]
    """The places that it must have; of those in one group, one."""
    known: Collection[str] = ()
    """All places that it may have; by default any."""
    asked: Sequence[Asked] = ()
    system: str | None = None
    """The file of an optional system message."""
    is_optional: bool = False
    """Whether a benchmark may do without it."""
    token: re.Pattern[str] = TOKEN
    """How its places are found."""

    def lacking(self, files: Mapping[str, str]) -> str:
        """The places that it lacks among a benchmark's prompts, in words; empty if it has all.

        >>> PromptFile("a.txt", [["question"], ["target", "correct_answer"]]).lacking({"a.txt": "{question}"})
        '{target} or {correct_answer}'
        """
        if self.is_optional and self.name not in files:
            return ""
        places = set(self.token.findall(files.get(self.name, "")))
        lacking = (names for names in self.needed if places.isdisjoint(names))
        return ", ".join(" or ".join(map("{{{}}}".format, names)) for names in lacking)

    def faults(self, files: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
        """Its mistakes: the file, what was found, and what was expected.

        >>> file = PromptFile("a.txt", [], known=["question"], asked=[Asked({"idx": "idx"}, "idx")])
        >>> [found for _, found, _ in file.faults({"a.txt": '{question} {Response} {{"a": 1}}'})]
        ['{Response}', 'a prompt that does not ask for idx']
        """
        text = files.get(self.name)
        if text is None:
            return
        if self.known:
            rest = self.token.sub(lambda match: "" if not match[1] or match[1] in self.known else match[0], text)
            for place in unknown_places(rest):
                yield self.name, place, f"only the places {', '.join(map('{{{}}}'.format, self.known))}"
        if self.system:
            text += files.get(self.system, "")
        for asked in self.asked:
            if missing := [name for name, form in asked.forms.items() if not re.search(form, text)]:
                yield self.name, asked.found.format(", ".join(missing)), asked.expected
