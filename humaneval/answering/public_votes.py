"""Public voting: the pair that a visitor gets, and their vote.

A visitor is a random number in a cookie. What they are shown is in a signed token of the form, with the time, so that
nothing is stored of visitors who do not vote.
"""

import secrets
import time
from dataclasses import dataclass
from typing import Final

from django.core import signing
from django.db.models import Count
from django.http import Http404, HttpRequest
from django.utils.crypto import salted_hmac

from humaneval.answering.critiques import PLACES
from humaneval.models import ItemOrigin, Kind, Preference, PublicVote, Study, StudyItem, StudyState
from humaneval.studies.public_voting import public_answers
from leaderboard.models import Entry
from leaderboard.web.rate_limits import RateLimit, address_of

COOKIE: Final = "visitor"
SALT: Final = "humaneval.answering.public_votes"
COOKIE_SECONDS: Final = 365 * 86400
TOKEN_SECONDS: Final = 6 * 3600
RATE: Final = RateLimit(20, 60)
"""Votes of one address, in votes and seconds."""
TOO_OLD: Final = (
    "This page was open for too long, or its cookie is missing. Here is a new pair. If this happens again, allow the "
    "cookies of this site."
)
NO_CHOICE: Final = "Choose one of the possibilities, or load the page again for another pair."


class VoteError(ValueError):
    """The vote cannot be saved; the message says why."""


@dataclass(frozen=True)
class ShownPair:
    """A pair as a visitor sees it."""

    question: str
    sides: tuple[tuple[str, str, str], ...]
    """From left to right: place, label, and the answer."""
    token: str


@dataclass(frozen=True)
class SeenVote:
    """What a visitor has voted, and on whose answers."""

    label: str
    systems: tuple[tuple[str, str], ...]
    """From left to right: the label of the place, and the system's name."""


def voting_on(slug: str) -> Study:
    """A study that is open for public voting.

    Raises:
        Http404: there is none.
    """
    study = Study.objects.select_related("split__benchmark").filter(slug=slug, kind=Kind.PAIRS).first()
    if study is None or study.public_from is None or study.split.hidden or study.state != StudyState.OPEN:
        raise Http404("There is no such page.")
    return study


def visitor_of(request: HttpRequest) -> str:
    """The visitor's number; empty without the cookie, or with a forged one."""
    try:
        return str(signing.loads(request.COOKIES.get(COOKIE, ""), salt=SALT, max_age=COOKIE_SECONDS))
    except signing.BadSignature:
        return ""


def new_visitor() -> str:
    """A new random number."""
    return secrets.token_hex(16)


def next_pair(study: Study, visitor: str) -> ShownPair | None:
    """A pair with the fewest votes, of those that the visitor has not voted on, in random order; None if there is
    none. Answers that are no longer public are not shown. One query."""
    public = public_answers().values("answer_set")
    pairs = study.items.filter(first_set__in=public, second_set__in=public)
    pairs = pairs.exclude(origin=ItemOrigin.INJECTED).exclude(public_votes__visitor=visitor)
    ordered = pairs.select_related("question").annotate(n_votes=Count("public_votes")).order_by("n_votes", "?")
    item = ordered.first()
    if item is None:
        return None
    swapped = secrets.randbelow(2) == 1
    texts = (item.other, item.candidate) if swapped else (item.candidate, item.other)
    sides = tuple((place, label, text) for (place, label), text in zip(PLACES.items(), texts, strict=True))
    token = signing.dumps([item.pk, swapped, time.time(), visitor], salt=SALT)
    return ShownPair(item.question_text, sides, token)


def cast(study: Study, request: HttpRequest) -> PublicVote:
    """Save the vote in a form. A second vote on the same pair changes nothing; the first one is returned.

    Raises:
        VoteError: nothing was chosen, or the form was not made for this visitor, or too long ago.
    """
    visitor, vote = visitor_of(request), request.POST.get("vote", "")
    try:
        pk, swapped, shown_at, of = signing.loads(request.POST.get("token", ""), salt=SALT, max_age=TOKEN_SECONDS)
    except (signing.BadSignature, ValueError, TypeError) as error:
        raise VoteError(TOO_OLD) from error
    item = StudyItem.objects.filter(pk=pk, study=study).first()
    if item is None or not visitor or of != visitor:
        raise VoteError(TOO_OLD)
    if vote not in Preference.values:
        raise VoteError(NO_CHOICE)
    address = salted_hmac(SALT, f"{study.pk}:{address_of(request)}", algorithm="sha256").hexdigest()
    said = {"address": address, "swapped": swapped, "vote": vote, "seconds": max(time.time() - shown_at, 0.0)}
    return PublicVote.objects.get_or_create(item=item, visitor=visitor, defaults=said)[0]


def seen_vote(study: Study, visitor: str) -> SeenVote | None:
    """The visitor's newest vote, with the names of both systems. Two queries at most."""
    votes = PublicVote.objects.filter(item__study=study, visitor=visitor).select_related("item")
    vote = votes.order_by("-made_at", "-pk").first() if visitor else None
    if vote is None:
        return None
    keys = [vote.item.first_set_id, vote.item.second_set_id][:: -1 if vote.swapped else 1]
    names = dict(Entry.objects.filter(answer_set__in=keys).values_list("answer_set", "system__name"))
    systems = tuple(
        (label, names.get(key, "") if key else "") for label, key in zip(PLACES.values(), keys, strict=True)
    )
    return SeenVote(Preference(vote.vote).label, systems)


def forget(study: Study, visitor: str) -> int:
    """Delete all votes of a visitor; return their number."""
    return PublicVote.objects.filter(item__study=study, visitor=visitor).delete()[0]
