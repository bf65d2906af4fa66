"""Made-up comparisons of answers side by side: a judge that prefers the better answer, and a little the first one."""

import io
import uuid
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from django.utils import timezone
from numpy.typing import NDArray

from scoring.metrics.side_by_side.items import NAME
from scoring.models import AnswerSet, Comparison, Run
from scoring.models.run_states import RunState
from scoring.runs.judging.comparisons import ComparedPair, judge_of


def drawn(
    strengths: Sequence[float],
    pairs: Sequence[tuple[int, int]],
    *,
    n_questions: int = 100,
    bias: float = 0.0,
    seed: int = 0,
) -> tuple[list[uuid.UUID], list[ComparedPair]]:
    """The answer sets of systems with these strengths (log-odds), and these pairs compared on every question.

    Args:
        bias: points that the judge adds to the answer shown first; its noise has a deviation of some 20.
    """
    chance = np.random.default_rng(seed)
    answer_sets = [uuid.UUID(int=number + 1) for number in range(len(strengths))]
    scores = [
        np.stack([_scores(chance, strengths, pair, n_questions, bias, place) for place in (0, 1)], axis=1)
        for pair in pairs
    ]
    return answer_sets, [
        compared(
            answer_sets[one], answer_sets[other], found, lengths=np.round(chance.lognormal(7, 0.5, (n_questions, 2)))
        )
        for (one, other), found in zip(pairs, scores, strict=True)
    ]


def _scores(
    chance: np.random.Generator,
    strengths: Sequence[float],
    pair: tuple[int, int],
    n_questions: int,
    bias: float,
    place: int,
) -> NDArray[np.float64]:
    """The scores of both sides in one order, shape ``(n, 2)``; the side *place* is shown first."""
    means = [50 + 10 * strengths[one] + bias * (side == place) for side, one in enumerate(pair)]
    return np.asarray(np.clip(chance.normal(means, 12, (n_questions, 2)), 1, 100))


def compared(
    first: uuid.UUID,
    second: uuid.UUID,
    scores: NDArray[np.float64],
    *,
    answered: NDArray[np.bool_] | None = None,
    lengths: NDArray[np.float64] | None = None,
) -> ComparedPair:
    """A pair with these scores, shape ``(n, 2, 2)``; every question is answered, and all answers are equally long,
    unless said otherwise."""
    n = len(scores)
    return ComparedPair(
        first=first,
        second=second,
        run=uuid.uuid4(),
        qids=tuple(f"q{number}" for number in range(n)),
        scores=np.asarray(scores, dtype=np.float64),
        verdicts=np.arange(1, 2 * n + 1).reshape(n, 2),
        answered=np.ones((n, 2), dtype=np.bool_) if answered is None else answered,
        lengths=np.full((n, 2), 100.0) if lengths is None else lengths,
    )


def store(answer_sets: Sequence[AnswerSet], pairs: Sequence[tuple[int, int]], strengths: Sequence[float]) -> None:
    """Store made-up comparisons of answer sets as finished runs leave them; those with the first one are its runs."""
    revision = answer_sets[0].split.current_revision
    assert revision is not None
    qids = list(revision.questions.order_by("position").values_list("qid", flat=True))
    _, found = drawn(strengths, pairs, n_questions=len(qids))
    signature = judge_of(revision)
    for (one, other), pair in zip(pairs, found, strict=True):
        run, _ = Run.objects.update_or_create(
            answer_set=answer_sets[one],
            opponent=answer_sets[other],
            defaults={
                "revision": revision,
                "metric": NAME,
                "counts": not other,
                "signature": signature,
                "state": RunState.DONE,
                "finished_at": timezone.now(),
            },
        )
        Comparison.objects.create(run=run, arrays=packed(replace(pair, qids=tuple(qids))))


def packed(pair: ComparedPair) -> bytes:
    """A pair in its stored form."""
    buffer = io.BytesIO()
    names = ("scores", "verdicts", "answered", "lengths")
    np.savez_compressed(buffer, qids=np.array(pair.qids), **{name: getattr(pair, name) for name in names})
    return buffer.getvalue()
