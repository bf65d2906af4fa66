"""Content of the judge's pages: how a submission was judged, what judging costs, and what waits for budget; and the
release of what waits."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Prefetch

from leaderboard.disclosure import OPEN, DisclosureRule
from leaderboard.models import Submission, SubmissionFile, User
from leaderboard.operations import audit
from leaderboard.submissions.queries import sender_runs
from leaderboard.submissions.types import ScoreView, state_and_reason
from scoring.benchmarks import definition_of, definitions
from scoring.benchmarks.columns import JUDGES
from scoring.benchmarks.names import on_subset
from scoring.benchmarks.subsets import WHOLE, WHOLE_NAME
from scoring.generations.keys import in_words, qid_of
from scoring.metrics.asking.config import judge_config
from scoring.metrics.judge import Judge
from scoring.metrics.list_judge import ListJudge
from scoring.models import AnswerBlock, Run, Score
from scoring.models.run_states import RunState
from scoring.queries import on_one_revision
from scoring.registry import metric_named
from scoring.runs.judging import budget
from scoring.runs.judging.items import metric_of_run
from scoring.runs.judging.queries import judging_of

EXCERPT = 400
"""The length of the excerpt of a flagged answer, in characters."""


# --- One submission ------------------------------------------------------------------------------------------------


def judgings_of(submission: Submission, *, for_maintainer: bool) -> list[dict[str, Any]]:
    """How each current file of a submission was judged by each judge of its benchmark, on the final part of a split and
    on all questions if it has one, with the judge's main score, if it has one that may be shown; and, for maintainers
    alone, the answers that seem to address the judge, for a person to check: question, signs, the beginning.

    Of a hidden split a sender learns states and scores when all results are shown, and no number of verdicts or
    requests: that of criteria is a fact of the reference, and that of further requests about citations a result.

    The number of queries grows with the files (there are as many as settings) and judges, not with answers.
    """
    is_private = submission.split.is_hidden and not for_maintainer
    # A sender sees scores on one revision at every door: the difference of two tells of the questions that changed.
    runs = Run.objects.counting() if for_maintainer else on_one_revision(Run.objects.counting())
    runs = runs.exclude(state=RunState.CANCELLED).order_by("created_at")
    runs = runs.select_related("answer_set__split", "revision__split__benchmark")
    files = SubmissionFile.objects.filter(submission=submission, replaced_at=None)
    files = files.select_related("setting", "submission__split__benchmark", "answer_set__split__benchmark")
    files = files.prefetch_related(Prefetch("answer_set__runs", queryset=runs))
    shown_runs = sender_runs(files, submission) if is_private else {}
    judges = [metric for metric in definition_of(submission.split.benchmark.slug).metrics if metric in JUDGES]
    judgings: list[dict[str, Any]] = []
    explained: set[str] = set()
    every: list[tuple[SubmissionFile, Run, bool]] = []
    for file in files:
        of_file = shown_runs[file.answer_set_id] if is_private else file.answer_set.runs.all()
        # Of a split with a final part, a judge has a run on that part and one on all questions.
        newest = {run.name: run for run in of_file}
        names = [name for metric in judges for name in (metric, on_subset(metric, WHOLE)) if name in newest]
        every += [(file, newest[name], len(names) > 1) for name in names]
    for file, run, is_one_of_several in every:
        is_asked = run.state != RunState.NOT_CONFIGURED
        judging = judging_of(run, with_estimate=for_maintainer) if is_asked else None
        metric = metric_of_run(run)
        name = metric.score_names[0]
        score = Score.objects.filter(run=run, name=name).first() if run.state == RunState.DONE else None
        rule = OPEN if for_maintainer else DisclosureRule.of_submission(submission)
        shown = None
        if score is not None and not rule.withheld(score):
            column = definition_of(run.answer_set.split.benchmark.slug).column(name)
            ends = rule.ends(score.low, score.high, column)
            shown = ScoreView(column, rule.number(score.value, column), *ends)
        state_label, reason = state_and_reason(run, for_maintainer=for_maintainer)
        flagged = judging.flagged if judging and for_maintainer else {}
        texts = AnswerBlock.objects.texts_of(file.answer_set, {qid_of(key) for key in flagged}) if flagged else {}
        k, label = file.answer_set.n_attempts, metric_named(run.metric).label
        judgings.append(
            {
                "setting": file.setting.name,
                "metric": metric,
                "measures": metric.explanation().measures if run.metric not in explained else "",
                "judge": f"{label}, {WHOLE_NAME.lower()}" if run.subset else label if is_one_of_several else "",
                "run": run,
                "state_label": state_label,
                "reason": reason,
                "judging": judging,
                "shows_counts": not is_private,
                "missing": [(outcome.label, count) for outcome, count in judging.missing.items()] if judging else [],
                "score": shown,
                "flagged": [(in_words(key, k), signs, texts.get(key, "")[:EXCERPT]) for key, signs in flagged.items()],
            }
        )
        explained.add(run.metric)
    return judgings


# --- The site ------------------------------------------------------------------------------------------------------


def console() -> dict[str, Any]:
    """Spending by month, and the runs that wait for budget. Three queries, whatever their number."""
    unavailable = Judge.unavailable(settings)
    waiting = Run.objects.filter(state=RunState.OVER_BUDGET).select_related(
        "answer_set__submission_file__submission", "answer_set__setting", "answer_set__split__benchmark", "estimate"
    )
    return {
        "unavailable": unavailable,
        "config": None if unavailable else judge_config(settings, Judge.on_site(settings).settings),
        "spent_this_month": budget.spent(budget.verdicts_of_this_month()),
        "months": budget.spending_by_month(),
        "over_budget": waiting.order_by("answer_set__split__benchmark__position", "created_at"),
        "list_model": ListJudge.on_site(settings).settings.model,
        "own_models": [
            (definition.name, metric_named(name).label, table.model)
            for definition in definitions().values()
            for name, table in definition.form.metrics.items()
            if table.model
        ],
    }


@transaction.atomic
def release(runs: Iterable[Run], *, actor: User) -> int:
    """Release runs that are over budget, each up to the limit that `budget.release` sets; returns how many. Those that
    are not over budget any more are left out."""
    n_released = 0
    for run in runs:
        with suppress(budget.NotOverBudgetError):
            made = budget.release(run, by=actor.get_username())
            limit = "without a limit" if made.limit_usd is None else f"up to {made.limit_usd:.2f} USD"
            audit.record(actor, "judge.released", f"run {run.pk}", f"Allowed to continue, {limit}.")
            n_released += 1
    return n_released
