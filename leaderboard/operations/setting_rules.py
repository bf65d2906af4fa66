"""Settings that can be read, but with which some page or process would fail: one table of rules.

Each problem names the variable, its value and what is expected. A value that may contain a password or a key is not
shown. ``checks`` reports the problems, and no process of a site starts with one, except with one of the judge: then its
runs wait.
"""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from email.utils import parseaddr
from functools import partial
from typing import Any, Final
from urllib.parse import urlsplit

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from scoring.metrics.asking.config import judge_problems
from scoring.task_types import known_metrics

CACHES: Final = ("redis", "rediss", "unix")
QUEUES: Final = ("redis", "rediss", "redis+socket", "amqp", "amqps", "filesystem", "memory")
# A part of the path that is "." or ".." is resolved by browsers: links would lead to another path.
_SITE = re.compile(r"[^/]+//[^/?#@\\\s]+(/(?!\.\.?(?:/|$))[A-Za-z0-9._-]+)*")
_CREDENTIALS = re.compile(r"//[^/?#]*@")
_HOST = re.compile(r"[^\s/:*]+|\[[0-9A-Fa-f:.]+\]")


@dataclass(frozen=True)
class Rule:
    """Rule that the value of a variable must obey."""

    variable: str
    expected: str
    """The end of a sentence: "It must be …"."""
    holds: Callable[[Any], bool]
    """Whether one value is valid; of a list, each value."""
    setting: str = ""
    """The setting that the variable becomes, if it has another name."""
    secret: bool = False
    default_of: str = ""
    """The setting whose value this one has by default: its problem is reported once."""

    def problem(self) -> str:
        """The problem with the present value; empty if there is none."""
        value = getattr(settings, self.setting or self.variable)
        default = getattr(settings, self.default_of) if self.default_of else None
        if isinstance(default, list):
            default = (default or [""])[0].rstrip("/")
        if value and value == default:
            return ""
        wrong = [item for item in (value if isinstance(value, list) else [value]) if not self.holds(item)]
        if not wrong:
            return ""
        values = _CREDENTIALS.sub("//…@", ", ".join(map(repr, wrong)))
        shown = "has an invalid value, which is not shown" if self.secret else f"is {values}"
        return f"{self.variable} {shown}. It must be {self.expected}."


def _at_least(least: float, variable: str) -> Rule:
    return Rule(variable, f"a number of at least {least:g}", lambda value: least <= value < math.inf)


def _is_url(value: str, schemes: tuple[str, ...], *, with_host: bool = False) -> bool:
    try:
        parts = urlsplit(value)
        _ = parts.port  # fails if it is no number
    except ValueError:
        return False
    return parts.scheme in schemes and "://" in value and (bool(parts.hostname) or not with_host)


_is_web_address = partial(_is_url, schemes=("http", "https"), with_host=True)


def _is_site(value: str) -> bool:
    return _is_web_address(value) and _SITE.fullmatch(value) is not None


def _is_address(value: str) -> bool:
    name, at, host = parseaddr(value)[1].rpartition("@")
    return bool(name and at and host) and not re.search(r"[\s@]", name + host)


RULES: Final = (
    _at_least(1, "SWEEP_SECONDS"),
    _at_least(1, "UPLOAD_LIMIT_MB"),
    Rule(
        "REDIS_URL",
        "an address such as redis://host:6379/0 (or rediss://, unix://), or empty",
        lambda value: not value or _is_url(value, CACHES),
        secret=True,
    ),
    Rule(
        "CELERY_BROKER_URL",
        f"an address that begins with one of {', '.join(f'{scheme}://' for scheme in QUEUES)}",
        lambda value: all(_is_url(url, QUEUES) for url in value.split(";")),
        secret=True,
        default_of="REDIS_URL",
    ),
    Rule(
        "ALLOWED_HOSTS",
        "host names without https://, port and path, such as manyhop.example",
        lambda value: _HOST.fullmatch(value) is not None,
    ),
    Rule(
        "CSRF_TRUSTED_ORIGINS",
        "addresses such as https://manyhop.example, without user name, password, query and fragment",
        lambda value: _is_site(value.rstrip("/")),
    ),
    Rule(
        "SITE_URL",
        "an address that begins with https:// or http://, such as https://manyhop.example or "
        "https://lab.example/manyhop, without user name, password, query and fragment; the parts of a path may have "
        "letters, digits, hyphens, dots and underscores, and none is . or ..",
        _is_site,
        default_of="CSRF_TRUSTED_ORIGINS",
    ),
    Rule(
        "EMAIL_FROM",
        "an email address such as manyhop@manyhop.example",
        _is_address,
        setting="DEFAULT_FROM_EMAIL",
    ),
)


def problems() -> list[str]:
    """Every problem of the settings."""
    return _of_rules() + judge_problems(settings)


def _of_rules() -> list[str]:
    of_metrics = (
        Rule(variable, expected, lambda value: False)
        for metric in known_metrics().values()
        for variable, expected in metric.invalid_settings(settings).items()
    )
    return [problem for rule in (*RULES, *of_metrics) if (problem := rule.problem())]


def refuse_invalid() -> None:
    """Refuse to start with invalid settings. A judge that is not configured correctly stops nothing: its runs wait with
    that reason.

    Raises:
        ImproperlyConfigured: some are; the message has every problem.
    """
    broken = _of_rules()
    if broken:
        raise ImproperlyConfigured(" ".join(broken))
