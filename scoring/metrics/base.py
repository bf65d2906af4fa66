"""The common interface of all metrics: the form of references and answers, and of the scores.

A metric works in two steps. `Metric.prepare` turns the reference answers of one revision of a split into the form
that the metric compares with, once; `Metric.score` then scores any number of answer sets against it. Scores are
per-item vectors with their aggregate, so that intervals and breakdowns can reuse the items.

Neither this module nor any other of this package imports Django or another part of the site.
"""

from __future__ import annotations

import inspect
import math
import operator
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass
from functools import cache, reduce
from types import MappingProxyType
from typing import Any, ClassVar, Final, Protocol, Self, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from scoring.metrics.columns import Column, Explanation

ReferenceAnswer: TypeAlias = str | int | float | bool | list["ReferenceAnswer"] | dict[str, "ReferenceAnswer"]
"""A primitive, a list, or a dict, nested to any depth. A bool reads as "yes" or "no"."""

ReferencePath: TypeAlias = tuple[int | str, ...]
"""A position in a nested reference: list positions and dict keys from the outside in; ``()`` is the whole reference."""

Progress: TypeAlias = Callable[[int, int], None]
"""``progress(done, total)``, in items: called after every item, and about every half second within a long one, from the
scoring thread. An exception that it raises ends the scoring and reaches the caller unchanged."""


@dataclass(frozen=True)
class ReferenceProblem:
    """One problem of one reference answer."""

    index: int
    """Position of the reference among those given to `Metric.prepare`, from 0."""
    path: ReferencePath
    """The position inside that reference."""
    what: str
    """The problem in words, without the reference's own text (references are private)."""

    @property
    def place(self) -> str:
        """The path in Python notation: ``['a'][0]``."""
        return "".join(f"[{step!r}]" for step in self.path)

    def __str__(self) -> str:
        return f"reference {self.index}{self.place}: {self.what}"


class UnusableReference(ValueError):  # noqa: N818 (named as what it is, like the rest of the domain errors)
    """Some references cannot be scored. `problems` lists all of them, not only the first."""

    def __init__(self, problems: Sequence[ReferenceProblem]) -> None:
        self.problems: tuple[ReferenceProblem, ...] = tuple(problems)
        super().__init__("; ".join(map(str, self.problems)))


EMPTY_CONTAINER = "an empty list or dict has no items to find"
MAX_DEPTH: Final = 50
"""Maximum nesting of lists and dicts in a reference."""
TOO_DEEP: Final = f"expected at most {MAX_DEPTH} lists or dicts inside each other, found more"


def check_references(references: Sequence[ReferenceAnswer]) -> None:
    """Reject references that cannot be scored.

    Raises:
        UnusableReference: If some contain an empty list or dict, whose share is undefined, or a value that is neither a
            primitive nor a container (such as ``None``), or are nested deeper than `MAX_DEPTH`; all are listed.

    >>> check_references(["Oslo", ["a", {"b": 2}], True])
    >>> try:
    ...     check_references(["Oslo", [], {"a": [{}]}])
    ... except UnusableReference as error:
    ...     print(*error.problems, sep="\\n")
    reference 1: an empty list or dict has no items to find
    reference 2['a'][0]: an empty list or dict has no items to find
    """
    problems: list[ReferenceProblem] = []
    for index, reference in enumerate(references):
        # In reading order; without recursion, because it may be nested too deeply.
        waiting: list[tuple[ReferencePath, object]] = [((), reference)]
        while waiting:
            path, value = waiting.pop()
            what = ""
            if not isinstance(value, list | dict):
                if not isinstance(value, str | int | float):
                    what = f"expected text, a number, yes/no, a list or a dict, found {type(value).__name__}"
            elif len(path) >= MAX_DEPTH:
                what = TOO_DEEP
            elif not value:
                what = EMPTY_CONTAINER
            else:
                inner = enumerate(value) if isinstance(value, list) else value.items()
                waiting.extend(reversed([((*path, step), item) for step, item in inner]))
            if what:
                problems.append(ReferenceProblem(index, path, what))
    if problems:
        raise UnusableReference(problems)


@dataclass(frozen=True)
class Primitive:
    """A text, number or bool of a reference, at any depth."""

    path: ReferencePath
    """Position of the value in the reference; a dict's key and its value share one path."""
    is_key: bool
    """Whether it is the key at that path, not the value."""
    value: str | int | float | bool

    @property
    def text(self) -> str:
        """The value as text; a bool reads as "yes" or "no"."""
        if isinstance(self.value, bool):
            return "yes" if self.value else "no"
        return str(self.value)


