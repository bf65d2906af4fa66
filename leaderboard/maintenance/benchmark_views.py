"""Importing a benchmark on a page: the archive of its folder is checked, its effect shown, and imported as shown."""

import uuid
from typing import Final
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from leaderboard import access
from leaderboard.access import signed_in_user
from leaderboard.board.table import board_url
from leaderboard.maintenance import benchmark_imports, benchmark_phases
from leaderboard.maintenance.views import GONE
from scoring.benchmarks import definition_of
from scoring.benchmarks.base import SourceError
from scoring.declarations import known_benchmarks, unreadable_benchmarks
from scoring.importing import folder_drafts
from scoring.importing.drafts import ChangedSinceError
from scoring.models import Benchmark, Split, SplitPhase
from scoring.task_types import installed

DRAFTS: Final = (
    "New splits are drafts: maintainers and the accounts that you invite see them. Publish them when they are ready."
)


@require_http_methods(["GET", "HEAD", "POST"])
def benchmarks(request: HttpRequest) -> HttpResponse:
    """The benchmarks of the site, and the upload of one. Two queries in addition to those of every page."""
    access.require_maintainer(request.user)
    posted = (request.POST, request.FILES) if request.method == "POST" else (None, None)
    form = benchmark_imports.FolderForm(*posted, actor=signed_in_user(request))
    if form.is_valid() and form.draft is not None:
        return redirect("maintenance-benchmark-draft", form.draft.pk)
    known = known_benchmarks(drafts=True).select_related("folder").defer("folder__content")
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
    if Split.with_drafts.filter(benchmark=done.benchmark, phase=SplitPhase.DRAFT).exists():
        messages.info(request, DRAFTS)
        return redirect("maintenance-benchmark-phases", definition.slug)
    return redirect(board_url(definition.slug, definition.default_split, definition.default_setting))


@require_http_methods(["GET", "HEAD", "POST"])
def phases(request: HttpRequest, slug: str) -> HttpResponse:
    """The splits of a benchmark: published, archived or removed here, each in one step, but that a removal is shown
    before, and done as shown; and the accounts that see its drafts."""
    access.require_maintainer(request.user)
    benchmark = get_object_or_404(known_benchmarks(drafts=True), slug=slug)
    chosen = request.POST.get("split", "") if request.method == "POST" else request.GET.get("remove")
    try:
        if request.method == "POST":
            for line in _change(request, benchmark, chosen or ""):
                messages.success(request, line)
            exists = Benchmark.objects.filter(pk=benchmark.pk).exists()
            return redirect("maintenance-benchmark-phases", slug) if exists else redirect("maintenance-benchmarks")
        removal = (
            benchmark_phases.removal_of(benchmark_phases.splits_of(benchmark, chosen)) if chosen is not None else None
        )
    except benchmark_phases.ChangedRemovalError as error:
        messages.error(request, str(error))
        preview = urlencode({"remove": chosen})
        return redirect(f"{reverse('maintenance-benchmark-phases', args=[slug])}?{preview}")
    except benchmark_phases.PhaseError as error:
        messages.error(request, str(error))
        return redirect("maintenance-benchmark-phases", slug)
    splits = benchmark_phases.splits_of(benchmark)
    context = {
        "benchmark": benchmark,
        "splits": splits,
        "all_published": all(split.phase == SplitPhase.OPEN for split in splits),
        "setting": definition_of(slug).default_setting,
        "readers": benchmark.draft_readers.select_related("user"),
        "removal": removal,
        "chosen": chosen,
    }
    return render(request, "leaderboard/maintenance/benchmark_phases.html", context)


def _change(request: HttpRequest, benchmark: Benchmark, split: str) -> list[str]:
    """Do what was asked for; what was done, a line each."""
    actor, action, name = (
        signed_in_user(request),
        request.POST.get("action", ""),
        request.POST.get("username", "").replace("\0", "").strip(),  # PostgreSQL compares no NUL
    )
    if action == "invite":
        benchmark_phases.invite(benchmark, name, actor=actor)
        return [f"{name} sees the drafts of {benchmark} and may submit to them."]
    if action == "uninvite":
        benchmark_phases.uninvite(benchmark, name, actor=actor)
        return [f"{name} sees the drafts of {benchmark} no more."]
    splits = benchmark_phases.splits_of(benchmark, split)
    if action == "publish":
        return benchmark_phases.publish(splits, actor=actor)
    if action == "archive":
        return benchmark_phases.archive(splits, actor=actor)
    if action in ("approve-pass-at", "withhold-pass-at"):
        approved = action == "approve-pass-at"
        return benchmark_phases.approve_pass_at(splits, approved=approved, actor=actor)
    if action == "remove":
        removal = benchmark_phases.remove(splits, actor=actor, shown=request.POST.get("shown", ""))
        return [f"Removed: {' and '.join(removal.names)}{' and the benchmark' if removal.whole else ''}."]
    return []
