"""The base of every API view: rate limits, entity tags, compression, CORS and cache headers."""

import gzip
import hashlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, TypeVar

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseNotModified
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware, re_accepts_gzip
from django.utils.cache import patch_vary_headers
from django.utils.http import parse_etags, quote_etag
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.exceptions import APIException, ParseError, PermissionDenied
from rest_framework.permissions import SAFE_METHODS
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.throttling import BaseThrottle
from rest_framework.views import APIView

from leaderboard.models import ApiToken, TokenScope
from leaderboard.web.parameters import Known, Parameter, unknown_parameters
from leaderboard.web.problem_details import CONTENT_TYPE as PROBLEM
from leaderboard.web.rate_limits import Count, RateLimit, caller_of, count

OF_THE_BODY = ("Content-Type", "Content-Length", "Content-Encoding", "Content-Language")
EXPOSED = "ETag, Link, Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining"
PREFLIGHT_SECONDS = 86400

_gzip = GZipMiddleware(lambda request: HttpResponse())


class Throttle(BaseThrottle):
    """Counts requests against the limit of the view's scope for this method, or against the general limit.

    The scopes are the keys of ``settings.API_RATES``. The count is stored in the view's ``rate_count``.
    """

    _count: Count | None = None

    def allow_request(self, request: Request, view: Any) -> bool:
        scope = view.scopes.get(request.method, "account" if request.user.is_authenticated else "anonymous")
        limit: RateLimit = settings.API_RATES[scope]
        self._count = view.rate_count = count(f"{scope}:{caller_of(request)}", limit)
        return self._count is None or self._count.allowed

    def wait(self) -> float | None:
        return self._count.wait if self._count else None


class RefusedError(APIException):
    """A request that is refused by a problem document.

    Args:
        members: what the document says besides.
    """

    def __init__(self, status: int, detail: str, **members: Any) -> None:
        super().__init__(detail)
        self.status_code = status
        self.members = members


class MissingScopeError(PermissionDenied):
    """A token whose scope does not include what the request needs."""

    def __init__(self, scope: str, needed: str) -> None:
        super().__init__(
            f"The scope of this token is “{scope}”; this request needs “{needed}”. Create a token with that scope on "
            "the account page."
        )
        self.members = {"scope": scope, "needed_scope": needed}


class ApiView(APIView):
    """A view of the API.

    ``public`` views answer everybody alike. Scripts of any other site may read their answer to a GET without a token or
    session, since anybody may read it anyway; no other site may read an answer to any other request.
    A token needs the scope ``read`` for safe methods and those of ``reading``, and ``submit`` for others.
    ``scopes`` names the rates of the methods that have a limit of their own.
    """

    throttle_classes = [Throttle]
    public = True
    scopes: ClassVar[Mapping[str, str]] = {}
    reading: ClassVar[Sequence[str]] = SAFE_METHODS
    rate_count: Count | None = None
    known = False
    """Whether the request had a valid token or session."""

    def perform_authentication(self, request: Request) -> None:
        super().perform_authentication(request)
        self.known = bool(request.user.is_authenticated)

    def check_permissions(self, request: Request) -> None:
        super().check_permissions(request)
        needed = TokenScope.READ if request.method in self.reading else TokenScope.SUBMIT
        if isinstance(request.auth, ApiToken) and not request.auth.allows(needed):
            raise MissingScopeError(request.auth.scope, needed)

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        known = getattr(getattr(self, str(request.method).lower(), None), "query_parameters", None)
        if known is not None:
            refuse_unknown(request, known)

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        response = super().finalize_response(request, response, *args, **kwargs)
        if getattr(response, "content_type", "") == PROBLEM:
            response.accepted_renderer = JSONRenderer()  # whatever format was requested
        # Another token or session may get a different response, whatever the status.
        patch_vary_headers(response, ("Authorization", "Cookie"))
        response.headers.setdefault("Cache-Control", "private, no-cache" if self.known else "no-cache")
        if self.rate_count is not None:
            response["X-RateLimit-Limit"] = str(self.rate_count.limit)
            response["X-RateLimit-Remaining"] = str(self.rate_count.remaining)
        if request.method in SAFE_METHODS:
            if self.public and not self.known:  # scripts of other sites may read it
                response["Access-Control-Allow-Origin"] = "*"
                response["Access-Control-Expose-Headers"] = EXPOSED
                if request.method == "OPTIONS":
                    response["Access-Control-Allow-Methods"] = "GET, HEAD, OPTIONS"
                    response["Access-Control-Allow-Headers"] = "If-None-Match"
                    response["Access-Control-Max-Age"] = str(PREFLIGHT_SECONDS)
            if isinstance(response, Response):
                response.add_post_render_callback(lambda rendered: _finished(request._request, rendered))
            else:
                return _finished(request._request, response)
        return response


