"""The shared cache; the site works without it."""

import logging
from collections.abc import Iterable, Mapping
from typing import Any

from django.core.cache.backends.redis import RedisCache
from redis.exceptions import RedisError

logger = logging.getLogger(__name__)


class ForgivingRedisCache(RedisCache):
    """A Redis cache for values that can be computed again: while Redis is unavailable, nothing is found or stored.

    So no page fails because of it. Operations that must be atomic (``add``, ``incr``), and every method not overridden
    here, still raise `RedisError`.
    """

    def get(self, key: str, default: Any = None, version: int | None = None) -> Any:
        """The cached value, or *default*, also while Redis is unavailable."""
        try:
            return super().get(key, default, version)
        except RedisError as error:
            return self._away(error, default)

    def set(self, key: str, value: Any, *args: Any, **options: Any) -> None:
        """Store a value, unless Redis is unavailable."""
        try:
            super().set(key, value, *args, **options)
        except RedisError as error:
            self._away(error, None)

    def get_many(self, keys: Iterable[str], version: int | None = None) -> dict[str, Any]:
        """The cached values of these keys; empty while Redis is unavailable."""
        try:
            return super().get_many(keys, version)
        except RedisError as error:
            found: dict[str, Any] = self._away(error, {})
            return found

    def set_many(self, data: Mapping[str, Any], *args: Any, **options: Any) -> list[str]:
        """Store several values, unless Redis is unavailable; returns the keys that were not stored."""
        try:
            return list(super().set_many(dict(data), *args, **options))
        except RedisError as error:
            missed: list[str] = self._away(error, list(data))
            return missed

    def delete(self, key: str, version: int | None = None) -> bool:
        """Delete a value; false also while Redis is unavailable."""
        try:
            return bool(super().delete(key, version))
        except RedisError as error:
            self._away(error, None)
            return False

    def _away(self, error: RedisError, default: Any) -> Any:
        logger.warning("The cache is unavailable: %s", type(error).__name__)
        return default
