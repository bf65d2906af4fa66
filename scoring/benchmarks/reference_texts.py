"""Reference answers as texts that can be compared with other texts, both as metrics read them.

Texts are compared word by word (`scoring.metrics.text.as_read`): case, punctuation, widths and invisible characters
make no difference.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

from scoring.metrics.text.as_read import as_read, joined
from scoring.metrics.text.scripts import separated
from scoring.task_types import TaskType

_PART: Final = re.compile(r"[^\W_]+")


def read_words(text: str) -> str:
    """The words of a text as metrics read it, each with a space before and after.

    >>> read_words("Ｏｓｌｏ, (popu.lation: 700,000)!"), read_words("...")
    (' oslo population 700000 ', '...')
    """
    parts = _PART.findall(separated(joined(as_read(text))))
    return f" {' '.join(parts)} " if parts else text


@lru_cache(maxsize=2**14)
def words(text: str) -> str:
    """The same, kept in memory: for questions and reference answers, which are read again and again."""
    return read_words(text)


class ReferenceTexts(NamedTuple):
    """A reference answer as texts, each as `words` gives it."""

    whole: frozenset[str]
    """The texts that say all of it: each name of a single entry, or all entries in their order."""
    parts: frozenset[str]
    """Each name of each entry."""
    entries: frozenset[str]
    """Each entry under its first name."""

    @property
    def n_words(self) -> int:
        """The number of words of all entries."""
        return sum(len(entry.split()) for entry in self.entries)

    def equals(self, texts: Sequence[str]) -> bool:
        """Whether an answer, given as the texts of its list or as one text, says all of it and nothing else. The order
        of a list makes no difference."""
        if len(texts) == 1:
            return read_words(texts[0]) in self.whole
        return bool(texts) and frozenset(map(read_words, texts)) == self.entries


NO_TEXTS: Final = ReferenceTexts(frozenset(), frozenset(), frozenset())


def texts_of_reference(reference: Any, task: TaskType) -> ReferenceTexts:
    """A reference answer as texts; none of one that the task type refuses."""
    try:
        entries = list(dict.fromkeys(map(words, _texts(task.plain(reference)))))
        others = {words(name) for names in task.other_names(reference) or () for name in names}
    except (TypeError, KeyError, IndexError, AttributeError):  # the task type refuses it, with a mistake of its own
        return NO_TEXTS
    parts = frozenset({*entries, *others})
    whole = parts if len(entries) == 1 else frozenset({words("".join(entries))})
    return ReferenceTexts(whole, parts, frozenset(entries))


def _texts(value: Any) -> list[str]:
    """The entries of a plain reference answer as texts, keys included; without recursion."""
    waiting, texts = [value], []
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            waiting += reversed([part for pair in item.items() for part in pair])
        elif isinstance(item, list | tuple):
            waiting += reversed(item)
        elif isinstance(item, bool):
            texts.append("yes" if item else "no")
        elif item is not None:
            texts.append(str(item))
    return texts
