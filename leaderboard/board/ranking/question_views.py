"""The comparisons of two systems question by question; never of a hidden split."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from leaderboard import access
from leaderboard.board.ranking.lookup import ranking_on
from leaderboard.board.ranking.questions import PairOfSystems, question_list, question_page
from leaderboard.board.ranking.views import open_or_404


def _open(request: HttpRequest, *slugs: str) -> PairOfSystems:
    stored = open_or_404(*slugs)
    if stored.split["hidden"]:
        raise Http404("The questions of this split are private.")
    return PairOfSystems(ranking_on(stored), request.GET)


@require_safe
def questions(request: HttpRequest, benchmark: str, split: str, setting: str) -> HttpResponse:
    """The list of questions on which two systems were compared. At most eleven queries in addition to those of every
    page, whatever the number of systems."""
    page = question_list(_open(request, benchmark, split, setting), request.GET)
    return render(request, "leaderboard/ranking/questions.html", {"page": page})


@require_safe
def question(request: HttpRequest, benchmark: str, split: str, setting: str, number: int) -> HttpResponse:
    """One question with both answers, the judge's replies and scores. Two queries more than the list."""
    pair = _open(request, benchmark, split, setting)
    readable = [entry is not None and access.can_read_answers(request.user, entry) for entry in pair.entries]
    page = question_page(pair, number, readable)
    if page is None:
        raise Http404("These systems have not been compared on this question.")
    response = render(request, "leaderboard/ranking/question.html", {"page": page})
    response["Vary"] = "Cookie"
    return response
