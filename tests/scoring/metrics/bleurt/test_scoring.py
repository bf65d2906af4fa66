import random
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import torch

from scoring.metrics.base import UnusableReference
from scoring.metrics.bleurt import Bleurt
from scoring.metrics.bleurt.encoder import Encoder, Pair
from tests.scoring.metrics.bleurt.checkpoints import WORDS, Tiny

pytestmark = pytest.mark.slow


def some_texts(n: int, seed: int = 5) -> list[str]:
    chance = random.Random(seed)
    return [" ".join(chance.choices(WORDS, k=chance.randrange(0, 40))) for _ in range(n)]


def scores(metric: Bleurt, references: Sequence[Any], answers: Sequence[str | None]) -> np.ndarray[Any, Any]:
    return metric.score(metric.prepare(references), answers)["bleurt"].per_item


class Watched:
    """What the encoder was asked to compute."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.batches: list[list[int]] = []
        compute = Encoder.scores

        def watching(encoder: Encoder, pairs: Sequence[Pair], *rest: Any) -> list[float]:
            self.batches.append([len(ids) for ids, _ in pairs])
            return compute(encoder, pairs, *rest)

        monkeypatch.setattr(Encoder, "scores", watching)

    @property
    def n_pairs(self) -> int:
        return sum(map(len, self.batches))


@pytest.fixture
def watched(monkeypatch: pytest.MonkeyPatch) -> Watched:
    return Watched(monkeypatch)


@pytest.mark.parametrize("batch_tokens", [1, 100, 350, 10**6])
def test_batches_do_not_change_scores(tiny: Tiny, batch_tokens: int) -> None:
    references, answers = some_texts(40), some_texts(40, seed=6)
    together = scores(Bleurt(tiny.directory, batch_tokens=batch_tokens), references, answers)
    alone = [scores(Bleurt(tiny.directory), [reference], [answer])[0]
             for reference, answer in zip(references, answers, strict=True)]  # fmt: skip
    np.testing.assert_allclose(together, alone, atol=1e-5, rtol=0)
    assert len(set(np.round(together, 3))) > 20


def test_longest_first_in_batches_within_the_budget(tiny: Tiny, watched: Watched) -> None:
    scores(Bleurt(tiny.directory, batch_tokens=200), some_texts(40), some_texts(40, seed=6))
    lengths = [length for batch in watched.batches for length in batch]
    assert len(watched.batches) > 3
    assert lengths == sorted(lengths, reverse=True)
    assert max(lengths) == tiny.architecture.positions  # some were cut
    assert all(sum(batch) <= 200 for batch in watched.batches)


def test_a_pair_is_computed_once(tiny: Tiny, watched: Watched) -> None:
    metric = Bleurt(tiny.directory)
    repeated = scores(metric, ["fox", "dog", "fox", "fox", "dog"], ["dog", "fox", "dog", None, ""])
    assert watched.n_pairs == 4
    assert repeated[0] == repeated[2]
    assert len(set(repeated)) == 4


def test_the_unanswered_scores_as_the_empty_answer_and_counts(tiny: Tiny) -> None:
    metric = Bleurt(tiny.directory)
    result = metric.score(metric.prepare(["fox", "fox", "Oslo"]), [None, "", "Oslo"])["bleurt"]
    assert result.per_item[0] == result.per_item[1] != 0
    assert result.value == sum(result.per_item.tolist()) / 3


def test_references_are_written_as_text(tiny: Tiny) -> None:
    metric = Bleurt(tiny.directory)
    written = scores(metric, [["fox", "dog"], {"Oslo": True, "Bergen": [1, 2.5]}, 1024], ["fox"] * 3)
    as_text = scores(metric, ["fox\ndog", "Oslo - yes\nBergen - 1\n2.5", "1024"], ["fox"] * 3)
    np.testing.assert_allclose(written, as_text, atol=1e-6, rtol=0)


@pytest.mark.parametrize(
    "answer", ["", " ", "\n\n", "\x00", "\ud800", "😀" * 300, "x" * 100_000, "中" * 3000, "[SEP] [CLS] [PAD]"]
)
def test_any_text_has_a_score(tiny: Tiny, answer: str) -> None:
    for pair in ((["fox"], [answer]), ([answer], ["fox"]), ([answer], [answer])):
        assert np.isfinite(scores(Bleurt(tiny.directory), *pair)).all()


def test_progress_is_told_within_batches_and_counts_items(tiny: Tiny) -> None:
    metric = Bleurt(tiny.directory, batch_tokens=200)
    calls: list[tuple[int, int]] = []
    metric.score(metric.prepare(some_texts(20)), some_texts(20, seed=6), lambda *state: calls.append(state))
    done = [call[0] for call in calls]
    assert done == sorted(done)
    assert (calls[0], calls[-1]) == ((0, 20), (20, 20))
    assert {total for _, total in calls} == {20}
    n_batches = len(set(done)) - 1
    assert n_batches > 3
    assert len(calls) >= 20 + n_batches * tiny.architecture.layers * 4


@pytest.mark.parametrize("call", [1, 5, 40])
def test_progress_can_stop_the_scoring(tiny: Tiny, call: int) -> None:
    n_calls = 0

    def stop(done: int, total: int) -> None:
        nonlocal n_calls
        n_calls += 1
        if n_calls == call:
            raise KeyError("enough")

    metric = Bleurt(tiny.directory, batch_tokens=100)
    threads = torch.get_num_threads()
    with pytest.raises(KeyError, match="enough"):
        metric.score(metric.prepare(some_texts(20)), some_texts(20, seed=6), stop)
    assert n_calls == call
    assert torch.get_num_threads() == threads


def test_a_batch_the_device_has_no_memory_for_is_halved(
    tiny: Tiny, watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    references, answers = some_texts(12), some_texts(12, seed=6)
    expected = scores(Bleurt(tiny.directory), references, answers)
    compute = Encoder.scores

    def small(encoder: Encoder, pairs: Sequence[Pair], *rest: Any) -> list[float]:
        if len(pairs) > 4:
            raise torch.OutOfMemoryError
        return compute(encoder, pairs, *rest)

    monkeypatch.setattr(Encoder, "scores", small)
    np.testing.assert_allclose(scores(Bleurt(tiny.directory), references, answers), expected, atol=1e-5, rtol=0)
    monkeypatch.setattr(Encoder, "scores", lambda *_: (_ for _ in ()).throw(torch.OutOfMemoryError()))
    with pytest.raises(torch.OutOfMemoryError):
        scores(Bleurt(tiny.directory), references, answers)


def test_the_model_is_loaded_once(tiny: Tiny, monkeypatch: pytest.MonkeyPatch) -> None:
    scores(Bleurt(tiny.directory), ["fox"], ["dog"])
    monkeypatch.setattr(Encoder, "__init__", lambda *_: pytest.fail("loaded again"))
    scores(Bleurt(tiny.directory), ["fox"], ["fox"])


def test_what_cannot_be_scored_is_refused(tiny: Tiny) -> None:
    metric = Bleurt(tiny.directory)
    with pytest.raises(UnusableReference):
        metric.prepare(["fox", []])
    with pytest.raises(UnusableReference):
        metric.prepare(["fox", None])  # type: ignore[list-item]
    with pytest.raises(ValueError, match="1 references but 2 generations"):
        metric.score(metric.prepare(["fox"]), ["fox", "dog"])
    with pytest.raises(ValueError, match="no references"):
        metric.score(metric.prepare([]), [])


@pytest.mark.parametrize("options", [{"dtype": "float16"}, {"batch_tokens": 0}])
def test_settings_that_mean_nothing_are_refused(tiny: Tiny, options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"float16|at least 1"):
        Bleurt(tiny.directory, **options)
