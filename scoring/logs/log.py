"""What is read from a log, whatever its framework: a `Log`, made of `Sample`s, or a `LogError`."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, TypeVar

import msgspec

from scoring.generations.attempts import ATTEMPT
from scoring.generations.json_errors import name_type
from scoring.generations.keys import answer_key, place_of
from scoring.generations.problems import clean, quote
from scoring.generations.records import AnswerFormat
from scoring.generations.usage import Values, read_usage

Answer = str | list[str]
Place = tuple[str, int]
"""An id and an attempt."""
Facts = dict[str, str | float]
"""Run facts by their names in a submission (``run_facts`` of the API)."""
FORMATS: Final = (
    "a log of inspect_ai (.eval, .json), samples_….jsonl of lm-evaluation-harness, or rows with an id and an answer as "
    "JSON Lines, a JSON list, CSV or TSV"
)
"""What is read, in words."""
T = TypeVar("T")
SHOWN: Final = 20
LONGEST_ID: Final = 200
LONGEST_FACT: Final = 200
ID_NAMES: Final = ("id", "qid", "question_id", "_id", "uid", "sample_id", "custom_id", "instance_id")
_SAMPLED: Final = 200
"""The rows by which the field of the ids is found."""
_CONSTANT: Final = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"|-?Infinity|NaN', re.DOTALL)
_MODEL: Final = re.compile(r"[\w.-]+/[\w.:@+-]+")
_HOSTS: Final = frozenset(
    {
        "azure", "azureai", "bedrock", "cloudflare", "deepinfra", "fireworks", "goodfire", "groq", "hf",
        "hf-inference-providers", "huggingface", "litellm", "llama-cpp-python", "lm-studio", "local", "nebius",
        "nnterp", "none", "ollama", "openrouter", "replicate", "sagemaker", "sambanova", "sglang", "together",
        "transformer_lens", "vertex", "vllm", "vllm-completions",
    }
)  # fmt: skip
"""What runs models of any developer, as frameworks name it before the model."""
_SERVICES: Final = frozenset({"azure", "bedrock", "vertex"})
"""What runs the models of the developer before it: openai/azure/…"""
_NO_DEVELOPERS: Final = _HOSTS | {"accounts", "models"}
_DECODING: Final = (
    "temperature", "do_sample", "top_p", "top_k", "num_beams", "best_of", "num_choices", "max_tokens", "max_gen_toks",
    "max_new_tokens", "seed", "frequency_penalty", "presence_penalty", "reasoning_effort", "reasoning_tokens",
    "num_fewshot",
)  # fmt: skip
"""The parameters that are reported; others may hold a key or an address."""


class LogError(Exception):
    """A log that cannot be used; `problems` says of each why, where and what to do."""

    def __init__(self, *problems: str) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


@dataclass(frozen=True)
class Wanted:
    """What is wanted of a log. Without `ids` of the benchmark, ids are found by the names of fields."""

    ids: AbstractSet[str] = frozenset()
    answer_field: str = ""
    id_field: str = ""


class Sample(NamedTuple):
    """One sample of a log."""

    place: str
    id: str
    answers: Mapping[str, object]
    """By field; the first is read if none is named. None: no answer in it."""
    usage: Mapping[str, object] = {}
    has_failed: bool = False
    n_responses: int = 1
    """Number of responses that the model gave to the question, of which `answers` has the first."""
    attempt: int = 1
    """Which answer of the system to the question it is; several attempts are all read."""


@dataclass(frozen=True)
class Log:
    """What a log holds.

    Attributes:
        kind: what wrote it, in words.
        answer_field: where the answers are from.
        answer_fields: where they can be taken from.
        answers: by key (`scoring.generations.keys`): of one attempt the id; of several, None for one without an
            answer.
        usage: what they took, by key.
        run_facts: those that the log states.
        remarks: what people should know of the reading.
        warnings: what is missing.
        unfinished: how far the log goes, if it has no end; else empty.
    """

    kind: str
    answer_field: str
    answer_fields: tuple[str, ...]
    answers: Mapping[str, Answer | None]
    usage: Mapping[str, Values]
    run_facts: Facts = field(default_factory=dict)
    remarks: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    unfinished: str = ""
    n_attempts: int = 1

    @property
    def ids(self) -> AbstractSet[str]:
        """The ids of the questions, in their order in the log."""
        return dict.fromkeys(place_of(key, self.n_attempts)[0] for key in self.answers).keys()

    def generations(self, answer_format: AnswerFormat, ids: AbstractSet[str] | None = None) -> bytes:
        """The generations file, with the answers to these ids (by default, all)."""
        lines = []
        for key, answer in self.answers.items():
            question_id, attempt = place_of(key, self.n_attempts)
            if ids is None or question_id in ids:
                line: dict[str, object] = {"id": question_id} | ({ATTEMPT: attempt} if self.n_attempts > 1 else {})
                line[answer_format.answer_key] = answer_format.no_answer if answer is None else answer
                if usage := self.usage.get(key):
                    line["usage"] = usage
                lines.append(json.dumps(line, ensure_ascii=False) + "\n")
        return "".join(lines).encode(errors="surrogatepass")


def make_log(
    kind: str,
    samples: Iterable[Sample],
    wanted: Wanted,
    facts: Facts | None = None,
    remarks: Sequence[str] = (),
    unfinished: str = "",
) -> Log:
    """Make a log of its samples. Of several with the same id and attempt, the first with an answer counts.

    Samples without an answer, because they failed or have none, are left out; of several attempts they are kept as
    attempts without an answer.

    Raises:
        LogError: there are none, or no field is the one that is wanted, or it holds no texts.
    """
    fields: dict[str, None] = {}
    answers: dict[Place, Answer | None] = {}
    usage: dict[Place, Values] = {}
    without: set[Place] = set()
    ids: dict[str, None] = {}
    n_attempts = 1
    counts: Counter[str] = Counter()
    problems: list[str] = []
    for sample in samples:
        fields |= dict.fromkeys(sample.answers)
        counts["samples"] += 1
        if not sample.id:
            problems.append(f"{sample.place}: found no id, expected a text of at most {LONGEST_ID} characters.")
            continue
        ids[sample.id] = None
        place = sample.id, sample.attempt
        n_attempts = max(n_attempts, sample.attempt)
        if sample.has_failed:
            counts["failed"] += 1
            without.add(place)
            continue
        if place in answers:
            counts["repeated"] += 1
            continue
        name = wanted.answer_field or next(iter(fields), "")
        answer = sample.answers.get(name)
        if answer is None:
            counts["without"] += 1
            without.add(place)
        elif isinstance(answer, str) or (isinstance(answer, list) and all(isinstance(item, str) for item in answer)):
            answers[place] = answer
        else:
            kind = "an object" if isinstance(answer, dict) else name_type(answer)
            kind = "a list of other values" if isinstance(answer, list) else kind
            problems.append(f"{sample.place}, {quote(name)}: found {kind}, expected a text or a list of texts.")
        if place in answers:
            counts["several"] += sample.n_responses > 1
            values, mistakes, _ = read_usage({key: value for key, value in sample.usage.items() if value is not None})
            counts["mistaken"] += bool(mistakes)
            if values and not mistakes:
                usage[place] = values
    if wanted.answer_field and wanted.answer_field not in fields:
        raise LogError(
            f"Found no field {quote(wanted.answer_field)}, expected one of {_listed(fields)}; name one of them "
            "(answer_field, --answer-field)."
        )
    if problems:
        more = [f"… and {len(problems) - SHOWN:,} more."] if len(problems) > SHOWN else []
        raise LogError(*problems[:SHOWN], *more)
    if not answers:
        raise LogError(
            f"File: found {kind} without an answer, expected at least one; choose the log of a finished run."
        )
    if n_several := counts["several"]:
        several = f"{n_several:,} of {counts['samples']:,} samples have several responses: the first of each is taken."
        remarks = [*remarks, several]
    if n_attempts > 1:
        remarks = [*remarks, f"{n_attempts:,} attempts at each question: each is scored, and their mean counts."]
        places = ((question_id, attempt) for question_id in ids for attempt in range(1, n_attempts + 1))
        answers = {place: answers.get(place) for place in places if place in answers or place in without}
    left_out = "left out" if n_attempts == 1 else "an attempt without an answer"
    told = [
        (counts["failed"], f"ended with an error: {left_out}"),
        (counts["without"], f"without an answer: {left_out}"),
        (counts["repeated"], "with the id of an earlier sample: the first counts"),
        (counts["mistaken"], "with impossible numbers of what the answer took: those numbers are left out"),
    ]
    return Log(
        kind=kind,
        answer_field=wanted.answer_field or next(iter(fields)),
        answer_fields=tuple(fields),
        answers={answer_key(*place, n_attempts): answer for place, answer in answers.items()},
        usage={answer_key(*place, n_attempts): values for place, values in usage.items()},
        run_facts={name: value for name, value in (facts or {}).items() if value not in ("", None)},
        remarks=tuple(remarks),
        warnings=tuple(f"{n:,} of {counts['samples']:,} samples {what}." for n, what in told if n),
        unfinished=unfinished,
        n_attempts=n_attempts,
    )


def _listed(fields: Iterable[str]) -> str:
    return ", ".join(quote(name) for name in fields) or "none"


def id_field_of(rows: Sequence[Mapping[str, object]], wanted: Wanted) -> str:
    """The field of some rows that holds the ids: the one whose values most often are ids of the benchmark; without
    these, the first that is named as ids are.

    Raises:
        LogError: there is none, or not the one that is named.
    """
    sampled = rows[:_SAMPLED]
    fields = dict.fromkeys(name for row in sampled for name in row)
    if wanted.id_field:
        if wanted.id_field in fields:
            return wanted.id_field
        raise LogError(f"Found no field {quote(wanted.id_field)}, expected one of {_listed(fields)} (--id-field).")
    if wanted.ids:
        matches = {name: sum(as_id(row.get(name)) in wanted.ids for row in sampled) for name in fields}
        best = max(matches, key=matches.__getitem__, default="")
        if best and matches[best]:
            return best
    named = [name for name in ID_NAMES if name in fields]
    if not named:
        raise LogError(
            f"Found the fields {_listed(fields)}, expected one with the ids of the questions; name it (--id-field)."
        )
    return named[0]


def as_id(value: object) -> str:
    """A value as an id; empty if it is none."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        return ""
    text = str(value) if isinstance(value, str) or abs(value) < 10**18 else ""
    return text if len(text) <= LONGEST_ID else ""


