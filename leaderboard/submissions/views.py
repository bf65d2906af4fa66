"""Pages of stored submissions: list, follow, download a file, withdraw, retry; `upload_views` has forms for files."""

from __future__ import annotations

import uuid
from typing import Final

from django.contrib.auth.decorators import login_required
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_POST, require_safe

from leaderboard import access
from leaderboard.access import signed_in_user
from leaderboard.models import Submission
from leaderboard.publishing.forms import PublishForm
from leaderboard.submissions import queries, services
from leaderboard.submissions.next_step import next_step
from leaderboard.submissions.page import submission_view
from leaderboard.submissions.publish_views import change_submission
from leaderboard.submissions.score_table import signatures
from leaderboard.web.keysets import Order, linked_page

NEWEST_FIRST: Final = Order(("created_at", "pk"), descending=True)
PER_PAGE: Final = 50
"""Submissions on a page of the list."""


@login_required
@require_safe
def my_submissions(request: HttpRequest) -> HttpResponse:
    """The submissions of the reader and of their teams, newest first, page by page."""
    visible = access.submissions_visible_to(request.user).only("created_at")
    shown, previous_url, next_url = linked_page(
        visible, NEWEST_FIRST, request.GET, size=PER_PAGE, salt="my-submissions"
    )
    rows = queries.submission_rows(Submission.objects.filter(pk__in=[submission.pk for submission in shown]))
    context = {"submissions": rows, "previous_url": previous_url, "next_url": next_url}
    return render(request, "leaderboard/submissions/list.html", context)


@login_required
@require_safe
def submission(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    """One submission for its owner, its team or a maintainer."""
    return _submission_page(request, pk, "leaderboard/submissions/submission.html")


@login_required
@require_safe
def progress(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    """The part of the submission's page that changes during scoring."""
    return _submission_page(request, pk, "leaderboard/submissions/_live.html")


def _submission_page(request: HttpRequest, pk: uuid.UUID, template: str) -> HttpResponse:
    user = signed_in_user(request)
    sent = access.submission_for(user, pk)
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
