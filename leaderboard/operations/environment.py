"""Environment variables, read for the settings: a value that cannot be read is refused in a sentence that names it."""

import zoneinfo
from typing import Any, Final
from urllib.parse import urlsplit

import environ
from django.core.exceptions import ImproperlyConfigured

DATABASES: Final = ("postgres", "postgresql", "psql", "pgsql", "sqlite")
DATABASE_FORMS: Final = "postgres://user:password@host:5432/name or sqlite:///path"
EMAIL_FORMS: Final = "smtp://user:password@host:587, or smtp+tls:// or smtp+ssl:// with the same parts"
NOTSET: Final = environ.Env.NOTSET
NUMBERS: Final = {int: "a whole number", float: "a number such as 0.5 or 30"}
LOG_LEVELS: Final = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")


class Environment(environ.Env):
    """Reads variables like ``environ.Env``.

    Raises:
        ImproperlyConfigured: a value cannot be read. The message names the variable and what is expected; the value
            of a variable that may contain a password is not in it.
    """

    def get_value(self, var: str, cast: Any = None, default: Any = NOTSET, **options: bool) -> Any:
        """The value of a variable, as *cast* reads it."""
        try:
            return super().get_value(var, cast, default, **options)
        except ValueError:
            if cast not in NUMBERS:
                raise
            raise ImproperlyConfigured(f"{var} is {self.ENVIRON[var]!r}; it must be {NUMBERS[cast]}.") from None

    @classmethod
    def parse_value(cls, value: Any, cast: Any) -> Any:
        """A number as it is written: ``environ`` would skip all letters and read ``1e3`` as 13."""
        return cast(value) if cast in NUMBERS else super().parse_value(value, cast)

    def db_url(self, var: str, default: Any = NOTSET) -> dict[str, Any]:
        url = self.get_value(var, default=default)
        try:
            if urlsplit(url).scheme not in DATABASES and url != "sqlite://:memory:":
                raise ValueError(url)
            return dict(self.db_url_config(url))
        except ValueError:
            raise _unreadable(var, DATABASE_FORMS) from None

    def email_url(self, var: str) -> dict[str, Any]:
        """A server that sends emails, or another way to deliver them."""
        url = self.get_value(var)
        try:
            parts = dict(self.email_url_config(url))
        except (ValueError, ImproperlyConfigured):
            raise _unreadable(var, EMAIL_FORMS) from None
        if urlsplit(url).scheme.startswith("smtp") and not parts["EMAIL_HOST"]:
            raise _unreadable(var, EMAIL_FORMS)
        return parts


def _unreadable(var: str, expected: str) -> ImproperlyConfigured:
    return ImproperlyConfigured(
        f"{var} cannot be read. It must have the form {expected}, with special characters of a password "
        "percent-encoded. (Its value is not shown, because it may contain a password.)"
    )


def time_zone(var: str, name: str) -> str:
    """The name of a time zone, if there is a zone of that name.

    >>> time_zone("TIME_ZONE", "Europe/Vienna")
    'Europe/Vienna'
    """
    try:
        zoneinfo.ZoneInfo(name)
    except (ValueError, OSError, zoneinfo.ZoneInfoNotFoundError):
        raise ImproperlyConfigured(f"{var} is {name!r}; it must be a time zone such as UTC or Europe/Vienna.") from None
    return name


def path_of(address: str) -> str:
    """The path of a site's address without a slash at its end; empty at the root of its host, and if the address cannot
    be read (`leaderboard.operations.setting_rules` refuses that one).

    >>> path_of("https://lab.example/manyhop"), path_of("https://manyhop.example")
    ('/manyhop', '')
    """
    try:
        return urlsplit(address).path.rstrip("/")
    except ValueError:
        return ""
