"""The page of public voting: a pair of answers, and after the vote the names of both systems."""

import secrets
from typing import Final

from django.conf import settings
from django.contrib import messages
from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from humaneval.answering import public_votes
from humaneval.models import Preference, Study
from leaderboard.web.error_pages import too_many
from leaderboard.web.rate_limits import address_of, count

COOKIE: Final = "visitor"
COOKIE_SECONDS: Final = 365 * 86400


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def vote(request: HttpRequest, slug: str) -> HttpResponse:
    """A pair that the visitor has not voted on, with the result of the vote before; POST votes."""
    study = public_votes.voting_on(slug)
    if request.method != "POST":
        return _page(request, study)
    counted = count(f"public-vote:{address_of(request)}", public_votes.RATE)
    if counted is not None and not counted.allowed:
        return too_many(request, counted.wait)
    fields = {name: request.POST.get(name, "") for name in ("token", "vote")}
    address = public_votes.hashed_address(study, address_of(request))
    try:
        public_votes.cast(study, visitor=visitor_of(request), address=address, **fields)
    except public_votes.VoteError as error:
        return _page(request, study, problem=error)
    return redirect(f"{reverse('study-vote', args=[slug])}?voted")


def _page(request: HttpRequest, study: Study, *, problem: public_votes.VoteError | None = None) -> HttpResponse:
    known = visitor_of(request)
    visitor = known or secrets.token_hex(16)
    address = public_votes.hashed_address(study, address_of(request))
    context = {
        "study": study,
        "is_open": public_votes.is_open(study),
        "pair": (problem and problem.pair) or public_votes.next_pair(study, visitor, address),
        "votes": Preference.choices,
        "seen": public_votes.seen_vote(study, known) if "voted" in request.GET else None,
        "problem": str(problem or ""),
    }
    response = render(request, "humaneval/answering/vote.html", context, status=422 if problem else 200)
    if not known:
        response.set_cookie(
            COOKIE,
            signing.dumps(visitor, salt=public_votes.SALT),
            max_age=COOKIE_SECONDS,
            path=reverse("study-vote", args=[study.slug]),
            httponly=True,
            secure=settings.SESSION_COOKIE_SECURE,
            samesite="Lax",
        )
    return response


def visitor_of(request: HttpRequest) -> str:
    """The visitor's number; empty without the cookie, or with a forged one."""
    try:
        visitor = signing.loads(request.COOKIES.get(COOKIE, ""), salt=public_votes.SALT, max_age=COOKIE_SECONDS)
    except signing.BadSignature:
        return ""
    return visitor if isinstance(visitor, str) else ""


@require_POST
def forget(request: HttpRequest, slug: str) -> HttpResponse:
    """Delete the visitor's votes and their cookie."""
    study = public_votes.voting_on(slug)
    visitor = visitor_of(request)
    n = public_votes.forget(study, visitor) if visitor else 0
    messages.success(request, f"{n} vote{'' if n == 1 else 's'} deleted.")
    response = redirect("study-vote", slug) if public_votes.is_open(study) else redirect("/")
    response.delete_cookie(COOKIE, path=reverse("study-vote", args=[slug]), samesite="Lax")
    return response
