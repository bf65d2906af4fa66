"""Bodies other than uploads: small, and read no further than that."""

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
    """JSON of at most `MAX_JSON_BYTES`: nothing here is told in more. Deep nesting is a mistake, not a failure."""

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        """The value.

        Raises:
            ParseError: it is no JSON.
            TooLongError: it is too long.
        """
        try:
            return super().parse(_bounded(stream, MAX_JSON_BYTES), media_type, parser_context)
        except RecursionError as error:
            raise ParseError("JSON parse error - it is nested too deeply.") from error


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
        raise TooLongError(f"The body is longer than {limit:,} bytes. Files are sent as multipart/form-data.")
    return BytesIO(data)
