"""The grading page: show the current answer, save a grade and go on, reopen the last grade."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods

from humaneval.grading import access
from humaneval.grading.criteria import choices_in, is_by_criteria
from humaneval.grading.desk import services as desk
from humaneval.grading.desk.page import Filled, GradeForm, screens_of_slots
from humaneval.grading.errors import RoundClosedError
from humaneval.models import Grader
from leaderboard.access import signed_in_user


@require_http_methods(["GET", "HEAD", "POST"])
def at_desk(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the current answer, save a grade and go on, keep what is decided so far, or reopen the last grade.

    A page without JavaScript is redirected to itself. The script sends ``X-Desk`` and gets the answers that the grader
    now holds.
    """
    grader = access.grader_for(request.user, slug)
    if request.method != "POST":
        return _desk(request, grader)
    action = request.POST.get("action")
    try:
        if action == "undo":
            if desk.take_back(grader) is None:
                return _desk(request, grader, problem=gettext("There is no grade to undo."), status=409)
        else:
            if action in ("save", "keep"):
                form = GradeForm(request.POST, choices=choices_in(grader.round))
                form.full_clean()
                said = form.cleaned_data  # without invalid fields
                slot_and_items = desk.slot_at(grader, said["answer"]) if said.get("answer") else None
                if slot_and_items is None:
                    return _desk(request, grader, problem=gettext(desk.CLAIM_EXPIRED), status=409)
                slot, n_items = slot_and_items
                try:
                    if action == "keep":
                        desk.keep_draft(grader, slot, form.as_draft())
                        return _kept(request, grader)
                    desk.save_grade(
                        grader=grader,
                        slot=slot,
                        ticked=form.ticked(n_items),
                        note=said["note"],
                        proposal=said["proposal"],
                        seconds=said.get("seconds"),
                        named=said["named"],
                    )
                except desk.NotGradedError as error:
                    return _desk(request, grader, problem=str(error), status=422, filled={slot: form.filled()})
            desk.hold(grader)
    except (RoundClosedError, desk.ClaimLostError) as error:
        return _desk(request, grader, problem=str(error), status=409)
    if "X-Desk" in request.headers:
        return _desk(request, grader)
    return redirect("grading-desk", grader.round.slug)


def _kept(request: HttpRequest, grader: Grader) -> HttpResponse:
    if "X-Desk" in request.headers:
        return HttpResponse(status=204)
    messages.success(
        request, gettext("What you have decided so far is saved. You can close this page and go on later.")
    )
    return redirect("grading-desk", grader.round.slug)


def _desk(
    request: HttpRequest,
    grader: Grader,
    *,
    problem: str = "",
    status: int = 200,
    filled: dict[int, Filled] | None = None,
) -> HttpResponse:
    """The whole page, or for the script the part that changes: the grader's held answers and progress."""
    closed = grader.round.closed_at is not None
    held = [] if closed else desk.held_by(grader)
    if filled:  # a form that could not be saved comes first, as it was sent
        held.sort(key=lambda slot: slot.pk not in filled)
    context = {
        "round": grader.round,
        "grader": grader,
        "work": desk.work_of(grader),
        "screens": screens_of_slots(grader.round, held[: desk.AHEAD], user=signed_in_user(request), filled=filled),
        "by_criteria": is_by_criteria(grader.round),
        "problem": problem,
    }
    name = "_held" if "X-Desk" in request.headers else "desk"
    return render(request, f"humaneval/grading/{name}.html", context, status=status)
