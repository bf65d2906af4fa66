"""A volunteer's way to the desk and from it: the link, consent, instructions, the list of questions, the end."""

from typing import Final

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from humaneval.answering import session, withdrawal
from humaneval.answering.consent import consent_digest, decline, give_consent
from humaneval.answering.cookies import Seat, let_in, let_out, seat_of
from humaneval.answering.decorators import ended, for_all_who_came, for_volunteers
from humaneval.answering.entry import EntryRefusedError, enter
from humaneval.answering.progress import overview_of, record_of
from humaneval.answering.steps import step_of
from humaneval.models import InvitationKind, Study, Withdrawal
from humaneval.participants.invitations import UnknownTokenError, address_of, invitation_for

GET_AND_POST: Final = ["GET", "HEAD", "POST"]


@require_http_methods(GET_AND_POST)
def join(request: HttpRequest, slug: str, token: str) -> HttpResponse:
    """The page of a link, with one button: what only looks at links, such as a mail filter, uses none up."""
    study = Study.objects.filter(slug=slug).first()
    invitation = invitation_for(study, token) if study is not None else None
    if study is None or invitation is None:
        text = (
            "The link may be incomplete, or a newer one may have replaced it. Copy the whole link, or ask the "
            "sender for a new one."
        )
        return _private(_message(request, "This link does not work", text, status=404))
    seat = seat_of(request, slug)
    if request.method != "POST":
        here = seat if seat is not None and invitation.kind == InvitationKind.SHARED else None
        returning = invitation.participant or (here.participant if here is not None else None)
        return _private(render(request, "humaneval/answering/join.html", {"study": study, "returning": returning}))
    if seat is not None and invitation.kind == InvitationKind.SHARED and not session.why_over(seat.participant):
        return redirect("study-home", slug)  # whoever comes by the shared link again goes on, and takes no other seat
    try:
        participant = enter(invitation)
    except EntryRefusedError as error:
        if invitation.participant is not None:  # whose part is over may withdraw still
            over = Seat(study, invitation.participant, invitation)
            return _private(let_in(ended(request, over, str(error)), invitation))
        return _private(_message(request, study.name, str(error), status=403))
    return let_in(redirect("study-home", slug), participant.invitation)


@require_safe
@for_volunteers
def home(request: HttpRequest, seat: Seat) -> HttpResponse:
    """Leads to where somebody is on their way."""
    return redirect(step_of(seat), seat.study.slug)


@require_http_methods(GET_AND_POST)
@for_volunteers
def consent(request: HttpRequest, seat: Seat) -> HttpResponse:
    """What somebody agrees to, or not."""
    participant = seat.participant
    if participant.consented_at is not None and request.method != "POST":
        return redirect("study-home", seat.study.slug)
    changed = False
    if request.method == "POST":
        try:
            if "decline" in request.POST:
                decline(participant)
                return redirect("study-declined", seat.study.slug)
            if give_consent(participant, digest=request.POST.get("digest", "")):
                return redirect("study-home", seat.study.slug)
            changed = True
        except session.OverError as error:
            return _message(request, seat.study.name, str(error), status=403)
    page = {
        "seat": seat,
        "digest": consent_digest(seat.study),
        "deletes": seat.study.on_withdrawal == Withdrawal.DELETE,
        "changed": changed,
        "open": session.is_open_for(participant),
    }
    return render(request, "humaneval/answering/consent.html", page, status=409 if changed else 200)


@require_safe
@for_volunteers
def declined(request: HttpRequest, seat: Seat) -> HttpResponse:
    """What somebody is told who does not agree."""
    if seat.participant.declined_at is None:
        return redirect("study-home", seat.study.slug)
    return render(request, "humaneval/answering/declined.html", {"seat": seat})


@require_http_methods(GET_AND_POST)
@for_volunteers
def instructions(request: HttpRequest, seat: Seat) -> HttpResponse:
    """What is to be done; can be read again at any time."""
    if seat.participant.consented_at is None:
        return redirect("study-home", seat.study.slug)
    if request.method == "POST":
        session.instructed(seat.participant)
        return redirect("study-home", seat.study.slug)
    return render(request, "humaneval/answering/instructions.html", {"seat": seat, "link": link_of(seat)})


def link_of(seat: Seat) -> str:
    """The link by which somebody comes back; empty if the site cannot say it any more."""
    try:
        return address_of(seat.invitation)
    except UnknownTokenError:
        return ""


@require_safe
@for_volunteers
def questions(request: HttpRequest, seat: Seat) -> HttpResponse:
    """The questions, and how far somebody is with each."""
    step = step_of(seat)
    if step != "study-questions":
        return redirect(step, seat.study.slug)
    page = {
        "seat": seat,
        "overview": overview_of(seat.participant),
        "link": link_of(seat),
        "open": session.is_open_for(seat.participant),
        "ends_at": session.ends_at(seat.participant),
    }
    return render(request, "humaneval/answering/questions.html", page)


@require_http_methods(GET_AND_POST)
@for_volunteers
def finish(request: HttpRequest, seat: Seat) -> HttpResponse:
    """Asks once, with what is open, then hands in."""
    if request.method == "POST":
        try:
            session.finish(seat.participant)
        except session.OverError as error:
            return _message(request, seat.study.name, str(error), status=403)
        return redirect("study-thanks", seat.study.slug)
    if seat.participant.consented_at is None or seat.participant.finished_at is not None:
        return redirect("study-home", seat.study.slug)
    return render(request, "humaneval/answering/finish.html", {"seat": seat, "overview": overview_of(seat.participant)})


@require_safe
@for_volunteers
def thanks(request: HttpRequest, seat: Seat) -> HttpResponse:
    """What was recorded, and the receipt."""
    if seat.participant.finished_at is None:
        return redirect("study-home", seat.study.slug)
    return render(request, "humaneval/answering/thanks.html", {"seat": seat, "record": record_of(seat.participant)})


@require_http_methods(GET_AND_POST)
@for_all_who_came
def withdraw(request: HttpRequest, seat: Seat) -> HttpResponse:
    """Asks once, then does what the consent text promises."""
    consented = seat.participant.consent
    promised = Withdrawal(consented.on_withdrawal if consented else seat.study.on_withdrawal)
    if request.method == "POST":
        done = withdrawal.withdraw(seat.participant)
        return let_out(redirect("study-withdrawn", seat.study.slug, done.value), seat.study)
    page = {"seat": seat, "deletes": promised == Withdrawal.DELETE, "overview": overview_of(seat.participant)}
    return render(request, "humaneval/answering/withdraw.html", page)


@require_safe
def withdrawn(request: HttpRequest, slug: str, how: str) -> HttpResponse:
    """What somebody is told who has withdrawn: the same for anybody who asks, with or without such a study."""
    if how not in Withdrawal.values:
        raise Http404("There is no such page.")
    deleted = (
        "Everything recorded about you was deleted: answers, searches, visited articles and times. Only your "
        "participant code and the times at which you joined, agreed and withdrew remain."
    )
    kept = (
        "Your answers are stored without anything that links them to you. Your link, email address and notes "
        "were deleted."
    )
    text = deleted if how == Withdrawal.DELETE else kept
    return _message(request, "You have withdrawn", f"{text} Your link no longer works. Thank you for your time.")


def _message(request: HttpRequest, title: str, text: str, *, status: int = 200) -> HttpResponse:
    return render(request, "humaneval/answering/message.html", {"title": title, "text": text}, status=status)


def _private(response: HttpResponse) -> HttpResponse:
    response["Cache-Control"] = "no-store"
    return response
