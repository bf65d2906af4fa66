"""``manage.py import_submissions DIR``: submissions of a benchmark's own repository, scored by the ordinary runs."""

import time
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from leaderboard.board.write import write_marked
from leaderboard.models import Submission, User
from leaderboard.official.layout import LayoutError, read_systems
from leaderboard.official.submissions import (
    ImportedSystem,
    Outcome,
    Readiness,
    import_systems,
    publish_scored,
    readiness,
)
from leaderboard.operations import audit
from leaderboard.submissions.intake import why_refused
from scoring.benchmarks import definitions
from scoring.models import Split, SplitPhase, clock

ACTOR = "manage.py import_submissions"
ASK_SECONDS = 2.0
HEADINGS = ("system", "setting", "file", "answered", "missing", "empty", "retired", "outcome")
WIDTHS = (28, 18, 44, 11, 7, 6, 7, 12)


class Command(BaseCommand):
    """Import a folder in its official layout; repeating it adds nothing, a changed file creates a new version."""

    help = (
        "Import the submissions of a benchmark's own repository (metadata/*.json and "
        "SETTING-generations/*.jsonl). Each is checked like an upload, stored, and scored by the workers. "
        "Submissions are identified by their content: importing the same folder again adds nothing, and a "
        "changed file becomes a new version. Errors in one file do not stop the others; the command then "
        "exits with status 1."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        official = sorted(slug for slug, definition in definitions().items() if definition.importer.official)
        parser.add_argument("folder", type=Path, metavar="DIR", help="the repository, or its folder of submissions")
        parser.add_argument("--owner", metavar="USER", help="the account that will own the submissions")
        parser.add_argument("--benchmark", choices=official, default=official[0] if len(official) == 1 else None)
        parser.add_argument("--split", metavar="NAME", help="the split of the answers (default: as in the repository)")
        visibility = parser.add_mutually_exclusive_group()
        visibility.add_argument(
            "--publish", action="store_true", help="wait for the scores and publish each submission"
        )
        visibility.add_argument(
            "--private", action="store_true", help="show submissions to their owner only (the default)"
        )
        parser.add_argument(
            "--wait",
            type=float,
            default=3600.0,
            metavar="SECONDS",
            help="with --publish: maximum wait in seconds (default: 3600)",
        )
        parser.add_argument(
            "--dry-run", action="store_true", help="only report what the folder contains and what would be done"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        split, owner = self._split(options), self._owner(options)
        layout = definitions()[options["benchmark"]].importer.official
        assert layout is not None  # noqa: S101 - the choices offer no other
        try:
            systems, problems = read_systems(options["folder"], layout)
        except LayoutError as error:
            raise CommandError(str(error)) from error
        self._row(HEADINGS)
        imported: list[ImportedSystem] = []
        for system in import_systems(systems, split=split, owner=owner, dry_run=options["dry_run"]):
            imported.append(system)
            self._show(system)
            if system.submission is not None and system.outcome in (Outcome.NEW, Outcome.NEW_VERSION):
                summary = f"{system.name}, for {system.submission.owner}: {system.outcome}."
                audit.record(ACTOR, "submission.imported", f"submission {system.submission.pk}", summary)
        problems += [problem for system in imported for problem in system.read.problems]
        for problem in problems:
            if problem.remark:
                self.stdout.write(self.style.WARNING(f"remark: {problem}"))
            else:
                self.stderr.write(f"problem: {problem}", self.style.ERROR)
        reports = [item for system in imported for item in system.reports.items()]
        for name, report in reports:
            for group in report.warnings:
                self.stdout.write(self.style.WARNING(f"remark: {name}: {group.summary}"))
            for group in report.errors:
                first, *lines = group.as_lines()
                self.stderr.write(f"problem: {name}: {first}", self.style.ERROR)
                for line in lines:
                    self.stderr.write(f"  {line}", self.style.ERROR)
        counts = {outcome: sum(system.outcome == outcome for system in imported) for outcome in Outcome}
        summary = ", ".join(f"{count} {outcome}" for outcome, count in counts.items() if count) or "nothing"
        dry_run = " (dry run: nothing was stored)" if options["dry_run"] else ""
        self.stdout.write(self.style.SUCCESS(f"{len(imported)} systems: {summary}{dry_run}."))
        for system in imported:
            if system.submission is not None and system.outcome in (Outcome.NEW, Outcome.NEW_VERSION):
                self.stdout.write(f"  {system.name}: {system.submission.get_absolute_url()}")
        if options["publish"] and not options["dry_run"]:
            self._publish(imported, options["wait"])
        n_errors = sum(not problem.remark for problem in problems) + sum(not report.ok for _, report in reports)
        if n_errors:
            raise CommandError(f"{n_errors} error{'s' if n_errors > 1 else ''} above; everything else was imported.")

    def _split(self, options: dict[str, Any]) -> Split:
        if options["benchmark"] is None:
            raise CommandError("Name the benchmark of the folder with --benchmark.")
        layout = definitions()[options["benchmark"]].importer.official
        slug = options["split"] or (layout.split if layout else "")
        split = (
            Split.objects.select_related("benchmark", "current_revision")
            .filter(benchmark__slug=options["benchmark"], slug=slug)
            .first()
        )
        if split is None or split.current_revision is None:
            raise CommandError(
                f"{options['benchmark']} {slug} has no questions yet. Import them: manage.py import_benchmark "
                f"{options['benchmark']}"
            )
        if split.phase == SplitPhase.ARCHIVED:
            raise CommandError(f"{split} is archived: it accepts no further submissions.")
        if refused := why_refused(split, clock.now()):
            raise CommandError(refused)
        return split

    def _owner(self, options: dict[str, Any]) -> User | None:
        name = options["owner"]
        if name is None:
            if options["dry_run"]:
                return None
            raise CommandError("Name the account that will own the submissions with --owner, or use --dry-run.")
        owner = User.objects.filter(username=name).first()
        if owner is None:
            raise CommandError(f"The account {name!r} does not exist. Create one with: manage.py createsuperuser")
        return owner

    def _show(self, system: ImportedSystem) -> None:
        if not system.reports:
            self._row((system.name, "", system.read.name, "", "", "", "", system.outcome))
        for index, (name, report) in enumerate(system.reports.items()):
            counts = {group.code: group.count for group in report.groups}
            self._row(
                (
                    "" if index else system.name,
                    report.setting_label,
                    name.rpartition("/")[2],
                    f"{report.n_answered:,}/{report.n_questions:,}",
                    f"{len(report.missing):,}",
                    f"{counts.get('empty-answer', 0):,}",
                    f"{counts.get('retired-id', 0):,}",
                    system.outcome if report.ok else Outcome.REFUSED,
                )
            )

    def _row(self, cells: tuple[str, ...]) -> None:
        fitted = (
            (cell if len(cell) <= width else f"{cell[: width - 1]}…").ljust(width)
            for cell, width in zip(cells, WIDTHS, strict=True)
        )
        self.stdout.write("  ".join(fitted).rstrip())

    def _publish(self, imported: list[ImportedSystem], seconds: float) -> None:
        left: list[Submission] = [
            system.submission
            for system in imported
            if system.submission is not None and system.outcome != Outcome.WITHDRAWN
        ]
        until = time.monotonic() + seconds
        while True:
            published = publish_scored(left)
            write_marked()
            for submission in published:
                audit.record(ACTOR, "submission.published", f"submission {submission.pk}")
                self.stdout.write(self.style.SUCCESS(f"{submission.name}: published."))
            states = {submission.pk: readiness(submission) for submission in left}
            for submission in left:
                if states[submission.pk] == Readiness.UNSCORED:
                    self.stdout.write(
                        self.style.WARNING(f"{submission.name}: not published, because it has no score yet.")
                    )
            left = [submission for submission in left if states[submission.pk] == Readiness.SCORING]
            if not left:
                return
            if time.monotonic() >= until:
                break
            time.sleep(min(ASK_SECONDS, max(0.0, until - time.monotonic())))
        names = ", ".join(submission.name for submission in left)
        self.stdout.write(
            self.style.WARNING(f"Still being scored: {names}. Run the same command again later to publish them.")
        )
