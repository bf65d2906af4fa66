"""What a judge is asked about the criteria of a report, and how its replies are read."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Final

from scoring.metrics.asking.items import AskedItem
from scoring.metrics.asking.letters import Reading
from scoring.metrics.asking.neutralising import Rules
from scoring.metrics.asking.prompts import Asked, Prompt, PromptFile
from scoring.metrics.rubric.references import Criterion

PROMPT: Final = "rubric_prompt.txt"
SYSTEM_PROMPT: Final = "rubric_system_prompt.txt"
"""The file of an optional system message."""
MAX_ANSWER_CHARACTERS: Final = 200_000
"""The rest of a longer report is not judged, unless a benchmark declares another limit: about 30,000 words."""
REPLY_TOKENS: Final = 200

PLACES: Final = {
    "question": ("question",),
    "answer": ("response", "document_content"),
    "criterion": ("criterion", "rubric_title"),
    "criteria": ("criteria",),
    "dimension": ("dimension", "rubric_category"),
    "explanation": ("explanation",),
    "weight": ("weight", "rubric_weight"),
}
"""What a prompt may have places for, each with the names of the place."""
NEEDED: Final = ("answer", "criterion")
OF_GROUPS: Final = ("question", "answer", "criteria")
"""What a prompt about several criteria may have places for: their numbered list, and the others."""
_NAMES: Final = {place: what for what, places in PLACES.items() for place in places}
_OUTCOMES: Final = {
    "satisfied": 1.0,
    "met": 1.0,
    "yes": 1.0,
    "true": 1.0,
    "partially satisfied": 0.5,
    "partially met": 0.5,
    "not satisfied": 0.0,
    "not met": 0.0,
    "no": 0.0,
    "false": 0.0,
}
_IN_PART: Final = re.compile(r"\bpartially (?:satisfied|met)\b|(?<![\d.])0?\.5(?!\d)", re.IGNORECASE)
_FIELDS: Final = ("criteria_met", "verdict", "score")
"""The fields of a reply that say whether a criterion is met; of several, all must say the same."""
_FIELD: Final = re.compile(rf'"({"|".join(_FIELDS)})"\s*:\s*("[^"\n]{{0,40}}"|[\w.]{{1,10}})')
REPLY: Final[Rules] = (
    (re.compile(rf"[\"“”'](\s*(?:{'|'.join(_FIELDS)})\s*)[\"“”']\s*:"), r"\1 -"),
    (re.compile(r'"([^"\n]{0,80}\\u[^"\n]{0,80})"\s*:'), r"\1 -"),
)
"""A finished reply in an answer; its fields may be written with JSON's escapes."""


@dataclass(frozen=True)
class CriterionPrompt(Prompt):
    """A benchmark's prompt about one criterion, or several."""

    scale: float = 0.0
    """The best score of a reply; 0 if replies have a verdict."""
    finished_reply: Rules = field(default=REPLY, kw_only=True)

    def version_with(self, others: Iterable[CriterionPrompt] = (), kind: str = "rubric") -> str:
        """Digest of the prompt, its scale and other prompts, after the kind of request, as signatures have it."""
        parts = [part for prompt in (self, *others) for part in (prompt.system, prompt.text)]
        parts += [f"scale:{self.scale:g}"] if self.scale else []
        return f"{kind}-{hashlib.sha256(chr(0).join(parts).encode()).hexdigest()[:12]}"

    @cached_property
    def asks_for(self) -> frozenset[str]:
        """What it has places for."""
        return frozenset(_NAMES[place] for place in self.places if place in _NAMES)

    @property
    def is_graded(self) -> bool:
        """Whether it has the judge say that a criterion is met in part.

        >>> [CriterionPrompt(text).is_graded for text in ("Met or not met?", "Met, Partially Met or not?", "0, 0.5, 1")]
        [False, True, True]
        """
        return self.scale > 0 or _IN_PART.search(f"{self.system} {self.text}") is not None


def prompt_file(*, of_groups: bool = False, has_scale: bool = False) -> PromptFile:
    """What a benchmark's prompt must have.

    Args:
        of_groups: whether it is about several criteria, whose numbers replies have.
        has_scale: whether replies have a score.
    """
    fields = _FIELDS[-1:] if has_scale else _FIELDS
    what, named = ("score", fields) if has_scale else ("verdict", fields[:2])
    asked = [
        Asked({f"a {what}": "|".join(fields)}, f"a JSON object with {' or '.join(named)}"),
        Asked({"numbers": "number"}, "a JSON list of objects with the number of a criterion"),
    ]
    return PromptFile(
        PROMPT,
        needed=[PLACES[what] for what in (OF_GROUPS[1:] if of_groups else NEEDED)],
        known=[name for name, what in _NAMES.items() if (what in OF_GROUPS if of_groups else what != "criteria")],
        asked=asked if of_groups else asked[:1],
        system=SYSTEM_PROMPT,
        is_optional=of_groups and not has_scale,
    )


