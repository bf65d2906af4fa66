"""The importer of MoNaCo: natural, time-consuming questions over dozens of pages (Wolfson et al. 2025,
https://arxiv.org/abs/2508.11133). ``benchmark.toml`` declares the benchmark.

It reads JSON Lines with the authors' questions and gold lists, which are published in protected form; the project ships
none of them.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from scoring.benchmarks.base import NO_ANSWER, Importer, SourceFile, SourceQuestion
from scoring.files.rows import read_rows
from scoring.metrics.list_judge import number_in
from scoring.task_types.reference_files import JUDGED_EXAMPLE, JudgedRow, gold_list

BINS: Final = (5, 10, 20, 100, 500)
"""The largest number in each bin but the last, as in the paper's Table 5 and Figure 8."""
TIME_DEPENDENCE: Final = {
    "none": "The answer stays as it is",
    "years": "The answer changes every few years",
    "yearly": "The answer changes each year",
}
"""The categories of the paper's three classes (section 8)."""


def bin_of(number: int, unit: str, first: int = 1) -> str:
    """The bin of a number, named with its unit; each number below the first bin is a bin of its own.

    >>> bin_of(4, "evidence pages"), bin_of(21, "evidence pages"), bin_of(501, "evidence pages")
    ('1–5 evidence pages', '21–100 evidence pages', 'More than 500 evidence pages')
    >>> bin_of(0, "evidence pages"), bin_of(2, "gold answers", first=2)
    ('0 evidence pages', '2–5 gold answers')
    """
    if number < first:
        return f"{number} {unit}"
    lows = (first, *(high + 1 for high in BINS))
    bins = (f"{low}–{high} {unit}" for low, high in zip(lows, BINS, strict=False) if number <= high)
    return next(bins, f"More than {BINS[-1]} {unit}")


def kind_of(answers: Sequence[str]) -> str:
    """The kind of a gold list.

    >>> kind_of(["Oslo"]), kind_of(["1,315"]), kind_of(["Oslo", "Lima"])
    ('Single answer', 'Number', 'List')
    """
    if len(answers) > 1:
        return "List"
    return "Single answer" if number_in(answers[0]) is None else "Number"


def read_file(path: Path) -> SourceFile:
    """Read a file of questions, whose objects are those of `JudgedRow`.

    Raises:
        SourceError: with every mistake, each with its line and key.
    """
    rows = read_rows(path, JudgedRow, JUDGED_EXAMPLE)
    return SourceFile(tuple(question_of(name, row) for name, row in rows.items()))


def question_of(qid: str, row: JudgedRow) -> SourceQuestion:
    """A question of the benchmark from its id and the rest of its object.

    Only one set of categories is open on a hidden split, the numbers of pages: overlapping sets hide each other
    there, and the others tell something of the answer."""
    pages, steps = row.evidence_pages, row.intermediate_answers
    categories = []
    if row.answers:
        n_answers = len(row.answers)
        number = "1 gold answer" if n_answers == 1 else bin_of(n_answers, "gold answers", first=2)
        categories += [kind_of(row.answers), number]
    categories += [] if steps is None else [bin_of(steps, "intermediate answers")]
    categories += [] if row.time_dependence is None else [TIME_DEPENDENCE[row.time_dependence]]
    return SourceQuestion(
        qid=qid,
        text=row.question,
        categories=() if pages is None else (bin_of(pages, "evidence pages"),),
        evidence=(),
        answer=NO_ANSWER if row.answers is None else gold_list(row.answers),
        answer_categories=tuple(categories),
    )


IMPORTER: Final = Importer(read_file)
