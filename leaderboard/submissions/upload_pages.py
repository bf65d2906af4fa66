"""What pages with a form for files share: the benchmark that the form is for, and the saved files of a draft.

Enters: a request. Leaves: the form's page; or, without a problem, a stored submission. An upload goes from here through
`forms` and `intake` to `validation` and `storage`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any, cast

from django.conf import settings
from django.core.exceptions import NON_FIELD_ERRORS
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils.datastructures import MultiValueDict

from leaderboard import access
from leaderboard.access import signed_in_user
from leaderboard.disclosure import answers_needed
from leaderboard.models import Team, UploadDraft
from leaderboard.submissions import drafts, quotas
from leaderboard.submissions.forms import (
    FilesForm,
    PageSubmissionForm,
    Upload,
    can_be_scored,
    open_benchmarks,
    open_settings,
    open_splits,
)
from leaderboard.submissions.validation import KEY_REUSED
from leaderboard.submissions.validation import submit as submit_form
from leaderboard.web import idempotency
from scoring.benchmarks import definition_of, definitions
from scoring.models import Benchmark, Split
from scoring.registry import task_type_of


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
        """What a form is made with."""
        return {"splits": self.splits, "submission_settings": open_settings(self.benchmark)}

    def form(self, /, *args: Any, **initial: Any) -> PageSubmissionForm:
        """The submission form, filled with the data and files of a request, or with initial values."""
        return PageSubmissionForm(*args, initial=self.initial | initial, teams=self.teams, **self.choices)

    @property
    def context(self) -> dict[str, Any]:
        """What the pages show of it."""
        return {
            "benchmark": self.benchmark,
            "benchmarks": self.benchmarks,
            "limits": {
                "upload_mb": settings.UPLOAD_LIMIT_MB,
                "answer_length": definition_of(self.benchmark.slug).answer_length,
                "answers_needed": answers_needed() if any(split.hidden for split in self.splits) else "",
            },
            "answer_format": task_type_of(self.benchmark.slug).answer_format(None),
            "takes_statements": definition_of(self.benchmark.slug).official is not None,
        }


def with_target(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Pass a view the target of its form: the benchmark in the URL, or the first. A page says so if it does not
    accept submissions."""

    @wraps(view)
    def wrapped(request: HttpRequest, **kwargs: Any) -> HttpResponse:
        benchmarks = list(open_benchmarks())
        wanted = request.GET.get("benchmark", "")
        named = [row for row in benchmarks if row.slug == wanted or wanted not in definitions()]
        if not named:
            of_benchmark = f" of {definitions()[wanted].name}" if wanted in definitions() else ""
            text = f"This site has no questions{of_benchmark} yet, so there is nothing to submit answers to."
            others = [(row.name, f"{request.path}?benchmark={row.slug}") for row in benchmarks]
            page = {"title": "No questions yet", "text": text, "actions": others}
            return render(request, "leaderboard/web/message.html", page, status=404)
        benchmark = named[0]
        splits = open_splits(benchmark)
        preset = [split for split in splits if can_be_scored(split)] or splits
        initial = {"split": request.GET.get("split", "") or preset[-1].slug}
        teams = list(access.teams_of(request.user)) if request.user.is_authenticated else []
        return view(request, UploadTarget(benchmark, benchmarks, splits, initial, teams), **kwargs)

    return wrapped


def submitted(request: HttpRequest, target: UploadTarget, key: str = "") -> HttpResponse:
    """Check the form and store a submission; or save its files as a draft, and show its page with every problem.

    Args:
        key: of the draft that the form began with, if it did. Such a form is stored once, however often it is sent.
    """
    user = signed_in_user(request)
    draft = drafts.find(user, key, target.benchmark.slug)
    files, is_gone = files_of(request, draft, key)
    form = target.form(request.POST, files)
    once = drafts.idempotency_key(key)
    content = idempotency.content_of(request.POST, request.FILES) if once else ""
    upload = read(form, is_gone=is_gone, later=True)
    submission = submit_form(upload, user, key=once, content=content)
    if submission is not None:
        if draft is not None:
            drafts.discard(draft)
        return redirect(submission)
    if form.has_error(NON_FIELD_ERRORS, KEY_REUSED):  # the draft's form was stored with other content
        draft = None
    draft = drafts.save(
        draft,
        owner=user,
        target=target.benchmark.slug,
        fields=cast("QueryDict", form.data).dict(),
        form=form,
        reports=upload.reports,
    )
    return submit_page(request, target, form, status=422, file_reports=upload.reports, draft=draft)


def files_of(
    request: HttpRequest, draft: UploadDraft | None, key: str
) -> tuple[MultiValueDict[str, UploadedFile[bytes]], bool]:
    """The files of a request with those of its draft, and whether a draft was named whose files are gone."""
    if draft is None:
        return request.FILES, bool(key)
    try:
        return drafts.files_with(draft, request.FILES, request.POST.getlist("drop")), False
    except OSError:
        return request.FILES, True


def read(form: FilesForm, *, is_gone: bool, later: bool = False) -> Upload:
    """The form with its files read; with an error if saved files are gone, since the others alone are incomplete. With
    *later*, a worker reads large files."""
    if is_gone:
        form.is_valid()
        form.add_error(None, drafts.GONE)
    return form.read(later=later)


def submit_page(
    request: HttpRequest,
    target: UploadTarget,
    form: PageSubmissionForm,
    *,
    status: int = 200,
    draft: UploadDraft | None = None,
    **more: Any,
) -> HttpResponse:
    """The page of the submission form."""
    page = {
        **target.context,
        "has_teams": bool(target.teams),
        "quotas": quotas.overview(signed_in_user(request), target.benchmark, target.teams),
        **form_context(form, draft),
        **more,
    }
    return render(request, "leaderboard/submissions/submit.html", page, status=status)


def form_context(form: FilesForm, draft: UploadDraft | None = None) -> dict[str, Any]:
    """A form with its fields for files, and its draft with the saved files and the reports on them."""
    page: dict[str, Any] = {"form": form, "file_fields": form.file_fields()}
    if draft is None:
        return page
    files = list(draft.files.select_related("setting"))
    return page | {
        "draft": draft,
        "draft_files": files,
        "draft_until": draft.updated_at + drafts.EXPIRY,
        "file_reports": [file.report for file in files if file.report],
    }
