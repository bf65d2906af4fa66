"""Choosing the baseline of a split, and ordering comparisons of further pairs: by command, or on a page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import transaction
from django.http import QueryDict

from leaderboard.maintenance import next_pairs, rescoring
from leaderboard.maintenance.next_pairs import NextPairs
from leaderboard.models import SubmissionFile, User
from leaderboard.operations import audit
from scoring.benchmarks import definition_of
from scoring.metrics.asking.cost import Estimate
from scoring.metrics.side_by_side.items import NAME
from scoring.models import AnswerSet, Baseline, Revision, Run, Setting, Split
from scoring.queries import compared_under
from scoring.runs.judging import baselines
from scoring.runs.judging.baselines import BaselineError
from scoring.runs.judging.budget import BY_CHARACTERS
from scoring.runs.judging.pair_costs import Pair

FEWEST = 2


@dataclass(frozen=True)
class Candidate:
    """Answers that can be compared: a submission's in one setting."""

    answer_set: AnswerSet
    name: str
    slug: str
    """Of the system; empty if the answers have no row on a board."""
    submission: str
    """The id of the submission."""
    setting: str
    """Its slug."""
    setting_name: str

    @property
    def label(self) -> str:
        """The name with the setting."""
        return f"{self.name}, {self.setting_name}"


@dataclass(frozen=True)
class ComparisonPlan:
    """What some comparisons need."""

    n_pairs: int
    cost: Estimate | None
    problem: str = ""
    """Why there is no estimate."""

    @property
    def in_words(self) -> str:
        """The number of pairs and requests, and their cost."""
        pairs = f"{self.n_pairs:,} pair{'' if self.n_pairs == 1 else 's'} to compare"
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
        name, slug = (system.name, system.slug) if system is not None else (submission.name, "")
        known.append(Candidate(row, name, slug, str(submission.pk), row.setting.slug, row.setting.name))
    return sorted(known, key=lambda candidate: candidate.name.casefold())


def candidate(split: Split, name: str, setting: str = "") -> Candidate:
    """The answers of a system, by its slug, or of a submission, by its id.

    Raises:
        BaselineError: there are none, or the setting must be named.
    """
    every = candidates(split)
    named = [each for each in every if name in (each.slug, each.submission)]
    if not named:
        known = ", ".join(sorted({each.slug for each in every} - {""})) or "none yet"
        raise BaselineError(f"No system or submission {name!r} on {split}. Systems on its boards: {known}.")
    chosen = [each for each in named if setting in ("", each.setting)]
    if len(chosen) != 1:
        settings = ", ".join(each.setting for each in named)
        raise BaselineError(f"{name} has answers in the settings {settings}. Name one of them with --setting.")
    return chosen[0]


def baseline_plan(split: Split, answer_set: AnswerSet) -> ComparisonPlan:
    """What a new baseline needs: a comparison with each active answer set.

    Raises:
        BaselineError: the split's answers cannot be compared with these.
    """
    baselines.check_opponent(split, answer_set)
    others = [other for other in rescoring.answer_sets_of(split) if other.pk != answer_set.pk]
    return _plan(split, [(other, answer_set) for other in others])


def pairs_plan(split: Split, answer_sets: Sequence[AnswerSet]) -> ComparisonPlan:
    """What comparisons of all pairs of some answer sets need; pairs that are compared already need nothing.

    Raises:
        BaselineError: fewer than two, or some cannot be compared.
    """
    return _plan(split, _new_pairs(split, answer_sets))


def repeated_plan(split: Split) -> ComparisonPlan:
    """What it needs to compare pairs again that were compared on an earlier revision or by an earlier judge.

    Raises:
        BaselineError: the split has no questions.
    """
    return _plan(split, _pairs_to_repeat(split))


def _pairs_to_repeat(split: Split) -> list[Pair]:
    return baselines.pairs_to_repeat(_revision(split), rescoring.answer_sets_of(split))


def _new_pairs(split: Split, answer_sets: Sequence[AnswerSet]) -> list[Pair]:
    different = list({answer_set.pk: answer_set for answer_set in answer_sets}.values())
    if len(different) < FEWEST:
        raise BaselineError("Name at least two different systems to compare.")
    return baselines.new_pairs(_revision(split), different)


def _plan(split: Split, pairs: Sequence[Pair]) -> ComparisonPlan:
    try:
        return ComparisonPlan(len(pairs), baselines.expected_cost(_revision(split), pairs))
    except ValueError as error:
        return ComparisonPlan(len(pairs), None, str(error))


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
    audit.record(
        actor, "baseline.chosen", f"split {split}", f"{chosen.label} ({chosen.submission}); runs created: {made}."
    )
    return made


