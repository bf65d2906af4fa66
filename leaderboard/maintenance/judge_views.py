"""Pages about judging and its cost."""

import uuid
from collections.abc import Iterable
from decimal import Decimal

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from leaderboard import access
from leaderboard.access import signed_in_user
from leaderboard.maintenance import judge_spending, services
from leaderboard.maintenance.forms import ReleaseForm
from leaderboard.operations import audit
from leaderboard.web.http import post_action
from scoring.models import BudgetRelease, Run
from scoring.models.run_states import RunState
from scoring.runs.judging import budget

LIMIT_OF_EACH = "Each run that you release here may cost up to {:.2f} USD in total."
DEFAULT_LIMIT = (
    "Each run that you release here may cost what it has cost so far plus 1.5 times its expected remaining cost."
)
TOO_LOW = (
    "This limit is too low for {} of {} runs. The most expensive one is expected to cost {:.2f} USD in total. They "
    "stop as over budget again before they send a request."
)
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
    """The cost of judging, and the runs that wait for budget."""
    access.require_maintainer(request.user)
    return render(
        request,
        "leaderboard/maintenance/judge_spending.html",
        {"console": judge_spending.console(), "form": ReleaseForm(initial=request.GET.dict())},
    )


@require_POST
def release(request: HttpRequest, pk: uuid.UUID | None = None) -> HttpResponse:
    """Release a run that is over budget; without its id all that the page showed, or those of one benchmark.

    The button that sets the limit releases none: it leads back to the page, which keeps the limit.
    """
    access.require_maintainer(request.user)
    actor = signed_in_user(request)
    run = get_object_or_404(Run, pk=pk) if pk else None
    form = ReleaseForm(request.POST)
    page = reverse("maintenance-judge")
    back = redirect(page)
    if not form.is_valid():
        messages.error(request, " ".join(str(error) for errors in form.errors.values() for error in errors))
        return back
    limit_usd = form.cleaned_data["limit_usd"]
    waiting = Run.objects.filter(state=RunState.OVER_BUDGET)
    if "set_limit" in request.POST:
        _warn_if_too_low(request, limit_usd, waiting)
        messages.info(
            request,
            "Nothing was released yet. "
            + (LIMIT_OF_EACH.format(limit_usd) if limit_usd is not None else DEFAULT_LIMIT),
        )
        return redirect(page if limit_usd is None else f"{page}?limit_usd={limit_usd}")
    if run is not None:

        def released(made: BudgetRelease) -> str:
            limit = "no limit" if made.limit_usd is None else f"up to {made.limit_usd:.2f} USD in total"
            return f"{audit.run_in_words(run)}: the run can continue ({limit})."

        _warn_if_too_low(request, limit_usd, [run])
        return post_action(
            request,
            lambda: services.release(run, actor=actor, **form.cleaned_data),
            done=released,
            refused=budget.NotOverBudgetError,
            then=back,
        )
    if benchmark := request.POST.get("benchmark"):
        waiting = waiting.filter(answer_set__split__benchmark__slug=benchmark)
    shown = set(request.POST.getlist("run"))  # runs that came later have costs that nobody has seen
    chosen = [run for run in waiting if str(run.pk) in shown]
    releases = services.release_runs(chosen, actor=actor, **form.cleaned_data)
    if releases:
        _warn_if_too_low(request, limit_usd, chosen)
        n = len(releases)
        messages.success(request, f"{n} {'run' if n == 1 else 'runs'} can continue.")
    else:
        messages.info(request, NONE_OVER_BUDGET)
    return back


def _warn_if_too_low(request: HttpRequest, limit_usd: Decimal | None, runs: Iterable[Run]) -> None:
    """Say of how many runs the expected cost exceeds the limit."""
    runs = list(runs)
    costs = budget.costs_above(limit_usd, runs) if limit_usd is not None else []
    if costs:
        messages.warning(request, TOO_LOW.format(len(costs), len(runs), max(costs)))
