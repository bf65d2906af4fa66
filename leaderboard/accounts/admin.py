"""The maintainers' view of accounts: the right to change accounts does not allow becoming another user."""

from typing import Any

from allauth.account.admin import EmailAddressAdmin
from allauth.account.models import EmailAddress
from allauth.socialaccount.admin import SocialAccountAdmin, SocialAppAdmin, SocialTokenAdmin
from allauth.socialaccount.models import SocialAccount, SocialApp, SocialToken
from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin, UserAdmin
from django.contrib.auth.models import Group
from django.http import HttpRequest

from leaderboard.models import User

admin.site.unregister([Group, EmailAddress, SocialAccount, SocialApp, SocialToken])  # registered by their own apps


@admin.register(User)
class AccountAdmin(UserAdmin):
    """Accounts. The right to change them does not allow becoming another user: only a superuser grants rights, and
    changes, deletes or sets the password of a staff user."""

    rights = ("is_staff", "is_superuser", "groups", "user_permissions")

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """The user's rights are visible to everybody who may view accounts."""
        return [*super().get_readonly_fields(request, obj), *(() if _is_superuser(request) else self.rights)]

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


def _is_superuser(request: HttpRequest) -> bool:
    return bool(request.user.is_active and request.user.is_superuser)


def _has_rights(account: User | None) -> bool:
    return account is not None and (account.is_staff or account.is_superuser)


def _has_rights_by(address: EmailAddress | None) -> bool:
    return address is not None and _has_rights(address.user)
