"""The page that explains the scores."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from leaderboard.pages.definitions import definitions_page
from leaderboard.pages.glossary import GLOSSARY


@require_safe
def definitions(request: HttpRequest) -> HttpResponse:
    """Every metric in words, with its signatures; how the repaired metrics change the scores; the glossary."""
    context = {"benchmarks": definitions_page(), "glossary": GLOSSARY}
    return render(request, "leaderboard/pages/definitions.html", context)
