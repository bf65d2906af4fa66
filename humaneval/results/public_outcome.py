"""The outcome of public voting, without suspicious votes."""

import datetime
from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

from humaneval.models import PublicVote, Study
from humaneval.results.pair_choices import TIED, Choice, systems_of
from humaneval.results.pair_outcome import ranking_of
from humaneval.results.suspicion import FASTEST_SECONDS, MOST_A_DAY, CastVote, suspicions
from scoring.statistics import mean_estimate

REASONS: Final = {
    "named": "An answer named its system",
    "fast": f"Cast in less than {FASTEST_SECONDS:.0f} seconds, or by a visitor or address that often votes so fast",
    "one side": "The visitor, or all of the address together, nearly always chose the same side",
    "one system": "The visitor, or all of the address together, chose for or against one system far too often",
    "address": f"More than {MOST_A_DAY} votes of the address on that day",
}


def public_outcome_of(study: Study) -> dict[str, Any] | None:
    """The outcome of a study's public votes; None if there are none. Five queries."""
    votes = votes_of(study)
    if not votes:
        return None
    reasons = reasons_of(votes)
    counted = [vote for vote in votes if vote.pk not in reasons]
    choices = [_choice(vote) for vote in counted]
    counts = Counter(reasons.values())
    return {
        "n_counted": len(counted),
        "n_visitors": len({vote.visitor for vote in counted}),
        # With several reasons to leave a vote out, the first counts.
        "left_out": [(text, counts[reason]) for reason, text in REASONS.items() if counts[reason]],
        "ranking": ranking_of(choices, [], systems_of(study))[0],
        # The mean outcome for the left place, over visitors.
        "left": mean_estimate([choice.for_left for choice in choices], [choice.person for choice in choices]),
    }


def votes_of(study: Study) -> list[PublicVote]:
    """The public votes of a study, in the order of time. Three queries: a pair with many votes is read once."""
    return list(PublicVote.objects.filter(item__study=study).prefetch_related("item__question"))


def reasons_of(votes: Sequence[PublicVote]) -> dict[int, str]:
    """Why votes are left out: a key of `REASONS` by the key of the vote; votes that count have none."""
    blind = [vote for vote in votes if not vote.item.named]
    cast = [
        CastVote(
            visitor=vote.visitor,
            address=vote.address,
            day=vote.made_at.astimezone(datetime.UTC).date(),
            seconds=vote.seconds,
            left=choice.for_left > TIED if choice.for_left != TIED else None,
            systems=choice.left_and_right,
        )
        for vote, choice in zip(blind, map(_choice, blind), strict=True)
    ]
    named = {vote.pk: "named" for vote in votes if vote.item.named}
    return named | {vote.pk: reason for vote, reason in zip(blind, suspicions(cast), strict=True) if reason}


def _choice(vote: PublicVote) -> Choice:
    return Choice.of(vote.item, person=vote.visitor, swapped=vote.swapped, vote=vote.vote)
