"""A signed-in person and a program with a token, who send submissions to the real web server."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from django.conf import settings
from django.test import Client

from leaderboard.accounts import tokens
from leaderboard.models import User
from tests import factories
from tests.processes import Site
from tests.reliability.raw_http import (
    BOUNDARY,
    TIMEOUT_SECONDS,
    Answer,
    Part,
    exchange,
    fields,
    head,
    multipart,
)

FORM_TYPE = f"multipart/form-data; boundary={BOUNDARY}"


class Door(Protocol):
    """A way into the site by which submissions come."""

    name: str
    path: str
    accepted: int

    def headers(self) -> dict[str, str]: ...

    def statement(self) -> list[Part]: ...

    def send(self, headers: dict[str, str], body: bytes, *, end: bool = False, listen: bool = True) -> Answer: ...

    def submit(self, parts: Sequence[Part], *, timeout: float = TIMEOUT_SECONDS) -> Answer: ...


@dataclass
class _Visitor:
    port: int
    path: str
    accepted: int
    own_headers: dict[str, str]
    own_fields: dict[str, str]
    name: str

    def headers(self) -> dict[str, str]:
        """What every request of this visitor carries."""
        return dict(self.own_headers)

    def statement(self) -> list[Part]:
        """The form without its files, in order in every field."""
        return fields(factories.form_data() | self.own_fields)

    def send(self, headers: dict[str, str], body: bytes, *, end: bool = False, listen: bool = True) -> Answer:
        """A POST with just these headers beside the visitor's own."""
        request = head("POST", self.path, self.port, self.headers() | headers) + body
        return exchange(self.port, request, end=end, listen=listen)

    def submit(self, parts: Sequence[Part], *, timeout: float = TIMEOUT_SECONDS) -> Answer:
        """A well-formed POST of the statement and *parts*."""
        body = multipart([*self.statement(), *parts])
        headers = self.headers() | {"Content-Type": FORM_TYPE, "Content-Length": str(len(body))}
        return exchange(self.port, head("POST", self.path, self.port, headers) + body, timeout=timeout)


def by_form(site: Site, user: User) -> Door:
    """Somebody at the page, signed in and with its form open."""
    client = Client()
    client.force_login(user)
    session = client.cookies[settings.SESSION_COOKIE_NAME]
    page = exchange(site.port, head("GET", "/submit/", site.port, {"Cookie": f"{session.key}={session.value}"}))
    assert page.status == 200, page.text
    token = page.headers["set-cookie"].split(f"{settings.CSRF_COOKIE_NAME}=", 1)[1].split(";", 1)[0]
    cookies = f"{session.key}={session.value}; {settings.CSRF_COOKIE_NAME}={token}"
    own_headers = {"Cookie": cookies, "Origin": site.url, "Referer": f"{site.url}/submit/"}
    own_fields = {"csrfmiddlewaretoken": token, "confirm_missing": "on", "confirm_same": "on"}
    return _Visitor(site.port, "/submit/", 302, own_headers, own_fields, "form")


def by_api(site: Site, user: User) -> Door:
    """A program with one of the account's tokens."""
    _, secret = tokens.create_token(user=user, name="tests", scope="maintain")
    return _Visitor(site.port, "/api/v1/submissions/", 201, {"Authorization": f"Token {secret}"}, {}, "API")


def doors(site: Site, user: User) -> list[Door]:
    """Both ways in."""
    return [by_form(site, user), by_api(site, user)]
