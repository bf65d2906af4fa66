"""The task type *rubric*: a report per question, of which a judge decides weighted criteria (HealthBench,
ResearchRubrics, DeepResearch Bench)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from scoring.metrics.base import ReferenceAnswer
from scoring.metrics.rubric.references import FIELDS, rubrics_of, stored_rubric, unread_fields
from scoring.task_types.base import Doubt, References
from scoring.task_types.text_answer import TextAnswer


class RubricAnswer(TextAnswer):
    """Answers are those of `TextAnswer`, with Markdown. Criteria are decided on a site alone.

    >>> RubricAnswer().stored([{"criterion": "Names Oslo", "weight": 1}])
    {'criteria': [{'criterion': 'Names Oslo', 'weight': 1}]}
    """

    name = "rubric"
    references_format = (
        'JSON Lines as {"id": "…", "question": "…", "criteria": [{"criterion": "…", "weight": 1}]}, also as gzip or '
        "zip; further keys of a criterion: dimension, explanation, rubric, optional"
    )
    outcomes = None
    has_markdown = True
    length_without_review = 200_000
    by_criteria = True
    answer_fields = FIELDS

    def read_references(self, path: Path) -> References:
        from scoring.task_types.reference_files import RUBRIC_EXAMPLE, RubricRow, read_stored

        return read_stored(path, RubricRow, RUBRIC_EXAMPLE, lambda row: stored_rubric(row.criteria), rubrics_of)

    def check(self, references: Sequence[ReferenceAnswer]) -> None:
        rubrics_of(references)

    def stored(self, answer: Any) -> Any:
        return stored_rubric(answer)

    def unread_fields(self, answer: Any) -> Iterator[str]:
        return unread_fields(answer)

    def plain(self, reference: Any) -> Any:
        """The texts of the criteria."""
        return [one["criterion"] for one in reference["criteria"]]

    def copy_of(self, reference: Any) -> str:
        """The reference report; without one, the criteria that are no faults, a line each."""
        criteria = (one["criterion"] for one in reference["criteria"] if one["weight"] > 0)
        return reference.get("report") or "\n".join(criteria)

    def doubts(self, reference: Any) -> Iterator[Doubt]:
        """Criteria that repeat another one of their rubric, but for the punctuation at the end or the dimension, and
        those that lack what the others have."""
        criteria = reference["criteria"]
        texts = [" ".join(one["criterion"].casefold().split()).rstrip(" .;:!") for one in criteria]
        own = {
            (one.get("rubric", ""), text, one.get("explanation", "")) for one, text in zip(criteria, texts, strict=True)
        }
        if len(own) < len(criteria):
            found = "a criterion again, but for capitals, the punctuation at its end or its dimension"
            yield Doubt("answer", found, "each criterion once", "Remove it, or write the one that was meant.")
        for name in ("dimension", "rubric"):
            if any(one.get(name) for one in criteria) and not all(one.get(name) for one in criteria):
                yield Doubt("answer", f"a criterion without {name} beside others with one", "one of each", "Add it.")

    def doubtful_entries(self, reference: Any) -> list[int]:
        """None: `check` refuses a criterion twice."""
        return []
