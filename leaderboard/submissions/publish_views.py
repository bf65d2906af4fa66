"""Views that publish a submission and remove it from the board.

Enters: the owner's request, with what was shown of the submission. Leaves: a publication, or a request for one.
"""

import uuid
from functools import partial
from typing import Final, Protocol

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from leaderboard import access
from leaderboard.access import signed_in_user
from leaderboard.models import PublicationState, Submission, User
from leaderboard.publishing import errors
from leaderboard.publishing import services as publishing
from leaderboard.publishing.forms import PublishForm
from leaderboard.publishing.removal import unpublish_submission
from leaderboard.publishing.reveal import reveal_submission
from leaderboard.submissions.page import submission_view
from leaderboard.web.http import post_action

SENT: Final = "Sent for approval. This page shows the decision of the maintainer."
ON_BOARD: Final = "Published. The submission is now on the board."
ANSWERS_PUBLIC: Final = "The answers are now public."
ANSWERS_PRIVATE: Final = "The answers are now private."


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def publish(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    """How a submission is to be published: by name or anonymously, with its answers or without.

    A request that contradicts itself or cannot be granted is answered with the reason and status 422.
    """
    user = signed_in_user(request)
    submission = access.own_submission(user, pk)
    view = submission_view(submission, viewer_id=user.pk, can_edit=True)
    form = PublishForm(request.POST if request.method == "POST" else None, publication=view.publication)
    status = 200
    if form.is_bound:
        status = 422
        if form.is_valid():
            try:
                made = publishing.publish_submission(
                    submission, actor=user, seen=request.POST.get("seen", ""), **form.options()
                )
            except errors.SubmissionError as error:
                form.add_error(None, str(error))
            else:
                done = {PublicationState.PENDING: SENT, PublicationState.JOINING: publishing.JOINING}
                messages.success(request, done.get(PublicationState(made.state), ON_BOARD))
                return redirect(submission)
    return render(
        request, "leaderboard/submissions/publish.html", {"submission": view, "publish_form": form}, status=status
    )


@login_required
@require_POST
def reveal(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    """Reveal the name of an anonymous row before its day."""
    return change_submission(request, pk, reveal_submission, "The name is now shown on the board.")


@login_required
@require_POST
def answers(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    """Make the answers of a published submission public, or private again."""
    if request.POST.get("shown") != "yes":
        return change_submission(request, pk, partial(publishing.show_answers, shown=False), ANSWERS_PRIVATE)
    seen = request.POST.get("seen", "")  # a colleague may have published a newer file
    return change_submission(request, pk, partial(publishing.show_answers, seen=seen), ANSWERS_PUBLIC)


@login_required
@require_POST
def unpublish(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    """Take the submission off the board, or withdraw its publication request."""
    done = "Unpublished. The scores are private again."
    return change_submission(request, pk, unpublish_submission, done)


class Change(Protocol):
    """A service that changes a submission."""

    def __call__(self, submission: Submission, *, actor: User) -> object: ...


def change_submission(request: HttpRequest, pk: uuid.UUID, change: Change, done: str) -> HttpResponse:
    """Change the reader's own submission, and report on its page success or the reason for the refusal."""
    user = signed_in_user(request)
    submission = access.own_submission(user, pk)
    return post_action(
        request,
        lambda: change(submission, actor=user),
        done=done,
        refused=errors.SubmissionError,
        then=redirect(submission),
    )
