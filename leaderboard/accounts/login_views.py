"""The views of django-allauth as this site shows them, and those that it changes."""

import logging
from collections.abc import Callable
from functools import wraps
from typing import Any, Final

from allauth.account import views as theirs
from allauth.account.internal.flows.login import record_authentication
from allauth.mfa.recovery_codes.views import ViewRecoveryCodesView
from allauth.mfa.totp.views import ActivateTOTPView
from allauth.mfa.webauthn.views import AddWebAuthnView
from allauth.socialaccount.models import SocialApp
from allauth.socialaccount.providers.github import views as github
from allauth.socialaccount.providers.openid_connect import views as openid
from axes.helpers import get_cool_off
from django.conf import settings
from django.contrib.auth.views import LogoutView, redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.template.response import TemplateResponse
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache
from redis.exceptions import RedisError

from leaderboard.models import User
from leaderboard.web.error_pages import too_many
from leaderboard.web.rate_limits import address_of, require_room

CACHE_UNAVAILABLE: Final = "Part of the site is temporarily unavailable. No changes were lost; try again in a minute."
TOO_OFTEN: Final = "too_many_login_attempts"
"""Code that django-allauth gives to the error of a form that was sent too often."""
logger = logging.getLogger(__name__)
View = Callable[..., Any]


def account_page(view: View) -> View:
    """A view of django-allauth whose invalid forms are returned with status 422 or, if they were sent too often, 429.

    Most of these pages count requests; without the cache they cannot, and they say so.
    """

    @wraps(view)
    def shown(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            response: HttpResponse = view(request, *args, **kwargs)
        except RedisError as error:
            logger.warning("An account page needs the cache, which is unavailable: %s", type(error).__name__)
            message = {"title": "Temporarily unavailable", "text": CACHE_UNAVAILABLE}
            response = render(request, "leaderboard/web/message.html", message, status=503)
            response["Retry-After"] = "60"
        if isinstance(response, TemplateResponse):
            context = response.context_data or {}
            context.pop("site", None)  # of django.contrib.sites, in place of this site's own
            forms = [form for form in (context.get("form"), context.get("webauthn_form")) if form is not None]
            errors = [error for form in forms for field in form.errors.as_data().values() for error in field]
            if errors:
                response.status_code = 429 if any(error.code == TOO_OFTEN for error in errors) else 422
        return response

    return shown


def sign_in(request: HttpRequest) -> HttpResponse:
    """Sign in. Django-axes counts failed attempts by account and address; this page counts all attempts by address, so
    that one password cannot be tried on all accounts."""
    if request.method == "POST":
        require_room(f"sign-in:{address_of(request)}", settings.SIGN_IN_RATES["address"])
    response: HttpResponse = account_page(theirs.login)(request)
    return response


def locked_out(request: HttpRequest, response: HttpResponse, credentials: object) -> HttpResponse:
    """The page after too many failed attempts, for django-axes."""
    del response, credentials
    cool_off = get_cool_off(request)
    return too_many(request, int(cool_off.total_seconds()) if cool_off else 0)


def counted_address(request: HttpRequest) -> str | None:
    """The address of a request for the columns of django-axes, which hold no networks; None if it is unknown."""
    address = address_of(request).partition("/")[0]
    return None if address == "unknown" else address


def counted_name(request: HttpRequest, credentials: dict[str, Any] | None = None) -> str:
    """One name per account for django-axes, however it is written; an email address is replaced by the account that
    has it."""
    given = credentials or request.POST
    name = str(given.get("username") or given.get("email") or "").strip().casefold()
    if "@" not in name or "\0" in name:
        return name
    names = User.objects.filter(emailaddress__email=name, emailaddress__verified=True).values_list(
        "username", flat=True
    )
    return (names.first() or name).casefold()


class SignOut(LogoutView):
    http_method_names = ["post", "options"]


class VerifyAddress(theirs.ConfirmEmailView):
    """The target of the verification link; a button there verifies the address, since programs follow links too."""

    def get(self, *args: Any, **kwargs: Any) -> HttpResponse:
        response: HttpResponse = super().get(*args, **kwargs)
        if self.object is None:
            response.status_code = 404
        return response

    def get_redirect_url(self) -> str:
        """The page that the visitor was going to: by way of signing in, if the link was opened in another browser."""
        page = self.get_next_url()
        if page and not self.request.user.is_authenticated:
            return redirect_to_login(page).url
        return str(super().get_redirect_url())


class _Proven:
    """A user who sets up a second factor has shown that they have it: the session counts as signed in with it."""

    def form_valid(self, form: Any) -> HttpResponse:
        response: HttpResponse = super().form_valid(form)  # type: ignore[misc]
        record_authentication(self.request, self.request.user, "mfa")  # type: ignore[attr-defined]
        return response


class AddApp(_Proven, ActivateTOTPView):
    """Set up an authenticator app: scan a QR code, and enter the first code."""


class AddPasskey(_Proven, AddWebAuthnView):
    """Create a passkey."""


@method_decorator(never_cache, name="dispatch")
class RecoveryCodes(ViewRecoveryCodesView):
    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        context: dict[str, Any] = super().get_context_data(**kwargs)
        return context | {"codes": "\n".join(context["unused_codes"])}


def github_sign_in(request: HttpRequest) -> HttpResponse:
    return _leave(request, github.oauth2_login)


def github_return(request: HttpRequest) -> HttpResponse:
    return _configured(request, github.oauth2_callback)


def openid_sign_in(request: HttpRequest, provider_id: str) -> HttpResponse:
    return _leave(request, openid.login, provider_id)


def openid_return(request: HttpRequest, provider_id: str) -> HttpResponse:
    return _configured(request, openid.callback, provider_id)


def _configured(request: HttpRequest, view: View, *args: str) -> HttpResponse:
    try:
        response: HttpResponse = account_page(view)(request, *args)
    except SocialApp.DoesNotExist as error:
        raise Http404("This site does not offer sign-in with that provider.") from error
    except OSError as error:  # the base class of all errors of requests
        logger.warning("A sign-in provider cannot be reached: %s", type(error).__name__)
        return render(request, "socialaccount/authentication_error.html", status=503)
    return response


def _leave(request: HttpRequest, view: View, *args: str) -> HttpResponse:
    """Send the browser to another site with a page: the CSP lets no form lead there, even by redirect."""
    response = _configured(request, view, *args)
    if isinstance(response, HttpResponseRedirect) and response.url.startswith(("https://", "http://")):
        return render(request, "account/leave.html", {"address": response.url})
    return response
