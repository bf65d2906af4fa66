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
from scoring.generations.reader import NOT_SCORED, KnownQuestions
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
    file: Path | None = None
    """File of the questions, if they are not those in the benchmark's folder or package."""

    @classmethod
    def of(cls, definition: BenchmarkDefinition, split: str | None, file: Path | None = None) -> DeclaredSplit:
        """A split of a benchmark: the named one; or the one that has most of a file's questions; or the first.

        Args:
            file: the split's questions as they are published, if they are not in the benchmark's folder.

        Raises:
            SourceError: there is none, or it has no questions; or the file has mistakes.
        """
        slugs = [own.slug for own in definition.splits]
        if split is not None and split not in slugs:
            raise SourceError([f"--split: found {split!r}, expected one of {', '.join(slugs)}."])
        if file is not None and not file.is_file():
            raise SourceError([f"--questions: {file} is no file."])
        packaged = definition.packaged()
        usual = definition.default_split
        if packaged and usual not in packaged:
            usual = next(iter(packaged))
        if file is None:
            slug = split or usual
            if slug not in packaged:
                text = f"--split: the benchmark {definition.slug} has no questions of {slug} in its folder."
                raise SourceError([f"{text} Name the file: --questions FILE."])
            source = packaged[slug].source
        else:
            source = definition.read_file(file)
            ids = {question.qid for question in source.questions}
            n_shared = {name: sum(own.qid in ids for own in of.source.questions) for name, of in packaged.items()}
            slug = split or max(n_shared, key=lambda name: (n_shared[name], name == usual), default=usual)
        hidden = definition.split(slug).hidden
        scored = (own for own in source.questions if own.qid not in definition.unscored(slug))
        return cls(definition, slug, [own.in_split(hidden=hidden) for own in scored], file)

    @property
    def task(self) -> TaskType:
        """Task type of the benchmark."""
        return task_type_named(self.definition.task_type)

    @property
    def metrics(self) -> Mapping[str, Mapping[str, Any]]:
        """The declared metrics that need no site, with their parameters."""
        computed = (name for name in self.definition.metrics if not known_metrics()[name].needs_site)
        return {name: self.definition.metric_parameters.get(name, {}) for name in computed}

    @property
    def known(self) -> KnownQuestions:
        """The ids that files may use."""
        packaged = {
            slug: [question.qid for question in own.source.questions]
            for slug, own in self.definition.packaged().items()
        }
        current = tuple(question.qid for question in self.questions)
        now = set(current)
        retired = dict.fromkeys(sorted(self.definition.unscored(self.slug) - now), NOT_SCORED)
        if self.file is not None:
            gone = (qid for qid in packaged.get(self.slug, ()) if qid not in now and qid not in retired)
            retired |= dict.fromkeys(gone, f"no longer in {self.file.name}")
        others = {qid: slug for slug, ids in packaged.items() if slug != self.slug for qid in ids if qid not in now}
        return KnownQuestions(
            current=current,
            retired=retired,
            other_splits=others,
            elsewhere=self._elsewhere,
            attempts=self.definition.attempts(self.slug),
        )

    def _elsewhere(self, ids: Sequence[str]) -> dict[str, str]:
        """The names of other benchmarks, by those of some ids that the questions in their packages have."""
        wanted = set(ids)
        return {
            question.qid: other.name
            for other in definitions().values()
            if other.slug != self.definition.slug
            for own in other.packaged().values()
            for question in own.source.questions
            if question.qid in wanted
        }

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
