"""Criteria that are decided otherwise than by the prompt about one criterion: the length of an answer, its citations
and excerpts, and snippets of which it should have the content.

ScholarQA-CS, in Asai et al. (2024), OpenScholar, https://arxiv.org/abs/2411.14199; the authors' code is
allenai/multidoc_qa_eval, ``scripts/corpusqa_rubric.py``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import inf
from typing import Final

from scoring.metrics.asking.letters import Reading
from scoring.metrics.asking.prompts import Asked, Prompt, PromptFile
from scoring.metrics.rubric.items import CriterionItem, CriterionPrompt, object_in, read_score
from scoring.metrics.rubric.references import CITED, EXCERPTS, LENGTH, SNIPPETS, Criterion

_FIELDS: Final = "a JSON object with these fields"
CLAIMS: Final = PromptFile(
    "claims_prompt.txt",
    needed=[["response"]],
    asked=[Asked({name: name for name in ("claims", "citations", "excerpts")}, _FIELDS)],
    system="claims_system_prompt.txt",
    is_optional=True,
)
COUNT: Final = PromptFile(
    "snippets_prompt.txt",
    needed=[["response"], ["snippets"]],
    asked=[Asked({"score": "score"}, _FIELDS)],
    system="snippets_system_prompt.txt",
    is_optional=True,
)
"""Both it and its system message may have ``{n_snippets}``."""
FILES: Final = {CITED: CLAIMS, EXCERPTS: CLAIMS, SNIPPETS: COUNT}
"""By measure, the file of its prompt. Citations and excerpts share a request."""
_CLAIMS: Final = "the claims of the answer, their citations, and excerpts of these"


def asked_about(criterion: Criterion) -> str:
    """What a judge is asked about a criterion: its text, its snippets, or the same for citations and excerpts, which
    have one verdict."""
    if criterion.measure in (CITED, EXCERPTS):
        return _CLAIMS
    return "\n".join(criterion.snippets) or criterion.criterion


def prompts_of(files: Mapping[str, str]) -> dict[str, CriterionPrompt]:
    """The prompts of the measures that a benchmark has prompts for, by measure."""
    return {
        measure: CriterionPrompt(files[file.name].strip(), files.get(file.system or "", "").strip())
        for measure, file in FILES.items()
        if file.name in files
    }


class LengthItem(CriterionItem):
    """The length of an answer; nobody is asked."""

    @property
    def known(self) -> str:
        """The share: 1 up to the first number of words, 0 from the second on, and between them in proportion."""
        low, high = self.criterion.words
        n_words = len(self.answer.text.split())
        return f"{1 - (max(min(high, n_words), low) - low) / (high - low)!r}"


class ClaimsItem(CriterionItem):
    """The claims of an answer with their citations and excerpts, which the judge lists."""

    @property
    def further(self) -> Mapping[str, str]:
        return {}

    def messages(self) -> list[dict[str, str]]:
        return _conversation(self.prompt, {"response": self.answer.text})

    def read(self, reply: str) -> Reading | None:
        """The share of claims with a citation, and that of citations with an excerpt: ``0.5/0.25``."""
        try:
            claims = (object_in(reply) or {})["claims"]
            citations = [citation for claim in claims for citation in claim["citations"]]
            cited = sum(bool(claim["citations"]) for claim in claims) / max(len(claims), 1)
            excerpts = sum(bool(citation["excerpts"]) for citation in citations) / max(len(citations), 1)
        except (KeyError, TypeError):
            return None
        return Reading(f"{cited!r}/{excerpts!r}")

    def part_of(self, verdict: str, reply: str = "") -> tuple[str, str]:
        return verdict.split("/")[self.criterion.measure == EXCERPTS], reply


class SnippetsItem(CriterionItem):
    """The snippets of one criterion, of which the judge counts those whose content an answer has."""

    @property
    def further(self) -> Mapping[str, str]:
        return {}

    def messages(self) -> list[dict[str, str]]:
        snippets = self.criterion.snippets
        numbered = "\n".join(f"{number}. {text}" for number, text in enumerate(snippets, 1))
        values = {"response": self.answer.text, "snippets": numbered, "n_snippets": f"{len(snippets)}"}
        return _conversation(self.prompt, values)

    def read(self, reply: str) -> Reading | None:
        share = read_score(reply, len(self.criterion.snippets), most=inf)
        return None if share is None else Reading(f"{share!r}")


ITEMS: Final[Mapping[str, type[CriterionItem]]] = {
    LENGTH: LengthItem,
    CITED: ClaimsItem,
    EXCERPTS: ClaimsItem,
    SNIPPETS: SnippetsItem,
}


def _conversation(prompt: CriterionPrompt, values: Mapping[str, str]) -> list[dict[str, str]]:
    """The messages of a filled prompt; its system message has the same places, but for the answer."""
    of_system = {place: value for place, value in values.items() if place != "response"}
    return replace(prompt, system=Prompt(prompt.system).filled(of_system)).messages(values)


def values_of(criteria: Sequence[Criterion], verdicts: Sequence[str]) -> list[float]:
    """How far each criterion is met, from 0 to 1, by the verdict about it.

    Snippets count only if the criterion before them is met at all.

    >>> criteria = [Criterion("x", 1), Criterion("y", 1, measure=SNIPPETS, snippets=("z",))]
    >>> values_of(criteria, ["0", "1"]), values_of(criteria, ["0.5", "1"])
    ([0.0, 0.0], [0.5, 1.0])
    """
    values: list[float] = []
    for criterion, verdict in zip(criteria, verdicts, strict=True):
        counts = criterion.measure != SNIPPETS or values[-1] > 0
        values.append(float(verdict) if counts else 0.0)
    return values
