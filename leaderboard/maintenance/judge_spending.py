"""Content of the judge's pages: how a submission was judged, and the site's spending on judging."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.urls import reverse

from leaderboard.disclosure import OPEN, DisclosureRule
from leaderboard.models import Submission, SubmissionFile
from leaderboard.submissions.types import state_and_reason
from scoring.models import Answer, JudgeEstimate, Run, Score
from scoring.models.run_states import RunState
from scoring.queries import runs_by_state
from scoring.registry.judge_settings import JudgeConfig, judge_config, judge_unavailable, list_judge_settings
from scoring.runs.judging import budget, repeats
from scoring.runs.judging.queries import Judging, judging_of

NAMELESS = "An answer set without a submission"
EXCERPT = 400
"""The length of the excerpt of a flagged answer, in characters."""


# --- One submission ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Flagged:
    """An answer that seems to address the judge, for a person to check."""

    qid: str
    signs: tuple[str, ...]
    excerpt: str


@dataclass(frozen=True)
class FileJudging:
    """How the answers of one file were judged."""

    setting: str
    run: Run
    state_label: str
    reason: str
    judging: Judging | None
    missing: list[tuple[str, int]]
    value: float | None
    low: float | None
    high: float | None
    judged_again: repeats.Repeats | None
    flagged: list[Flagged]


def judgings_of(submission: Submission, *, for_maintainer: bool) -> list[FileJudging]:
    """How each current file of a submission was judged; flagged answers are for maintainers alone.

    The number of queries grows with the files (there are as many as settings), not with answers.
    """
    files = SubmissionFile.objects.filter(submission=submission, replaced_at=None)
    files = files.select_related("setting", "answer_set__split__benchmark")
    return [
        _file_judging(file, run, for_maintainer=for_maintainer) for file in files if (run := _run_of(file)) is not None
    ]


def _run_of(file: SubmissionFile) -> Run | None:
    runs = Run.objects.filter(answer_set=file.answer_set, metric__in=repeats.FIRST).exclude(state=RunState.CANCELLED)
    return runs.select_related("answer_set__split", "revision__split__benchmark").order_by("-created_at").first()


def _file_judging(file: SubmissionFile, run: Run, *, for_maintainer: bool) -> FileJudging:
    judging = judging_of(run) if run.state != RunState.NOT_CONFIGURED else None
    score = Score.objects.filter(run=run, name=repeats.main_score(run)).first() if run.state == RunState.DONE else None
    rule = OPEN if for_maintainer else DisclosureRule.of(file.answer_set.split)
    score = None if score is not None and rule.withheld(score) else score
    state_label, reason = state_and_reason(run, for_maintainer=for_maintainer)
    return FileJudging(
        setting=file.setting.name,
        run=run,
        state_label=state_label,
        reason=reason,
        judging=judging,
        missing=[(outcome.label, count) for outcome, count in judging.missing.items()] if judging else [],
        value=rule.number(score.value) if score else None,
        low=rule.number(score.low) if score else None,
        high=rule.number(score.high) if score else None,
        judged_again=repeats.repeats_of(file.answer_set, run) if score and not rule.hidden else None,
        flagged=_flagged(file, judging) if judging and for_maintainer else [],
    )


def _flagged(file: SubmissionFile, judging: Judging) -> list[Flagged]:
    qids = [answer.qid for answer in judging.flagged]
    texts = dict(Answer.objects.filter(answer_set=file.answer_set, qid__in=qids).values_list("qid", "text"))
    return [Flagged(answer.qid, answer.signs, texts.get(answer.qid, "")[:EXCERPT]) for answer in judging.flagged]


# --- The site ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SpendingRow:
    """The cost of judging in one month, or for one submission (then with the URL of its page)."""

    label: str
    spending: budget.Spending
    url: str = ""


@dataclass(frozen=True)
class OverBudget:
    """A run that is over budget and waits for a maintainer's release."""

    run: Run
    name: str
    setting: str
    url: str
    estimate: JudgeEstimate | None


@dataclass(frozen=True)
class JudgeConsole:
    """The judge's page for maintainers."""

    unavailable: str
    config: JudgeConfig | None
    spent_this_month: Decimal
    months: list[SpendingRow]
    submissions: list[SpendingRow]
    over_budget: list[OverBudget]
    states: Mapping[str, int]
    list_model: str = ""
    """The model that judges lists."""


def console() -> JudgeConsole:
    """Spending by month and by submission, and the runs that wait for budget. Six queries, whatever their number."""
    unavailable = judge_unavailable()
    by_group = budget.spending_by_submission()
    names = _submissions_by_group()
    return JudgeConsole(
        unavailable=unavailable,
        config=None if unavailable else judge_config(),
        spent_this_month=budget.spent(budget.verdicts_of_this_month()),
        months=[SpendingRow(spending.label, spending) for spending in budget.spending_by_month()],
        submissions=[
            SpendingRow(names[group][0], spending, names[group][1])
            if group in names
            else SpendingRow(NAMELESS, spending)
            for group, spending in by_group.items()
        ],
        over_budget=_over_budget(),
        states=runs_by_state(repeats.FIRST),
        list_model=list_judge_settings().model,
    )


def _submissions_by_group() -> dict[str, tuple[str, str]]:
    files = SubmissionFile.objects.select_related("submission").only(
        "submission__name", "submission_id", "answer_set__id", "answer_set__submission_group"
    )
    rows: Any = files.values_list("submission_id", "submission__name", "answer_set_id", "answer_set__submission_group")
    found = {}
    for submission_id, name, answer_set, submission_group in rows:
        found[str(submission_group or answer_set)] = (name, reverse("submission-judge", args=[submission_id]))
    return found


def _over_budget() -> list[OverBudget]:
    runs = (
        Run.objects.filter(state=RunState.OVER_BUDGET)
        .select_related("answer_set__submission_file__submission", "answer_set__setting", "estimate")
        .order_by("created_at")
    )
    found = []
    for run in runs:
        file = getattr(run.answer_set, "submission_file", None)
        found.append(
            OverBudget(
                run=run,
                name=file.submission.name if file else NAMELESS,
                setting=run.answer_set.setting.name,
                url=file.submission.get_absolute_url() if file else "",
                estimate=getattr(run, "estimate", None),
            )
        )
    return found