# --- JSON -----------------------------------------------------------------------------------------------------------


def decode(content: bytes, kind: type[T], place: str) -> T:
    """Read JSON as a type; what the type does not name is skipped and never kept.

    Raises:
        LogError: it is no JSON, of another type, or nested too deeply. No message has a value of the content.
    """
    try:
        try:
            return msgspec.json.decode(content, type=kind)
        except msgspec.ValidationError:
            raise
        except msgspec.DecodeError:
            if not (b"NaN" in content or b"Infinity" in content):
                raise
        # Python's json writes these constants, which are no JSON.
        without = _CONSTANT.sub(lambda match: match[0] if match[0].startswith(b'"') else b"null", content)
        return msgspec.json.decode(without, type=kind)
    except RecursionError:
        raise LogError(f"{place}: found lists or objects nested very deeply, expected a log.") from None
    except ValueError as error:  # msgspec's errors are
        raise LogError(f"{place}: found something else than expected: {_in_words(str(error))}.") from None


_WRONG_TYPE: Final = re.compile(r"Expected `(?P<expected>[^`]+)`, got `(?P<found>[^`]+)`(?: - at `(?P<place>[^`]+)`)?")
_MISSING: Final = re.compile(r"Object missing required field `(?P<name>[^`]+)`(?: - at `(?P<place>[^`]+)`)?")
_TYPES: Final = {
    "array": "a list", "object": "an object", "str": "a text", "int": "a number", "float": "a number",
    "bool": "true or false", "null": "null",
}  # fmt: skip


