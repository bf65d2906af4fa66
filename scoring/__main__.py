"""Score a file of answers without the site: ``python -m scoring --references REFS.json --generations GENS.jsonl``;
``python -m scoring check FILE`` only checks one (`scoring.cli.check`), ``python -m scoring verify`` checks a receipt
(`scoring.cli.verify`).

Exit codes: 0 scored; 1 scored, with warnings; 2 the input cannot be used, and every problem is listed.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scoring.generations.reader import GenerationsReport, Limits, read_generations
from scoring.metrics.base import (
    Metric,
    ReferenceAnswer,
    ReferenceProblem,
    ScoredVector,
    UnusableReference,
    check_references,
)
from scoring.metrics.text.lemmatizer import CHOICES, LemmatiserError

if TYPE_CHECKING:
    from collections.abc import Callable

SCORED, SCORED_WITH_WARNINGS, UNUSABLE = 0, 1, 2
DEFAULT_METRICS = ("accuracy", "rouge")
METRICS = (*DEFAULT_METRICS, "accuracy-repaired")
LISTED = 100_000
"""The maximum number of problems listed per kind: practically all."""


class UnusableInputError(Exception):
    """The input cannot be scored; :attr:`problems` says why, one line each."""

    def __init__(self, problems: Sequence[str]) -> None:
        self.problems = list(problems)
        super().__init__("; ".join(self.problems))


@dataclass(frozen=True)
class References:
    """The reference answers of a file, in its order."""

    ids: tuple[str, ...]
    answers: tuple[ReferenceAnswer, ...]
    fingerprint: str
    """First 8 hexadecimal digits of the file's SHA-256."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command.

    :param arguments: as on the command line; those of the process if not given.
    :returns: the exit code.
    """
    arguments = sys.argv[1:] if arguments is None else arguments
    if arguments[:1] == ["check"]:
        from scoring.cli import check  # imports the benchmarks' packages, which scoring does not need

        return check.main(arguments[1:])
    if arguments[:1] == ["verify"]:
        from scoring.cli import verify

        return verify.main(arguments[1:])
    options = _parser().parse_args(arguments)
    problems: list[str] = []
    references = report = None
    try:
        references = read_references(options.references)
    except UnusableInputError as error:
        problems += error.problems
    try:
        report = _read_report(options.generations)
    except UnusableInputError as error:
        problems += error.problems
    if references is None or report is None:
        return _refuse(problems)
    try:
        warnings = _warnings(options.generations, references, report)
        result = _score(references, report.answers, options)
    except UnusableInputError as error:
        return _refuse(error.problems)
    except LemmatiserError as error:
        return _refuse([str(error)])
    text = json.dumps(result, ensure_ascii=False, indent=2) + "\n"
    if options.out is None:
        sys.stdout.write(text)
    else:
        try:
            options.out.write_text(text, encoding="utf-8")
        except OSError as error:
            return _refuse([f"{options.out}: cannot be written: {error.strerror}"])
        sys.stdout.write(_summary(result))
    for warning in warnings:
        print(f"warning: {warning}", file=sys.stderr)
    return SCORED_WITH_WARNINGS if warnings else SCORED


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m scoring",
        description="Score answers against reference answers, with the same metrics as the leaderboard. To "
        "check a file of answers without scoring it: python -m scoring check --help. To check a "
        "receipt: python -m scoring verify --help.",
        epilog="Exit codes: 0 scored; 1 scored, with warnings; 2 unusable input, with every problem listed.",
    )
    parser.add_argument(
        "--references",
        type=Path,
        required=True,
        metavar="REFS.json",
        help='a JSON list of questions with "id" and "answer", as the dev split is published',
    )
    parser.add_argument(
        "--generations",
        type=Path,
        required=True,
        metavar="GENS.jsonl",
        help='the answers: one JSON object with "id" and "answer" per line, optionally compressed with gzip',
    )
    parser.add_argument(
        "--metrics",
        type=_metric_names,
        default=DEFAULT_METRICS,
        metavar="NAMES",
        help=(
            f"metrics to compute, of {', '.join(METRICS)}, separated by commas (default: {','.join(DEFAULT_METRICS)})"
        ),
    )
    parser.add_argument("--per-question", action="store_true", help="also write the scores of every question")
    parser.add_argument(
        "--out", type=Path, metavar="SCORES.json", help="write the scores to this file instead of standard output"
    )
    parser.add_argument(
        "--lemmatiser",
        choices=CHOICES,
        default="auto",
        help="source of the lemmas for accuracy (default: auto, which is en_core_web_sm if installed, else lookup)",
    )
    return parser


def _metric_names(text: str) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
    unknown = [name for name in names if name not in METRICS]
    if unknown or not names:
        found = f"no metric {', '.join(map(repr, unknown))}" if unknown else "no metric named"
        raise argparse.ArgumentTypeError(f"{found}; there are {', '.join(METRICS)}")
    return names


# Input ----------------------------------------------------------------------------------------------------------------


def read_references(path: Path) -> References:
    """Read a file of questions with reference answers.

    :param path: a JSON list of objects with ``id`` and ``answer``; other keys are ignored.
    :raises UnusableInputError: listing everything that is wrong with it.
    """
    try:
        content = path.read_bytes()
        questions = json.loads(content)
    except OSError as error:
        raise UnusableInputError([f"{path}: cannot be read: {error.strerror}"]) from error
    except json.JSONDecodeError as error:
        raise UnusableInputError(
            [f"{path}: line {error.lineno}, column {error.colno}: not JSON: {error.msg}"]
        ) from error
    except (UnicodeDecodeError, RecursionError, ValueError) as error:
        raise UnusableInputError([f"{path}: not JSON in UTF-8: {error}"]) from error
    if not isinstance(questions, list) or not questions:
        found = "an empty list" if questions == [] else f"a JSON {type(questions).__name__}"
        raise UnusableInputError([f'{path}: expected a JSON list of objects with "id" and "answer", found {found}'])
    answers: dict[str, ReferenceAnswer] = {}
    places: list[str] = []
    problems: list[str] = []
    for number, question in enumerate(questions, start=1):
        where = f"{path}: question {number}"
        if not isinstance(question, dict):
            problems.append(f"{where}: expected an object, found {type(question).__name__}")
            continue
        missing = [f'the key "{key}" is missing' for key in ("id", "answer") if key not in question]
        problems += [f"{where}: {what}" for what in missing]
        name = question.get("id")
        if "id" in question and not isinstance(name, str):
            problems.append(f"{where}: the id is not a string")
        elif isinstance(name, str) and name in answers:
            problems.append(f"{where}: the id {name!r} has been used before")
        elif isinstance(name, str) and not missing:
            answers[name] = question["answer"]
            places.append(f"{where} ({name})")
    try:
        check_references(list(answers.values()))
    except UnusableReference as error:
        problems += [f"{places[one.index]}: answer{one.place}: {one.what}" for one in error.problems]
    if problems:
        raise UnusableInputError(problems)
    return References(tuple(answers), tuple(answers.values()), hashlib.sha256(content).hexdigest()[:8])


def _read_report(path: Path) -> GenerationsReport:
    """Read the answers without checking which questions they belong to.

    :raises UnusableInputError: listing every error of the file.
    """
    try:
        with path.open("rb") as stream:
            report = read_generations(stream, None, Limits(max_shown_per_group=LISTED))
    except OSError as error:
        raise UnusableInputError([f"{path}: cannot be read: {error.strerror}"]) from error
    if not report.ok:
        raise UnusableInputError([f"{path}: {one.message}" for group in report.errors for one in group.problems])
    return report


def _warnings(path: Path, references: References, report: GenerationsReport) -> list[str]:
    """Return the warnings about a file that can be scored.

    :raises UnusableInputError: if it answers none of the questions.
    """
    known = set(references.ids)
    strangers = [name for name in report.answers if name not in known]
    if len(strangers) == len(report.answers):
        raise UnusableInputError(
            [f"{path}: none of the {len(strangers):,} ids is among the references; is the file for another split?"]
        )
    warnings = [f"{path}: {one.message}" for group in report.warnings for one in group.problems]
    warnings += [f"{path}: the id {name!r} is not among the references; its answer is not scored" for name in strangers]
    warnings += [
        f"{path}: question {name!r} has no answer; it scores 0" for name in references.ids if name not in report.answers
    ]
    return warnings


def _refuse(problems: Sequence[str]) -> int:
    for problem in problems:
        print(f"error: {problem}", file=sys.stderr)
    print(f"Not scored because of {len(problems):,} problem{'' if len(problems) == 1 else 's'}.", file=sys.stderr)
    return UNUSABLE


# Scoring --------------------------------------------------------------------------------------------------------------


def _metric(name: str, lemmatiser: str) -> Metric:
    if name == "accuracy":
        from scoring.metrics.string_accuracy import StringAccuracy  # each metric loads only what it needs

        return StringAccuracy(lemmatiser)
    if name == "accuracy-repaired":
        from scoring.metrics.string_accuracy_v2 import RepairedStringAccuracy

        return RepairedStringAccuracy(lemmatiser)
    from scoring.metrics.rouge import Rouge

    return Rouge()


def _score(references: References, answers: Mapping[str, str], options: argparse.Namespace) -> dict[str, Any]:
    generations = [answers.get(name) for name in references.ids]
    scores: dict[str, ScoredVector] = {}
    signatures: dict[str, str] = {}
    for name in options.metrics:
        metric = _metric(name, options.lemmatiser)
        signatures[name] = metric.signature(f"references@{references.fingerprint}")
        try:
            prepared = metric.prepare(references.answers)
        except UnusableReference as error:
            raise UnusableInputError(
                [_refused(name, one, references, options.references) for one in error.problems]
            ) from error
        with _ProgressBar(name, len(generations)) as progress:
            scores.update(metric.score(prepared, generations, progress))
    result: dict[str, Any] = {
        "scores": _nested({name: vector.value for name, vector in scores.items()}),
        "signatures": signatures,
        "n_questions": len(generations),
        "n_answered": sum(answer is not None for answer in generations),
    }
    if options.per_question:
        columns = {name: vector.per_item.tolist() for name, vector in scores.items()}
        result["questions"] = [
            {"id": name, "answered": generations[index] is not None}
            | _nested({score: values[index] for score, values in columns.items()})
            for index, name in enumerate(references.ids)
        ]
    return result


def _refused(metric: str, problem: ReferenceProblem, references: References, path: Path) -> str:
    """A reference that one metric cannot score against, although other metrics may."""
    place = f"question {problem.index + 1} ({references.ids[problem.index]})"
    return f"{path}: {place}: answer{problem.place}: {problem.what}; {metric} cannot be computed"


def _nested(scores: Mapping[str, float]) -> dict[str, Any]:
    """``{"rouge1.recall": x}`` as ``{"rouge1": {"recall": x}}``."""
    nested: dict[str, Any] = {}
    for name, value in scores.items():
        outer, _, inner = name.partition(".")
        if inner:
            nested.setdefault(outer, {})[inner] = value
        else:
            nested[outer] = value
    return nested


def _summary(result: Mapping[str, Any]) -> str:
    lines = [f"{result['n_answered']:,} of {result['n_questions']:,} questions answered"]
    for name, value in result["scores"].items():
        parts = value.items() if isinstance(value, dict) else [("", value)]
        lines += [f"{f'{name} {part}'.strip():<18} {number:.4f}" for part, number in parts]
    return "\n".join(lines) + "\n"


class _ProgressBar:
    """A progress bar on standard error if that is a terminal; otherwise nothing."""

    def __init__(self, name: str, total: int) -> None:
        self._name, self._total = name, total
        self._bar: Any = None

    def __enter__(self) -> Callable[[int, int], None] | None:
        if not sys.stderr.isatty():
            return None
        from tqdm import tqdm

        self._bar = tqdm(desc=self._name, total=self._total, unit="question", file=sys.stderr)
        return self._advance

    def _advance(self, done: int, total: int) -> None:
        self._bar.update(done - self._bar.n)

    def __exit__(self, *exception: object) -> None:
        if self._bar is not None:
            self._bar.close()


if __name__ == "__main__":
    sys.exit(main())
