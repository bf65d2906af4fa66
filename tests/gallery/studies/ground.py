"""What the samples share: a study, its people, its questions. Nothing of it is in the database."""

import datetime
from collections.abc import Callable
from typing import Any

from django.utils import timezone

from humaneval.answering.progress import Progress
from humaneval.models import Assignment, Participant, Study
from humaneval.studies.kinds.answer import CONSENT, INSTRUCTIONS
from leaderboard.models import User
from scoring.models import Question, Setting
from tests.gallery.site import SamplePage
from tests.gallery.site.console import BENCHMARK, split
from tests.gallery.site.texts import LONG_NAME, LONG_WORD, Query

DAY = datetime.timedelta(days=1)
KEEPER = User(username="grace", is_staff=True, is_active=True)
LONG_QUESTION = (
    "Of all the members of the list, counted from the first to the last, which have been members for longer than "
    "each of the others, and since when? " * 7
)
QUESTIONS = (
    "What is the capital of Norway?",
    "Which five lakes of Europe are the largest, and how deep is each?",
    LONG_QUESTION,
    LONG_WORD,
    "Who founded the three oldest universities?",
)

RATING_DECLARATION = f"""
[[questions]]
name = "writer"
text = "Who is more likely to have written it?"
choices = [{{name = "user", label = "A user", score = 100}}, {{name = "machine", label = "{LONG_WORD}", score = 0}}]
[[questions]]
name = "knows"
text = "How likely does the writer know its answer? {LONG_WORD}"
scale = {{highest = 5, low = "very unlikely", high = "extremely likely", low_score = 100, high_score = 0}}
"""


def page(title: str, template: str, make: Callable[[], dict[str, Any]]) -> SamplePage:
    """A sample page whose context is made when it is asked for."""

    def context(query: Query) -> dict[str, Any]:
        return make()

    return SamplePage(title, f"humaneval/{template}.html", context)


def study(**fields: Any) -> Study:
    """A study that is open."""
    now = timezone.now()
    usual: dict[str, Any] = {
        "slug": "sample",
        "name": LONG_NAME,
        "owner": KEEPER,
        "split": split(hidden=False),
        "setting": Setting(slug="openbook", name="Open book", benchmark=BENCHMARK),
        "consent_text": CONSENT,
        "instructions": INSTRUCTIONS.format(n_questions=len(QUESTIONS)),
        "questions_per_participant": len(QUESTIONS),
        "seats": 8,
        "opens_at": now - 3 * DAY,
        "closes_at": now + 11 * DAY,
    }
    return Study(**(usual | fields))


def participant(number: int = 7, **fields: Any) -> Participant:
    """Somebody who agreed two days ago and is on the way."""
    now = timezone.now()
    usual: dict[str, Any] = {
        "study": study(),
        "number": number,
        "joined_at": now - 2 * DAY,
        "consented_at": now - 2 * DAY,
        "instructed_at": now - 2 * DAY,
        "practised_at": now - 2 * DAY,
        "last_seen_at": now,
        "receipt_code": "4F7K-92QX-M3TD",
    }
    return Participant(**(usual | fields))


def overview() -> Progress:
    """Questions done, skipped, begun and open."""
    now = timezone.now()
    fields: list[dict[str, Any]] = [
        {"text": "Oslo", "version": 3, "done_at": now, "active_seconds": 412.0},
        {"text": "Perhaps", "skipped_at": now, "active_seconds": 63.0},
        {"text": f"{LONG_WORD}\n" * 4, "version": 17, "active_seconds": 2400.0},
        {},
        {},
    ]
    given: list[Any] = [
        Assignment(position=place, question=Question(qid=f"{place:016x}", text=text), **told)
        for place, (text, told) in enumerate(zip(QUESTIONS, fields, strict=True), start=1)
    ]
    for row in given:
        row.n_searches, row.n_articles = 2, row.position
    return Progress(tuple(given))
