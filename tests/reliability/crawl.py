"""Every address of the site, found in its URL configuration, so that a new page is looked at without being listed."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import quote

from django.contrib import admin
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from django.urls.resolvers import RoutePattern

Parameters = Mapping[str, Sequence[Any]]
"""Values to put in for the parameters of addresses: by name (``split``), by kind and name (``uuid:pk``), or by what
stands before, kind and name (``/systems/slug:slug``) where different things are called alike."""


KINDS = {"StringConverter": "str"}
"""Converters that routes name otherwise than their classes are called."""


class UnknownParameterError(LookupError):
    """An address takes a parameter for which the test has no value: give it one."""


def addresses(parameters: Parameters) -> list[str]:
    """Every address below the root but the admin's, with every combination of the parameters' values."""
    return sorted(set(_expand("/", get_resolver().url_patterns, parameters)))


def _expand(prefix: str, patterns: Sequence[Any], parameters: Parameters) -> Iterator[str]:
    for pattern in patterns:
        if isinstance(pattern, URLResolver):
            if pattern.app_name != "admin":
                for start in _filled(prefix, pattern, parameters):
                    yield from _expand(start, pattern.url_patterns, parameters)
        elif isinstance(pattern, URLPattern):
            yield from _filled(prefix, pattern, parameters)


def _filled(prefix: str, pattern: URLPattern | URLResolver, parameters: Parameters) -> list[str]:
    route = pattern.pattern
    assert isinstance(route, RoutePattern), f"{pattern} is no path(): teach this module to make its addresses"
    found = [prefix + str(route)]
    for name, converter in route.converters.items():
        kind = KINDS.get(type(converter).__name__, type(converter).__name__.removesuffix("Converter").lower())
        slot = f"<{kind}:{name}>"
        kinds = [found[0].partition(slot)[0] + f"{kind}:{name}", f"{kind}:{name}", name]
        values = next((parameters[one] for one in kinds if one in parameters), None)
        if values is None:
            raise UnknownParameterError(f"{route}: what is {kind}:{name}?")
        found = [path.replace(slot, quote(str(value))) for path in found for value in values]
    assert not [path for path in found if "<" in path], found
    return found


def admin_addresses(objects_of_each: int = 2) -> list[str]:
    """The admin's pages for every model, and for some objects of each."""
    found = [reverse("admin:index"), reverse("admin:password_change"), reverse("admin:login"), reverse("admin:jsi18n")]
    for model in admin.site._registry:
        name = f"admin:{model._meta.app_label}_{model._meta.model_name}"
        found += [reverse(f"{name}_changelist"), reverse(f"{name}_add")]
        for pk in model._default_manager.order_by("pk").values_list("pk", flat=True)[:objects_of_each]:
            found += [reverse(f"{name}_{action}", args=[pk]) for action in ("change", "delete", "history")]
    return found
