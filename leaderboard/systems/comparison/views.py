"""The comparison page."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from leaderboard.systems.comparison.candidates import chooser_for
from leaderboard.systems.comparison.page import comparison_for
from leaderboard.systems.comparison.params import ComparisonParams
from leaderboard.systems.comparison.types import MOST_SYSTEMS


@require_safe
def compare(request: HttpRequest) -> HttpResponse:
    """Two to six systems on one board, or a form to select them."""
    params = ComparisonParams.of(request.GET)
    comparison = comparison_for(params)
    if comparison is None:
        text = "A maintainer can import one with: manage.py import_benchmark NAME"
        return render(request, "leaderboard/web/message.html", {"title": "No benchmarks yet", "text": text})
    choosing = not comparison.possible or "choose" in request.GET
    context = {
        "comparison": comparison,
        "chooser": chooser_for(params, comparison) if choosing else None,
        "choose_url": params.url() + "&choose=yes",
        "most": MOST_SYSTEMS,
    }
    return render(request, "leaderboard/comparison/compare.html", context)
