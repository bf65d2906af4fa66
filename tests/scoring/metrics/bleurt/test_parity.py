"""The same weights give the same scores here and in an independent implementation, fed in the reference's way."""

from typing import Any

import pytest
import sentencepiece
import torch

from scoring.metrics.bleurt import Bleurt
from scoring.metrics.bleurt.checkpoint import read_checkpoint
from scoring.metrics.bleurt.tokens import tokeniser_of
from tests.scoring.metrics.bleurt.checkpoints import Tiny, lines, padded_as_reference, port_config, port_names

pytestmark = pytest.mark.slow

TEXTS = lines(60)
PAIRS = [
    *zip(TEXTS[:20], TEXTS[20:40], strict=True),
    ("", ""),
    ("Oslo", ""),
    ("", "Bergen"),
    ("the fox", "the fox"),
    (" ".join(TEXTS[:9]), "the fox"),  # cut on the left,
    ("the fox", " ".join(TEXTS[:9])),  # on the right,
    (" ".join(TEXTS[:9]), " ".join(TEXTS[9:20])),  # on both,
    (" ".join(TEXTS[:9]), " ".join(TEXTS[:9])),  # on both, alternating from the start
]


def reference_inputs(tiny: Tiny) -> dict[str, torch.Tensor]:
    """All pairs, unsorted, filled up to the full length."""
    checkpoint = read_checkpoint(tiny.directory)
    if checkpoint.is_sentencepiece:
        processor = sentencepiece.SentencePieceProcessor(model_file=str(checkpoint.vocabulary))

        def tokens(text: str) -> list[int]:
            return [processor.piece_to_id(piece) for piece in processor.encode(text, out_type=str)]

        start, separator = processor.piece_to_id("[CLS]"), processor.piece_to_id("[SEP]")
    else:
        own = tokeniser_of(checkpoint)

        def tokens(text: str) -> list[int]:
            return own.ids(text, 10**6)

        start, separator = 3, 4
    rows = [
        padded_as_reference(tokens(reference), tokens(candidate), checkpoint.max_length, start, separator)
        for reference, candidate in PAIRS
    ]
    ids, mask, segments = (torch.tensor(part) for part in zip(*rows, strict=True))
    return {"input_ids": ids, "attention_mask": mask, "token_type_ids": segments}


def port(tiny: Tiny, hidden_act: str = "gelu_new") -> torch.Tensor:
    """The independent port on PyPI; its name for the tanh form of GELU is ``gelu_new``."""
    from bleurt_pytorch import BleurtConfig, BleurtForSequenceClassification

    config = port_config(tiny.architecture, hidden_act=hidden_act)
    del config["model_type"]
    model = BleurtForSequenceClassification(BleurtConfig(**config)).eval()
    missing, unexpected = model.load_state_dict(port_names(tiny.tensors), strict=False)
    assert (missing, unexpected) == (["bleurt.embeddings.position_ids"], [])
    with torch.no_grad():
        scores: torch.Tensor = model(**reference_inputs(tiny)).logits.flatten()
    return scores


def ours(tiny: Tiny, **options: Any) -> torch.Tensor:
    metric = Bleurt(tiny.directory, **options)
    references, candidates = zip(*PAIRS, strict=True)
    return torch.tensor(metric.score(metric.prepare(references), candidates)["bleurt"].per_item)


def test_same_scores_as_an_independent_implementation(tiny: Tiny) -> None:
    expected = port(tiny).double()
    assert expected.std() > 0.05  # there is something to get wrong
    torch.testing.assert_close(ours(tiny), expected, atol=1e-5, rtol=0)


def test_the_exact_form_of_gelu_is_another_metric(tiny: Tiny) -> None:
    assert (ours(tiny) - port(tiny, "gelu").double()).abs().max() > 1e-4


def test_bfloat16_is_near_and_says_so(tiny: Tiny) -> None:
    exact, rough = ours(tiny), ours(tiny, dtype="bfloat16")
    assert 0 < (exact - rough).abs().max() < 0.1
    assert "|dtype:bfloat16|" in Bleurt(tiny.directory, dtype="bfloat16").signature("dev@1")
    assert "dtype" not in Bleurt(tiny.directory).signature("dev@1")
