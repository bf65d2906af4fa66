"""The command ``import``: the log of an evaluation framework as a generations file, without reference answers."""

from __future__ import annotations

import argparse
import datetime
import io
import json
import re
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

from manyhop.cli import DONE, WARNED
from manyhop.cli.running import UnusableError, client_of, new_parser
from scoring.benchmarks import UnknownBenchmarkError, definition_of
from scoring.benchmarks.reference_texts import ReferenceTexts, texts_of_reference
from scoring.generations.keys import place_of
from scoring.generations.problems import clean, quote
from scoring.generations.reader import KnownQuestions, read_generations
from scoring.logs import tables
from scoring.logs.inspect_ai import COMPLETION
from scoring.logs.lm_eval import FILTERED, RESPONSES
from scoring.logs.log import Log, LogError, Wanted
from scoring.logs.reading import read_log
from scoring.task_types import TASK_TYPES

SHOWN = 5
OF_FRAMEWORKS = (COMPLETION, RESPONSES, FILTERED)
"""Keys under which frameworks write what a model gave."""
REFERENCES_SHARE = 0.9
"""The share of the reference answers above which as many equal answers are these, perhaps of another revision."""
IN_FOLDERS = ("*.eval", "samples_*.jsonl", "results_*.json")
"""The files of a folder that are read."""
_STARTED = re.compile(r"\d{4}-\d\d-\d\dT\d\d-\d\d")
"""Beginning of inspect_ai's names of logs."""


def parser(command: str) -> argparse.ArgumentParser:
    made = new_parser(
        command,
        "Write the answers in the log of an evaluation framework as a generations file, with the benchmark's ids and\n"
        "what each answer took, but without a reference answer. Read are: logs of inspect_ai (.eval, .json);\n"
        "samples_….jsonl of lm-evaluation-harness, with results_….json of the same run; JSON,\n"
        "JSON Lines, CSV, TSV.",
        "  manyhop import run.eval --benchmark fanoutqa --out generations.jsonl --facts facts.json\n"
        "  manyhop import samples_fan.jsonl results.json --benchmark fanoutqa --out generations.jsonl\n"
        "  manyhop import answers.csv --answer-field Reply --benchmark fanoutqa --out generations.jsonl\n",
    )
    made.add_argument("logs", nargs="+", type=Path, metavar="LOG", help="the files of one log, or its folder")
    made.add_argument("--benchmark", required=True, metavar="NAME")
    made.add_argument("--split", metavar="NAME", help="(default: the one with most of the ids)")
    made.add_argument("--out", required=True, type=Path, metavar="FILE", help="write the generations to this file")
    made.add_argument("--facts", type=Path, metavar="FILE", help="write the run facts to this file, as JSON")
    made.add_argument(
        "--answer-field", default="", metavar="FIELD", help="where a log has the answers, if not as usual"
    )
    made.add_argument("--id-field", default="", metavar="FIELD", help="where a log has the ids, if not as usual")
    made.add_argument("--json", action="store_true", help="print what was read as JSON")
    return made


def run(command: str, options: argparse.Namespace) -> int:
    with client_of(options) as client:
        benchmark = client.benchmark(options.benchmark)
        splits = [options.split] if options.split else [split.slug for split in benchmark.splits]
        ids = {split: {question.id for question in client.questions(benchmark.slug, split)} for split in splits}
    if benchmark.task_type not in TASK_TYPES:
        raise UnusableError(f"This version of manyhop does not know answers of the kind {benchmark.task_type!r}.")
    log, split = read(options.logs, ids, options)
    refuse_references(log, packaged_references(benchmark.slug, split))
    known = ids[split] & log.ids
    task = TASK_TYPES[benchmark.task_type]
    answer_format = task.answer_format(None)
    generations = log.generations(answer_format, known)
    options.out.write_bytes(generations)
    if options.facts is not None:
        options.facts.write_text(json.dumps(log.run_facts, ensure_ascii=False, indent=2) + "\n", "utf-8")
    warnings = [*log.warnings]
    if log.unfinished:
        warnings.append(f"The log breaks off before the end of its run ({log.unfinished}).")
    if left_out := [name for name in log.ids if name not in known]:
        examples = ", ".join(map(clean, left_out[:SHOWN])) + (", …" if len(left_out) > SHOWN else "")
        warnings.append(f"{len(left_out):,} ids are of no question of {split}, and are left out: {examples}")
    questions = KnownQuestions(tuple(sorted(ids[split])))
    report = read_generations(io.BytesIO(generations), questions, answer_format=answer_format)
    warnings += [group.summary for group in report.groups]
    n_answered = report.n_answered
    others = ", ".join(name for name in log.answer_fields if name != log.answer_field)
    print(f"Read {log.kind}. The answers are those of {log.answer_field}.", file=sys.stderr)
    if others:
        print(f"Other fields (--answer-field): {others}", file=sys.stderr)
    for line in (*log.remarks, *(f"warning: {warning}" for warning in warnings)):
        print(line, file=sys.stderr)
    print(f"{n_answered:,} of {len(ids[split]):,} questions answered ({benchmark.slug}/{split})", file=sys.stderr)
    if options.json:
        document = {
            "kind": log.kind,
            "benchmark": options.benchmark,
            "split": split,
            "n_questions": len(ids[split]),
            "n_answered": n_answered,
            "answer_field": log.answer_field,
            "answer_fields": list(log.answer_fields),
            "run_facts": log.run_facts,
            "n_attempts": report.n_attempts,
            "n_with_usage": len({place_of(key, log.n_attempts)[0] for key in log.usage} & known),
            "remarks": list(log.remarks),
            "warnings": warnings,
        }
        print(json.dumps(document, ensure_ascii=False, indent=2))
    else:
        for name, value in log.run_facts.items():
            print(f"{name:<12} {value}")
        n_answers = sum(place_of(key, log.n_attempts)[0] in known for key in log.answers)
        print(f"{n_answers:,} answers are in {options.out}.", file=sys.stderr)
    return WARNED if warnings else DONE


