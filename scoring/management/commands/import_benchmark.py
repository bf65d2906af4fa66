"""``manage.py import_benchmark NAME``: import a benchmark's definition, questions and reference answers."""

import datetime
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from scoring.benchmarks import definition_of, definitions
from scoring.benchmarks.base import BenchmarkDefinition, SourceError
from scoring.importing.revisions import ImportedSplit, import_definition, import_split, put_together
from scoring.models import Split


class Command(BaseCommand):
    """Import a benchmark from its package or from files; importing again changes nothing."""

    help = (
        "Import a benchmark: its questions from the package that contains them, or from files. A changed "
        "file becomes a new revision, and the changes are printed; importing the same file again changes "
        "nothing."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("benchmark", choices=sorted(definitions()), help="the benchmark's slug")
        parser.add_argument("--dev", type=Path, metavar="FILE", help="dev questions with answers")
        parser.add_argument("--test", type=Path, metavar="FILE", help="test questions")
        parser.add_argument(
            "--test-answers",
            type=Path,
            metavar="FILE",
            help="the hidden test answers, in the format of the dev file; without --test, also the test questions",
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
        definition = definition_of(options["benchmark"])
        self._dry = options["dry_run"]
        if self._dry:
            self.stdout.write("Dry run: nothing is written.")
        try:
            with transaction.atomic():
                self._import(definition, options)
                if self._dry:
                    transaction.set_rollback(True)
        except SourceError as error:
            raise CommandError(f"Nothing was imported.\n{error}") from error

    def _import(self, definition: BenchmarkDefinition, options: dict[str, Any]) -> None:
        benchmark = import_definition(definition)
        date = options["date"] or datetime.datetime.now(tz=datetime.UTC).date()
        splits = {split.slug: split for split in benchmark.splits.all()}
        answers_file: Path | None = options["test_answers"]
        if not any((options["dev"], options["test"], answers_file)):
            for slug, packaged in definition.packaged().items():
                self._remark(packaged.source.remarks)
                self._report(
                    splits[slug],
                    import_split(
                        splits[slug],
                        packaged.source.questions,
                        date=packaged.date,
                        note=packaged.note,
                        make_current=options["make_current"],
                    ),
                )
            return
        for slug in ("dev", "test"):
            file: Path | None = options[slug]
            answers = answers_file if slug == "test" else None
            if file is None and answers is None:
                continue
            source = put_together(
                definition.read_file(file) if file else None,
                definition.read_file(answers) if answers else None,
                questions_name=file.name if file else "",
                answers_name=answers.name if answers else "",
                all_answers=not splits[slug].hidden,
            )
            self._remark(source.remarks)
            names = " with ".join(path.name for path in (file, answers) if path)
            self._report(
                splits[slug],
                import_split(
                    splits[slug],
                    source.questions,
                    date=date,
                    note=options["note"] or f"From {names}.",
                    make_current=options["make_current"],
                ),
            )

    def _remark(self, remarks: tuple[str, ...]) -> None:
        for remark in remarks:
            self.stdout.write(self.style.WARNING(remark))

    def imported(self, split: Split, imported: ImportedSplit) -> None:
        """A hook for subclasses: further work after a split was imported, in the same transaction."""

    def _report(self, split: Split, imported: ImportedSplit) -> None:
        if not self._dry:
            self.imported(split, imported)
        revision = imported.revision
        answers = "with reference answers" if revision.has_references else "without reference answers"
        what = f"{split}: {imported.n_questions} questions, {answers}, revision {revision.short_hash}"
        if not imported.created and not imported.made_current:
            self.stdout.write(f"{what}: already imported; nothing changed.")
            if imported.compared_with is not None and imported.compared_with != revision:
                self.stdout.write(f"  The current revision stays {imported.compared_with.short_hash}.")
            return
        self.stdout.write(self.style.SUCCESS(f"{what}: {self._done(imported)}."))
        if imported.compared_with is not None:
            self.stdout.write(f"  Against {imported.compared_with.short_hash}:")
            for line in imported.diff.lines() or ["no visible change"]:
                self.stdout.write(f"  - {line}")
        if not imported.made_current:
            self.stdout.write(
                self.style.WARNING(
                    "  It is dated before the current revision: stored as history, the boards are unchanged."
                )
            )
        if imported.runs_made:
            made = "would be" if self._dry else "were"
            self.stdout.write(f"  {imported.runs_made} runs {made} created for submissions that needed these answers.")

    def _done(self, imported: ImportedSplit) -> str:
        if self._dry:
            return "would be imported" if imported.created else "would become current again"
        return "imported" if imported.created else "current again"
