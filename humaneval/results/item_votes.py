"""The outcome of a study in which people check answers against passages.

Votes count if they are finished and their author's do (`humaneval.studies.queries.COMPLETE`, `counted`). An item is
accepted or rejected if more than half of its votes say so; otherwise it is undecided. A verdict of the study's team
outweighs the votes. Shares of accepted items are of all items with votes, also the undecided ones; qualification items
(which were among the questions of people before version 0.9) and injected items are in none.
"""

import math
import random
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.db import transaction

from humaneval.models import Assignment, ItemCheck, ItemOrigin, Study, StudyItem, Vote
from humaneval.studies import activity_log
from humaneval.studies.exclusions import DEFENSIBLE
from humaneval.studies.queries import COMPLETE, counted
from leaderboard.models import User
from scoring.statistics import Estimate, krippendorff_alpha, mean_estimate

VERDICTS: Final = {"yes": True, "no": False}
CODES: Final = {Vote.YES: 1.0, Vote.NO: 0.0, Vote.UNCLEAR: 2.0}


@dataclass(frozen=True)
class VoterRow:
    """One participant."""

    code: str
    n_votes: int
    """Votes on items that are no qualification items."""
    injected: Estimate
    """Injected items on which the vote can be defended (*no*, or *cannot tell*), of all with a vote."""


@dataclass(frozen=True)
class ItemRow:
    """One item with its votes that count."""

    item: StudyItem
    votes: Counter[str]
    checked: bool | None
    """The newest verdict of the study's team."""
    in_sample: bool = False
    """Whether the item is in the random sample of accepted items that the team checks."""

    @property
    def by_votes(self) -> bool | None:
        """Whether the votes accept it; None if undecided."""
        half = self.votes.total() / 2
        if self.votes[Vote.YES] > half:
            return True
        return False if self.votes[Vote.NO] > half else None

    @property
    def accepted(self) -> bool | None:
        """The final verdict: the team's, if there is one, otherwise that of the votes."""
        return self.by_votes if self.checked is None else self.checked

    @property
    def to_check(self) -> bool:
        """Whether the team checks it: the sample, and every item with votes that is not accepted."""
        return self.in_sample or (self.votes.total() > 0 and self.by_votes is not True)


@dataclass(frozen=True)
class ItemOutcome:
    """The outcome of a study."""

    voters: tuple[VoterRow, ...]
    rows: tuple[ItemRow, ...]
    """The items that are neither injected nor qualification items, by key."""
    by_votes: Estimate
    """Items accepted by the votes, of all with votes."""
    final: Estimate
    """Items accepted in the end, of all with votes or a verdict."""
    n_rejected: int
    n_undecided: int
    """Items with votes and without a verdict."""
    n_without_votes: int
    errors: Estimate
    """Accepted items of the random sample that the team rejected, of those that it checked."""
    agreement: Estimate

    @property
    def to_check(self) -> list[ItemRow]:
        """Items that the team checks, in an order that does not reveal the votes."""
        return sorted((row for row in self.rows if row.to_check), key=lambda row: row.item.key)


@transaction.atomic
def save_checks(study: Study, rows: Sequence[ItemRow], given: Mapping[str, str], *, by: User) -> int:
    """Save the verdicts that are new or changed; return their number. Earlier verdicts stay stored.

    Args:
        rows: the items that may be checked.
        given: ``yes`` or ``no`` by ``check-`` and the item's key; anything else is ignored.
    """
    chosen = [(row, VERDICTS.get(given.get(f"check-{row.item.key}", ""))) for row in rows]
    made = [
        ItemCheck(item=row.item, author=by, supported=verdict)
        for row, verdict in chosen
        if verdict is not None and verdict != row.checked
    ]
    ItemCheck.objects.bulk_create(made)
    if made:
        activity_log.record_action(study, "study.items-checked", f"Items checked: {len(made)}.", by=by)
    return len(made)


def outcome_of(study: Study) -> ItemOutcome:
    """The outcome of a study, of the current votes. Four queries."""
    votes, voters = _votes_of(study)
    given = ItemCheck.objects.filter(item__study=study).order_by("made_at", "pk")
    checks = dict(given.values_list("item", "supported"))
    items = study.items.filter(is_qualification=False).exclude(origin=ItemOrigin.INJECTED)
    rows = [
        ItemRow(item, Counter(votes[item.pk].values()), checks.get(item.pk))
        for item in items.select_related("question").order_by("key")
    ]
    # The team checks those with the smallest random numbers, so that most stay in the sample when votes arrive.
    accepted = [row.item for row in rows if row.by_votes]
    numbers = {item.pk: random.Random(f"{study.seed}:check:{item.key}").random() for item in accepted}  # noqa: S311
    n = math.ceil(study.checked_share * len(accepted))
    sample = set(sorted(numbers, key=numbers.__getitem__)[:n])
    rows = [ItemRow(row.item, row.votes, row.checked, row.item.pk in sample) for row in rows]
    sampled = [row for row in rows if row.in_sample and row.checked is not None]
    voted = [row for row in rows if row.votes.total()]
    decided = [row for row in rows if row.votes.total() or row.checked is not None]
    cast = [votes[row.item.pk] for row in rows]
    people = sorted({code for by_person in cast for code in by_person})
    table = [[CODES[Vote(own[code])] if code in own else math.nan for own in cast] for code in people]
    qids = [row.item.qid for row in rows]
    return ItemOutcome(
        voters=tuple(voters),
        rows=tuple(rows),
        by_votes=_share_of(voted, [row.by_votes is True for row in voted]),
        final=_share_of(decided, [row.accepted is True for row in decided]),
        n_rejected=sum(row.accepted is False for row in rows),
        n_undecided=sum(row.accepted is None and row.votes.total() > 0 for row in rows),
        n_without_votes=sum(row.accepted is None and not row.votes.total() for row in rows),
        errors=_share_of(sampled, [not row.checked for row in sampled]),
        agreement=krippendorff_alpha(table, clusters=qids) if people else Estimate(None, None, 0),
    )


def _votes_of(study: Study) -> tuple[dict[int, dict[str, str]], list[VoterRow]]:
    """Votes that count, by item and participant; and every participant whose votes were not excluded."""
    given: dict[str, list[Any]] = defaultdict(list)
    assigned = Assignment.objects.filter(participant__in=counted(study), item__isnull=False)
    assigned = assigned.annotate(is_complete=COMPLETE).select_related("item", "participant")
    for row in assigned.order_by("participant__number", "position"):
        given[row.participant.code].append(row)
    votes: dict[int, dict[str, str]] = defaultdict(dict)
    voters = []
    for code, rows in given.items():
        cast = [(row.item, row.text) for row in rows if row.is_complete and not row.item.is_qualification]
        injected = [text in DEFENSIBLE for item, text in cast if item.is_injected]
        voters.append(VoterRow(code, len(cast), mean_estimate(injected)))
        for item, text in cast:
            votes[item.pk][code] = text
    return votes, voters


def _share_of(rows: Sequence[ItemRow], verdicts: Sequence[bool]) -> Estimate:
    """The share of true verdicts, with an interval clustered by question."""
    return mean_estimate(verdicts, [row.item.qid for row in rows])
