"""Pages of the submitter: submit, validate, follow, replace a file, withdraw, retry.

Enters: a request. Leaves: a page or a redirect. An upload goes from here through `forms` and `intake` to `validation`
and `storage`.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.files.uploadedfile import UploadedFile
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.datastructures import MultiValueDict
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from leaderboard import access
from leaderboard.access import signed_in_user
from leaderboard.disclosure import answers_needed
from leaderboard.models import Submission, SubmissionFile, Team, UploadDraft, User
from leaderboard.publishing.forms import PublishForm
from leaderboard.submissions import drafts, queries, quotas, services, storage
from leaderboard.submissions.forms import (
    FilesForm,
    PageReplacementForm,
    PageSubmissionForm,
    Upload,
    open_settings,
    open_splits,
)
from leaderboard.submissions.intake import FileReport
from leaderboard.submissions.json_documents import Problem
from leaderboard.submissions.metadata_json import ParsedMetadata, parse_metadata
from leaderboard.submissions.next_step import next_step
from leaderboard.submissions.page import submission_view
from leaderboard.submissions.publish_views import change_submission
from leaderboard.submissions.score_table import signatures
from leaderboard.submissions.validation import Outcome, submit_newer
from leaderboard.submissions.validation import check as check_form
from leaderboard.submissions.validation import submit as submit_form
from leaderboard.web import idempotency
from leaderboard.web.error_pages import counts_processor_time, too_many
from leaderboard.web.rate_limits import OverLimitError, address_of, caller_of, count, processor_time
from scoring.benchmarks import definition_of
from scoring.declarations import known_benchmarks
from scoring.models import Benchmark, Setting, Split
from scoring.registry import task_type_of

MAX_STATEMENT: Final = 100_000
"""The maximum number of characters of pasted metadata that are read; real metadata is much shorter."""


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
@counts_processor_time
def submit(request: HttpRequest) -> HttpResponse:
    """The submission form; an invalid one is returned with every problem and status 422. ``team`` in the URL preselects
    a team.

    If the request contains ``fill``, nothing is submitted: the fields are returned filled from the pasted metadata.
    """
    user = signed_in_user(request)
    key = (request.POST or request.GET).get("draft", "")
    target = _target(request)
    if target is None:
        return _nothing_to_submit_to(request)
    teams = list(access.teams_of(user))
    draft = drafts.find(user, key, target.benchmark.slug) if key else None
    if request.method == "POST":
        return _submitted(request, target, teams, draft)
    initial = target.initial | {"team": request.GET.get("team", "")} | (draft.fields if draft else {})
    form = PageSubmissionForm(initial=initial, teams=teams, **target.choices)
    unfinished = None if draft else drafts.latest(user, target.benchmark.slug)
    return _submit_page(request, target, teams, form, draft=draft, unfinished=unfinished)


def _submitted(
    request: HttpRequest, target: _UploadTarget, teams: list[Team], draft: UploadDraft | None
) -> HttpResponse:
    """Store the submission, or return the form with its files saved as a draft."""
    user = signed_in_user(request)
    if "discard" in request.POST:
        if draft is not None:
            drafts.discard(draft)
        return redirect(request.get_full_path())
    files, gone = _files(request, draft)
    form = PageSubmissionForm(request.POST, files, teams=teams, **target.choices)
    filling = "fill" in request.POST
    outcome = Outcome() if filling else submit_form(_upload(form, gone=gone), user, **_once(request))
    if outcome.submission is None:
        fields = dict(request.POST.items())
        before = None if outcome.key_used else draft
        draft = drafts.save(
            before, owner=user, target=target.benchmark.slug, fields=fields, form=form, reports=outcome.reports
        )
        if filling:
            return _filled(request, target, teams, draft)
        return _submit_page(request, target, teams, form, status=422, file_reports=outcome.reports, draft=draft)
    if draft is not None:
        drafts.discard(draft)
    return redirect(outcome.submission)


def _once(request: HttpRequest) -> dict[str, str]:
    """What identifies a form with saved files, which is submitted once however often it is sent; empty for others."""
    draft = request.POST.get("draft")
    key = drafts.idempotency_key(draft) if draft else ""
    return {"key": key, "content": idempotency.content_of(request.POST, request.FILES)} if key else {}


def _files(request: HttpRequest, draft: UploadDraft | None) -> tuple[MultiValueDict[str, UploadedFile[bytes]], bool]:
    """The files of a request with those of its draft, and whether a draft was named that no longer exists."""
    if draft is not None:
        try:
            return drafts.files_with(draft, request.FILES, request.POST.getlist("drop")), False
        except OSError:
            return request.FILES, True
    return request.FILES, bool(request.POST.get("draft"))


def _upload(form: FilesForm, *, gone: bool) -> Upload:
    """The form with its files read; with an error if saved files are gone, since the others alone are incomplete."""
    if gone:
        form.is_valid()
        form.add_error(None, drafts.GONE)
    return form.read()


def _submit_page(
    request: HttpRequest,
    target: _UploadTarget,
    teams: list[Team],
    form: PageSubmissionForm,
    *,
    status: int = 200,
    draft: UploadDraft | None = None,
    **more: Any,
) -> HttpResponse:
    page = {
        **target.context,
        "has_teams": bool(teams),
        "quotas": quotas.overview(signed_in_user(request), target.benchmark, teams),
        **_fields(form),
        **_draft_context(draft),
        **more,
    }
    return render(request, "leaderboard/submissions/submit.html", page, status=status)


def _draft_context(draft: UploadDraft | None) -> dict[str, Any]:
    """A draft with its files and the reports on them."""
    if draft is None:
        return {}
    files = list(draft.files.select_related("setting"))
    return {
        "draft": draft,
        "draft_files": files,
        "draft_until": draft.updated_at + drafts.EXPIRY,
        "file_reports": [file.report for file in files if file.report],
    }


def _filled(request: HttpRequest, target: _UploadTarget, teams: list[Team], draft: UploadDraft | None) -> HttpResponse:
    """The form with its fields filled from the valid fields of the pasted metadata."""
    pasted = target.read_statement(request.POST.get("statement", ""))
    values = {name: value for name, value in request.POST.items() if name != "statement"} | dict(pasted.fields)
    form = PageSubmissionForm(initial=target.initial | values, teams=teams, **target.choices)
    return _submit_page(
        request,
        target,
        teams,
        form,
        status=422 if pasted.problems else 200,
        draft=draft,
        statement=request.POST.get("statement", "")[:MAX_STATEMENT],
        statement_problems=pasted.problems,
        statement_filled=_filled_text([str(form[name].label).lower() for name in pasted.fields]),
    )


def _filled_text(labels: list[str]) -> str:
    if not labels:
        return ""
    return f"Filled in from your metadata: {', '.join(labels)}. Check the fields, then choose your files."


@require_http_methods(["GET", "HEAD", "POST"])
def check(request: HttpRequest) -> HttpResponse:
    """Validate files like a submission's, without storing anything: for anybody, at the rate limit of the API."""
    target = _target(request)
    if target is None:
        return _nothing_to_submit_to(request)
    if request.method != "POST":
        form = FilesForm(initial=target.initial, **target.choices)
        return render(request, "leaderboard/submissions/check.html", {**target.context, **_fields(form)})
    asked = count(f"validate:{caller_of(request)}", settings.API_RATES["validate"])
    if asked is not None and not asked.allowed:
        return too_many(request, asked.wait)
    form = FilesForm(request.POST, request.FILES, **target.choices)
    try:
        with processor_time(f"check:{address_of(request)}", settings.CHECK_SECONDS):
            checked = check_form(form.read())
    except OverLimitError as error:
        return too_many(request, error.wait)
    page = {**target.context, **_fields(form), "file_reports": checked.reports, "usable": checked.ok}
    return render(request, "leaderboard/submissions/check.html", page, status=200 if checked.ok else 422)


