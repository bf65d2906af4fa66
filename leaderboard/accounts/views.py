"""The user's own account: its data and its tokens. Its deletion is in `leaderboard.submissions.deletion_views`."""

from typing import Any

from allauth.mfa.utils import is_mfa_enabled
from allauth.socialaccount.models import SocialAccount
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import F
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from leaderboard import access
from leaderboard.access import signed_in_user
from leaderboard.accounts import mails, queries, tokens
from leaderboard.accounts import services as account_services
from leaderboard.accounts.forms import MailsForm, NameForm, TokenForm
from leaderboard.accounts.second_factor import FACTORS


@login_required
@require_safe
def account(request: HttpRequest) -> HttpResponse:
    """The reader's account: name, addresses, ways to sign in, teams, submissions and API tokens."""
    return _account(request)


@login_required
@require_POST
def rename(request: HttpRequest) -> HttpResponse:
    form = NameForm(request.POST)
    if not form.is_valid():
        return _account(request, name_form=form, status=422)
    account_services.rename(user=signed_in_user(request), name=form.cleaned_data["name"])
    messages.success(request, "Saved your display name.")
    return redirect("account")


@login_required
@require_POST
def mails_choice(request: HttpRequest) -> HttpResponse:
    user = signed_in_user(request)
    form = MailsForm(request.POST, user=user)
    if not form.is_valid():
        return _account(request, mails_form=form, status=422)
    mails.choose(user=user, wanted=form.cleaned_data["kinds"], of=mails.kinds_for(user))
    messages.success(request, "Saved which emails you get.")
    return redirect("account")


@csrf_exempt  # mail programs send the POST by themselves (RFC 8058)
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def leave_mails(request: HttpRequest, token: str) -> HttpResponse:
    """Turn off a kind of emails, for anybody who has the link of such an email. GET asks first, because programs that
    check emails follow their links."""
    subject = mails.account_and_kind(token)
    if subject is None:
        raise Http404("This link is not valid. Choose your emails on the account page.")
    user, kind = subject
    if request.method == "POST":
        mails.choose(user=user, wanted=(), of=[kind])
    done = request.method == "POST" or kind in user.muted_mails
    return render(request, "leaderboard/accounts/leave_mails.html", {"kind": kind.label, "done": done})


@login_required
@require_POST
def create_token(request: HttpRequest) -> HttpResponse:
    """Create an API token and show it once."""
    user = signed_in_user(request)
    form = TokenForm(request.POST, user=user)
    if not form.is_valid():
        return _account(request, form=form, status=422)
    try:
        _, secret = tokens.create_token(user=user, **form.cleaned_data)
    except tokens.TooManyTokensError as error:
        form.add_error(None, str(error))
        return _account(request, form=form, status=422)
    response = _account(request, new_token=secret)
    response["Cache-Control"] = "no-store"
    return response


@login_required
@require_POST
def revoke_token(request: HttpRequest, pk: int) -> HttpResponse:
    tokens.revoke_token(get_object_or_404(signed_in_user(request).api_tokens, pk=pk))
    messages.success(request, "Revoked the token.")
    return redirect("account")


def _account(request: HttpRequest, *, new_token: str = "", status: int = 200, **forms: Any) -> HttpResponse:
    user = signed_in_user(request)
    context = {
        "form": forms.get("form") or TokenForm(user=user),
        "name_form": forms.get("name_form") or NameForm(initial={"name": user.get_full_name()}),
        "mails_form": forms.get("mails_form") or MailsForm(user=user),
        "new_token": new_token,
        "account": user,
        "addresses": queries.addresses_of(user),
        "has_second_factor": is_mfa_enabled(user, FACTORS),
        "other_sites": list(SocialAccount.objects.filter(user=user).values_list("provider", flat=True)),
        "memberships": list(queries.memberships_of(user)),
        "invitations": list(queries.invitations_to(user)),
        "n_submissions": access.submissions_visible_to(user).count(),
        "tokens": user.api_tokens.order_by(F("revoked_at").desc(nulls_first=True), "-created_at"),  # active ones first
    }
    return render(request, "leaderboard/accounts/account.html", context, status=status)
