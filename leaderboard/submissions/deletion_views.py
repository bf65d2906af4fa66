"""The page on which somebody deletes their account, and decides what becomes of their submissions."""

from allauth.account.internal import flows
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from leaderboard.access import signed_in_user
from leaderboard.accounts import services as account_services
from leaderboard.accounts.forms import DeleteAccountForm
from leaderboard.submissions import deletion


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def delete_account(request: HttpRequest) -> HttpResponse:
    """Delete the account, or explain why it cannot be deleted. The password is required again first."""
    user = signed_in_user(request)
    reason = account_services.deletion_blocker(user)
    n_private, n_kept = deletion.count_own(user)
    form = DeleteAccountForm(request.POST or None, expected=user.get_username(), has_published=bool(n_kept))
    if request.method == "POST" and not reason and form.is_valid():
        flows.reauthentication.raise_if_reauthentication_required(request, app="allauth.account")
        try:
            deletion.delete_account(
                user=user, erased=form.cleaned_data["erased"], withdrawn=form.cleaned_data.get("withdrawn", False)
            )
        except account_services.AccountError as error:
            reason = str(error)
        else:
            logout(request)
            messages.success(request, "Your account was deleted.")
            return redirect("home")
    page = {
        "form": form,
        "reason": reason,
        "n_private": n_private,
        "n_kept": n_kept,
    }
    status = 422 if request.method == "POST" else 200
    return render(request, "leaderboard/accounts/delete.html", page, status=status)