@transaction.atomic
def compare(split: Split, chosen: Sequence[Candidate], *, actor: User | str) -> int:
    """Create the runs that compare all pairs of some systems; returns how many are new.

    Raises:
        BaselineError: fewer than two, or some cannot be compared.
    """
    pairs = _new_pairs(split, [each.answer_set for each in chosen])
    made = len(baselines.compare_pairs(_revision(split), pairs))
    if made:
        names = ", ".join(each.slug or each.submission for each in chosen)
        audit.record(actor, "comparisons.ordered", f"split {split}", f"All pairs of {names}; runs created: {made}.")
    return made


@transaction.atomic
def compare_again(split: Split, *, actor: User | str) -> int:
    """Create the runs that compare pairs again; see `repeated_plan`. Returns how many are new.

    Raises:
        BaselineError: the split has no questions.
    """
    made = len(baselines.compare_pairs(_revision(split), _pairs_to_repeat(split)))
    if made:
        text = f"Pairs compared earlier; runs created: {made}."
        audit.record(actor, "comparisons.repeated", f"split {split}", text)
    return made


# --- The page ------------------------------------------------------------------------------------------------------


def by_key(split: Split, keys: Iterable[str]) -> list[Candidate]:
    """The candidates whose answer sets have these ids, in the order of `candidates`."""
    wanted = set(keys)
    return [known for known in candidates(split) if str(known.answer_set.pk) in wanted]


def page(split: Split, asked: QueryDict) -> dict[str, Any]:
    """The page, with the plan that is asked for: of a ``baseline`` or of all pairs of ``systems`` (ids of answer sets),
    of the next pairs of the board of a ``setting`` within a ``budget``, or of pairs to compare ``again``."""
    known = candidates(split)
    labels = {each.answer_set.pk: each.label for each in known}
    definition = definition_of(split.benchmark.slug)
    current = Baseline.objects.filter(split=split).first()
    switch = next((item for item in rescoring.plan(split) if item.metric == NAME and item.changes), None)
    opponents = compared_under(split, switch.shown) if switch else Run.objects.none()
    shown = opponents.values_list("opponent", flat=True).first()
    baseline, keys = asked.get("baseline", ""), asked.getlist("systems")
    chosen = by_key(split, [baseline] if baseline else keys)
    plan = further = None
    problem = ""
    try:
        if baseline and chosen:
            plan = baseline_plan(split, chosen[0].answer_set)
        elif keys:
            plan = pairs_plan(split, [each.answer_set for each in chosen])
        elif "again" in asked:
            plan = repeated_plan(split)
        elif "budget" in asked:
            further = next_pairs_of(split, asked)
    except BaselineError as error:
        problem = str(error)
    return {
        "baseline": _label(current.answer_set_id, labels) if current else "",
        # Nobody chose it: the benchmark declares its setting as the default one.
        "by_default": current is not None and not current.chosen_by,
        "default_setting": {each.slug: each.name for each in definition.settings}.get(definition.default_baseline, ""),
        # The earlier one that the boards' scores are against, and the progress of those against the current one.
        "shown_baseline": _label(shown, labels) if shown and current and shown != current.answer_set_id else "",
        "switch": switch,
        "candidates": known,
        "boards": {each.setting: each.setting_name for each in known},
        "chosen": chosen,
        "plan": plan,
        "next_pairs": further,
        # Pairs that the ranking leaves out: compared on an earlier revision or by an earlier judge.
        "n_to_repeat": len(_pairs_to_repeat(split)) if split.current_revision else 0,
        "problem": problem,
    }


def next_pairs_of(split: Split, asked: QueryDict) -> NextPairs:
    """The next pairs of the board of a ``setting`` within a ``budget`` in US dollars.

    Raises:
        BaselineError: there is no such board, the budget is not a number above 0 or too small, or nothing is compared.
    """
    budget = next_pairs.read_budget(asked.get("budget", ""))
    setting = Setting.objects.filter(benchmark=split.benchmark_id, slug=asked.get("setting", "")).first()
    if setting is None:
        raise BaselineError("Choose the setting of the board.")
    return next_pairs.choose(split, setting, budget)


def _label(answer_set: UUID, labels: Mapping[UUID, str]) -> str:
    """The label of a baseline, which is no candidate if its submission was withdrawn or has a newer version of it. One
    query for such a one."""
    if answer_set in labels:
        return labels[answer_set]
    rows = SubmissionFile.objects.filter(answer_set=answer_set).select_related("setting", "submission")
    file = rows.first()
    if file is None:
        return str(answer_set)
    since = "withdrawn" if file.submission.withdrawn_at else f"version {file.version}, replaced"
    return f"{file.submission.name}, {file.setting.name} ({since})"
