"""Prompts of which a benchmark has one for all questions, and others for questions in a language."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Collection, Iterable, Mapping
from typing import ClassVar, Final

from scoring.metrics.asking.metric import JudgeMetric
from scoring.metrics.asking.neutralising import Rules
from scoring.metrics.asking.prompts import Asked, Prompt, PromptFile

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


class PromptsByLanguage(JudgeMetric):
    """A judge with a prompt of its benchmark for all questions, and further ones for questions in a language."""

    prompt_kind: ClassVar[str]
    """What its version of prompts begins with in signatures."""
    stem: ClassVar[str]
    """The beginning of the files' names, before the language."""
    places: ClassVar[tuple[str, ...]]
    """The places that each prompt must have."""
    asked: ClassVar[Asked]
    """What each must ask for."""
    finished_reply: ClassVar[Rules]
    """What a finished reply in an answer looks like."""

    def prompt_files(self, names: Collection[str] = ()) -> list[PromptFile]:
        files = {"": f"{self.stem}.txt", **by_language(names, self.stem)}
        return [PromptFile(name, [[place] for place in self.places], asked=[self.asked]) for name in files.values()]

    def prompts_of(self, files: Mapping[str, str] | None) -> dict[str, Prompt]:
        """The prompts by the code of their language; the empty code is that of the others. The metric's version of
        prompts, and the fields of questions that it reads, are set.

        Args:
            files: None if the metric only describes itself: it has no prompts.
        """
        if files is None:
            return {}
        texts = {code: files[name].strip() for code, name in by_language(files, self.stem).items()}
        digest = hashlib.sha256(json.dumps(texts, sort_keys=True).encode()).hexdigest()[:12]
        self.prompt_version = f"{self.prompt_kind}-{digest}"
        self.question_fields = ("language",) if len(texts) > 1 else ()
        return {code: Prompt(text, finished_reply=self.finished_reply) for code, text in texts.items()}
