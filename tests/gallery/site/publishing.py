"""Sample submissions on their way to the board: anonymous, waiting for a maintainer, returned, retracted."""

import datetime
from typing import Any

from django.core.paginator import Paginator

from leaderboard.board.table import Tab
from leaderboard.disclosure import HELD
from leaderboard.maintenance.moderation.queries import TABS
from leaderboard.maintenance.moderation.services import MESSAGE_NEEDED, NOTE_NEEDED, REASON_NEEDED
from leaderboard.maintenance.moderation.views import MessageForm
from leaderboard.models import Anomaly, Publication, PublicationState, Submission, SubmissionFile, User
from leaderboard.publishing.flags import MEANINGS, TITLES, UNITS, Hold, Review
from leaderboard.publishing.forms import PublishForm
from leaderboard.publishing.names import SameName
from leaderboard.publishing.status import PublicationView
from leaderboard.submissions.types import SubmissionView
from scoring.models import Setting
from tests.gallery.site import submissions
from tests.gallery.site.texts import LONG_NAME, LONG_WORD, NOW, SAMPLE_ID

DAY = NOW.date() + datetime.timedelta(days=120)
URLS = [("Open book board", "?page=board"), ("Anonymous 7f3a: the system's page", "?page=system-anonymous")]


def publication(**fields: Any) -> PublicationView:
    """How a sample stands with the board, today being the samples' day."""
    told: dict[str, Any] = {
        "first_day": NOW.date() + datetime.timedelta(days=1),
        "last_day": NOW.date() + datetime.timedelta(days=730),
        "split_hidden": False,
        "requested_at": NOW,
    }
    return PublicationView(**told | fields)


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


def in_review() -> SubmissionView:
    """Its scores wait for a maintainer."""
    reviews = [
        Review(
            setting_name="Open book",
            setting_slug="openbook",
            code=code,
            title=TITLES[code],
            meaning=MEANINGS[code],
            count=count,
            questions=[f"36146d2306ce9c{number:02x}" for number in range(count)],
            limit=limit,
            unit=UNITS[code],
            most=most,
            reason="",
        )
        for code, count, limit, most in (("many_names", 25, 200, 2_511), ("long_answers", 26, 8_000, 69_542))
    ]
    return submissions.withheld(HELD, can_publish=False, publication=publication(), reviews=reviews)


def held() -> SubmissionView:
    """The scores of one file are held, and those of another stay private, for a cause that is not told."""
    holds = [Hold("Closed book", "closedbook", ""), Hold("Open book", "openbook", "Please write to us by email.")]
    return submissions.withheld(HELD, can_publish=False, publication=publication(), holds=holds)


def refused() -> dict[str, Any]:
    """A choice that contradicts itself."""
    view = submissions.submission("done", publication=publication())
    data = {"how": "anonymous", "anonymous_until": "2019-01-01"}
    return {"submission": view, "publish_form": form(view, data)}


# --- What maintainers see ------------------------------------------------------------------------------------------


def queue(tab: str = "waiting", n_rows: int = 4) -> dict[str, Any]:
    """The list of submissions to decide about."""
    rows = [
        {
            "name": name,
            "party": party,
            "board": "A benchmark, test",
            "at": NOW - datetime.timedelta(days=days),
            "state": state,
            "tone": tone,
            "anomalies": odd,
            "checked": days > 0,
            "url": "?page=moderate",
        }
        for name, party, days, state, tone, odd in (
            ("GPT-4o with BM25", "ada", 3, "Asks: by name", "info", []),
            (
                LONG_NAME,
                LONG_WORD,
                2,
                "Request: anonymous until 11 Nov 2026",
                "info",
                [("Same answers", 212), ("Repeated answer", 300)],
            ),
            (
                "Llama 3 70B",
                "The Engineers",
                1,
                "On the board",
                "good",
                [("Several very long answers", 41)],
            ),
            ("Another", "grace", 0, "Retracted", "bad", []),
        )
    ][:n_rows]
    counts = {"waiting": n_rows, "odd": 2 if n_rows else 0}
    tabs = [Tab(label, f"?page=moderation-{key}", key == tab, counts.get(key, 0)) for key, label in TABS.items()]
    page: Any = Paginator(range(n_rows), 25).get_page(1)
    return {"queue": {"tab": tab, "label": TABS[tab], "tabs": tabs, "page": page, "rows": rows}}


def moderate(view: SubmissionView, *, problem: str = "") -> dict[str, Any]:
    """One submission to decide about."""
    found = [
        {
            "row": Anomaly(
                count=count,
                file=SubmissionFile(n_answered=721, setting=Setting(name="Open book")),
                reason=f"The answers are lists. {LONG_WORD}" if code == "many_names" else "",
            ),
            "title": TITLES[code],
            "meaning": MEANINGS[code],
            "questions": [f"36146d2306ce9c{number:02x}" for number in range(min(count, 40))],
            "n_unnamed": max(0, count - 40),
            "others": [(Submission(pk=SAMPLE_ID, name=LONG_NAME), "openbook", 212)] if code == "same_answers" else [],
            "facts": [("limit of an answer", 200), ("largest answer", 2_511)] if code == "many_names" else [],
        }
        for code, count in (("same_answers", 212), ("repeated_answer", 300), ("many_names", 41))
    ]
    page = {
        "submission": view,
        "publication": view.publication,
        "same_names": [SameName("GPT-4", "gpt-4", False, False)],
        "name_is_published": True,
        "anomalies": found,
        "anomalies_checked_at": NOW,
        "publications": [
            Publication(state=PublicationState.PENDING, requested_at=NOW, requested_by=User(username="ada")),
            Publication(
                state=PublicationState.RETURNED,
                requested_at=NOW,
                decided_at=NOW,
                decided_by=User(username="grace"),
                message="Please name all authors.",
            ),
        ],
        "has_open_flags": True,
        "why_not": "",
        "url": "?page=moderate",
    }
    returned = {"return-text": ""} if problem else None
    return {
        "page": page,
        "return_form": MessageForm(
            returned, prefix="return", label="Message", help_text="What has to change.", lacking=MESSAGE_NEEDED
        ),
        "retract_form": MessageForm(None, prefix="retract", label="Public note", help_text="Why.", lacking=NOTE_NEEDED),
        "flags_form": MessageForm(None, prefix="flags", label="Reason", help_text="Why.", lacking=REASON_NEEDED),
        "problem": problem,
    }
