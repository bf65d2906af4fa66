"""Sample records of who did what."""

import datetime
from typing import Any

from django.core.paginator import Paginator

from leaderboard.models import AuditRecord
from tests.gallery.site.texts import LONG_NAME, LONG_WORD, NOW

RECORDS = (
    ("grace", "split.switched", "split Example, test", "The boards now show: accuracy, rouge."),
    ("manage.py import_results", "results.imported", "split Example, test", "a-system.json: 3 rows."),
    (
        "grace",
        "judge.released",
        "run 5f0c1d9a-52b1-4a8e-9f0e-2f6a1c7d8e90",
        ("The run can continue (up to 12.50 USD)."),
    ),
    (LONG_WORD, "submission.deleted", "submission 7d8e90aa-52b1-4a8e-9f0e-2f6a1c5f0c1d", LONG_WORD),
    ("grace", "submission.retried", "submission 0c1d9a5f-52b1-4a8e-9f0e-2f6a1c7d8e90", ""),
)


def log(n: int = 60, *, action: str = "") -> dict[str, Any]:
    """The first page of a log of *n* records, narrowed to *action* if any."""
    records = [
        AuditRecord(at=NOW - datetime.timedelta(hours=7 * index), actor_name=who, action=what, target=to, text=text)
        for index, (who, what, to, text) in enumerate(RECORDS[number % len(RECORDS)] for number in range(n))
    ]
    page = Paginator(records, 50).get_page(1)
    run, submission = "5f0c1d9a-52b1-4a8e-9f0e-2f6a1c7d8e90", "0c1d9a5f-52b1-4a8e-9f0e-2f6a1c7d8e90"
    return {
        "page": page,
        "named": {
            run: (f"GPT judge of {LONG_NAME} (2026-07-14), open book, version 2", "#"),
            submission: (LONG_WORD, ""),
        },
        "actions": sorted({record[1] for record in RECORDS}),
        "actors": sorted({record[0] for record in RECORDS}),
        "action": action,
        "actor": "",
        "filtered": bool(action),
    }
