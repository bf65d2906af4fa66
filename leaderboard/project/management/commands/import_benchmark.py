"""``manage.py import_benchmark NAME``: import a benchmark's definition, questions and reference answers."""

import datetime
from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError
from django.db import transaction

from leaderboard.board.write import write_marked
from leaderboard.project.management.reports import DRY_RUN, ImportReports
from scoring import declarations
from scoring.benchmarks import definition_of, definitions, files_in, packaged_definitions, shipped_folders
from scoring.benchmarks.base import BenchmarkDefinition, SourceError, SourceFile, SourceQuestion
from scoring.benchmarks.declared.reading import read_declaration
from scoring.importing.declared import import_declaration
from scoring.importing.revisions import (
    import_definition,
    import_split,
    in_split,
    put_together,
    require_private,
    require_subsets_apart,
    splits_by_slug,
)
from scoring.models import Benchmark, Split


class Command(ImportReports):
    """Import a benchmark from its package or from files; importing again changes nothing."""

    help = (
        "Import a benchmark: its questions from the package that contains them, or from files. A changed "
        "file becomes a new revision, and the changes are printed; importing the same file again changes "
        "nothing."
    )

    actor = "manage.py import_benchmark"

    def add_arguments(self, parser: ArgumentParser) -> None:
        known = sorted({*definitions(), *shipped_folders()})
        parser.add_argument("benchmark", choices=known, help="the benchmark's slug")
        parser.add_argument("--dev", type=Path, metavar="FILE", help="dev questions with answers")
        parser.add_argument("--test", type=Path, metavar="FILE", help="test questions")
        parser.add_argument(
            "--test-answers",
            type=Path,
            metavar="FILE",
            help="the hidden test answers, in the format of the dev file; without --test, also the test questions",
        )
        parser.add_argument(
            "--questions",
            nargs=2,
            action="append",
            default=[],
            metavar=("SPLIT", "FILE"),
            help="the questions of any split or subset, with its answers unless it is hidden; may be repeated",
        )
        parser.add_argument(
            "--date", type=datetime.date.fromisoformat, help="publication date of the files (default: today)"
        )
        parser.add_argument(
            "--make-current",
            action="store_true",
            help=(
                "make it the current revision even if it is older or was imported before (to return to an "
                "earlier revision)"
            ),
        )
        parser.add_argument("--dry-run", action="store_true", help="report what would change, and change nothing")
        parser.add_argument("--note", default="", help="description of the revision for readers")

    def handle(self, *args: Any, **options: Any) -> None:
        slug = options["benchmark"]
        self.dry_run = options["dry_run"]
        self.imported: list[tuple[Split, Sequence[SourceQuestion]]] = []
        if self.dry_run:
            self.stdout.write(DRY_RUN)
        try:
            with transaction.atomic():
                if slug not in definitions():
                    import_declaration(read_declaration(files_in(shipped_folders()[slug])))
                self._import(definition_of(slug), options)
                require_subsets_apart(Benchmark.objects.get(slug=slug))
                for split, questions in self.imported:
                    self.remark(require_private(split, questions))
                if self.dry_run:
                    transaction.set_rollback(True)
        except SourceError as error:
            declarations.clear()
            raise CommandError(f"Nothing was imported.\n{error}") from error
        if self.dry_run:
            declarations.clear()
        write_marked()

    def _import(self, definition: BenchmarkDefinition, options: dict[str, Any]) -> None:
        benchmark = import_definition(definition)
        splits = splits_by_slug(benchmark)
        answers_file: Path | None = options["test_answers"]
        named = [(split, Path(file)) for split, file in options["questions"]]
        named += [(split, options[split]) for split in ("dev", "test") if options[split] is not None]
        slugs = [*(split.slug for split in definition.splits), *(subset.slug for subset in definition.subsets)]
        if unknown := [split for split, _ in named if split not in slugs]:
            raise SourceError([f"{definition.name} has no split {unknown[0]!r}; it has {', '.join(slugs)}."])
        if not named and answers_file is None:
            packaged_splits = definition.packaged()
            if not packaged_splits and definition.slug not in packaged_definitions():
                fix = "Run: manage.py benchmark import DIR"
                if definition.slug in shipped_folders():
                    fix = "Name the files of its authors: --questions SPLIT FILE"
                raise SourceError([f"{definition.name} has no packaged questions. {fix}"])
            for slug, packaged in packaged_splits.items():
                self._import_split(splits[slug], packaged.source, packaged.date, packaged.note, options)
            return
        date = options["date"] or datetime.datetime.now(tz=datetime.UTC).date()
        files = dict(named)
        for slug, split in splits.items():
            file = files.get(slug)
            answers = answers_file if slug == "test" else None
            if file is None and answers is None:
                continue
            source = put_together(
                definition.read_file(file) if file else None,
                definition.read_file(answers) if answers else None,
                questions_name=file.name if file else "",
                answers_name=answers.name if answers else "",
                split=split,
            )
            names = " with ".join(path.name for path in (file, answers) if path)
            self._import_split(split, source, date, options["note"] or f"From {names}.", options)

    def _import_split(
        self, split: Split, source: SourceFile, date: datetime.date, note: str, options: dict[str, Any]
    ) -> None:
        self.remark(source.remarks)
        imported = import_split(
            split,
            source.questions,
            date=date,
            note=note,
            make_current=options["make_current"],
            one_of_several=True,
        )
        if imported.changed:
            self.imported.append((split, in_split(split, source.questions)))
        self.report(split, imported)
