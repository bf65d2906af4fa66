"""Every URL pattern of the site with its name, namespace and converters."""

import re
from collections.abc import Iterator
from typing import Any, Final

from django.urls import URLPattern, URLResolver, get_resolver, resolve
from django.urls.converters import get_converters

GALLERY: Final = "/gallery/"
"""The component gallery is a development tool."""
MADE_BY_DJANGO: Final = re.compile(
    r"^/admin/(?!password_change/)(\w+/\w+/$|\w+/\w+/(add|<path:object_id>)/|\(\?P<url>|\^\(\?P<app_label>)"
)
"""URLs of the administration that Django adds for each table."""
SAMPLES: Final = {"uuid": "12345678-1234-4234-8234-123456789abc", "int": "7"}
_PART: Final = re.compile(r"<(?:(\w+):)?\w+>")


def collect() -> dict[str, Any]:
    """The name of each pattern: a list where it has several, an object where an earlier pattern hides it."""
    found: dict[str, list[str]] = {}
    for address, name in _walk(get_resolver(), "/", ""):
        if not address.startswith(GALLERY) and not MADE_BY_DJANGO.match(address):
            found.setdefault(address, []).append(name)
    used = {kind or "str" for address in found for kind in _PART.findall(address)}
    return {
        "addresses": {address: _names(address, names) for address, names in found.items()},
        "converters": {kind: get_converters()[kind].regex for kind in used},
    }


def _walk(resolver: URLResolver, address: str, namespace: str) -> Iterator[tuple[str, str]]:
    for pattern in resolver.url_patterns:
        here = address + str(pattern.pattern)
        if isinstance(pattern, URLPattern):
            yield here, f"{namespace}{pattern.name or ''}"
        else:
            inner = f"{namespace}{pattern.namespace}:" if pattern.namespace else namespace
            yield from _walk(pattern, here, inner)


def _names(address: str, names: list[str]) -> Any:
    sample = _PART.sub(lambda part: SAMPLES.get(part[1] or "str", "word"), address)
    match = resolve(sample)
    answered_by = ":".join([*match.namespaces, match.url_name or ""])
    if answered_by != names[0]:
        return {"names": names, "answered_by": answered_by}
    return names[0] if len(names) == 1 else names
