"""Sample states of the maintainers' console."""

import datetime
from decimal import Decimal
from typing import Any

from django.utils import timezone

from leaderboard.maintenance.imports import DraftPage, ImportForm
from leaderboard.maintenance.needs import Need
from leaderboard.maintenance.queues import Queue, QueuesPage, Stopped
from leaderboard.models import System
from scoring.benchmarks import definition_of
from scoring.importing.revisions import ChangedText, ImportPlan, RevisionDiff
from scoring.models import Benchmark, ImportDraft, Revision, Split, WorkerHeartbeat
from scoring.models.run_states import RunState
from tests.gallery.site.texts import LONG_WORD, NOW

HOUR = datetime.timedelta(hours=1)
BENCHMARK = Benchmark(slug="example", name="Example")
CURRENT = Revision(
    pk=2,
    content_hash="127f83f6" * 8,
    date=datetime.date(2026, 5, 4),
    has_references=True,
    created_at=NOW,
    note="First.",
)


def split(*, hidden: bool = True, answered: bool = True) -> Split:
    """A split with a revision in force."""
    revision = Revision(
        pk=2, content_hash=CURRENT.content_hash, date=CURRENT.date, has_references=answered, created_at=NOW
    )
    made = Split(benchmark=BENCHMARK, slug="test", name="Test", hidden=hidden, current_revision=revision)
    for name, value in (("n_questions", 724), ("n_revisions", 3)):
        setattr(made, name, value)
    return made


def queues() -> QueuesPage:
    """Queues with work, a dead worker and every kind of reason."""
    waited = datetime.timedelta(hours=3, minutes=11)
    row: dict[str, Any] = {"n_later": 0, "n_running": 0, "n_overdue": 0, "waited": None, "n_done": 0, "n_workers": 1}
    return QueuesPage(
        at=NOW,
        queues=[
            Queue(
                name="cpu",
                metrics=("String accuracy", "ROUGE"),
                n_waiting=1284,
                **row | {"n_running": 4, "n_overdue": 1, "waited": waited, "n_done": 3021, "n_workers": 2},
            ),
            Queue(name="bleurt", metrics=("BLEURT",), n_waiting=2, **row | {"waited": waited, "n_workers": 0}),
            Queue(name="judge", metrics=("GPT judge",), n_waiting=7, **row | {"n_later": 3, "waited": waited}),
        ],
        workers=[
            WorkerHeartbeat(
                name="cpu@scorer-1.example",
                queues="cpu",
                version="0.8.0",
                started_at=NOW - 30 * HOUR,
                seen_at=timezone.now(),
            ),
            WorkerHeartbeat(
                name=f"bleurt@{LONG_WORD}",
                queues="bleurt",
                version="0.6.0",
                started_at=NOW - 30 * HOUR,
                seen_at=NOW - 2 * HOUR,
            ),
        ],
        swept_at=NOW - HOUR,
        stopped=[
            Stopped("rouge", RunState.FAILED, "The worker stopped during this run 5 times.", 12, NOW, NOW),
            Stopped("accuracy", RunState.FAILED, LONG_WORD * 4, 1, NOW, NOW, read_until=NOW),
            Stopped("judge", RunState.INCOMPLETE, "17 of 724 answers got no verdict.", 1, NOW, NOW),
            Stopped("judge", RunState.OVER_BUDGET, "Expected to cost 31 USD, and 25 are allowed.", 3, NOW, NOW),
            Stopped("bleurt", RunState.NOT_CONFIGURED, "No checkpoint is set.", 240, None, None),
        ],
        n_more_reasons=4,
    )


