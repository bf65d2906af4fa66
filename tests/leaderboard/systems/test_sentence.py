"""The sentence about a system's ranks."""

from types import SimpleNamespace
from typing import Any

from leaderboard.systems.overview import sentence_of


def result(rank: int, worst: int, n_ranked: int = 4) -> Any:
    setting, benchmark = SimpleNamespace(name="Open book"), SimpleNamespace(name="FanOutQA")
    entry = SimpleNamespace(setting=setting, split=SimpleNamespace(benchmark=benchmark))
    return SimpleNamespace(rank=rank, best_rank=rank, worst_rank=worst, n_ranked=n_ranked, headline=None, entry=entry)


def test_every_sentence_about_ranks_names_the_benchmark() -> None:
    for results in ([result(1, 1)], [result(2, 3)], [result(1, 1, n_ranked=1)]):
        assert "".join(sentence_of("A system", results)).count("FanOutQA") == 1


def test_a_comma_stands_between_a_setting_and_the_system() -> None:
    assert "On FanOutQA, in open book, A system ranks 2 of 4" in "".join(sentence_of("A system", [result(2, 3)]))