def read(paths: Sequence[Path], ids: Mapping[str, set[str]], options: argparse.Namespace) -> tuple[Log, str]:
    """Read the files of a log; returns it with the split to whose ids most of its answers belong.

    Raises:
        UnusableError: they cannot be used.
    """
    files: list[Path] = []
    for path in paths:
        within = [file for pattern in IN_FOLDERS for file in sorted(path.glob(pattern))] if path.is_dir() else [path]
        if not within:
            raise UnusableError(f"{path}: expected a file named {', '.join(IN_FOLDERS)}; name the files of the log.")
        files += within
    wanted = Wanted(frozenset().union(*ids.values()), options.answer_field, options.id_field)
    with ExitStack() as opened:
        streams = [(path.name, opened.enter_context(path.open("rb"))) for path in files]
        try:
            log = read_log(streams, wanted)
        except LogError as error:
            newest = f"\nThe newest is {_newest(files)}." if len(files) > 1 else ""
            raise UnusableError(f"{error}{newest}") from None
    split = max(ids, key=lambda name: len(ids[name] & log.ids))
    if ids[split].isdisjoint(log.ids):
        examples = ", ".join(clean(name) for name in list(log.ids)[:SHOWN])
        raise UnusableError(
            f"{files[0].name}: none of its {len(log.ids):,} ids is of a question of {' or '.join(ids)}: found "
            f"{examples}. Give each sample the id of its question, or name the field with the ids (--id-field)."
        )
    return log, split


def packaged_references(benchmark: str, split: str) -> dict[str, ReferenceTexts]:
    """The reference answers of an open split by question, as far as the benchmark's package has them."""
    try:
        definition = definition_of(benchmark)
    except UnknownBenchmarkError:
        return {}
    packaged = definition.packaged().get(split)
    if packaged is None or definition.split(split).hidden:
        return {}
    task = TASK_TYPES[definition.task_type]
    answered = (question for question in packaged.source.questions if question.has_answer)
    return {question.qid: texts_of_reference(question.answer, task) for question in answered}


def refuse_references(log: Log, references: Mapping[str, ReferenceTexts]) -> None:
    """Refuse answers that are the reference answers: the wrong field was chosen.

    Args:
        log: in a field that only the answers of a system have, by its name, they may be as right as they are.
        references: by question.

    Raises:
        UnusableError: nearly all answers equal the reference answers, as metrics read both.
    """
    if log.answer_field in OF_FRAMEWORKS or log.answer_field.casefold() in tables.OF_SYSTEMS:
        return
    places = ((place_of(key, log.n_attempts)[0], answer) for key, answer in log.answers.items())
    given = [(qid, answer) for qid, answer in places if qid in references and answer is not None]
    compared = {qid for qid, _ in given}
    texts = ((qid, [answer] if isinstance(answer, str) else answer) for qid, answer in given)
    n_equal = len({qid for qid, answer in texts if references[qid].equals(answer)})
    if n_equal > REFERENCES_SHARE * len(compared):
        others = ", ".join(quote(name) for name in log.answer_fields if name != log.answer_field)
        raise UnusableError(
            f"{quote(log.answer_field)}: found the reference answers of {n_equal:,} of {len(compared):,} questions, "
            f"expected the answers of a system. Name their field with --answer-field{f': {others}' if others else ''}. "
            "If a system gave these answers, rename the field to prediction."
        )


def _newest(files: Sequence[Path]) -> str:
    """The newest of several files, with its time: that in their names, as inspect_ai writes it, or of their last
    change, which copying may lose."""
    if all(_STARTED.match(file.name) for file in files):
        return max(files, key=lambda file: file.name).name
    newest = max(files, key=lambda file: file.stat().st_mtime)
    changed = datetime.datetime.fromtimestamp(newest.stat().st_mtime, datetime.UTC)
    return f"{newest.name}, last changed on {changed:%Y-%m-%d at %H:%M} UTC"
