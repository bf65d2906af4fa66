"""Judge scores corrected with human grades: stored for the boards, which show them beside the judge's own scores."""

from collections.abc import Sequence

from django.db import transaction

from leaderboard.board.staleness import mark_entries
from leaderboard.models import CorrectedScore, Entry
from scoring.statistics import Corrected


@transaction.atomic
def save_corrections(origin: str, source: str, corrections: Sequence[tuple[int, Corrected]]) -> None:
    """Store corrected scores, replacing all that came from the same origin or belong to the same scores.

    Args:
        origin: what produced them, at most 120 characters.
        source: a public description, at most 300 characters.
        corrections: each score's key, and its correction.
    """
    changed = {score for score, _ in corrections} | set(
        CorrectedScore.objects.filter(origin=origin).values_list("score", flat=True)
    )
    CorrectedScore.objects.filter(origin=origin).delete()
    CorrectedScore.objects.filter(score__in=[score for score, _ in corrections]).delete()
    CorrectedScore.objects.bulk_create(
        CorrectedScore(
            score_id=score,
            value=corrected.value,
            low=corrected.low,
            high=corrected.high,
            n_graded=corrected.n_graded,
            n_judged=corrected.n_judged,
            origin=origin,
            source=source[:300],
        )
        for score, corrected in corrections
    )
    mark_entries(Entry.objects.filter(answer_set__runs__scores__in=changed, replaced_at=None))
