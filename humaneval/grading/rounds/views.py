"""Pages of rounds: the list, a new round, its overview, guidelines, graders, and closing it."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from humaneval.grading import access, queries
from humaneval.grading.criteria import is_by_criteria
from humaneval.grading.desk.services import work_of
from humaneval.grading.errors import RoundClosedError, RoundError
from humaneval.grading.guidelines import EXAMPLES, guidelines_for
from humaneval.grading.rounds import services, sources
from humaneval.grading.rounds.forms import AddGradersForm, ExtendForm, RoundForm
from humaneval.models import Selection
from humaneval.studies.mask_preview import MOST_ANSWERS, preview_of
from leaderboard.access import signed_in_user
from scoring.registry import task_type_of


@require_safe
def rounds(request: HttpRequest) -> HttpResponse:
    """The rounds that the visitor grades in; for maintainers, all rounds."""
    user = access.require_anybody(request.user)
    can_maintain = access.can_maintain_rounds(user)
    splits = list(queries.gradable_splits()) if can_maintain else []
    context = {
        "rounds": queries.rounds_of(user, can_maintain=can_maintain),
        "can_maintain": can_maintain,
        "splits": splits,
    }
    return render(request, "humaneval/grading/rounds.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def new(request: HttpRequest, benchmark: str, split: str) -> HttpResponse:
    """Make a round of answers to a split."""
    user = access.require_round_maintainer(request.user)
    gradable = queries.gradable_splits().filter(benchmark__slug=benchmark, slug=split).first()
    if gradable is None or gradable.current_revision is None:
        raise Http404("There is no such split, or it has no reference answers that people grade by.")
    options: dict[str, Any] = {
        "systems": sources.gradable_files(gradable),
        "studies": sources.gradable_studies(gradable),
        "by_criteria": task_type_of(gradable.benchmark.slug).by_criteria,
    }
    action = request.POST.get("action")
    plan = made = None
    if action == "search":
        form = RoundForm.as_typed(request.POST, **options)
    else:
        form = RoundForm(
            request.POST if request.method == "POST" else None,
            initial={"guidelines": guidelines_for(gradable)},
            **options,
        )
    if request.method == "POST" and form.is_valid():
        said = form.cleaned_data
        files, studies = list(said.get("systems") or []), list(said.get("studies") or [])
        wanted = {name: said[name] for name in ("n_answers", "n_calibration", "n_graders")}
        round_ = form.round(user, gradable.current_revision)
        try:
            if action == "plan":
                chosen, n_graders = services.preview(round_, files=files, studies=studies, **wanted)
                plan = {"round": round_, "chosen": chosen, "n_graders": n_graders}
            else:
                made = services.make_round(round_, graders=said["graders"], files=files, studies=studies, **wanted)
        except RoundError as error:
            form.add_error(None, str(error))
        if made is not None:
            messages.success(request, "Round created. Give graders the URL of this page.")
            # In numbers: a maintainer who grades in the round must not learn which sources its answers are from.
            n_chosen, n_empty = len(files) + len(studies), len(files) + len(studies) - queries.count_sources(made)
            if n_empty:
                messages.warning(request, f"The round contains no answers of {n_empty} of your {n_chosen} sources.")
            return redirect("grading-round", made.slug)
    nothing = "systems" not in form.fields and "studies" not in form.fields
    context = {"form": form, "split": gradable, "nothing": nothing, "plan": plan}
    return render(request, "humaneval/grading/new.html", context, status=422 if form.errors else 200)


@require_http_methods(["GET", "HEAD", "POST"])
def extend(request: HttpRequest, slug: str) -> HttpResponse:
    """Add answers and graders to a round. A maintainer who grades in it adds only answers of its own sources: of others
    the positions would tell which answers are theirs."""
    round_ = access.round_for_maintainer(request.user, slug)
    user = signed_in_user(request)
    grader = round_.graders.filter(user=user, removed_at=None).first()
    files, studies = sources.gradable_files(round_.revision.split), sources.gradable_studies(round_.revision.split)
    if not access.may_see_sources(round_, grader):
        files, studies = files.none(), studies.none()
    options: dict[str, Any] = {"round_": round_, "systems": files, "studies": studies}
    initial = {"n_before": services.last_position(round_), "answers_per_grader": round_.answers_per_grader}
    if request.POST.get("action") == "search":
        form = ExtendForm.as_typed(request.POST, **options)
    else:
        form = ExtendForm(request.POST if request.method == "POST" else None, initial=initial, **options)
    if request.method == "POST" and form.is_valid():
        said = form.cleaned_data
        try:
            n_added = services.extend_round(
                round_,
                by=user,
                n_before=said["n_before"],
                n_answers=said.get("n_answers"),
                files=list(said.get("systems") or []),
                studies=list(said.get("studies") or []),
                # Checked with no number, it draws nothing.
                from_round=said.get("from_round", False)
                and (round_.selection == Selection.ALL or bool(said["n_answers"])),
                mask_names=said.get("mask_names", False),
                graders=said["graders"],
                answers_per_grader=said.get("answers_per_grader"),
            )
        except RoundError as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, f"Round extended. Answers added: {n_added:,}.")
            return redirect("grading-round", slug)
    context = {"round": round_, "grader": grader, "form": form}
    return render(request, "humaneval/grading/extend.html", context, status=422 if form.errors else 200)


@require_safe
def overview(request: HttpRequest, slug: str) -> HttpResponse:
    """A round: for a grader their progress, for its maintainer the overview."""
    round_, grader = access.round_for_member(request.user, slug)
    user = signed_in_user(request)
    can_maintain = access.can_maintain_rounds(user)
    context: dict[str, Any] = {"round": round_, "grader": grader, "can_maintain": can_maintain}
    if grader is not None:
        context["work"] = work_of(grader)
    if can_maintain:
        shown = access.may_see_sources(round_, grader)
        context["overview"] = queries.overview_of(round_, with_sources=shown)
        context["form"] = AddGradersForm()
        context["address"] = request.build_absolute_uri()
    return render(request, "humaneval/grading/round.html", context)


@require_safe
def guidelines(request: HttpRequest, slug: str) -> HttpResponse:
    """How to grade, with examples."""
    round_, grader = access.round_for_member(request.user, slug)
    can_maintain = access.can_maintain_rounds(request.user)
    examples = () if is_by_criteria(round_) else EXAMPLES
    context = {"round": round_, "grader": grader, "can_maintain": can_maintain, "examples": examples}
    return render(request, "humaneval/grading/guidelines.html", context)


@require_safe
def masks(request: HttpRequest, slug: str) -> HttpResponse:
    """What is masked in the answers of a round, each place in context; for a maintainer who may see the sources."""
    round_ = access.round_for_maintainer(request.user, slug)
    grader = round_.graders.filter(user=signed_in_user(request), removed_at=None).first()
    if not access.may_see_sources(round_, grader):
        raise Http404("What is masked names systems, so you can see it only after the round closes.")
    texts = round_.answers.order_by("position").values_list("text", flat=True)
    preview = preview_of(texts.iterator(), round_.masks)
    context = {"round": round_, "grader": grader, "preview": preview, "most": MOST_ANSWERS}
    return render(request, "humaneval/grading/masks.html", context)


@require_POST
def change_graders(request: HttpRequest, slug: str) -> HttpResponse:
    """Add graders to a round, or remove one."""
    round_ = access.round_for_maintainer(request.user, slug)
    user = signed_in_user(request)
    if "remove" in request.POST:
        number = request.POST["remove"]
        grader = round_.graders.filter(number=int(number)).first() if number.isdecimal() and len(number) < 7 else None
        if grader is None:
            raise Http404("There is no such grader.")
        services.remove_grader(grader, by=user)
        messages.success(request, f"{grader.code} was removed. Existing grades remain.")
        return redirect("grading-round", slug)
    form = AddGradersForm(request.POST)
    if not form.is_valid():
        messages.error(request, " ".join(str(error) for errors in form.errors.values() for error in errors))
        return redirect("grading-round", slug)
    try:
        added = [services.add_grader(round_, account, by=user) for account in form.cleaned_data["graders"]]
    except RoundClosedError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, f"Graders added: {', '.join(grader.code for grader in added)}.")
    return redirect("grading-round", slug)


@require_POST
def close(request: HttpRequest, slug: str) -> HttpResponse:
    """Close a round."""
    round_ = access.round_for_maintainer(request.user, slug)
    if request.POST.get("confirm") != "on":
        messages.error(request, "The round was not closed. Tick the box to confirm.")
    elif services.close_round(round_, by=signed_in_user(request)):
        messages.success(request, "Round closed.")
    else:
        messages.info(request, "This round was already closed.")
    return redirect("grading-round", slug)
