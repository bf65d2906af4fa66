"""Repaired precision, recall and F1 of answer lists: what a reader would count as right."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from scoring.metrics.answer_lists import (
    MIN_F1,
    MIN_RECALL,
    Thresholds,
    gold_lists,
    list_columns,
    list_scores,
    predictions_of,
)
from scoring.metrics.base import AnswerBudget, Metric, Progress, ReferenceAnswer, ScoredVector, check_lengths
from scoring.metrics.columns import Column, Explanation
from scoring.metrics.text.answer_names import folded_name


@dataclass(frozen=True)
class PreparedAnswers:
    """References prepared for :meth:`RepairedListF1.score`."""

    answers: tuple[Mapping[str, tuple[int, ...]], ...]
    """For each question: folded name to the positions of the gold answers that have it."""
    n_gold: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.n_gold)


class RepairedListF1(Metric):
    """Precision, recall and F1 of a list of answers without the errors of the published scorer, shown beside it and
    never in its place.

    Based on Amouyal et al. (2023), QAMPARI, https://aclanthology.org/2023.gem-1.8; the published numbers are those of
    :class:`~scoring.metrics.list_f1.ListF1`, not these.

    References and answers: as there. Differences:

    - Names are folded (:func:`~scoring.metrics.text.answer_names.folded_name`): accents, typographic punctuation and
      full-width letters do not matter, and a name of articles or punctuation alone stays a name. In scripts without
      spaces between words, spaces do not matter.
    - Predictions are made different after folding, so spelling variants of one are one prediction. Blank ones do not
      count.
    - The answer's own text matches as its aliases do.
    - A prediction finds at most one gold answer and a gold answer at most one prediction: *m* is the size of a maximum
      matching, so an alias that two gold answers share counts for either.
    - Gold answers with the same names are one gold answer.
    - F1 = 2m / (predictions + gold answers), exactly where the thresholds 0.5 and 0.8 need it.

    Board values are means over all questions, from 0 to 1; higher is better. No answer, an empty list and one of blank
    texts score 0. Hyphens and spaces still matter: ``Spider-Man`` is ``spiderman``.

    :raises UnusableReference: from :meth:`prepare`, if a reference is no list of gold answers, or an empty one.

    >>> metric = RepairedListF1()
    >>> prepared = metric.prepare([[{"answer_text": "José Padilha", "aliases": []}]])
    >>> metric.score(prepared, ['["Jose Padilha", "JOSÉ PADILHA"]'])["list-f1-repaired.f1"].value
    1.0
    """

    name: ClassVar[str] = "list-f1-repaired"
    version: ClassVar[str] = "0.7.0"
    score_names: ClassVar[tuple[str, ...]] = tuple(
        f"list-f1-repaired.{part}" for part in ("precision", "recall", "f1", "f1_above", "rec_above")
    )
    label: ClassVar[str] = "List F1, repaired"
    task_types: ClassVar[tuple[str, ...]] = ("answer-list",)
    repaired_of: ClassVar[str] = "list-f1"
    formula: ClassVar[str] = "metrics/list_f1_repaired.html"

    def __init__(self, *, min_f1: float = MIN_F1, min_recall: float = MIN_RECALL) -> None:
        """Count questions from other thresholds on than QAMPARI's; raises ValueError if one is no share."""
        self._thresholds = Thresholds(min_f1, min_recall)

    def columns(self) -> tuple[Column, ...]:
        return list_columns(self, "as a careful reader would count", self._thresholds)

    def explanation(self) -> Explanation:
        return Explanation(
            measures=(
                "A version of List F1 that corrects the problems listed above. It is shown beside the official one and "
                "never replaces it: published numbers are comparable only with the official one."
            ),
            formula=(
                "m = the largest number of pairs of a prediction and a gold answer with the same name\n"
                "recall = m / gold answers\n"
                "precision = m / different predictions\n"
                "F1 = 2m / (different predictions + gold answers)"
            ),
            surprises=(
                (
                    "Predictions are different after their spelling is folded; accents and typographic marks do not "
                    "matter."
                ),
                "The answer's own text matches as its aliases do.",
                "A prediction finds at most one gold answer, and a gold answer is found at most once.",
                (
                    "Hyphens and spaces still matter: “Spider-Man” is “spiderman”, not “spider man”. In scripts "
                    "without spaces (Chinese, Japanese, Thai, Lao, Khmer, Burmese), spaces do not."
                ),
            ),
        )

    def signature_parts(self) -> tuple[str, ...]:
        """The normalisation, the matching, and the thresholds that are not QAMPARI's."""
        return ("normalise:folded", "match:maximum", *self._thresholds.signature_parts())

    def prepare(self, references: Sequence[ReferenceAnswer]) -> PreparedAnswers:
        """See :meth:`Metric.prepare`."""
        answers, n_gold = [], []
        for gold in gold_lists(references):
            different = dict.fromkeys(
                frozenset(map(folded_name, (answer.text, *answer.aliases))) - {""} for answer in gold
            )
            positions: dict[str, list[int]] = {}
            for position, names in enumerate(different):
                for name in names:
                    positions.setdefault(name, []).append(position)
            answers.append({name: tuple(found) for name, found in positions.items()})
            n_gold.append(len(different))
        return PreparedAnswers(tuple(answers), tuple(n_gold))

    def score(
        self,
        prepared: PreparedAnswers,
        generations: Sequence[str | None],
        progress: Progress | None = None,
        budget: AnswerBudget | None = None,
    ) -> dict[str, ScoredVector]:
        """See :meth:`Metric.score`; raises ValueError also for an answer that is no JSON array of strings.

        *budget* is not needed: an answer takes time proportional to its length.
        """
        del budget
        check_lengths(len(prepared), len(generations))
        precision, recall, f1 = [], [], []
        for index, generation in enumerate(generations):
            predictions = set(map(folded_name, predictions_of(generation))) - {""}
            positions = prepared.answers[index]
            n_gold = prepared.n_gold[index]
            n_matched = maximum_matching([positions[name] for name in sorted(predictions) if name in positions])
            precision.append(n_matched / len(predictions) if predictions else 0.0)
            recall.append(n_matched / n_gold)
            f1.append(2 * n_matched / (len(predictions) + n_gold))
            if progress is not None:
                progress(index + 1, len(generations))
        return list_scores(self.name, precision, recall, f1, self._thresholds)


def maximum_matching(choices: Sequence[Sequence[int]]) -> int:
    """How many of some takers can each have one of the things that they accept, if no thing is taken twice.

    :param choices: for each taker, the things that it accepts.

    >>> maximum_matching([[0, 1], [0], [0, 1]])
    2
    """
    taker_of: dict[int, int] = {}
    return sum(_find_place(taker, choices, taker_of) for taker in range(len(choices)))


def _find_place(taker: int, choices: Sequence[Sequence[int]], taker_of: dict[int, int]) -> bool:
    """Give a taker a thing, along a shortest path of takers who change theirs; False if there is none."""
    asked_by: dict[int, int] = {}
    had: dict[int, int] = {}
    waiting = deque([taker])
    while waiting:
        one = waiting.popleft()
        for thing in choices[one]:
            if thing in asked_by:
                continue
            asked_by[thing] = one
            if thing in taker_of:
                had[taker_of[thing]] = thing
                waiting.append(taker_of[thing])
                continue
            while True:
                new = asked_by[thing]
                taker_of[thing] = new
                if new == taker:
                    return True
                thing = had[new]
    return False
