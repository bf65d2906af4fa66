"""The plain text of an article, gathered while its markup is read."""

import re
from typing import Final

from humaneval.encyclopedia.html.rules import ElementRule, Separator

_SPACES: Final = re.compile(r"\s+")


class PlainText:
    """Paragraphs with an empty line between them, a line for each item and row."""

    def __init__(self) -> None:
        self.tables_open = 0
        self._parts: list[str] = []
        self._silent = 0

    def begin(self, rule: ElementRule, *, is_silent: bool) -> None:
        """An element begins; if it is silent, nothing in it becomes text."""
        self.separate(rule.before)
        self._silent += is_silent
        self.tables_open += rule.is_table

    def end(self, rule: ElementRule, *, is_silent: bool) -> None:
        """An element that was begun ends."""
        self._silent -= is_silent
        self.tables_open -= rule.is_table
        self.separate(rule.after)

    def separate(self, separator: Separator) -> None:
        """Text that follows is apart from text before."""
        self._add(separator.text if self.tables_open == 0 else separator.in_table)

    def add(self, text: str) -> None:
        """Text of the article, in which all white space is one space."""
        self._add(_SPACES.sub(" ", text))

    def add_heading(self, level: int, text: str) -> None:
        """A heading, as Markdown writes it."""
        self._add(f"\n\n{'#' * level} {text}\n\n")

    def is_empty(self) -> bool:
        """Whether there is nothing but white space so far."""
        return not "".join(self._parts).strip()

    def __str__(self) -> str:
        lines = (_SPACES.sub(" ", line).strip() for line in "".join(self._parts).split("\n"))
        return re.sub(r"\n{3,}", "\n\n", "\n".join(line for line in lines if line not in ("|", "-"))).strip()

    def _add(self, text: str) -> None:
        if text and not self._silent:
            self._parts.append(text)
