"""Pages of stored submissions: list, follow, download a file, publish, withdraw, retry.

The pages whose forms take files are in `upload_views`.
"""

from __future__ import annotations

import uuid
from functools import partial
from typing import Final, Protocol

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from leaderboard import access
from leaderboard.access import signed_in_user
from leaderboard.models import PublicationState, Submission, User
from leaderboard.publishing import errors
from leaderboard.publishing import services as publishing
from leaderboard.publishing.forms import PublishForm
from leaderboard.submissions import queries, services
from leaderboard.submissions.next_step import next_step
from leaderboard.submissions.page import submission_view
from leaderboard.submissions.score_table import signatures
from leaderboard.web.http import post_action
from leaderboard.web.parameters import NUMBER, TEXT, Parameter, reads

PER_PAGE: Final = 50
"""Submissions on a page of the list."""
NO_RECEIPTS: Final = (
    "This site issues no receipts any more: the API's document of a submission, /api/v1/submissions/ID/, has the "
    "SHA-256 of its files and its scores."
)
SENT: Final = "Sent for approval. This page shows the decision of the maintainer."
ON_BOARD: Final = "Published. The submission is now on the board."
ANSWERS_PUBLIC: Final = "The answers are now public."
ANSWERS_PRIVATE: Final = "The answers are now private."


def receipts(request: HttpRequest, page: str = "") -> HttpResponse:
    """What links to the receipts of versions before 0.8.0 get."""
    del request, page
    return HttpResponse(NO_RECEIPTS + "\n", status=410, content_type="text/plain; charset=utf-8")


@login_required
@require_safe
@reads({"page": NUMBER})
def my_submissions(request: HttpRequest) -> HttpResponse:
    """The submissions of the reader and of their teams, newest first, page by page."""
    visible = access.submissions_visible_to(request.user).order_by("-created_at", "-pk")
    shown = Paginator(visible.values_list("pk", flat=True), PER_PAGE).get_page(request.GET.get("page"))
    rows = queries.submission_rows(Submission.objects.filter(pk__in=list(shown)))
    context = {
        "submissions": rows,
        "previous_url": f"?page={shown.previous_page_number()}" if shown.has_previous() else "",
        "next_url": f"?page={shown.next_page_number()}" if shown.has_next() else "",
    }
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
        "earlier": publishing.earlier_of(sent) if view.is_owner else None,
    }
    response = render(request, template, context)
    response["Cache-Control"] = "no-store"
    return response


@login_required
@require_safe
@reads({"version": TEXT, "part": Parameter(("passages",))}, refuses=True)
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
def publish(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    """How a submission is to be published: by name or anonymously, with its answers or without.

    A request that contradicts itself or cannot be granted is answered with the reason and status 422.
    """
    user = signed_in_user(request)
    sent = access.own_submission(user, pk)
    view = submission_view(sent, viewer_id=user.pk, can_edit=True)
    form = PublishForm(request.POST if request.method == "POST" else None, publication=view.publication)
    status = 200
    if form.is_bound:
        status = 422
        if form.is_valid():
            try:
                made = publishing.publish_submission(
                    sent, actor=user, seen=request.POST.get("seen", ""), **form.options()
                )
            except errors.SubmissionError as error:
                form.add_error(None, str(error))
            else:
                done = {PublicationState.PENDING: SENT, PublicationState.JOINING: publishing.JOINING}
                messages.success(request, done.get(PublicationState(made.state), ON_BOARD))
                return redirect(sent)
    return render(
        request, "leaderboard/submissions/publish.html", {"submission": view, "publish_form": form}, status=status
    )


@login_required
@require_POST
def reveal(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    return _change_submission(request, pk, publishing.reveal_submission, "The name is now shown on the board.")


@login_required
@require_POST
def answers(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    if request.POST.get("shown") != "yes":
        return _change_submission(request, pk, partial(publishing.show_answers, shown=False), ANSWERS_PRIVATE)
    seen = request.POST.get("seen", "")  # a colleague may have published a newer file
    return _change_submission(request, pk, partial(publishing.show_answers, seen=seen), ANSWERS_PUBLIC)


@login_required
@require_POST
def unpublish(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    done = "Unpublished. The scores are private again."
    return _change_submission(request, pk, publishing.unpublish_submission, done)


@login_required
@require_POST
def withdraw(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    done = (
        "Withdrawn. Your files are still stored. Dated snapshots of boards keep the name and scores that they showed."
    )
    return _change_submission(request, pk, services.withdraw_submission, done)


@login_required
@require_POST
def show_earlier(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    """Show on the boards again what a withdrawn submission had replaced there."""
    return _change_submission(request, pk, publishing.show_earlier, "The earlier submission is on the board again.")


@login_required
@require_POST
def retry(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    return _change_submission(request, pk, services.retry_failed_runs, "Queued again.")


class Change(Protocol):
    def __call__(self, submission: Submission, *, actor: User) -> object: ...


def _change_submission(request: HttpRequest, pk: uuid.UUID, change: Change, done: str) -> HttpResponse:
    """Change the reader's own submission, and report on its page success or the reason for the refusal."""
    user = signed_in_user(request)
    sent = access.own_submission(user, pk)
    return post_action(
        request,
        lambda: change(sent, actor=user),
        done=done,
        refused=errors.SubmissionError,
        then=redirect(sent),
    )
