"""File downloads of a round."""

from django.http import HttpResponse
from django.utils.http import content_disposition_header


def attachment(content: bytes, content_type: str, name: str) -> HttpResponse:
    """A response that the browser saves as a file with a name."""
    response = HttpResponse(content, content_type=content_type)
    response["Content-Disposition"] = content_disposition_header(True, name) or ""
    return response
