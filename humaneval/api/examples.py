"""Example studies for the OpenAPI schema."""

from typing import Any, Final

from drf_spectacular.utils import OpenApiExample

from leaderboard.api.examples import BASE, FIRST

_LINE: Final[dict[str, Any]] = {
    "slug": "open-book-2027",
    "name": "Open book, spring 2027",
    "benchmark": FIRST.slug,
    "split": FIRST.default_split,
    "setting": FIRST.default_setting,
    "state": "open",
    "opens_at": "2027-03-01T08:00:00Z",
    "closes_at": "2027-04-01T08:00:00Z",
    "url": f"{BASE}studies/open-book-2027/",
}
STUDY_LINE = OpenApiExample("A study", value=_LINE, response_only=True, status_codes=("200",))
STUDY = OpenApiExample(
    "A study",
    value=_LINE
    | {
        "kind": "answer",
        "owner": "ada",
        "seats": 14,
        "questions_per_participant": 10,
        "drawing": "balanced",
        "seed": 7,
        "answers_per_question": 2,
        "question_ids": [],
        "consent_text": "You are asked to answer questions …",
        "instructions": "Thank you for taking part. …",
        "reward_note": "",
        "created_at": "2027-02-20T10:00:00Z",
    },
    response_only=True,
    status_codes=("200",),
)
