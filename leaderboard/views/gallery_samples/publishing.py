"""Sample submissions on their way to the board: anonymous, waiting for a maintainer, returned, retracted."""

import datetime
from typing import Any

from leaderboard.models import PublicationState
from leaderboard.publications import PublicationView
from leaderboard.publishing_forms import PublishForm
from leaderboard.queries import SubmissionView
from leaderboard.views.gallery_samples import submissions
from leaderboard.views.gallery_samples.texts import LONG_WORD, NOW

DAY = NOW.date() + datetime.timedelta(days=120)
URLS = [("Open book board", "?page=board"), ("Anonymous 7f3a: the system's page", "?page=system-anonymous")]


def publication(**fields: Any) -> PublicationView:
    """How a sample stands with the board, today being the samples' day."""
    days = {"first_day": NOW.date() + datetime.timedelta(days=1), "last_day": NOW.date() + datetime.timedelta(days=730)}
    return PublicationView(**days | {"split_hidden": False, "requested_at": NOW} | fields)


def form(view: SubmissionView, data: dict[str, str] | None = None) -> PublishForm:
    """The choice that goes with a sample; with *data*, what was wrong about it."""
    made = PublishForm(data, publication=view.publication)
    made.is_valid()
    return made


def anonymous() -> SubmissionView:
    """On the board under a made-up name."""
    told = publication(state=PublicationState.APPROVED, anonymous_until=DAY, pseudonym="Anonymous 7f3a")
    return submissions.submission("done", is_public=True, can_publish=False, published_urls=URLS, publication=told)


def waiting() -> SubmissionView:
    """Waiting for a maintainer."""
    told = publication(state=PublicationState.PENDING, anonymous_until=DAY, needs_approval=True, shows_answers=True)
    return submissions.submission("done", can_publish=False, publication=told)


def returned() -> SubmissionView:
    """Returned, with a long message."""
    message = f"Please name all authors, and say which version of the model was used. See also {LONG_WORD}. " * 3
    told = publication(state=PublicationState.RETURNED, message=message, needs_approval=True)
    return submissions.submission("done", publication=told)


def retracted() -> SubmissionView:
    """Retracted, with the public note."""
    told = publication(
        state=PublicationState.RETRACTED,
        public_note="212 of its answers are those of another submission, word for word; the authors agreed.",
        may_be_anonymous=False,
    )
    return submissions.submission("done", can_publish=False, publication=told)


def refused() -> dict[str, Any]:
    """A choice that contradicts itself."""
    view = submissions.submission("done", publication=publication())
    data = {"how": "anonymous", "anonymous_until": "2019-01-01"}
    return {"submission": view, "publish_form": form(view, data)}
