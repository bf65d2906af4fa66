"""``manage.py benchmark new|check|try-judge|import DIR``: a benchmark declared in a folder with ``benchmark.toml``."""

from argparse import ArgumentParser
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError
from django.db import transaction

from leaderboard.board.write import write_marked
from leaderboard.maintenance.benchmark_imports import import_reported, record_declaration
from leaderboard.project.management.reports import DRY_RUN, ImportReports
from leaderboard.publishing.reported_rows import rows_left
from scoring import declarations
from scoring.benchmarks import judge_trial
from scoring.benchmarks.base import BenchmarkDefinition, SourceError, SourceQuestion
from scoring.benchmarks.columns import JUDGES
from scoring.benchmarks.declared.reading import Declaration
from scoring.cli import folders
from scoring.files.mistakes import listed
from scoring.generations.reader import KnownQuestions, read_generations
from scoring.importing.declared import import_declaration
from scoring.metrics.asking.config import judge_config
from scoring.metrics.asking.cost import estimate, token_counter
from scoring.metrics.asking.errors import EndpointUnavailableError, MisconfiguredError
from scoring.registry import declared_judge, why_unavailable
from scoring.task_types import task_type_named


class Command(ImportReports):
    """Write, check, try or import the folder of a benchmark; only the import needs a database."""

    help = (
        "A benchmark that is declared in a folder with benchmark.toml: write a template (new), name every mistake in "
        "it (check, without a database), have the judge judge a few questions (try-judge), or import it as a benchmark "
        "of this site (import)."
    )
    actor = "manage.py benchmark"
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True, metavar="new|check|try-judge|import")
        folders.add_commands(actions)
        trial = actions.add_parser(
            "try-judge", help="judge a few questions, and print prompts, replies, verdicts, cost"
        )
        make = actions.add_parser("import", help="import the benchmark; importing it again changes nothing")
        for subcommand in (trial, make):
            subcommand.add_argument("folder", type=Path, metavar="DIR", help=folders.FOLDER_HELP)
        trial.add_argument("-n", type=int, default=5, metavar="N", help="the most questions (default: %(default)s)")
        trial.add_argument("--split", metavar="SPLIT", help="the split of the questions (default: the benchmark's)")
        trial.add_argument("--metric", metavar="METRIC", help="the judge, if the benchmark declares several")
        trial.add_argument(
            "--generations",
            type=Path,
            metavar="FILE",
            help="answers of a system to judge (default: copies of the reference answers)",
        )
        trial.add_argument(
            "--dry-run", action="store_true", help="print the prompts and the expected cost; ask nothing"
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
            if options["action"] in (folders.NEW, folders.CHECK):
                for line in folders.run(options["action"], folder, options):
                    self.stdout.write(line)
                return
            declaration = folders.read(folder)
        except folders.FolderError as error:
            raise CommandError(str(error)) from error
        if options["action"] == "try-judge":
            self._try_judge(declaration.definition, options)
        else:
            self._import(declaration, options)

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
                self.stdout.write(self.style.SUCCESS(f"{folders.summary(declaration)}: {state}."))
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

    def _try_judge(self, definition: BenchmarkDefinition, options: dict[str, Any]) -> None:
        judges = [name for name in definition.metrics if name in JUDGES]
        name = options["metric"] or next(iter(judges), "")
        if name not in judges:
            raise CommandError(
                f"The benchmark declares {listed(judges) or 'no metric that asks a judge'}, not {name!r}."
            )
        metric = declared_judge(definition, name)
        if reason := why_unavailable(metric):
            raise CommandError(reason)
        slug = options["split"] or definition.default_split
        split = definition.packaged().get(slug)
        if split is None:
            known = listed(list(definition.packaged())) or "none"
            raise CommandError(f"The folder has no questions of a split {slug!r}. Its splits with questions: {known}.")
        questions = split.source.questions
        tried = list(
            judge_trial.requests(metric, questions, _answers(definition, questions, options), max(1, options["n"]))
        )
        if not tried:
            raise CommandError("No question has a reference answer to judge a copy of: pass --generations FILE.")
        config = judge_config(settings, metric.settings)
        prompts = [one.item.messages() for one in tried]
        counter = token_counter(config.judge.model)
        cost = estimate(prompts, counter=counter, price=config.price, reply_tokens=metric.reply_tokens)
        if not options["dry_run"]:
            try:
                judge_trial.ask(config, tried)
            except (MisconfiguredError, EndpointUnavailableError) as error:
                raise CommandError(str(error)) from error
        for one, messages in zip(tried, prompts, strict=True):
            self.stdout.write(self.style.MIGRATE_HEADING(f"\nQuestion {one.qid}, with {one.answer}"))
            for message in messages:
                self.stdout.write(f"--- {message['role']}\n{message['content']}")
            for reply in one.replies:
                read = f"verdict {reply.letter}" if reply.letter else reply.outcome.label
                self.stdout.write(
                    f"--- reply of {reply.model or config.judge.model}\n{reply.text}\n--- read as: {read}"
                )
        expected = "unknown, as the model's price is" if cost.usd is None else f"about {cost.usd:.4f} USD"
        self.stdout.write(f"\n{cost.n_calls} requests to {config.judge.model}; expected cost: {expected}.")
        if not options["dry_run"]:
            costs = [one.usd(config) for one in tried]
            spent = None if None in costs else sum(filter(None, costs), Decimal())
            self.stdout.write("Cost: unknown." if spent is None else f"Cost: {spent:.4f} USD.")


def _answers(
    definition: BenchmarkDefinition, questions: Sequence[SourceQuestion], options: dict[str, Any]
) -> dict[str, str]:
    """The answers to judge, as stored, by question: those of a file, or copies of the reference answers."""
    task = task_type_named(definition.task_type)
    path: Path | None = options["generations"]
    if path is None:
        return {question.qid: task.copy_of(question.answer) for question in questions if question.has_answer}
    known = KnownQuestions(tuple(question.qid for question in questions))
    with path.open("rb") as stream:
        report = read_generations(stream, known, answer_format=task.answer_format(None))
    if not report.ok:
        lines = [line for group in report.groups for line in group.as_lines()]
        raise CommandError("\n".join([f"{path} has mistakes:", *lines]))
    return dict(report.answers)
