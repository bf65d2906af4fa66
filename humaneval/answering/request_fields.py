"""Fields that the answer page sends with an answer. Missing or impossible values are ignored, never refused."""

import datetime
import math
import uuid
from typing import Any, Final

from django.http import HttpRequest
from django.utils import timezone

from humaneval.models import Study
from humaneval.studies.kinds import KINDS

OLDEST_TYPED: Final = datetime.timedelta(days=120)
DAY: Final = 86400.0
"""In seconds."""


def typed_text(request: HttpRequest, study: Study) -> str:
    """A submitted answer as it is stored."""
    return KINDS[study.kind].typed(study, request.POST.dict())


def answer_fields(request: HttpRequest, study: Study) -> dict[str, Any]:
    """A submitted answer, as `answers.save_answer` takes it."""
    return {
        "text": typed_text(request, study),
        "client_revision_id": client_revision_id(request),
        "base_version": int(number(request, "based_on", 0.0, 2.0**31)),
        "typed_at": typed_at(request),
    }


def active_seconds(request: HttpRequest) -> float | None:
    """Active seconds of the page since its last report; None if nothing measures them."""
    return number(request, "active", 0.0, DAY) if "active" in request.POST else None


def visit_fields(request: HttpRequest) -> tuple[int, dict[str, float | None]]:
    """The visit on the screen (0 if there is none), its reading time and scroll depth so far, and where it is now."""
    return int(number(request, "visit", 0.0, 2.0**62)), {
        "visible_seconds": number(request, "visible", 0.0, 30 * DAY),
        "scrolled_share": number(request, "scrolled", 0.0, 1.0),
        "place": number(request, "place", 0.0, 1.0) if "place" in request.POST else None,
    }


def client_revision_id(request: HttpRequest) -> uuid.UUID:
    """The key that identifies a text if it is sent again."""
    try:
        return uuid.UUID(request.POST.get("key", ""))
    except ValueError:
        return uuid.uuid4()


def typed_at(request: HttpRequest) -> datetime.datetime | None:
    """When a text was typed, by the browser's clock; None if that is missing or impossible."""
    milliseconds = number(request, "typed_at", 0.0, 1e14)
    if not milliseconds:
        return None
    typed, now = datetime.datetime.fromtimestamp(milliseconds / 1000, tz=datetime.UTC), timezone.now()
    return typed if now - OLDEST_TYPED < typed <= now else None


def number(request: HttpRequest, name: str, low: float, high: float) -> float:
    """A submitted number, clamped to bounds; the lower bound if it is missing."""
    try:
        value = float(request.POST.get(name, ""))
    except ValueError:
        return low
    return min(max(value, low), high) if math.isfinite(value) else low
