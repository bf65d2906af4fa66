"""Check a file of generations without the site: ``python -m scoring check FILE``.

This command uses the reader of the upload form and the API (`scoring.generations.reader`), with the questions of the
benchmark's own package, of its folder or of a file; no database, no Django. Exit codes: 0 no problems; 1 usable, with
warnings; 2 unusable.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

from scoring.benchmarks import definitions
from scoring.benchmarks.base import BenchmarkDefinition, SourceError
from scoring.cli.declared import DeclaredSplit, definition_named
from scoring.cli.options import add_separator
from scoring.generations.passages import check_file_of_passages
from scoring.generations.problems import EXAMPLES, size_in_words
from scoring.generations.reader import GenerationsReport, KnownQuestions, Limits, read_generations
from scoring.logs.log import LogError
from scoring.logs.reading import read_answers
from scoring.task_types import TASK_TYPES
from scoring.task_types.base import UnusableInputError

GOOD, WITH_WARNINGS, UNUSABLE = 0, 1, 2
ACCEPTED = "A site would accept this file"
REJECTED = "A site would reject this file"
SHOWN = 20
ALL = 100_000
LIMIT_MB, PASSAGES_LIMIT_MB, MAX_LIMIT_MB = 32, 200, 4096


def main(arguments: Sequence[str], program: str = "python -m scoring check") -> int:
    """Run the command with the arguments after ``check``; returns the exit code."""
    options = _parser(program).parse_args(arguments)
    try:
        options.definition = definition_named(options.benchmark) if options.benchmark is not None else None
        known, what, hint = _questions(options)
        stream: BinaryIO = sys.stdin.buffer if str(options.file) == "-" else options.file.open("rb")
        report = _read(stream, known, options)
    except (SourceError, UnusableInputError, LogError) as error:
        for problem in error.problems:
            print(f"error: {problem}", file=sys.stderr)
        return UNUSABLE
    except OSError as error:
        print(f"error: {options.file}: cannot be read: {error.strerror}", file=sys.stderr)
        return UNUSABLE
    if options.json:
        document = {"file": str(options.file), "checked_against": what, **report.as_dict()}
        print(json.dumps(document, ensure_ascii=False, indent=2))
    else:
        print("\n".join(_lines(options, known, what, report)))
        if hint and not report.ok:
            print(hint)
    return UNUSABLE if not report.ok else WITH_WARNINGS if report.warnings else GOOD


def _read(stream: BinaryIO, known: KnownQuestions | None, options: argparse.Namespace) -> GenerationsReport:
    """Read an open file against some questions, and close it.

    Raises:
        LogError: it is a log that cannot be used.
    """
    limit_mb = PASSAGES_LIMIT_MB if options.passages and options.limit_mb == LIMIT_MB else options.limit_mb
    limits = Limits(
        max_bytes=limit_mb * 2**20,
        max_shown_per_group=ALL if options.all else SHOWN,
        max_answer_length=options.definition.form.limits.answer_length if options.definition else None,
    )
    with stream:
        if options.passages:
            return check_file_of_passages(stream, known, limits)
        is_own = options.definition is not None and options.definition.task_type == _task(options)
        form = options.definition if is_own else TASK_TYPES[_task(options)]
        answer_format = form.answer_format(options.separator)
        if not stream.seekable():
            return read_generations(stream, known, limits, answer_format)
        ids = frozenset({*known.current, *known.retired, *known.other_splits} if known else ())
        return read_answers(
            stream, options.file.name, known=known, ids=ids, limits=limits, answer_format=answer_format
        ).report


def _task(options: argparse.Namespace) -> str:
    """Task type of the answers: as named, or as the benchmark declares."""
    return options.task or (options.definition.task_type if options.definition else next(iter(TASK_TYPES)))


def _parser(program: str) -> argparse.ArgumentParser:
    slugs = list(definitions())
    parser = argparse.ArgumentParser(
        prog=program,
        description="Check a file of generations with the same rules as the site. Nothing is sent over the network.",
        epilog="Exit codes: 0 no problems; 1 usable, with warnings; 2 unusable, with every problem listed.",
    )
    parser.add_argument(
        "file",
        type=Path,
        metavar="FILE",
        help="generations, plain or gzip, or the log of a framework; - reads standard input",
    )
    first = next(iter(slugs), None)
    parser.add_argument(
        "--benchmark",
        default=first,
        metavar="NAME",
        help=f"the benchmark: {', '.join(slugs)}, or the folder of one (default: {first})",
    )
    parser.add_argument(
        "--split",
        metavar="NAME",
        help="the split of the file (default: the one that has most of the questions, or its first one)",
    )
    parser.add_argument(
        "--questions",
        type=Path,
        metavar="QUESTIONS.json",
        help="the question file, if it is newer than the one in the benchmark's package",
    )
    parser.add_argument(
        "--task",
        choices=tuple(TASK_TYPES),
        help="what an answer is (default: as the benchmark declares); for one that is not the benchmark's, "
        "--questions is a file of references",
    )
    add_separator(parser)
    parser.add_argument("--passages", action="store_true", help="the file holds retrieved passages, not answers")
    parser.add_argument("--any-ids", action="store_true", help="check only the format, not the ids")
    parser.add_argument("--json", action="store_true", help="print the report as JSON, in the format of the API")
    parser.add_argument(
        "--all", action="store_true", help=f"list all problems, also of kinds with more than {EXAMPLES}"
    )
    parser.add_argument(
        "--limit-mb",
        type=_limit,
        default=LIMIT_MB,
        metavar="MIB",
        help=f"the size limit, in MiB (default: {LIMIT_MB}, the site's default; for passages {PASSAGES_LIMIT_MB})",
    )
    return parser


def _limit(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= MAX_LIMIT_MB:
        raise argparse.ArgumentTypeError(f"expected a whole number from 1 to {MAX_LIMIT_MB}, found {text!r}")
    return int(text)


# --- The questions -------------------------------------------------------------------------------------------------


def _questions(options: argparse.Namespace) -> tuple[KnownQuestions | None, str, str]:
    """Questions that a file is checked against: the ids, a description of these questions, and a hint if the file is
    rejected."""
    if options.any_ids:
        return None, "no questions: any id is accepted", ""
    definition: BenchmarkDefinition | None = options.definition
    if definition is None or _task(options) != definition.task_type:
        # A task type without a packaged benchmark: its questions are those of a file of references.
        if options.questions is None:
            raise SourceError([f"--task {_task(options)} needs --questions, a file of references, or --any-ids"])
        ids = TASK_TYPES[_task(options)].read_references(options.questions).ids
        return KnownQuestions(current=ids), f"{options.questions.name}, {len(ids):,} questions", ""
    split = DeclaredSplit.of(definition, options.split, options.questions)
    name, number = f"{definition.name}, {split.slug} split", f"{len(split.questions):,} questions"
    if options.questions is not None:
        return split.known, f"{options.questions.name} ({name}), {number}", ""
    date = definition.packaged()[split.slug].date.isoformat()
    place = "folder" if Path(options.benchmark).exists() else "package"
    hint = "A site may have newer questions; give them with --questions."
    return split.known, f"{name}, {number} of {date}, from its {place}", hint


# --- The report ----------------------------------------------------------------------------------------------------


def _lines(
    options: argparse.Namespace, known: KnownQuestions | None, what: str, report: GenerationsReport
) -> list[str]:
    size = size_in_words(report.size)
    if report.packed:
        size += (
            f" of gzip, {size_in_words(report.text_size)} of text ({report.text_size / report.size:,.1f} times as much)"
        )
    lines = [f"{options.file}: {size}, {report.n_lines:,} lines", f"Checked against {what}"]
    if known is not None:
        have = "with passages" if options.passages else "answered"
        mean = f", the mean of {report.n_attempts} attempts" if report.n_attempts > 1 else ""
        lines.append(f"{report.n_answered:,} of {report.n_questions:,} questions {have}{mean}")
    if report.sha256:
        lines.append(f"SHA-256 {report.sha256}")
    for group in report.groups:
        summary, *problems = group.as_lines(in_full=options.all)
        lines += ["", f"{group.severity.value}: {summary}", *problems]
        if not options.all and group.count > EXAMPLES:
            lines.append("  --all lists all of them")
    lines.append("")
    if not report.ok:
        lines.append(f"{REJECTED}: {report.n_errors:,} error{'s' if report.n_errors > 1 else ''}.")
    elif report.warnings:
        lines.append(f"{ACCEPTED}, with {report.n_warnings:,} warning{'s' if report.n_warnings > 1 else ''}.")
    else:
        lines.append(f"{ACCEPTED}.")
    return lines
