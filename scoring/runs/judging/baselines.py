"""The baseline of a split, and comparisons of further pairs: chosen, with their cost estimated first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal
from itertools import combinations

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from scoring import registry
from scoring.benchmarks import definition_of
from scoring.generations.records import has_content
from scoring.metrics.asking.config import judge_config
from scoring.metrics.asking.cost import Estimate
from scoring.metrics.side_by_side.items import NAME
from scoring.models import Answer, AnswerBlock, AnswerSet, Baseline, Question, Revision, Run, Split
from scoring.models.run_states import RunState
from scoring.queries import answers_digest
from scoring.runs import answer_sets as runs_answer_sets
from scoring.runs import outcomes
from scoring.runs.judging import budget
from scoring.runs.judging.pair_costs import Pair, PairCosts, states_between


class BaselineError(ValueError):
    """Answers that cannot be compared; the message says why, and what to do."""


@transaction.atomic
def choose_baseline(split: Split, answer_set: AnswerSet, *, by: str) -> Baseline:
    """Compare the answer sets of a split with this one from now on. Creates no runs; further pairs that were already
    compared with it count.

    Runs that waited for a baseline are cancelled: `scoring.runs.answer_sets.ensure_run` creates those that follow.

    Raises:
        BaselineError: the split's answers are not compared, or not with these.
    """
    check_opponent(split, answer_set)
    values = {"answer_set": answer_set, "digest": answers_digest(answer_set), "chosen_at": timezone.now()}
    baseline, _ = Baseline.objects.update_or_create(split=split, defaults={**values, "chosen_by": by})
    waiting = Run.objects.filter(answer_set__split=split, metric=NAME, opponent=None, state=RunState.NOT_CONFIGURED)
    waiting.update(state=RunState.CANCELLED, reason=runs_answer_sets.SUPERSEDED, finished_at=timezone.now())
    _count_pairs(answer_set)
    outcomes.split_changed(split.pk)
    return baseline


@transaction.atomic
def set_default(answer_set: AnswerSet) -> bool:
    """Make published answers the baseline of their split if `may_be_default` says so; returns whether it did.

    Two answer sets at the same time: the first one wins. The sweeper starts the runs that waited for a baseline.
    """
    if not may_be_default(answer_set):
        return False
    values = {"answer_set": answer_set, "digest": answers_digest(answer_set), "chosen_by": ""}
    created = Baseline.objects.get_or_create(split=answer_set.split, defaults=values)[1]
    if created:
        _count_pairs(answer_set)
    outcomes.split_changed(answer_set.split_id)
    return created


def _count_pairs(baseline: AnswerSet) -> None:
    """Have the pairs that were compared with an answer set count: it is the baseline now."""
    Run.objects.filter(opponent=baseline, counts=False).update(counts=True)


def may_be_default(answer_set: AnswerSet) -> bool:
    """Whether answers become the baseline of their split once they are published: nobody chose one, they are in the
    setting that the benchmark declares, and answer every question. Three queries at most, none if the benchmark
    declares no such setting."""
    split = answer_set.split
    declared = definition_of(split.benchmark.slug).form.default_baseline
    if not declared or answer_set.setting.slug != declared or answer_set.closed_at is not None:
        return False
    if split.current_revision_id is None or Baseline.objects.filter(split=split).exists():
        return False
    questions = Question.objects.filter(revision=split.current_revision_id).values_list("qid", flat=True)
    answers = registry.scored_texts(split.benchmark.slug, AnswerBlock.objects.first_texts_of(answer_set))
    return set(questions) <= {qid for qid, text in answers.items() if has_content(text)}


def check_opponent(split: Split, answer_set: AnswerSet) -> None:
    """Check that answers can be compared with those of an answer set.

    Raises:
        BaselineError: the split's answers are not compared, or not with these.
    """
    if NAME not in definition_of(split.benchmark.slug).metrics:
        raise BaselineError(f"{split.benchmark} does not compare answers: it does not declare the metric {NAME}.")
    if answer_set.split_id != split.pk:
        raise BaselineError(f"These answers are to questions of {answer_set.split}, not of {split}.")
    if answer_set.closed_at is not None:
        raise BaselineError(f"{runs_answer_sets.CLOSED} Choose other answers.")
    if Answer.objects.filter(answer_set=answer_set).exists():
        raise BaselineError("These are the answers of a study, which may have several to a question. Choose a system.")


def affordable_pairs(
    revision: Revision, pairs: Sequence[Pair], limit: Decimal | None = None
) -> tuple[list[Pair], Estimate]:
    """The first of some pairs that a limit in US dollars pays for, all without a limit, and their estimated cost: on
    all questions, in both orders, without verdicts that exist.

    Raises:
        BaselineError: the limit cannot be kept, because the price of the judge's model is unknown.
        ValueError: the judge is not configured correctly, or the benchmark lacks the prompt.
    """
    costs = PairCosts(revision, list({system.pk: system for pair in pairs for system in pair}.values()))
    if limit is None:
        return list(pairs), costs.of(pairs)
    affordable = []
    for pair in pairs:
        usd = costs.of([pair]).usd
        if usd is None:
            raise BaselineError("The price of the judge's model is unknown, so no limit can be kept: set JUDGE_PRICES.")
        if usd > limit:  # no cheaper one is taken instead: the order says which pairs matter most
            break
        affordable.append(pair)
        limit -= usd
    return affordable, costs.of(affordable)


@transaction.atomic
def compare_within_cap(split: Split, answer_sets: Sequence[AnswerSet]) -> tuple[list[Run], Estimate]:
    """Create the runs that compare all pairs of some answer sets, as far as what is left of the month's cap goes; also
    returns what they will cost.

    Raises:
        BaselineError: some cannot be compared, the split has no questions, or the price of the model is unknown.
        ValueError: the judge is not configured correctly, or the benchmark lacks the prompt.
    """
    revision = split.current_revision
    if revision is None:
        raise BaselineError(f"{split} has no questions yet.")
    pairs = new_pairs(revision, answer_sets)
    config = judge_config(settings, registry.judge_of(split.benchmark.slug, NAME).settings)
    affordable, cost = affordable_pairs(revision, pairs, budget.left_this_month(config))
    return compare_pairs(revision, affordable), cost


def new_pairs(revision: Revision, answer_sets: Sequence[AnswerSet]) -> list[Pair]:
    """The pairs of some answer sets that are not compared yet, and no run will compare, in either direction: those with
    the baseline first.

    Raises:
        BaselineError: one of them cannot be compared.
    """
    for answer_set in answer_sets:
        check_opponent(revision.split, answer_set)
    baseline = Baseline.objects.filter(split=revision.split).values_list("answer_set", flat=True).first()
    return _uncompared(revision, sorted(answer_sets, key=lambda answer_set: answer_set.pk != baseline))


def pairs_to_repeat(revision: Revision, answer_sets: Sequence[AnswerSet]) -> list[Pair]:
    """The further pairs of some answer sets that were compared on another revision or by another judge, and that no
    run compares by the present judge. Pairs with the baseline are left out: re-scoring compares these. Three queries at
    most."""
    runs = Run.objects.filter(metric=NAME, counts=False, state=RunState.DONE)
    runs = runs.filter(answer_set__in=answer_sets, opponent__in=answer_sets)
    runs = runs.filter(answer_set__baseline_of=None, opponent__baseline_of=None)
    earlier = {frozenset(sides) for sides in runs.values_list("answer_set", "opponent")}
    if not earlier:
        return []
    return [pair for pair in _uncompared(revision, answer_sets) if frozenset(system.pk for system in pair) in earlier]


def _uncompared(revision: Revision, answer_sets: Sequence[AnswerSet]) -> list[Pair]:
    known = {sides for sides, states in states_between(revision, answer_sets).items() if states - {RunState.CANCELLED}}
    return [pair for pair in combinations(answer_sets, 2) if frozenset(system.pk for system in pair) not in known]


@transaction.atomic
def compare_pairs(revision: Revision, pairs: Iterable[Pair]) -> list[Run]:
    """Create the runs that compare some pairs; returns the new ones."""
    made = (runs_answer_sets.ensure_pair(first, second, NAME, revision) for first, second in pairs)
    return [run for run in made if run is not None]
