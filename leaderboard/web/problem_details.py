"""Errors of the API as problem details (RFC 9457): ``application/problem+json``."""

import math
from http import HTTPStatus
from typing import Any, Final

from django.http import Http404, JsonResponse
from django.http.request import RawPostDataException, UnreadablePostError
from rest_framework.exceptions import APIException, NotAuthenticated, Throttled
from rest_framework.response import Response
from rest_framework.views import exception_handler

from leaderboard.web.rate_limits import OverLimitError

CONTENT_TYPE = "application/problem+json"
AUTHENTICATION_REQUIRED: Final = (
    "Authentication is required: send the header “Authorization: Token …” with a token from your account page."
)


def problem(status: int, detail: str, **more: Any) -> dict[str, Any]:
    """The body of a problem: type, title, status, detail, and further members."""
    return {"type": "about:blank", "title": HTTPStatus(status).phrase, "status": status, "detail": detail, **more}


def problem_response(status: int, detail: str, **more: Any) -> JsonResponse:
    """A problem as a response outside the API's own views."""
    return JsonResponse(problem(status, detail, **more), status=status, content_type=CONTENT_TYPE)


def problem_details(error: Exception, context: dict[str, Any]) -> Response | None:
    """Every error that the API's views raise, as problem details."""
    if isinstance(error, (UnreadablePostError, RawPostDataException)):
        return Response(
            problem(400, "The upload was incomplete and nothing was stored. Send it again."),
            status=400,
            content_type=CONTENT_TYPE,
        )
    if isinstance(error, OverLimitError):
        error = Throttled(error.wait)
    response = exception_handler(error, context)
    if response is None:
        return None
    detail = str(error)
    if isinstance(error, Http404):
        detail = "The resource does not exist, or you do not have access to it."
        if getattr(context["request"].user, "rights_withheld", False):
            detail += " With this token you have no rights as staff: they need the scope “maintain”."
    elif isinstance(error, APIException):
        nested = isinstance(error.detail, (list, dict))
        detail = "; ".join(map(str, error.get_full_details())) if nested else str(error.detail)
    if isinstance(error, NotAuthenticated):
        detail = AUTHENTICATION_REQUIRED
    if isinstance(error, Throttled):
        wait = math.ceil(getattr(error, "wait", None) or 1)
        response["Retry-After"] = str(wait)
        detail = f"Too many requests. Try again in {wait:,} seconds."
    response.data = problem(response.status_code, detail, **getattr(error, "members", {}))
    response.content_type = CONTENT_TYPE
    return response
