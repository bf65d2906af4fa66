"""The task type *judged list*: a list of texts per question, compared with a gold list by a judge (MoNaCo)."""

from __future__ import annotations

from pathlib import Path

from scoring.task_types.answer_list import AnswerList
from scoring.task_types.base import References


class JudgedList(AnswerList):
    """Answers and stored references are those of `AnswerList`; gold answers have no further names. The judge itself
    needs a site; the command line compares texts."""

    name = "judged-list"
    references_format = (
        'JSON Lines as {"id": "…", "question": "…", "answers": ["…"], "evidence_pages": 12}, also as gzip or zip'
    )
    has_passages = False

    def read_references(self, path: Path) -> References:
        from scoring.task_types.reference_files import read_judged_lists

        return read_judged_lists(path)