def primitives(reference: ReferenceAnswer) -> Iterator[Primitive]:
    """Every primitive of a reference, in reading order, a key before its value; without recursion.

    >>> [item.text for item in primitives({"Oslo": [1, True]})]
    ['Oslo', '1', 'yes']
    """
    waiting: list[tuple[ReferencePath, bool, ReferenceAnswer]] = [((), False, reference)]
    while waiting:
        path, is_key, value = waiting.pop()
        if isinstance(value, list):
            waiting.extend(((*path, index), False, item) for index, item in reversed(list(enumerate(value))))
        elif isinstance(value, dict):
            for key, item in reversed(value.items()):
                waiting.append(((*path, key), False, item))
                waiting.append(((*path, key), True, key))
        else:
            yield Primitive(path, is_key, value)


@dataclass(frozen=True)
class ScoredVector:
    """One named score of one answer set."""

    value: float
    """The aggregate over all items, bit-equal to the official scorer's. Never rounded."""
    per_item: NDArray[np.float64]
    """Shape ``(n_items,)``, in the order given; 0.0 where there was no answer. Empty if the value is no mean over items
    (`of_all_items`)."""
    weights: NDArray[np.float64] | None = None
    """What each item counts in the value, a weighted mean: 0 if it does not; shape ``(n_items,)``. None if all items
    count alike. They may depend on the answer: among those attempted, an answer that was none counts 0."""

    @classmethod
    def of_all_items(cls, value: float) -> Self:
        """A score that is made of all items together and has no value for one, such as a calibration error: nothing
        is computed from its items, neither an interval nor ranks, comparisons or values of categories."""
        return cls(value, np.empty(0, dtype=np.float64))

    def times(self, weights: Sequence[float] | None) -> ScoredVector:
        """The score if its items have these weights besides their own; itself without weights, and if it is no mean.

        Args:
            weights: Above 0, shape ``(n_items,)``.
        """
        if weights is None or not self.per_item.size:
            return self
        counts = np.asarray(weights, dtype=np.float64) * (1.0 if self.weights is None else self.weights)
        return ScoredVector(float(np.average(self.per_item, weights=counts)), self.per_item, counts)


SERVED: Final = "|served:"
"""Begins the last part of a score's signature, which is known only after scoring: who or what computed it. A run's
signature does not have it."""

CLIPPED: Final = "clip:mean"
"""Part of the signature of scores whose value and interval are clipped to 0 to 1 when they are stored. The values of
items are not, and all that is computed from them (ranks, differences, values of categories) is as without it."""


def clipped(number: float, signature: str) -> float:
    """The value of a score, or an end of its interval, as it is stored under a signature.

    >>> clipped(-0.25, f"rubric|{CLIPPED}|data:dev@0"), clipped(-0.25, "rubric|data:dev@0")
    (0.0, -0.25)
    """
    return min(max(number, 0.0), 1.0) if CLIPPED in signature.split("|") else number


TOTAL: Final = 10
"""The answers of a file may take this many times the time of one, before the rest must be quick."""
REST: Final = 0.03
"""The share of its time that an answer has from then on."""


class AnswerTooLongError(Exception):
    """Scoring one answer has used up its time budget."""


class AnswerBudget:
    """The processor time that a metric may spend on one answer.

    A file with one hostile answer must not occupy a worker. An answer over the budget is not scored: it counts as
    unanswered and is listed, and the others are scored. The clock is the thread's processor time, not the time of day,
    so a busy machine gives the same scores; ordinary answers take a thousandth of the default budget.

    A file of many such answers must not occupy it either: once all answers together took `TOTAL` times as long, each
    further one has the share `REST` of the time, which is ample for ordinary answers.

    Args:
        seconds: For each answer.
    """

    def __init__(self, seconds: float = math.inf, clock: Callable[[], float] = time.thread_time) -> None:
        self.seconds = seconds
        self.used = 0.0
        """Seconds that all answers took so far."""
        self.too_long: list[int] = []
        """Positions of the answers that were not scored."""
        self._clock = clock
        self._until = math.inf

    @contextmanager
    def answer(self, position: int) -> Iterator[None]:
        """Score one answer within the body; if its time is used up, the body ends and the position is listed."""
        begin = self._clock()
        self._until = begin + (self.seconds if self.used < self.seconds * TOTAL else self.seconds * REST)
        try:
            yield
        except AnswerTooLongError:
            self.too_long.append(position)
        finally:
            self.used += self._clock() - begin
            self._until = math.inf

    def check(self, ahead: float = 0.0) -> None:
        """Called at intervals during long work on an answer.

        Args:
            ahead: Processor seconds that the next step takes at most, if it cannot be interrupted.

        Raises:
            AnswerTooLongError: If its time is used up, or may be after that step.
        """
        if self._clock() + ahead > self._until:
            raise AnswerTooLongError


