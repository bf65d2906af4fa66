"""What the web server believes of its clients' headers."""

from urllib.error import HTTPError
from urllib.request import HTTPRedirectHandler, Request, build_opener

import pytest

from tests.processes import Site

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]


class _NoRedirects(HTTPRedirectHandler):
    def redirect_request(self, *arguments: object) -> None:
        return None


def status_of(site: Site, **headers: str) -> int:
    """The status of a page that is redirected to HTTPS unless the request came by it."""
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    try:
        with build_opener(_NoRedirects).open(Request(f"{site.url}/about/", headers=names), timeout=60) as response:
            return int(response.status)
    except HTTPError as error:
        return error.code


class TestWithoutAProxy:
    @pytest.fixture
    def process_options(self) -> dict[str, str]:
        return {"SECURE_SSL": "1", "BEHIND_PROXY": "0"}

    def test_no_header_makes_a_request_secure(self, live_site: Site) -> None:
        assert status_of(live_site) == 301
        assert status_of(live_site, X_Forwarded_Proto="https") == 301
        assert status_of(live_site, X_Forwarded_Protocol="ssl", X_Forwarded_Ssl="on") == 301


class TestBehindAProxy:
    @pytest.fixture
    def process_options(self) -> dict[str, str]:
        return {"SECURE_SSL": "1", "BEHIND_PROXY": "1"}

    def test_the_header_of_the_proxy_says_whether_a_request_is_secure(self, live_site: Site) -> None:
        assert status_of(live_site) == 301
        assert status_of(live_site, X_Forwarded_Proto="http") == 301
        assert status_of(live_site, X_Forwarded_Proto="https") == 200
