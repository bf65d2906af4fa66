"""The page on which maintainers choose a split's baseline and order comparisons, with their cost shown first."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods

from leaderboard import access
from leaderboard.access import signed_in_user
from leaderboard.maintenance import comparisons, next_pairs
from leaderboard.web.http import post_action
from scoring.models import Split
from scoring.queries import compares_answers
from scoring.runs.judging.baselines import BaselineError


@require_http_methods(["GET", "HEAD", "POST"])
def console(request: HttpRequest, benchmark: str, split: str) -> HttpResponse:
    """The cost of a ``baseline`` or of ``systems`` (ids of answer sets), of next pairs (``setting``, ``budget``), or of
    pairs to compare ``again``; POST orders."""
    access.require_maintainer(request.user)
    splits = Split.objects.select_related("benchmark", "current_revision")
    compared = get_object_or_404(splits, benchmark__slug=benchmark, slug=split)
    if not compares_answers(compared):
        raise Http404
    if request.method != "POST":
        page = comparisons.page(compared, request.GET)
        return render(request, "leaderboard/maintenance/comparisons.html", {"split": compared, "page": page})
    actor, baseline = signed_in_user(request), request.POST.get("baseline", "")
    chosen = comparisons.by_key(compared, [baseline] if baseline else request.POST.getlist("systems"))

    def order() -> int:
        if "budget" in request.POST:
            pairs = comparisons.next_pairs_of(compared, request.POST)
            return next_pairs.start(pairs, actor=actor, shown=request.POST.get("shown", ""))
        if "again" in request.POST:
            return comparisons.compare_again(compared, actor=actor)
        if not baseline:
            return comparisons.compare(compared, chosen, actor=actor)
        if not chosen:
            raise BaselineError("Choose a system on the split's boards.")
        return comparisons.choose_baseline(compared, chosen[0], actor=actor)

    return post_action(
        request,
        order,
        done=lambda made: f"{made} run{' is' if made == 1 else 's are'} queued.",
        refused=BaselineError,
        then=redirect("maintenance-comparisons", benchmark, split),
    )
