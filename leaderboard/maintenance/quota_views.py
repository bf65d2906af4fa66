"""Quotas of teams and persons, and exceptions from them: for maintainers."""

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from leaderboard import access
from leaderboard.access import signed_in_user
from leaderboard.models import QuotaException
from leaderboard.submissions import quotas
from scoring.declarations import known_benchmarks
from scoring.models import Benchmark


class QuotaForm(forms.Form):
    """An exception from the quota for a team or a person."""

    benchmark = forms.ModelChoiceField(queryset=Benchmark.objects.all(), to_field_name="slug", empty_label=None)
    kind = forms.ChoiceField(
        label="For", choices=[("team", "A team"), ("user", "A person")], widget=forms.RadioSelect, initial="team"
    )
    name = forms.CharField(
        label="Name",
        max_length=150,
        help_text="A team's name in URLs, or a person's username.",
    )
    per_week = forms.IntegerField(
        label="Submissions per seven days",
        min_value=0,
        max_value=1_000_000,
        required=False,
        help_text="Leave empty for no limit.",
    )
    more_files = forms.IntegerField(
        label="Additional files for hidden splits",
        min_value=0,
        max_value=1_000_000,
        required=False,
        help_text="Added to each limit of a hidden split: files in a day, in 30 days and in total.",
    )
    note = forms.CharField(max_length=400, required=False, help_text="Reason, for other maintainers.")


@require_http_methods(["GET", "HEAD", "POST"])
def console(request: HttpRequest) -> HttpResponse:
    """Uploads scored in the last seven days, by team and person; POST creates an exception for a team or a person."""
    access.require_maintainer(request.user)
    form = QuotaForm(request.POST if request.method == "POST" else None)
    if form.is_bound and form.is_valid():
        given = form.cleaned_data
        try:
            made = quotas.make_exception(
                given["benchmark"],
                actor=signed_in_user(request),
                per_week=given["per_week"],
                more_files=given["more_files"] or 0,
                note=given["note"],
                **{given["kind"]: given["name"]},
            )
        except quotas.NobodyError as error:
            form.add_error("name", str(error))
        else:
            messages.success(request, f"{made}.")
            return redirect("maintenance-quotas")
    by_benchmark = [
        {"benchmark": benchmark, "limit": quotas.limit_of_all(benchmark), "quotas": quotas.of_everybody(benchmark)}
        for benchmark in known_benchmarks(drafts=True)
    ]
    page = {"form": form, "quotas": by_benchmark, "unknown": quotas.unknown_benchmarks()}
    return render(request, "leaderboard/maintenance/quotas.html", page, status=422 if form.is_bound else 200)


@require_POST
def end(request: HttpRequest, pk: int) -> HttpResponse:
    """End a team's or person's exception, so that the general quota applies again."""
    access.require_maintainer(request.user)
    exception = get_object_or_404(QuotaException, pk=pk)
    quotas.end_exception(exception, actor=signed_in_user(request))
    party = exception.team or exception.user
    messages.success(request, f"{party}: the default quota of {exception.benchmark} applies again.")
    return redirect("maintenance-quotas")
