"""Signing up and in, on this site or with another one: the views of django-allauth, with this site's responses."""

import logging
from typing import Any, Final

from allauth.account import views as theirs
from allauth.account.internal.flows.login import record_authentication
from allauth.mfa.base import views as second_factor_views
from allauth.mfa.recovery_codes import views as recovery_views
from allauth.mfa.totp import views as app_views
from allauth.mfa.webauthn import views as passkey_views
from allauth.socialaccount import views as social
from allauth.socialaccount.models import SocialApp
from allauth.socialaccount.providers.github import views as github
from allauth.socialaccount.providers.openid_connect import views as openid
from django.contrib.auth.views import LogoutView, redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse_lazy
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache
from redis.exceptions import RedisError

from leaderboard.accounts import second_factor
from leaderboard.accounts.login_throttling import TooOftenError, forget_attempts, wait_of
from leaderboard.web.error_pages import too_many

SIGN_IN_PAGES: Final = ("sign-in", "account_login")
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
        errors = [error for field in form.errors.as_data().values() for error in field]
        for wait in (error.wait for error in errors if isinstance(error, TooOftenError)):
            response.status_code = 429
            response["Retry-After"] = str(wait)
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

    def get_redirect_url(self) -> str:
        """The page that the visitor was going to: by way of signing in, if the link was opened in another browser."""
        page = self.get_next_url()
        if page and not self.request.user.is_authenticated:
            return redirect_to_login(page).url
        return str(super().get_redirect_url())


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


class SecondFactor(_Ours, second_factor_views.IndexView):
    """A user's second factors."""

    template_name = "leaderboard/accounts/second_factor.html"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        required = second_factor.is_required_of(self.request.user)
        return super().get_context_data(required=required, **kwargs)


class SignInCode(_Ours, second_factor_views.AuthenticateView):
    """The second step of signing in: a code or a passkey."""

    template_name = "leaderboard/accounts/second_factor_sign_in.html"

    def form_valid(self, form: Any) -> HttpResponse:
        forget_attempts(self.request, self.stage.login.user)
        response: HttpResponse = super().form_valid(form)
        return response


class ConfirmWithCode(_Ours, second_factor_views.ReauthenticateView):
    """Ask for a code instead of the password."""

    template_name = "account/reauthenticate.html"


class ConfirmWithPasskey(_Ours, passkey_views.ReauthenticateWebAuthnView):
    """Ask for a passkey instead of the password."""

    template_name = "account/reauthenticate.html"

    def form_invalid(self, form: Any) -> HttpResponse:
        response: HttpResponse = self.render_to_response(self.get_context_data(form=form), status=422)
        return response


class _Proven:
    """A user who sets up a second factor has shown that they have it: the session counts as signed in with it."""

    def form_valid(self, form: Any) -> HttpResponse:
        response: HttpResponse = super().form_valid(form)  # type: ignore[misc]
        record_authentication(self.request, self.request.user, "mfa")  # type: ignore[attr-defined]
        return response


class AddApp(_Ours, _Proven, app_views.ActivateTOTPView):
    """Set up an authenticator app: scan a QR code, and enter the first code."""

    template_name = "leaderboard/accounts/second_factor_app.html"


class AddPasskey(_Ours, _Proven, passkey_views.AddWebAuthnView):
    """Create a passkey."""

    template_name = "leaderboard/accounts/second_factor_passkey.html"


class _Confirmed(_Ours):
    """A change of second factors on a page with one button."""

    template_name = "leaderboard/accounts/second_factor_change.html"
    success_url = reverse_lazy("mfa_index")
    texts: tuple[str, str, str]
    """The heading, what happens, and the button."""

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        heading, text, button = self.texts
        return super().get_context_data(heading=heading, text=text, button=button, **kwargs)


class RemoveApp(_Confirmed, app_views.DeactivateTOTPView):
    """Remove the authenticator app."""

    texts = ("Authenticator app", "Codes of the app will no longer be accepted.", "Remove app")


class RemovePasskey(_Confirmed, passkey_views.RemoveWebAuthnView):
    """Remove a passkey."""

    texts = ("Passkey", "The passkey will no longer be accepted. Delete it on your device too.", "Remove passkey")


class NewRecoveryCodes(_Confirmed, recovery_views.GenerateRecoveryCodesView):
    """Replace the recovery codes."""

    success_url = reverse_lazy("mfa_view_recovery_codes")
    texts = ("New recovery codes", "All earlier codes will no longer be accepted.", "Create codes")


@method_decorator(never_cache, name="dispatch")
class RecoveryCodes(_Ours, recovery_views.ViewRecoveryCodesView):
    """The unused recovery codes."""

    template_name = "leaderboard/accounts/second_factor_codes.html"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        context = super().get_context_data(**kwargs)
        return context | {"codes": "\n".join(context["unused_codes"])}


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
