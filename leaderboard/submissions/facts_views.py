"""Pages on which owners and maintainers edit what a system states of itself, with the history of its changes."""

import uuid

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from leaderboard import access
from leaderboard.access import signed_in_user
from leaderboard.models import System
from leaderboard.publishing import facts
from leaderboard.publishing.errors import SubmissionError
from leaderboard.submissions.facts import EditFactsForm

NOTHING_CHANGED = "Nothing was changed: all facts are as before."


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def system(request: HttpRequest, slug: str) -> HttpResponse:
    """The facts of a system; an address that it had before redirects."""
    behind = System.objects.behind(slug)
    if behind is not None and access.can_edit_system(request.user, behind):
        return redirect("system-edit", behind.slug)
    return _edit(request, access.editable_system(signed_in_user(request), slug))


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def submission(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    """The facts of a submission, or of the system that it is on a board as."""
    sent = access.editable_submission(signed_in_user(request), pk)
    subject = facts.subject_of(sent)
    return redirect("system-edit", subject.slug) if isinstance(subject, System) else _edit(request, sent)


def _edit(request: HttpRequest, subject: facts.Subject) -> HttpResponse:
    """The form; a change leads back to the page of the system or submission, an error to the form with status 422."""
    user = signed_in_user(request)
    form = EditFactsForm(request.POST or None, subject=subject)
    if form.is_bound and form.is_valid():
        try:
            changed = facts.change_facts(subject, form.values(), actor=user, by_maintainer=access.is_maintainer(user))
        except SubmissionError as error:
            form.add_error("name", str(error))
        else:
            subject.refresh_from_db()
            text = f"Saved: {len(changed)} fact{'s' * (len(changed) != 1)} changed." if changed else NOTHING_CHANGED
            messages.success(request, text)
            return redirect(subject)
    page = {
        "form": form,
        "subject": subject,
        "is_system": isinstance(subject, System),
        "changes": subject.changes.select_related("actor")[:100],
    }
    return render(request, "leaderboard/submissions/facts.html", page, status=422 if request.method == "POST" else 200)
