"""Maintainers' pages of studies in which people compare answers side by side: the pairs, and the outcome."""

from typing import Final

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from humaneval.maintenance.study_views import frame
from humaneval.models import ItemOrigin, Kind, Study
from humaneval.results.pair_outcome import pair_outcome_of
from humaneval.studies import access
from humaneval.studies.forms import PairsForm
from humaneval.studies.items import ItemsError
from humaneval.studies.pairs import comparable_entries, make_pairs
from humaneval.studies.services import has_begun
from leaderboard.access import signed_in_user

ONLY_READ: Final = "The outcome is computed from the choices without further action."


@require_http_methods(["GET", "HEAD", "POST"])
def pairs(request: HttpRequest, slug: str) -> HttpResponse:
    """The number of pairs, and a form that makes them of chosen systems; an invalid one comes back with status 422."""
    study = access.study_for(request.user, slug)
    if study.kind != Kind.PAIRS:
        raise Http404("This study has no pairs.")
    entries = comparable_entries(study, signed_in_user(request))
    form = PairsForm(request.POST if request.method == "POST" else None, entries=entries)
    if request.method == "POST" and _made(request, study, form):
        return redirect("manage-study-pairs", slug)
    items = study.items.exclude(origin=ItemOrigin.INJECTED)
    context = {
        **frame(study, "manage-study-pairs"),
        "form": form,
        "begun": has_begun(study),
        "n_offered": entries.count(),
        "n_pairs": items.count(),
        "n_questions": items.values("question").distinct().count(),
        "n_injected": study.items.filter(origin=ItemOrigin.INJECTED).count(),
    }
    return render(request, "humaneval/maintenance/pairs.html", context, status=422 if form.is_bound else 200)


def _made(request: HttpRequest, study: Study, form: PairsForm) -> bool:
    """Make the pairs, unless the form has errors; it has the reason then."""
    if not form.is_valid():
        return False
    chosen, user = list(form.cleaned_data["systems"]), signed_in_user(request)
    try:
        n = make_pairs(study, chosen, form.cleaned_data["n_questions"], by=user)
    except ItemsError as error:
        form.add_error(None, list(error.problems))
        return False
    messages.success(request, f"{n:,} pairs made.")
    return True


def scores_of_pairs(request: HttpRequest, study: Study) -> HttpResponse:
    """The outcome of the choices, beside the judge's; on a hidden split for maintainers only."""
    if request.method == "POST":
        messages.info(request, ONLY_READ)
        return redirect("manage-study-results", study.slug)
    with_scores = access.may_see_grades(request.user, study)
    context = {
        **frame(study, "manage-study-results"),
        "with_scores": with_scores,
        "outcome": pair_outcome_of(study) if with_scores else None,
    }
    return render(request, "humaneval/maintenance/pair_scores.html", context)
