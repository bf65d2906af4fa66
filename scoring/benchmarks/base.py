"""A benchmark's definition: splits, settings, metrics, columns, and how to read its files."""

from __future__ import annotations

import datetime
import hashlib
import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from scoring.benchmarks.attributes import Attribute
from scoring.benchmarks.columns import columns_of
from scoring.files.mistakes import SourceError as SourceError  # packages import it from here
from scoring.generations.attempts import ANY_NUMBER, AttemptRule
from scoring.generations.records import AnswerFormat
from scoring.metrics.columns import Column, Explanation
from scoring.task_types import known_metrics, task_type_named

if TYPE_CHECKING:
    from scoring.benchmarks.form import BenchmarkTable, SettingTable, SplitTable, SubsetTable

NO_ANSWER: Final = object()
"""The reference answer of a question for which the file gives no answer."""
_encode: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


@dataclass(frozen=True)
class CardSection:
    """A part of a data card: paragraphs, points, and the source of each fact."""

    slug: str
    title: str
    paragraphs: tuple[str, ...] = ()
    points: tuple[str, ...] = ()
    source: str = ""


@dataclass(frozen=True)
class DataCard:
    """What readers should know about a benchmark's data before using it, besides what its form says."""

    lede: str
    sections: tuple[CardSection, ...]


@dataclass(frozen=True, slots=True)
class SourceQuestion:
    """A question as read from a file."""

    qid: str
    text: str
    categories: tuple[str, ...]
    evidence: tuple[Mapping[str, Any], ...]
    decomposition: tuple[Mapping[str, Any], ...] = ()
    answer: Any = NO_ANSWER
    answer_categories: tuple[str, ...] = ()
    """Further categories, which tell something of the answer: a hidden split does not get them."""
    answer_evidence: tuple[Mapping[str, Any], ...] = ()
    """Further evidence, which tells the answer: a hidden split does not get it."""
    cluster: str = ""
    """The name of its cluster of similar questions, if the benchmark has clusters. No part of the content's hash."""
    context: tuple[Any, ...] = ()
    """What it is about: texts, tables as lists of rows, and its options by their labels."""
    language: str = ""
    """The code of its language; empty if it is not stated."""

    def in_split(self, *, hidden: bool) -> SourceQuestion:
        """The question as a split has it: with the further categories and evidence, or, if it is hidden, without."""
        if not self.answer_categories and not self.answer_evidence:
            return self
        further: tuple[Any, Any] = ((), ()) if hidden else (self.answer_categories, self.answer_evidence)
        return replace(
            self,
            categories=(*self.categories, *further[0]),
            evidence=(*self.evidence, *further[1]),
            answer_categories=(),
            answer_evidence=(),
        )

    @property
    def has_answer(self) -> bool:
        """Whether the file gives a reference answer."""
        return self.answer is not NO_ANSWER


@dataclass(frozen=True)
class SourceFile:
    """The questions of one file, with warnings that do not stop an import."""

    questions: tuple[SourceQuestion, ...]
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True)
class PublishedRow:
    """A row of a published table. A score that the table lacks is missing from ``values``: it is not a zero."""

    system: str
    setting: str
    values: Mapping[str, float]
    context_size: int | None
    source: str
    note: str = ""


@dataclass(frozen=True)
class PublishedResults:
    """Published numbers, with the systems that they belong to (the fields of the submission template, by slug)."""

    split: str
    published: datetime.date
    systems: Mapping[str, Mapping[str, Any]]
    """With ``aliases``: the names that other sources, such as official results, have for the same system."""
    rows: tuple[PublishedRow, ...]

    def name_of(self, known_as: Collection[str]) -> str:
        """The name in this table of the system that has one of these names, or is called so elsewhere; or none."""
        for fields in self.systems.values():
            if not {fields["name"], *fields.get("aliases", ())}.isdisjoint(known_as):
                return str(fields["name"])
        return ""


@dataclass(frozen=True)
class ResultField:
    """The place of one score in a results file of a benchmark's own scorer.

    ``zero_is_missing``: that scorer writes the whole number 0 where it did not compute the score, and 0.0 for a score.
    """

    path: tuple[str, ...]
    """The keys that lead to it inside a setting's object."""
    score: str
    low: float = 0.0
    high: float = 1.0
    zero_is_missing: bool = False


