"""Pages about judging and its cost."""

import uuid

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from leaderboard import access
from leaderboard.access import signed_in_user
from leaderboard.maintenance import judge_spending, services
from leaderboard.maintenance.forms import ReleaseForm, RepeatsForm
from leaderboard.web.http import post_action
from scoring.models import BudgetRelease, Run
from scoring.runs.judging import budget, repeats


@login_required
@require_safe
def submission(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    """How each file of a submission was judged; for maintainers also the cost and anomalies."""
    found = access.submission_for(signed_in_user(request), pk)
    for_maintainer = access.is_maintainer(request.user)
    context = {
        "submission": found,
        "judgings": judge_spending.judgings_of(found, for_maintainer=for_maintainer),
        "for_maintainer": for_maintainer,
        "form": RepeatsForm(),
    }
    return render(request, "leaderboard/submissions/judge.html", context)


@require_POST
def request_repeats(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    """Request repeated judgings of a submission's answers, to measure the judge's noise."""
    access.require_maintainer(request.user)
    found = access.submission_for(signed_in_user(request), pk)
    form = RepeatsForm(request.POST)
    if not form.is_valid():
        messages.error(request, " ".join(str(error) for errors in form.errors.values() for error in errors))
        return redirect("submission-judge", pk)
    return post_action(
        request,
        lambda: services.request_repeats(found, actor=signed_in_user(request), k=form.cleaned_data["k"]),
        done=lambda made: f"{made} repeats are queued." if made else "These repeats were already requested.",
        refused=repeats.NothingToRepeatError,
        then=redirect("submission-judge", pk),
    )


@require_safe
def console(request: HttpRequest) -> HttpResponse:
    """The cost of judging, and the runs that wait for budget."""
    access.require_maintainer(request.user)
    return render(
        request,
        "leaderboard/maintenance/judge_spending.html",
        {"console": judge_spending.console(), "form": ReleaseForm()},
    )


@require_POST
def release(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    """Release a run that is over budget."""
    access.require_maintainer(request.user)
    run = get_object_or_404(Run, pk=pk)
    form = ReleaseForm(request.POST)
    if not form.is_valid():
        messages.error(request, " ".join(str(error) for errors in form.errors.values() for error in errors))
        return redirect("maintenance-judge")
    return post_action(
        request,
        lambda: services.release(run, actor=signed_in_user(request), **form.cleaned_data),
        done=_released,
        refused=budget.NotOverBudgetError,
        then=redirect("maintenance-judge"),
    )


def _released(made: BudgetRelease) -> str:
    limit = "no limit" if made.limit_usd is None else f"up to {made.limit_usd:.2f} USD in total"
    return f"The run can continue ({limit})."
