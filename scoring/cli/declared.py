"""One split of a benchmark for the commands: of a folder with ``benchmark.toml``, or of a benchmark of the software."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scoring.benchmarks import definitions, files_in, shipped_folders
from scoring.benchmarks.base import BenchmarkDefinition, SourceError, SourceQuestion, content_hash
from scoring.benchmarks.declared.files import read_files
from scoring.benchmarks.declared.reading import read_declaration
from scoring.files.mistakes import nearest
from scoring.generations.reader import KnownQuestions
from scoring.task_types import known_metrics, task_type_named
from scoring.task_types.base import References, TaskType


def definition_named(name: str) -> BenchmarkDefinition:
    """A benchmark by its slug, or by the path of its folder or of a zip archive of it.

    Raises:
        SourceError: there is none, or it has mistakes; each is named.
    """
    known = definitions()
    if name in known and not Path(name).exists():
        return known[name]
    if name in shipped_folders() and not Path(name).exists():
        return read_declaration(files_in(shipped_folders()[name])).definition
    if not Path(name).exists():
        guess = nearest(name, known) or f"The benchmarks are {', '.join(known)}."
        raise SourceError([f"--benchmark: found {name!r}, expected a benchmark, or a folder with one. {guess}"])
    return read_declaration(read_files(Path(name))).definition


@dataclass(frozen=True)
class DeclaredSplit:
    """A split with its questions, as a site would have it after an import."""

    definition: BenchmarkDefinition
    slug: str
    questions: Sequence[SourceQuestion]

    @classmethod
    def of(cls, name: str, split: str | None, file: Path | None = None) -> DeclaredSplit:
        """A split of a benchmark: the named one, or the only one, or the benchmark's first.

        Args:
            file: the split's questions as they are published, if they are not in the benchmark's folder.

        Raises:
            SourceError: there is none, or it has no questions; or the benchmark or the file has mistakes.
        """
        definition = definition_named(name)
        slugs = [own.slug for own in definition.splits]
        slug = split or definition.default_split
        if slug not in slugs:
            raise SourceError([f"--split: found {slug!r}, expected one of {', '.join(slugs)}."])
        if file is not None and not file.is_file():
            raise SourceError([f"--questions: {file} is no file."])
        packaged = definition.packaged() if file is None else {}
        if file is None and slug not in packaged:
            text = f"--split: the benchmark {definition.slug} has no questions of {slug} in its folder."
            raise SourceError([f"{text} Name the file: --questions FILE."])
        source = packaged[slug].source if file is None else definition.read_file(file)
        hidden = definition.split(slug).hidden
        return cls(definition, slug, [own.in_split(hidden=hidden) for own in source.questions])

    @property
    def task(self) -> TaskType:
        """What an answer is."""
        return task_type_named(self.definition.task_type)

    @property
    def metrics(self) -> Mapping[str, Mapping[str, Any]]:
        """The declared metrics that need no site, with their parameters."""
        computed = (name for name in self.definition.metrics if not known_metrics()[name].needs_site)
        return {name: self.definition.metric_parameters.get(name, {}) for name in computed}

    @property
    def known(self) -> KnownQuestions:
        """The ids that files may use."""
        others = self.definition.packaged()
        return KnownQuestions(
            current=tuple(question.qid for question in self.questions),
            other_splits={
                question.qid: split.slug
                for split in self.definition.splits
                if split.slug != self.slug and split.slug in others
                for question in others[split.slug].source.questions
            },
            attempts=self.definition.attempts(self.slug),
        )

    def references(self) -> References:
        """The reference answers.

        Raises:
            SourceError: some are missing.
        """
        missing = [question.qid for question in self.questions if not question.has_answer]
        if missing and self.task.needs_references:
            number = f"{len(missing):,} of {len(self.questions):,} questions have no reference answer"
            raise SourceError([f"{self.slug}: {number}, the first is {missing[0]!r}. Only a site with them can score."])
        return References(
            tuple(question.qid for question in self.questions),
            tuple(question.answer if question.has_answer else "" for question in self.questions),
            content_hash(self.questions)[:8],
        )
