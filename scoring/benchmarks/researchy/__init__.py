"""Researchy Questions: questions of a search engine's users that need research (Rosset et al. 2024,
https://arxiv.org/abs/2402.17896).

Enters: JSON Lines as the authors publish them; the project ships none. Leaves: the benchmark's definition and its
questions. ``prompts/`` has the judge's prompt, Figure 8 of the paper; what speaks of the reference answer is marked,
and left out where there is none.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from scoring.benchmarks.base import (
    BenchmarkDefinition,
    PackagedSplit,
    PublishedResults,
    SettingDefinition,
    SourceError,
    SourceFile,
    SplitDefinition,
)
from scoring.benchmarks.columns import columns_of
from scoring.benchmarks.list_explanations import EXPLANATIONS
from scoring.benchmarks.researchy.data_card import CARD
from scoring.benchmarks.researchy.questions import read_questions
from scoring.task_types.base import UnusableInputError

_HERE: Final = Path(__file__).parent
PUBLISHED_FILE: Final = _HERE / "paper_results.json"


def read_file(path: Path) -> SourceFile:
    """Read a file of questions as published; see `scoring.benchmarks.researchy.questions.read_questions`.

    Raises:
        SourceError: with every problem found, each naming its line and field.
    """
    try:
        return SourceFile(tuple(read_questions(path)))
    except UnusableInputError as error:
        raise SourceError([problem.replace(str(path), path.name) for problem in error.problems]) from error


def packaged() -> Mapping[str, PackagedSplit]:
    """No split: no package contains the questions. Their authors publish them."""
    return {}


def published_results() -> PublishedResults:
    """The scores of Table 5 for this benchmark, as printed, in shares."""
    return PublishedResults.read(PUBLISHED_FILE, table="Table 5")


METRICS = ("side-by-side",)

BENCHMARK = BenchmarkDefinition(
    slug="researchy",
    name="Researchy Questions",
    description=(
        "About 96,000 questions of a search engine's users that are not about facts: they have several perspectives "
        "and need research. There are no reference answers; a language model compares the answers of two systems side "
        "by side."
    ),
    citation=(
        "Corby Rosset, Ho-Lam Chung, Guanghui Qin, Ethan C. Chau, Zhuo Feng, Ahmed Awadallah, Jennifer Neville, and "
        "Nikhil Rao. 2024. Researchy Questions: A Dataset of Multi-Perspective, Decompositional Questions for LLM Web "
        "Agents. arXiv:2402.17896."
    ),
    url="https://huggingface.co/datasets/corbyrosset/researchy_questions",
    licence="CDLA-Permissive-2.0",
    splits=(
        SplitDefinition("train", "Training", hidden=False),
        SplitDefinition("test", "Test", hidden=False),
    ),
    settings=(
        SettingDefinition(
            "closedbook", "Closed book", "The question only: the system answers from what it has learnt."
        ),
        SettingDefinition(
            "openbook", "Open book", "The question, and documents that the system retrieves itself, from any source."
        ),
        SettingDefinition(
            "evidenceprovided", "Evidence provided", "The question, and the documents that people clicked on."
        ),
    ),
    metrics=METRICS,
    columns=columns_of(METRICS),
    default_split="test",
    default_setting="closedbook",
    default_sort="side-by-side.win-rate",
    default_baseline="closedbook",
    explanations={metric: EXPLANATIONS[metric] for metric in METRICS},
    compared=(),
    read_file=read_file,
    packaged=packaged,
    published_results=published_results,
    card=CARD,
    position=3,
    task_type="compared-answer",
    percent=True,
    prompts={file.name: file.read_text(encoding="utf-8") for file in sorted((_HERE / "prompts").glob("*.txt"))},
)
