"""Files of a round to be downloaded."""

from django.http import HttpResponse
from django.utils.http import content_disposition_header


def attachment(content: bytes, content_type: str, name: str) -> HttpResponse:
    """A file that the browser saves under a name."""
    response = HttpResponse(content, content_type=content_type)
    response["Content-Disposition"] = content_disposition_header(True, name) or ""
    return response
