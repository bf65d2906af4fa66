"""The administration as a whole: its name, and that whatever is changed in it stands in the log of who did what."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.contrib import admin
from django.contrib.auth.models import AnonymousUser
from django.db.models import Model, QuerySet
from django.http import HttpRequest

from leaderboard.models import User
from leaderboard.operations import audit


class Recorded:
    """Adds a record to the log for each thing that is added, changed or deleted through an admin.

    Said is which record it was and the names of the fields, never what stands in them.
    """

    def log_addition(self, request: HttpRequest, obj: Model, message: Any) -> Any:
        """Something was added."""
        _record(request.user, "added", obj, message)
        return super().log_addition(request, obj, message)  # type: ignore[misc]

    def log_change(self, request: HttpRequest, obj: Model, message: Any) -> Any:
        """Something was changed; opening a form and sending it back as it was is no change."""
        if message:
            _record(request.user, "changed", obj, message)
        return super().log_change(request, obj, message)  # type: ignore[misc]

    def log_deletions(self, request: HttpRequest, queryset: QuerySet[Any]) -> Any:
        """Some things are about to be deleted."""
        for one in queryset:
            _record(request.user, "deleted", one, "")
        return super().log_deletions(request, queryset)  # type: ignore[misc]


def _record(actor: User | AnonymousUser, done: str, changed: Model, message: Any) -> None:
    kind = changed._meta.verbose_name
    who = actor if isinstance(actor, User) else "administration"
    audit.record(who, f"admin.{done}", f"{kind} {changed.pk}: {changed}", _text(message))


def _text(message: Any) -> str:
    """What a message of the administration says: names of fields, and what became of records shown within."""
    if not isinstance(message, list):
        return str(message)
    lines = []
    for part in message:
        for done, what in part.items():
            fields = ", ".join(str(name) for name in what.get("fields", []))
            within = f" {what['name']}" if "name" in what else ""
            lines.append(f"{done.capitalize()}{within}{f': {fields}' if fields else ''}.")
    return " ".join(lines)


class Site(admin.AdminSite):
    """The administration, in which nothing happens without a record."""

    site_header = "Manyhop admin"
    site_title = "Manyhop"
    index_title = "All records"

    def register(
        self, model_or_iterable: Any, admin_class: type[admin.ModelAdmin[Any]] | None = None, **options: Any
    ) -> None:
        """Register models as any administration does, with what adds the records in front of *admin_class*."""
        base = admin_class or admin.ModelAdmin
        models: Iterable[Any] = model_or_iterable if isinstance(model_or_iterable, Iterable) else [model_or_iterable]
        recorded = type(base.__name__, (Recorded, base), {"__doc__": base.__doc__, "__module__": base.__module__})
        super().register(list(models), recorded, **options)
