"""``manage.py compare_systems``."""

import io
from collections.abc import Callable
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from leaderboard.models import AuditRecord, Entry
from scoring.models import AnswerSet, Run
from tests.leaderboard.board.ranking.conftest import Place

BOARD = ("essays", "dev", "closed-book")


def compare(*arguments: str) -> str:
    out = io.StringIO()
    call_command("compare_systems", *BOARD, *arguments, stdout=out)
    return out.getvalue()


@pytest.fixture
def judge(settings: Any) -> None:
    settings.JUDGE_MODEL = "gpt-4.1-mini"
    settings.JUDGE_BASE_URL = "http://127.0.0.1:9/v1"
    settings.JUDGE_API_KEY = "key"


def test_pairs_are_shown_with_their_cost_and_started_on_request(
    ranked: Callable[..., list[Entry]], judge: None
) -> None:
    entries = ranked(4)
    before = Run.objects.filter(counts=False).count()
    shown = compare("--budget", "1000")
    assert Run.objects.filter(counts=False).count() == before, "nothing starts by itself"
    assert "6 of 10" in shown and "0 requests" in shown, "these systems have no answers"
    assert shown.count(" – ") == 4
    assert all(entry.system.name in shown for entry in entries)
    compare("--budget", "1000", "--start")
    assert Run.objects.filter(counts=False).count() == before + 4
    assert AuditRecord.objects.filter(action="comparisons.started").count() == 1
    assert "10 of 10" in compare("--budget", "1000", "--start")
    assert Run.objects.filter(counts=False).count() == before + 4


def test_what_cannot_be_compared_is_refused(ranked: Callable[..., list[Entry]], place: Place, judge: None) -> None:
    with pytest.raises(CommandError, match="aseline"):
        compare("--budget", "10")
    for wrong in ("0", "-1", "nan", "much"):
        with pytest.raises(CommandError, match="Budget"):
            compare("--budget", wrong)
    with pytest.raises(CommandError, match="nowhere"):
        call_command("compare_systems", "essays", "nowhere", "closed-book", "--budget", "1")
    ranked(2)
    AnswerSet.objects.filter(split=place[0]).update(closed_at="2026-01-01T00:00:00Z")
    with pytest.raises(CommandError):
        compare("--budget", "10")
