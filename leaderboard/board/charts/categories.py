"""Scores of many systems by the categories of the questions; `scoring.analysis.categories` says which categories are
shown."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scoring.analysis.categories import Cell, cells_of, concealed
from scoring.models import Question, Score, Split
from scoring.models.run_states import RunState
from scoring.queries import shown_signatures


@dataclass(frozen=True)
class ScoresByCategory:
    """One score of several answer sets, by category."""

    name: str
    """The score's name, for example ``rouge1.fscore``."""
    cells: tuple[Cell, ...]
    vectors: Mapping[Any, NDArray[np.float64]]
    """By answer set: the score of each question, shape ``(n_questions,)``. To calculate with: on a hidden split no page
    may show one, nor anything of fewer questions than a cell has."""
    hidden: bool

    def means(self) -> dict[Any, list[float | None]]:
        """By answer set: the mean of each cell, in the unit of the score; ``None`` where it is kept back."""
        places = [np.array(cell.questions) for cell in self.cells]
        return {key: [self._mean(vector[place]) for place in places] for key, vector in self.vectors.items()}

    def _mean(self, values: NDArray[np.float64]) -> float | None:
        return None if self.hidden and concealed(values) else float(values.mean())


def scores_by_category(
    split: Split, answer_sets: Collection[Any], names: Collection[str]
) -> dict[str, ScoresByCategory]:
    """Scores under the signatures in force, ready to be broken down by category.

    Answer sets without such a score are left out, and so are those of a study, where a score is of answers and not of
    questions. All scores of one name are of one revision of the split: the one their signature names.

    Args:
        answer_sets: of this split, in any setting, by their keys.
        names: of the scores; those that none of the answer sets has are left out of the result.

    Three queries, whatever the number of answer sets and names.
    """
    signatures = shown_signatures(split)
    found = (
        Score.objects.filter(
            run__answer_set__in=list(answer_sets),
            run__state=RunState.DONE,
            run__repeat=0,
            name__in=list(names),
            signature__in=list(signatures.values()),
        )
        .exclude(run__answer_set__board_entry__system__is_human=True)
        .select_related("run")
        .order_by("created_at", "pk")
    )
    scores = [score for score in found if signatures.get(score.run.metric) == score.signature]
    revisions = {score.name: score.run.revision_id for score in scores}
    categories: dict[int, list[list[str]]] = {}
    questions = Question.objects.filter(revision__in=set(revisions.values())).order_by("revision", "position")
    for revision, of_question in questions.values_list("revision", "categories"):
        categories.setdefault(revision, []).append(of_question)
    cells = {revision: cells_of(lists, hidden=split.hidden) for revision, lists in categories.items()}
    vectors: dict[str, dict[Any, NDArray[np.float64]]] = {name: {} for name in revisions}
    for score in scores:
        if score.run.revision_id == revisions[score.name] and score.n_items == len(categories[score.run.revision_id]):
            vectors[score.name][score.run.answer_set_id] = score.per_item
    return {
        name: ScoresByCategory(name, cells[revision], vectors[name], split.hidden)
        for name, revision in revisions.items()
    }
