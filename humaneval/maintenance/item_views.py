"""Maintainers' pages of studies in which people check answers against passages: items, outcome, checks by the team."""

from pathlib import Path
from typing import Final

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.core.files.uploadedfile import TemporaryUploadedFile
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from humaneval.grading.access import right_to_make_items
from humaneval.maintenance.study_views import frame
from humaneval.models import ItemOrigin, Kind, Study
from humaneval.results.item_checks import save_checks
from humaneval.results.item_votes import outcome_of
from humaneval.studies import access
from humaneval.studies.forms import ItemsForm
from humaneval.studies.items import ItemsError, load_items
from humaneval.studies.services import has_begun
from leaderboard.access import signed_in_user

CHECKS_PER_PAGE: Final = 50
MISTAKES_SHOWN: Final = 200
ONLY_READ: Final = "The votes are scored without further action."


@require_http_methods(["GET", "HEAD", "POST"])
def items(request: HttpRequest, slug: str) -> HttpResponse:
    """The number of items, and a form that loads them from a file; every mistake comes back with status 422."""
    study = _study(request, slug)
    form = ItemsForm(request.POST, request.FILES) if request.method == "POST" else ItemsForm()
    mistakes = _loaded(request, study, form) if request.method == "POST" else []
    if request.method == "POST" and not mistakes and not form.errors:
        return redirect("manage-study-items", slug)
    context = {
        **frame(study, "manage-study-items"),
        "form": form,
        "mistakes": mistakes[:MISTAKES_SHOWN],
        "n_mistakes": len(mistakes),
        "begun": has_begun(study),
        "n_items": study.items.count(),
        "n_qualification": study.items.filter(is_qualification=True).count(),
        "n_injected": study.items.filter(origin=ItemOrigin.INJECTED).count(),
    }
    status = 422 if request.method == "POST" else 200
    return render(request, "humaneval/maintenance/items.html", context, status=status)


def _loaded(request: HttpRequest, study: Study, form: ItemsForm) -> list[str]:
    """Load the sent file; return every mistake."""
    if not form.is_valid():
        return [str(text) for texts in form.errors.values() for text in texts]
    file = form.cleaned_data["items"]
    assert isinstance(file, TemporaryUploadedFile)  # noqa: S101 - the site's upload handler
    user = signed_in_user(request)
    try:
        right = right_to_make_items(user, study)
        n = load_items(study, Path(file.temporary_file_path()), right=right, by=user)
    except PermissionDenied as error:
        return [str(error)]
    except ItemsError as error:
        return error.problems
    messages.success(request, f"{n:,} items loaded.")
    return []


def scores_of_items(request: HttpRequest, study: Study) -> HttpResponse:
    """The outcome of the votes and of the checks by the team; on a hidden split for maintainers only."""
    if request.method == "POST":
        messages.info(request, ONLY_READ)
        return redirect("manage-study-results", study.slug)
    with_scores = access.may_see_grades(request.user, study)
    context = {
        **frame(study, "manage-study-results"),
        "with_scores": with_scores,
        "outcome": outcome_of(study) if with_scores else None,
    }
    return render(request, "humaneval/maintenance/item_scores.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def checks(request: HttpRequest, slug: str) -> HttpResponse:
    """The items that the team checks; POST saves the verdicts that were chosen."""
    study = _study(request, slug)
    rows = outcome_of(study).to_check
    if request.method == "POST":
        n = save_checks(study, rows, request.POST, by=signed_in_user(request))
        messages.success(request, f"{n} verdict{'' if n == 1 else 's'} saved.")
        return redirect("manage-study-checks", slug)
    waiting = [row for row in rows if row.checked is None]
    shown = [row for row in rows if row.checked is not None] if "done" in request.GET else waiting
    context = {
        **frame(study, "manage-study-checks"),
        "rows": shown[:CHECKS_PER_PAGE],
        "n_shown": len(shown),
        "n_waiting": len(waiting),
        "n_done": len(rows) - len(waiting),
        "done": "done" in request.GET,
    }
    return render(request, "humaneval/maintenance/item_checks.html", context)


def _study(request: HttpRequest, slug: str) -> Study:
    study = access.study_for(request.user, slug)
    if study.kind != Kind.ITEMS:
        raise Http404("This study has no items.")
    return study
