"""Pages for a study's participants: links, mails, sessions, and actions on each."""

import uuid
from typing import Any, Final

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from humaneval.answering import withdrawal
from humaneval.maintenance.study_views import frame
from humaneval.models import Invitation, InvitationKind, Participant, Platform, Withdrawal
from humaneval.models.platforms import LINK_ENDS
from humaneval.participants import invitations as links_service
from humaneval.participants import mails
from humaneval.participants import services as participants
from humaneval.participants.forms import (
    ExcludeForm,
    ExtendForm,
    InviteForm,
    MessageForm,
    ReplaceForm,
    SharedLinkForm,
    WithdrawForm,
)
from humaneval.participants.invitations import link_rows, links_csv, shown_address
from humaneval.results.timeline import session_of
from humaneval.studies import access
from humaneval.studies.approvals import approvals_csv, approved_ids
from humaneval.studies.dashboard import dashboard, participant_row
from leaderboard.access import signed_in_user
from leaderboard.models import User
from leaderboard.web.http import attachment
from leaderboard.web.parameters import NUMBER, reads

LINKS_PER_PAGE = 100
FORMS: dict[str, Any] = {
    "extend": ExtendForm,
    "exclude": ExcludeForm,
    "replace": ReplaceForm,
    "remind": MessageForm,
    "withdraw": WithdrawForm,
}
"""Actions on a participant that need input."""
NO_PLATFORM: Final = "This study is on no platform. Choose one in its settings."
NO_ACTION: Final = "Choose an action for the link."


@require_http_methods(["GET", "HEAD", "POST"])
@reads({"page": NUMBER})
def invitations(request: HttpRequest, slug: str) -> HttpResponse:
    """Every link of a study, and forms for more; an invalid form comes back with status 422."""
    study = access.study_for(request.user, slug)
    shared = "limit" in request.POST
    personal_form = InviteForm(request.POST if request.method == "POST" and not shared else None)
    shared_form = SharedLinkForm(request.POST if shared else None)
    if request.method == "POST":
        form = shared_form if shared else personal_form
        if form.is_valid():
            user, given = signed_in_user(request), form.cleaned_data
            try:
                if shared:
                    kind = InvitationKind.SHARED
                    links_service.invite(study, by=user, kind=kind, limit=given["limit"], label=given["label"])
                    n_made, n_known = 1, 0
                else:
                    n, emails = given["n"] or 0, given["emails"]
                    n_made = len(links_service.invite_many(study, by=user, n=n, emails=emails, label=given["label"]))
                    n_known = n + len(emails) - n_made
            except links_service.InvitationError as error:
                messages.error(request, str(error))
            else:
                text = f"{n_made} link{'' if n_made == 1 else 's'} created."
                messages.success(request, f"{text} {n_known} of the addresses already had a link." if n_known else text)
            return redirect("manage-study-invitations", study.slug)
    page = Paginator(link_rows(study), LINKS_PER_PAGE).get_page(request.GET.get("page"))
    context = {
        **frame(study, "manage-study-invitations"),
        "page": page,
        "rows": [(link, shown_address(link, absolute=request.build_absolute_uri)) for link in page.object_list],
        "previous_url": f"?page={page.previous_page_number()}" if page.has_previous() else "",
        "next_url": f"?page={page.next_page_number()}" if page.has_next() else "",
        "n_unsent": mails.unsent(study).count(),
        "mails_at_once": mails.AT_ONCE,
        "link_ids": LINK_ENDS[Platform(study.platform)] if study.platform else "",
        "personal_form": personal_form,
        "shared_form": shared_form,
        "message_form": MessageForm(),
    }
    return render(
        request, "humaneval/maintenance/invitations.html", context, status=422 if request.method == "POST" else 200
    )


@require_POST
def send(request: HttpRequest, slug: str) -> HttpResponse:
    """Mail the links that were not sent yet, in batches."""
    study = access.study_for(request.user, slug)
    form = MessageForm(request.POST)
    if not form.is_valid():
        messages.error(request, "No emails were sent, because the message is too long. Shorten it.")
        return redirect("manage-study-invitations", slug)
    try:
        outcome = mails.send_unsent(study, by=signed_in_user(request), message=form.cleaned_data["message"])
    except links_service.UnknownTokenError as error:
        messages.error(request, str(error))
    else:
        (messages.warning if outcome.server_unavailable or outcome.n_refused else messages.success)(
            request, outcome.text
        )
    return redirect("manage-study-invitations", slug)


@require_POST
def links(request: HttpRequest, slug: str) -> HttpResponse:
    """The valid links as CSV, to send by other means; with addresses only on request."""
    study = access.study_for(request.user, slug)
    text = links_csv(study, by=signed_in_user(request), with_contacts=request.POST.get("with_contacts") == "on")
    response = attachment(text, "text/csv; charset=utf-8", f"links-{study.slug}.csv")
    response["Cache-Control"] = "no-store"
    return response


