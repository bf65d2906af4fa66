"""The shared cache, without which everything still works."""

import logging
from collections.abc import Iterable, Mapping
from typing import Any

from django.core.cache.backends.redis import RedisCache
from redis.exceptions import RedisError

logger = logging.getLogger(__name__)


class ForgivingRedisCache(RedisCache):
    """Redis as a place for what can be computed again: while it is away nothing is found, and nothing is kept.

    So no page fails with it. What counts on being the only one to do something (``add``, ``incr``) is told the truth:
    those still raise `RedisError`, as does everything not named here.
    """

    def get(self, key: str, default: Any = None, version: int | None = None) -> Any:
        """What is kept, or *default*, also while Redis is away."""
        try:
            return super().get(key, default, version)
        except RedisError as error:
            return self._away(error, default)

    def set(self, key: str, value: Any, *args: Any, **options: Any) -> None:
        """Keep something, unless Redis is away."""
        try:
            super().set(key, value, *args, **options)
        except RedisError as error:
            self._away(error, None)

    def get_many(self, keys: Iterable[str], version: int | None = None) -> dict[str, Any]:
        """What is kept of these; nothing while Redis is away."""
        try:
            return super().get_many(keys, version)
        except RedisError as error:
            found: dict[str, Any] = self._away(error, {})
            return found

    def set_many(self, data: Mapping[str, Any], *args: Any, **options: Any) -> list[str]:
        """Keep several things, unless Redis is away; returns the keys of what is not kept."""
        try:
            return list(super().set_many(dict(data), *args, **options))
        except RedisError as error:
            missed: list[str] = self._away(error, list(data))
            return missed

    def delete(self, key: str, version: int | None = None) -> bool:
        """Forget something; false also while Redis is away."""
        try:
            return bool(super().delete(key, version))
        except RedisError as error:
            self._away(error, None)
            return False

    def _away(self, error: RedisError, default: Any) -> Any:
        logger.warning("The cache is unavailable: %s", type(error).__name__)
        return default
