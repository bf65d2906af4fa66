"""Results by the categories of the questions, folded so that they tell of no few questions of a hidden split.

A question may be in several categories, so the cells of a breakdown overlap, and who knows which questions are in
which (they are public) can add and subtract the sums behind the means. On a hidden split no such calculation may come
down to fewer than `MINIMUM` questions. `fold` sees to it by three conditions on the cells it leaves:

1. each category has at least `MINIMUM` questions that are in no other category shown;
2. "Other", the questions in no category shown, has none or at least `MINIMUM`;
3. the questions in two or more categories shown are none or at least `MINIMUM`.

That is enough. Let a calculation give the weight ``x_c`` to the sum over category ``c``, ``y`` to that over "Other" and
``t`` to that over all questions. A question only in ``c`` then has the weight ``x_c + t``, one in "Other" ``y + t``. If
one of these is not zero, at least `MINIMUM` questions have it, by 1 and 2. If all are zero, a question in ``m``
categories shown has the weight ``t (1 - m)``, which is zero for all questions, or not zero for all those of 3.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scoring.models import Question, Score, Split
from scoring.queries import shown_signatures
from scoring.states import RunState

MINIMUM = 10
"""No cell shown has fewer questions."""
OTHER = "Other"


@dataclass(frozen=True)
class Category:
    """A cell of a breakdown."""

    label: str
    n_questions: int
    is_remainder: bool = False
    """Whether these are the questions in no category of their own: "Other"."""


@dataclass(frozen=True)
class Folding:
    """Which questions stand in which cell."""

    categories: tuple[Category, ...]
    """From the largest to the smallest, ties by name; the remainder last."""
    members: NDArray[np.bool_]
    """Shape ``(n_categories, n_questions)``: whether a question is in a cell. It may be in several, never in none."""
    folded: tuple[str, ...]
    """The categories that are not shown, by name."""

    def means(self, vectors: NDArray[np.float64]) -> NDArray[np.float64]:
        """The mean of each cell.

        :param vectors: per-question scores, shape ``(n_systems, n_questions)`` or ``(n_questions,)``.
        :returns: shape ``(n_systems, n_categories)`` or ``(n_categories,)``, in the unit of the scores.
        :raises ValueError: if the number of questions differs.
        """
        if vectors.shape[-1] != self.members.shape[1]:
            raise ValueError(f"{vectors.shape[-1]} scores for {self.members.shape[1]} questions")
        sums: NDArray[np.float64] = vectors @ self.members.T.astype(np.float64)
        means: NDArray[np.float64] = sums / self.members.sum(axis=1)
        return means


def fold(categories: Sequence[Collection[str]], *, hidden: bool, minimum: int = MINIMUM) -> Folding:
    """The cells that a split's breakdown shows.

    A category with fewer than *minimum* questions is folded: its questions count in their other categories, or else in
    "Other". On a hidden split so is, one after the other, the category with the fewest questions of its own, until the
    three conditions above hold. Names are told apart as they are written, but for white space around them.

    :param categories: of each question in order; one may have none.
    :param hidden: whether outcomes of single questions are private.
    :returns: no cell at all if there are fewer than *minimum* questions.

    >>> folding = fold([{"Sports"}] * 12 + [{"Law"}] * 3 + [{"Law", "Sports"}] * 10, hidden=True)
    >>> [(one.label, one.n_questions) for one in folding.categories]  # Law has but 3 of its own, Other would have 3
    [('Other', 25)]
    >>> folding = fold([{"Sports"}] * 12 + [{"Law"}] * 13, hidden=True)
    >>> [(one.label, one.n_questions) for one in folding.categories]
    [('Law', 13), ('Sports', 12)]
    """
    named = [frozenset(name.strip() for name in names) - {"", OTHER} for names in categories]
    sizes = Counter(name for names in named for name in names)
    shown = {name for name, size in sizes.items() if size >= minimum}
    while shown and (folded := _to_fold(named, shown, sizes, minimum, hidden=hidden)):
        shown.remove(folded)
    order = sorted(shown, key=lambda name: (-sizes[name], name))
    remainder = sum(names.isdisjoint(shown) for names in named)
    cells = [Category(name, sizes[name]) for name in order]
    if remainder >= minimum:
        cells.append(Category(OTHER, remainder, is_remainder=True))
    members = np.zeros((len(cells), len(named)), dtype=bool)
    for row, name in enumerate(order):
        members[row] = [name in names for names in named]
    if remainder >= minimum:
        members[-1] = ~members[:-1].any(axis=0)
    return Folding(tuple(cells), members, tuple(sorted(set(sizes) - shown)))


def _to_fold(
    named: Sequence[frozenset[str]], shown: Collection[str], sizes: Mapping[str, int], minimum: int, *, hidden: bool
) -> str | None:
    """The category to fold next, or nothing if those shown may stay."""
    own: Counter[str] = Counter()
    n_other = n_shared = 0
    for names in named:
        in_shown = names.intersection(shown)
        if len(in_shown) == 1:
            own.update(in_shown)
        n_other += not in_shown
        n_shared += len(in_shown) > 1
    candidates: Iterable[str] = ()
    if 0 < n_other < minimum or (hidden and 0 < n_shared < minimum):
        candidates = shown
    elif hidden:
        candidates = [name for name in shown if own[name] < minimum]
    return min(candidates, key=lambda name: (own[name], sizes[name], name), default=None)


@dataclass(frozen=True)
class ScoresByCategory:
    """One score of several answer sets, by category."""

    name: str
    """The score's name, for example ``rouge1.fscore``."""
    folding: Folding
    vectors: Mapping[Any, NDArray[np.float64]]
    """By answer set: the score of each question, shape ``(n_questions,)``. To calculate with: on a hidden split no page
    may show one, nor anything of fewer questions than a cell has."""

    def means(self) -> dict[Any, NDArray[np.float64]]:
        """By answer set: the mean of each cell of the folding, shape ``(n_categories,)``."""
        if not self.vectors:
            return {}
        table = self.folding.means(np.stack(list(self.vectors.values())))
        return dict(zip(self.vectors, table, strict=True))


def scores_by_category(
    split: Split, answer_sets: Collection[Any], names: Collection[str]
) -> dict[str, ScoresByCategory]:
    """Scores under the signatures in force, ready to be broken down by category.

    :param answer_sets: of this split, in any setting, by their keys.
    :param names: of the scores; those that none of the answer sets has are left out of the result.

    Answer sets without such a score are left out, and so are those of a study, where a score is of answers and not of
    questions. All scores of one name are of one revision of the split: the one their signature names.

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
    foldings = {key: fold(of_questions, hidden=split.hidden) for key, of_questions in categories.items()}
    vectors: dict[str, dict[Any, NDArray[np.float64]]] = {name: {} for name in revisions}
    for score in scores:
        if score.run.revision_id == revisions[score.name] and score.n_items == len(categories[score.run.revision_id]):
            vectors[score.name][score.run.answer_set_id] = score.per_item
    return {name: ScoresByCategory(name, foldings[revision], vectors[name]) for name, revision in revisions.items()}
