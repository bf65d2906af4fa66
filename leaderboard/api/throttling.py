"""How often the API may be asked: by account where there is one, otherwise by address."""

import ipaddress
from typing import Any

from django.conf import settings
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from leaderboard.rates import Count, Rate, count

IPV6_NETWORK = 64
"""How much of an IPv6 address names its user: whoever has one address has all of its network."""


class RateLimit(BaseThrottle):
    """Counts against the rate of the view's scope for this method, or the general one.

    The scopes are the keys of ``settings.API_RATES``. A view's count is put into its ``rate_count``.
    """

    _count: Count | None = None

    def allow_request(self, request: Request, view: Any) -> bool:
        known = bool(request.user and request.user.is_authenticated)
        scope = view.scopes.get(request.method, "account" if known else "anonymous")
        rate: Rate = settings.API_RATES[scope]
        who = f"user:{request.user.pk}" if known else f"address:{self.address(request)}"
        self._count = view.rate_count = count(f"{scope}:{who}", rate)
        return self._count is None or self._count.allowed

    def wait(self) -> float | None:
        return self._count.wait if self._count else None

    def address(self, request: Request) -> str:
        """Whose request it is: the address that the web server saw, or the one its proxy vouches for."""
        ident = self.get_ident(request)
        try:
            address = ipaddress.ip_address(ident)
        except ValueError:
            return "unknown"
        if isinstance(address, ipaddress.IPv6Address):
            return str(ipaddress.ip_network((address, IPV6_NETWORK), strict=False))
        return str(address)
