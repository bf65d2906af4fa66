"""Signing up and in, on this site or with another one: the views of django-allauth, with this site's responses."""

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
CACHE_UNAVAILABLE: Final = "Part of the site is temporarily unavailable. No changes were lost; try again in a minute."
logger = logging.getLogger(__name__)


class _Ours:
    """An invalid form is returned with status 422, and pages have the same ``site`` variable as the site's other pages.

    Most of these pages count requests; without the cache they cannot, and they say so.
    """

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            response: HttpResponse = super().dispatch(request, *args, **kwargs)  # type: ignore[misc]
        except RedisError as error:
            logger.warning("An account page needs the cache, which is unavailable: %s", type(error).__name__)
            context = {"title": "Temporarily unavailable", "text": CACHE_UNAVAILABLE}
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
    """Sign in; a wrong name or password is answered with status 422, an attempt over the limit with 429."""

    template_name = "leaderboard/accounts/sign_in.html"


class SignUp(_Ours, theirs.SignupView):
    """Create an account; it can be used once its email address is verified."""

    template_name = "leaderboard/accounts/sign_up.html"


class SignOut(LogoutView):
    """Sign out, by POST only."""

    http_method_names = ["post", "options"]


class Inactive(_Ours, theirs.AccountInactiveView):
    """The page for a user whose account was deactivated."""


class Addresses(_Ours, theirs.EmailView):
    """A user's email addresses."""

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        addresses = self.request.user.emailaddress_set.order_by("-primary", "email")
        return super().get_context_data(addresses=addresses, **kwargs)


class AddressToVerify(_Ours, theirs.EmailVerificationSentView):
    """The page after a verification email was sent."""


class VerifyAddress(_Ours, theirs.ConfirmEmailView):
    """The target of the verification link; a button there verifies the address, since programs follow links too."""

    def get(self, *args: Any, **kwargs: Any) -> HttpResponse:
        response: HttpResponse = super().get(*args, **kwargs)
        if self.object is None:
            response.status_code = 404
        return response


class ChangePassword(_Ours, theirs.PasswordChangeView):
    """Change the password."""


class SetPassword(_Ours, theirs.PasswordSetView):
    """Set a first password."""


class ResetPassword(_Ours, theirs.PasswordResetView):
    """Request a password reset link."""


class ResetPasswordSent(_Ours, theirs.PasswordResetDoneView):
    """The page after a reset request; it does not reveal whether there is such an account."""


class ResetPasswordFromLink(_Ours, theirs.PasswordResetFromKeyView):
    """The target of the password reset link."""


class ResetPasswordDone(_Ours, theirs.PasswordResetFromKeyDoneView):
    """The page after the password was reset."""


class Reauthenticate(_Ours, theirs.ReauthenticateView):
    """Ask for the password again."""


class Connections(_Ours, social.ConnectionsView):
    """A user's accounts of other sites."""


class SocialSignUp(_Ours, social.SignupView):
    """A new account for a user of another site, if details have to be asked for first."""


class SocialCancelled(_Ours, social.LoginCancelledView):
    """The page after a user cancelled at the other site."""


class SocialError(_Ours, social.LoginErrorView):
    """Signing in with another site failed."""


def github_sign_in(request: HttpRequest) -> HttpResponse:
    """Redirect to GitHub to sign in."""
    return _leave(request, github.oauth2_login)


def github_return(request: HttpRequest) -> HttpResponse:
    """Return from GitHub."""
    return _configured(request, github.oauth2_callback)


def openid_sign_in(request: HttpRequest, provider_id: str) -> HttpResponse:
    """Redirect to the OpenID Connect site to sign in."""
    return _leave(request, openid.login, provider_id)


def openid_return(request: HttpRequest, provider_id: str) -> HttpResponse:
    """Return from the OpenID Connect site."""
    return _configured(request, openid.callback, provider_id)


def _configured(request: HttpRequest, view: Any, *args: str) -> HttpResponse:
    try:
        response: HttpResponse = view(request, *args)
    except SocialApp.DoesNotExist as error:
        raise Http404("This site does not offer sign-in with that provider.") from error
    except OSError as error:  # the base class of all errors of requests
        logger.warning("A sign-in provider cannot be reached: %s", type(error).__name__)
        return render(request, "socialaccount/authentication_error.html", status=503)
    return response


def _leave(request: HttpRequest, view: Any, *args: str) -> HttpResponse:
    """Send the browser to another site with a page: the CSP lets no form lead there, even by redirect."""
    response = _configured(request, view, *args)
    if isinstance(response, HttpResponseRedirect) and response.url.startswith(("https://", "http://")):
        return render(request, "account/leave.html", {"address": response.url})
    return response


def locked_out(request: HttpRequest, response: HttpResponse, credentials: object) -> HttpResponse:
    """The response to an attempt over the limit: the form with an error, or the page for this error."""
    del credentials
    wait = wait_of(request)
    if request.resolver_match and request.resolver_match.view_name in SIGN_IN_PAGES:
        response.status_code = 429
        response["Retry-After"] = str(wait)
        return response
    return too_many(request, wait)
