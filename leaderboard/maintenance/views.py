"""The maintainers' console: its start page, the queues, importing with a diff, the audit log and re-scoring."""

import uuid

from django import forms
from django.contrib import messages
from django.db.models import Count, F
from django.db.models.functions import Coalesce
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from leaderboard import access
from leaderboard.access import signed_in_user
from leaderboard.maintenance import imports, needs, queues, rescoring
from leaderboard.operations import audit
from leaderboard.web.parameters import NUMBER, TEXT, reads
from scoring.benchmarks.base import SourceError
from scoring.declarations import known_benchmarks
from scoring.importing import drafts
from scoring.models import Revision, Split
from scoring.models.drafts import oldest
from scoring.registry import metric_named
from scoring.runs.judging import budget

GONE = "This draft no longer exists: it was activated, discarded, or is older than a day. Upload the files again."
NONE_STOPPED = "No stopped runs are left for this reason."


class ReadForm(forms.Form):
    """Errors up to a time that was shown, which a maintainer has read."""

    key = forms.CharField(max_length=20)
    until = forms.DateTimeField()


@require_safe
def index(request: HttpRequest) -> HttpResponse:
    """What needs attention, the splits, and links to all pages. Two queries in addition to those of `needs`."""
    access.require_maintainer(request.user)
    splits = Split.every.filter(part="", benchmark__in=known_benchmarks(drafts=True)).annotate(
        n_questions=Count("current_revision__questions", distinct=True),
        n_revisions=Count("revisions", distinct=True),
    )
    context = {
        "needs": needs.needs(),
        "spent_usd": budget.spent(budget.verdicts_of_this_month()),
        "splits": splits.select_related("benchmark", "current_revision", "subset_of").order_by(
            "benchmark__position", Coalesce("subset_of__position", "position"), F("subset_of").asc(nulls_first=True)
        ),
    }
    return render(request, "leaderboard/maintenance/overview.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def queues_page(request: HttpRequest) -> HttpResponse:
    """Queues, workers and stopped runs; retrying. Five queries in addition to those of every page."""
    access.require_maintainer(request.user)
    if request.method == "POST":
        if "key" in request.POST:
            form = ReadForm(request.POST)
            if form.is_valid():
                queues.mark_read(form.cleaned_data["key"], form.cleaned_data["until"], actor=signed_in_user(request))
                messages.success(request, "Marked as read.")
            return redirect("maintenance-queues")
        retried = queues.retry(request.POST.get("retry", ""), actor=signed_in_user(request))
        if retried:
            messages.success(request, f"{retried} {'run is' if retried == 1 else 'runs are'} queued again.")
        else:
            messages.info(request, NONE_STOPPED)
        return redirect("maintenance-queues")
    return render(request, "leaderboard/maintenance/queues.html", {"page": queues.queues_page()})


@require_http_methods(["GET", "HEAD", "POST"])
def import_split(request: HttpRequest, benchmark: str, split: str) -> HttpResponse:
    """Import of a split's questions and answers; the changes are shown before they take effect."""
    access.require_maintainer(request.user)
    split_row = _split(benchmark, split)
    posted = (request.POST, request.FILES) if request.method == "POST" else (None, None)
    form = imports.ImportForm(*posted, split=split_row, initial={"date": timezone.localdate().isoformat()})
    if form.is_valid():
        try:
            draft = imports.save_draft(form, actor=signed_in_user(request))
        except SourceError as error:
            form.add_error(None, imports.shown_problems(error))
        else:
            return redirect("maintenance-import-draft", benchmark, split, draft.pk)
    context = {
        "split": split_row,
        "form": form,
        "drafts": split_row.import_drafts.filter(created_at__gte=oldest()).defer("content_json"),
        "revisions": Revision.objects.filter(split=split_row).order_by("-created_at", "-pk")[:20],
    }
    return render(request, "leaderboard/maintenance/import.html", context, status=422 if form.errors else 200)


@require_http_methods(["GET", "HEAD", "POST"])
def import_draft(request: HttpRequest, benchmark: str, split: str, pk: uuid.UUID) -> HttpResponse:
    """A draft compared with the current revision, to be activated as shown, or deleted."""
    access.require_maintainer(request.user)
    split_row = _split(benchmark, split)
    problems: list[str] = []
    page = None
    try:
        page = imports.draft_page(split_row, pk)
    except SourceError as error:
        problems = imports.shown_problems(error)
    if page is None and not problems:
        messages.info(request, GONE)
        return redirect("maintenance-import", benchmark, split)
    if request.method != "POST":
        context = {"split": split_row, "page": page, "problems": problems}
        return render(request, "leaderboard/maintenance/import_draft.html", context)
    draft = drafts.find(split_row, pk)
    if draft is None:
        messages.info(request, GONE)
    elif request.POST.get("action") == "drop":
        draft.delete()
        messages.info(request, "Discarded the draft. Nothing has changed.")
    else:
        try:
            imported = imports.activate(draft, shown=request.POST.get("shown", ""), actor=signed_in_user(request))
        except (drafts.ChangedSinceError, SourceError) as error:
            messages.error(request, f"Nothing was imported. {error}")
            return redirect("maintenance-import-draft", benchmark, split, pk)
        messages.success(request, imports.summary(imported))
        for lost in imported.lost:
            messages.warning(request, str(lost))
    return redirect("maintenance-import", benchmark, split)


@require_safe
@reads({"action": TEXT, "actor": TEXT, "page": NUMBER})
def audit_log(request: HttpRequest) -> HttpResponse:
    """The audit log. At most seven queries in addition to those of every page."""
    access.require_maintainer(request.user)
    log = audit.audit_page(request.GET, with_links=request.user.has_perm("leaderboard.view_submission"))
    return render(request, "leaderboard/maintenance/audit.html", {"log": log})


@require_http_methods(["GET", "HEAD", "POST"])
def rescore(request: HttpRequest, benchmark: str, split: str) -> HttpResponse:
    """Re-scoring a split: missing runs with an estimate of their cost, old and new scores, and the switch."""
    access.require_maintainer(request.user)
    splits = Split.with_drafts.select_related("benchmark", "current_revision").exclude(current_revision=None)
    rescored = splits.filter(benchmark__slug=benchmark, slug=split).first()
    if rescored is None:
        raise Http404("This split does not exist, or it has no questions.")
    here = redirect("maintenance-rescore", benchmark, split)
    try:
        metrics = rescoring.known_metrics(rescored, (request.POST or request.GET).getlist("metric"))
    except rescoring.UnknownMetricError as error:
        messages.error(request, str(error))
        return here
    # Of the chosen metrics, or of all if none is chosen.
    if request.POST.get("action") == "runs":
        made = rescoring.make_missing_runs(rescored, actor=signed_in_user(request), metrics=metrics)
        n = sum(made.values())
        messages.success(request, f"{n} run{'s' if n != 1 else ''} created." if n else "No runs were missing.")
    elif request.POST.get("action") == "switch":
        force = request.POST.get("force") == "on"
        try:
            switched = rescoring.switch(
                rescored, actor=signed_in_user(request), metrics=metrics, even_if_incomplete=force
            )
        except rescoring.SwitchError as error:
            messages.error(request, f"No signature was switched. {error}")
        else:
            shown = "; ".join(metric_named(metric).label for metric in switched)
            messages.success(request, f"The boards now show: {shown}." if switched else "No signature to switch.")
    if request.method == "POST":
        return here
    changes = rescoring.changes(rescored)
    context = {
        "split": rescored,
        "plans": rescoring.plan(rescored),
        "estimates": rescoring.estimate(rescored, metrics=metrics) if "estimate" in request.GET else None,
        "metrics": metrics,
        "changes": [change for change in changes if change.is_seen],
        "n_unchanged": sum(not change.is_seen for change in changes),
        "summaries": rescoring.rank_summaries(changes),
    }
    return render(request, "leaderboard/maintenance/rescore.html", context)


def _split(benchmark: str, split: str) -> Split:
    splits = Split.every.filter(part="").select_related("benchmark", "current_revision", "subset_of")
    named = splits.filter(benchmark__slug=benchmark, slug=split).first()
    if named is None:
        raise Http404("This split does not exist.")
    return named
