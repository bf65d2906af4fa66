"""The importer of Researchy Questions: questions of a search engine's users that need research (Rosset et al. 2024,
https://arxiv.org/abs/2402.17896). ``benchmark.toml`` declares the benchmark.

Enters: JSON Lines as the authors publish them; the project ships none. Leaves: their questions.
"""

from pathlib import Path
from typing import Final

from scoring.benchmarks.base import Importer, SourceError, SourceFile
from scoring.benchmarks.researchy.questions import read_questions
from scoring.task_types.base import UnusableInputError


def read_file(path: Path) -> SourceFile:
    """Read a file of questions as published; see `scoring.benchmarks.researchy.questions.read_questions`.

    Raises:
        SourceError: with every problem found, each naming its line and field.
    """
    try:
        return SourceFile(tuple(read_questions(path)))
    except UnusableInputError as error:
        raise SourceError([problem.replace(str(path), path.name) for problem in error.problems]) from error


IMPORTER: Final = Importer(read_file)
