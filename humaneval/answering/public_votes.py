"""Public voting: the pair that a visitor gets, and their vote.

A visitor is a random number in a cookie. What they are shown is in an encrypted token of the form, with the time, so
that none of them can read which answer is on the left. Of visitors who do not vote, only the pair that their address
was shown last is stored, until somebody there votes.
"""

import base64
import json
import secrets
import time
from typing import Any, Final

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings
from django.db import transaction
from django.db.models import Count, F, Max
from django.http import Http404
from django.utils import timezone
from django.utils.crypto import salted_hmac

from humaneval.answering.critiques import PLACES
from humaneval.models import Kind, OpenPair, Preference, PublicVote, Study, StudyItem, StudyState
from humaneval.studies.public_voting import has_public_votes, public_pairs
from leaderboard.models import Entry
from leaderboard.web.rate_limits import RateLimit

SALT: Final = "humaneval.answering.public_votes"
TOKEN_SECONDS: Final = 6 * 3600
RATE: Final = RateLimit(20, 60)
"""Votes of one address, in votes and seconds."""
TOO_OLD: Final = (
    "This page was open for too long, or its cookie is missing. Here is a new pair. If this happens again, allow the "
    "cookies of this site."
)
NO_CHOICE: Final = "Choose one of the possibilities, or load the page again for another pair."
CLOSED: Final = "Public voting is closed. Your vote was not saved."
NOT_PUBLIC: Final = "These answers are no longer public. Your vote was not saved."


class VoteError(ValueError):
    """The vote cannot be saved; the message says why.

    Attributes:
        pair: the pair, if it can be voted on again.
    """

    def __init__(self, why: str, pair: dict[str, Any] | None = None) -> None:
        super().__init__(why)
        self.pair = pair


def voting_on(slug: str) -> Study:
    """A study that is open for public voting, or was: visitors may still delete their votes.

    Raises:
        Http404: there is none.
    """
    study = Study.objects.select_related("split__benchmark").filter(slug=slug, kind=Kind.PAIRS).first()
    if study is None or study.split.hidden or not (is_open(study) or has_public_votes(study)):
        raise Http404("There is no such page.")
    return study


def is_open(study: Study) -> bool:
    """Whether visitors can vote now."""
    return study.public_from is not None and study.state == StudyState.OPEN


def hashed_address(study: Study, address: str) -> str:
    """The keyed hash under which the votes of an address are stored."""
    return salted_hmac(SALT, f"{study.pk}:{address}", algorithm="sha256").hexdigest()


@transaction.atomic
def cast(study: Study, *, visitor: str, address: str, token: str, vote: str) -> PublicVote:
    """Save a vote. A second vote on the same pair changes nothing; the first one is returned.

    Args:
        address: its `hashed_address`.
        token: of the form.

    Raises:
        VoteError: nothing was chosen, the form was not made for this visitor, or too long ago, or the answers are not
            public or not voted on any more.
    """
    pk, swapped, shown_at, of = read_token(token)
    item = study.items.filter(pk=pk).select_related("question").first()
    if item is None or not visitor or of != visitor:
        raise VoteError(TOO_OLD)
    if not is_open(study):
        raise VoteError(CLOSED)
    if not public_pairs(study).filter(pk=pk).exists():
        raise VoteError(NOT_PUBLIC)
    if vote not in Preference.values:
        raise VoteError(NO_CHOICE, _shown(item, swapped, token))
    # Nobody reads several pairs at once: the time counts from the visitor's vote before, if that was later.
    before = PublicVote.objects.filter(item__study=study, visitor=visitor).aggregate(last=Max("made_at"))["last"]
    begun_at = max(shown_at, before.timestamp() if before else 0.0)
    open_pair = OpenPair.objects.filter(study=study, address=address, item=item)
    fields = {
        "address": address,
        "swapped": swapped,
        "vote": vote,
        "seconds": max(time.time() - begun_at, 0.0),
        "n_skipped": open_pair.values_list("n_skipped", flat=True).first() or 0,
    }
    open_pair.delete()
    return PublicVote.objects.get_or_create(item=item, visitor=visitor, defaults=fields)[0]


def read_token(token: str) -> tuple[int, bool, float, str]:
    """What a form was made for: the pair's key, whether its second answer is on the left, the time, and the visitor.

    Raises:
        VoteError: it is not a token of this site, or too old.
    """
    try:
        pk, swapped, shown_at, visitor = json.loads(_cipher().decrypt(token.encode(), ttl=TOKEN_SECONDS))
    except InvalidToken as error:
        raise VoteError(TOO_OLD) from error
    return pk, bool(swapped), shown_at / 1000, visitor


def next_pair(study: Study, visitor: str, address: str) -> dict[str, Any] | None:
    """A pair with the fewest votes, of those that the visitor has not voted on, in random order; None if there is
    none, or voting is closed. Answers that are no longer public are not shown.

    A pair that the address was shown and has not voted on is shown again, with any cookie: to load the page until a
    certain system appears is of no use. At most four queries.
    """
    if not is_open(study):
        return None
    pairs = public_pairs(study).exclude(public_votes__visitor=visitor).select_related("question")
    before = OpenPair.objects.filter(study=study, address=address)
    item = pairs.filter(pk__in=before.values("item")).first()
    if item is not None:
        before.update(n_skipped=F("n_skipped") + 1)
    else:
        item = pairs.annotate(n_votes=Count("public_votes")).order_by("n_votes", "?").first()
        if item is None:
            return None
        shown = {"item": item, "n_skipped": 0, "shown_at": timezone.now()}
        OpenPair.objects.update_or_create(study=study, address=address, defaults=shown)
    swapped = secrets.randbelow(2) == 1
    sealed = json.dumps([item.pk, int(swapped), int(1000 * time.time()), visitor]).encode()  # of one length
    return _shown(item, swapped, _cipher().encrypt(sealed).decode())


def seen_vote(study: Study, visitor: str) -> dict[str, Any] | None:
    """The visitor's newest vote, with each place's label and system's name, from left to right. Two queries at most."""
    votes = PublicVote.objects.filter(item__study=study, visitor=visitor).select_related("item")
    vote = votes.order_by("-made_at", "-pk").first() if visitor else None
    if vote is None:
        return None
    keys = [vote.item.first_set_id, vote.item.second_set_id][:: -1 if vote.swapped else 1]
    names = dict(Entry.objects.filter(answer_set__in=keys).values_list("answer_set", "system__name"))
    systems = tuple(
        (label, names.get(key, "") if key else "") for label, key in zip(PLACES.values(), keys, strict=True)
    )
    return {"label": Preference(vote.vote).label, "systems": systems}


def forget(study: Study, visitor: str) -> int:
    """Delete all votes of a visitor; return their number."""
    return PublicVote.objects.filter(item__study=study, visitor=visitor).delete()[0]


def _shown(item: StudyItem, swapped: bool, token: str) -> dict[str, Any]:
    """A pair as a visitor sees it: the question, and from left to right place, label and answer."""
    texts = (item.other, item.candidate) if swapped else (item.candidate, item.other)
    sides = tuple((place, label, text) for (place, label), text in zip(PLACES.items(), texts, strict=True))
    return {"question": item.question_text, "sides": sides, "token": token}


def _cipher() -> MultiFernet:
    """Encrypts with a key derived from the site's, and reads what its earlier keys encrypted."""
    keys = (
        salted_hmac(SALT, "token", secret, algorithm="sha256").digest()
        for secret in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
    )
    return MultiFernet([Fernet(base64.urlsafe_b64encode(key)) for key in keys])
