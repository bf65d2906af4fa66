"""Boards of any size with drawn numbers and statistics: for what pages cost, not for what they say."""

from collections.abc import Sequence

from django.db import connection
from django.db.models import F

from leaderboard.board import write
from leaderboard.board.inputs import read_inputs
from leaderboard.models import BoardStatistics, Standing
from scoring.benchmarks import definition_of
from scoring.models import Score, Setting, Split
from tests import boards


def draw(n_systems: int, settings: Sequence[str]) -> None:
    """Fill these boards of the test split with systems, and store documents and statistics as a worker does."""
    split = Split.objects.select_related("benchmark", "current_revision").get(slug="test")
    for slug in settings:
        setting = Setting.objects.get(slug=slug)
        entries = boards.fill(split, setting, n_systems, seed=len(slug), with_vectors=False)
        Score.objects.update(low=F("value") - 0.02, high=F("value") + 0.02)
        board = BoardStatistics.objects.create(split=split, setting=setting)
        Standing.objects.bulk_create(
            [
                Standing(
                    board=board,
                    entry=entry,
                    name=column.score,
                    rank=place,
                    best_rank=max(1, place - 5),
                    worst_rank=place + 5,
                    p_value=1 / place,
                )
                for column in definition_of(split.benchmark.slug).columns
                for place, entry in enumerate(entries, start=1)
            ],
            batch_size=2000,
        )
        BoardStatistics.objects.filter(pk=board.pk).update(fingerprint=read_inputs(split, setting).numbers)
        write.write(split, setting)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")  # as a database does by itself after a while
