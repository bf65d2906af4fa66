"""Removes secrets from logs: tokens in URLs, which grant access to anybody who has them.

Neither Django nor any module of the site is imported, so that the web server can use it before the site starts.
"""

import logging
import re
from typing import Final

_SLASH: Final = r"(?:/|%2[Ff])"
TOKENS: Final = re.compile(
    rf"({_SLASH}(?:join|invitations?|verify|reset|mails){_SLASH})[^\s/?#&\"'<>]{{16,}}"
    r"|([?&](?:code|state|token|key|PROLIFIC_PID|SESSION_ID|STUDY_ID|workerId|assignmentId|hitId)=)[^\s&#\"'<>]+"
)
"""Links into studies and teams, links that verify an address, reset a
password or turn off emails, the parameters that another site sends at
sign-in, and the ids of people whom a platform recruits for a study.
Also if such a URL is itself a parameter of another."""


def redacted(text: str) -> str:
    """A text without the tokens in the addresses in it.

    >>> redacted("Not Found: /studies/spring/join/0123456789abcdef0123/")
    'Not Found: /studies/spring/join/…/'
    >>> redacted('"GET /accounts/github/login/callback/?code=abc&state=x HTTP/1.1" 302')
    '"GET /accounts/github/login/callback/?code=…&state=… HTTP/1.1" 302'
    """
    return TOKENS.sub(lambda match: f"{match[1] or match[2]}…", text)


class WithoutLinks(logging.Filter):
    """Removes such tokens from the message of every record: request logs contain the path."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Passes every record, without such tokens."""
        try:
            message = record.getMessage()
        except (TypeError, ValueError, KeyError):
            return True  # the handler reports the problem
        without = redacted(message)
        if without != message:
            record.msg, record.args = without, ()
        return True
