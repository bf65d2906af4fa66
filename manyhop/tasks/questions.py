"""The questions of a task: from a site, the benchmark's own package, a file or a declared benchmark's folder."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import msgspec

from manyhop import credentials, records
from manyhop.client import Client
from manyhop.errors import ManyhopError
from scoring.benchmarks import UnknownBenchmarkError, definition_of
from scoring.benchmarks.base import NO_ANSWER, BenchmarkDefinition, SourceError, SourceQuestion
from scoring.benchmarks.declared.files import read_folder
from scoring.benchmarks.declared.reading import read_declaration
from scoring.task_types import TASK_TYPES, metrics_of

PACKAGE: Final = "package"
"""Name that stands for the questions in the benchmark's own package, in place of a file."""
CLOSED, EVIDENCE, OPEN = "closedbook", "evidenceprovided", "openbook"


class TaskError(ManyhopError):
    """There is no such task, or its questions cannot be read."""


@dataclass(frozen=True)
class Questions:
    """The questions of a split for a setting."""

    benchmark: BenchmarkDefinition | records.Benchmark
    split: str
    setting: str
    questions: Sequence[SourceQuestion]
    """Without the reference answers of a hidden split."""

    @property
    def input(self) -> str:
        """Input that a system gets besides the question: `CLOSED`, `EVIDENCE` or `OPEN`."""
        return self.setting.replace("-", "")

    @property
    def metrics(self) -> dict[str, dict[str, Any]]:
        """The benchmark's metrics that need no site, with its parameters; none if there are no reference answers."""
        if not any(question.has_answer for question in self.questions):
            return {}
        declared: Any = getattr(self.benchmark, "metric_parameters", {})
        return {
            metric.name: dict(declared.get(metric.name, {}))
            for metric in metrics_of(self.benchmark.task_type)
            if metric.name in self.benchmark.metrics and not metric.needs_site
        }

    @property
    def remove_reasoning(self) -> bool:
        """Whether the benchmark removes reasoning from answers before they are scored."""
        if isinstance(self.benchmark, BenchmarkDefinition):
            return self.benchmark.form.answers.remove_reasoning
        return self.benchmark.remove_reasoning

    @property
    def without_scores(self) -> str:
        """Reason why answers are not scored here; empty if they are."""
        if self.metrics:
            return ""
        split = next(own for own in self.benchmark.splits if own.slug == self.split)
        if split.hidden:
            why = f"The reference answers of {self.benchmark.slug}/{self.split} are hidden"
        elif not any(question.has_answer for question in self.questions):
            why = f"These questions of {self.benchmark.slug}/{self.split} have no reference answers"
        else:
            why = f"Only a site computes the metrics of {self.benchmark.slug}"
        return f"{why}: submit the log with manyhop submit to have it scored."


def read(
    benchmark: str = "", split: str = "", setting: str = "", *, site: str = "", questions: str = "", folder: str = ""
) -> Questions:
    """Read the questions of a task.

    :param benchmark: its name; with a folder it may be left out.
    :param split: the benchmark's default one if not given; likewise the setting.
    :param site: the address of the site that has the questions; that of the last login if nothing is given.
    :param questions: in place of a site, a file of questions as the benchmark is published or as ``manyhop questions``
        writes it, or `PACKAGE`.
    :param folder: in place of a site, the folder of a declared benchmark.
    :raises TaskError: saying what was found and what was expected.
    """
    named = [name for name, value in (("site", site), ("questions", questions), ("folder", folder)) if value]
    if len(named) > 1:
        raise TaskError(f"Found {' and '.join(named)}, expected one source of questions; leave the others out.")
    if not benchmark and not folder:
        raise TaskError("benchmark: found none, expected its name, or a folder.")
    if not (questions or folder):
        site = (site or credentials.site()).rstrip("/")
        with Client(site, credentials.token(site)) as client:
            known = client.benchmark(benchmark)
            split, setting = _place(known, split, setting)
            listed = client.questions(benchmark, split)
        own: BenchmarkDefinition | records.Benchmark = known
        with suppress(UnknownBenchmarkError):  # this software's own definition has the parameters of metrics
            own = definition_of(known.slug)
        return _with_evidence(Questions(own, split, setting, tuple(map(_question, listed))))
    try:
        definition = read_declaration(read_folder(Path(folder))).definition if folder else definition_of(benchmark)
        if benchmark not in ("", definition.slug):
            raise TaskError(f"{folder}: found the benchmark {definition.slug}, expected {benchmark}.")
        split, setting = _place(definition, split, setting)
        hidden = definition.split(split).hidden
        source = _local(definition, split, questions)
    except UnknownBenchmarkError as error:
        raise TaskError(f"{error.args[0]} Of another benchmark, name a site or the folder.") from None
    except SourceError as error:
        raise TaskError(str(error)) from None
    shown = (question.in_split(hidden=hidden) for question in source)
    without = (replace(question, answer=NO_ANSWER, decomposition=()) if hidden else question for question in shown)
    return _with_evidence(Questions(definition, split, setting, tuple(without)))


