"""Views for known grades of calibration answers, and for decisions where grades differ."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_safe

from humaneval.grading import access
from humaneval.grading.criteria import choices_in, is_by_criteria
from humaneval.grading.desk import adjudication as services
from humaneval.grading.desk.page import Filled, GradeForm, screen_of_answer
from humaneval.grading.desk.services import NotGradedError
from humaneval.grading.errors import RoundClosedError
from humaneval.models import GradedAnswer, GradeKind
from leaderboard.access import signed_in_user


@require_safe
def calibration(request: HttpRequest, slug: str) -> HttpResponse:
    """The calibration answers, with or without their known grade."""
    round_ = access.round_for_maintainer(request.user, slug)
    context = {"round": round_, "answers": services.calibration_answers(round_)}
    return render(request, "humaneval/grading/calibration.html", context)


@require_safe
def adjudication(request: HttpRequest, slug: str) -> HttpResponse:
    """The answers with grades that differ."""
    round_ = access.round_for_maintainer(request.user, slug)
    blind = services.yet_to_grade(round_, signed_in_user(request))
    context = {
        "round": round_,
        "differences": services.differences(round_, but=blind),
        "by_criteria": is_by_criteria(round_),
    }
    return render(request, "humaneval/grading/adjudication.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def known_grade(request: HttpRequest, slug: str, position: int) -> HttpResponse:
    """Give the known grade of a calibration answer."""
    return _decide(request, slug, position, GradeKind.KNOWN)


@require_http_methods(["GET", "HEAD", "POST"])
def decision(request: HttpRequest, slug: str, position: int) -> HttpResponse:
    """Decide where grades differ; they are shown side by side."""
    return _decide(request, slug, position, GradeKind.DECISION)


def _decide(request: HttpRequest, slug: str, position: int, kind: GradeKind) -> HttpResponse:
    round_ = access.round_for_maintainer(request.user, slug)
    answer = access.answer_for_maintainer(round_, position, calibration=kind == GradeKind.KNOWN)
    user = signed_in_user(request)
    if kind == GradeKind.DECISION and position in services.yet_to_grade(round_, user):
        messages.info(
            request,
            gettext("Answer %(n)d still needs grades. You can adjudicate it after it is fully graded.")
            % {"n": position},
        )
        return redirect("grading-adjudication", slug)
    if request.method != "POST":
        return _page(request, answer, kind)
    form = GradeForm(request.POST, choices=choices_in(round_))
    try:
        services.decide(
            round_=round_,
            answer=answer,
            kind=kind,
            by=user,
            ticked=form.ticked(answer.n_items),
            note=form.cleaned_data["note"],
            proposal=form.cleaned_data["proposal"],
        )
    except (NotGradedError, RoundClosedError) as error:
        return _page(request, answer, kind, filled=form.filled(), problem=str(error))
    messages.success(request, gettext("Answer %(n)d: saved.") % {"n": position})
    if kind == GradeKind.KNOWN:
        waiting = (answer for answer, is_known in services.calibration_answers(round_) if not is_known)
        if following := next(waiting, None):
            return redirect("grading-known", slug, following.position)
        return redirect("grading-calibration", slug)
    if difference := services.next_difference(round_, user):
        return redirect("grading-decision", slug, difference.answer.position)
    return redirect("grading-adjudication", slug)


def _page(
    request: HttpRequest, answer: GradedAnswer, kind: GradeKind, *, filled: Filled | None = None, problem: str = ""
) -> HttpResponse:
    """The page of an answer, filled with the last decision, or with the sent values if they could not be saved."""
    given = services.side_by_side(answer.round, answer) if kind == GradeKind.DECISION else []
    filled = filled or services.filled_for(answer, kind, [ticked for _, ticked in given])
    screen = screen_of_answer(answer.round, answer, user=signed_in_user(request), filled=filled)
    context = {
        "round": answer.round,
        "answer": answer,
        "screen": screen,
        "given": given,
        "rows": services.rows_of(screen.items, [ticked for _, ticked in given]),
        "kind": kind.value,
        "problem": problem,
        "history": answer.grades.filter(kind=kind).select_related("author").order_by("-version"),
    }
    return render(request, "humaneval/grading/decide.html", context, status=422 if problem else 200)
