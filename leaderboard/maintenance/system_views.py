"""Pages on which maintainers merge and split systems."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from leaderboard import access
from leaderboard.access import signed_in_user
from leaderboard.maintenance import fact_tables, system_merges
from leaderboard.models import System
from leaderboard.publishing import merges
from leaderboard.publishing.errors import SubmissionError
from leaderboard.web.http import post_action
from leaderboard.web.parameters import TEXT, reads


@require_http_methods(["GET", "HEAD", "POST"])
@reads({"system": TEXT, "into": TEXT})
def systems(request: HttpRequest) -> HttpResponse:
    """Merged systems, and the preview of a merge (``system``, ``into``: slugs); POST merges."""
    access.require_maintainer(request.user)
    if request.method == "POST":
        slug, into = request.POST.get("system", ""), request.POST.get("into", "")
        try:
            target = merges.merge(slug, into, by=signed_in_user(request))
        except merges.MergeError as error:  # the page again, with the choice
            page = system_merges.merge_page(slug, into) | {"problem": str(error)}
            return render(request, "leaderboard/maintenance/systems.html", {"page": page}, status=422)
        text = f"The systems were merged: boards show them as {target.name}. Split undoes this."
        messages.success(request, text)
        return redirect("maintenance-systems")
    page = system_merges.merge_page(request.GET.get("system", ""), request.GET.get("into", ""))
    return render(request, "leaderboard/maintenance/systems.html", {"page": page})


@require_http_methods(["GET", "HEAD", "POST"])
def suggestions(request: HttpRequest) -> HttpResponse:
    """The previews of all suggested merges; POST merges the chosen ones (``pair``: two slugs), all or none."""
    access.require_maintainer(request.user)
    problem = ""
    if request.method == "POST":
        pairs = [(slug, into) for slug, _, into in (pair.partition(" ") for pair in request.POST.getlist("pair"))]
        try:
            n_merged = system_merges.merge_all(pairs, by=signed_in_user(request))
        except merges.MergeError as error:
            problem = str(error)
        else:
            messages.success(request, f"{n_merged} system{'s' * (n_merged != 1)} merged. Split undoes a merge.")
            return redirect("maintenance-systems")
    context = {"suggestions": system_merges.suggested_previews(), "problem": problem}
    template = "leaderboard/maintenance/suggestions.html"
    return render(request, template, context, status=422 if problem else 200)


@require_POST
def split(request: HttpRequest, pk: int) -> HttpResponse:
    access.require_maintainer(request.user)
    system = get_object_or_404(System, pk=pk)
    return post_action(
        request,
        lambda: system_merges.split(system.pk, by=signed_in_user(request)),
        done=lambda separate: f"{separate.name} is a system of its own again.",
        refused=merges.MergeError,
        then=redirect("maintenance-systems"),
    )


@require_http_methods(["GET", "HEAD", "POST"])
def facts(request: HttpRequest) -> HttpResponse:
    """Facts of many systems from a table: its preview with every mistake by line (422), then the changes."""
    access.require_maintainer(request.user)
    template = "leaderboard/maintenance/facts.html"
    if request.method != "POST":
        return render(request, template, {})
    text, seen, problem = request.POST.get("table", ""), request.POST.get("seen", ""), ""
    upload = request.FILES.get("file")
    if upload is not None:
        text = upload.read(4 * fact_tables.MOST_CHARACTERS + 1).decode("utf-8", "replace")
    if seen:
        try:
            n_changed = fact_tables.apply_table(text, seen=seen, actor=signed_in_user(request))
        except SubmissionError as error:
            problem = str(error)
        else:
            messages.success(request, f"Facts of {n_changed} system{'s' * (n_changed != 1)} changed.")
            return redirect("maintenance-facts")
    table = fact_tables.read_table(text)
    context = {"table": table, "text": text[: fact_tables.MOST_CHARACTERS], "problem": problem}
    return render(request, template, context, status=422 if table.mistakes or problem else 200)
