"""Signing in a program by a code: the two addresses that programs ask (RFC 8628), and the page for their users."""

from typing import Final

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.forms import Form
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_POST

from leaderboard.access import signed_in_user
from leaderboard.accounts import device_logins
from leaderboard.accounts.device_logins import CodeError, DeviceError
from leaderboard.accounts.token_forms import DeviceCodeForm, TokenForm, UserCodeForm
from leaderboard.models import DeviceLogin, TokenScope
from leaderboard.web.rate_limits import address_of

CLIENT: Final = "manyhop"
GRANT: Final = "urn:ietf:params:oauth:grant-type:device_code"


@csrf_exempt  # a program without a session
@require_POST
def code(request: HttpRequest) -> HttpResponse:
    """Give a program its code, and the code that its user enters."""
    form = DeviceCodeForm(request.POST)
    if request.POST.get("client_id") != CLIENT:
        return _refused(DeviceError("invalid_client", f"The client_id must be {CLIENT}."))
    if not form.is_valid():
        wrong = "invalid_scope" if "scope" in form.errors else "invalid_request"
        return _refused(DeviceError(wrong, " ".join(str(text) for texts in form.errors.values() for text in texts)))
    name = form.cleaned_data["device_name"] or CLIENT
    scope = form.cleaned_data["scope"] or TokenScope.SUBMIT
    try:
        login, device_code = device_logins.begin(name=name, scope=scope, address=address_of(request))
    except DeviceError as error:
        return _refused(error, 429)
    user_code = f"{login.user_code[:4]}-{login.user_code[4:]}"
    url = settings.SITE_URL + reverse("device-login")
    answer = {
        "device_code": device_code,
        "user_code": user_code,
        "verification_uri": url,
        "verification_uri_complete": f"{url}?code={user_code}",
        "expires_in": device_logins.VALID_FOR.seconds,
        "interval": device_logins.INTERVAL.seconds,
    }
    return JsonResponse(answer, headers={"Cache-Control": "no-store"})


@csrf_exempt  # a program without a session
@require_POST
def token(request: HttpRequest) -> HttpResponse:
    """Give a program its token, once its user has allowed that."""
    if request.POST.get("client_id") != CLIENT:
        return _refused(DeviceError("invalid_client", f"The client_id must be {CLIENT}."))
    if request.POST.get("grant_type") != GRANT:
        return _refused(DeviceError("unsupported_grant_type", f"The grant_type must be {GRANT}."))
    try:
        record, secret = device_logins.fetch_token(request.POST.get("device_code", ""))
    except DeviceError as error:
        return _refused(error)
    answer = {
        "access_token": secret,
        "token_type": "Bearer",
        "expires_in": int((record.expires_at - record.created_at).total_seconds()),
        "scope": record.scope,
    }
    return JsonResponse(answer, headers={"Cache-Control": "no-store"})


def _refused(error: DeviceError, status: int = 400) -> JsonResponse:
    answer = {"error": error.code} | ({"error_description": error.description} if error.description else {})
    return JsonResponse(answer, status=status, headers={"Cache-Control": "no-store"})


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def confirm(request: HttpRequest) -> HttpResponse:
    """Ask for the code of a program, then whether the program may have a token and with what rights."""
    user = signed_in_user(request)
    if request.method != "POST" and "code" not in request.GET:
        return _page(request, UserCodeForm())
    entered = UserCodeForm(request.POST if request.method == "POST" else request.GET)
    if not entered.is_valid():
        return _page(request, entered, status=422)
    try:
        login = device_logins.open_login(user=user, code=entered.cleaned_data["code"])
    except CodeError as error:
        entered.add_error("code", str(error))
        return _page(request, entered, status=422)
    if "deny" in request.POST:
        device_logins.deny(login, user=user)
        messages.success(request, "Denied. The program gets no token.")
        return redirect("account")
    if request.method != "POST":
        form = TokenForm(user=user, initial={"name": login.name, "scope": login.scope})
        return _page(request, form, login)
    form = TokenForm(request.POST, user=user)
    if not form.is_valid():
        return _page(request, form, login, 422)
    device_logins.allow(login, user=user, **form.cleaned_data)
    messages.success(request, "Allowed. The program fetches its token within a few seconds; it is then listed below.")
    return redirect("account")


def _page(request: HttpRequest, form: Form, login: DeviceLogin | None = None, status: int = 200) -> HttpResponse:
    context = {"form": form, "login": login, "account": signed_in_user(request).get_username()}
    return render(request, "leaderboard/accounts/device_login.html", context, status=status)