@dataclass(frozen=True)
class OfficialLayout:
    """The layout of submissions and results in a benchmark's own repository, for importing them."""

    split: str
    """The split of the submissions."""
    roots: tuple[str, ...]
    """The path in the repository where the layout begins; empty for the given folder."""
    metadata: str
    """The folder of the system descriptions, one JSON file each."""
    fields: Mapping[str, str]
    """By a description's key: this site's name for the same field."""
    generations: Mapping[str, str]
    """By setting: the folder of its generations files."""
    file_fields: Mapping[str, str]
    """By setting: the key of a description that names the generations file."""
    results: str
    """The folder of the results files, one JSON file each."""
    results_metadata: str
    """The key of a results file that holds the system's description."""
    result_settings: Mapping[str, str]
    """By setting: the key of a results file that holds its scores."""
    result_fields: tuple[ResultField, ...]
    results_ignored: frozenset[str]
    """Ignored keys of a results file."""
    source: str
    """Where the numbers of a results file were published; ``{file}`` is a placeholder for its name."""
    note: str
    """What readers must know about these numbers."""
    result_dates: Mapping[str, datetime.date] = field(default_factory=dict)
    """By name of a results file, which does not say it: when its numbers were published."""


@dataclass(frozen=True)
class PackagedSplit:
    """A split's questions as the benchmark's own package contains them."""

    source: SourceFile
    date: datetime.date
    note: str


@dataclass(frozen=True)
class EvidenceArticle:
    """A stand-in for an article that questions rely on: its content comes from published sub-questions."""

    title: str
    url: str
    page_id: int | None
    revision_id: int | None
    facts: Mapping[str, Sequence[tuple[str, ...]]]
    """By question, the rows of its answer; two columns if the answer is a table."""
    see_also: tuple[str, ...] = ()
    """The titles of further articles."""


@dataclass(frozen=True)
class Importer:
    """What a folder cannot declare of a benchmark: how its published files are read (docs/benchmarks.md#importers)."""

    read_file: Callable[[Path], SourceFile]
    """Reads a file of questions; raises `SourceError` with every problem, each with its place."""
    packaged: Callable[[], Mapping[str, PackagedSplit]] = dict
    """The questions that an installed package contains, by split."""
    demo_articles: Callable[[], tuple[EvidenceArticle, ...]] | None = None
    """Stand-ins for the articles of published questions, for a small encyclopedia; never for a hidden split."""
    official: OfficialLayout | None = None
    """The layout of submissions in the benchmark's own repository, if it has one."""
    requirement: str = ""
    """What pip installs of the package with its questions, such as ``name==1.0``; empty if there is none."""


