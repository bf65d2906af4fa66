"""The maintainers' view of accounts: the right to change accounts does not allow becoming another user."""

from typing import Any

from allauth.account.adapter import get_adapter
from allauth.account.admin import EmailAddressAdmin
from allauth.account.models import EmailAddress
from allauth.mfa.admin import AuthenticatorAdmin
from allauth.mfa.base.internal.flows import delete_dangling_recovery_codes
from allauth.mfa.models import Authenticator
from allauth.socialaccount.admin import SocialAccountAdmin, SocialAppAdmin, SocialTokenAdmin
from allauth.socialaccount.models import SocialAccount, SocialApp, SocialToken
from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin, UserAdmin
from django.contrib.auth.models import Group
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse

from leaderboard.accounts.services import teams_without_another_owner
from leaderboard.models import User

# Registered by their own apps.
admin.site.unregister([Authenticator, Group, EmailAddress, SocialAccount, SocialApp, SocialToken])


@admin.register(User)
class AccountAdmin(UserAdmin):
    """Accounts. The right to change them does not allow becoming another user: only a superuser grants rights, sets
    another user's password or email address, and changes or deletes a staff user."""

    for_superusers = ("is_staff", "is_superuser", "groups", "user_permissions", "email")

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """The user's rights and address are visible to everybody who may view accounts."""
        return [*super().get_readonly_fields(request, obj), *(() if _is_superuser(request) else self.for_superusers)]

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> tuple[Any, Any, set[str], list[str]]:
        deleted, counts, needed, protected = super().get_deleted_objects(objs, request)
        teams = {team for user in objs for team in teams_without_another_owner(user)}
        return deleted, counts, needed, [*protected, *(f"The only owner of the team {team}" for team in sorted(teams))]

    def user_change_password(self, request: HttpRequest, id: str, form_url: str = "") -> HttpResponse:  # noqa: A002
        if not _is_superuser(request):
            raise PermissionDenied("Only a superuser sets the password of another user.")
        return super().user_change_password(request, id, form_url)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return super().has_change_permission(request, obj) and (_is_superuser(request) or not _has_rights(obj))

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return super().has_delete_permission(request, obj) and (_is_superuser(request) or not _has_rights(obj))


@admin.register(EmailAddress)
class AddressAdmin(EmailAddressAdmin):
    """Email addresses. A password reset link goes to them, so only a superuser assigns one to an account."""

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """Users who are not superusers may only mark an address as verified."""
        return [*super().get_readonly_fields(request, obj), *(() if _is_superuser(request) else ("user", "email"))]

    def get_actions(self, request: HttpRequest) -> Any:
        """The bulk actions; they do not check each address separately."""
        return super().get_actions(request) if _is_superuser(request) else {}

    def has_add_permission(self, request: HttpRequest) -> bool:
        return _is_superuser(request)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return super().has_change_permission(request, obj) and (_is_superuser(request) or not _has_rights_by(obj))

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return super().has_delete_permission(request, obj) and (_is_superuser(request) or not _has_rights_by(obj))


class _SuperusersMixin:
    """Restricts changes to superusers: other users could sign in as somebody else with them, or grant others rights."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        del obj
        return _is_superuser(request)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        del obj
        return _is_superuser(request)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        del obj
        return _is_superuser(request)


@admin.register(Group)
class RightsAdmin(_SuperusersMixin, GroupAdmin):
    """Groups of rights: every member of a group has its rights."""


@admin.register(SocialAccount)
class OtherAccountAdmin(_SuperusersMixin, SocialAccountAdmin):
    """Accounts of other sites that users sign in with here."""


@admin.register(SocialApp)
class OtherSiteAdmin(_SuperusersMixin, SocialAppAdmin):
    """Other sites to sign in with, in addition to those in the settings."""


@admin.register(SocialToken)
class OtherTokenAdmin(_SuperusersMixin, SocialTokenAdmin):
    """Tokens from other sites for signing in."""


@admin.register(Authenticator)
class SecondFactorAdmin(_SuperusersMixin, AuthenticatorAdmin):
    """Second factors, without their secrets. A superuser removes those that a user has lost; the user gets an email."""

    exclude = ("data",)
    list_select_related = ("user",)
    search_fields = ("user__username",)

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def delete_model(self, request: HttpRequest, obj: Authenticator) -> None:
        self.delete_queryset(request, Authenticator.objects.filter(pk=obj.pk))

    def delete_queryset(self, request: HttpRequest, queryset: Any) -> None:
        users = {authenticator.user for authenticator in queryset.select_related("user")}
        super().delete_queryset(request, queryset)
        for user in users:
            delete_dangling_recovery_codes(user)
            get_adapter(request).send_notification_mail("mfa/email/second_factor_removed", user)


def _is_superuser(request: HttpRequest) -> bool:
    return bool(request.user.is_active and request.user.is_superuser)


def _has_rights(account: User | None) -> bool:
    return account is not None and (account.is_staff or account.is_superuser)


def _has_rights_by(address: EmailAddress | None) -> bool:
    return address is not None and _has_rights(address.user)
