"""Submitting, and following what becomes of it."""

import uuid
from functools import partial
from typing import Protocol

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import FileResponse, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from leaderboard import access, queries, services
from leaderboard.forms import SubmissionForm
from leaderboard.http import signed_in_user
from leaderboard.models import Submission, User
from leaderboard.submitting import submit as submit_form
from scoring.models import Benchmark


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def submit(request: HttpRequest) -> HttpResponse:
    """The form for a submission; an invalid one comes back with every problem and status 422."""
    user = signed_in_user(request)
    benchmarks = list(Benchmark.objects.all())
    wanted = request.GET.get("benchmark", "")
    benchmark = next((one for one in benchmarks if one.slug == wanted), benchmarks[0] if benchmarks else None)
    splits = queries.splits_of(benchmark) if benchmark else []
    if benchmark is None or not splits:
        text = "No benchmark has been imported on this site yet, so there is nothing to submit to."
        return render(request, "leaderboard/message.html", {"title": "Nothing to submit to", "text": text}, status=404)
    submission_settings = queries.settings_for_submissions(benchmark)
    context = {"benchmark": benchmark, "benchmarks": benchmarks, "limits": {"upload_mb": settings.UPLOAD_LIMIT_MB}}
    if request.method != "POST":
        initial = {"split": request.GET.get("split") or splits[-1].slug}
        form = SubmissionForm(initial=initial, splits=splits, submission_settings=submission_settings)
        return render(request, "leaderboard/submit.html", {**context, "form": form, "file_fields": form.file_fields()})
    form = SubmissionForm(request.POST, request.FILES, splits=splits, submission_settings=submission_settings)
    outcome = submit_form(form, user)
    if outcome.submission is None:
        page = {**context, "form": form, "file_fields": form.file_fields(), "file_reports": outcome.reports}
        return render(request, "leaderboard/submit.html", page, status=422)
    return redirect(outcome.submission)


@login_required
@require_safe
def my_submissions(request: HttpRequest) -> HttpResponse:
    """Everything the reader has submitted."""
    submissions = queries.submissions_of(signed_in_user(request).pk)
    return render(request, "leaderboard/my_submissions.html", {"submissions": submissions})


@login_required
@require_safe
def submission(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    """One submission for its owner or a maintainer."""
    return _submission_page(request, pk, "leaderboard/submission.html")


@login_required
@require_safe
def progress(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    """The part of the submission's page that changes while it is scored."""
    return _submission_page(request, pk, "leaderboard/_submission_live.html")


def _submission_page(request: HttpRequest, pk: uuid.UUID, template: str) -> HttpResponse:
    user = signed_in_user(request)
    view = queries.submission_view(access.submission_for(user, pk), viewer_id=user.pk)
    response = render(request, template, {"submission": view})
    response["Cache-Control"] = "no-store"
    return response


@login_required
@require_safe
def original_file(request: HttpRequest, pk: uuid.UUID, setting: str) -> FileResponse:
    """The uploaded file, byte for byte, always as a download."""
    file = access.submission_file_for(signed_in_user(request), pk, setting)
    return FileResponse(
        file.original.open("rb"),
        as_attachment=True,
        filename=file.filename,
        content_type="application/octet-stream",
    )


@login_required
@require_POST
def publish(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    """Put the submission on the board, with its answers if its owner says so."""
    change = partial(services.publish_submission, shows_answers="shows_answers" in request.POST)
    return _change(request, pk, change, "Published: it is on the board now.")


@login_required
@require_POST
def answers(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    """Let everybody read the answers of a published submission, or nobody else any more."""
    shown = request.POST.get("shown") == "yes"
    done = "Everybody can read its answers now." if shown else "Its answers are yours alone again."
    return _change(request, pk, partial(services.show_answers, shown=shown), done)


@login_required
@require_POST
def unpublish(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    """Take the submission off the board."""
    done = "Taken off the board. Its scores are yours alone again."
    return _change(request, pk, services.unpublish_submission, done)


@login_required
@require_POST
def withdraw(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    """Withdraw the submission for good."""
    done = "Withdrawn. What you sent is kept for you; nothing of it is public."
    return _change(request, pk, services.withdraw_submission, done)


@login_required
@require_POST
def retry(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    """Put failed metrics back in line."""
    return _change(request, pk, services.retry_failed_runs, "Back in line.")


class _Change(Protocol):
    def __call__(self, submission: Submission, *, actor: User) -> object: ...


def _change(request: HttpRequest, pk: uuid.UUID, change: _Change, done: str) -> HttpResponse:
    """Do one thing to the reader's own submission, and say on its page that it is done or why it is not."""
    user = signed_in_user(request)
    found = access.own_submission(user, pk)
    try:
        change(found, actor=user)
    except services.SubmissionError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, done)
    return redirect(found)