@dataclass(frozen=True)
class _UploadTarget:
    """The choices of an upload form: the splits and settings of one benchmark."""

    benchmark: Benchmark
    benchmarks: list[Benchmark]
    splits: list[Split]
    settings: list[Setting]
    wanted_split: str

    @property
    def choices(self) -> dict[str, Any]:
        return {"splits": self.splits, "submission_settings": self.settings}

    @property
    def initial(self) -> dict[str, Any]:
        return {"split": self.wanted_split or self.splits[-1].slug}

    @property
    def context(self) -> dict[str, Any]:
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

    def read_statement(self, text: str) -> ParsedMetadata:
        layout = definition_of(self.benchmark.slug).official
        if layout is None or len(text) > MAX_STATEMENT:
            found = "no metadata that this benchmark knows" if layout is None else f"{len(text):,} characters"
            return ParsedMetadata(
                {}, (Problem("The metadata", found, f"at most {MAX_STATEMENT:,} characters of JSON"),)
            )
        return parse_metadata(text, layout)


def _target(request: HttpRequest) -> _UploadTarget | None:
    """The benchmark in the URL, or the first; None while no benchmark accepts submissions."""
    benchmarks = list(known_benchmarks())
    wanted = request.GET.get("benchmark", "")
    benchmark = next((one for one in benchmarks if one.slug == wanted), benchmarks[0] if benchmarks else None)
    splits = open_splits(benchmark) if benchmark else []
    if benchmark is None or not splits:
        return None
    return _UploadTarget(benchmark, benchmarks, splits, open_settings(benchmark), request.GET.get("split", ""))


def _fields(form: FilesForm) -> dict[str, Any]:
    return {"form": form, "file_fields": form.file_fields()}


