"""Maintainers' pages of what people check, compare or rate in a study: items, pairs, checks by the team."""

from pathlib import Path
from typing import Final

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.core.files.uploadedfile import TemporaryUploadedFile
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from humaneval.grading.access import right_to_make_items
from humaneval.maintenance.study_views import frame
from humaneval.models import ItemOrigin, Kind, Study
from humaneval.results.item_votes import outcome_of, save_checks
from humaneval.studies import access
from humaneval.studies.forms import PairsForm
from humaneval.studies.items import ItemsError
from humaneval.studies.kinds import KINDS
from humaneval.studies.mask_preview import MOST_ANSWERS, preview_of
from humaneval.studies.pairs import comparable_entries, make_pairs, originals_of
from humaneval.studies.queries import has_begun
from humaneval.studies.ratings import questions_of
from leaderboard.access import signed_in_user
from leaderboard.web.parameters import TEXT, reads

CHECKS_PER_PAGE: Final = 50
MISTAKES_SHOWN: Final = 200
NO_PAGE: Final = "This study has no such page."


@require_http_methods(["GET", "HEAD", "POST"])
def items(request: HttpRequest, slug: str) -> HttpResponse:
    """The number of items, and a form that loads them from a file; every mistake comes back with status 422."""
    study = access.study_for(request.user, slug)
    kind = KINDS[study.kind]
    form_class = kind.form
    if form_class is None:
        raise Http404(NO_PAGE)
    form = form_class(request.POST, request.FILES) if request.method == "POST" else form_class()
    mistakes = _loaded(request, study, form) if request.method == "POST" else []
    if request.method == "POST" and not mistakes and not form.errors:
        return redirect("manage-study-items", slug)
    context = {
        **frame(study, "manage-study-items"),
        "kind": kind,
        "form": form,
        "mistakes": mistakes[:MISTAKES_SHOWN],
        "n_mistakes": len(mistakes),
        "begun": has_begun(study),
        "n_items": study.items.count(),
        "n_groups": study.items.values("group").distinct().count(),
        "questions": questions_of(study),
        "n_qualification": study.items.filter(is_qualification=True).count(),
        "n_injected": study.items.filter(origin=ItemOrigin.INJECTED).count(),
    }
    status = 422 if request.method == "POST" else 200
    return render(request, "humaneval/maintenance/items.html", context, status=status)


def _loaded(request: HttpRequest, study: Study, form: forms.Form) -> list[str]:
    """Load what was sent; return every mistake."""
    if not form.is_valid():
        return [str(text) for texts in form.errors.values() for text in texts]
    file, user = form.cleaned_data["items"], signed_in_user(request)
    assert file is None or isinstance(file, TemporaryUploadedFile)  # noqa: S101 - the site's upload handler
    path = Path(file.temporary_file_path()) if file is not None else None
    declaration = form.cleaned_data.get("declaration")
    try:
        n = KINDS[study.kind].load(
            study,
            path,
            declaration.read() if declaration else None,
            right=lambda: right_to_make_items(user, study),
            by=user,
        )
    except PermissionDenied as error:
        return [str(error)]
    except ItemsError as error:
        return error.problems
    messages.success(request, f"{n:,} items loaded.")
    return []


@require_http_methods(["GET", "HEAD", "POST"])
def pairs(request: HttpRequest, slug: str) -> HttpResponse:
    """The number of pairs, and a form that makes them of chosen systems; an invalid one comes back with status 422."""
    study = access.study_for(request.user, slug)
    if study.kind != Kind.PAIRS:
        raise Http404(NO_PAGE)
    entries = comparable_entries(study, signed_in_user(request))
    initial = {"masks": study.masks}
    form = PairsForm(request.POST if request.method == "POST" else None, entries=entries, initial=initial)
    if form.is_valid():
        said = form.cleaned_data
        own = {"masks": said["masks"], "good": said["good"], "by": signed_in_user(request)}
        try:
            n = make_pairs(study, list(said["systems"]), said["n_questions"], **own)
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
        "n_good": study.items.filter(origin=ItemOrigin.INJECTED, supported=True).count(),
        "n_injected": study.items.filter(origin=ItemOrigin.INJECTED).count(),
    }
    return render(request, "humaneval/maintenance/pairs.html", context, status=422 if form.is_bound else 200)


@require_safe
def masks(request: HttpRequest, slug: str) -> HttpResponse:
    """What is masked in the answers of the pairs, each place in context; names of systems are on it."""
    study = access.study_for(request.user, slug)
    if study.kind != Kind.PAIRS:
        raise Http404(NO_PAGE)
    texts, words = originals_of(study)
    context = {
        **frame(study, "manage-study-pairs"),
        "preview": preview_of(texts, words),
        "words": words,
        "most": MOST_ANSWERS,
        "begun": has_begun(study),
    }
    return render(request, "humaneval/maintenance/masks.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@reads({"done": TEXT})
def checks(request: HttpRequest, slug: str) -> HttpResponse:
    """The items that the team checks; POST saves the verdicts that were chosen."""
    study = access.study_for(request.user, slug)
    if study.kind != Kind.ITEMS:
        raise Http404(NO_PAGE)
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