def _in_words(error: str) -> str:
    """What a decoder says of JSON, in words; without any value of the content.

    >>> _in_words("Expected `array`, got `str` - at `$.samples[...].messages`")
    'a text where a list belongs, at samples[…].messages'
    >>> _in_words("Object missing required field `doc`"), _in_words("JSON is malformed: invalid character (byte 3)")
    ('an object without the key “doc”', 'text that is no complete JSON (byte 3)')
    """
    if wrong := _WRONG_TYPE.search(error):
        return f"{_named_types(wrong['found'])} where {_named_types(wrong['expected'])} belongs{_at(wrong['place'])}"
    if missing := _MISSING.search(error):
        return f"an object without the key {quote(missing['name'])}{_at(missing['place'])}"
    byte = re.search(r"\(byte \d+\)", error)
    return f"text that is no complete JSON{f' {byte[0]}' if byte else ''}"


def _named_types(types: str) -> str:
    return " or ".join(dict.fromkeys(_TYPES.get(name.strip(), "another value") for name in types.split("|")))


def _at(place: str | None) -> str:
    path = (place or "").removeprefix("$").removeprefix(".").replace("...", "…")
    return f", at {clean(path)}" if path else ""


def decode_lines(lines: Sequence[tuple[int, bytes]], kind: type[T]) -> list[tuple[str, T]]:
    """Read JSON Lines, each with its number, as `decode` does; returns each with its place.

    Raises:
        LogError: with the problems of the first lines that have any.
    """
    values = []
    problems: list[str] = []
    for number, line in lines:
        place = f"Line {number:,}"
        try:
            values.append((place, decode(line, kind, place)))
        except LogError as error:
            problems += error.problems
            if len(problems) >= SHOWN:
                break
    if problems:
        raise LogError(*problems)
    return values