class Tick(Protocol):
    """Called at intervals during long work, from the working thread, with the processor seconds that the next step
    takes at most, if it cannot be interrupted; an exception that it raises ends the work."""

    def __call__(self, ahead: float = 0.0, /) -> None: ...


def no_tick(ahead: float = 0.0, /) -> None:
    """The default: progress is not reported."""


_Prepared = TypeVar("_Prepared")
_Result = TypeVar("_Result")


def score_each(
    prepared: Sequence[_Prepared],
    generations: Sequence[str | None],
    score: Callable[[_Prepared, str, Tick], _Result],
    unscored: _Result,
    progress: Progress | None,
    budget: AnswerBudget | None,
) -> list[_Result]:
    """Score answers one by one, each within its time; for `Metric.score`, whose arguments these are.

    Args:
        score: The result for a prepared reference and an answer.
        unscored: The result where there is no answer, or its time was used up.
    """
    n_items = len(prepared)
    check_lengths(n_items, len(generations))
    budget = budget or AnswerBudget()
    results: list[_Result] = []

    def tick(ahead: float = 0.0, /) -> None:
        budget.check(ahead)
        if progress:
            progress(len(results), n_items)

    for position, (reference, generation) in enumerate(zip(prepared, generations, strict=True)):
        result = unscored
        if generation is not None:
            with budget.answer(position):
                result = score(reference, generation, tick)
        results.append(result)
        tick()
    return results


class Site(Protocol):
    """The settings of a site that metrics read, by the names of their variables."""

    def __getattr__(self, name: str, /) -> Any: ...


class MetricUnavailableError(Exception):
    """A metric found, while it scored, that it cannot run on this machine."""

    @property
    def reason(self) -> str:
        """For maintainers, in a sentence."""
        return str(self)


REASONING_REMOVED: Final = "reasoning:removed"
"""The part of a signature whose benchmark removes reasoning from answers."""


