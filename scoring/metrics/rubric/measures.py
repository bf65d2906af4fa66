"""Criteria that are decided otherwise than by the prompt about one criterion: the length of an answer, its citations
and excerpts, and snippets of which it should have the content.

ScholarQA-CS, in Asai et al. (2024), OpenScholar, https://arxiv.org/abs/2411.14199; the authors' code is
allenai/multidoc_qa_eval, ``scripts/corpusqa_rubric.py``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import inf
from typing import Final

from scoring.metrics.asking.letters import Reading
from scoring.metrics.graded_answer.items import AnswerPrompt
from scoring.metrics.rubric.items import CriterionItem, CriterionPrompt, object_in, read_score
from scoring.metrics.rubric.references import CITED, EXCERPTS, LENGTH, SNIPPETS, Criterion

PROMPTS: Final = {
    CITED: ("claims_prompt.txt", "claims_system_prompt.txt"),
    EXCERPTS: ("claims_prompt.txt", "claims_system_prompt.txt"),
    SNIPPETS: ("snippets_prompt.txt", "snippets_system_prompt.txt"),
}
"""By measure, the files of its prompt and of an optional system message. Citations and excerpts share a request."""
PLACES: Final = {"claims_prompt.txt": ("response",), "snippets_prompt.txt": ("response", "snippets")}
"""The places that a prompt must have; that of snippets, and its system message, may have ``{n_snippets}``."""
_FIELDS: Final = {"claims_prompt.txt": ("claims", "citations", "excerpts"), "snippets_prompt.txt": ("score",)}
"""What replies are read by."""
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
        measure: CriterionPrompt(files[name].strip(), files.get(system, "").strip())
        for measure, (name, system) in PROMPTS.items()
        if name in files
    }


def lacking_prompts(files: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The files of these prompts that lack places, each with those places."""
    for name, places in PLACES.items():
        lacking = [f"{{{place}}}" for place in places if f"{{{place}}}" not in files.get(name, "")]
        if name in files and lacking:
            yield name, ", ".join(lacking)


def prompt_faults(files: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
    """Mistakes in these prompts: the file, what was found, and what was expected."""
    for name, system in dict.fromkeys(PROMPTS.values()):
        asked = files.get(name, "") + files.get(system, "")
        if name in files and (lacking := [field for field in _FIELDS[name] if field not in asked]):
            yield name, f"a prompt that does not ask for {', '.join(lacking)}", "a JSON object with these fields"


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
    system = [{"role": "system", "content": AnswerPrompt(prompt.system).filled(of_system)}] if prompt.system else []
    return [*system, {"role": "user", "content": prompt.filled(values)}]


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
