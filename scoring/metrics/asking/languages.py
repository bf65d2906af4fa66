"""Prompts of which a benchmark has one for all questions, and others for questions in a language."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import ClassVar, Final

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


class PromptsByLanguage:
    """A judge with a prompt of its benchmark for all questions, and further ones for questions in a language."""

    stem: ClassVar[str]
    """The beginning of the files' names, before the language."""
    places: ClassVar[tuple[str, ...]]
    """The places that each prompt must have."""

    def reads_prompt(self, name: str) -> bool:
        """See `JudgeMetric.reads_prompt`."""
        return bool(by_language([name], self.stem))

    def lacking_prompts(self, files: Mapping[str, str]) -> Iterator[tuple[str, str]]:
        """See `JudgeMetric.lacking_prompts`."""
        for name in {"": f"{self.stem}.txt", **by_language(files, self.stem)}.values():
            if lacking := [f"{{{place}}}" for place in self.places if f"{{{place}}}" not in files.get(name, "")]:
                yield name, ", ".join(lacking)

    def texts_of(self, files: Mapping[str, str]) -> dict[str, str]:
        """The prompts by the code of their language; the empty code is that of the others."""
        return {code: files[name].strip() for code, name in by_language(files, self.stem).items()}


def prompts_digest(texts: Mapping[str, str]) -> str:
    """The digest of prompts for signatures; they are given by the codes of their languages."""
    return hashlib.sha256(json.dumps(texts, sort_keys=True).encode()).hexdigest()[:12]
