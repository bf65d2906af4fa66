"""MoNaCo: natural, time-consuming questions over dozens of pages (Wolfson et al. 2025, https://arxiv.org/abs/2508.11133).

Enters: JSON Lines with the authors' questions and gold lists, which are published in protected form; the project ships
none of them. Leaves: the benchmark's definition and its questions. ``prompts/`` has the judge's two prompts as the
benchmark's repository publishes them (https://github.com/tomerwolgithub/monaco, prompts, version 2).
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from scoring.benchmarks.base import (
    NO_ANSWER,
    BenchmarkDefinition,
    PackagedSplit,
    PublishedResults,
    SettingDefinition,
    SourceError,
    SourceFile,
    SourceQuestion,
    SplitDefinition,
)
from scoring.benchmarks.columns import columns_of
from scoring.benchmarks.list_explanations import EXPLANATIONS
from scoring.benchmarks.monaco.data_card import CARD
from scoring.metrics.list_judge import number_in
from scoring.task_types.base import UnusableInputError
from scoring.task_types.judged_list_files import JudgedQuestion, gold_list, read_questions

_HERE: Final = Path(__file__).parent
PUBLISHED_FILE: Final = _HERE / "paper_results.json"
BINS: Final = (5, 10, 20, 100, 500)
"""The largest number in each bin but the last, as in the paper's Table 5 and Figure 8."""
TIME_DEPENDENCE: Final = {
    "none": "The answer stays as it is",
    "years": "The answer changes every few years",
    "yearly": "The answer changes each year",
}
"""The categories of the paper's three classes (section 8)."""


def bin_of(number: int, unit: str, first: int = 1) -> str:
    """The bin of a number, named with its unit.

    :param first: the smallest number of the first bin; each one below it is a bin of its own.

    >>> bin_of(4, "evidence pages"), bin_of(21, "evidence pages"), bin_of(501, "evidence pages")
    ('1–5 evidence pages', '21–100 evidence pages', 'More than 500 evidence pages')
    >>> bin_of(0, "evidence pages"), bin_of(2, "gold answers", first=2)
    ('0 evidence pages', '2–5 gold answers')
    """
    if number < first:
        return f"{number} {unit}"
    lows = (first, *(one + 1 for one in BINS))
    found = next(((low, high) for low, high in zip(lows, BINS, strict=False) if number <= high), None)
    return f"{found[0]}–{found[1]} {unit}" if found else f"More than {BINS[-1]} {unit}"


def kind_of(answers: Sequence[str]) -> str:
    """The kind of a gold list.

    >>> kind_of(["Oslo"]), kind_of(["1,315"]), kind_of(["Oslo", "Lima"])
    ('Single answer', 'Number', 'List')
    """
    if len(answers) > 1:
        return "List"
    return "Single answer" if number_in(answers[0]) is None else "Number"


def read_file(path: Path) -> SourceFile:
    """Read a file of questions; its format is that of `scoring.task_types.judged_list_files.read_questions`.

    Raises:
        SourceError: with every problem found, each naming its line and field.
    """
    try:
        return SourceFile(tuple(map(question_of, read_questions(path))))
    except UnusableInputError as error:
        raise SourceError([problem.replace(str(path), path.name) for problem in error.problems]) from error


def question_of(line: JudgedQuestion) -> SourceQuestion:
    """A question of the benchmark from a line of its file.

    Only one set of categories is open on a hidden split, the numbers of pages: overlapping sets hide each other
    there, and the others tell something of the answer."""
    pages, steps = line.evidence_pages, line.intermediate_answers
    categories = [kind_of(line.answers), _n_answers(len(line.answers))] if line.answers else []
    categories += [] if steps is None else [bin_of(steps, "intermediate answers")]
    categories += [] if line.time_dependence is None else [TIME_DEPENDENCE[line.time_dependence]]
    return SourceQuestion(
        qid=line.qid,
        text=line.text,
        categories=() if pages is None else (bin_of(pages, "evidence pages"),),
        evidence=(),
        answer=NO_ANSWER if line.answers is None else gold_list(line.answers),
        answer_categories=tuple(categories),
    )


def _n_answers(number: int) -> str:
    return "1 gold answer" if number == 1 else bin_of(number, "gold answers", first=2)


def packaged() -> Mapping[str, PackagedSplit]:
    """No split: no package contains the questions, whose published file is protected against training on it."""
    return {}


def published_results() -> PublishedResults:
    """Table 4 of the paper, as printed, in shares."""
    return PublishedResults.read(PUBLISHED_FILE, table="Table 4")


METRICS = ("list-judge", "list-f1")

BENCHMARK = BenchmarkDefinition(
    slug="monaco",
    name="MoNaCo",
    description=(
        "1,315 natural questions that take people a long time: answering one needs 43 Wikipedia pages on average, and "
        "sometimes hundreds. Answers are single names, numbers or lists; a language model compares them with the gold "
        "list."
    ),
    citation=(
        "Tomer Wolfson, Harsh Trivedi, Mor Geva, Yoav Goldberg, Dan Roth, Tushar Khot, Ashish Sabharwal, and Reut "
        "Tsarfaty. 2025. MoNaCo: More Natural and Complex Questions for Reasoning Across Dozens of Documents. "
        "Transactions of the Association for Computational Linguistics."
    ),
    url="https://tomerwolgithub.github.io/monaco/",
    licence="Apache 2.0",
    splits=(
        SplitDefinition("dev", "Development", hidden=False),
        SplitDefinition("test", "Test", hidden=True),
    ),
    settings=(
        SettingDefinition(
            "closedbook", "Closed book", "The question only: the system answers from what it has learnt."
        ),
        SettingDefinition(
            "openbook", "Open book", "The question, and documents that the system retrieves itself, from Wikipedia."
        ),
        SettingDefinition(
            "evidenceprovided",
            "Evidence provided",
            "The question, and all of its evidence documents: the oracle setting of the paper.",
        ),
    ),
    metrics=METRICS,
    columns=tuple(replace(one, default=one.score == "list-judge.f1") for one in columns_of(METRICS)),
    default_split="test",
    default_setting="closedbook",
    default_sort="list-judge.f1",
    explanations={metric: EXPLANATIONS[metric] for metric in METRICS},
    compared=(("list-judge.f1", "list-judge.f1-recomputed"),),
    read_file=read_file,
    packaged=packaged,
    published_results=published_results,
    card=CARD,
    position=2,
    task_type="judged-list",
    percent=True,
    prompts={file.name: file.read_text(encoding="utf-8") for file in sorted((_HERE / "prompts").glob("*.txt"))},
)
