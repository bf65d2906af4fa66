"""Score a file of answers without the site: ``python -m scoring --references REFS.json --generations GENS.jsonl``, with
``--task`` for answers that are not texts (`scoring.task_types`); or ``--benchmark DIR --split S`` for a declared one.

Exit codes: 0 scored; 1 scored, with warnings; 2 the input cannot be used, and every problem is listed.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scoring.cli.options import add_separator
from scoring.cli.progress import ProgressLine
from scoring.generations.keys import answer_key, place_of
from scoring.generations.reader import GenerationsReport, Limits, read_generations
from scoring.logs.log import LogError
from scoring.logs.reading import read_answers
from scoring.metrics import official
from scoring.metrics.asking.metric import JudgeMetric
from scoring.metrics.base import (
    Metric,
    ScoredVector,
    ScoresError,
    UnusableReference,
    check_scores,
    removing_reasoning,
)
from scoring.metrics.text.lemmatizer import CHOICES, LemmatiserError
from scoring.task_types import TASK_TYPES, TaskType, known_metrics, metrics_of
from scoring.task_types.base import References, UnusableInputError

if TYPE_CHECKING:
    from scoring.cli.declared import DeclaredSplit
    from scoring.metrics.passage_recall import Passage

SCORED, SCORED_WITH_WARNINGS, UNUSABLE = 0, 1, 2
LISTED = 100_000
"""The maximum number of problems listed per kind: practically all."""


def main(arguments: Sequence[str], program: str = "python -m scoring") -> int:
    """Run the command, named `program` in messages; returns the exit code."""
    try:
        options = _options(arguments, program)
        if options.list_questions:
            from scoring.benchmarks.declared.context import described_picture, is_picture  # only for declared folders

            for question in options.declared.questions:
                record: dict[str, Any] = {"id": question.qid, "question": question.text}
                context = [described_picture(part) if is_picture(part) else part for part in question.context]
                record |= {"context": context} if context else {}
                print(json.dumps(record, ensure_ascii=False))
            return SCORED
        references, report, passages = _read(options)
        warnings = _warnings(options.generations, references, report, is_checked=options.declared is not None)
        result, differences = _score(references, report, options)
        warnings += differences
        if passages is not None:
            from scoring.task_types import retrieval

            means, values_of_questions, about = retrieval.retrieval_scores(references, passages)
            result["scores"] |= means
            result["signatures"]["passage-recall"] = retrieval.signature(references)
            for question, values in zip(result.get("questions", ()), values_of_questions, strict=False):
                question |= values
            warnings += [f"{options.passages}: {warning}" for warning in about]
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
        print(f"{result['n_answered']:,} of {result['n_questions']:,} questions answered")
        for name, value in result["scores"].items():
            for part, number in value.items() if isinstance(value, dict) else [("", value)]:
                print(f"{f'{name} {part}'.strip():<26} {number:.4f}")
    for warning in warnings:
        print(f"warning: {warning}", file=sys.stderr)
    for reason in filter(None, map(_why_not_here, options.declared.definition.metrics if options.declared else ())):
        print(f"note: {reason}", file=sys.stderr)
    return SCORED_WITH_WARNINGS if warnings else SCORED


def _options(arguments: Sequence[str], program: str) -> argparse.Namespace:
    """The options, with the task type in place of its name, and with its metrics if none are named."""
    parser = argparse.ArgumentParser(
        prog=program,
        description="Score answers against reference answers, with the same metrics as the leaderboard. To "
        "check a file of answers without scoring it: python -m scoring check --help.",
        epilog="Exit codes: 0 scored; 1 scored, with warnings; 2 unusable input, with every problem listed.",
    )
    tasks = tuple(_tasks().values())
    parser.add_argument(
        "--task",
        choices=[task.name for task in tasks],
        default=tasks[0].name,
        help=f"what an answer is (default: {tasks[0].name})",
    )
    parser.add_argument(
        "--references",
        type=Path,
        metavar="REFS.json",
        help="; ".join(f"for {task.name}: {task.references_format}" for task in tasks),
    )
    parser.add_argument(
        "--benchmark",
        metavar="DIR",
        help="in place of references: the folder of a benchmark, or its name; its task type, metrics and limits count",
    )
    parser.add_argument(
        "--split",
        metavar="NAME",
        help="the split of the benchmark (default: the one that has most of the questions, or its first one)",
    )
    parser.add_argument(
        "--questions",
        type=Path,
        metavar="FILE",
        help="the questions of the split as their authors publish them, if they are not in the benchmark's folder",
    )
    parser.add_argument(
        "--list-questions",
        action="store_true",
        help="write the benchmark's questions as JSON Lines, with their ids and without answers, and score nothing",
    )
    parser.add_argument(
        "--generations",
        type=Path,
        metavar="GENS.jsonl",
        help="the answers, one JSON object per line, optionally compressed with gzip; "
        + "; ".join(f"for {task.name}: {task.answer_format(None).example}" for task in tasks),
    )
    parser.add_argument(
        "--metrics",
        type=_metric_names,
        default=_default_metrics(tasks[0]),
        metavar="NAMES",
        help="metrics to compute, separated by commas; "
        + "; ".join(
            f"for {task.name}: {', '.join(_metrics(task))} (default: {','.join(_default_metrics(task))})"
            for task in tasks
        ),
    )
    add_separator(parser)
    parser.add_argument(
        "--passages",
        type=Path,
        metavar="PASSAGES.jsonl",
        help="for answer-list: retrieved passages, best first, as "
        '{"id": "…", "passages": [{"title": "…", "text": "…"}]}, '
        "one object per line; adds their recall of answers and evidence",
    )
    parser.add_argument(
        "--official",
        action="store_true",
        help=f"also score with the official code ({' and '.join(official.METRICS)}; needs the extra spacy), and name "
        "every number that differs",
    )
    parser.add_argument(
        "--remove-reasoning",
        action="store_true",
        help="remove blocks of reasoning, such as <think>…</think>, from answers before they are scored, as benchmarks "
        "with remove_reasoning = true do; it is part of the signatures",
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
    options = parser.parse_args(arguments)
    if (options.references is None) == (options.benchmark is None):
        parser.error("one of the arguments --references and --benchmark is required")
    for name in ("split", "questions", "list_questions"):
        if getattr(options, name) and options.benchmark is None:
            parser.error(f"argument --{name.replace('_', '-')}: only with --benchmark")
    if options.generations is None and not options.list_questions:
        parser.error("the following arguments are required: --generations")
    if options.benchmark is not None:
        _take_declared(options, parser)
    else:
        options.declared, options.task = None, _tasks()[options.task]
    task = options.task
    known = _metrics(task) if options.declared is None else options.declared.metrics
    if options.metrics is parser.get_default("metrics"):
        options.metrics = _default_metrics(task) if options.declared is None else tuple(known)
    unknown = [name for name in options.metrics if name not in known]
    if unknown:
        of = task.name if options.declared is None else options.benchmark
        there_are = f"for {of} there are {', '.join(known)}"
        on_a_site = " ".join(filter(None, map(_why_not_here, unknown)))
        parser.error(f"argument --metrics: no metric {', '.join(map(repr, unknown))}; {there_are}. {on_a_site}".strip())
    if options.separator is not None and not task.splits_texts:
        parser.error(f"argument --separator: answers of {task.name} are not lists")
    if options.official:
        if not set(options.metrics) & set(official.METRICS):
            parser.error(f"argument --official: there is official code of {' and '.join(official.METRICS)} alone")
        lacking = {
            module: None for name in official.METRICS if name in options.metrics for module in official.missing(name)
        }
        if lacking:
            parser.error(f"argument --official: {', '.join(lacking)} not installed: pip install 'manyhop[spacy]'")
    if options.passages is not None and not task.has_passages:
        parser.error(f"argument --passages: {task.name} has no scores of passages")
    return options


def _take_declared(options: argparse.Namespace, parser: argparse.ArgumentParser) -> None:
    """Put a declared benchmark in the place of references."""
    from scoring.cli.declared import DeclaredSplit, definition_named  # references are scored without benchmarks

    if options.task != parser.get_default("task"):
        parser.error("argument --task: the benchmark says what an answer is")
    if options.passages is not None:
        parser.error("argument --passages: only with --references")
    options.declared = DeclaredSplit.of(definition_named(options.benchmark), options.split, options.questions)
    options.task = options.declared.task
    if not options.declared.metrics and not options.list_questions:
        parser.error(f"argument --benchmark: all metrics of {options.benchmark} need a site")


def _tasks() -> Mapping[str, TaskType]:
    """The task types that have a metric which needs no site."""
    return {name: task for name, task in TASK_TYPES.items() if _metrics(task)}


def _metrics(task: TaskType) -> dict[str, type[Metric]]:
    """The metrics of a task type that need no site, by name."""
    return {metric.name: metric for metric in metrics_of(task.name) if not metric.needs_site}


def _why_not_here(name: str) -> str:
    """Reason why a metric that asks a judge is not computed, in a sentence; empty for any other name."""
    metric = known_metrics().get(name)
    asks = metric is not None and issubclass(metric, JudgeMetric)
    return f"{name} is not computed here, because it asks a judge, which a site does." if asks else ""


def _default_metrics(task: TaskType) -> tuple[str, ...]:
    """The metrics that are computed unless others are named."""
    return tuple(name for name, metric in _metrics(task).items() if task.has_by_default(metric))


def _metric_names(text: str) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
    if not names:
        raise argparse.ArgumentTypeError("no metric named")
    return names


# Input ----------------------------------------------------------------------------------------------------------------


def _read(options: argparse.Namespace) -> tuple[References, GenerationsReport, Mapping[str, Sequence[Passage]] | None]:
    """Read all files; raises UnusableInputError with the problems of all of them."""
    task, declared = options.task, options.declared
    problems: list[str] = []
    references = report = passages = None
    try:
        references = task.read_references(options.references) if declared is None else declared.references()
    except UnusableInputError as error:
        problems += error.problems
    try:
        report = _read_report(options.generations, task, options.separator, declared)
    except UnusableInputError as error:
        problems += error.problems
    try:
        if options.passages is not None:
            passages = task.read_passages(options.passages)
    except UnusableInputError as error:
        problems += error.problems
    if problems or references is None or report is None:
        raise UnusableInputError(problems)
    return references, report, passages


def _read_report(
    path: Path, task: TaskType, separator: str | None, declared: DeclaredSplit | None
) -> GenerationsReport:
    """Read the answers: as a site would of a declared benchmark, else whatever questions they belong to."""
    most = declared.definition.form.limits.answer_length if declared is not None else None
    limits = Limits(max_shown_per_group=LISTED, max_answer_length=most)
    try:
        with path.open("rb") as stream:
            if declared is None:
                report = read_generations(stream, None, limits, task.answer_format(separator))
            else:
                known, answer_format = declared.known, declared.definition.answer_format(separator)
                ids = frozenset({*known.current, *known.other_splits})
                report = read_answers(
                    stream, path.name, known=known, ids=ids, limits=limits, answer_format=answer_format
                ).report
    except OSError as error:
        raise UnusableInputError([f"{path}: cannot be read: {error.strerror}"]) from error
    except LogError as error:
        raise UnusableInputError(error.problems) from error
    only_empty = [group.code for group in report.errors] == ["no-answers"]
    if not report.ok and not (only_empty and task.scores_empty_files):
        raise UnusableInputError(
            [f"{path}: {problem.message}" for group in report.errors for problem in group.problems]
        )
    return report


def _warnings(path: Path, references: References, report: GenerationsReport, *, is_checked: bool) -> list[str]:
    """The warnings about a file that can be scored; one that `is_checked` names missing and unknown questions itself.

    Raises:
        UnusableInputError: If it answers none of the questions.
    """
    warnings = [f"{path}: {problem.message}" for group in report.groups for problem in group.problems]
    if is_checked:
        return warnings
    known = set(references.ids)
    answered = dict.fromkeys(place_of(key, report.n_attempts)[0] for key in report.answers)
    strangers = [name for name in answered if name not in known]
    if len(strangers) == len(answered):
        raise UnusableInputError(
            [f"{path}: none of the {len(strangers):,} ids is among the references; is the file for another split?"]
        )
    warnings += [f"{path}: the id {name!r} is not among the references; its answer is not scored" for name in strangers]
    warnings += [
        f"{path}: question {name!r} has no answer; it scores 0" for name in references.ids if name not in answered
    ]
    return warnings


def _refuse(problems: Sequence[str]) -> int:
    for problem in problems:
        print(f"error: {problem}", file=sys.stderr)
    print(f"Not scored because of {len(problems):,} problem{'' if len(problems) == 1 else 's'}.", file=sys.stderr)
    return UNUSABLE


# Scoring --------------------------------------------------------------------------------------------------------------


def _score(
    references: References, report: GenerationsReport, options: argparse.Namespace
) -> tuple[dict[str, Any], list[str]]:
    """The result to write, and the numbers that differ from those of the official code, if it was asked.

    Of several attempts, every one is scored, and a score is their mean.
    """
    answers, k = report.answers, report.n_attempts
    task: TaskType = options.task
    declared = options.declared
    removes_reasoning = options.remove_reasoning or (
        declared is not None and declared.definition.form.answers.remove_reasoning
    )
    if removes_reasoning:
        answers = {name: task.without_reasoning(answer) for name, answer in answers.items()}
    # All questions in the first attempt, then in the second, and so on.
    generations = [answers.get(answer_key(name, attempt, k)) for attempt in range(1, k + 1) for name in references.ids]
    scores: dict[str, ScoredVector] = {}
    signatures: dict[str, str] = {}
    for name in options.metrics:
        parameters = declared.metrics[name] if declared is not None else {}
        metric = _metrics(task)[name].on_site(argparse.Namespace(LEMMATISER=options.lemmatiser), **parameters)
        metric = removing_reasoning(metric) if removes_reasoning else metric
        data = "references" if declared is None else declared.slug
        signatures[name] = metric.signature(f"{data}@{references.fingerprint}")
        try:
            prepared = metric.prepare(tuple(references.answers) * k)
        except UnusableReference as error:
            # One metric cannot score against these references, although others may.
            file = options.references or options.benchmark
            raise UnusableInputError(
                [
                    f"{file}: question {problem.index + 1} ({references.ids[problem.index]}): "
                    f"answer{problem.place}: {problem.what}; {name} cannot be computed"
                    for problem in error.problems
                    if problem.index < len(references.ids)
                ]
            ) from error
        with ProgressLine(name) as progress:
            computed = metric.score(prepared, generations, progress)
        try:
            check_scores(metric, computed, len(generations), {own.score: own.bounds for own in metric.columns()})
        except ScoresError as error:  # a number such as NaN is no JSON
            raise UnusableInputError([str(error)]) from error
        scores.update(computed)
    result: dict[str, Any] = {
        "scores": _nested({name: vector.value for name, vector in scores.items()}),
        "signatures": signatures,
        "n_questions": len(references.ids),
        "n_answered": sum(map(task.is_answered, generations)) // k,
    }
    result |= {"n_attempts": k} if k > 1 else {}
    if options.per_question:
        result["questions"] = _per_question(references.ids, list(map(task.is_answered, generations)), scores, k)
    differences: list[str] = []
    if options.official:
        for name in filter(signatures.__contains__, official.METRICS):
            differences += _differences(name, signatures[name], references, generations, scores)
        result["n_official_differences"] = len(differences)
    return result, differences


def _per_question(
    ids: Sequence[str], answered: Sequence[bool], scores: Mapping[str, ScoredVector], n_attempts: int
) -> list[dict[str, Any]]:
    """Each question with its scores; of several attempts with their means, and each attempt with its own.

    Args:
        answered: for each item, as the values of scores: first all questions in the first attempt.
    """
    n = len(ids)
    # A score that is made of all items together has no value of a question.
    values = {name: vector.per_item.reshape(n_attempts, n) for name, vector in scores.items() if vector.per_item.size}
    items = [
        {"answered": is_answered}
        | _nested({name: float(of_all[place // n, place % n]) for name, of_all in values.items()})
        for place, is_answered in enumerate(answered)
    ]
    if n_attempts == 1:
        return [{"id": qid} | item for qid, item in zip(ids, items, strict=True)]
    return [
        {"id": qid, "answered": any(answered[place::n])}
        | _nested({name: float(of_all[:, place].mean()) for name, of_all in values.items()})
        | {"attempts": items[place::n]}
        for place, qid in enumerate(ids)
    ]


def _differences(
    metric: str,
    signature: str,
    references: References,
    generations: Sequence[str | None],
    scores: Mapping[str, ScoredVector],
) -> list[str]:
    """Each score of an answer that is not equal to the last bit to the official code's."""
    lemmatiser = "en_core_web_sm" if "lemma:en_core_web_sm" in signature else "lookup"
    answered = [(index, answer) for index, answer in enumerate(generations) if answer is not None]
    n = len(references.ids)
    pairs = [(references.answers[index % n], answer) for index, answer in answered]
    found = official.scores(metric, lemmatiser, pairs)
    return [
        f"question {references.ids[index % n]!r}: {name} is {ours!r} here and {theirs!r} by the official code"
        for (index, _), values in zip(answered, found, strict=True)
        for name, theirs in values.items()
        if (ours := float(scores[name].per_item[index])) != theirs
    ]


def _nested(scores: Mapping[str, float]) -> dict[str, Any]:
    """``{"rouge1.recall": x}`` as ``{"rouge1": {"recall": x}}``; as it is beside a score ``rouge1``.

    >>> _nested({"a.b": 1.0, "a.c": 2.0, "d": 3.0, "d.e": 4.0})
    {'a': {'b': 1.0, 'c': 2.0}, 'd': 3.0, 'd.e': 4.0}
    """
    nested: dict[str, Any] = {}
    for name, value in scores.items():
        outer, _, inner = name.partition(".")
        if inner and outer in scores:
            nested[name] = value
        elif inner:
            nested.setdefault(outer, {})[inner] = value
        else:
            nested[outer] = value
    return nested
