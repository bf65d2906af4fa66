"""Sample records of who did what."""

import datetime
import uuid
from decimal import Decimal
from itertools import combinations
from typing import Any

from django.core.paginator import Paginator

from leaderboard.maintenance.comparisons import Candidate, ComparisonPlan
from leaderboard.maintenance.next_pairs import NextPairs
from leaderboard.maintenance.rescoring import MetricPlan
from leaderboard.models import AuditRecord
from scoring.metrics.asking.cost import Estimate
from scoring.models import AnswerSet, Benchmark, Revision, Setting, Split
from scoring.runs.judging.adaptive import AdaptivePlan
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


def comparisons(n: int = 3, **changes: Any) -> dict[str, Any]:
    """The context of the page of comparisons with *n* systems and a default baseline; ``changes`` are its fields."""
    names = (LONG_NAME, LONG_WORD, *(f"Sample system {number}" for number in range(3, n + 1)))[:n]
    sets = [AnswerSet(pk=uuid.UUID(int=number)) for number in range(1, n + 1)]
    known = [
        Candidate(one, name, "sample", "", "closed-book", "Closed book") for one, name in zip(sets, names, strict=True)
    ]
    fields: dict[str, Any] = {
        "baseline": known[-1].label if known else "",
        "by_default": True,
        "default_setting": "Closed book",
        "shown_baseline": "",
        "switch": None,
        "candidates": known,
        "boards": {"closed-book": "Closed book"} if known else {},
        "chosen": [],
        "plan": None,
    }
    split = Split(slug="test", name="Test", benchmark=Benchmark(slug="example", name="Example"))
    return {"split": split, "page": fields | changes}


def changed_baseline() -> dict[str, Any]:
    """A new baseline whose scores the boards do not show yet."""
    plan = MetricPlan("side-by-side", "Side by side", "a", "b", 12, 7, 4, 1)
    return comparisons(by_default=False, shown_baseline=f"{LONG_NAME}, Closed book", switch=plan, n_to_repeat=1234)


def planned_pairs() -> dict[str, Any]:
    """Pairs that are chosen, with their cost."""
    cost = Estimate(1234, 2_000_000, 800_000, Decimal("12.345"), "tokens")
    chosen = comparisons(5)["page"]["candidates"]
    return comparisons(5, chosen=chosen, plan=ComparisonPlan(10, cost))


def next_pairs(n: int = 5) -> dict[str, Any]:
    """The next pairs of a board within a budget: all pairs of *n* systems."""
    known = comparisons(n)["page"]["candidates"]
    pairs = list(combinations([one.answer_set for one in known], 2))
    cost = Estimate(1234, 2_000_000, 800_000, Decimal("12.345"), "tokens") if pairs else None
    plan = AdaptivePlan(pairs, cost, 40, 40 + len(pairs), Decimal("45.67"))
    names = {one.answer_set.pk: one.name for one in known}
    setting = Setting(slug="closed-book", name="Closed book")
    return comparisons(max(n, 3), next_pairs=NextPairs(Revision(), setting, Decimal("12.50"), plan, names))


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
