"""Logs of inspect_ai: ``.eval`` (a ZIP archive with an entry for each sample) and ``.json``."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from typing import Any, Final

from msgspec import Struct

from scoring.logs.log import Facts, Log, LogError, Sample, Wanted, decode, decoding_of, fact, make_log, model_of
from scoring.logs.opening import Archive

KIND: Final = "a log of inspect_ai"
HEADER, START = "header.json", "_journal/start.json"
"""The entries with what is said of the run; a run that was broken off has only the second."""
GRADER: Final = "grader"
"""The role that scorers ask for."""
_GRADING: Final = "model_graded"
"""How the names of inspect_ai's own scorers begin that ask a model."""
COMPLETION: Final = "output.completion"
_ATTACHMENT: Final = "attachment://"


class _Part(Struct):
    """A part of a message's content, or a call of a tool."""

    text: str = ""


class _Message(Struct):
    content: str | list[_Part] | None = None
    tool_calls: list[_Part] | None = None

    @property
    def text(self) -> str | None:
        """Its text; None without any content."""
        return "".join(part.text for part in self.content) if isinstance(self.content, list) else self.content


class _Choice(Struct):
    """A response: its message, and why the model stopped."""

    message: _Message
    stop_reason: str | None = None


class _Output(Struct):
    completion: str | None = None
    choices: list[_Choice] = []


class _Score(Struct):
    answer: Any = None


class _Usage(Struct):
    input_tokens: int = 0
    output_tokens: int = 0
    total_tokens: int = 0
    input_tokens_cache_write: int | None = None
    input_tokens_cache_read: int | None = None
    reasoning_tokens: int | None = None
    total_cost: float | None = None


class _Sample(Struct):
    """A sample without its ``metadata``, ``store`` and ``events``."""

    id: str | int
    epoch: int = 1
    target: Any = None
    output: _Output | None = None
    scores: dict[str, _Score] | None = None
    messages: list[_Message] = []
    model_usage: dict[str, _Usage] = {}
    role_usage: dict[str, _Usage] | None = None
    total_time: float | None = None
    working_time: float | None = None
    error: Any = None
    attachments: dict[str, str] = {}


class _Dataset(Struct, frozen=True):
    sample_ids: list[str | int] | None = None


class _Config(Struct, frozen=True):
    epochs: int | None = None


class _Role(Struct):
    model: str = ""


class _Scorer(Struct):
    """A scorer with its model, if it names one."""

    name: str = ""
    options: dict[str, Any] | None = None


class _Eval(Struct):
    """A description of a run without its ``model_args`` and ``task_args``."""

    dataset: _Dataset = _Dataset()
    config: _Config = _Config()
    model: str = ""
    model_roles: dict[str, _Role] | None = None
    scorers: list[_Scorer] | None = None
    model_generate_config: dict[str, Any] = {}
    packages: dict[str, str] = {}


class _Plan(Struct):
    steps: list[dict[str, Any]] = []
    config: dict[str, Any] = {}


class _Header(Struct):
    eval: _Eval
    plan: _Plan | None = None
    status: str = ""


class _Document(_Header):
    samples: list[_Sample] | None = None


def read_archive(archive: Archive, wanted: Wanted) -> Log:
    """Read an archive, sample by sample."""
    names = archive.names
    start = next((name for name in (HEADER, START) if name in names), "")
    if not start:
        raise LogError(
            f"File: found an archive without {HEADER}, expected a log (.eval); choose the .eval file itself."
        )
    header = decode(archive.read(start), _Header, f"Entry {start}")
    entries = [name for name in names if name.startswith("samples/") and name.endswith(".json")]
    samples = (decode(archive.read(name), _Sample, f"Entry {name}") for name in entries)
    return _log(header, samples, wanted)


def read_document(content: bytes, wanted: Wanted) -> Log:
    """Read a JSON log."""
    document = decode(content, _Document, "File")
    return _log(document, iter(document.samples or ()), wanted)


def _log(header: _Header, samples: Iterator[_Sample], wanted: Wanted) -> Log:
    others: set[str] = set()
    usage = _UsageOfModel(header.eval)
    read = []
    for sample in samples:
        others |= sample.model_usage.keys() - {header.eval.model}
        read.append(_sample(sample, usage))
    n_samples = len(read)
    unfinished = ""
    n_expected = len(header.eval.dataset.sample_ids or ()) * (header.eval.config.epochs or 1)
    if header.status not in ("", "success") or n_samples < n_expected:
        of = f" of {n_expected:,}" if n_expected >= n_samples else ""
        unfinished = f"status {fact(header.status) or 'unknown'}, {n_samples:,}{of} samples"
    plan = header.plan or _Plan()
    facts: Facts = {
        "model": model_of(header.eval.model),
        "decoding": decoding_of(plan.config, header.eval.model_generate_config),
        "framework": fact(", ".join(f"{name} {version}" for name, version in header.eval.packages.items())),
        "scaffold": fact(", ".join(str(step["solver"]) for step in plan.steps if step.get("solver"))),
    }
    return make_log(KIND, read, wanted, facts, usage.remarks(others), unfinished)


