"""Bodies other than uploads: small, and read no further than that."""

import json
from collections.abc import Mapping
from io import BytesIO
from typing import IO, Any, Final

from django.conf import settings
from rest_framework.exceptions import APIException, ParseError
from rest_framework.parsers import FormParser, JSONParser

MAX_JSON_BYTES: Final = 64 * 1024


class TooLongError(APIException):
    """A body that is longer than anything that is told in its form."""

    status_code = 413


class SmallJSONParser(JSONParser):
    """A JSON object of at most `MAX_JSON_BYTES`: nothing here is told in more, or in another form.

    What could be meant in two ways is refused (another value than an object, a key that comes twice), so that nothing
    is done by a slip of the pen, such as publishing under a name that was to be withheld.
    """

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        """The object.

        Raises:
            ParseError: it is no JSON, or no such object.
            TooLongError: it is too long.
        """
        del media_type, parser_context
        try:
            value = json.loads(
                _bounded(stream, MAX_JSON_BYTES).getvalue().decode(),
                object_pairs_hook=_once_each,
                parse_constant=_refuse_constant,
            )
            json.dumps(value, ensure_ascii=False).encode()  # no half of a surrogate pair, which no answer could name
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
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key occurs twice in it.")
    return found


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON.")


class SmallFormParser(FormParser):
    """A form without files, no longer than Django takes them."""

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        """The fields.

        Raises:
            TooLongError: they are too long.
        """
        limit = settings.DATA_UPLOAD_MAX_MEMORY_SIZE or 0
        return super().parse(_bounded(stream, limit), media_type, parser_context)


def _bounded(stream: IO[Any], limit: int) -> BytesIO:
    data = stream.read(limit + 1)
    if len(data) > limit:
        raise TooLongError(f"The body is longer than {limit:,} bytes. Send files as multipart/form-data.")
    return BytesIO(data)
