"""The audit log: append-only records of changes to the site, for maintainers."""

from dataclasses import dataclass
from typing import Final

from django.core.cache import cache
from django.core.paginator import Page, Paginator
from django.db import transaction
from django.http import QueryDict

from leaderboard.models import AuditRecord, User

PAGE_SIZE = 50
NUMBER_OF_NEEDS: Final = "number-of-needs"
"""Where the cache has how many things need attention; what a maintainer does may change it."""


@dataclass(frozen=True)
class AuditPage:
    """A page of the audit log, with the available and the current filters."""

    page: Page[AuditRecord]
    actions: list[str]
    actors: list[str]
    action: str
    actor: str
    previous_url: str
    next_url: str

    @property
    def filtered(self) -> bool:
        """Whether a filter is set."""
        return bool(self.action or self.actor)


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


def audit_page(asked: QueryDict) -> AuditPage:
    """The audit log with the filters of a URL (``action``, ``actor``, ``page``), newest first. Four queries.

    Unknown filter values give an empty list; a page out of range gives the nearest page.
    """
    action, actor = asked.get("action", ""), asked.get("actor", "")
    records = AuditRecord.objects.all()
    if action:
        records = records.filter(action=action)
    if actor:
        records = records.filter(actor_name=actor)
    page = Paginator(records, PAGE_SIZE).get_page(asked.get("page"))
    return AuditPage(
        page=page,
        actions=_names("action"),
        actors=_names("actor_name"),
        action=action,
        actor=actor,
        previous_url=_url(action, actor, page.previous_page_number()) if page.has_previous() else "",
        next_url=_url(action, actor, page.next_page_number()) if page.has_next() else "",
    )


def _names(field: str) -> list[str]:
    return list(AuditRecord.objects.order_by(field).values_list(field, flat=True).distinct())


def _url(action: str, actor: str, number: int) -> str:
    query = QueryDict(mutable=True)
    for name, value in (("action", action), ("actor", actor), ("page", str(number))):
        if value:
            query[name] = value
    return f"?{query.urlencode()}"
