"""Participant pages other than the answer page: the link, consent, instructions, the list of questions, the end."""

import json
from functools import partial
from typing import Final

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext, gettext_noop
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from humaneval.answering import session, withdrawal
from humaneval.answering.consent import consent_digest, decline, give_consent
from humaneval.answering.cookies import ParticipantSession, session_of, sign_in, sign_out
from humaneval.answering.decorators import ended, for_participants, message
from humaneval.answering.entry import ID_TAKEN, EntryRefusedError, come_back, enter
from humaneval.answering.progress import progress_of, record_of
from humaneval.answering.steps import step_of
from humaneval.models import Invitation, InvitationKind, Study, Withdrawal
from humaneval.participants.invitations import invitation_for, shown_address
from humaneval.participants.platform_ids import PlatformLinkError, ids_in
from humaneval.results.exports.own_data import data_of
from humaneval.studies.csv import json_default
from humaneval.studies.kinds import KINDS
from humaneval.studies.languages import in_language_of
from humaneval.studies.learning import awaits_test, examples_of
from humaneval.studies.outcomes import completion_of

GET_AND_POST: Final = ["GET", "HEAD", "POST"]
OWN_LINK: Final = gettext_noop("Open the link that you got. What the other person saved stays saved.")
UNKNOWN_LINK: Final = gettext_noop("This link does not work")


@cache_control(no_store=True)
@require_http_methods(GET_AND_POST)
def join(request: HttpRequest, slug: str, token: str) -> HttpResponse:
    """The page of a link, with one button: software that only fetches links, such as a mail filter, uses none up."""
    study = Study.objects.select_related("split").filter(slug=slug).first()
    invitation = invitation_for(study, token) if study is not None else None
    if study is None or invitation is None:
        text = gettext(
            "The link may be incomplete, or a newer one may have replaced it. Copy the whole link, or ask the "
            "sender for a new one."
        )
        return message(request, gettext(UNKNOWN_LINK), text, status=404)
    with in_language_of(study):
        return _joined(request, study, invitation)


def _joined(request: HttpRequest, study: Study, invitation: Invitation) -> HttpResponse:
    """The page of a link that works, or the way into the study."""
    # GET shows a button and changes nothing: mail filters open every link.
    own = session_of(request, study.slug)
    if study.platform and invitation.kind == InvitationKind.SHARED:
        return _join_from_platform(request, invitation, own)
    if request.method != "POST":
        # By a link for many, whoever sits there now may be somebody else than who used this browser before.
        before = own.participant if own is not None and invitation.kind == InvitationKind.SHARED else None
        if before is not None and session.closed_reason(before):
            before = None
        page = {"study": study, "returning": invitation.participant, "before": before}
        return render(request, "humaneval/answering/join.html", page)
    if (
        own is not None
        and invitation.kind == InvitationKind.SHARED
        and "somebody_else" not in request.POST
        and not session.closed_reason(own.participant)
    ):
        # Returning by the shared link resumes the session and creates no other.
        return redirect("study-home", study.slug)
    try:
        participant = enter(invitation)
    except EntryRefusedError as error:
        if invitation.participant is not None:  # after the end of a session, withdrawing is still possible
            over = ParticipantSession(study, invitation.participant, invitation)
            return sign_in(ended(request, over, str(error)), invitation)
        return message(request, study.name, str(error), status=403)
    return sign_in(redirect("study-home", study.slug), participant.invitation)


def _join_from_platform(request: HttpRequest, invitation: Invitation, own: ParticipantSession | None) -> HttpResponse:
    """The page of a shared link that a platform gives to the people whom it recruits, with their ids in its query."""
    study = invitation.study
    try:
        ids = ids_in(study, request.POST if request.method == "POST" else request.GET)
        if ids.is_preview:
            page: dict[str, object] = {"study": study}
            return _without_ids(render(request, "humaneval/answering/look.html", page))
        before = ids.participant_in(study)
        if before is not None:
            if own is None or own.participant.pk != before.pk:
                raise EntryRefusedError(ID_TAKEN)
            if reason := session.closed_reason(own.participant):
                return _without_ids(ended(request, own, reason))
        if request.method != "POST":
            page = {"study": study, "returning": before, "before": None, "ids": ids.hidden_fields}
            return _without_ids(render(request, "humaneval/answering/join.html", page))
        if before is not None:
            come_back(before, ids)
            return redirect("study-home", study.slug)
        return sign_in(redirect("study-home", study.slug), enter(invitation, ids).invitation)
    except (PlatformLinkError, EntryRefusedError) as error:
        return _without_ids(message(request, study.name, str(error), status=403))


