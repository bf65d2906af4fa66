"""The pages of questions; never of a hidden split."""

from typing import Final

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from leaderboard.questions.criteria import criteria_of
from leaderboard.questions.listing import SORTS, QuestionList
from leaderboard.questions.lookup import DIFFER, DISAGREEMENT, VERDICTS, find_questions
from leaderboard.questions.question import find_question
from leaderboard.questions.reports import SIDES, reading_of
from leaderboard.web.parameters import NUMBER, TEXT, Parameter, name_ignored, reads

ORDERS: Final = tuple(f"{sign}{key}" for key in SORTS for sign in ("", "-"))
VERDICT: Final = Parameter((*VERDICTS, DISAGREEMENT))


@require_safe
@reads({"setting": TEXT, "sort": Parameter(ORDERS), "show": Parameter((DIFFER,)), "page": NUMBER})
def questions(request: HttpRequest, benchmark: str, split: str) -> HttpResponse:
    """The questions of an open split with their difficulty and discrimination."""
    asked = find_questions(benchmark, split, request.GET.get("setting", ""))
    if asked is None:
        raise Http404("This split does not exist, or its questions are private.")
    order, shown = request.GET.get("sort", ""), request.GET.get("show", "")
    page = QuestionList(asked, sort=order, page=request.GET.get("page", "1"), show=shown)
    return render(request, "leaderboard/questions/questions.html", {"page": page})


@require_safe
@reads(
    {"setting": TEXT, "verdict": VERDICT, "show": Parameter((DIFFER,)), "page": NUMBER, "attempt": NUMBER}
    | dict.fromkeys(SIDES, TEXT)
)
def question(request: HttpRequest, benchmark: str, split: str, qid: str) -> HttpResponse:
    """One question of an open split with its reference and the answers of all systems, or with the reports of one or
    two."""
    page = find_question(benchmark, split, qid, request.user, request.GET.dict())
    if page is None:
        raise Http404("This question does not exist, or it is private.")
    reading = reading_of(page, request.GET.dict())
    name_ignored(request, **(reading.slugs if reading else dict.fromkeys(SIDES, "")))
    if reading and reading.reports:
        response = render(request, "leaderboard/questions/reports.html", {"page": page, "reading": reading})
    else:
        context = {"page": page, "reading": reading, "criteria": criteria_of(page)}
        response = render(request, "leaderboard/questions/question.html", context)
    response["Vary"] = "Cookie"
    return response
