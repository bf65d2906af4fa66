import pytest
import torch
from torch.nn import functional

from scoring.metrics.bleurt import Bleurt, dense, metric
from scoring.metrics.bleurt.checkpoint import ACTIVATIONS
from tests.scoring.metrics.bleurt.checkpoints import Tiny

pytestmark = pytest.mark.slow


def some(*shape: int) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(7))


@pytest.fixture
def ordinary(monkeypatch: pytest.MonkeyPatch) -> None:
    """A PyTorch without oneDNN's operators."""
    monkeypatch.setattr(dense, "can_lay_out", lambda: False)
    monkeypatch.setattr(metric, "_loaded_model", {})


@pytest.mark.parametrize("activation", sorted(set(ACTIVATIONS.values())))
@pytest.mark.parametrize("n_rows", [1, 3, 200])
def test_both_kinds_of_layer_are_the_textbooks(activation: str, n_rows: int) -> None:
    weight, bias, rows = some(40, 24), some(40), some(n_rows, 24)
    exact = rows.double() @ weight.double().T + bias.double()
    expected = {
        "linear": lambda: exact,
        "relu": lambda: exact.clamp(min=0),
        "tanh": exact.tanh,
        "gelu_tanh": lambda: 0.5 * exact * (1 + ((2 / torch.pi) ** 0.5 * (exact + 0.044715 * exact**3)).tanh()),
    }[activation]()
    for layer in (dense._laid_out(weight, bias, activation), dense._ordinary(weight, bias, activation)):
        torch.testing.assert_close(layer(rows).double(), expected, atol=2e-5, rtol=1e-5)


def test_the_fast_layers_are_used_where_they_work(monkeypatch: pytest.MonkeyPatch) -> None:
    assert dense.can_lay_out()
    monkeypatch.setattr(dense, "_ordinary", lambda *_: pytest.fail("the slow one"))
    dense.dense(some(4, 4), some(4))(some(2, 4))


def test_other_numbers_take_the_ordinary_layers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dense, "_laid_out", lambda *_: pytest.fail("made for 32 bit"))
    rows, weight, bias = some(2, 4).bfloat16(), some(4, 4).bfloat16(), some(4).bfloat16()
    torch.testing.assert_close(dense.dense(weight, bias)(rows), functional.linear(rows, weight, bias))


@pytest.mark.parametrize("fault", ["missing", "wrong"])
def test_operators_that_are_missing_or_wrong_are_not_used(monkeypatch: pytest.MonkeyPatch, fault: str) -> None:
    def faulty(weight: torch.Tensor, bias: torch.Tensor, activation: str) -> dense.Layer:
        if fault == "missing":
            raise AttributeError("'_OpNamespace' 'mkldnn' object has no attribute '_reorder_linear_weight'")
        return lambda rows: dense._ordinary(weight, bias, activation)(rows) + 1e-3

    monkeypatch.setattr(dense, "_laid_out", faulty)
    dense.can_lay_out.cache_clear()
    try:
        assert not dense.can_lay_out()
    finally:
        monkeypatch.undo()
        dense.can_lay_out.cache_clear()


def test_scores_are_the_same_without_the_fast_layers(tiny: Tiny, request: pytest.FixtureRequest) -> None:
    scorer = Bleurt(tiny.directory)
    prepared = scorer.prepare(["the quick fox", "Oslo and Bergen", ""])
    answers = ["the lazy dog", None, "seven historians"]
    fast = scorer.score(prepared, answers)["bleurt"].per_item
    request.getfixturevalue("ordinary")
    ordinary = scorer.score(prepared, answers)["bleurt"].per_item
    assert fast == pytest.approx(ordinary, abs=1e-5)
