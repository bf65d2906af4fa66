"""The judge's noise: repeated judgements of the same answers, and the spread of their results."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from django.db import transaction

from scoring.benchmarks.columns import JUDGES
from scoring.models import AnswerSet, Run, Score
from scoring.models.run_states import RunState
from scoring.queries import column_of, target_signatures
from scoring.registry import metric_of, why_unavailable
from scoring.runs import answer_sets, dispatch
from scoring.runs.judging.missing import items_of, metric_of_run, settings_of
from scoring.runs.judging.store import replies_of
from scoring.statistics import RepeatNoise, repeat_noise

NOT_JUDGED: Final = "These answers have not been judged yet, so they cannot be judged again."


class NothingToRepeatError(ValueError):
    """The answers have not been judged yet under the current signature of scores."""


@dataclass(frozen=True)
class Repeats:
    """The results of judging the same answers several times."""

    n_judgings: int
    """The number of judgements of all answers, including the judgement that counts."""
    n_pending: int
    """The number of unfinished repeats."""
    n_answers: int
    """The number of judged answers."""
    n_changed: int
    """The number of answers whose verdict (the letter) was not the same every time; see ``noise.n_changed`` for those
    whose outcome was not."""
    noise: RepeatNoise | None
    """The spread of the scores; ``None`` after a single judgement."""
    same_replies: bool = False
    """Whether every answer got the same text each time: the endpoint is deterministic or ignores the seed, so that the
    repeats say nothing about its noise."""
    same_seed: bool = False
    """Whether the repeats sent the same seed, as those of versions before 0.6.0 did."""

    @property
    def changed_share(self) -> float | None:
        """The share of judged answers whose verdict changed; ``None`` before the first repeat."""
        return self.n_changed / self.n_answers if self.noise is not None and self.n_answers else None


def judged_run(answer_set: AnswerSet) -> Run | None:
    """The finished judgement of an answer set under the current signature of scores."""
    revision = answer_set.split.current_revision
    if revision is None:
        return None
    signatures = [signature for metric, signature in target_signatures(answer_set.split).items() if metric in JUDGES]
    runs = Run.objects.counting().filter(answer_set=answer_set, metric__in=JUDGES, signature__in=signatures)
    return runs.filter(state=RunState.DONE).select_related("answer_set__split", "revision__split__benchmark").first()


def main_score(run: Run) -> str:
    """The name of the score whose noise is measured: of a judge with several, the first."""
    return metric_of_run(run).score_names[0]


@transaction.atomic
def request_repeats(answer_set: AnswerSet, k: int) -> list[Run]:
    """Have an answer set judged *k* more times in all, beside the judgement that counts; returns the new runs.

    Another call with the same number changes nothing.

    Raises:
        NothingToRepeatError: it has not been judged yet, or is closed.
        ValueError: *k* is less than 1.
    """
    if k < 1:
        raise ValueError(f"The number of repeats must be at least 1, not {k}.")
    first = judged_run(answer_set)
    if first is None:
        raise NothingToRepeatError(NOT_JUDGED)
    if answer_set.closed_at is not None:
        raise NothingToRepeatError(answer_sets.CLOSED)
    reason = why_unavailable(metric_of(first.revision.split.benchmark.slug, first.metric))
    made = []
    for repeat in range(1, k + 1):
        run, created = Run.objects.get_or_create(
            answer_set=answer_set,
            metric=first.metric,
            subset=first.subset,
            signature=first.signature,
            repeat=repeat,
            opponent=first.opponent,
            defaults={
                "revision": first.revision,
                "counts": False,
                "state": RunState.NOT_CONFIGURED if reason else RunState.WAITING,
                "reason": reason,
            },
        )
        if created:
            made.append(run)
    dispatch.send_on_commit(run.pk for run in made if run.state == RunState.WAITING)
    return made


def repeats_of(answer_set: AnswerSet, first: Run | None = None) -> Repeats | None:
    """The spread of repeated judgements of an answer set; ``None`` if it has not been judged.

    *first* is the finished judgement that was repeated, if not the one under the current signature of scores.

    For one answer set only: references and answers are read to find each verdict.
    """
    first = first or judged_run(answer_set)
    if first is None:
        return None
    repeats = list(
        Run.objects.filter(
            answer_set=answer_set,
            metric=first.metric,
            subset=first.subset,
            signature=first.signature,
            opponent=first.opponent_id,
            repeat__gt=0,
        )
        .exclude(state=RunState.CANCELLED)
        .order_by("repeat")
    )
    done = [first, *(run for run in repeats if run.state == RunState.DONE)]
    name = main_score(first)
    scores = Score.objects.filter(run__in=done, name=name).order_by("run__repeat")
    vectors = [score.per_item for score in scores]
    settings = settings_of(first)
    _, items = items_of(first)
    addresses = [[item.address(settings, run.repeat) for item in items] for run in done]
    replies = replies_of({address for row in addresses for address in row})
    column = column_of(first.revision.split.benchmark.slug, name)
    given = [[replies[row[index]] for row in addresses if row[index] in replies] for index in range(len(items))]
    seeds = [{replies[address][2] for address in row if address in replies} for row in addresses]
    return Repeats(
        n_judgings=len(vectors),
        n_pending=len(repeats) + 1 - len(done),
        n_answers=len(items),
        n_changed=sum(len({letter for letter, _, _ in replies}) > 1 for replies in given),
        noise=repeat_noise(np.stack(vectors), column.scale) if len(vectors) > 1 else None,
        same_replies=len(done) > 1 and all(len({text for _, text, _ in replies}) == 1 for replies in given),
        same_seed=len(done) > 1 and bool(set.intersection(*seeds)),
    )
