"""Pages with a form for files: submit, fill in metadata, check, replace a file.

An upload goes from here through its form and `intake` to `storage`. An invalid form is returned with every problem and
status 422. The script `upload.js` sends these forms and shows what is returned in the same page, which keeps the chosen
files; without it, files are chosen again.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Any, Final

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from leaderboard import access
from leaderboard.access import is_slug, signed_in_user
from leaderboard.disclosure import answers_needed
from leaderboard.models import Submission, SubmissionFile, Team
from leaderboard.publishing.errors import SubmissionError
from leaderboard.submissions import intake, quotas, storage
from leaderboard.submissions.forms import (
    FilesForm,
    PageReplacementForm,
    PageSubmissionForm,
    can_be_scored,
    open_benchmarks,
    open_settings,
    open_splits,
)
from leaderboard.submissions.intake import FileReport
from leaderboard.submissions.json_documents import Problem
from leaderboard.submissions.metadata_json import parse_metadata
from leaderboard.web import idempotency
from leaderboard.web.parameters import TEXT, name_ignored, reads
from leaderboard.web.rate_limits import address_of, caller_of, counts_processor_time, require_room
from scoring.benchmarks import definition_of
from scoring.models import Benchmark, Split

OF_FILES: Final = ("split", "confirm_missing", "confirm_noticed", "confirm_same")
"""The fields that say something about the files of a form."""
SENT: Final = (
    "This form was submitted before with other content. Its submission is under My submissions. Send the form again to "
    "make a second one."
)
MAX_STATEMENT: Final = 100_000
"""The maximum number of characters of pasted metadata that are read; real metadata is much shorter."""


@dataclass(frozen=True)
class UploadTarget:
    """The benchmark that an upload form is for, with the splits that accept files."""

    benchmark: Benchmark
    benchmarks: list[Benchmark]
    splits: list[Split]
    initial: dict[str, Any]
    teams: list[Team]
    """The visitor's teams."""

    @property
    def choices(self) -> dict[str, Any]:
        return {"splits": self.splits, "submission_settings": open_settings(self.benchmark)}

    def form(self, /, *args: Any, **initial: Any) -> PageSubmissionForm:
        """The submission form, filled with the data and files of a request, or with initial values."""
        return PageSubmissionForm(*args, initial=self.initial | initial, teams=self.teams, **self.choices)

    @property
    def context(self) -> dict[str, Any]:
        return {
            "benchmark": self.benchmark,
            "benchmarks": self.benchmarks,
            "limits": {
                "upload_mb": settings.UPLOAD_LIMIT_MB,
                "answer_length": definition_of(self.benchmark.slug).form.limits.answer_length,
                "answers_needed": answers_needed() if any(split.hidden for split in self.splits) else "",
            },
            "answer_format": definition_of(self.benchmark.slug).answer_format(),
            "takes_statements": definition_of(self.benchmark.slug).importer.official is not None,
        }


OF_FORMS: Final = dict.fromkeys(("benchmark", "split", "team"), TEXT)
"""The parameters of the URLs of forms with an `UploadTarget`."""


