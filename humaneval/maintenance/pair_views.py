"""Maintainers' pages of studies in which people compare answers side by side."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from humaneval.maintenance.study_views import frame
from humaneval.models import ItemOrigin, Kind, Study
from humaneval.studies import access
from humaneval.studies.forms import PairsForm
from humaneval.studies.items import ItemsError
from humaneval.studies.pairs import comparable_entries, make_pairs
from humaneval.studies.queries import has_begun
from leaderboard.access import signed_in_user


@require_http_methods(["GET", "HEAD", "POST"])
def pairs(request: HttpRequest, slug: str) -> HttpResponse:
    """The number of pairs, and a form that makes them of chosen systems; an invalid one comes back with status 422."""
    study = _study(request, slug)
    entries = comparable_entries(study, signed_in_user(request))
    form = PairsForm(request.POST if request.method == "POST" else None, entries=entries)
    if form.is_valid():
        chosen = list(form.cleaned_data["systems"])
        try:
            n = make_pairs(study, chosen, form.cleaned_data["n_questions"], by=signed_in_user(request))
        except ItemsError as error:
            form.add_error(None, list(error.problems))
        else:
            messages.success(request, f"{n:,} pairs made.")
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


def _study(request: HttpRequest, slug: str) -> Study:
    study = access.study_for(request.user, slug)
    if study.kind != Kind.PAIRS:
        raise Http404("This study has no pairs.")
    return study
