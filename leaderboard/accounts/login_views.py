"""Signing up and in, by this site or by another one: django-allauth's views, with the answers that this site gives."""

import logging
from typing import Any, Final

from allauth.account import views as theirs
from allauth.socialaccount import views as social
from allauth.socialaccount.models import SocialApp
from allauth.socialaccount.providers.github import views as github
from allauth.socialaccount.providers.openid_connect import views as openid
from django.contrib.auth.views import LogoutView
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from redis.exceptions import RedisError

from leaderboard.accounts.login_throttling import wait_of
from leaderboard.web.error_pages import too_many

SIGN_IN_PAGES: Final = ("sign-in", "account_login", "admin:login")
logger = logging.getLogger(__name__)


class _Ours:
    """A form that is wrong comes back with status 422, and pages know this site by the name that others do.

    Most of these pages count how often they are asked for; without the cache that cannot be, and they say so.
    """

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            response: HttpResponse = super().dispatch(request, *args, **kwargs)  # type: ignore[misc]
        except RedisError as error:
            logger.warning("An account page needs the cache, which is unavailable: %s", type(error).__name__)
            text = "Part of the site is temporarily unavailable. No changes were lost; try again in a minute."
            context = {"title": "Temporarily unavailable", "text": text}
            response = render(request, "leaderboard/web/message.html", context, status=503)
            response["Retry-After"] = "60"
        return response

    def form_invalid(self, form: Any) -> HttpResponse:
        response: HttpResponse = super().form_invalid(form)  # type: ignore[misc]
        response.status_code = 422
        return response

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        context: dict[str, Any] = super().get_context_data(**kwargs)  # type: ignore[misc]
        context.pop("site", None)  # of django.contrib.sites
        return context


class SignIn(_Ours, theirs.LoginView):
    """Sign in; a wrong name or password comes back with status 422, one try too many with 429."""

    template_name = "leaderboard/accounts/sign_in.html"


class SignUp(_Ours, theirs.SignupView):
    """Make an account; it can be used once its mail address is verified."""

    template_name = "leaderboard/accounts/sign_up.html"


class SignOut(LogoutView):
    """Sign out, by POST alone."""

    http_method_names = ["post", "options"]


class Inactive(_Ours, theirs.AccountInactiveView):
    """What somebody sees whose account was switched off."""


class Addresses(_Ours, theirs.EmailView):
    """Somebody's mail addresses."""

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        addresses = self.request.user.emailaddress_set.order_by("-primary", "email")
        return super().get_context_data(addresses=addresses, **kwargs)


class AddressToVerify(_Ours, theirs.EmailVerificationSentView):
    """A mail with a link is under way."""


class VerifyAddress(_Ours, theirs.ConfirmEmailView):
    """Where that link leads; a button there verifies the address, since programs follow links in mails too."""

    def get(self, *args: Any, **kwargs: Any) -> HttpResponse:
        response: HttpResponse = super().get(*args, **kwargs)
        if self.object is None:
            response.status_code = 404
        return response


class ChangePassword(_Ours, theirs.PasswordChangeView):
    """Another password."""


class SetPassword(_Ours, theirs.PasswordSetView):
    """A first password."""


class ResetPassword(_Ours, theirs.PasswordResetView):
    """Ask for a link to set another password."""


class ResetPasswordSent(_Ours, theirs.PasswordResetDoneView):
    """The mail with the link is under way, if there is such an account; which is not told."""


class ResetPasswordFromLink(_Ours, theirs.PasswordResetFromKeyView):
    """Where that link leads."""


class ResetPasswordDone(_Ours, theirs.PasswordResetFromKeyDoneView):
    """The other password is set."""


class Reauthenticate(_Ours, theirs.ReauthenticateView):
    """Ask for the password once more."""


class Connections(_Ours, social.ConnectionsView):
    """Somebody's accounts of other sites."""


class SocialSignUp(_Ours, social.SignupView):
    """An account for somebody whom another site knows, where something has to be asked first."""


class SocialCancelled(_Ours, social.LoginCancelledView):
    """Somebody thought better of it at the other site."""


class SocialError(_Ours, social.LoginErrorView):
    """Signing in by another site failed."""


def github_sign_in(request: HttpRequest) -> HttpResponse:
    """Go to GitHub to sign in."""
    return _leave(request, github.oauth2_login)


def github_return(request: HttpRequest) -> HttpResponse:
    """Come back from GitHub."""
    return _configured(request, github.oauth2_callback)


def openid_sign_in(request: HttpRequest, provider_id: str) -> HttpResponse:
    """Go to the site that speaks OpenID Connect to sign in."""
    return _leave(request, openid.login, provider_id)


def openid_return(request: HttpRequest, provider_id: str) -> HttpResponse:
    """Come back from there."""
    return _configured(request, openid.callback, provider_id)


def _configured(request: HttpRequest, view: Any, *args: str) -> HttpResponse:
    try:
        response: HttpResponse = view(request, *args)
    except SocialApp.DoesNotExist as error:
        raise Http404("This site does not offer sign-in with that provider.") from error
    except OSError as error:  # as all errors of requests are
        logger.warning("A sign-in provider cannot be reached: %s", type(error).__name__)
        return render(request, "socialaccount/authentication_error.html", status=503)
    return response


def _leave(request: HttpRequest, view: Any, *args: str) -> HttpResponse:
    """Send the browser to another site by way of a page: our policy lets no form lead there, not even by a redirect."""
    response = _configured(request, view, *args)
    if isinstance(response, HttpResponseRedirect) and response.url.startswith(("https://", "http://")):
        return render(request, "account/leave.html", {"address": response.url})
    return response


def locked_out(request: HttpRequest, response: HttpResponse, credentials: object) -> HttpResponse:
    """What django-axes answers one try too many with: the form again, which says so, or else the page for that."""
    del credentials
    wait = wait_of(request)
    if request.resolver_match and request.resolver_match.view_name in SIGN_IN_PAGES:
        response.status_code = 429
        response["Retry-After"] = str(wait)
        return response
    return too_many(request, wait)
