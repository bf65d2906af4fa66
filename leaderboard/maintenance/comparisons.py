"""Choosing the baseline of a split, and ordering comparisons of further pairs, by command."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from django.db import transaction

from leaderboard.maintenance import rescoring
from leaderboard.models import Submission, System, User
from leaderboard.operations import audit
from scoring.metrics.asking.cost import Estimate
from scoring.metrics.side_by_side.items import NAME
from scoring.models import AnswerSet, Revision, Split
from scoring.runs.judging import baselines
from scoring.runs.judging.baselines import BaselineError
from scoring.runs.judging.budget import BY_CHARACTERS
from scoring.runs.judging.pair_costs import Pair

FEWEST = 2


@dataclass(frozen=True)
class Candidate:
    """Answers that can be compared: a submission's in one setting."""

    answer_set: AnswerSet
    submission: Submission
    system: System | None
    """The system that the answers are of; None if they have no row on a board."""

    @property
    def name(self) -> str:
        """The name of the system, or else of the submission."""
        return (self.system or self.submission).name

    @property
    def setting(self) -> str:
        return self.answer_set.setting.slug

    @property
    def label(self) -> str:
        return f"{self.name}, {self.answer_set.setting.name}"


@dataclass(frozen=True)
class ComparisonPlan:
    """Pairs to compare, and what that needs."""

    pairs: list[Pair]
    cost: Estimate | None
    problem: str = ""
    """Reason why there is no estimate."""

    @property
    def in_words(self) -> str:
        pairs = f"{len(self.pairs):,} pair{'' if len(self.pairs) == 1 else 's'} to compare"
        if self.cost is None:
            return f"{pairs}. The cost cannot be estimated. {self.problem}"
        requests = f"{pairs}, {self.cost.n_calls:,} requests"
        if self.cost.usd is None:
            return f"{requests}. The price of the model is unknown: set JUDGE_PRICES."
        counted = BY_CHARACTERS if self.cost.method == "characters" else ""
        return f"{requests}, about {self.cost.usd:.2f} USD{counted}."


def candidates(split: Split) -> list[Candidate]:
    """The active answer sets of a split, by name and setting; those of studies are none. Two queries.

    Before there is a baseline no answers have a score, and therefore no system a row: then all are submissions.
    """
    active = [answer_set.pk for answer_set in rescoring.answer_sets_of(split)]
    rows = AnswerSet.objects.filter(pk__in=active, submission_file__isnull=False).select_related(
        "split", "setting", "submission_file__submission", "board_entry__system"
    )
    known = []
    for row in rows.order_by("setting__position", "created_at"):
        submission, entry = row.submission_file.submission, getattr(row, "board_entry", None)
        system = entry.system if entry is not None and entry.replaced_at is None else None
        known.append(Candidate(row, submission, system))
    return sorted(known, key=lambda candidate: candidate.name.casefold())


def candidate(split: Split, name: str, setting: str = "") -> Candidate:
    """The answers of a system, by its slug, or of a submission, by its id.

    Raises:
        BaselineError: there are none, or the setting must be named.
    """
    every = candidates(split)
    named = [each for each in every if name in (each.system and each.system.slug, str(each.submission.pk))]
    if not named:
        known = ", ".join(sorted({each.system.slug for each in every if each.system})) or "none yet"
        raise BaselineError(f"No system or submission {name!r} on {split}. Systems on its boards: {known}.")
    chosen = [each for each in named if setting in ("", each.setting)]
    if len(chosen) != 1:
        settings = ", ".join(each.setting for each in named)
        raise BaselineError(f"{name} has answers in the settings {settings}. Name one of them with --setting.")
    return chosen[0]


def on_board(split: Split, setting: str = "") -> list[Candidate]:
    """The systems on a split's board in a setting, which must be named if the split has several boards with systems.

    Raises:
        BaselineError: there are several boards.
    """
    known = [each for each in candidates(split) if each.system and setting in ("", each.setting)]
    settings = sorted({each.setting for each in known})
    if len(settings) > 1:
        raise BaselineError(f"{split} has systems in the settings {', '.join(settings)}. Name one with --setting.")
    return known


def baseline_plan(split: Split, answer_set: AnswerSet) -> ComparisonPlan:
    """Plan of the comparisons that a new baseline needs: one with each active answer set.

    Raises:
        BaselineError: the split's answers cannot be compared with these.
    """
    baselines.check_opponent(split, answer_set)
    others = [other for other in rescoring.answer_sets_of(split) if other.pk != answer_set.pk]
    return _plan(split, [(other, answer_set) for other in others])


def pairs_plan(split: Split, chosen: Sequence[Candidate], budget: Decimal | None = None) -> ComparisonPlan:
    """What comparisons of all pairs of some systems need, or of as many as a budget in US dollars pays for, those with
    the baseline first; pairs that are compared already need nothing.

    Raises:
        BaselineError: fewer than two, some cannot be compared, or the budget cannot be kept.
    """
    different = list({each.answer_set.pk: each.answer_set for each in chosen}.values())
    if len(different) < FEWEST:
        raise BaselineError("Name at least two different systems to compare.")
    return _plan(split, baselines.new_pairs(_revision(split), different), budget)


def repeated_plan(split: Split, budget: Decimal | None = None) -> ComparisonPlan:
    """Plan of new comparisons of pairs that were compared on an earlier revision or by an earlier judge.

    Raises:
        BaselineError: the split has no questions, or the budget cannot be kept.
    """
    return _plan(split, baselines.pairs_to_repeat(_revision(split), rescoring.answer_sets_of(split)), budget)


def _plan(split: Split, pairs: list[Pair], budget: Decimal | None = None) -> ComparisonPlan:
    try:
        return ComparisonPlan(*baselines.affordable_pairs(_revision(split), pairs, budget))
    except BaselineError:
        raise
    except ValueError as error:
        if budget is not None:
            raise BaselineError(f"The cost cannot be estimated. {error}") from error
        return ComparisonPlan(pairs, None, str(error))


def _revision(split: Split) -> Revision:
    if split.current_revision is None:
        raise BaselineError(f"{split} has no questions yet.")
    split.current_revision.split = split
    return split.current_revision


@transaction.atomic
def choose_baseline(split: Split, chosen: Candidate, *, actor: User | str) -> int:
    """Choose the baseline of a split and create the runs of all active answer sets; returns how many are new.

    Raises:
        BaselineError: the split's answers cannot be compared with these.
    """
    by = actor if isinstance(actor, str) else actor.get_username()
    baselines.choose_baseline(split, chosen.answer_set, by=by)
    made = sum(rescoring.make_missing_runs(split, metrics=[NAME]).values())
    text = f"{chosen.label} ({chosen.submission.pk}); runs created: {made}."
    audit.record(actor, "baseline.chosen", f"split {split}", text)
    return made


@transaction.atomic
def compare(split: Split, plan: ComparisonPlan, *, actor: User | str) -> int:
    """Create the runs that compare the pairs of a plan; returns how many are new.

    Raises:
        BaselineError: the split has no questions.
    """
    made = len(baselines.compare_pairs(_revision(split), plan.pairs))
    if made:
        audit.record(actor, "comparisons.ordered", f"split {split}", f"{plan.in_words} Runs created: {made}.")
    return made
