"""The grading console: rounds, the grader's desk, calibration, adjudication, corrections, files."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from humaneval.grading import access, queries
from humaneval.grading.desk import adjudication as desk_adjudication
from humaneval.grading.desk import page as desk_page
from humaneval.grading.desk import services as desk
from humaneval.grading.desk.page import Filled
from humaneval.grading.forms import AddGradersForm, CorrectionForm, GradeForm, RoundForm
from humaneval.grading.guidelines import EXAMPLES, GUIDELINES
from humaneval.grading.outcome import export, reference_corrections
from humaneval.grading.rounds import services as rounds_services
from humaneval.grading.rounds import sources
from humaneval.models import CorrectionState, GradedAnswer, GradeKind, Grader, GradingRound, Selection
from leaderboard.models import User
from leaderboard.operations import audit
from leaderboard.web.http import signed_in_user
from scoring.benchmarks.base import SourceError
from scoring.models import Split

# --- Rounds --------------------------------------------------------------------------------------------------------


@require_safe
def rounds(request: HttpRequest) -> HttpResponse:
    """The rounds that somebody grades in; to maintainers all."""
    user = access.require_anybody(request.user)
    keeps = access.keeps_rounds(user)
    context = {"rows": queries.rounds_of(user, keeps=keeps), "keeps": keeps, "splits": _splits() if keeps else []}
    return render(request, "humaneval/grading_rounds.html", context)


def _splits() -> list[Split]:
    return list(Split.objects.filter(current_revision__has_references=True).select_related("benchmark"))


@require_http_methods(["GET", "HEAD", "POST"])
def new(request: HttpRequest, benchmark: str, split: str) -> HttpResponse:
    """Make a round of answers to a split."""
    user = access.require_keeper(request.user)
    found = (
        Split.objects.select_related("benchmark", "current_revision")
        .filter(benchmark__slug=benchmark, slug=split, current_revision__has_references=True)
        .first()
    )
    if found is None:
        raise Http404("There is no such split, or it has no reference answers.")
    form = RoundForm(
        request.POST or None,
        systems=sources.gradable_files(found),
        studies=sources.gradable_studies(found),
        initial={"guidelines": GUIDELINES},
    )
    if request.method == "POST" and form.is_valid():
        try:
            made = _make(user, found, form.cleaned_data)
        except rounds_services.RoundError as error:
            form.add_error(None, str(error))
        else:
            _say_what_was_drawn(request, made, form.cleaned_data)
            return redirect("grading-round", made.slug)
    status = 422 if request.method == "POST" else 200
    nothing = "systems" not in form.fields and "studies" not in form.fields
    context = {"form": form, "split": found, "nothing": nothing}
    return render(request, "humaneval/grading_new.html", context, status=status)


def _make(user: User, split: Split, said: dict[str, Any]) -> GradingRound:
    files = list(said.get("systems") or [])
    lines = rounds_services.mask_lines(said["masks"])
    return rounds_services.make_round(
        owner=user,
        name=said["name"],
        split=split,
        graders=said["graders"],
        files=files,
        studies=list(said.get("studies") or []),
        selection=Selection(said["selection"]),
        n_answers=said["n_answers"],
        n_calibration=said["n_calibration"],
        graders_per_answer=said["graders_per_answer"],
        shared_share=said["shared_percent"] / 100,
        calibration_share=said["calibration_percent"] / 100,
        shows_matches=said["shows_matches"],
        masks=[*(rounds_services.masks_for(files) if said["mask_names"] else []), *lines],
        guidelines=said["guidelines"],
        seed=said["seed"],
    )


def _say_what_was_drawn(request: HttpRequest, made: GradingRound, said: dict[str, Any]) -> None:
    """What the new round took of each source, or, to who grades in it, whether it took nothing of one."""
    drawn = queries.drawn_from(made, said.get("systems") or [], said.get("studies") or [])
    named = [(f"“{one.name}” ({one.setting.lower()})", one.n_answers) for one in drawn]
    done = "The round is made. Its graders find it at the address of this page."
    empty = [name for name, n_answers in named if not n_answers]
    if not made.graders.filter(user=signed_in_user(request)).exists():
        done += f" To be graded: {', '.join(f'{n_answers:,} of {name}' for name, n_answers in named if n_answers)}."
    elif empty:
        empty = [f"{len(empty)} of the {len(named)} that you chose; you grade in it, so you are not told of which"]
    messages.success(request, done)
    if empty:
        messages.warning(request, f"The round took no answer of {', '.join(empty)}.")


@require_safe
def round_(request: HttpRequest, slug: str) -> HttpResponse:
    """A round: to who grades in it where they stand, to its maintainer everything."""
    found, grader = access.round_for_anybody_in_it(request.user, slug)
    user = signed_in_user(request)
    keeps = access.keeps_rounds(user)
    context: dict[str, Any] = {"round": found, "grader": grader, "keeps": keeps}
    if grader is not None:
        context["work"] = desk.work_of(grader)
    if keeps:
        shown = access.may_see_sources(found, grader)
        context["overview"] = queries.overview_of(found, grader=grader, with_sources=shown)
        context["form"] = AddGradersForm()
        context["address"] = request.build_absolute_uri()
    return render(request, "humaneval/grading_round.html", context)


@require_safe
def guidelines(request: HttpRequest, slug: str) -> HttpResponse:
    """How to grade, with examples."""
    found, grader = access.round_for_anybody_in_it(request.user, slug)
    keeps = access.keeps_rounds(request.user)
    context = {"round": found, "grader": grader, "keeps": keeps, "examples": EXAMPLES}
    return render(request, "humaneval/grading_guidelines.html", context)


@require_POST
def change_graders(request: HttpRequest, slug: str) -> HttpResponse:
    """Add graders to a round, or remove one."""
    found = access.round_for_keeper(request.user, slug)
    user = signed_in_user(request)
    if "remove" in request.POST:
        number = request.POST["remove"]
        grader = found.graders.filter(number=int(number)).first() if number.isdecimal() and len(number) < 7 else None
        if grader is None:
            raise Http404("There is no such grader.")
        rounds_services.remove_grader(grader, by=user)
        messages.success(request, f"{grader.code} grades no more. Grades given so far are kept.")
        return redirect("grading-round", slug)
    form = AddGradersForm(request.POST)
    if not form.is_valid():
        messages.error(request, " ".join(str(error) for errors in form.errors.values() for error in errors))
        return redirect("grading-round", slug)
    try:
        added = [rounds_services.add_grader(found, one, by=user) for one in form.cleaned_data["graders"]]
    except rounds_services.RoundClosedError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, f"Added: {', '.join(grader.code for grader in added)}.")
    return redirect("grading-round", slug)


@require_POST
def close(request: HttpRequest, slug: str) -> HttpResponse:
    """Close a round."""
    found = access.round_for_keeper(request.user, slug)
    if request.POST.get("confirm") != "on":
        messages.error(request, "Nothing was closed: tick that you mean it.")
    elif rounds_services.close_round(found, by=signed_in_user(request)):
        messages.success(request, "The round is closed.")
    else:
        messages.info(request, "The round was closed before.")
    return redirect("grading-round", slug)


# --- The desk ------------------------------------------------------------------------------------------------------


@require_http_methods(["GET", "HEAD", "POST"])
def at_desk(request: HttpRequest, slug: str) -> HttpResponse:
    """What a grader has on the screen; grading it, going on, and taking back.

    A page without JavaScript is sent on to itself. The script asks with ``X-Desk`` and gets what the grader now holds.
    """
    grader = access.grader_for(request.user, slug)
    if request.method != "POST":
        return _desk(request, grader)
    action: Callable[[HttpRequest, Grader], HttpResponse] = {"undo": _undo, "save": _save}.get(
        request.POST.get("action", ""), _start
    )
    try:
        return action(request, grader)
    except rounds_services.RoundClosedError as error:
        return _problem(request, grader, str(error), status=409)


def _start(request: HttpRequest, grader: Grader) -> HttpResponse:
    desk.hold(grader)
    return _go_on(request, grader)


def _save(request: HttpRequest, grader: Grader) -> HttpResponse:
    form = GradeForm(request.POST)
    form.full_clean()
    said = form.cleaned_data  # without what is not valid
    position = said.get("answer")
    found = desk.slot_at(grader, position) if position else None
    if found is None:
        return _problem(request, grader, "Your claim on this answer ran out. It is left to another grader.", status=409)
    slot, n_items = found
    try:
        desk.save_grade(
            grader=grader,
            slot=slot,
            ticked=form.ticked(n_items),
            note=said["note"],
            proposal=said["proposal"],
            seconds=said.get("seconds"),
        )
    except desk.NotGradedError as error:
        return _problem(request, grader, str(error), status=422, filled={slot: form.filled()})
    except desk.ClaimLostError as error:
        return _problem(request, grader, str(error), status=409)
    desk.hold(grader)
    return _go_on(request, grader)


def _undo(request: HttpRequest, grader: Grader) -> HttpResponse:
    if desk.take_back(grader) is None:
        return _problem(request, grader, "There is no grade to take back.", status=409)
    return _go_on(request, grader)


def _go_on(request: HttpRequest, grader: Grader) -> HttpResponse:
    if "X-Desk" in request.headers:
        return _desk(request, grader)
    return redirect("grading-desk", grader.round.slug)


def _problem(
    request: HttpRequest, grader: Grader, problem: str, *, status: int, filled: dict[int, Filled] | None = None
) -> HttpResponse:
    return _desk(request, grader, problem=problem, status=status, filled=filled)


def _desk(
    request: HttpRequest,
    grader: Grader,
    *,
    problem: str = "",
    status: int = 200,
    filled: dict[int, Filled] | None = None,
) -> HttpResponse:
    """The whole page, or to the script the part that changes: what the grader holds, and how far they are."""
    closed = grader.round.closed_at is not None
    held = [] if closed else desk.held_by(grader)
    if filled:  # what could not be kept stands first, as it was sent
        held.sort(key=lambda slot: slot.pk not in filled)
    context = {
        "round": grader.round,
        "grader": grader,
        "work": desk.work_of(grader),
        "screens": desk_page.screens_of_slots(
            grader.round, held[: desk.AHEAD], user=signed_in_user(request), filled=filled
        ),
        "problem": problem,
    }
    name = "_grading_held" if "X-Desk" in request.headers else "grading_desk"
    return render(request, f"humaneval/{name}.html", context, status=status)


# --- Known grades and decisions ------------------------------------------------------------------------------------


@require_safe
def calibration(request: HttpRequest, slug: str) -> HttpResponse:
    """The answers whose grade is known, or is to be given."""
    found = access.round_for_keeper(request.user, slug)
    context = {"round": found, "answers": queries.calibration_answers(found)}
    return render(request, "humaneval/grading_calibration.html", context)


@require_safe
def adjudication(request: HttpRequest, slug: str) -> HttpResponse:
    """The answers about which graders differ."""
    found = access.round_for_keeper(request.user, slug)
    blind = desk_adjudication.yet_to_grade(found, signed_in_user(request))
    context = {"round": found, "differences": desk_adjudication.differences(found, but=blind)}
    return render(request, "humaneval/grading_adjudication.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def known_grade(request: HttpRequest, slug: str, position: int) -> HttpResponse:
    """Give the known grade of a calibration answer."""
    return _decide(request, slug, position, GradeKind.KNOWN)


@require_http_methods(["GET", "HEAD", "POST"])
def decision(request: HttpRequest, slug: str, position: int) -> HttpResponse:
    """Decide between grades that differ; they stand side by side."""
    return _decide(request, slug, position, GradeKind.DECISION)


def _decide(request: HttpRequest, slug: str, position: int, kind: GradeKind) -> HttpResponse:
    found = access.round_for_keeper(request.user, slug)
    answer = access.answer_for_keeper(found, position, calibration=kind == GradeKind.KNOWN)
    user = signed_in_user(request)
    if kind == GradeKind.DECISION and position in desk_adjudication.yet_to_grade(found, user):
        messages.info(request, f"Answer {position} is still to be graded, perhaps by you. Decide when that is done.")
        return redirect("grading-adjudication", slug)
    given = desk_adjudication.side_by_side(found, answer) if kind == GradeKind.DECISION else []
    filled, problem = desk_adjudication.filled_for(answer, kind, given), ""
    if request.method == "POST":
        form = GradeForm(request.POST)
        filled = form.filled()
        try:
            desk_adjudication.decide(
                round_=found,
                answer=answer,
                kind=kind,
                by=user,
                ticked=form.ticked(answer.n_items),
                note=form.cleaned_data["note"],
                proposal=form.cleaned_data["proposal"],
            )
        except (desk.NotGradedError, rounds_services.RoundClosedError) as error:
            problem = str(error)
        else:
            return _after_deciding(request, found, answer, kind)
    screen = desk_page.screen_of_answer(found, answer, user=user, filled=filled)
    context = {
        "round": found,
        "answer": answer,
        "screen": screen,
        "given": given,
        "rows": [(item.text, [view.ticked.ticks[item.number] for view in given]) for item in screen.items],
        "kind": kind.value,
        "problem": problem,
        "history": desk_adjudication.history(answer, kind),
    }
    return render(request, "humaneval/grading_decide.html", context, status=422 if problem else 200)


def _after_deciding(request: HttpRequest, found: GradingRound, answer: GradedAnswer, kind: GradeKind) -> HttpResponse:
    messages.success(request, f"Answer {answer.position}: kept.")
    if kind == GradeKind.KNOWN:
        waiting = [one for one, is_known in queries.calibration_answers(found) if not is_known]
        return (
            redirect("grading-known", found.slug, waiting[0].position)
            if waiting
            else redirect("grading-calibration", found.slug)
        )
    blind = desk_adjudication.yet_to_grade(found, signed_in_user(request))
    open_ones = [one for one in desk_adjudication.differences(found, but=blind) if not one.decided]
    if open_ones:
        return redirect("grading-decision", found.slug, open_ones[0].position)
    return redirect("grading-adjudication", found.slug)


# --- Corrections and files -----------------------------------------------------------------------------------------


@require_http_methods(["GET", "HEAD", "POST"])
def proposed_corrections(request: HttpRequest, slug: str) -> HttpResponse:
    """The reference answers that graders marked as wrong, and what is decided about each."""
    found = access.round_for_keeper(request.user, slug)
    user = signed_in_user(request)
    form, failed = None, ""
    if request.method == "POST":
        failed = request.POST.get("question", "")
        about = next((one for one in reference_corrections.corrections_of(found) if one.question.qid == failed), None)
        if about is None:
            raise Http404("Nobody marked the reference of that question as wrong.")
        form = CorrectionForm(request.POST)
        if form.is_valid():
            reference_corrections.decide_correction(
                round_=found,
                question=about.question,
                state=CorrectionState(form.cleaned_data["state"]),
                answer_json=form.cleaned_data["answer"],
                note=form.cleaned_data["note"],
                by=user,
            )
            messages.success(request, f"Question {failed}: kept. No reference answer was changed.")
            return redirect("grading-corrections", slug)
    views = reference_corrections.views_of(found, right=access.right_of(user, found))
    context = {"round": found, "views": views, "form": form, "failed": failed}
    return render(request, "humaneval/grading_corrections.html", context, status=422 if form is not None else 200)


@require_POST
def prepare_revision(request: HttpRequest, slug: str) -> HttpResponse:
    """Put the accepted corrections into a draft of the split's next revision, and show what it would change."""
    found = access.round_for_keeper(request.user, slug)
    try:
        draft = reference_corrections.prepare_revision(found, by=signed_in_user(request))
    except SourceError as error:
        messages.error(request, " ".join(error.problems))
        return redirect("grading-corrections", slug)
    split = found.revision.split
    return redirect("maintenance-import-draft", split.benchmark.slug, split.slug, draft.pk)