class Metric(ABC):
    """A method to compare answers with references, and everything that a site shows of it.

    Without arguments a metric can always be made, and cheaply: it is described without being able to score.
    """

    name: ClassVar[str]
    """Short name, as on the command line and in the registry: ``"accuracy"``."""
    version: ClassVar[str]
    """The version of Manyhop in which this metric's numbers last changed; in an installed package, that it was written
    for."""
    score_names: ClassVar[tuple[str, ...]]
    """Names of the scores that `score` returns, in the order to show them."""
    label: ClassVar[str]
    """Name of the metric on pages."""
    task_types: ClassVar[tuple[str, ...]]
    """The names of the task types that it fits."""
    by_default: ClassVar[bool] = False
    """Whether the command line computes it unless others are named."""
    needs_site: ClassVar[bool] = False
    """Whether only a site computes it: it needs a model, or files that the command line reads otherwise."""
    formula: ClassVar[str] = ""
    """The template of its formula in `scoring.metrics`; without one pages show the explanation's."""
    queue: ClassVar[str] = "cpu"
    """The queue of the workers that compute it."""
    package: ClassVar[str] = ""
    """Name and version of the installed package that has it, ``manyhop-example:1.0``; empty for those of Manyhop."""
    reads_passages: ClassVar[bool] = False
    """Whether it scores a system's retrieved passages, each question's as JSON, not its answers."""
    reads_citations: ClassVar[bool] = False
    """Whether it reads the citations of answers: it gets each answer as `scoring.metrics.cited.answers.packed` has it.
    Files of a benchmark with such a metric may have citations."""
    compares: ClassVar[bool] = False
    """Whether it compares answers with those of an opponent."""

    removes_reasoning: bool = False
    """Whether its benchmark removes reasoning from answers before it scores them (`removing_reasoning`)."""

    def columns(self) -> tuple[Column, ...]:
        """The columns that it gives a leaderboard, for benchmarks that do not declare others; here one for each score.

        A hidden split shows the first one alone, until a declaration says otherwise: nothing is known of the others.
        """
        names = [score.removeprefix(f"{self.name}.") for score in self.score_names]
        return tuple(
            Column(
                score=score,
                metric=self.name,
                label=f"{self.label}, {name}" if len(names) > 1 else self.label,
                short_label=name if len(names) > 1 else self.label,
                group=self.label,
                description="",
                disclosed=score == self.score_names[0],
            )
            for score, name in zip(self.score_names, names, strict=True)
        )

    def column(
        self, part: str, label: str, short_label: str, description: str, *, group: str = "", **changes: Any
    ) -> Column:
        """The column of one of its several scores, whose name ends with *part*, with further fields of `Column`."""
        return Column(f"{self.name}.{part}", self.name, label, short_label, group or self.label, description, **changes)

    def unmet_need(self, references: Sequence[ReferenceAnswer], evidence: Sequence[Sequence[object]]) -> str:
        """What it needs and no question of a split has, in words; empty if nothing is missing.

        Args:
            references: Those of the questions that have one.
            evidence: The pages of each question.
        """
        del references, evidence
        return ""

    def explanation(self) -> Explanation:
        """Explanation of the metric for readers; here the first paragraph of its docstring."""
        return Explanation(" ".join((inspect.getdoc(type(self)) or "").split("\n\n")[0].split()), "", ())

    @classmethod
    def parameters(cls) -> tuple[str, ...]:
        """The names of the parameters that a benchmark may set: the keyword-only arguments."""
        arguments = inspect.signature(cls).parameters.values()
        return tuple(argument.name for argument in arguments if argument.kind is argument.KEYWORD_ONLY)

    @classmethod
    def unavailable(cls, site: Site) -> str:
        """Reason why the metric cannot run on this machine now, in one sentence for maintainers; empty if it can."""
        del site
        return ""

    @classmethod
    def invalid_settings(cls, site: Site) -> dict[str, str]:
        """Expected values by the variables that have an invalid one (the end of the sentence "It must be …")."""
        del site
        return {}

    @classmethod
    def on_site(cls, site: Site, **parameters: Any) -> Self:
        """The metric as a site computes it, with the parameters that a benchmark sets, which enter the signature.

        Raises:
            TypeError: If the metric has no such parameter.
            ValueError: If a value does not fit.
        """
        del site
        return made_once(cls, **parameters)

    @abstractmethod
    def signature_parts(self) -> tuple[str, ...]:
        """``key:value`` parts naming everything besides the data that can change this metric's numbers."""

    def signature(self, data: str | None = None) -> str:
        """One line that describes how a number was made; scores are comparable only if their signatures are equal.

        Cheap: reads the versions of installed packages, loads no model.

        Args:
            data: The data scored against, ``"<split>@<revision>"``; left out if not given.

        Returns:
            Parts joined by ``|``: the metric's name, its parts, the data, and the Manyhop version that last changed its
            numbers, for example ``accuracy|lemma:…|spacy:…|ftfy:…|data:dev@3f2a9c1b|manyhop:0.1.0``. A metric of an
            installed package also has the package's version.
        """
        parts = [self.name, *self.signature_parts()]
        if self.package:
            parts.append(self.package)
        if self.removes_reasoning:
            parts.append(REASONING_REMOVED)
        if data is not None:
            parts.append(f"data:{data}")
        parts.append(f"manyhop:{self.version}")
        return "|".join(parts)

    @classmethod
    def gpu(cls, site: Site) -> str:
        """The GPU of this machine that it needs for itself, such as ``cuda:0``; empty if it needs none."""
        del site
        return ""

    def observed(self) -> str:
        """Further cause of different numbers, known only where they are computed, such as the model that served; added
        to the scores' signature."""
        return ""

    def self_check(self) -> None:  # noqa: B027 - most metrics have nothing that can be installed wrongly
        """Load the metric's dependencies and check that they work, at the start of a worker; the message of an error
        says what to do."""

    @abstractmethod
    def prepare(self, references: Sequence[ReferenceAnswer]) -> Any:
        """Prepare references, one an item, for comparison, once for any number of answer sets.

        Returns:
            An object for `score` of the same metric. It does not change afterwards and may be cached.

        Raises:
            UnusableReference: Listing every reference that cannot be scored.
        """

    @abstractmethod
    def score(
        self,
        prepared: Any,
        generations: Sequence[str | None],
        progress: Progress | None = None,
        budget: AnswerBudget | None = None,
    ) -> dict[str, ScoredVector]:
        """Score one answer set.

        Args:
            prepared: What `prepare` returned.
            generations: One answer per reference, in the same order; ``None`` where there is no answer, which scores 0
                and is counted. An empty string is an answer.
            progress: Called to report progress; see `Progress`.
            budget: The processor time for each answer; it lists those that were not scored. Without limit if not given.

        Returns:
            One `ScoredVector` for each of `score_names`.

        Raises:
            ValueError: If the number of generations is not the number of references, or it is 0.
        """

    def mean(self, values: Sequence[float]) -> float:
        """The value of a score for an answer set, from its values for the items in their order."""
        return official_mean(values, len(values))


