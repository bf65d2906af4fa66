"""Accounts and API tokens."""

from typing import Any

from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth.decorators import login_required
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView, LogoutView
from django.db.models import F
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from leaderboard import services
from leaderboard.forms import SignUpForm, TokenForm
from leaderboard.http import signed_in_user
from leaderboard.sign_in import SignInForm, wait_of


class SignIn(LoginView):
    """Sign in; a wrong name or password comes back with status 422, one try too many with 429."""

    template_name = "leaderboard/sign_in.html"
    authentication_form = SignInForm
    redirect_authenticated_user = True

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        context = super().get_context_data(**kwargs)
        del context["site"]  # of django.contrib.sites; pages know another by this name
        return context

    def form_invalid(self, form: AuthenticationForm) -> HttpResponse:
        response = super().form_invalid(form)
        wait = wait_of(form)
        response.status_code = 429 if wait else 422
        if wait:
            response["Retry-After"] = str(wait)
        return response


class SignOut(LogoutView):
    """Sign out, by POST alone."""

    http_method_names = ["post", "options"]


@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
def sign_up(request: HttpRequest) -> HttpResponse:
    """Make an account and sign in to it."""
    wanted = request.POST.get("next") or request.GET.get("next") or ""
    if not url_has_allowed_host_and_scheme(wanted, {request.get_host()}, require_https=request.is_secure()):
        wanted = ""
    if request.user.is_authenticated:
        return redirect(wanted or "my-submissions")
    form = SignUpForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        user = form.save()
        login(request, user, backend="django.contrib.auth.backends.ModelBackend")
        return redirect(wanted or "submit")
    status = 422 if request.method == "POST" else 200
    return render(request, "leaderboard/sign_up.html", {"form": form, "next": wanted}, status=status)


@login_required
@require_safe
def account(request: HttpRequest) -> HttpResponse:
    """The reader's account and API tokens."""
    return _account(request, TokenForm())


@login_required
@require_POST
def create_token(request: HttpRequest) -> HttpResponse:
    """Make an API token and show it, once."""
    form = TokenForm(request.POST)
    if not form.is_valid():
        return _account(request, form, status=422)
    try:
        _, secret = services.create_token(user=signed_in_user(request), name=form.cleaned_data["name"])
    except services.TooManyTokensError as error:
        form.add_error(None, str(error))
        return _account(request, form, status=422)
    response = _account(request, TokenForm(), new_token=secret)
    response["Cache-Control"] = "no-store"
    return response


def _account(request: HttpRequest, form: TokenForm, *, new_token: str = "", status: int = 200) -> HttpResponse:
    tokens = signed_in_user(request).api_tokens.order_by(F("revoked_at").desc(nulls_first=True), "-created_at")
    context = {"form": form, "tokens": tokens, "new_token": new_token}
    return render(request, "leaderboard/account.html", context, status=status)


@login_required
@require_POST
def revoke_token(request: HttpRequest, pk: int) -> HttpResponse:
    """Make one of the reader's tokens useless."""
    services.revoke_token(get_object_or_404(signed_in_user(request).api_tokens, pk=pk))
    messages.success(request, "The token is revoked.")
    return redirect("account")
