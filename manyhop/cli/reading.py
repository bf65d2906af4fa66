"""Commands that read public data of a site: ``benchmarks``, ``questions``, ``board``, ``compare``, ``cite``,
``croissant``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import msgspec

from manyhop import records
from manyhop.cli import DONE
from manyhop.cli.running import UnusableError, add_json, client_of, new_parser, print_json, print_table
from manyhop.client import Client

PLACE = "BENCHMARK[/SPLIT[/SETTING]]"


def parser(command: str) -> argparse.ArgumentParser:
    if command == "benchmarks":
        benchmarks = new_parser(
            command,
            "List the benchmarks of a site, or show the splits, settings and columns of one.",
            "  manyhop benchmarks\n  manyhop benchmarks fanoutqa --json\n",
        )
        benchmarks.add_argument("benchmark", nargs="?", metavar="BENCHMARK")
        add_json(benchmarks)
        return benchmarks
    if command == "questions":
        questions = new_parser(
            command,
            "Write the questions of a split, without reference answers, as JSON Lines: one object with id, text,\n"
            "categories, evidence and decomposition a line.",
            "  manyhop questions fanoutqa/test --out questions.jsonl\n",
        )
        questions.add_argument("place", metavar="BENCHMARK[/SPLIT]", help="the default split if none is named")
        questions.add_argument("--out", type=Path, metavar="FILE", help="write to this file, not to standard output")
        return questions
    if command == "compare":
        compare = new_parser(
            command,
            "Compare two to six systems on one leaderboard: the first minus the second of each pair, over the same\n"
            "questions, with 95 % confidence intervals and p-values corrected for the number of pairs.",
            "  manyhop compare gpt-4 llama-3 --board fanoutqa/test/openbook --score loose\n",
        )
        compare.add_argument("systems", nargs="+", metavar="SYSTEM", help="the slugs of their pages")
        compare.add_argument("--board", default="", metavar=PLACE, help="(default: that with most of the systems)")
        compare.add_argument("--score", default="", metavar="SCORE", help="only this score")
        add_json(compare)
        return compare
    if command == "cite":
        cite = new_parser(
            command,
            "Write the BibTeX of a leaderboard as it is now, and of its benchmark.",
            "  manyhop cite fanoutqa/test/openbook >> references.bib\n",
        )
        cite.add_argument("place", metavar=PLACE)
        return cite
    if command == "croissant":
        croissant = new_parser(
            command,
            "Write the description of a benchmark, or of one of its splits, in Croissant (JSON-LD), which other\n"
            "programs load. It names the files of questions of open splits.",
            "  manyhop croissant fanoutqa/dev > croissant.json\n",
        )
        croissant.add_argument("place", metavar="BENCHMARK[/SPLIT]")
        return croissant
    board = new_parser(
        command,
        "Show a leaderboard, best system first, with 95 % confidence intervals and rank ranges. Only scores with the\n"
        "same signature are ranked.",
        "  manyhop board fanoutqa/test/openbook\n  manyhop board fanoutqa --sort strict --export csv > board.csv\n"
        "  manyhop board fanoutqa --system gpt-4 --export model-index.yaml\n",
    )
    board.add_argument("place", metavar=PLACE, nargs="?", default="", help="the default board if nothing is named")
    board.add_argument("--sort", default="", metavar="SCORE", help="the score that sorts; -SCORE for the worst first")
    board.add_argument("--all-columns", action="store_true", help="show the columns too that its page folds away")
    board.add_argument("--q", default="", metavar="WORDS", help="only systems with these words")
    board.add_argument(
        "--export",
        metavar="FORMAT",
        help="write a file that the board's page exports: csv, json, tex, bib, md; of one system\n"
        "every-eval-ever.json, model-index.yaml, eval-results.yaml",
    )
    board.add_argument("--system", default="", metavar="SYSTEM", help="with --export, the slug of one system")
    add_json(board)
    return board


def run(command: str, options: argparse.Namespace) -> int:
    with client_of(options) as client:
        if command in _COMMANDS:
            return _COMMANDS[command](client, options)
        if command == "cite":
            written = client.export(*_place(client, options.place), "bib")
        else:
            written = client.croissant(*options.place.strip("/").split("/", 1))
        sys.stdout.buffer.write(written)
        return DONE


def _benchmarks(client: Client, options: argparse.Namespace) -> int:
    if options.benchmark is None:
        lines = client.benchmarks()
        if options.json:
            return print_json(lines)
        print_table(["BENCHMARK", "NAME"], [[line.slug, line.name] for line in lines])
        return DONE
    benchmark = client.benchmark(options.benchmark)
    if options.json:
        return print_json(benchmark)
    print(f"{benchmark.name} ({benchmark.licence}): {benchmark.homepage}\n")
    splits = [[split.slug, split.n_questions, "hidden" if split.hidden else "open"] for split in benchmark.splits]
    print_table(["SPLIT", "QUESTIONS", "ANSWERS"], splits)
    print()
    print_table(["SETTING", "NAME"], [[setting.slug, setting.name] for setting in benchmark.settings])
    print()
    columns = [[column.score, column.metric, column.label] for column in benchmark.columns]
    print_table(["SCORE", "METRIC", "LABEL"], columns)
    return DONE


def _questions(client: Client, options: argparse.Namespace) -> int:
    benchmark, _, split = options.place.partition("/")
    questions = client.questions(benchmark, split or client.benchmark(benchmark).default_split)
    lines = msgspec.json.Encoder().encode_lines(questions)
    if options.out is None:
        sys.stdout.write(lines.decode())
        return DONE
    options.out.write_bytes(lines)
    print(f"{len(questions):,} questions are in {options.out}.", file=sys.stderr)
    return DONE


def _place(client: Client, place: str) -> tuple[str, str, str]:
    """A board by the names of its benchmark, split and setting; the benchmark's defaults where one is left out."""
    parts = [part for part in place.strip("/").split("/") if part]
    if len(parts) > 3:
        raise UnusableError(f"{place}: expected {PLACE}")
    if len(parts) < 3 and parts:
        benchmark = client.benchmark(parts[0])
        parts += [benchmark.default_split, benchmark.default_setting][len(parts) - 1 :]
    benchmark_slug, split, setting = parts or ("", "", "")
    return benchmark_slug, split, setting


