"""Pages of the submitter: submit, validate, follow, replace a file, withdraw, retry.

Enters: a request. Leaves: a page or a redirect. What pages with an upload form share is in `upload_pages`; the form
with saved files is in `draft_views`.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import Final

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from leaderboard import access
from leaderboard.access import signed_in_user
from leaderboard.models import ReceivedUpload, Submission, SubmissionFile, UploadDraft
from leaderboard.publishing.forms import PublishForm
from leaderboard.submissions import checking, draft_views, drafts, queries, quotas, services, storage
from leaderboard.submissions.forms import FilesForm, PageReplacementForm
from leaderboard.submissions.intake import FileReport
from leaderboard.submissions.next_step import next_step
from leaderboard.submissions.page import received_view, submission_view
from leaderboard.submissions.publish_views import change_submission
from leaderboard.submissions.score_table import signatures
from leaderboard.submissions.upload_pages import (
    UploadTarget,
    files_of,
    form_context,
    read,
    submit_page,
    submitted,
    with_target,
)
from leaderboard.submissions.validation import check as check_form
from leaderboard.submissions.validation import submit_newer
from leaderboard.web.error_pages import counts_processor_time, too_many
from leaderboard.web.rate_limits import OverLimitError, address_of, caller_of, count, processor_time

OF_FILES: Final = ("split", "confirm_missing", "confirm_same")
"""The fields that say something about the files of a form."""
PER_PAGE: Final = 50
"""Submissions on a page of the list."""
NO_RECEIPTS: Final = (
    "This site issues no receipts any more: the API's document of a submission, /api/v1/submissions/ID/, has the "
    "SHA-256 of its files and its scores."
)


def receipts(request: HttpRequest, rest: str = "") -> HttpResponse:
    """What links to the receipts of versions before 0.8.0 get."""
    del request, rest
    return HttpResponse(NO_RECEIPTS + "\n", status=410, content_type="text/plain; charset=utf-8")


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
@counts_processor_time
@with_target
def submit(request: HttpRequest, target: UploadTarget) -> HttpResponse:
    """The submission form; an invalid one is returned with every problem and status 422. ``team`` in the URL preselects
    a team. Changing the benchmark keeps what was typed, but for what belongs to the files."""
    # Buttons and links of pages that were opened before drafts had addresses of their own.
    key = (request.POST or request.GET).get("draft", "")
    if "fill" in request.POST:
        return draft_views.fill(request)
    if "discard" in request.POST:
        return draft_views.discard(request, pk=key)
    if request.method == "POST" and "change" not in request.POST:
        return submitted(request, target, key)
    if key and request.method != "POST":
        return draft_views.draft(request, pk=key)
    typed = {name: value for name, value in request.POST.items() if name not in OF_FILES}
    form = target.form(**{"team": request.GET.get("team", ""), **typed})
    unfinished = drafts.latest(signed_in_user(request), target.benchmark.slug)
    return submit_page(request, target, form, unfinished=unfinished)


@require_http_methods(["GET", "HEAD", "POST"])
@with_target
def check(request: HttpRequest, target: UploadTarget) -> HttpResponse:
    """Validate files like a submission's, without storing anything: for anybody, at the rate limit of the API."""
    if request.method != "POST":
        form = FilesForm(initial=target.initial, **target.choices)
        return render(request, "leaderboard/submissions/check.html", {**target.context, **form_context(form)})
    asked = count(f"validate:{caller_of(request)}", settings.API_RATES["validate"])
    if asked is not None and not asked.allowed:
        return too_many(request, asked.wait)
    form = FilesForm(request.POST, request.FILES, **target.choices)
    try:
        with processor_time(f"check:{address_of(request)}", settings.CHECK_SECONDS):
            checked = check_form(form.read())
    except OverLimitError as error:
        return too_many(request, error.wait)
    page = {**target.context, **form_context(form), "file_reports": checked.reports, "usable": not form.errors}
    return render(request, "leaderboard/submissions/check.html", page, status=422 if form.errors else 200)


