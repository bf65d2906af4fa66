"""The outcome of a round: agreement, judge validation, corrected scores, human upper bound, and its export."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from humaneval.grading import access
from humaneval.grading.criteria import is_by_criteria
from humaneval.grading.current_grades import count_named
from humaneval.grading.outcome import export, methods, upper_bounds
from humaneval.grading.outcome.agreement import agreement_of
from humaneval.grading.outcome.graded_answers import judged_sets_of
from humaneval.grading.outcome.judge_validation import (
    corrected_name,
    corrected_scores,
    judge_validations_of,
    publish_corrections,
)
from humaneval.grading.outcome.rating_matrices import grade_arrays
from humaneval.models import Grader, Selection, Study
from humaneval.results import human_row
from humaneval.results import methods as study_methods
from humaneval.results.list_pairs import list_pairs_of
from leaderboard.access import signed_in_user
from leaderboard.operations import audit
from leaderboard.web.http import attachment, post_action
from scoring.registry import task_type_of
from scoring.statistics import FEWEST_GRADES


@never_cache
@require_safe
def outcome(request: HttpRequest, slug: str) -> HttpResponse:
    """A round's outcome, for its maintainer; sources of answers only if they may see them."""
    round_ = access.round_for_maintainer(request.user, slug)
    user = signed_in_user(request)
    grader = Grader.objects.filter(round=round_, user=user, removed_at=None).first()
    with_sources = access.may_see_sources(round_, grader)
    agreement = agreement_of(grade_arrays(round_))
    context: dict[str, Any] = {
        "round": round_,
        "grader": grader,
        "agreement": agreement,
        "by_criteria": is_by_criteria(round_),
        "corrected_name": corrected_name(round_),
        "methods": study_methods.as_file(methods.methods_of(round_, agreement)),
        "with_sources": with_sources,
        "n_named": count_named(round_),
        "fewest": FEWEST_GRADES,
        "of_lists": task_type_of(round_.revision.split.benchmark.slug).splits_texts,
        "is_sample": round_.selection != Selection.DISAGREEMENTS,
    }
    if with_sources:
        studies = Study.objects.filter(participants__assignments__gradings__graded_answer__round=round_).distinct()
        context["list_pairs"] = list_pairs_of(studies.select_related("split__benchmark"))
        judged_sets = judged_sets_of(round_)
        context["validations"] = judge_validations_of(round_, judged_sets)
        context["corrected"] = corrected_scores(round_, judged_sets)
        context["bounds"] = upper_bounds.upper_bounds_of(round_)
    return render(request, "humaneval/grading/outcome.html", context)


@require_safe
def methods_file(request: HttpRequest, slug: str, extension: str) -> HttpResponse:
    """The methods paragraph of a round, as text or LaTeX."""
    round_ = access.round_for_maintainer(request.user, slug)
    if extension not in study_methods.FORMATS:
        raise Http404("The paragraph is there as txt and tex.")
    content = study_methods.as_file(methods.methods_of(round_, agreement_of(grade_arrays(round_))), extension)
    return attachment(content, study_methods.FORMATS[extension], f"methods-{round_.slug}.{extension}")


@require_POST
def publish_corrected(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the corrected scores on leaderboards."""
    round_ = access.round_for_maintainer(request.user, slug)
    if round_.closed_at is None:
        messages.error(request, upper_bounds.ROUND_OPEN)
    else:
        n_scores = publish_corrections(round_, by=signed_in_user(request))
        scores = "score is" if n_scores == 1 else "scores are"
        messages.success(request, f"{n_scores} corrected {scores} shown next to the judge’s on the leaderboards.")
    return redirect("grading-outcome", slug)


@require_POST
def publish_bound(request: HttpRequest, slug: str) -> HttpResponse:
    """Publish the human performance graded by hand on the leaderboard, for one study of the round."""
    round_ = access.round_for_maintainer(request.user, slug)
    said = {"slug": request.POST.get("study", ""), "authors": request.POST.get("authors", "")}
    return post_action(
        request,
        lambda: upper_bounds.publish_upper_bound(round_, by=signed_in_user(request), **said),
        done=lambda entry: f"{entry.system.name} is on the leaderboard.",
        refused=human_row.HumanRowError,
        then=redirect("grading-outcome", slug),
    )


@require_safe
def download(request: HttpRequest, slug: str, extension: str) -> HttpResponse:
    """The export of a round. Not for a maintainer who grades in it, until it is closed: the file names systems."""
    round_ = access.round_for_maintainer(request.user, slug)
    user = signed_in_user(request)
    grader = round_.graders.filter(user=user, removed_at=None).first()
    if extension not in export.FORMATS or not access.may_see_sources(round_, grader):
        raise Http404("This file does not exist, or is not available until the round closes.")
    content = export.as_file(round_, extension, right=access.right_of(user, round_))
    audit.record(user, "grading.exported", f"grading round {round_.slug}", extension)
    name = f"{round_.slug}-{timezone.now():%Y-%m-%d}.{extension}"
    return attachment(content, export.FORMATS[extension], name)
