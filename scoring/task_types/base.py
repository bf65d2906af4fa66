"""The declaration of a task type, and the content of its files."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scoring.generations.records import AnswerFormat, has_content
from scoring.metrics.base import Metric, ReferenceAnswer

if TYPE_CHECKING:
    from scoring.metrics.passage_recall import Passage


class UnusableInputError(Exception):
    """The input cannot be scored; :attr:`problems` says why, one line each."""

    def __init__(self, problems: Sequence[str]) -> None:
        self.problems = list(problems)
        super().__init__("; ".join(self.problems))


def load(where: str) -> Any:
    """What is at ``module:name``."""
    module, _, name = where.partition(":")
    return getattr(import_module(module), name)


def deferred(where: str) -> Callable[..., Any]:
    """The function at ``module:name``, whose module is imported when the function is called."""
    return lambda *arguments: load(where)(*arguments)


_as_text: Callable[[Any], str] = deferred("scoring.metrics.text.normalise:as_text")


@dataclass(frozen=True)
class References:
    """The reference answers of a file, in its order."""

    ids: tuple[str, ...]
    answers: tuple[ReferenceAnswer, ...]
    fingerprint: str
    """First 8 hexadecimal digits of the file's SHA-256."""
    evidence: tuple[tuple[Passage, ...], ...] = ()
    """For each question the passages that are evidence for its answers; empty if the task type has none."""


@dataclass(frozen=True)
class MetricChoice:
    """A metric that fits a task type; its module is imported only when it is used."""

    where: str
    """Module and class, as in an entry point: ``scoring.metrics.rouge:Rouge``."""
    options: tuple[str, ...] = ()
    """The names of the command's options that the class takes, in the order of its arguments."""
    default: bool = True
    """Whether the metric is computed unless others are named."""

    def load(self, options: Mapping[str, str]) -> Metric:
        """The metric with its options."""
        metric: Metric = load(self.where)(*(options[one] for one in self.options))
        return metric


@dataclass(frozen=True)
class Outcomes:
    """The scores that tell what an answer has of its reference."""

    metric: str
    """The metric whose decisions pages explain item by item."""
    shown: str
    """The score that is shown for each question."""
    some: str
    """The score that is above 0 if something was found."""
    all: str
    """The score that is 1 if everything was found."""
    opinions: tuple[str, ...]
    """The scores that are 1 or 0 for each answer: whether it counts as right."""


@dataclass(frozen=True)
class TaskType:
    """What answers to a kind of question look like, and how they are read and scored.

    A further task type is a further object of this class in `scoring.task_types.BUILT_IN`, or in an installed package
    (docs/plugins.md).
    """

    name: str
    """As on the command line: ``answer-list``."""
    metrics: Mapping[str, MetricChoice]
    """The metrics that fit, by name."""
    references_format: str
    """The format of the file of references, in words."""
    read_references: Callable[[Path], References]
    """Reads such a file; raises `UnusableInputError` with everything that is wrong with it."""
    answer_format: Callable[[str | None], AnswerFormat]
    """The format of answers, given the separator that splits texts into lists (None: no splitting)."""
    check_answers: Callable[[Sequence[ReferenceAnswer]], object]
    """Checks reference answers; raises `UnusableReference` with everything that is wrong with them."""
    outcomes: Outcomes | None
    """None if no metric explains results question by question, item by item of the reference."""
    site_metrics: tuple[str, ...] = ()
    """The names of the metrics that fit and that only a site computes, because they need a model."""
    needs_references: bool = True
    """Whether answers are scored against reference answers. If not, any question may lack one, and metrics get an empty
    text for it."""
    reference_from: Callable[[Any], Any] = lambda answer: answer
    """A reference answer of a declared benchmark, which may be written shorter, in the form that is stored."""
    splits_texts: bool = False
    """Whether answers are lists, which may be sent as texts with separators."""
    scores_empty_files: bool = False
    """Whether a file with nothing but empty answers is scored, with 0: it may be what the system found."""
    is_answered: Callable[[str | None], bool] = has_content
    """Whether a stored answer, None if there is no line, has content."""
    plain: Callable[[Any], Any] = lambda reference: reference
    """A reference without what no answer contains, such as aliases: a text, or texts in lists and objects."""
    other_names: Callable[[Any], list[tuple[str, ...]] | None] = lambda reference: None
    """For each item of a plain reference the other names that count; None if items have no other names."""
    copy_of: Callable[[Any], str] = _as_text
    """The answer, as stored, that is a verbatim copy of a reference."""
    texts_of: Callable[[str], tuple[str, ...]] = lambda answer: (answer,)
    """The texts of a stored answer: one, or those of its list in order."""
    typed: Callable[[str], str] = lambda text: text
    """An answer, as stored, from what a person typed; of a list, one answer a line."""
    sent: Callable[[str], Any] = lambda answer: answer
    """A stored answer as a generations file has it."""
    read_passages: Callable[[Path], Mapping[str, tuple[Passage, ...]]] | None = None
    """Reads a file of retrieved passages by question, like `read_references`; None if there are none to score."""

    @property
    def default_metrics(self) -> tuple[str, ...]:
        """The names of the metrics that are computed unless others are named."""
        return tuple(name for name, choice in self.metrics.items() if choice.default)
