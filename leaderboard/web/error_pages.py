"""Error responses: pages for people, problem details below ``/api/``; each with a reason."""

import sys
from typing import Any

from django.conf import settings
from django.core.exceptions import (
    DisallowedHost,
    RequestDataTooBig,
    TooManyFieldsSent,
    TooManyFilesSent,
)
from django.http import HttpRequest, HttpResponse, HttpResponsePermanentRedirect
from django.http.multipartparser import MultiPartParserError
from django.shortcuts import render
from django.urls import is_valid_path
from django.views import defaults

from leaderboard.web.failures import RETRY_SECONDS, Failure, failure_of
from leaderboard.web.problem_details import problem_response

API = "/api/"
TEMPLATES = {413: "413.html", 503: "503.html", 507: "507.html"}
"""The template by status; any other status has the page of 400."""
SAFE = ("GET", "HEAD", "OPTIONS")
DISK_FULL = "The server's disk is full. Nothing was saved. Try again later."
READ_ONLY = "The server cannot write to its folder of files. Nothing was saved. Try again later."
STORE_AWAY = "The storage of files does not answer. Nothing was saved. Try again later."
DATABASE_UNAVAILABLE = "The database is unavailable."


def refusal(request: HttpRequest, status: int, detail: str, **more: Any) -> HttpResponse:
    """A refusal with its reason. Uses only the request's path, since the rest may not have been read.

    Args:
        more: further members of the problem document of an API.
    """
    if request.path_info.startswith(API):
        return problem_response(status, detail, **more)
    context = {"detail": detail, "limit_mb": settings.UPLOAD_LIMIT_MB}
    return render(None, TEMPLATES.get(status, "400.html"), context, status=status)


def too_many(request: HttpRequest, wait: int) -> HttpResponse:
    """The page for requests over a rate limit; the next attempt is allowed in *wait* seconds."""
    response = render(request, "429.html", {"retry_after": wait}, status=429)
    response["Retry-After"] = str(wait)
    return response


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Django's handler of invalid requests."""
    status, detail = 400, ""
    if isinstance(exception, TooManyFilesSent):
        most = settings.DATA_UPLOAD_MAX_NUMBER_FILES
        detail = f"More than {most} files were sent. A submission has at most one file per setting."
    elif isinstance(exception, TooManyFieldsSent):
        detail = (
            f"More than {settings.DATA_UPLOAD_MAX_NUMBER_FIELDS:,} form fields were sent. Choose fewer and try again."
        )
    elif isinstance(exception, RequestDataTooBig):
        room = settings.DATA_UPLOAD_MAX_MEMORY_SIZE // 2**20
        status, detail = 413, f"The form fields, not counting files, contain more than {room} MiB."
    elif isinstance(exception, MultiPartParserError):
        detail = f"The form data could not be read: {exception}."
    elif isinstance(exception, DisallowedHost):
        detail = "The Host header does not name a host of this site."
    return refusal(request, status, detail)


def server_error(request: HttpRequest) -> HttpResponse:
    """Django's handler of server errors: 507 if the disk is full, 503 if it is read-only or the database or the
    object storage is unavailable, otherwise 500."""
    failure = failure_of(sys.exception())
    if failure == Failure.DISK_FULL:
        return _failed(request, 507, DISK_FULL)
    if failure in (Failure.READ_ONLY, Failure.STORE_AWAY):
        return _failed(request, 503, READ_ONLY if failure == Failure.READ_ONLY else STORE_AWAY)
    if failure is not None:
        detail, more = DATABASE_UNAVAILABLE, {"may_be_stored": True}
        if failure == Failure.UNREACHABLE or request.method in SAFE:
            detail, more = f"{detail} Nothing was changed. Try again in a minute.", {}
        elif request.path_info.startswith(API):
            detail += (
                " This request may have been carried out. Send it again with the same Idempotency-Key and content: if "
                "it was, the response is the submission that it made. Without a key, look at GET /api/v1/submissions/ "
                "first."
            )
        else:
            detail += " What you sent may have been saved. Look at the page again in a minute before you send it again."
        return _failed(request, 503, detail, **more)
    if request.path_info.startswith(API):
        return problem_response(500, "An error occurred on this site and was logged. Try again later.")
    return defaults.server_error(request)


def _failed(request: HttpRequest, status: int, detail: str, **more: bool) -> HttpResponse:
    response = refusal(request, status, detail, **more)
    response["Cache-Control"] = "no-store"
    if status == 503:
        response["Retry-After"] = str(RETRY_SECONDS)
    return response


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Django's handler of unknown URLs."""
    if request.path_info.startswith(API):
        meant = is_valid_path(f"{request.path_info}/") if not request.path.endswith("/") else False
        if meant and meant.route.startswith(API.lstrip("/")):
            # 308 preserves method and body, so a program that forgot the slash still submits.
            return HttpResponsePermanentRedirect(request.get_full_path(force_append_slash=True), preserve_request=True)
        return problem_response(404, "This page does not exist, or you do not have access to it.")
    return defaults.page_not_found(request, exception)