def _without_ids(page: HttpResponse) -> HttpResponse:
    """A page whose address has ids: what it leads to, and what it loads, learn only the site's name."""
    page["Referrer-Policy"] = "strict-origin"
    return page


@require_http_methods(GET_AND_POST)
@for_participants
def home(request: HttpRequest, participant_session: ParticipantSession) -> HttpResponse:
    """Redirect to the participant's current page; who comes from elsewhere is asked first whether it is theirs."""
    study = participant_session.study
    if "somebody_else" in request.POST:
        return sign_out(message(request, gettext("Study link required"), gettext(OWN_LINK)), study)
    # Browsers say where a request comes from: a bookmark or another site (none, cross-site), or a page of the study.
    if request.method == "GET" and request.headers.get("Sec-Fetch-Site", "same-origin") != "same-origin":
        page = {"study": study, "before": participant_session.participant}
        return render(request, "humaneval/answering/join.html", page)
    return redirect(step_of(participant_session), study.slug)


@require_http_methods(GET_AND_POST)
@for_participants
def consent(request: HttpRequest, participant_session: ParticipantSession) -> HttpResponse:
    """The consent page."""
    study, participant = participant_session.study, participant_session.participant
    # A form may be sent twice, or from another tab: `give_consent` and `decline` see what it changes.
    if step_of(participant_session) != "study-consent" and request.method != "POST":
        return redirect("study-home", participant_session.study.slug)
    changed = False
    if request.method == "POST":
        try:
            if "decline" in request.POST:
                decline(participant)
                return redirect("study-declined", participant_session.study.slug)
            may_publish = request.POST.get("publication") == "yes" if study.asks_publication else None
            if give_consent(participant, digest=request.POST.get("digest", ""), to_publication=may_publish):
                return redirect("study-home", participant_session.study.slug)
            changed = True
        except session.StudyClosedError as error:
            return message(request, participant_session.study.name, str(error), status=403)
    return consent_page(request, participant_session, changed=changed)


def consent_page(
    request: HttpRequest, participant_session: ParticipantSession, *, changed: bool = False
) -> HttpResponse:
    """The consent text with its two buttons; *changed* if the text is another than was agreed to just now."""
    page = {
        "participant_session": participant_session,
        "digest": consent_digest(participant_session.study),
        "deletes": participant_session.study.on_withdrawal == Withdrawal.DELETE,
        "recorded": KINDS[participant_session.study.kind].unstated_records(participant_session.study),
        "changed": changed,
        "open": session.is_open_for(participant_session.participant),
    }
    return render(request, "humaneval/answering/consent.html", page, status=409 if changed else 200)


@require_safe
@for_participants
def declined(request: HttpRequest, participant_session: ParticipantSession) -> HttpResponse:
    """The page after declining."""
    if participant_session.participant.declined_at is None:
        return redirect("study-home", participant_session.study.slug)
    return render(request, "humaneval/answering/declined.html", {"participant_session": participant_session})


@require_http_methods(GET_AND_POST)
@for_participants
def instructions(request: HttpRequest, participant_session: ParticipantSession) -> HttpResponse:
    """The instructions; they can be read again at any time."""
    if step_of(participant_session) == "study-consent":
        return redirect("study-home", participant_session.study.slug)
    if request.method == "POST":
        session.leave(participant_session.participant, "instructed_at")
        return redirect("study-home", participant_session.study.slug)
    return instructions_page(request, participant_session)


def instructions_page(request: HttpRequest, participant_session: ParticipantSession) -> HttpResponse:
    """The instructions of a study."""
    return render(
        request,
        "humaneval/answering/instructions.html",
        {
            "participant_session": participant_session,
            "link": shown_address(participant_session.invitation),
            "kind": KINDS[participant_session.study.kind],
            "examples": examples_of(participant_session.study),
        },
    )