@dataclass(frozen=True)
class BenchmarkDefinition:
    """The complete declaration of a benchmark: what its form says, and what follows from it."""

    form: BenchmarkTable
    """Content of the benchmark's ``benchmark.toml``."""
    slug: str
    name: str
    task_type: str
    """What an answer is: the name of a task type (`scoring.task_types.TASK_TYPES`)."""
    splits: tuple[SplitTable, ...]
    settings: tuple[SettingTable, ...]
    subsets: tuple[SubsetTable, ...]
    """Subsets of splits; `scoring.benchmarks.subsets` has their metrics and columns."""
    metrics: tuple[str, ...]
    columns: tuple[Column, ...]
    default_split: str
    default_setting: str
    default_sort: str
    explanations: Mapping[str, Explanation]
    """By metric."""
    compared: tuple[tuple[str, str], ...]
    """Pairs of columns (a score as published, and its repaired form) whose difference readers are shown."""
    published_results: PublishedResults | None
    card: DataCard
    prompts: Mapping[str, str]
    """The prompts of its folder, by file name."""
    metric_parameters: Mapping[str, Mapping[str, Any]]
    """By metric: parameters that differ from its own, by their names. They enter the signature."""
    names_without_review: int | None
    """On a hidden split, scores of a file with an answer of more names and numbers (`scoring.analysis.probing.n_names`)
    wait for a maintainer; None: no limit."""
    length_without_review: int | None
    """On a hidden split, scores of a file with several answers of more characters wait likewise."""
    upper_bounds: frozenset[str]
    """The names of published rows of people that are an upper bound, not human performance."""
    first_source: str
    """``official`` or ``paper``: the row of a system that has official results and a paper's scores."""
    attributes: tuple[Attribute, ...]
    """What its systems state of themselves, in the order of the form."""
    importer: Importer
    """The reader of its published files; of a folder without one, that of its own question files."""
    questions: Mapping[str, PackagedSplit] = field(default_factory=dict)
    """The questions in its folder, by split; none where a declaration is stored."""

    def packaged(self) -> Mapping[str, PackagedSplit]:
        """The questions that its folder or an installed package contains, by split."""
        return {**self.importer.packaged(), **self.questions}

    def read_file(self, path: Path) -> SourceFile:
        """Read a file of questions; raises `SourceError` with every mistake."""
        return self.importer.read_file(path)

    @property
    def headline_metric(self) -> str:
        """The metric of the score that boards are ordered by: answers without it are not scored."""
        return next(column.metric for column in self.columns if column.score == self.default_sort)

    @property
    def percent(self) -> bool:
        """Whether pages show shares as per cent, as the benchmark's paper does."""
        return any(column.percent for column in self.columns)

    def column(self, score: str) -> Column:
        """The column of a score; of one that boards do not show, the usual column of its metric. A score of no metric,
        such as that of grades by hand, is a share."""
        own = next((column for column in self.columns if column.score == score), None)
        if own is not None:
            return own
        plain = Column(score, "", score, score, "", "")
        usual = next((column for column in columns_of(self.metrics) if column.score == score), plain)
        return replace(usual, percent=self.percent)

    @property
    def default_columns(self) -> tuple[Column, ...]:
        """The columns shown unless all columns are requested."""
        return tuple(column for column in self.columns if column.default)

    @property
    def settings_for_submissions(self) -> tuple[SettingTable, ...]:
        """The settings in which systems can be submitted."""
        return tuple(setting for setting in self.settings if setting.accepts_submissions)

    def answer_format(self, separator: str | None = None) -> AnswerFormat:
        """What a line of a file of answers has: also citations, if a metric reads them."""
        own = task_type_named(self.task_type).answer_format(separator)
        takes_citations = any(
            metric.reads_citations for name, metric in known_metrics().items() if name in self.metrics
        )
        return replace(own, takes_citations=takes_citations) if takes_citations else own

    def takes_passages(self, setting: str) -> bool:
        """Whether retrieved passages may be sent in a setting, given by its slug."""
        return any(own.slug == setting and own.passages for own in self.settings)

    def unscored(self, split: str) -> frozenset[str]:
        """The ids of a split's questions that have no reference answer and are not imported; none of a subset."""
        return frozenset(qid for own in self.splits if own.slug == split for qid in own.unscored)

    def attempts(self, split: str) -> AttemptRule:
        """How often a file answers each question of a split; of a subset, to which no file is sent, any number."""
        own = next((own for own in self.splits if own.slug == split), None)
        if own is None:
            return ANY_NUMBER
        is_compared = any(metric.compares for name, metric in known_metrics().items() if name in self.metrics)
        return rule_of(own.attempts, is_hidden=own.hidden, is_compared=is_compared)

    def split(self, slug: str) -> SplitTable:
        """One split by its slug."""
        return next(split for split in self.splits if split.slug == slug)


def rule_of(declared: int | None, *, is_hidden: bool, is_compared: bool) -> AttemptRule:
    """The number of attempts that a split takes.

    >>> rule_of(4, is_hidden=True, is_compared=False).expected
    '4 attempts at each question, as the benchmark declares'
    """
    if is_compared:
        return AttemptRule(1, "because answers are compared side by side")
    if declared is not None:
        return AttemptRule(declared, "as the benchmark declares")
    return AttemptRule(1, "because the split is hidden and declares no other number") if is_hidden else ANY_NUMBER


def canonical_json(value: Any) -> str:
    """A unique text for each value: no white space, characters unescaped, keys in their given order.

    Keys are not sorted, because the order of a dict's entries is the order of the reference's lines in ROUGE.
    """
    return _encode(value)


def content_hash(questions: Sequence[SourceQuestion], *, with_answers: bool = True) -> str:
    """The SHA-256 (hexadecimal) of a split's questions and, by default, their answers, in their order."""
    digest = hashlib.sha256()
    for question in questions:
        # The keys of evidence are unordered, and a database may return them in another order.
        evidence = [dict(sorted(item.items())) for item in question.evidence]
        parts: list[Any] = [question.qid, question.text, list(question.categories), evidence]
        if with_answers:
            answer = question.answer if question.has_answer else 0
            parts += [list(question.decomposition), question.has_answer, answer]
        if question.context:  # hashes without it are those of earlier versions
            parts.append(list(question.context))
        if question.language:
            parts.append(question.language)
        digest.update(f"{canonical_json(parts)}\n".encode("utf-8", "surrogatepass"))
    return digest.hexdigest()
