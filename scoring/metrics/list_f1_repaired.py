"""Repaired precision, recall and F1 of answer lists: what a reader would count as right."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from typing import ClassVar

from scoring.metrics.answer_lists import ThresholdMetric, gold_lists
from scoring.metrics.base import ReferenceAnswer
from scoring.metrics.columns import Column, Explanation
from scoring.metrics.text.answer_names import folded_name


class RepairedListF1(ThresholdMetric):
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

    def columns(self) -> tuple[Column, ...]:
        return self.threshold_columns("as a careful reader would count")

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
        return ("normalise:folded", "match:maximum", *self.threshold_parts())

    def prepare(self, references: Sequence[ReferenceAnswer]) -> tuple[tuple[Mapping[str, list[int]], int], ...]:
        """For each question, the positions of the gold answers that have each folded name, and their number."""
        prepared = []
        for gold in gold_lists(references):
            different = dict.fromkeys(
                frozenset(map(folded_name, (answer.text, *answer.aliases))) - {""} for answer in gold
            )
            positions: dict[str, list[int]] = {}
            for position, names in enumerate(different):
                for name in names:
                    positions.setdefault(name, []).append(position)
            prepared.append((positions, len(different)))
        return tuple(prepared)

    def question_scores(self, gold: tuple[Mapping[str, list[int]], int], predictions: list[str]) -> tuple[float, ...]:
        positions, n_gold = gold
        names = set(map(folded_name, predictions)) - {""}
        n_matched = maximum_matching([positions[name] for name in sorted(names) if name in positions])
        precision = n_matched / len(names) if names else 0.0
        return self.with_shares(precision, n_matched / n_gold, 2 * n_matched / (len(names) + n_gold))


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
        asking = waiting.popleft()
        for thing in choices[asking]:
            if thing in asked_by:
                continue
            asked_by[thing] = asking
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
