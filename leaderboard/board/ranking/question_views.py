"""The comparisons of two systems question by question; never of a hidden split."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from leaderboard import access
from leaderboard.board.ranking.lookup import StoredRanking, ranking_on
from leaderboard.board.ranking.questions import PairOfSystems, PairParams, QuestionList, QuestionPage
from leaderboard.board.ranking.views import open_or_404


def _open(benchmark: str, split: str, setting: str) -> StoredRanking:
    stored = open_or_404(benchmark, split, setting)
    if stored.split["hidden"]:
        raise Http404("The questions of this split are private.")
    return ranking_on(stored)


@require_safe
def questions(request: HttpRequest, benchmark: str, split: str, setting: str) -> HttpResponse:
    """The list of questions on which two systems were compared. At most eleven queries in addition to those of every
    page, whatever the number of systems."""
    page = QuestionList(_open(benchmark, split, setting), PairParams.of(request.GET))
    return render(request, "leaderboard/ranking/questions.html", {"page": page})


@require_safe
def question(request: HttpRequest, benchmark: str, split: str, setting: str, number: int) -> HttpResponse:
    """One question with both answers, the judge's replies and scores. Two queries more than the list."""
    stored, params = _open(benchmark, split, setting), PairParams.of(request.GET)
    entries = PairOfSystems(stored, params).entries
    readable = [entry is not None and access.can_read_answers(request.user, entry) for entry in entries]
    page = QuestionPage(stored, params, number, (readable[0], readable[1]))
    if page.question is None:
        raise Http404("These systems have not been compared on this question.")
    response = render(request, "leaderboard/ranking/question.html", {"page": page})
    response["Vary"] = "Cookie"
    return response
