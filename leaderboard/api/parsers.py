"""Parsers for request bodies other than uploads, limited to a small size."""

import json
from collections.abc import Mapping
from io import BytesIO
from typing import IO, Any, Final

from django.conf import settings
from rest_framework.exceptions import APIException, ParseError
from rest_framework.parsers import FormParser, JSONParser

MAX_JSON_BYTES: Final = 64 * 1024


class TooLongError(APIException):
    """A request body that is longer than any valid body of its type."""

    status_code = 413


class SmallJSONParser(JSONParser):
    """A JSON object of at most `MAX_JSON_BYTES`: no endpoint needs a longer body or another type of value.

    Ambiguous input (a value other than an object, a duplicate key) is refused, so that a mistake has no effect, such as
    publishing under a name that was to be withheld.
    """

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        """Parse the object.

        Raises:
            ParseError: the body is not JSON, or not such an object.
            TooLongError: the body is too long.
        """
        del media_type, parser_context
        try:
            value = json.loads(
                _bounded(stream, MAX_JSON_BYTES).getvalue().decode(),
                object_pairs_hook=_once_each,
                parse_constant=_refuse_constant,
            )
            json.dumps(value, ensure_ascii=False).encode()  # no lone surrogate, which no response could encode
        except RecursionError as error:
            raise ParseError("JSON parse error - it is nested too deeply.") from error
        except UnicodeEncodeError as error:
            raise ParseError(
                "JSON parse error - a string is not valid Unicode: it contains half of a surrogate pair."
            ) from error
        except ValueError as error:
            raise ParseError(f"JSON parse error - {error}") from error
        if not isinstance(value, dict):
            raise ParseError("JSON parse error - the body must be an object: {…}.")
        return value


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    keys = dict(pairs)
    if len(keys) < len(pairs):
        raise ValueError("a key occurs twice in it.")
    return keys


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON.")


class SmallFormParser(FormParser):
    """A form without files, at most as long as Django accepts."""

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        """Parse the fields.

        Raises:
            TooLongError: the body is too long.
        """
        limit = settings.DATA_UPLOAD_MAX_MEMORY_SIZE or 0
        return super().parse(_bounded(stream, limit), media_type, parser_context)


def _bounded(stream: IO[Any], limit: int) -> BytesIO:
    data = stream.read(limit + 1)
    if len(data) > limit:
        raise TooLongError(f"The body is longer than {limit:,} bytes. Send files as multipart/form-data.")
    return BytesIO(data)
