"""Moderation pages for maintainers, with the form of a decision."""

import uuid
from collections.abc import Mapping
from typing import Any, Final

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from leaderboard import access
from leaderboard.access import signed_in_user
from leaderboard.maintenance.moderation import services
from leaderboard.maintenance.moderation.queries import TABS, moderation_page, queue_page
from leaderboard.publishing.errors import SubmissionError
from leaderboard.web.parameters import NUMBER, Parameter, reads
from leaderboard.web.visible_text import validate_visible_text

DONE: Final = {
    "approve": "Approved. The submission is now on the board.",
    "return": "Returned. The submitter can read your message on the submission's page.",
    "retract": "Retracted. The submission is not on the board, and its pages show your note.",
    "put-back": "The submission is back on the board.",
    "dismiss": "Flags dismissed.",
    "confirm": "Flags confirmed.",
}


class MessageForm(forms.Form):
    text = forms.CharField(
        max_length=services.MAX_MESSAGE, validators=[validate_visible_text], widget=forms.Textarea(attrs={"rows": 4})
    )

    def __init__(self, data: Mapping[str, Any] | None, label: str, help_text: str, lacking: str, prefix: str) -> None:
        """Ask for *label*; *lacking* is the error where there is none."""
        super().__init__(data, prefix=prefix)
        self.fields["text"].label = label
        self.fields["text"].help_text = help_text
        self.fields["text"].error_messages["required"] = lacking


_OF_FLAGS: Final = (
    "Reason",
    "For the audit log. If scores wait, the submitter reads it on the submission's page.",
    services.REASON_NEEDED,
    "flags",
)
MESSAGES: Final = {
    "return": (
        "Message",
        "What to change. Only the submitter sees it, by email and on the submission's page.",
        services.MESSAGE_NEEDED,
        "return",
    ),
    "retract": (
        "Public note",
        "Reason for the retraction. Everyone can read it on the system's page.",
        services.NOTE_NEEDED,
        "retract",
    ),
    "dismiss": _OF_FLAGS,
    "confirm": _OF_FLAGS,
}
"""Label, help, error and prefix of a decision's message."""


@require_safe
@reads({"tab": Parameter(tuple(TABS)), "page": NUMBER})
def queue(request: HttpRequest) -> HttpResponse:
    """Submissions with a pending decision, with anomalies, public ones, or decided ones."""
    access.require_maintainer(request.user)
    return render(request, "leaderboard/maintenance/moderation.html", {"queue": queue_page(request.GET)})


@require_http_methods(["GET", "HEAD", "POST"])
def moderate(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    """One submission with its anomalies, and the decision; an invalid decision is answered with 422."""
    access.require_maintainer(request.user)
    user = signed_in_user(request)
    submission = access.submission_for(user, pk)
    action = request.POST.get("action", "")
    message_forms = {
        name: MessageForm(request.POST if action == name else None, *texts) for name, texts in MESSAGES.items()
    }
    problem = ""
    if request.method == "POST":
        form = message_forms.get(action)
        if form is None or form.is_valid():
            seen, text = request.POST.get("seen", ""), form.cleaned_data["text"] if form is not None else ""
            try:
                match action:
                    case "approve":
                        services.approve(submission, actor=user, seen=seen)
                    case "return":
                        services.give_back(submission, actor=user, message=text, seen=seen)
                    case "retract":
                        services.retract(submission, actor=user, note=text, seen=seen)
                    case "dismiss" | "confirm":
                        dismissed = action == "dismiss"
                        services.decide_flags(submission, actor=user, dismissed=dismissed, reason=text, seen=seen)
                    case "put-back":
                        services.put_back(submission, actor=user, seen=seen)
                    case _:
                        raise SubmissionError("Choose a decision.")
            except SubmissionError as error:
                problem = str(error)
            else:
                messages.success(request, DONE[action])
                return redirect("maintenance-moderate", submission.pk)
    context = {
        "page": moderation_page(submission),
        "return_form": message_forms["return"],
        "retract_form": message_forms["retract"],
        "flags_form": message_forms["confirm" if action == "confirm" else "dismiss"],
        "problem": problem,
    }
    return render(
        request, "leaderboard/maintenance/moderate.html", context, status=422 if request.method == "POST" else 200
    )
