"""Prompts of which a benchmark has one for all questions, and others for questions in a language."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

_LANGUAGE: Final = re.compile(r"(?:\.([a-z]{2,3}))?\.txt")


def by_language(names: Iterable[str], stem: str) -> dict[str, str]:
    """The names of those files that are a prompt, by the code of their language; the empty code is that of all others.

    >>> by_language(["a_prompt.txt", "a_prompt.zh.txt", "b_prompt.txt"], "a_prompt")
    {'': 'a_prompt.txt', 'zh': 'a_prompt.zh.txt'}
    """
    matches = ((name, _LANGUAGE.fullmatch(name.removeprefix(stem))) for name in names if name.startswith(stem))
    return {match[1] or "": name for name, match in matches if match is not None}


def prompt_for(language: str, codes: Iterable[str]) -> str:
    """The code of the prompt for a language such as ``zh-Hant``; empty if it has none of its own."""
    code = language.partition("-")[0]
    return code if code in codes else ""