def read_verdict(reply: str) -> float | None:
    """How far a criterion is met, 0, ½ or 1, by a judge's reply; None if it does not say, or says two things.

    Read are the fields ``criteria_met`` (HealthBench), ``verdict`` and ``score`` (ResearchRubrics) of the last JSON
    object of the reply, also where the JSON is not valid. As in the authors' code, ``criteria_met`` is never ½, and
    ``score`` may be under a prompt that asks for 0 or 1.

    >>> read_verdict('{"explanation": "It names it.", "criteria_met": true}')
    1.0
    >>> read_verdict('{"verdict": "Partially Satisfied", "score": 0.5}'), read_verdict('{"verdict": "No", "score": 1}')
    (0.5, None)
    """
    stated = _stated(reply)
    said = {_outcome(value) for value in stated.values()}
    is_half_met = 0.5 in said and any(name.endswith("criteria_met") for name in stated)
    return said.pop() if len(said) == 1 and not is_half_met else None


def read_score(reply: str, best: float, *, most: float | None = None) -> float | None:
    """How far a criterion is met, from 0 to 1, by the ``score`` of a reply; None if it has none, or one outside.

    Args:
        best: the score at which it is met.
        most: the highest score that counts, as *best*; by default that.

    >>> read_score('{"score": 7}', 10), read_score('{"score": 11}', 10), read_score("I give it a 7.", 10)
    (0.7, None, None)
    """
    try:
        score = float((object_in(reply) or {})["score"])
    except (KeyError, TypeError, ValueError, OverflowError):
        return None
    return min(score / best, 1.0) if 0 <= score <= (best if most is None else most) else None


def reading_of(reply: str, scale: float) -> Reading | None:
    """The verdict about a criterion as it is stored: ``1``, ``0.5`` or ``0``, or with a scale any share of it."""
    met = read_score(reply, scale) if scale else read_verdict(reply)
    return None if met is None else Reading(f"{met:.15g}")


def _stated(reply: str) -> dict[str, Any]:
    """What a reply says, by field; of one that is no JSON, by what looks like its fields."""
    document = object_in(reply)
    if document is None:
        return {f"{place} {match[1]}": match[2].strip('"') for place, match in enumerate(_FIELD.finditer(reply))}
    return {name: document[name] for name in _FIELDS if name in document}


def object_in(reply: str) -> dict[str, Any] | None:
    """The JSON object of a reply, from its first to its last brace; None if that is no JSON object."""
    start, end = reply.find("{"), reply.rfind("}")
    try:
        document = json.loads(reply[start : end + 1])
    except (ValueError, RecursionError):
        return None
    return document if isinstance(document, dict) else None


def _outcome(value: Any) -> float | None:
    if isinstance(value, int | float):  # true and false too
        return float(value) if value in (0, 0.5, 1) else None
    text = " ".join(str(value).split()).casefold()
    if text in _OUTCOMES:
        return _OUTCOMES[text]
    try:
        return _outcome(float(text))
    except ValueError:
        return None


@dataclass(frozen=True)
class CriterionItem(AskedItem):
    """One criterion to be decided about one answer; ``reference`` is its text.

    What the prompt does not show changes no verdict: neither the weight nor the other criteria are part of its address.
    """

    criterion: Criterion
    prompt: CriterionPrompt
    place: ClassVar[str] = "criterion"
    """What `reference` is for the prompt."""

    @property
    def answer_key(self) -> str:
        return self.key.rpartition("\t")[0]

    @property
    def further(self) -> Mapping[str, str]:
        shown = {
            "dimension": self.criterion.dimension,
            "explanation": self.criterion.explanation,
            "weight": f"{self.criterion.weight:g}",
        }
        return {name: text for name, text in shown.items() if name in self.prompt.asks_for}

    def messages(self) -> list[dict[str, str]]:
        values = {
            "question": self.question,
            "answer": self.answer.text,
            self.place: self.reference,
            **self.further,
        }
        return self.prompt.messages({place: values[what] for place, what in _NAMES.items() if what in values})

    def read(self, reply: str) -> Reading | None:
        return reading_of(reply, self.prompt.scale)
