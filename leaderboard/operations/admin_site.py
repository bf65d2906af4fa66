"""The Django admin: its name, and the recording of all its changes in the audit log."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.contrib import admin
from django.contrib.auth import REDIRECT_FIELD_NAME
from django.contrib.auth.models import AnonymousUser
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse

from leaderboard.models import User
from leaderboard.operations import audit


class Recorded:
    """Adds an audit record for each addition, change or deletion through an admin.

    It contains the record's name and the names of the fields, never their values.
    """

    def log_addition(self, request: HttpRequest, obj: Model, message: Any) -> Any:
        _record(request.user, "added", obj, message)
        return super().log_addition(request, obj, message)  # type: ignore[misc]

    def log_change(self, request: HttpRequest, obj: Model, message: Any) -> Any:
        """A record was changed; submitting an unchanged form is no change."""
        if message:
            _record(request.user, "changed", obj, message)
        return super().log_change(request, obj, message)  # type: ignore[misc]

    def log_deletions(self, request: HttpRequest, queryset: QuerySet[Any]) -> Any:
        for deleted in queryset:
            _record(request.user, "deleted", deleted, "")
        return super().log_deletions(request, queryset)  # type: ignore[misc]


def _record(actor: User | AnonymousUser, done: str, changed: Model, message: Any) -> None:
    kind = changed._meta.verbose_name
    who = actor if isinstance(actor, User) else "administration"
    if isinstance(message, list):  # names of fields, and changes of inline records
        lines = []
        for part in message:
            for change, what in part.items():
                fields = ", ".join(str(name) for name in what.get("fields", []))
                within = f" {what['name']}" if "name" in what else ""
                lines.append(f"{change.capitalize()}{within}{f': {fields}' if fields else ''}.")
        message = " ".join(lines)
    audit.record(who, f"admin.{done}", f"{kind} {changed.pk}: {changed}", str(message))


class Site(admin.AdminSite):
    """The Django admin, in which every change is recorded. It has no sign-in page of its own."""

    site_header = "Manyhop admin"
    site_title = "Manyhop"
    index_title = "All records"

    def login(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        """Lead to the site's sign-in page, which also asks for the second factor.

        Raises:
            PermissionDenied: a signed-in user is not staff.
        """
        del extra_context
        if self.has_permission(request):
            return HttpResponseRedirect(reverse("admin:index"))
        if request.user.is_authenticated:
            raise PermissionDenied("The administration is for staff only.")
        return redirect_to_login(request.GET.get(REDIRECT_FIELD_NAME) or reverse("admin:index"))

    def register(
        self, model_or_iterable: Any, admin_class: type[admin.ModelAdmin[Any]] | None = None, **options: Any
    ) -> None:
        """Register models as any admin site does, with the class that adds the records in front of *admin_class*."""
        base = admin_class or admin.ModelAdmin
        models: Iterable[Any] = model_or_iterable if isinstance(model_or_iterable, Iterable) else [model_or_iterable]
        recorded = type(base.__name__, (Recorded, base), {"__doc__": base.__doc__, "__module__": base.__module__})
        super().register(list(models), recorded, **options)
