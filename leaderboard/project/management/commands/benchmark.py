"""``manage.py benchmark new|check|import DIR``: a benchmark that is declared in a folder with ``benchmark.toml``."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError
from django.db import transaction

from leaderboard.board.write import write_marked
from leaderboard.maintenance.benchmark_imports import import_reported, record_declaration
from leaderboard.project.management.reports import DRY_RUN, ImportReports
from leaderboard.publishing.reported_rows import rows_left
from scoring import declarations
from scoring.benchmarks.base import SourceError
from scoring.benchmarks.declared.files import read_files
from scoring.benchmarks.declared.preview import preview
from scoring.benchmarks.declared.proposal import folder_for
from scoring.benchmarks.declared.reading import Declaration, read_declaration
from scoring.benchmarks.declared.template import KINDS, slug_for, write_files, write_template
from scoring.importing.declared import import_declaration
from scoring.importing.hidden_splits import warnings_of_declaration


class Command(ImportReports):
    """Write, check or import the folder of a benchmark; only the import needs a database."""

    help = (
        "A benchmark that is declared in a folder with benchmark.toml: write a template (new), name every mistake in "
        "it (check, without a database), or import it as a benchmark of this site (import)."
    )
    actor = "manage.py benchmark"
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True, metavar="new|check|import")
        new = actions.add_parser("new", help="write a template, a complete small benchmark, into a new folder")
        check = actions.add_parser("check", help="name every mistake with file, line and field; exit status 1 if any")
        make = actions.add_parser("import", help="import the benchmark; importing it again changes nothing")
        new.add_argument("folder", type=Path, metavar="DIR", help="the folder, whose name becomes the slug")
        new.add_argument("--task-type", choices=KINDS, help=f"what an answer is (default: {KINDS[0]})")
        new.add_argument(
            "--from",
            type=Path,
            nargs="+",
            metavar="FILE",
            help="published files of questions: they are copied, and their fields and task type proposed",
        )
        for subcommand in (check, make):
            subcommand.add_argument("folder", type=Path, metavar="DIR", help="the folder, or a zip archive of it")
        check.add_argument(
            "--show",
            type=int,
            default=0,
            metavar="N",
            help="also show the first N questions of each split as they will be imported; answers of hidden splits are "
            "described, not shown",
        )
        make.add_argument(
            "--make-current",
            action="store_true",
            help="make these questions current even if they are older or were imported before",
        )
        make.add_argument("--dry-run", action="store_true", help="report what would change, and change nothing")

    def handle(self, *args: Any, **options: Any) -> None:
        folder: Path = options["folder"]
        try:
            if options["action"] == "new":
                for path in self._new(folder, options["task_type"], options["from"]):
                    self.stdout.write(f"{path}")
                edit = f"Edit these files, then run: manage.py benchmark check {folder}"
                self.stdout.write(self.style.SUCCESS(edit))
                return
            declaration = read_declaration(read_files(folder))
        except SourceError as error:
            number = len(error.problems)
            lines = "\n".join(error.problems)
            raise CommandError(f"{lines}\n{number} problem{'' if number == 1 else 's'} in {folder}.") from error
        except OSError as error:
            raise CommandError(f"{error.filename}: {error.strerror}.") from error
        if options["action"] == "check":
            for line in preview(declaration.definition, options["show"]) if options["show"] > 0 else ():
                self.stdout.write(line)
            self.stdout.write(self.style.SUCCESS(f"{summary(declaration)}: no mistakes."))
            self.remark([*warnings_of_declaration(declaration.definition), *declaration.warnings()])
        else:
            self._import(declaration, options)

    def _new(self, folder: Path, task_type: str | None, published: list[Path] | None) -> list[Path]:
        """Write a template, or a declaration for published files."""
        if published is None:
            return write_template(folder, task_type or KINDS[0])
        files, proposal = folder_for(slug_for(folder), published, task_type)
        self.stdout.write(f"Task type: {proposal.task_type}. Fields of the files, as [questions] names them:")
        for key, value in proposal.fields.items():
            self.stdout.write(f"  {key} = {value}")
        return write_files(folder, files)

    def _import(self, declaration: Declaration, options: dict[str, Any]) -> None:
        self.dry_run = options["dry_run"]
        if self.dry_run:
            self.stdout.write(DRY_RUN)
        try:
            with transaction.atomic():
                done = import_declaration(declaration, make_current=options["make_current"])
                if not self.dry_run:
                    record_declaration(self.actor, done, declaration)
                changed = "changed" if done.changes else "unchanged"
                state = "a new benchmark" if done.created else f"declaration {changed}"
                self.stdout.write(self.style.SUCCESS(f"{summary(declaration)}: {state}."))
                for change in done.changes:
                    self.stdout.write(f"  - {change}")
                self.remark(done.warnings)
                for split, imported in done.splits:
                    self.report(split, imported)
                rows = import_reported(done.benchmark, declaration, actor="" if self.dry_run else self.actor)
                if rows is not None:
                    loaded = "would be loaded" if self.dry_run else "loaded"
                    self.stdout.write(f"Reported rows: {rows[0]} {loaded}, {rows[1]} already loaded.")
                self.remark(rows_left(done.benchmark, declaration.definition.published_results))
                if self.dry_run:
                    transaction.set_rollback(True)
        except SourceError as error:
            raise CommandError(f"{error}\nNothing was imported.") from error
        finally:
            declarations.clear()
        if not self.dry_run:
            write_marked()


def summary(declaration: Declaration) -> str:
    """A benchmark in one line: name, version, and the numbers of its questions.

    The splits are in the order of the declaration.
    """
    definition = declaration.definition
    splits = ", ".join(f"{len(split.source.questions):,} {slug}" for slug, split in definition.packaged().items())
    return f"{definition.name} {definition.form.version} ({definition.slug}; questions: {splits or 'none'})"
