"""What a judge is asked about the criteria of a report, and how its replies are read."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from scoring.metrics.asking.items import AskedItem
from scoring.metrics.asking.letters import Reading
from scoring.metrics.asking.neutralising import Rules, unknown_places
from scoring.metrics.graded_answer.items import AnswerPrompt
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
    "dimension": ("dimension", "rubric_category"),
    "explanation": ("explanation",),
    "weight": ("weight", "rubric_weight"),
}
"""What a prompt may have places for, each with the names of the place."""
NEEDED: Final = ("answer", "criterion")
_NAMES: Final = {place: what for what, places in PLACES.items() for place in places}
_PLACE: Final = re.compile(r"(?<!\{)\{(\w+)\}(?!\})")

_TAG: Final = re.compile(r"<(\w[\w-]{0,40})>")

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
_REPLY: Final[Rules] = ((re.compile(rf"[\"“”'](\s*(?:{'|'.join(_FIELDS)})\s*)[\"“”']\s*:"), r"\1 -"),)
"""A finished reply in an answer."""


@dataclass(frozen=True)
class CriterionPrompt(AnswerPrompt):
    """A benchmark's prompt about one criterion, which may have a system message."""

    system: str = ""

    @classmethod
    def among(cls, files: Mapping[str, str]) -> CriterionPrompt:
        """The prompt among a benchmark's prompt files.

        Raises:
            ValueError: If it is missing, or lacks a place.
        """
        if lacking := lacking_places(files.get(PROMPT, "")):
            raise ValueError(f"The judge of criteria needs prompts/{PROMPT} with {lacking}.")
        return cls(files[PROMPT].strip(), files.get(SYSTEM_PROMPT, "").strip())

    @property
    def version(self) -> str:
        """Digest of the prompt, as signatures have it."""
        both = "\0".join((self.system, self.text))
        return f"rubric-{hashlib.sha256(both.encode()).hexdigest()[:12]}"

    @property
    def asks_for(self) -> frozenset[str]:
        """What it has places for."""
        return frozenset(_NAMES[place] for place in _PLACE.findall(self.text) if place in _NAMES)

    @property
    def is_graded(self) -> bool:
        """Whether it has the judge say that a criterion is met in part.

        >>> [CriterionPrompt(text).is_graded for text in ("Met or not met?", "Met, Partially Met or not?", "0, 0.5, 1")]
        [False, True, True]
        """
        return _IN_PART.search(f"{self.system} {self.text}") is not None

    @property
    def delimiters(self) -> Rules:
        """What is neutralised in answers: the prompt's labels, tags and closings, and a finished reply."""
        return (*tag_rules(self.text), *self.rules, *_REPLY)


def tag_rules(prompt: str) -> Rules:
    """The tags of a prompt, which no answer may contain, opened or not.

    >>> [pattern.sub(new, "</ report >") for pattern, new in tag_rules("<report>{response}</report>")]
    ['(/ report )']
    """
    names = dict.fromkeys(_TAG.findall(prompt))
    return [
        (re.compile(rf"<(\s{{0,3}}/?\s{{0,3}}{re.escape(name)}\s{{0,3}})>", re.IGNORECASE), r"(\1)") for name in names
    ]


def lacking_places(text: str) -> str:
    """The places that a prompt lacks, in words; empty if it has all.

    >>> lacking_places("{response}")
    '{criterion} or {rubric_title}'
    """
    found = {_NAMES.get(place) for place in _PLACE.findall(text)}
    lacking = (PLACES[what] for what in NEEDED if what not in found)
    return ", ".join(" or ".join(f"{{{name}}}" for name in names) for names in lacking)


def prompt_faults(files: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
    """Mistakes in a benchmark's prompt: the file, what was found, and what was expected.

    >>> list(prompt_faults({PROMPT: "{response} {criterion} {Weight} verdict"}))[0][1]
    '{Weight}'
    """
    text = files.get(PROMPT)
    if text is None:
        return
    for place in unknown_places(_PLACE.sub(lambda match: "" if match[1] in _NAMES else match[0], text)):
        yield PROMPT, place, f"only the places {', '.join(f'{{{name}}}' for name in _NAMES)}"
    if not any(field in text + files.get(SYSTEM_PROMPT, "") for field in _FIELDS):
        yield PROMPT, "a prompt that does not ask for a verdict", f"a JSON object with {' or '.join(_FIELDS[:2])}"


def read_verdict(reply: str) -> float | None:
    """How far a criterion is met, 0, ½ or 1, by a judge's reply; None if it does not say, or says two things.

    Read are the fields ``criteria_met`` (HealthBench), ``verdict`` and ``score`` (ResearchRubrics) of the last JSON
    object of the reply, also where the JSON is not valid.

    >>> read_verdict('{"explanation": "It names it.", "criteria_met": true}')
    1.0
    >>> read_verdict('{"verdict": "Partially Satisfied", "score": 0.5}'), read_verdict('{"verdict": "No", "score": 1}')
    (0.5, None)
    """
    said = {_outcome(value) for value in _stated(reply).values()}
    return said.pop() if len(said) == 1 else None


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
            "criterion": self.reference,
            **self.further,
        }
        filled = self.prompt.filled({place: values[what] for place, what in _NAMES.items() if what in values})
        system = [{"role": "system", "content": self.prompt.system}] if self.prompt.system else []
        return [*system, {"role": "user", "content": filled}]

    def read(self, reply: str) -> Reading | None:
        """The verdict: ``1``, ``0.5`` or ``0``."""
        met = read_verdict(reply)
        return None if met is None else Reading(f"{met:g}")
