"""A task type's declaration, and the content of its files."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from scoring.files.mistakes import Mistake, SourceError, described, repeated, shown
from scoring.files.objects import Place
from scoring.generations.reasoning import without_reasoning
from scoring.generations.records import AnswerFormat, has_content
from scoring.metrics.base import Metric, ReferenceAnswer, UnusableReference

if TYPE_CHECKING:
    from scoring.metrics.passage_recall import Passage


UnusableInputError = SourceError
"""`SourceError` under the name that packages know."""


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
    is_whole: bool = False
    """Whether an answer is right or wrong as a whole: any text that the reference accepts is enough."""


class Doubt(NamedTuple):
    """What is odd about a reference answer, without any part of it."""

    field: str
    """The key of the question that says it."""
    found: str
    expected: str
    fix: str


class TaskType(ABC):
    """What answers to a kind of question look like, and how they are read and scored.

    A further task type is a further subclass in `scoring.task_types.BUILT_IN`, or in an installed package
    (docs/plugins.md).
    """

    name: str
    """Name on the command line, such as ``answer-list``."""
    metrics: Collection[str] = ()
    """The names of metrics that fit, besides those that name the task type (`Metric.task_types`)."""
    references_format: str
    """The format of the file of references, in words."""
    outcomes: Outcomes | None = None
    """Scores that explain results; None if no metric explains them question by question, item by item of the
    reference."""
    names_without_review: int | None = None
    """Limit of names as in `BenchmarkDefinition`, for a benchmark that declares none: where scores lose nothing by long
    answers."""
    length_without_review: int | None = None
    needs_references: bool = True
    """Whether answers are scored against reference answers. If not, any question may lack one, and metrics get an empty
    text for it."""
    has_markdown: bool = False
    """Whether answers are Markdown: reports, which pages show with their headings, tables and footnotes."""
    by_criteria: bool = False
    """Whether references are criteria, of which people decide each, and not items that an answer has."""
    question_keys: Collection[str] = ()
    """Keys of a question in a declared folder that belong to its reference answer."""
    answer_fields: Collection[str] = ()
    """Fields of objects in the reference answers of a declared folder, for the correction of misspelt ones."""
    splits_texts: bool = False
    """Whether answers are lists, which may be sent as texts with separators."""
    scores_empty_files: bool = False
    """Whether a file with nothing but empty answers is scored, with 0: it may be what the system found."""
    has_passages: bool = False
    """Whether `read_passages` reads retrieved passages, and there are scores of them."""

    package: str = ""
    """Name and version of the installed package that has it; empty for those of Manyhop."""

    def fits(self, metric: type[Metric]) -> bool:
        """Whether a metric can score such answers."""
        return self.name in metric.task_types or metric.name in self.metrics

    def outcomes_with(self, metrics: Collection[str]) -> Outcomes | None:
        """The scores that explain answers of a benchmark that declares some metrics, by their names."""
        return self.outcomes

    def has_by_default(self, metric: type[Metric]) -> bool:
        """Whether the command line computes a metric that fits unless others are named. Of packages it computes those
        that the task type names, and for a package's own task type all."""
        return metric.name in self.metrics or bool(self.package) if metric.package else metric.by_default

    # Files

    @abstractmethod
    def read_references(self, path: Path) -> References:
        """Read a file of references.

        Raises:
            UnusableInputError: Listing everything that is wrong with it.
        """

    @abstractmethod
    def answer_format(self, separator: str | None) -> AnswerFormat:
        """The format of answers, given the separator that splits texts into lists (None: no splitting)."""

    def read_passages(self, path: Path) -> Mapping[str, tuple[Passage, ...]]:
        """Read a file of retrieved passages by question, if the task type `has_passages`.

        Raises:
            UnusableInputError: Listing everything that is wrong with it.
        """
        raise NotImplementedError

    # Answers: by default one text

    def is_answered(self, answer: str | None) -> bool:
        """Whether a stored answer, None if there is no line, has content."""
        return has_content(answer)

    def texts_of(self, answer: str) -> tuple[str, ...]:
        """The texts of a stored answer: one, or those of its list in order."""
        return (answer,)

    def without_reasoning(self, answer: str) -> str:
        """A stored answer without its blocks of reasoning; one that has none is returned as it is."""
        return without_reasoning(answer)

    def typed(self, text: str) -> str:
        """An answer, as stored, from what a person typed; of a list, one answer a line."""
        return text

    def sent(self, answer: str) -> Any:
        """A stored answer as a generations file has it."""
        return answer

    # References

    @abstractmethod
    def check(self, references: Sequence[ReferenceAnswer]) -> None:
        """Check reference answers.

        Raises:
            UnusableReference: With everything that is wrong with them.
        """

    def mistakes_in(
        self,
        references: Sequence[ReferenceAnswer],
        places: Sequence[Place],
        *,
        are_public: bool = False,
        check: Callable[[Sequence[ReferenceAnswer]], object] | None = None,
    ) -> Iterator[Mistake]:
        """Mistakes that `check` finds in the reference answers of a file, without any part of hidden ones.

        Args:
            check: What raises `UnusableReference` with them; by default `self.check`.
        """
        try:
            (check or self.check)(references)
        except UnusableReference as error:
            for problem in error.problems:
                # By position, never by another key: the keys of an answer are part of it.
                path = "".join(f"[{step}]" for step in problem.path if isinstance(step, int))
                if self.by_criteria and path:  # fields of criteria have the same names everywhere
                    path += "".join(f".{step}" for step in problem.path[2:])
                reference = references[problem.index]
                own: Any = reference
                found = ""
                try:
                    for step in problem.path:
                        own = own[step]
                except KeyError as missing:
                    found = f"an object without {missing.args[0]}"
                except (LookupError, TypeError):  # an item that is missing
                    pass
                is_shown = are_public and isinstance(own, str | int | float)
                found = found or (shown(own) if is_shown else "an unusable item" if path else described(own))
                expected = problem.what.partition("expected ")[2].partition(", found")[0] or "an answer with items"
                field = f"answer{path}"
                beside = str(problem.path[0]) if problem.path else ""
                if beside in self.question_keys and isinstance(reference, dict):  # it is no part of the answer
                    field = beside
                    found = str(own) if isinstance(own, int | float) else found
                yield places[problem.index].mistake(field, found, expected)

    def stored(self, answer: Any) -> Any:
        """A reference answer of a declared benchmark, which may be written shorter, in the form that is stored."""
        return answer

    def unread_fields(self, answer: Any) -> Iterable[str]:
        """The fields of a reference answer of a declared benchmark that mean nothing."""
        return ()

    def with_question(self, reference: Any, stated: Mapping[str, Any]) -> Any:
        """A stored reference answer, completed by what its question states.

        Args:
            reference: the reference answer.
            stated: values of `question_keys`, and perhaps ``language`` and ``choices`` (options by their labels).
        """
        return reference

    def contradict(self, reference: Any, other: Any) -> bool:
        """Whether two stored reference answers to one question, of two files, do not say the same."""
        return bool(reference != other)

    def weight_of(self, reference: Any) -> float | None:
        """What the question of a stored reference counts in scores; None for 1."""
        return None

    def plain(self, reference: Any) -> Any:
        """A reference without what no answer contains, such as aliases: a text, or texts in lists and objects."""
        return reference

    def other_names(self, reference: Any) -> list[tuple[str, ...]] | None:
        """For each item of a plain reference the other names that count; None if items have no other names."""
        return None

    def doubts(self, reference: Any) -> Iterator[Doubt]:
        """What a stored reference that `check` accepts says and its author probably did not mean."""
        return iter(())

    def doubtful_entries(self, reference: Any) -> list[int]:
        """The positions of entries of a reference that may cost a perfect answer something: repeated ones."""
        entries = self.plain(reference)
        texts = [str(entry).casefold() for entry in entries] if isinstance(entries, list) else []
        return [place for place, _ in repeated(texts)]

    def copy_of(self, reference: Any) -> str:
        """The answer, as stored, that is a verbatim copy of a reference."""
        from scoring.metrics.text.normalise import as_text  # when needed: every command starts faster

        return as_text(reference)
