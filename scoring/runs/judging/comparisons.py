"""Answer sets compared side by side: what finished runs found, question by question.

Enters: a revision. Leaves: for each compared pair the scores of the judge, the preferences, and the stored replies.
"""

from __future__ import annotations

import io
import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Final, cast
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from scoring.metrics.base import SERVED
from scoring.metrics.judge.pairs import NAME, PAIR, preferences
from scoring.models import CurrentSignature, Revision, Run
from scoring.models.run_states import RunState
from scoring.registry import metric_of
from scoring.statistics.preferences import LengthControlled

_OPPONENT: Final = re.compile(r"\|opponent:[^|]*")


@dataclass(frozen=True)
class ComparedPair:
    """Two answer sets that the judge compared on every question, in both orders; n questions."""

    first: UUID
    """The answer set that was judged."""
    second: UUID
    """Its opponent."""
    run: UUID
    qids: tuple[str, ...]
    """Shape ``(n,)``, in the order of the revision."""
    scores: NDArray[np.float64]
    """From 0 to 100, shape ``(n, 2, 2)``: question, order (0: `first` was shown first; 1: `second`), side (0: `first`;
    1: `second`). NaN where a reply is unparsed, or there was no request because a side is unanswered."""
    verdicts: NDArray[np.int64]
    """The keys of the stored replies (`Verdict`), shape ``(n, 2)``: question, order; 0 where there is none."""
    answered: NDArray[np.bool_]
    """Whether each side has an answer, shape ``(n, 2)``: question, side."""
    length_controlled: LengthControlled | None
    """The win rate of `first` controlled for length; None if it could not be estimated."""

    @property
    def preferences(self) -> NDArray[np.float64]:
        """For `first`, in each order, shape ``(n, 2)``: 1 it wins, 0 `second` wins, 0.5 a tie; NaN if unparsed.

        If only one side has an answer, it wins in both orders; if none has, it is a tie.
        """
        return preferences(self.scores, self.answered)

    @property
    def preference(self) -> NDArray[np.float64]:
        """For `first`, the mean over both orders, shape ``(n,)``; NaN if the reply in either order is unparsed."""
        return np.asarray(self.preferences.mean(axis=1))

    @property
    def judged(self) -> NDArray[np.bool_]:
        """Whether the judge gave both scores in both orders, shape ``(n,)``: what position bias is measured on."""
        return np.asarray(np.isfinite(self.scores).all(axis=(1, 2)))

    @property
    def n_unparsed(self) -> int:
        """Questions that both sides answered and that have no preference: left out of every score, and counted."""
        return int(np.isnan(self.preference).sum())


def compared_pairs(revision: Revision, answer_sets: Collection[UUID] | None = None) -> list[ComparedPair]:
    """The finished comparisons on a revision, each pair once, by the judge whose scores the boards show.

    Comparisons by other models or prompts are left out: they do not mix. At most three queries.

    Args:
        answer_sets: both sides are among these; None for all.
    """
    runs = Run.objects.filter(revision=revision, metric__in=(NAME, PAIR), repeat=0, state=RunState.DONE)
    runs = runs.filter(comparison__isnull=False, opponent__isnull=False).select_related("comparison")
    if answer_sets is not None:
        runs = runs.filter(answer_set__in=answer_sets, opponent__in=answer_sets)
    wanted = judge_of(revision)
    found: dict[frozenset[UUID], ComparedPair] = {}
    for run in runs.order_by("finished_at", "pk"):
        sides = frozenset((run.answer_set_id, run.opponent_id))
        if without_opponent(run.signature) == wanted and sides not in found:
            found[sides] = pair_of(run)
    return list(found.values())


def judge_of(revision: Revision) -> str:
    """The signature, without an opponent, of the comparisons that count on a revision: as the boards show it, or, if
    they show none for this revision, as one made now."""
    shown = CurrentSignature.objects.filter(split=revision.split_id, metric=NAME).values_list("signature", flat=True)
    asked = without_opponent((shown.first() or "").partition(SERVED)[0])
    if f"|data:{revision.signature_part}|" in asked:
        return asked
    return metric_of(revision.split.benchmark.slug, NAME).signature(revision.signature_part)


def without_opponent(signature: str) -> str:
    """A signature without the part that names the opponent.

    >>> without_opponent("side-by-side|data:dev@0|opponent:1f|manyhop:0.7.0")
    'side-by-side|data:dev@0|manyhop:0.7.0'
    """
    return _OPPONENT.sub("", signature)


def pair_of(run: Run) -> ComparedPair:
    """What a finished run found; its ``comparison`` should be loaded."""
    stored = run.comparison
    arrays = np.load(io.BytesIO(bytes(stored.arrays)), allow_pickle=False)
    controlled = None
    if stored.controlled is not None:
        parts: Any = (stored.win_rate, stored.controlled, stored.controlled_low, stored.controlled_high)
        controlled = LengthControlled(*parts, slope=stored.length_slope or 0.0)
    return ComparedPair(
        first=run.answer_set_id,
        second=cast("UUID", run.opponent_id),
        run=run.pk,
        qids=tuple(arrays["qids"].tolist()),
        scores=arrays["scores"],
        verdicts=arrays["verdicts"],
        answered=arrays["answered"],
        length_controlled=controlled,
    )