@require_POST
def approvals(request: HttpRequest, slug: str) -> HttpResponse:
    """Who is to be paid, for the platform that recruited them: a CSV file, or with *ids* only the ids to approve."""
    study = access.study_for(request.user, slug)
    if not study.platform:
        messages.error(request, NO_PLATFORM)
        return redirect("manage-study-export", slug)
    user = signed_in_user(request)
    if "ids" in request.POST:
        text = approved_ids(study, by=user)
        response = attachment(text, "text/plain; charset=utf-8", f"approve-{study.slug}.txt")
    else:
        text = approvals_csv(study, by=user)
        response = attachment(text, "text/csv; charset=utf-8", f"approvals-{study.slug}.csv")
    response["Cache-Control"] = "no-store"
    return response


@require_POST
def invitation(request: HttpRequest, slug: str, pk: uuid.UUID) -> HttpResponse:
    """Revoke, renew or mail one link, or change how many people it admits."""
    study = access.study_for(request.user, slug)
    link = Invitation.objects.select_related("study", "participant").filter(study=study, pk=pk).first()
    if link is None or (link.participant is not None and link.participant.is_preview):
        raise Http404("There is no such link.")
    try:
        messages.success(request, _act_on_link(request, link, signed_in_user(request)))
    except (links_service.InvitationError, mails.MailError) as error:
        messages.error(request, f"No changes were made. {error}")
    return redirect("manage-study-invitations", slug)


def _act_on_link(request: HttpRequest, link: Invitation, user: User) -> str:
    action = request.POST.get("action", "")
    if action == "revoke":
        links_service.revoke(link, by=user)
        return "Link revoked. Nobody can join or continue with it."
    if action == "renew":
        links_service.renew(link, by=user)
        return "Link renewed. The previous link no longer works."
    if action == "send":
        mails.send_one(link, by=user)
        return "Email sent."
    if action == "limit":
        text = request.POST.get("limit", "")
        limit = int(text) if text.isascii() and text.isdecimal() and len(text) < 6 else 0
        if not links_service.change_limit(link, limit, by=user):
            raise links_service.InvitationError(
                f"{link.n_used} people already joined with this link. Enter a number between that and the maximum."
            )
        return f"Limit changed to {limit} people."
    raise links_service.InvitationError(NO_ACTION)


@require_http_methods(["GET", "HEAD", "POST"])
def participant(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """One session from start to end, with the available actions."""
    study = access.study_for(request.user, slug)
    person = access.participant_for(study, code)
    action = request.POST.get("action", "")
    form = FORMS[action](request.POST) if action in FORMS else None
    if request.method == "POST" and (form is None or form.is_valid()):
        try:
            text = _act_on_person(
                person, action, form.cleaned_data if form is not None else {}, signed_in_user(request)
            )
        except (participants.ParticipantError, mails.MailError, links_service.InvitationError) as error:
            messages.error(request, f"No changes were made. {error}")
        else:
            messages.success(request, text)
        return redirect("manage-study-participant", slug, code)
    forms: dict[str, Any] = {name: kind() for name, kind in FORMS.items()}
    if form is not None:
        forms[action] = form
    context = {
        **frame(study, ""),
        "row": participant_row(person),
        "session": session_of(person),
        "forms": forms,
        "deletes": withdrawal.promise_to(person) == Withdrawal.DELETE,
        "bad_form": form,
    }
    return render(request, "humaneval/maintenance/participant.html", context, status=422 if form is not None else 200)


def _act_on_person(person: Participant, action: str, given: dict[str, Any], user: User) -> str:
    if action == "remind":
        mails.remind(person, by=user, message=given["message"])
        return "Reminder sent."
    if action == "extend":
        participants.extend(person, given["until"], by=user)
        return "Deadline extended."
    if action == "replace":
        participants.replace(person, by=user, email=given["email"])
        return "The seat is free. A new link for it is under Invitations."
    if action == "exclude":
        participants.exclude(person, given["reason"], by=user)
        return "Participant excluded. Their answers are still stored but no longer count."
    if action == "withdraw":
        if person.withdrawn_at is not None:
            raise participants.ParticipantError(f"{person.code} was withdrawn already.")
        deleted = withdrawal.withdraw(person, by=user) == Withdrawal.DELETE
        return "Participant withdrawn. " + (
            "The recorded data was deleted." if deleted else "The answers were anonymised."
        )
    simple = {
        "give-up": participants.give_up,
        "take-back": participants.take_back,
        "include": participants.include,
    }.get(action)
    if simple is None:
        raise participants.ParticipantError("Choose an action.")
    simple(person, by=user)
    return "Changes saved."


@require_POST
def remind_stuck(request: HttpRequest, slug: str) -> HttpResponse:
    """Remind every stuck participant who has an address; an unavailable mail server stops it at once."""
    study = access.study_for(request.user, slug)
    user = signed_in_user(request)
    stuck = [row["person"] for row in dashboard(study)["rows"] if row["state"] == "stuck" and row["reachable"]]
    n_sent = 0
    for person in stuck[: mails.AT_ONCE]:
        person.study = study
        try:
            mails.remind(person, by=user)
        except mails.MailServerUnavailableError as error:
            messages.error(request, str(error))
            break
        except (mails.MailError, links_service.UnknownTokenError) as error:
            messages.warning(request, f"{person.code}: {error}")
        else:
            n_sent += 1
    if n_sent or not stuck:
        messages.success(request, f"{n_sent} reminder{'' if n_sent == 1 else 's'} sent.")
    return redirect("manage-study", slug)
