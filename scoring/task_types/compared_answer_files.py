"""Read questions whose answers are compared side by side: JSON Lines, some of them with a reference answer."""

from __future__ import annotations

import hashlib
from pathlib import Path

from scoring.generations.reader import NO_CONTENT
from scoring.metrics.base import ReferenceAnswer
from scoring.task_types.base import References, UnusableInputError
from scoring.task_types.compared_answer import EXAMPLE
from scoring.task_types.gold_list_files import FileReader


def read_references(path: Path) -> References:
    """Read a file of questions, some of which may have a reference answer.

    :param path: JSON Lines, each an object with ``id`` and, if there is one, ``answer``; other keys are ignored. It may
        be compressed with gzip, or be the only such file in a zip archive.
    :returns: an empty text as the answer of a question that has no reference.
    :raises UnusableInputError: listing everything that is wrong with it.
    """
    reader = FileReader(path, EXAMPLE, "id")
    answers: dict[str, ReferenceAnswer] = {}
    for name, line, values in reader.objects():
        answers[name] = reader.text_in(line, "answer", values["answer"]) if "answer" in values else ""
    reader.refuse_problems()
    if not answers:
        raise UnusableInputError([f"{path}: expected lines as {EXAMPLE}, found {NO_CONTENT}"])
    with path.open("rb") as stream:
        fingerprint = hashlib.file_digest(stream, "sha256").hexdigest()[:8]
    return References(tuple(answers), tuple(answers.values()), fingerprint)
