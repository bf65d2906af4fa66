"""The task type *judged list*: a list of texts per question, compared with a gold list by a judge (MoNaCo)."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from scoring.task_types.answer_list import AnswerList
from scoring.task_types.base import Doubt, References


class JudgedList(AnswerList):
    """Answers and stored references are those of `AnswerList`; gold answers have no further names. The judge itself
    needs a site; the command line compares texts."""

    name = "judged-list"
    references_format = (
        'JSON Lines as {"id": "…", "question": "…", "answers": ["…"], "evidence_pages": 12}, also as gzip or zip'
    )
    has_passages = False

    def read_references(self, path: Path) -> References:
        from scoring.task_types.reference_files import JUDGED_EXAMPLE, JudgedRow, gold_list, read_stored

        return read_stored(path, JudgedRow, JUDGED_EXAMPLE, lambda row: gold_list(row.answers or ()), self.check)

    def doubts(self, reference: Any) -> Iterator[Doubt]:
        """Entries that repeat another one, but for capitals and accents.

        >>> [doubt.found for doubt in JudgedList().doubts([{"answer_text": name} for name in ("Pelé", "Pele")])]
        ['an entry again, but for capitals or accents']
        """
        plain = {_without_accents(text) for text in self.plain(reference)}
        if len(plain) < len(reference):
            found, fix = "an entry again, but for capitals or accents", "Remove it: both would have to be found."
            yield Doubt("answer", found, "each entry once", fix)


def _without_accents(text: str) -> str:
    letters = unicodedata.normalize("NFKD", text.casefold())
    return " ".join("".join(letter for letter in letters if not unicodedata.combining(letter)).split())
