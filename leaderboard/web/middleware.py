"""Middleware that processes every request."""

import codecs
import logging
from typing import Final
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.messages.storage.cookie import CookieStorage
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.middleware.http import ConditionalGetMiddleware
from django.utils.deprecation import MiddlewareMixin
from whitenoise.middleware import WhiteNoiseMiddleware

from leaderboard.operations.startup_checks import is_this_machine
from leaderboard.web.error_pages import refusal, too_many
from leaderboard.web.rate_limits import OverLimitError
from leaderboard.web.uploads import body_problem, discard_unfinished_files, max_body_bytes
from scoring.benchmarks import UnknownBenchmarkError

logger = logging.getLogger(__name__)

FORM_FIELDS_BYTES = 4 * 2**20
"""The maximum size of everything in a request that is not a file."""
NUL = "\0"
PROBES: Final = frozenset({"/healthz", "/readyz", "/metrics"})
WITH_BODY = ("POST", "PUT", "PATCH")
BY_A_PROXY: Final = ("X-Forwarded-For", "X-Forwarded-Proto", "X-Forwarded-Host", "X-Real-IP", "Forwarded", "Via")
PERMISSIONS_POLICY: Final = "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()"
"""Device features that no page of the site uses, disabled so that injected code cannot use them either."""


class ThisMachineOnlyMiddleware(MiddlewareMixin):
    """Refuses requests from another machine or through a proxy while ``DEBUG`` is on, before any other code runs.

    Whatever address the server listens on and whatever host was requested, error pages with internal data reach nobody
    else.
    """

    def process_request(self, request: HttpRequest) -> HttpResponse | None:
        address = request.META.get("REMOTE_ADDR", "")
        if not address or not is_this_machine(address) or any(name in request.headers for name in BY_A_PROXY):
            text = "DEBUG is on: this site only answers requests from its own machine, not through a proxy.\n"
            return HttpResponse(text, status=403, content_type="text/plain; charset=utf-8")
        return None


class ProbesMiddleware(MiddlewareMixin):
    """Lets load balancers, container engines and Prometheus use whatever address they know: requests for these pages
    count as requests for the site's first host name. No page has a link made from it."""

    def process_request(self, request: HttpRequest) -> None:
        if request.path_info in PROBES and settings.ALLOWED_HOSTS:
            request.META["HTTP_HOST"] = settings.ALLOWED_HOSTS[0].lstrip(".")


class StaticFilesMiddleware(WhiteNoiseMiddleware):  # type: ignore[misc]
    """Static files, also under the names that they have in another version: during an upgrade, a page of one version
    may ask a process of the other. The reply is this version's file, and nobody may cache it under that name."""

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        path = request.path_info
        if path.startswith(self.static_prefix) and path not in self.files:
            url = self.get_static_url(self.get_name_without_hash(path.removeprefix(self.static_prefix)))
            file = url and self.files.get(urlsplit(url).path.removeprefix(settings.SITE_PATH))
            if file:
                response: HttpResponseBase = self.serve(file, request)
                response["Cache-Control"] = "no-store"
                return response
        reply: HttpResponseBase = super().__call__(request)
        return reply


class PageTagsMiddleware(ConditionalGetMiddleware):
    """Adds an ETag made from its content to every page without one, and answers 304 if the client has it already.

    Not for requests with a session: their pages name the reader and contain form tokens, which are always different.
    """

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        page = response.headers.get("Content-Type", "").startswith("text/html")
        if not page or response.status_code != 200 or settings.SESSION_COOKIE_NAME in request.COOKIES:
            return response
        return super().process_response(request, response)


class HeadersMiddleware(MiddlewareMixin):
    """Adds what Django has no setting for: security headers, and the path of the cookie with messages."""

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        del request
        response.headers.setdefault("Permissions-Policy", PERMISSIONS_POLICY)
        if CookieStorage.cookie_name in response.cookies:
            response.cookies[CookieStorage.cookie_name]["path"] = settings.SESSION_COOKIE_PATH
        return response


class RefusedPagesMiddleware(MiddlewareMixin):
    """Answers 404 for a benchmark in the database that no definition describes any more, and 429 over a rate limit."""

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """The page that refuses the request (404 for a benchmark without a definition); None for other errors."""
        if isinstance(exception, OverLimitError):
            return too_many(request, exception.wait)
        if isinstance(exception, UnknownBenchmarkError):
            logger.error("%s uses a benchmark without a definition: %s", request.path, exception)
            raise Http404("This benchmark is not available.") from exception
        return None


class UploadLimitMiddleware(MiddlewareMixin):
    """Refuses requests that the rest of the site should not have to handle, each with its reason.

    A request that announces more than any form of the site accepts is refused before its body is read, and so is one
    without a length. A truncated body is answered with an error, whatever its parser made of it.
    """

    def __call__(self, request: HttpRequest) -> HttpResponse:
        refused = _refused(request)
        if refused is not None:
            return refused
        # Cookies with a NUL: the site sets none, and the database cannot look for them.
        for name in [name for name, value in request.COOKIES.items() if NUL in value]:
            del request.COOKIES[name]
        try:
            response: HttpResponse = self.get_response(request)  # type: ignore[assignment]
        finally:
            discard_unfinished_files(request)
        problem = body_problem(request)
        if problem and response.status_code >= 400:
            response = refusal(request, 400, problem)
        return response


def _refused(request: HttpRequest) -> HttpResponse | None:
    if "%00" in request.META.get("QUERY_STRING", ""):  # PostgreSQL accepts no NUL, not even in a search
        return refusal(request, 400, "The URL contains a NUL character; no resource has one in its name.")
    announced = request.headers.get("Content-Length")
    sends_a_body = request.method in WITH_BODY and bool(request.content_type)
    if "Transfer-Encoding" in request.headers or (sends_a_body and not announced):
        return refusal(request, 411, "Send the request in one piece with a Content-Length, not chunked.")
    if announced and not announced.isdecimal():
        return refusal(request, 400, "The Content-Length header is not a number.")
    limit = max_body_bytes() + FORM_FIELDS_BYTES
    if announced and int(announced) > limit:
        return refusal(
            request,
            413,
            f"The request is {int(announced) // 2**20:,} MiB. A generations file may have up to "
            f"{settings.UPLOAD_LIMIT_MB} MiB. Nothing was stored.",
        )
    try:
        charset = codecs.lookup((request.content_params or {}).get("charset", "utf-8")).name
    except (LookupError, ValueError):
        charset = ""
    if charset not in ("utf-8", "ascii"):
        return refusal(
            request, 415, "The Content-Type header names an encoding other than UTF-8. Send the request as UTF-8."
        )
    return None


class PrivatePagesMiddleware(MiddlewareMixin):
    """Allows only the reader's own browser to store pages for signed-in users, and makes it revalidate them each time.

    Such pages name the reader, and many contain private data. Pages that set their own cache headers are not changed.
    """

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        if request.session.accessed and request.user.is_authenticated:
            response.headers.setdefault("Cache-Control", "private, no-cache")
        return response
