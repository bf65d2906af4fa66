"""Parsers for request bodies other than uploads, limited to a small size."""

import json
from collections.abc import Mapping
from io import BytesIO
from typing import IO, Any, Final

from django.conf import settings
from rest_framework.exceptions import APIException, ParseError
from rest_framework.parsers import FormParser, JSONParser

from leaderboard.submissions.json_documents import DocumentError, parse_document

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
        del media_type, parser_context
        try:
            values = parse_document(_bounded(stream, MAX_JSON_BYTES).getvalue().decode(), "The body").values
            json.dumps(values, ensure_ascii=False).encode()  # no lone surrogate, which no response could encode
        except DocumentError as error:
            raise ParseError(f"JSON parse error - {error}") from error
        except UnicodeError as error:
            raise ParseError("JSON parse error - the body is not valid Unicode.") from error
        return values


class SmallFormParser(FormParser):
    """A form without files, at most as long as Django accepts."""

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        limit = settings.DATA_UPLOAD_MAX_MEMORY_SIZE or 0
        return super().parse(_bounded(stream, limit), media_type, parser_context)


def _bounded(stream: IO[Any], limit: int) -> BytesIO:
    data = stream.read(limit + 1)
    if len(data) > limit:
        raise TooLongError(f"The body is longer than {limit:,} bytes. Send files as multipart/form-data.")
    return BytesIO(data)
