"""The scores of answer sets that boards show, for pages of single systems and their comparison."""

from collections.abc import Mapping
from typing import Any

from scoring.models import Score
from scoring.models.run_states import RunState


def scores_in_force(signatures_of: Mapping[Any, Mapping[str, str]]) -> dict[Any, dict[str, Score]]:
    """By answer set and name: the newest scores under the current signatures, without their vectors. One query.

    Args:
        signatures_of: by answer set, the current signatures of its split.
    """
    newest_last = (
        Score.objects.counting()
        .filter(run__answer_set__in=list(signatures_of), run__state=RunState.DONE)
        .select_related("run__revision__split__benchmark", "corrected")
        .defer("vector", "attempts", "weights")
        .order_by("created_at", "pk")
    )
    scores: dict[Any, dict[str, Score]] = {answer_set: {} for answer_set in signatures_of}
    for score in newest_last:
        if signatures_of[score.run.answer_set_id].get(score.run.name) == score.signature:
            scores[score.run.answer_set_id][score.key] = score
    return scores