def _place(definition: BenchmarkDefinition | records.Benchmark, split: str, setting: str) -> tuple[str, str]:
    """Split and setting, checked; the defaults where they are left out."""
    split, setting = split or definition.default_split, setting or definition.default_setting
    splits = [own.slug for own in definition.splits]
    if split not in splits:
        raise TaskError(f"split: found {split!r}, expected one of {definition.slug}'s: {', '.join(splits)}.")
    settings = [
        own.slug
        for own in definition.settings
        if own.accepts_submissions and own.slug.replace("-", "") in (CLOSED, EVIDENCE, OPEN)
    ]
    if setting not in settings:
        raise TaskError(
            f"setting: found {setting!r}, expected one of {definition.slug}'s that have a task: "
            f"{', '.join(settings) or 'none'}."
        )
    if definition.task_type not in TASK_TYPES:
        raise TaskError(f"This version of manyhop does not know answers of the kind {definition.task_type!r}.")
    return split, setting


def _with_evidence(source: Questions) -> Questions:
    """The given questions, if their evidence can be read where the setting provides it."""
    if source.input == EVIDENCE:
        addresses = [str(article.get("url") or "") for question in source.questions for article in question.evidence]
        if not addresses or any(url and "wikipedia.org/" not in url for url in addresses):
            have = "other documents" if addresses else "none"
            raise TaskError(
                f"setting: found {source.setting!r}, whose evidence must be articles of Wikipedia; these questions of "
                f"{source.benchmark.slug}/{source.split} name {have}. Choose another setting."
            )
    return source


def _local(definition: BenchmarkDefinition, split: str, questions: str) -> Sequence[SourceQuestion]:
    if questions and questions != PACKAGE:
        path = Path(questions)
        try:
            first = path.read_bytes().lstrip().split(b"\n", 1)[0]
        except OSError as error:
            raise TaskError(f"questions: {path} cannot be read: {error.strerror}.") from None
        try:
            msgspec.json.decode(first, type=records.Question)
        except msgspec.DecodeError:
            return definition.read_file(path).questions
        try:
            return [_question(each) for each in msgspec.json.Decoder(records.Question).decode_lines(path.read_bytes())]
        except msgspec.DecodeError as error:
            raise TaskError(f"{path}: expected lines as manyhop questions writes them: {error}.") from None
    packaged = definition.packaged()
    if split not in packaged:
        have = f"those of {', '.join(packaged)}" if packaged else "none"
        raise TaskError(
            f"The questions of {definition.slug}/{split} are in no package here (found {have}); name a site or a file "
            "of questions."
        )
    return packaged[split].source.questions


def _question(question: records.Question) -> SourceQuestion:
    return SourceQuestion(
        qid=question.id,
        text=question.text,
        categories=tuple(question.categories),
        evidence=tuple(question.evidence),
        decomposition=tuple(question.decomposition),
        context=tuple(question.context),
        language=question.language,
    )
