"""Saving the verdicts of a study's team on items."""

from collections.abc import Mapping, Sequence
from typing import Final

from django.db import transaction

from humaneval.models import ItemCheck, Study
from humaneval.results.item_votes import ItemRow
from humaneval.studies import activity_log
from leaderboard.models import User

VERDICTS: Final = {"yes": True, "no": False}


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