def overview() -> dict[str, Any]:
    """A site with much to do."""
    needs = [
        Need("scheduler", 1, "The scheduler has stopped", "No sweep for 3600 s.", "#", "View queues", "bad", NOW),
        Need("benchmark-x", 1, f"The benchmark {LONG_WORD} cannot be read", LONG_WORD, "#", "View", "bad"),
        Need("requests", 3, "3 publication requests", "Approve or return each.", "#", "Review", since=NOW - 30 * HOUR),
        Need("failed", 14, "14 runs stopped without a score", "Retry them.", "#", "View errors", "bad", NOW),
        Need("switch", 2, "2 boards to switch", "Shown with revision 0c1d9a5f.", "#", "Compare", "info", NOW),
    ]
    return {
        "needs": needs,
        "spent_usd": Decimal("41.20"),
        "splits": [split(), split(answered=False)],
    }


def merges() -> dict[str, Any]:
    """Merged systems, suggestions, and the preview of one merge."""
    paper, own, long = (
        System(pk=pk, name=name, slug=slug)
        for pk, name, slug in ((1, "GPT-4", "gpt-4"), (2, "gpt 4", "gpt-4-2"), (3, LONG_WORD, "long"))
    )
    merged = System(pk=4, name="GPT-4 (0613)", slug="gpt-4-0613", same_as=paper)
    page = {
        "merged": [merged, System(pk=5, name=LONG_WORD, slug="l", same_as=long)],
        "suggestions": [(own, paper)],
        "systems": [paper, own, long],
        "system": own,
        "into": paper,
    }
    reported, long_one, here = (
        {"name": name, "slug": slug, "evidence": evidence, "value": value, "published_at": NOW}
        for name, slug, evidence, value in (
            ("GPT-4", "gpt-4", "Paper", 0.612),
            (LONG_WORD, "long", "Official results", None),
            ("gpt 4", "gpt-4-2", "Scored here", 0.587),
        )
    )
    board = {
        "board": "Example, test, open book",
        "column": definition_of("fanoutqa").column("loose"),
        "before": [reported, here, long_one],
        "after": [here | {"name": "GPT-4"}],
        "alternatives": [reported, long_one],
        "n_unranked": 1,
    }
    return page | {"preview": [board]}


def form() -> ImportForm:
    """The form of an import, refused."""
    made = ImportForm({"date": "2026-07-14"}, split=split())
    made.is_valid()
    made.errors.clear()
    made.add_error(
        None,
        [
            "example.json: a non-empty JSON list of questions is expected.",
            f"example.json: question 7 ('{LONG_WORD}'): 'answer' is missing.",
        ],
    )
    return made


def revisions() -> list[Revision]:
    """Two revisions, one in force."""
    older = Revision(pk=1, content_hash="0c1d9a5f" * 8, date=datetime.date(2025, 1, 9), created_at=NOW, note=LONG_WORD)
    return [CURRENT, older]


def draft() -> DraftPage:
    """A draft with every kind of change."""
    ids = tuple(f"{number:016x}" for number in range(7, 7_000_000, 23_456))
    diff = RevisionDiff(
        added=ids[:1],
        removed=ids[1:4],
        rewordings=(
            ChangedText(ids[4], "What is the capital of Norway?", "What was the capital of Norway in 2023?"),
            ChangedText(ids[5], LONG_WORD, f"{LONG_WORD}?"),
        ),
        answers_changed=ids[6:],
        answers_reordered=ids[10:12],
        evidence_changed=ids[20:60],
        reordered=True,
    )
    made = ImportDraft(
        split=split(),
        content_hash="50fd3d6e" * 8,
        n_questions=724,
        remarks=["corrected.json: 199 evidence entries have a placeholder instead of a page id."],
        date=datetime.date(2026, 7, 14),
        note=f"From corrected.json with {LONG_WORD}.json.",
        made_by="grace",
        created_at=NOW,
    )
    plan = ImportPlan(
        current=CURRENT,
        known=None,
        content_hash=made.content_hash,
        questions_hash=made.content_hash,
        diff=diff,
        n_questions=724,
        n_answers=724,
        brings_back=False,
        becomes_current=True,
        has_references=True,
    )
    return DraftPage(draft=made, plan=plan, fingerprint="f" * 64, n_waiting=12)