Described = TypeVar("Described", bound=Callable[..., Any])


def documented(
    *, parameters: Sequence[OpenApiParameter] = (), checks_itself: bool = False, **documentation: Any
) -> Callable[[Described], Described]:
    """As ``extend_schema``, for the method ``get`` of an `ApiView`: requests with other parameters than those that are
    documented, or with other values than the documented ones, are refused.

    Args:
        checks_itself: whether the method knows more parameters than the documentation can list, and refuses others by
            `refuse_unknown`.
    """
    in_query = [parameter for parameter in parameters if parameter.location == OpenApiParameter.QUERY]
    known = {
        parameter.name: Parameter(tuple(map(str, parameter.enum or ())), listed=bool(parameter.many))
        for parameter in in_query
    }

    def describing(method: Described) -> Described:
        if not checks_itself:
            method.query_parameters = known  # type: ignore[attr-defined]
        return extend_schema(parameters=list(parameters), **documentation)(method)

    return describing


def refuse_unknown(request: Request, known: Known) -> None:
    """Refuse a request whose query has parameters or values that are not known.

    Raises:
        ParseError: it has, and the known ones in words.
    """
    if unknown := unknown_parameters(request._request.GET, known):
        raise ParseError(" ".join(parameter.problem for parameter in unknown))


def gzip_response(request: Request, tag: str, make: Callable[[], bytes]) -> HttpResponse:
    """A response whose tag is known before it is built: 304 if the client has it, otherwise the built response.

    Args:
        tag: changes whenever the response does.
        make: returns the JSON of the response, gzip-compressed.
    """
    etag = f'W/"{tag}"'
    if _is_known(request, etag):
        response: HttpResponse = HttpResponseNotModified()
    elif re_accepts_gzip.search(request.headers.get("Accept-Encoding", "")):
        response = HttpResponse(make(), content_type="application/json", headers={"Content-Encoding": "gzip"})
    else:
        response = HttpResponse(gzip.decompress(make()), content_type="application/json")
    response["ETag"] = etag
    patch_vary_headers(response, ("Accept-Encoding",))
    return response


def _is_known(request: Request | HttpRequest, etag: str) -> bool:
    """Whether the client has the response with this tag, compressed or not."""
    known = [given.removeprefix("W/") for given in parse_etags(request.headers.get("If-None-Match", ""))]
    return etag.removeprefix("W/") in known or known == ["*"]


def _finished(request: HttpRequest, response: HttpResponse) -> HttpResponseBase:
    """A rendered response with its entity tag, or 304 if the client has it; compressed if the client accepts gzip."""
    if response.status_code == 200 and request.method in ("GET", "HEAD") and "ETag" not in response:
        etag = quote_etag(hashlib.sha256(response.content).hexdigest()[:32])
        response["ETag"] = etag
        if _is_known(request, etag):
            unchanged = HttpResponseNotModified()
            for name, value in response.headers.items():
                if name not in OF_THE_BODY:
                    unchanged[name] = value
            patch_vary_headers(unchanged, ("Accept-Encoding",))
            return unchanged
    return _gzip.process_response(request, response)
