"""A board whose systems were compared."""

from collections.abc import Callable

import pytest

from leaderboard.board import snapshots, standings
from leaderboard.board.table import board_url
from leaderboard.models import Entry
from scoring.models import AnswerSet, Baseline, Run, Setting, Split
from tests import boards, compared, compared_site, factories

Place = tuple[Split, Setting]


@pytest.fixture
def place(db: None) -> Place:
    """The board of an open split of a benchmark whose systems are compared."""
    made = compared_site.declare(30)
    return factories.split(made, "dev"), factories.setting(made, "closed-book")


@pytest.fixture
def url(place: Place) -> str:
    """The URL of its ranking."""
    split, setting = place
    return f"{board_url(split.benchmark.slug, split.slug, setting.slug)}ranking/"


@pytest.fixture
def ranked(place: Place) -> Callable[..., list[Entry]]:
    """Puts a number of systems on the board, stores made-up comparisons of them with a baseline without a row and with
    the first one, and lets a worker update the board."""

    def make(n_systems: int, *, hidden: bool = False) -> list[Entry]:
        split, setting = place
        Split.objects.filter(pk=split.pk).update(hidden=hidden)
        entries = boards.fill(split, setting, n_systems)
        baseline = AnswerSet.objects.create(split=split, setting=setting)
        Baseline.objects.create(split=split, answer_set=baseline, digest="0" * 64, chosen_by="grace")
        Run.objects.filter(answer_set__split=split).update(opponent=baseline)
        sets = [baseline, *(entry.answer_set for entry in entries if entry.answer_set)]
        pairs = [(one, 0) for one in range(1, len(sets))] + [(1, other) for other in range(2, len(sets), 2)]
        compared.store(sets, pairs, [0.2 * one for one in range(len(sets))])
        snapshots.write(split, setting)
        standings.refresh(split, setting)
        return entries

    return make
