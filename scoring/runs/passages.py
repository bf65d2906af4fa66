"""The retrieved passages of an answer set, read from the file that was sent with it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import BinaryIO, Final, cast

from scoring.generations.passages import PASSAGES
from scoring.generations.reader import Limits, read_generations
from scoring.models import AnswerSet, PassageFile
from scoring.models.run_states import RunState
from scoring.runs.errors import RunUnavailableError

NO_FILE: Final = "This worker cannot read the file of passages."
LIMITS: Final = Limits(max_bytes=2**33)
"""The file was accepted when it was sent: it is within the site's limit of that time."""


def passages_of(answer_set: AnswerSet) -> Mapping[str, str]:
    """The passages by question id, as `PASSAGES` writes them.

    Raises:
        RunUnavailableError: this machine does not have the file.
    """
    file = PassageFile.objects.get(answer_set=answer_set)
    try:
        with file.original.open("rb") as stream:
            return read_generations(cast("BinaryIO", stream), None, LIMITS, PASSAGES).answers
    except OSError as error:
        raise RunUnavailableError(RunState.FAILED, f"{NO_FILE} {error.strerror}: {file.original.name}.") from error


def has_some(passages: str | None) -> bool:
    """Whether a question has passages."""
    return passages is not None and PASSAGES.emptiness(passages) is None
