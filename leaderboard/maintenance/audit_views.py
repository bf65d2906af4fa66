"""Pages for maintainers that the Django admin does not have."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from leaderboard import access
from leaderboard.access import signed_in_user
from leaderboard.maintenance import rescoring
from leaderboard.operations import audit
from leaderboard.web.parameters import NUMBER, TEXT, reads
from scoring.models import Split
from scoring.registry import metric_named


@require_safe
@reads({"action": TEXT, "actor": TEXT, "page": NUMBER})
def audit_log(request: HttpRequest) -> HttpResponse:
    """The audit log. At most seven queries in addition to those of every page."""
    access.require_maintainer(request.user)
    log = audit.audit_page(request.GET, with_links=request.user.has_perm("leaderboard.view_submission"))
    return render(request, "leaderboard/maintenance/audit.html", {"log": log})


@require_http_methods(["GET", "HEAD", "POST"])
def rescore(request: HttpRequest, benchmark: str, split: str) -> HttpResponse:
    """Re-scoring a split: missing runs with an estimate of their cost, old and new scores, and the switch."""
    access.require_maintainer(request.user)
    splits = Split.with_drafts.select_related("benchmark", "current_revision").exclude(current_revision=None)
    rescored = splits.filter(benchmark__slug=benchmark, slug=split).first()
    if rescored is None:
        raise Http404("This split does not exist, or it has no questions.")
    here = redirect("maintenance-rescore", benchmark, split)
    try:
        metrics = rescoring.known_metrics(rescored, (request.POST or request.GET).getlist("metric"))
    except rescoring.UnknownMetricError as error:
        messages.error(request, str(error))
        return here
    # Of the chosen metrics, or of all if none is chosen.
    if request.POST.get("action") == "runs":
        made = rescoring.make_missing_runs(rescored, actor=signed_in_user(request), metrics=metrics)
        n = sum(made.values())
        messages.success(request, f"{n} run{'s' if n != 1 else ''} created." if n else "No runs were missing.")
    elif request.POST.get("action") == "switch":
        force = request.POST.get("force") == "on"
        try:
            switched = rescoring.switch(
                rescored, actor=signed_in_user(request), metrics=metrics, even_if_incomplete=force
            )
        except rescoring.SwitchError as error:
            messages.error(request, f"No signature was switched. {error}")
        else:
            shown = "; ".join(metric_named(metric).label for metric in switched)
            messages.success(request, f"The boards now show: {shown}." if switched else "No signature to switch.")
    if request.method == "POST":
        return here
    changes = rescoring.changes(rescored)
    context = {
        "split": rescored,
        "plans": rescoring.plan(rescored),
        "estimates": rescoring.estimate(rescored, metrics=metrics) if "estimate" in request.GET else None,
        "metrics": metrics,
        "changes": [change for change in changes if change.is_seen],
        "n_unchanged": sum(not change.is_seen for change in changes),
        "summaries": rescoring.rank_summaries(changes),
    }
    return render(request, "leaderboard/maintenance/rescore.html", context)
