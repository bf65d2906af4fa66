"""Importing a benchmark on a page: the archive of its folder is checked, its effect shown, and imported as shown."""

import uuid

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from leaderboard import access
from leaderboard.access import signed_in_user
from leaderboard.board.table import board_url
from leaderboard.maintenance import benchmark_imports
from leaderboard.maintenance.views import GONE
from scoring.benchmarks import definition_of
from scoring.benchmarks.base import SourceError
from scoring.declarations import known_benchmarks, unreadable_benchmarks
from scoring.importing import folder_drafts
from scoring.importing.drafts import ChangedSinceError
from scoring.task_types import installed


@require_http_methods(["GET", "HEAD", "POST"])
def benchmarks(request: HttpRequest) -> HttpResponse:
    """The benchmarks of the site, and the upload of one. Two queries in addition to those of every page."""
    access.require_maintainer(request.user)
    posted = (request.POST, request.FILES) if request.method == "POST" else (None, None)
    form = benchmark_imports.FolderForm(*posted, actor=signed_in_user(request))
    if form.is_valid() and form.draft is not None:
        return redirect("maintenance-benchmark-draft", form.draft.pk)
    known = known_benchmarks().select_related("folder").defer("folder__content")
    context = {
        "form": form,
        "benchmarks": known,
        "unreadable": unreadable_benchmarks(),
        "packages": installed().problems,
    }
    return render(request, "leaderboard/maintenance/benchmarks.html", context, status=422 if form.errors else 200)


@require_http_methods(["GET", "HEAD", "POST"])
def benchmark_draft(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    """The effect of an uploaded benchmark, to be imported as shown, or deleted. One query beside every page's."""
    access.require_maintainer(request.user)
    draft = folder_drafts.find(pk)
    if draft is None:
        messages.info(request, GONE)
        return redirect("maintenance-benchmarks")
    if request.method != "POST":
        context = {"draft": draft, "preview": draft.preview, "shown": folder_drafts.fingerprint(draft)}
        return render(request, "leaderboard/maintenance/benchmark_draft.html", context)
    if request.POST.get("action") == "drop":
        draft.delete()
        messages.info(request, "Discarded the draft. Nothing has changed.")
        return redirect("maintenance-benchmarks")
    try:
        done = benchmark_imports.activate(draft, shown=request.POST.get("shown", ""), actor=signed_in_user(request))
    except (ChangedSinceError, SourceError) as error:
        messages.error(request, f"Nothing was imported. {error}")
        return redirect("maintenance-benchmark-draft", draft.pk)
    definition = definition_of(done.benchmark.slug)
    messages.success(request, f"{definition.name} {definition.form.version} is imported.")
    for warning in draft.preview["warnings"]:
        messages.warning(request, warning)
    return redirect(board_url(definition.slug, definition.default_split, definition.default_setting))
