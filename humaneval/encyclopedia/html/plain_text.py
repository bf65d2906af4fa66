"""The plain text of an article, collected while its markup is read."""

import re
from typing import Final

from humaneval.encyclopedia.html.rules import ElementRule, Separator

_SPACES: Final = re.compile(r"\s+")


class PlainText:
    """Collects paragraphs separated by an empty line, and one line per item and row."""

    def __init__(self) -> None:
        self.tables_open = 0
        self._parts: list[str] = []
        self._silent = 0

    def begin(self, rule: ElementRule, *, is_silent: bool) -> None:
        """Begin an element; if it is silent, none of its text is included."""
        self.separate(rule.before)
        self._silent += is_silent
        self.tables_open += rule.is_table

    def end(self, rule: ElementRule, *, is_silent: bool) -> None:
        self._silent -= is_silent
        self.tables_open -= rule.is_table
        self.separate(rule.after)

    def separate(self, separator: Separator) -> None:
        """Separate the following text from the text before."""
        self._add(separator[self.tables_open > 0])

    def add(self, text: str) -> None:
        """Add text of the article, with white space collapsed."""
        self._add(_SPACES.sub(" ", text))

    def add_heading(self, level: int, text: str) -> None:
        self._add(f"\n\n{'#' * level} {text}\n\n")

    def is_empty(self) -> bool:
        return not "".join(self._parts).strip()

    def __str__(self) -> str:
        lines = (_SPACES.sub(" ", line).strip() for line in "".join(self._parts).split("\n"))
        return re.sub(r"\n{3,}", "\n\n", "\n".join(line for line in lines if line not in ("|", "-"))).strip()

    def _add(self, text: str) -> None:
        if text and not self._silent:
            self._parts.append(text)
