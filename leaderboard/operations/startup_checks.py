"""Configurations with which the site must not start. Plain functions, since the settings call them before startup."""

import ipaddress
from collections.abc import Iterable, Mapping
from typing import Any, Final

MIN_KEY_LENGTH: Final = 50
MIN_DIFFERENT_CHARACTERS: Final = 10
DEVELOPMENT_KEY: Final = "only-for-development-never-for-a-site-that-others-can-reach"
"""Published in this file, so it protects nothing; it is accepted only with ``DEBUG``."""
REPETITIVE: Final = "repeats the same few characters"
PUBLISHED: Final = "is published, or marked as insecure"
HOW_TO_MAKE_A_KEY: Final = (
    "Generate a key with: python -c 'import secrets; print(secrets.token_urlsafe(50))' and set it in the environment."
)


def key_weakness(key: str) -> str:
    """Reason why *key* could be guessed, as the end of a sentence that begins with its name; empty if no weakness is
    found.

    A key that passes is not necessarily good: its randomness cannot be checked.

    >>> key_weakness("abc")
    'has 3 characters, at least 50 are needed'
    >>> key_weakness("0123456789" * 6)
    'repeats the same few characters'
    """
    if len(key) < MIN_KEY_LENGTH:
        return f"has {len(key)} characters, at least {MIN_KEY_LENGTH} are needed"
    if len(set(key)) < MIN_DIFFERENT_CHARACTERS:
        return f"has only {len(set(key))} different characters, at least {MIN_DIFFERENT_CHARACTERS} are needed"
    if key in (key + key)[1:-1]:
        return REPETITIVE
    if key == DEVELOPMENT_KEY or key.startswith("django-insecure-"):
        return PUBLISHED
    return ""


def keys_weakness(key: str, fallbacks: Iterable[str], *, debug: bool) -> str:
    """The site's keys that could be guessed, and why; empty if none. With *debug* the published key is accepted."""
    named = [("SECRET_KEY", key), *(("A key of SECRET_KEY_FALLBACKS", old) for old in fallbacks)]
    weak = [f"{name} {why}" for name, given in named if (why := key_weakness(given))]
    return "" if debug and key == DEVELOPMENT_KEY else (weak or [""])[0]


def is_this_machine(host: str) -> bool:
    """Whether a host name can only refer to this machine; a port, a socket path and an empty name count as that.

    >>> [is_this_machine(host) for host in ("", "localhost", "demo.localhost", "127.0.0.1", "[::1]", "/run/postgresql")]
    [True, True, True, True, True, True]
    >>> [is_this_machine(host) for host in ("*", ".localhost.example", "192.168.1.4", "manyhop.example")]
    [False, False, False, False]
    """
    name = host.strip().lower().rstrip(".")
    if not name or name.startswith("/") or name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(name.strip("[]")).is_loopback
    except ValueError:
        return False


def debug_refusal(*, hosts: Iterable[str], database: Mapping[str, Any], behind_proxy: bool, https: bool) -> str:
    """Reason why ``DEBUG`` cannot be on: which configuration is that of a public site; empty if none.

    Error pages with ``DEBUG`` show settings, URLs and the values of variables, including reference answers.
    """
    elsewhere = [host for host in hosts if not is_this_machine(host)]
    if elsewhere:
        return f"ALLOWED_HOSTS names {', '.join(elsewhere)}"
    if behind_proxy:
        return "BEHIND_PROXY is set"
    if https:
        return "SECURE_SSL is on"
    if not is_this_machine(str(database.get("HOST", ""))):
        return f"DATABASE_URL leads to another machine, {database['HOST']}"
    return ""
