"""Confidence intervals of scores, computed in a worker and stored with them.

A score's interval depends on its own results alone, so one that is computed with its score is bit-identical to the one
computed with its leaderboard.
"""

import logging
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from contextlib import suppress
from itertools import zip_longest

import numpy as np
from django.db import connection
from django.db.models import QuerySet
from numpy.typing import NDArray

from scoring import queries
from scoring.metrics.base import clipped
from scoring.models import Answer, Revision, Run, Score, Split
from scoring.models.run_states import RunState
from scoring.statistics import TooFewUnitsError, mean_intervals, weighted_mean_interval
from scoring.statistics.arrays import Clusters
from scoring.statistics.proportions import proportion_interval
from scoring.workers.locks import only_one

logger = logging.getLogger(__name__)

Ends = tuple[float | None, float | None]
"""Lower and upper end, or ``None`` twice: one question, or one participant, allows no inference about others."""

FILL_SECONDS = 5.0
"""The maximum duration of one search for scores without intervals; the next search continues with the rest."""
AT_ONCE = 512
"""The number of scores whose vectors are in memory together: 3 MiB for 724 questions."""


def intervals_of(
    vectors: Sequence[NDArray[np.float64]],
    clusters: Clusters | None = None,
    *,
    shares: Sequence[bool] | bool = True,
    weights: Sequence[NDArray[np.float64] | None] = (),
    by_mean_alone: Sequence[bool] = (),
) -> list[Ends]:
    """The 95 % interval of the mean of each vector.

    Args:
        vectors: each of shape (n_items,), all of the same length; or empty, for a score that is no mean over items and
            gets no interval.
        clusters: of the items, as in `scoring.statistics.mean_intervals`, like the next.
        shares: whether each is a vector of shares.
        weights: what each item counts, of the vectors whose mean is weighted; None of the others.
        by_mean_alone: whether the interval of a vector depends on its mean and length alone (`tells_attempts`).

    Returns:
        The ends, in the unit of the scores, in the order of the vectors.
    """
    found: list[Ends] = [(None, None)] * len(vectors)
    are_shares = np.broadcast_to(shares, len(vectors))
    places = []
    for place, (vector, counts, is_guarded) in enumerate(zip_longest(vectors, weights, by_mean_alone)):
        if is_guarded:
            ends = proportion_interval(round(float(np.average(vector, weights=counts)) * len(vector)), len(vector))
            found[place] = float(ends.low), float(ends.high)
        elif counts is not None:
            with suppress(TooFewUnitsError):
                weighted = weighted_mean_interval(vector, counts, clusters, shares=bool(are_shares[place]))
                found[place] = weighted.low, weighted.high
        elif vector.size:
            places.append(place)
    if not places:
        return found
    rows = np.stack([vectors[place] for place in places])
    try:
        ends = mean_intervals(rows, clusters=clusters, shares=are_shares[places])
    except TooFewUnitsError:
        return found
    for place, low, high in zip(places, ends.low.tolist(), ends.high.tolist(), strict=True):
        found[place] = low, high
    return found


def stored(ends: Ends, signature: str) -> Ends:
    """An interval as it is stored with its score's signature, which may say that it is clipped."""
    low, high = ends
    return (None, None) if low is None or high is None else (clipped(low, signature), clipped(high, signature))


def tells_attempts(split: Split, attempts: NDArray[np.float64]) -> bool:
    """Whether the interval of the means of several attempts would tell what is withheld.

    On a hidden split pass@k waits for a maintainer. Where attempts are right or wrong, an interval from the variance of
    the questions' means tells pass@2 together with the mean, so until then it is that of as many questions answered
    once: wider, and with nothing in it but the mean.

    Args:
        split: of the scores; a part of a split counts as that one.
        attempts: shape (n_attempts, n_items).
    """
    is_withheld = split.is_hidden and not (split.subset_of or split).pass_at_approved
    return is_withheld and len(attempts) > 1 and bool(((attempts == 0) | (attempts == 1)).all())


def renew_of_attempts(split: Split) -> None:
    """Have the intervals of several attempts on a split computed again, once it is decided whether pass@k is shown."""
    Score.objects.filter(run__answer_set__split=split, attempts__isnull=False).update(low=None, high=None)


def fill(seconds: float = FILL_SECONDS) -> int:
    """Compute missing intervals of scores (those made by an earlier version); returns how many.

    Runs in one process at a time, for about the given number of seconds.
    """
    until = time.monotonic() + seconds
    n_filled = 0
    with only_one("intervals") as mine:
        if not mine:
            return 0
        ids = list(lacking().filter(run__state=RunState.DONE).order_by("pk").values_list("pk", flat=True))
        for start in range(0, len(ids), AT_ONCE):
            if start and time.monotonic() > until:
                break
            n_filled += _fill_some(ids[start : start + AT_ONCE])
    return n_filled


def lacking() -> "QuerySet[Score]":
    """Scores without an interval that may have one. A study of one participant or question never gets one, and stays
    listed."""
    return Score.objects.filter(low=None, n_items__gt=1)


def _fill_some(ids: Sequence[int]) -> int:
    related = ("run__answer_set", "run__revision__split__benchmark", "run__revision__split__subset_of")
    scores = list(Score.objects.filter(pk__in=ids).select_related(*related))
    studies = set(
        Answer.objects.filter(answer_set__in={score.run.answer_set_id for score in scores}).values_list(
            "answer_set", flat=True
        )
    )
    of_systems: dict[tuple[int, Revision | None], list[Score]] = defaultdict(list)
    of_studies: dict[Run, list[Score]] = defaultdict(list)
    for score in scores:
        if score.run.answer_set_id in studies:
            of_studies[score.run].append(score)
        else:
            revision = score.run.revision
            of_systems[score.n_items, revision if revision.clusters_hash else None].append(score)
    filled = []
    for (_, clustered), group in of_systems.items():
        filled += _with_intervals(group, clustered.clusters if clustered else None)
    for run, group in of_studies.items():
        items = queries.items_to_score(run.answer_set, run.revision)
        if any(score.n_items != len(items) for score in group):
            logger.error("Answer set %s has changed since it was scored.", run.answer_set_id)
        else:
            filled += _with_intervals(group, items.clusters)
    save((score.pk, score.low, score.high) for score in filled)
    return len(filled)


def save(intervals: Iterable[tuple[int, float | None, float | None]]) -> None:
    """Write intervals to their scores: key, lower and upper end. All in one statement, in the order of the keys.

    ``bulk_update`` is not used: building its statement takes far longer than executing it.
    """
    # Sorted, so that two processes lock the same scores in one order and never wait for each other.
    rows = [(low, high, pk) for pk, low, high in sorted(intervals)]
    if rows:
        with connection.cursor() as cursor:
            cursor.executemany("UPDATE scoring_score SET low = %s, high = %s WHERE id = %s", rows)


def _with_intervals(group: Sequence[Score], clusters: Clusters | None) -> list[Score]:
    """The scores, of those with the same number of items, that have an interval, with the interval."""
    shares = [queries.column_of(score.run.revision.split.benchmark.slug, score.name).is_share for score in group]
    weights = [score.per_weight for score in group]
    guarded = [
        score.attempts is not None and tells_attempts(score.run.revision.split, score.per_attempt) for score in group
    ]
    vectors = [score.per_item for score in group]
    ends = intervals_of(vectors, clusters, shares=shares, weights=weights, by_mean_alone=guarded)
    for score, (low, high) in zip(group, ends, strict=True):
        score.low, score.high = stored((low, high), score.signature)
    return [score for score in group if score.low is not None]
