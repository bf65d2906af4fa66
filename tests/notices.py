"""What a page or a mail tells about an action, read by structure instead of by its sentences."""

import html
import re
from typing import Any

from django.template.loader import render_to_string
from django.test import Client

_NOTICE = re.compile(
    r'<div class="alert alert--(\w+)"\s+role="status">.*?<div class="alert__body">(.*?)</div>', re.DOTALL
)


def plain(text: str) -> str:
    """A piece of HTML as it reads: without tags, with its characters, and single spaces."""
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", text)).split())


def text_of(response: Any) -> str:
    """The markup of a page, with single spaces."""
    return " ".join(response.content.decode().split())


def signed_in(client: Client) -> bool:
    """Whether the client's session is of a user."""
    return "_auth_user_id" in client.session


def notices(response: Any) -> list[tuple[str, str]]:
    """The messages on a page, each with its tone (info, good, warn or bad) and text."""
    return [(tone, plain(body)) for tone, body in _NOTICE.findall(response.content.decode())]


def error_codes(response: Any, form: str = "form") -> dict[str, list[str]]:
    """The codes of the errors of a page's form, by field; ``__all__`` has those of the form as a whole.

    Fails if the page does not show the text of each.
    """
    page = plain(response.content.decode())
    found: dict[str, list[str]] = {}
    for field, errors in response.context[form].errors.as_data().items():
        for error in errors:
            assert all(plain(html.escape(str(text))) in page for text in error.messages), (field, error.messages)
            found.setdefault(field, []).append(error.code or "")
    return found


def mail_subject(name: str, app: str = "account") -> str:
    """The subject of a mail about an account, by the name of its template."""
    return f"Manyhop: {render_to_string(f'{app}/email/{name}_subject.txt').strip()}"
