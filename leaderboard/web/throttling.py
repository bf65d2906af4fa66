"""How often the API may be asked: by account where there is one, otherwise by address."""

import ipaddress
from typing import Any, cast

from django.conf import settings
from django.http import HttpRequest
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from leaderboard.web.rate_limits import Count, Rate, count

IPV6_NETWORK = 64
"""How much of an IPv6 address names its user: whoever has one address has all of its network."""


class RateLimit(BaseThrottle):
    """Counts against the rate of the view's scope for this method, or the general one.

    The scopes are the keys of ``settings.API_RATES``. A view's count is put into its ``rate_count``.
    """

    _count: Count | None = None

    def allow_request(self, request: Request, view: Any) -> bool:
        scope = view.scopes.get(request.method, "account" if _is_known(request) else "anonymous")
        rate: Rate = settings.API_RATES[scope]
        self._count = view.rate_count = count(f"{scope}:{self.caller(request)}", rate)
        return self._count is None or self._count.allowed

    def wait(self) -> float | None:
        return self._count.wait if self._count else None

    def caller(self, request: Request | HttpRequest) -> str:
        """Who asks: an account where there is one, otherwise an address."""
        return f"user:{request.user.pk}" if _is_known(request) else f"address:{self.address(request)}"

    def address(self, request: Request | HttpRequest) -> str:
        """Whose request it is: the address that the web server saw, or the one its proxy vouches for."""
        ident = self.get_ident(cast("Request", request))
        try:
            address = ipaddress.ip_address(ident)
        except ValueError:
            return "unknown"
        if isinstance(address, ipaddress.IPv6Address):
            return str(ipaddress.ip_network((address, IPV6_NETWORK), strict=False))
        return str(address)


def _is_known(request: Request | HttpRequest) -> bool:
    return bool(request.user and request.user.is_authenticated)