@require_safe
def corrections_file(request: HttpRequest, slug: str) -> HttpResponse:
    """The corrections as a JSON file."""
    found = access.round_for_keeper(request.user, slug)
    right = access.right_of(signed_in_user(request), found)
    content = reference_corrections.as_json(found, right=right)
    return _file(content, "application/json", f"{found.slug}-corrections.json")


@require_safe
def download(request: HttpRequest, slug: str, extension: str) -> HttpResponse:
    """Everything of a round as a file. Not for a maintainer who grades in it, until it is closed: it names systems."""
    found = access.round_for_keeper(request.user, slug)
    user = signed_in_user(request)
    grader = found.graders.filter(user=user, removed_at=None).first()
    if extension not in export.FORMATS or not access.may_see_sources(found, grader):
        raise Http404("There is no such file, or not yet.")
    content = export.as_file(found, extension, right=access.right_of(user, found))
    audit.record(user, "grading.exported", f"grading round {found.slug}", extension)
    name = f"{found.slug}-{timezone.now():%Y-%m-%d}.{extension}"
    return _file(content, export.FORMATS[extension], name)


def _file(content: bytes, content_type: str, name: str) -> HttpResponse:
    response = HttpResponse(content, content_type=content_type)
    response["Content-Disposition"] = content_disposition_header(True, name) or ""
    return response