# --- Facts ----------------------------------------------------------------------------------------------------------


def model_of(name: str) -> str:
    """A model as developer/model, from names with the host before it; empty if no developer is left, or it is a path.

    >>> model_of("openai/gpt-4o"), model_of("vllm/Qwen/Qwen3-32B"), model_of("openai/azure/gpt-4o")
    ('openai/gpt-4o', 'Qwen/Qwen3-32B', 'openai/gpt-4o')
    >>> model_of("openai-api/groq/llama-3.3-70b"), model_of("vllm/local"), model_of("/home/me/model")
    ('', '', '')
    """
    if name.startswith(("/", ".", "~", "\\")) or ":\\" in name:
        return ""
    parts = name.split("/")
    if parts[0] == "openai-api":  # any host with an API as OpenAI's, named next
        parts = parts[2:]
    elif len(parts) == 3 and parts[1] in _SERVICES:
        parts = [parts[0], parts[2]]
    while parts and parts[0] in _HOSTS:
        parts = parts[1:]
    last = "/".join(parts[-2:])
    is_host = len(parts) > 1 and parts[-2] in _NO_DEVELOPERS
    return last if not is_host and _MODEL.fullmatch(last) and len(last) <= LONGEST_FACT else ""


def decoding_of(*parameters: Mapping[str, Any]) -> str:
    """Parameters of decoding in words; of the same one in several mappings the last counts.

    >>> decoding_of({"temperature": 0.0, "max_tokens": 256, "extra_headers": {"key": "secret"}})
    'temperature 0, max tokens 256'
    """
    merged = {name: value for given in parameters for name, value in given.items() if value is not None}
    texts = []
    for name in _DECODING:
        value = merged.get(name)
        if isinstance(value, bool):
            value = "yes" if value else "no"
        elif isinstance(value, float):
            value = f"{value:g}"
        if isinstance(value, int) or (isinstance(value, str) and value.isprintable() and len(value) <= 20):
            texts.append(f"{name.replace('_', ' ')} {value}")
    return fact(", ".join(texts))


def fact(text: str) -> str:
    """A text as a fact: printable, and of at most 200 characters."""
    return clean(" ".join(text.split()), LONGEST_FACT - 1)