@login_required
@require_safe
def my_submissions(request: HttpRequest) -> HttpResponse:
    """The submissions of the reader and of their teams, newest first, page by page."""
    visible = access.submissions_visible_to(request.user).order_by("-created_at", "-pk")
    shown = Paginator(visible.values_list("pk", flat=True), PER_PAGE).get_page(request.GET.get("page"))
    rows = queries.submission_rows(Submission.objects.filter(pk__in=list(shown)))
    received = ReceivedUpload.objects.filter(owner=signed_in_user(request)).order_by("-received_at")
    context = {
        "submissions": rows,
        "received": received,
        "previous_url": f"?page={shown.previous_page_number()}" if shown.has_previous() else "",
        "next_url": f"?page={shown.next_page_number()}" if shown.has_next() else "",
    }
    return render(request, "leaderboard/submissions/list.html", context)


@login_required
@require_safe
def submission(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    """One submission for its owner or a maintainer; or its check, for its sender."""
    sent = checking.sent(signed_in_user(request), pk)
    if isinstance(sent, ReceivedUpload):
        return _check_page(request, sent, "leaderboard/submissions/received.html")
    return _submission_page(request, sent, "leaderboard/submissions/submission.html")


@login_required
@require_safe
def progress(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    """The part of the submission's page that changes during scoring."""
    return _submission_page(
        request, access.submission_for(signed_in_user(request), pk), "leaderboard/submissions/_live.html"
    )


@login_required
@require_safe
def check_progress(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    """The part of its page that changes during the check of an upload. After it, the page is loaded again."""
    sent = checking.sent(signed_in_user(request), pk)
    if isinstance(sent, ReceivedUpload) and sent.checked_at is None:
        return _check_page(request, sent, "leaderboard/submissions/_checking.html")
    return HttpResponse(headers={"HX-Refresh": "true", "Cache-Control": "no-store"})


def _check_page(request: HttpRequest, received: ReceivedUpload, template: str) -> HttpResponse:
    response = render(request, template, {"submission": received_view(received)})
    response["Cache-Control"] = "no-store"
    return response


def _submission_page(request: HttpRequest, sent: Submission, template: str) -> HttpResponse:
    user = signed_in_user(request)
    view = submission_view(
        sent, viewer_id=user.pk, can_edit=access.can_edit(user, sent), for_maintainer=access.is_maintainer(user)
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
    sent = access.own_submission(user, pk)
    file = access.submission_file_for(user, pk, setting)
    if request.method != "POST":
        if not sent.withdrawn_at:
            form = PageReplacementForm(split=sent.split, setting=file.setting, facts=sent.run_facts)
            return _replace_page(request, sent, file, form)
        messages.error(request, storage.WITHDRAWN)
        return redirect(sent)
    key, target = request.POST.get("draft", ""), f"{sent.pk}/{file.setting.slug}"
    draft = drafts.find(user, key, target)
    files, is_gone = files_of(request, draft, key)
    form = PageReplacementForm(request.POST, files, split=sent.split, setting=file.setting)
    upload = read(form, is_gone=is_gone)
    if not submit_newer(upload, sent, user):
        fields = request.POST.dict()
        draft = drafts.save(draft, owner=user, target=target, fields=fields, form=form, reports=upload.reports)
        return _replace_page(request, sent, file, form, draft, upload.reports)
    if draft is not None:
        drafts.discard(draft)
    messages.success(request, "Received. The earlier version and its scores are listed below.")
    return redirect(sent)


def _replace_page(
    request: HttpRequest,
    sent: Submission,
    file: SubmissionFile,
    form: PageReplacementForm,
    draft: UploadDraft | None = None,
    reports: Sequence[FileReport] = (),
) -> HttpResponse:
    page = {
        **form_context(form, draft),
        "submission": sent,
        "file": file,
        "file_reports": reports,
        "on_board": sent.entries.filter(answer_set=file.answer_set_id, replaced_at=None).exists(),
        "quotas": quotas.active_limits(signed_in_user(request), sent.split, sent.team),
        "limits": {"upload_mb": settings.UPLOAD_LIMIT_MB},
    }
    return render(request, "leaderboard/submissions/replace.html", page, status=422 if form.is_bound else 200)


@login_required
@require_POST
def withdraw(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    """Withdraw the submission permanently."""
    done = (
        "Withdrawn. Your files are still stored. Dated snapshots of boards keep the name and scores that they showed."
    )
    return change_submission(request, pk, services.withdraw_submission, done)


@login_required
@require_POST
def retry(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    """Queue failed metrics again."""
    return change_submission(request, pk, services.retry_failed_runs, "Queued again.")