def with_target(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Pass a view the target of its form: the benchmark in the URL, or the first. A page says so if it does not
    accept submissions."""

    @wraps(view)
    def wrapped(request: HttpRequest, **kwargs: Any) -> HttpResponse:
        benchmarks = list(open_benchmarks(request.user))
        wanted = request.GET.get("benchmark", "")
        # The database is not asked for what cannot be a slug: PostgreSQL refuses some characters.
        known = access.benchmarks_visible_to(request.user).filter(slug=wanted).first() if is_slug(wanted) else None
        named = [row for row in benchmarks if known is None or row == known]
        if not named:
            of_benchmark = f" of {known.name}" if known is not None else ""
            text = f"This site has no questions{of_benchmark} that accept submissions now."
            others = [(row.name, f"{request.path}?benchmark={row.slug}") for row in benchmarks]
            page = {"title": "No questions yet", "text": text, "actions": others}
            return render(request, "leaderboard/web/message.html", page, status=404)
        benchmark = named[0]
        splits = open_splits(benchmark, request.user)
        preset = [split for split in splits if can_be_scored(split)] or splits
        asked = request.GET.get("split", "")
        initial = {"split": asked if asked in {split.slug for split in splits} else preset[-1].slug}
        name_ignored(request, benchmark=benchmark.slug, split=initial["split"])
        teams = list(access.teams_of(request.user)) if request.user.is_authenticated else []
        return view(request, UploadTarget(benchmark, benchmarks, splits, initial, teams), **kwargs)

    return wrapped


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
@counts_processor_time()
@reads(OF_FORMS)
@with_target
def submit(request: HttpRequest, target: UploadTarget) -> HttpResponse:
    """The submission form. ``team`` in the URL preselects a team. Changing the benchmark keeps what was typed, but for
    what belongs to the files."""
    if request.method != "POST" or "change" in request.POST:
        typed = {name: value for name, value in request.POST.items() if name not in OF_FILES}
        return _submit_page(request, target, target.form(**{"team": request.GET.get("team", ""), **typed}))
    form = target.form(request.POST, request.FILES)
    user = signed_in_user(request)
    upload = intake.check(form.read(), user)
    key = str(form.cleaned_data.get("idempotency_key") or "")
    content = idempotency.content_of(request.POST, request.FILES)
    try:
        if not form.errors:
            return _stored(request, storage.create(upload, user, key=key, content=content)[0])
        # A form that was stored before has errors now: its own file counts as sent before, or the split has closed.
        first = idempotency.first_of(owner=user, key=key, content=content) if key else None
        if first is not None:
            return _stored(request, first)
    except SubmissionError as error:
        form.add_error(None, str(error))
    except idempotency.KeyReusedError:
        form.add_error(None, SENT)
        form.draw_key()
    return _submit_page(request, target, form, status=422, file_reports=upload.reports)


@login_required
@require_POST
@reads(OF_FORMS)
@with_target
def fill(request: HttpRequest, target: UploadTarget) -> HttpResponse:
    """The form with its fields filled from the valid fields of the pasted metadata."""
    fields = {name: str(value) for name, value in request.POST.items()}
    statement = fields.pop("statement", "")
    layout = definition_of(target.benchmark.slug).importer.official
    filled: dict[str, str] = {}
    if layout is None or len(statement) > MAX_STATEMENT:
        what = "no metadata that this benchmark knows" if layout is None else f"{len(statement):,} characters"
        problems = [Problem("The metadata", what, f"at most {MAX_STATEMENT:,} characters of JSON")]
    else:
        filled, problems = parse_metadata(statement, layout)
    form = target.form(**fields | filled)
    labels = ", ".join(str(form[name].label).lower() for name in filled)
    return _submit_page(
        request,
        target,
        form,
        status=422 if problems else 200,
        statement=statement[:MAX_STATEMENT],
        statement_problems=problems,
        statement_filled=labels
        and f"Filled in from your metadata: {labels}. Check the fields, then choose your files.",
    )


def _submit_page(
    request: HttpRequest, target: UploadTarget, form: PageSubmissionForm, *, status: int = 200, **more: Any
) -> HttpResponse:
    """The page of the submission form."""
    page = {
        **target.context,
        "has_teams": bool(target.teams),
        "quotas": quotas.overview(signed_in_user(request), target.benchmark, target.teams),
        "form": form,
        "file_fields": form.file_fields(),
        **more,
    }
    return render(request, "leaderboard/submissions/submit.html", page, status=status)


def _stored(request: HttpRequest, submission: Submission) -> HttpResponse:
    """A redirect to the submission's page; for a script, which could not see where a redirect leads, its address."""
    if request.headers.get("X-Requested-With") == "fetch":
        return HttpResponse(status=201, headers={"Location": submission.get_absolute_url()})
    return redirect(submission)


@require_http_methods(["GET", "HEAD", "POST"])
@counts_processor_time(address_of)
@reads(OF_FORMS)
@with_target
def check(request: HttpRequest, target: UploadTarget) -> HttpResponse:
    """Validate files like a submission's, without storing anything: for anybody, at the rate limit of the API."""
    if request.method != "POST":
        form = FilesForm(initial=target.initial, **target.choices)
        page = {**target.context, "form": form, "file_fields": form.file_fields()}
        return render(request, "leaderboard/submissions/check.html", page)
    require_room(f"validate:{caller_of(request)}", settings.API_RATES["validate"])
    form = FilesForm(request.POST, request.FILES, **target.choices)
    checked = intake.check(form.read())
    page = {
        **target.context,
        "form": form,
        "file_fields": form.file_fields(),
        "file_reports": checked.reports,
        "usable": not form.errors,
    }
    return render(request, "leaderboard/submissions/check.html", page, status=422 if form.errors else 200)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
@counts_processor_time()
def replace(request: HttpRequest, pk: uuid.UUID, setting: str) -> HttpResponse:
    user = signed_in_user(request)
    sent = access.own_submission(user, pk)
    file = access.submission_file_for(user, pk, setting)
    if request.method != "POST":
        if not sent.withdrawn_at:
            form = PageReplacementForm(split=sent.split, setting=file.setting, facts=sent.run_facts)
            return _replace_page(request, sent, file, form)
        messages.error(request, storage.WITHDRAWN)
        return redirect(sent)
    form = PageReplacementForm(request.POST, request.FILES, split=sent.split, setting=file.setting)
    upload = intake.check(form.read(), user, sent)
    if not form.errors:
        try:
            storage.replace_files(sent, files=upload.files, actor=user, run_facts=upload.run_facts)
        except SubmissionError as error:
            form.add_error(None, str(error))
    if form.errors:
        return _replace_page(request, sent, file, form, upload.reports)
    messages.success(request, "Received. The earlier version and its scores are listed below.")
    return _stored(request, sent)


def _replace_page(
    request: HttpRequest,
    sent: Submission,
    file: SubmissionFile,
    form: PageReplacementForm,
    reports: Sequence[FileReport] = (),
) -> HttpResponse:
    page = {
        "form": form,
        "file_fields": form.file_fields(),
        "submission": sent,
        "file": file,
        "file_reports": reports,
        "on_board": sent.entries.filter(answer_set=file.answer_set_id, replaced_at=None).exists(),
        "quotas": quotas.active_limits(signed_in_user(request), sent.split, sent.team),
        "limits": {"upload_mb": settings.UPLOAD_LIMIT_MB},
    }
    return render(request, "leaderboard/submissions/replace.html", page, status=422 if form.is_bound else 200)
