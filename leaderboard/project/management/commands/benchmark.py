"""``manage.py benchmark``: a benchmark declared in a folder with ``benchmark.toml``, from its template to its end."""

from argparse import ArgumentParser
from collections.abc import Sequence
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any, Final

from django.conf import settings
from django.core.management.base import CommandError
from django.db import transaction

from leaderboard.board.write import write_marked
from leaderboard.maintenance import benchmark_phases
from leaderboard.maintenance.benchmark_imports import record_declaration
from leaderboard.project.management.reports import DRY_RUN, ImportReports
from leaderboard.publishing.reported_rows import import_reported, rows_left
from scoring import declarations
from scoring.benchmarks import judge_trial
from scoring.benchmarks.base import BenchmarkDefinition, SourceError, SourceQuestion
from scoring.benchmarks.columns import JUDGES
from scoring.benchmarks.declared.preview import legible_in_terminal
from scoring.benchmarks.declared.reading import Declaration
from scoring.cli import folders
from scoring.files.mistakes import listed
from scoring.generations.keys import place_of
from scoring.generations.reader import KnownQuestions, read_generations
from scoring.importing.declared import import_declaration
from scoring.metrics.asking.config import judge_config
from scoring.metrics.asking.cost import estimate, token_counter
from scoring.metrics.asking.errors import EndpointUnavailableError, MisconfiguredError
from scoring.models import Benchmark, Split, SplitPhase
from scoring.registry import declared_judge, why_unavailable
from scoring.task_types import task_type_named

DRAFTS: Final = (
    "Draft: {names}. Maintainers and invited accounts alone see it. Publish it with: manage.py benchmark publish {slug}"
)


class Command(ImportReports):
    """Write, check, try or import the folder of a benchmark, and publish, archive or remove what was imported."""

    help = (
        "A benchmark that is declared in a folder with benchmark.toml: write a template (new), name every mistake in "
        "it (check, without a database), have the judge judge a few questions (try-judge), or import it as a benchmark "
        "of this site (import). New splits are drafts until they are published (publish); later they can be closed to "
        "submissions (archive), or removed while nobody has submitted (remove)."
    )
    actor = "manage.py benchmark"
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        actions = parser.add_subparsers(
            dest="action", required=True, metavar="new|check|try-judge|import|publish|archive|remove"
        )
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
        make.add_argument("--publish", action="store_true", help="publish new splits at once, in place of drafts")
        publish = actions.add_parser("publish", help="show drafts to everybody, or open archived splits again")
        archive = actions.add_parser("archive", help="close splits to submissions; their boards stay")
        remove = actions.add_parser("remove", help="delete splits to which nobody has submitted")
        for subcommand in (publish, archive, remove):
            subcommand.add_argument("benchmark", metavar="SLUG", help="the benchmark")
            subcommand.add_argument("--split", default="", metavar="SPLIT", help="one split (default: all)")
        for subcommand in (make, remove):
            subcommand.add_argument("--dry-run", action="store_true", help="report what would change; change nothing")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["action"] in ("publish", "archive", "remove"):
            self._change_phase(options)
            return
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
                done = import_declaration(
                    declaration,
                    make_current=options["make_current"],
                    as_drafts=not options["publish"],
                    remove=partial(benchmark_phases.remove_undeclared, actor=self.actor),
                )
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
                results = declaration.definition.published_results
                rows = import_reported(done.benchmark, results, actor="" if self.dry_run else self.actor)
                if rows is not None:
                    loaded = "would be loaded" if self.dry_run else "loaded"
                    self.stdout.write(f"Reported rows: {rows[0]} {loaded}, {rows[1]} already loaded.")
                self.remark(rows_left(done.benchmark, results))
                drafts = Split.with_drafts.filter(benchmark=done.benchmark, phase=SplitPhase.DRAFT)
                if names := list(drafts.values_list("slug", flat=True)):
                    self.remark([DRAFTS.format(names=" and ".join(names), slug=done.benchmark.slug)])
                if self.dry_run:
                    transaction.set_rollback(True)
        except SourceError as error:
            raise CommandError(f"{error}\nNothing was imported.") from error
        finally:
            declarations.clear()
        if not self.dry_run:
            write_marked()

    def _change_phase(self, options: dict[str, Any]) -> None:
        benchmark = Benchmark.objects.filter(slug=options["benchmark"]).first()
        if benchmark is None:
            known = listed(list(Benchmark.objects.values_list("slug", flat=True))) or "none"
            raise CommandError(f"There is no benchmark {options['benchmark']!r}. Those of the site: {known}.")
        try:
            splits = benchmark_phases.splits_of(benchmark, options["split"])
            if options["action"] == "publish":
                lines = benchmark_phases.publish(splits, actor=self.actor)
            elif options["action"] == "archive":
                lines = benchmark_phases.archive(splits, actor=self.actor)
            elif options["dry_run"]:
                lines = [DRY_RUN, str(benchmark_phases.removal_of(splits))]
            else:
                lines = [str(benchmark_phases.remove(splits, actor=self.actor))]
        except benchmark_phases.PhaseError as error:
            raise CommandError(str(error)) from error
        for line in lines:
            self.stdout.write(line)
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
        answers, citations = _answers(definition, questions, options)
        tried = list(judge_trial.requests(metric, questions, answers, max(1, options["n"]), citations))
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
                self.stdout.write(legible_in_terminal(f"--- {message['role']}\n{message['content']}"))
            for reply in one.replies:
                read = f"verdict {reply.letter}" if reply.letter else reply.outcome.label
                by = reply.model or config.judge.model
                self.stdout.write(legible_in_terminal(f"--- reply of {by}\n{reply.text}\n--- read as: {read}"))
        expected = "unknown, as the model's price is" if cost.usd is None else f"about {cost.usd:.4f} USD"
        self.stdout.write(f"\n{cost.n_calls} requests to {config.judge.model}; expected cost: {expected}.")
        if not options["dry_run"]:
            costs = [one.usd(config) for one in tried]
            spent = None if None in costs else sum(filter(None, costs), Decimal())
            self.stdout.write("Cost: unknown." if spent is None else f"Cost: {spent:.4f} USD.")


def _answers(
    definition: BenchmarkDefinition, questions: Sequence[SourceQuestion], options: dict[str, Any]
) -> tuple[dict[str, str], dict[str, str]]:
    """The answers to judge and their citations, as stored, by question: those of a file, of several attempts the first,
    or copies of the reference answers, which cite nothing."""
    path: Path | None = options["generations"]
    if path is None:
        task = task_type_named(definition.task_type)
        return {question.qid: task.copy_of(question.answer) for question in questions if question.has_answer}, {}
    known = KnownQuestions(tuple(question.qid for question in questions))
    with path.open("rb") as stream:
        report = read_generations(stream, known, answer_format=definition.answer_format())
    if not report.ok:
        lines = [line for group in report.groups for line in group.as_lines()]
        raise CommandError("\n".join([f"{path} has mistakes:", *lines]))
    places = {key: place_of(key, report.n_attempts) for key in report.answers}
    first = {key: qid for key, (qid, attempt) in places.items() if attempt == 1}
    answers = {first[key]: text for key, text in report.answers.items() if key in first}
    return answers, {first[key]: text for key, text in report.citations.items() if key in first}
