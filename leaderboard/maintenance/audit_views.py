"""Pages for maintainers that the Django admin does not have."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from leaderboard import access
from leaderboard.access import signed_in_user
from leaderboard.maintenance import rescoring, services
from leaderboard.operations import audit
from scoring.models import Split


@require_safe
def audit_log(request: HttpRequest) -> HttpResponse:
    """The audit log. Four queries in addition to those of every page."""
    access.require_maintainer(request.user)
    return render(request, "leaderboard/maintenance/audit.html", {"log": audit.audit_page(request.GET)})


@require_http_methods(["GET", "HEAD", "POST"])
def rescore(request: HttpRequest, benchmark: str, split: str) -> HttpResponse:
    """Re-scoring a split: missing runs, old and new scores, and the switch."""
    access.require_maintainer(request.user)
    found = (
        Split.objects.select_related("benchmark", "current_revision")
        .filter(benchmark__slug=benchmark, slug=split, current_revision__isnull=False)
        .first()
    )
    if found is None:
        raise Http404("This split does not exist, or it has no questions.")
    if request.method == "POST":
        _act(request, found)
        return redirect("maintenance-rescore", benchmark, split)
    context = {"split": found, "plans": rescoring.plan(found), "changes": rescoring.changes(found)}
    return render(request, "leaderboard/maintenance/rescore.html", context)


def _act(request: HttpRequest, split: Split) -> None:
    if request.POST.get("action") == "runs":
        made = sum(services.make_missing_runs(split, actor=signed_in_user(request)).values())
        messages.success(request, f"{made} run{'s' if made != 1 else ''} created." if made else "No runs were missing.")
    elif request.POST.get("action") == "switch":
        try:
            switched = services.switch(
                split, actor=signed_in_user(request), even_if_incomplete=request.POST.get("force") == "on"
            )
        except rescoring.SwitchError as error:
            messages.error(request, f"No signature was switched. {error}")
        else:
            messages.success(
                request, f"The boards now show: {', '.join(switched)}." if switched else "No signature to switch."
            )
