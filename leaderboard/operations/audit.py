"""The audit log: append-only records of changes to the site, for maintainers."""

from typing import Any, Final

from django.core.cache import cache
from django.core.paginator import Paginator
from django.db import transaction
from django.http import QueryDict

from leaderboard.models import AuditRecord, User

PAGE_SIZE = 50
NUMBER_OF_NEEDS: Final = "number-of-needs"
"""Where the cache has how many things need attention; what a maintainer does may change it."""


def record(actor: User | str, action: str, target: str, text: str = "") -> AuditRecord:
    """Record that *actor*, an account or a command by its name, did *action* to *target*, in the caller's transaction.

    Args:
        action: what was changed and how, for example ``submission.approved``; at most 60 characters.
        target: what it was done to, for example ``submission 3f2a…``; truncated after 200 characters.
        text: further details. No answer, no reference, no secret.
    """
    known = actor if isinstance(actor, User) else None
    transaction.on_commit(lambda: cache.delete(NUMBER_OF_NEEDS))
    name = actor.get_username() if isinstance(actor, User) else actor
    return AuditRecord.objects.create(actor=known, actor_name=name[:150], action=action, target=target[:200], text=text)


def audit_page(asked: QueryDict) -> dict[str, Any]:
    """The audit log with the filters of a URL (``action``, ``actor``, ``page``), newest first. Four queries.

    Unknown filter values give an empty list; a page out of range gives the nearest page.
    """
    action, actor = asked.get("action", ""), asked.get("actor", "")
    filters = {name: value for name, value in (("action", action), ("actor_name", actor)) if value}
    records = AuditRecord.objects.filter(**filters)
    return {
        "page": Paginator(records, PAGE_SIZE).get_page(asked.get("page")),
        "actions": list(AuditRecord.objects.order_by("action").values_list("action", flat=True).distinct()),
        "actors": list(AuditRecord.objects.order_by("actor_name").values_list("actor_name", flat=True).distinct()),
        "action": action,
        "actor": actor,
        "filtered": bool(filters),
    }
