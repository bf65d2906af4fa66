"""Second factors of staff: where ``REQUIRE_SECOND_FACTOR`` is set, no page is shown to a session without one."""

from typing import Final
from urllib.parse import urlencode

from allauth.account.adapter import get_adapter
from allauth.account.internal.flows.login import get_authentication_records
from allauth.mfa.models import Authenticator
from allauth.mfa.utils import is_mfa_enabled
from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.deprecation import MiddlewareMixin

from leaderboard.models import User
from leaderboard.web.problem_details import problem_response
from leaderboard.web.site_address import at_site

FACTORS: Final = (Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN)
"""Recovery codes are none: they replace a factor that was lost."""
ALWAYS: Final = frozenset({"mails-leave", "sign-out"})
"""Pages that need no session: a link that turns off emails is checked by its token alone."""
TO_USE: Final = ALWAYS | {"mfa_reauthenticate", "mfa_reauthenticate_webauthn"}
TO_SET_UP: Final = ALWAYS | {"mfa_index", "mfa_activate_totp", "mfa_add_webauthn", "account_reauthenticate"}
REFUSAL: Final = (
    "This site requires a second factor of staff, and this session has none. Open {url} in this browser, or send an "
    "API token without the session's cookie."
)


def is_required_of(user: AbstractBaseUser | AnonymousUser) -> bool:
    """Whether *user* must have a second factor."""
    return settings.REQUIRE_SECOND_FACTOR and isinstance(user, User) and (user.is_staff or user.is_superuser)


class SecondFactorMiddleware(MiddlewareMixin):
    """Leads staff whose session has no second factor to use one or, if the account has none, to set one up."""

    def process_view(self, request: HttpRequest, view: object, args: object, options: object) -> HttpResponse | None:
        del view, args, options
        # Without a session nobody is signed in, and the response must not depend on cookies.
        if not settings.REQUIRE_SECOND_FACTOR or settings.SESSION_COOKIE_NAME not in request.COOKIES:
            return None
        if not is_required_of(request.user):
            return None
        has_factor = is_mfa_enabled(request.user, FACTORS)
        records = get_authentication_records(request, request.user) if has_factor else []
        if any(record["method"] == "mfa" for record in records):
            return None
        name = request.resolver_match.view_name if request.resolver_match else ""
        if name in (TO_USE if has_factor else TO_SET_UP):
            return None
        url = reverse("mfa_index")
        if has_factor:
            methods = get_adapter(request).get_reauthentication_methods(request.user)
            url = next(str(method["url"]) for method in methods if method["id"].startswith("mfa"))
        if request.path_info.startswith("/api/"):
            return problem_response(403, REFUSAL.format(url=at_site(url)))
        return HttpResponseRedirect(f"{url}?{urlencode({'next': request.get_full_path()})}")
