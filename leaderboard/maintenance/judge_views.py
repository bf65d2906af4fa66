"""Pages about judging and its cost."""

import uuid

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from leaderboard import access
from leaderboard.access import signed_in_user
from leaderboard.maintenance import judge_spending
from scoring.models import Run
from scoring.models.run_states import RunState

NONE_OVER_BUDGET = "None of these runs is over budget any more. Nothing was released."


@login_required
@require_safe
def submission(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    """How each file of a submission was judged; for maintainers also the cost and anomalies."""
    judged = access.submission_for(signed_in_user(request), pk)
    for_maintainer = access.is_maintainer(request.user)
    context = {
        "submission": judged,
        "judgings": judge_spending.judgings_of(judged, for_maintainer=for_maintainer),
        "for_maintainer": for_maintainer,
    }
    return render(request, "leaderboard/submissions/judge.html", context)


@require_safe
def console(request: HttpRequest) -> HttpResponse:
    access.require_maintainer(request.user)
    return render(request, "leaderboard/maintenance/judge_spending.html", {"console": judge_spending.console()})


@require_POST
def release(request: HttpRequest) -> HttpResponse:
    access.require_maintainer(request.user)
    chosen = set(request.POST.getlist("run"))
    waiting = [run for run in Run.objects.filter(state=RunState.OVER_BUDGET) if str(run.pk) in chosen]
    n = judge_spending.release(waiting, actor=signed_in_user(request))
    if n:
        messages.success(request, f"{n} {'run' if n == 1 else 'runs'} can continue.")
    else:
        messages.info(request, NONE_OVER_BUDGET)
    return redirect("maintenance-judge")