def _board(client: Client, options: argparse.Namespace) -> int:
    filters = {"sort": options.sort, "q": options.q}
    board = client.board(*_place(client, options.place), **filters)
    if options.json:
        return print_json(board)
    if options.system and not options.export:
        raise UnusableError("--system: expected --export with one of the formats of a system")
    if options.export:
        place = board.benchmark, board.split, board.setting
        names = [known.name for known in (board.system_exports if options.system else board.exports)]
        if options.export not in names:
            kind = "a system" if options.system else "a board"
            raise UnusableError(f"--export {options.export}: the formats of {kind} are {', '.join(names)}")
        if options.system:
            content = client.export_system(*place, options.system, options.export)
        else:
            content = client.export(*place, options.export, **filters)
        sys.stdout.buffer.write(content)
        return DONE
    columns = client.benchmark(board.benchmark).columns
    left_out = {column.score for column in columns if not (column.default or options.all_columns)}
    left_out.discard(options.sort.removeprefix("-"))
    board_rows = (*board.rows, *board.pinned_rows)
    with_value = dict.fromkeys(cell.score for row in board_rows for cell in row.scores if cell.value is not None)
    # Rows may lack scores, and the first row need not have them all: the order is the benchmark's, for every row.
    declared = [column.score for column in columns if column.score in with_value]
    shown = [score for score in dict.fromkeys([*declared, *with_value]) if score not in left_out]
    rows: list[list[object]] = []
    for row in board_rows:
        cells = {cell.score: cell for cell in row.scores}
        ranks = f"{row.best_rank}–{row.worst_rank}" if row.best_rank else None
        rows.append([ranks, row.name, *(_value_of(cells.get(score)) for score in shown)])
    print(
        f"{board.benchmark}/{board.split}/{board.setting}, revision {board.revision}, {board.n_questions:,} questions\n"
    )
    print_table(["RANKS", "SYSTEM", *map(str.upper, shown)], rows)
    if board.stale or board.statistics_stale:
        print("A change is not shown yet, or statistics are being computed.", file=sys.stderr)
    return DONE


def _value_of(cell: records.Cell | None) -> str | None:
    """The value of a score with its interval, as a table shows it; None if the row has none."""
    if cell is None or cell.value is None:
        return None
    if cell.score == "attempts":
        return f"{cell.value:.0f}"
    ends = f" [{cell.low:.4f}, {cell.high:.4f}]" if cell.low is not None and cell.high is not None else ""
    return f"{cell.value:.4f}{ends}"


def _compare(client: Client, options: argparse.Namespace) -> int:
    comparison = client.compare(options.systems, *_place(client, options.board))
    if options.json:
        return print_json(comparison)
    for system in comparison.systems:
        if system.reason:
            print(f"{system.name}: {system.reason}", file=sys.stderr)
    rows = [
        [score.score, pair.system, pair.other, pair.value, pair.low, pair.high, pair.p_value, pair.corrected]
        for score in comparison.scores
        if options.score in ("", score.score)
        for pair in score.differences
    ]
    print(f"{comparison.benchmark}/{comparison.split}/{comparison.setting}\n")
    print_table(["SCORE", "SYSTEM", "MINUS", "DIFFERENCE", "LOW", "HIGH", "P", "CORRECTED"], rows)
    return DONE


_COMMANDS = {"benchmarks": _benchmarks, "questions": _questions, "board": _board, "compare": _compare}
