"""The shared cache; the site works without it.

Values are stored as MessagePack, which holds plain data only: nobody who can write to Redis makes the site run code.
Records are stored and read with their types, by `store_records` and `records_of`.
"""

import hmac
import logging
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

import msgspec
from django.conf import settings
from django.core.cache import cache
from django.core.cache.backends.redis import RedisCache
from redis.exceptions import RedisError

logger = logging.getLogger(__name__)
Record = TypeVar("Record")


def store_records(records: Mapping[str, object], timeout: int | None = None) -> None:
    """Store dataclasses, or collections of them, by key; for some seconds, or until the site's secret key changes."""
    cache.set_many({address_of(key): msgspec.msgpack.encode(record) for key, record in records.items()}, timeout)


def records_of(keys: Iterable[str], of: type[Record]) -> dict[str, Record]:
    """The stored records of these keys; those that are not of this type count as not stored."""
    records = {}
    by_address = {address_of(key): key for key in keys}
    for address, packed in cache.get_many(list(by_address)).items():
        try:
            records[by_address[address]] = msgspec.msgpack.decode(packed, type=of)
        except (msgspec.DecodeError, TypeError) as error:
            logger.warning("A cached value is not used: %s", error)
    return records


def address_of(key: str) -> str:
    """Key under which a record is stored.

    Random errors of hidden splits depend on the secret key, and so does the key of a record that has them.
    """
    return hmac.digest(settings.SECRET_KEY.encode(), key.encode(), "sha256").hex()


class UnreadableValueError(RedisError):
    """A value in Redis that this site did not write, or an earlier version of it did."""


class MsgpackSerializer:
    """Serializer of the values in Django's Redis cache. Whole numbers stay as they are, for ``incr``."""

    def dumps(self, obj: Any) -> bytes | int:
        return obj if type(obj) is int else msgspec.msgpack.encode(obj)

    def loads(self, data: bytes) -> Any:
        """
        Raises:
            UnreadableValueError: it is no MessagePack.
        """
        try:
            return int(data)
        except ValueError:
            pass
        try:
            return msgspec.msgpack.decode(data)
        except msgspec.DecodeError as error:
            raise UnreadableValueError(str(error)) from error


class ForgivingRedisCache(RedisCache):
    """A Redis cache for values that can be computed again: while Redis is unavailable, or holds something unreadable,
    nothing is found or stored.

    So no page fails because of it. Operations that must be atomic (``add``, ``incr``), and every method not overridden
    here, still raise `RedisError`.
    """

    def get(self, key: str, default: Any = None, version: int | None = None) -> Any:
        try:
            return super().get(key, default, version)
        except RedisError as error:
            return self._away(error, default)

    def set(self, key: str, value: Any, *args: Any, **options: Any) -> None:
        try:
            super().set(key, value, *args, **options)
        except RedisError as error:
            self._away(error, None)

    def get_many(self, keys: Iterable[str], version: int | None = None) -> dict[str, Any]:
        try:
            return super().get_many(keys, version)
        except RedisError as error:
            values: dict[str, Any] = self._away(error, {})
            return values

    def set_many(self, data: Mapping[str, Any], *args: Any, **options: Any) -> list[str]:
        """Store several values, unless Redis is unavailable; returns the keys that were not stored."""
        try:
            return list(super().set_many(dict(data), *args, **options))
        except RedisError as error:
            missed: list[str] = self._away(error, list(data))
            return missed

    def delete(self, key: str, version: int | None = None) -> bool:
        try:
            return bool(super().delete(key, version))
        except RedisError as error:
            self._away(error, None)
            return False

    def _away(self, error: RedisError, default: Any) -> Any:
        logger.warning("The cache is unavailable or unreadable: %s", type(error).__name__)
        return default
