"""The pictures that questions are about, for everybody who may see one of these questions."""

from typing import Final

from django.contrib.auth.models import AnonymousUser
from django.http import FileResponse, Http404, HttpRequest
from django.views.decorators.http import require_safe

from leaderboard.access import splits_visible_to
from leaderboard.web.parameters import reads
from scoring.models import Picture

PUBLIC: Final = "public, max-age=31536000, immutable"
"""An address never has another content."""


@require_safe
@reads({})
def picture(request: HttpRequest, sha256: str) -> FileResponse:
    """The bytes of a picture. Participants and graders need no account: no study or round is about a draft."""
    shown = Picture.objects.filter(sha256=sha256)
    public = splits_visible_to(AnonymousUser()).filter(pictures__in=shown).exists()
    found = shown.first()
    if found is None or not (public or splits_visible_to(request.user).filter(pictures=found).exists()):
        raise Http404("This picture does not exist, or its questions are private.")
    try:
        content = found.file.open("rb")
    except FileNotFoundError:
        raise Http404("The file of this picture is missing. Its benchmark can be imported again.") from None
    response = FileResponse(content, filename=(found.file.name or "").rpartition("/")[2], content_type=found.type)
    response["X-Content-Type-Options"] = "nosniff"
    response["Cache-Control"] = PUBLIC if public else "private, no-store"
    return response