@require_safe
@for_participants
def questions(request: HttpRequest, participant_session: ParticipantSession) -> HttpResponse:
    """The list of questions with the progress on each."""
    step = step_of(participant_session)
    if step != "study-questions":
        return redirect(step, participant_session.study.slug)
    page = {
        "participant_session": participant_session,
        "progress": progress_of(participant_session.participant),
        "link": shown_address(participant_session.invitation),
        "open": session.is_open_for(participant_session.participant),
        "ends_at": session.ends_at(participant_session.participant),
    }
    return render(request, "humaneval/answering/questions.html", page)


@require_http_methods(GET_AND_POST)
@for_participants
def finish(request: HttpRequest, participant_session: ParticipantSession) -> HttpResponse:
    """Show the open questions and ask for confirmation, then finish the session."""
    step = step_of(participant_session)
    if step in ("study-consent", "study-thanks") or awaits_test(participant_session.participant):
        return redirect("study-home", participant_session.study.slug)
    if request.method == "POST":
        try:
            session.finish(participant_session.participant)
        except session.StudyClosedError as error:
            return message(request, participant_session.study.name, str(error), status=403)
        return redirect("study-thanks", participant_session.study.slug)
    return render(
        request,
        "humaneval/answering/finish.html",
        {"participant_session": participant_session, "progress": progress_of(participant_session.participant)},
    )


@require_safe
@for_participants
def thanks(request: HttpRequest, participant_session: ParticipantSession) -> HttpResponse:
    """The recorded data and the receipt."""
    if participant_session.participant.finished_at is None:
        return redirect("study-home", participant_session.study.slug)
    page = {
        "participant_session": participant_session,
        "record": record_of(participant_session.participant),
        "reads": "encyclopedia" in KINDS[participant_session.study.kind].fields.get("task", ()),
        "completion": completion_of(participant_session.participant),
    }
    return render(request, "humaneval/answering/thanks.html", page)


@require_safe
@partial(for_participants, allows_closed=True)
def own_data(request: HttpRequest, participant_session: ParticipantSession) -> HttpResponse:
    """Everything that is recorded about the participant, as a JSON file."""
    study, participant = participant_session.study, participant_session.participant
    content = json.dumps(data_of(participant), ensure_ascii=False, indent=2, default=json_default)
    response = HttpResponse(content, content_type="application/json")
    response["Content-Disposition"] = f'attachment; filename="{study.slug}-{participant.code}.json"'
    return response


@require_POST
@partial(for_participants, allows_closed=True)
def leave(request: HttpRequest, participant_session: ParticipantSession) -> HttpResponse:
    """End the session in this browser, for whoever uses the computer next; everything stays saved."""
    study = participant_session.study
    text = gettext("Nobody who uses this browser next sees your answers. You can close this page.")
    return sign_out(message(request, gettext("You are done here"), text), study)


@require_http_methods(GET_AND_POST)
@partial(for_participants, allows_closed=True)
def withdraw(request: HttpRequest, participant_session: ParticipantSession) -> HttpResponse:
    """Ask for confirmation, then withdraw as the consent text promises."""
    if request.method == "POST":
        done = withdrawal.withdraw(participant_session.participant)
        return sign_out(
            redirect("study-withdrawn", participant_session.study.slug, done.value), participant_session.study
        )
    page = {
        "participant_session": participant_session,
        "deletes": withdrawal.promise_to(participant_session.participant) == Withdrawal.DELETE,
        "keeps_code": withdrawal.keeps_code(participant_session.participant),
        "progress": progress_of(participant_session.participant),
    }
    return render(request, "humaneval/answering/withdraw.html", page)


@require_safe
def withdrawn(request: HttpRequest, slug: str, how: str) -> HttpResponse:
    """The page after a withdrawal: the same for every visitor, whether or not the study exists."""
    if how not in Withdrawal.values:
        raise Http404("There is no such page.")
    deleted = gettext(
        "Everything recorded about you was deleted: answers, searches, visited articles and times. Only your "
        "participant code and the times at which you joined, agreed and withdrew remain. If the consent text says so, "
        "a code that stands for your ID on a platform remains too, so that nobody takes part twice."
    )
    kept = gettext(
        "Your answers are stored without anything that links them to you. Your link, email address and notes "
        "were deleted."
    )
    text = deleted if how == Withdrawal.DELETE else kept
    thanks = gettext("Your link no longer works. Thank you for your time.")
    return message(request, gettext("You have withdrawn"), f"{text} {thanks}")