_M = TypeVar("_M", bound=Metric)


def made_once(metric: type[_M], *arguments: Any, **parameters: Any) -> _M:
    """A metric of this process; with equal arguments always the same object, because metrics cache what they read."""
    made: _M = _made(metric, *arguments, **parameters)
    return made


_made = cache(operator.call)


@cache
def removing_reasoning(metric: _M) -> _M:
    """A metric for benchmarks that remove reasoning from answers; another object, because benchmarks share metrics."""
    other = copy(metric)
    other.removes_reasoning = True
    return other


def check_lengths(n_references: int, n_generations: int) -> None:
    """Reject answer sets that do not match the references.

    Raises:
        ValueError: If the numbers differ, or there is nothing to score (a mean of nothing is undefined).
    """
    if n_references != n_generations:
        raise ValueError(f"{n_references} references but {n_generations} generations")
    if not n_references:
        raise ValueError("no references: a mean over no items is undefined")


ROUNDING: Final = 1e-9
"""A score of 1 or 0 may differ from it by this much."""


class ScoresError(ValueError):
    """Scores of a metric that cannot be stored. The message has no text of a question or an answer, and no
    number."""


def check_scores(
    metric: Metric,
    scores: Mapping[str, ScoredVector],
    n_items: int,
    bounds: Mapping[str, tuple[float, float] | None] = MappingProxyType({}),
) -> None:
    """Reject scores that cannot be stored: a metric may come from an installed package.

    Args:
        bounds: By name: those of the scores' columns, or None for a column without any; 0 and 1 if not given.

    Raises:
        ScoresError: If they are none, or others than the metric names, or not one finite number for each item; for a
            metric from a package, also if they are beyond the bounds.
    """
    if not scores or not set(scores) <= set(metric.score_names):
        raise ScoresError(f"{metric.name} gave the scores {sorted(scores)}, not some of {sorted(metric.score_names)}")
    for name, score in scores.items():
        if score.per_item.shape != (n_items,):
            raise ScoresError(f"{name} has values of shape {score.per_item.shape}, not one for each of {n_items} items")
        every = np.append(score.per_item, score.value)
        if not np.isfinite(every).all():
            raise ScoresError(f"{name} has a value that is no finite number")
        weights = score.per_item if score.weights is None else score.weights
        if weights.shape != (n_items,) or not np.isfinite(weights).all():
            raise ScoresError(f"{name} has weights that are not one number for each of {n_items} items")
        if score.weights is not None and not weights.min() >= 0 < weights.max():
            raise ScoresError(f"{name} has a negative weight, or none above 0")
        allowed = bounds.get(name, (0.0, 1.0))
        if not metric.package or allowed is None:
            continue
        if every.min() < allowed[0] - ROUNDING or every.max() > allowed[1] + ROUNDING:
            what = "no shares from 0 to 1" if allowed == (0.0, 1.0) else f"not from {allowed[0]:g} to {allowed[1]:g}"
            raise ScoresError(f"{name} has values that are {what}")


def official_mean(values: Sequence[float], n_items: int) -> float:
    """The mean as the official scorers compute it with Python 3.11: added from left to right, divided once.

    Not by ``sum``, which compensates rounding from Python 3.12 on: there its last bit is another.

    >>> official_mean([0.1] * 10, 10)
    0.09999999999999999
    """
    return reduce(operator.add, values, 0) / n_items