def _nothing_to_submit_to(request: HttpRequest) -> HttpResponse:
    text = "No benchmark has been imported on this site yet, so you cannot submit."
    return render(request, "leaderboard/web/message.html", {"title": "No benchmarks yet", "text": text}, status=404)


@login_required
@require_safe
def my_submissions(request: HttpRequest) -> HttpResponse:
    """All submissions of the reader and of their teams."""
    submissions = queries.submission_rows(access.submissions_visible_to(request.user))
    return render(request, "leaderboard/submissions/list.html", {"submissions": submissions})


@login_required
@require_safe
def submission(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    """One submission for its owner or a maintainer."""
    return _submission_page(request, pk, "leaderboard/submissions/submission.html")


@login_required
@require_safe
def progress(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    """The part of the submission's page that changes during scoring."""
    return _submission_page(request, pk, "leaderboard/submissions/_live.html")


def _submission_page(request: HttpRequest, pk: uuid.UUID, template: str) -> HttpResponse:
    user = signed_in_user(request)
    found = access.submission_for(user, pk)
    view = submission_view(
        found, viewer_id=user.pk, can_edit=access.can_edit(user, found), for_maintainer=access.is_maintainer(user)
    )
    context = {
        "submission": view,
        "next_step": next_step(view),
        "signatures": signatures(view.files),
        "publish_form": PublishForm(publication=view.publication),
    }
    response = render(request, template, context)
    response["Cache-Control"] = "no-store"
    return response


@login_required
@require_safe
def original_file(request: HttpRequest, pk: uuid.UUID, setting: str) -> FileResponse:
    """The uploaded file, byte for byte, always as a download: the current version, or that of ``?version=``; with
    ``?part=passages``, the passages that were sent with it."""
    sent = access.submission_file_for(signed_in_user(request), pk, setting, request.GET.get("version", ""))
    file = sent.passages if request.GET.get("part") == "passages" else sent
    if file is None:
        raise Http404("No passages were sent with this file.")
    return FileResponse(
        file.original.open("rb"),
        as_attachment=True,
        filename=file.filename,
        content_type="application/octet-stream",
    )


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
@counts_processor_time
def replace(request: HttpRequest, pk: uuid.UUID, setting: str) -> HttpResponse:
    """A newer version of one file of a submission; an invalid one is returned with every problem and status 422."""
    user = signed_in_user(request)
    found = access.own_submission(user, pk)
    file = access.submission_file_for(user, pk, setting)
    if request.method != "POST":
        if not found.withdrawn_at:
            form = PageReplacementForm(split=found.split, setting=file.setting)
            return _replace_page(request, found, file, form)
        messages.error(request, storage.WITHDRAWN)
        return redirect(found)
    return _replaced(request, user, found, file)


def _replaced(request: HttpRequest, user: User, found: Submission, file: SubmissionFile) -> HttpResponse:
    """Store the newer version, or return the form with its file saved as a draft."""
    target = f"{found.pk}/{file.setting.slug}"
    draft = drafts.find(user, request.POST.get("draft", ""), target)
    files, gone = _files(request, draft)
    form = PageReplacementForm(request.POST, files, split=found.split, setting=file.setting)
    outcome = submit_newer(_upload(form, gone=gone), found, user)
    if outcome.submission is None:
        fields = dict(request.POST.items())
        draft = drafts.save(draft, owner=user, target=target, fields=fields, form=form, reports=outcome.reports)
        return _replace_page(request, found, file, form, outcome.reports, draft)
    if draft is not None:
        drafts.discard(draft)
    messages.success(request, "Received. The earlier version and its scores are listed below.")
    return redirect(found)


def _replace_page(
    request: HttpRequest,
    found: Submission,
    file: SubmissionFile,
    form: PageReplacementForm,
    reports: Sequence[FileReport] = (),
    draft: UploadDraft | None = None,
) -> HttpResponse:
    page = {
        **_fields(form),
        **_draft_context(draft),
        "submission": found,
        "file": file,
        "file_reports": reports,
        "on_board": found.entries.filter(answer_set=file.answer_set_id, replaced_at=None).exists(),
        "quotas": quotas.active_limits(signed_in_user(request), found.split.benchmark, found.team),
        "limits": {"upload_mb": settings.UPLOAD_LIMIT_MB},
    }
    return render(request, "leaderboard/submissions/replace.html", page, status=422 if form.is_bound else 200)


@login_required
@require_POST
def withdraw(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    """Withdraw the submission permanently."""
    done = "Withdrawn. Your files are still stored; nothing is public any more."
    return change_submission(request, pk, services.withdraw_submission, done)


@login_required
@require_POST
def retry(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    """Queue failed metrics again."""
    return change_submission(request, pk, services.retry_failed_runs, "Queued again.")
