"""The environment variables that the site reads, with their defaults."""

import ast
import os
import runpy
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

import environ

ROOT: Final = Path(__file__).resolve().parents[3]
PACKAGES: Final = ("scoring", "leaderboard", "humaneval")
STRONG_KEY: Final = "a-key-that-is-strong-enough-for-production-0123456789-abcdefgh"
_NOTHING: Final = environ.Env.NOTSET


def collect() -> dict[str, Any]:
    """The variables that the settings read, with their defaults, and the names that other code reads."""
    return {"settings": _of_settings(), "elsewhere": sorted(_elsewhere())}


def _of_settings() -> dict[str, Any]:
    read: dict[str, Any] = {}
    plain = environ.Env.get_value

    def noted(self: environ.Env, var: str, cast: Any = None, default: Any = _NOTHING, **options: Any) -> Any:
        read.setdefault(var, {"default": _shown(default), "kind": getattr(cast, "__name__", "text")})
        return plain(self, var, cast, default, **options)

    spec = find_spec("leaderboard.project.settings")
    assert spec is not None and spec.origin is not None
    only = {"SECRET_KEY": STRONG_KEY, "PATH": os.environ.get("PATH", "")}
    with patch.object(environ.Env, "get_value", noted), patch.dict(os.environ, only, clear=True):
        runpy.run_path(spec.origin)
    return read


def _shown(default: Any) -> Any:
    """A default, with the path of the checkout replaced; None where the variable has none."""
    if default is _NOTHING:
        return None
    if isinstance(default, (list, tuple)):
        return [_shown(one) for one in default]
    return default.replace(str(ROOT), "<checkout>") if isinstance(default, str) else default


def _elsewhere() -> set[str]:
    found: set[str] = set()
    for package in PACKAGES:
        for path in (ROOT / package).rglob("*.py"):
            text = path.read_text(encoding="utf-8")
            if "environ" in text or "getenv" in text:
                found.update(_names_in(ast.parse(text)))
    return found


def _names_in(tree: ast.AST) -> Iterator[str]:
    """The names in ``os.environ[…]``, ``os.environ.get(…)``, ``os.getenv(…)`` and the like."""
    for node in ast.walk(tree):
        key: ast.expr | None = None
        if isinstance(node, ast.Subscript) and _is_environment(node.value):
            key = node.slice
        elif isinstance(node, ast.Call) and _asks_environment(node.func):
            key = next(iter(node.args), None)
        if isinstance(key, ast.Constant) and isinstance(key.value, str):
            yield key.value


def _asks_environment(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and (_is_environment(node.value) or node.attr == "getenv")


def _is_environment(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "environ"
