"""The OpenAPI document without its prose: paths, methods, names, parameters, schemas, security."""

from typing import Any, Final

from drf_spectacular.generators import SchemaGenerator

PROSE: Final = frozenset({"description", "summary", "title", "example", "examples", "externalDocs"})
BY_NAME: Final = frozenset({"properties", "schemas", "headers", "responses", "paths", "content", "securitySchemes"})
"""Objects whose keys are names and not keywords: a property may be called ``title``."""


def collect() -> dict[str, Any]:
    """The document as generated now. ``info`` is left out: it holds prose and the version of the software."""
    document = SchemaGenerator().get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
    return {
        key: _plain(value, by_name=key in BY_NAME) for key, value in document.items() if key not in ("info", "tags")
    }


def _plain(value: Any, *, by_name: bool = False) -> Any:
    if isinstance(value, dict):
        return {
            str(key): _sorted(key, _plain(inner, by_name=key in BY_NAME and not by_name))
            for key, inner in value.items()
            if by_name or key not in PROSE
        }
    return [_plain(inner) for inner in value] if isinstance(value, list) else value


def _sorted(key: str, value: Any) -> Any:
    """A value, sorted if it is a list whose order has no meaning."""
    if key == "parameters" and isinstance(value, list):
        return sorted(value, key=lambda one: (one.get("in", ""), one.get("name", "")))
    return sorted(value) if key == "required" and isinstance(value, list) else value