def _sample(sample: _Sample, usage: _UsageOfModel) -> Sample:
    output = sample.output or _Output()
    choice = output.choices[0] if output.choices else None
    completion = output.completion
    if completion is None and choice is not None:
        completion = choice.message.text or ""
    if completion is not None and completion.startswith(_ATTACHMENT):
        completion = sample.attachments.get(completion.removeprefix(_ATTACHMENT))
    answers: dict[str, Any] = {COMPLETION: completion}
    answers |= {f"scores.{name}.answer": score.answer for name, score in (sample.scores or {}).items()}
    taken: dict[str, Any] = {
        "seconds": sample.total_time if sample.working_time is None else sample.working_time,
        "tool_calls": sum(len(message.tool_calls or ()) for message in sample.messages),
        "stop_reason": choice.stop_reason if choice else None,
    }
    taken |= usage.of(sample)
    return Sample(
        f"Sample {fact(str(sample.id))}",
        str(sample.id),
        answers,
        taken,
        has_failed=sample.error is not None,
        n_responses=len(output.choices),
        attempt=sample.epoch,
    )


class _UsageOfModel:
    """What the model that answers took, without what it took in other roles, such as that of the grader.

    A log states usage by model, and that of roles beside it. Where one model answers and grades, and the log does not
    say what it took as the grader, nothing is stated.
    """

    def __init__(self, evaluated: _Eval) -> None:
        self._model = evaluated.model
        roles = {name: role.model for name, role in (evaluated.model_roles or {}).items()}
        self._roles = [name for name, model in roles.items() if model == self._model]
        graders = [scorer for scorer in evaluated.scorers or () if scorer.name.rpartition("/")[2].startswith(_GRADING)]
        named = [(scorer.options or {}).get("model") for scorer in graders]
        # Without a model of its own, and without the role, such a scorer asks the model that answers.
        self._grades_without_role = GRADER not in roles and any(name in (None, self._model) for name in named)
        self._stated: set[str] = set()
        self._mixed: set[str] = set()

    def of(self, sample: _Sample) -> dict[str, Any]:
        """What the answer of a sample took; empty if that is not known."""
        whole = sample.model_usage.get(self._model)
        if whole is None:
            if not sample.model_usage:
                return {}
            if len(sample.model_usage) > 1 or sample.role_usage or self._roles or self._grades_without_role:
                self._mixed.add("other models")
                return {}
            (whole,) = sample.model_usage.values()
        by_role = sample.role_usage or {}
        roles = [*self._roles, *([GRADER] if self._grades_without_role else [])]
        if (self._roles and sample.role_usage is None) or (self._grades_without_role and GRADER not in by_role):
            self._mixed.update(roles)
            return {}
        apart = [by_role[name] for name in roles if name in by_role]
        taken = _taken(whole)
        for usage in apart:
            for name, value in _taken(usage).items():
                known = taken[name]
                taken[name] = None if known is None or value is None else known - value
        if any(value is not None and value < 0 for value in taken.values()):
            self._mixed.update(roles)
            return {}
        if apart:
            self._stated.update(roles)
        return taken

    def remarks(self, others: AbstractSet[str]) -> list[str]:
        """What people should know of these numbers.

        Args:
            others: the other models that the samples used.
        """
        remarks = []
        model = fact(self._model) or "the model"
        if self._mixed:
            named = fact(", ".join(sorted(self._mixed)))
            remarks.append(
                f"Tokens and cost of some or all answers are not stated: {model} also took part as {named}, and the "
                "log does not tell these apart."
            )
        without = [fact(", ".join(sorted(others)))] if others and self._model else []
        without += [f"its own as {fact(', '.join(sorted(self._stated)))}"] if self._stated else []
        if without:
            remarks.append(f"Tokens and cost are those of {model}, without {' and '.join(without)}.")
        return remarks


def _taken(usage: _Usage) -> dict[str, Any]:
    """What calls of a model took, by the names of fields of a usage."""
    return {
        "input_tokens": _read(usage),
        "output_tokens": usage.output_tokens,
        "reasoning_tokens": usage.reasoning_tokens,
        "cost_usd": usage.total_cost,
    }


def _read(usage: _Usage) -> int:
    """The tokens that a model read, those of a cache included. Some providers count these beside the others, and the
    total has both.
    """
    cached = (usage.input_tokens_cache_read or 0) + (usage.input_tokens_cache_write or 0)
    is_beside = usage.input_tokens + cached + usage.output_tokens <= usage.total_tokens
    return usage.input_tokens + (cached if is_beside else 0)
