"""BLEURT's model in PyTorch: a BERT or RemBERT encoder, its pooled output, and one linear unit on top.

Sellam et al. (2020), https://aclanthology.org/2020.acl-main.704, on Devlin et al. (2019),
https://aclanthology.org/N19-1423; Chung et al. (2021), https://openreview.net/forum?id=xpFFI_NtgpW, for RemBERT.

This implementation is for scoring only. The pairs of a batch are concatenated in one long row, without padding: only
attention processes them one by one (pairs of equal length together), everything else works on single tokens. The last
layer computes only what affects the score: the first token of each pair.
"""

from __future__ import annotations

from collections.abc import Callable, MutableMapping, Sequence
from itertools import groupby

import torch
from torch import Tensor
from torch.nn import functional

from scoring.metrics.bleurt.checkpoint import Architecture
from scoring.metrics.bleurt.dense import Layer, dense

Tick = Callable[[], None]


Pair = tuple[Sequence[int], int]
"""One pair as the model reads it: the tokens ``[CLS] reference [SEP] candidate [SEP]``, and the number of them in the
first segment: ``[CLS]``, the reference's and the first ``[SEP]``."""


class Encoder:
    """A loaded model."""

    def __init__(
        self, architecture: Architecture, tensors: MutableMapping[str, Tensor], device: str, dtype: str
    ) -> None:
        """
        Args:
            tensors: Named as in `Architecture.shapes`. They are removed one by one, so that the memory of each is freed
                once it is on its device.
            device: ``"cpu"``, ``"cuda"``, …
            dtype: ``"float32"`` or ``"bfloat16"``, of the encoder; the linear unit on top is always 32-bit.
        """
        self.device = torch.device(device)
        self._heads = architecture.heads

        encoder_dtype: torch.dtype = getattr(torch, dtype)

        def placed(name: str, kind: torch.dtype = encoder_dtype) -> Tensor:
            return tensors.pop(name).to(self.device, kind)

        def layer(name: str, activation: str = "linear") -> Layer:
            return dense(placed(f"{name}.weight"), placed(f"{name}.bias"), activation)

        def stacked(names: Sequence[str]) -> Layer:
            weight, bias = (torch.cat([placed(f"{name}.{part}") for name in names]) for part in ("weight", "bias"))
            return dense(weight, bias)

        def normalisation(name: str) -> Layer:
            weight, bias = placed(f"{name}.weight"), placed(f"{name}.bias")
            return lambda values: functional.layer_norm(values, weight.shape, weight, bias, architecture.epsilon)

        self._words = placed("embeddings.word_embeddings.weight")
        self._positions = placed("embeddings.position_embeddings.weight")
        self._segments = placed("embeddings.token_type_embeddings.weight")
        self._embedding_normalisation = normalisation("embeddings.LayerNorm")
        self._projection = None if architecture.embedding is None else layer("encoder.embedding_projection")
        self._layers = [
            (
                stacked([f"{name}.attention.self.{part}" for part in ("query", "key", "value")]),
                layer(f"{name}.attention.output.dense"),
                normalisation(f"{name}.attention.output.LayerNorm"),
                layer(f"{name}.intermediate.dense", architecture.activation),
                layer(f"{name}.output.dense"),
                normalisation(f"{name}.output.LayerNorm"),
            )
            for name in (f"encoder.layer.{number}" for number in range(architecture.layers))
        ]
        self._pooler = layer("pooler.dense", "tanh")
        self._weight = placed("classifier.weight", torch.float32)
        self._bias = placed("classifier.bias", torch.float32)

    def scores(self, pairs: Sequence[Pair], tick: Tick = lambda: None) -> list[float]:
        """The scores of a batch of pairs, in their order.

        Args:
            pairs: At least one; fastest if pairs of equal length are neighbours.
            tick: Called several times within each layer; an exception that it raises ends the computation.
        """
        with torch.inference_mode():
            lengths = [len(ids) for ids, _ in pairs]
            firsts = torch.tensor([0, *lengths[:-1]], device=self.device).cumsum(0)
            ids = torch.tensor([identifier for of_pair, _ in pairs for identifier in of_pair])
            positions = torch.cat([torch.arange(length) for length in lengths])
            n_first = torch.tensor([n_first for _, n_first in pairs]).repeat_interleave(torch.tensor(lengths))
            segments = (positions >= n_first).long()
            states = self._words[ids.to(self.device)] + self._segments[segments.to(self.device)]
            states = self._embedding_normalisation(states + self._positions[positions.to(self.device)])
            if self._projection is not None:
                states = self._projection(states)
            for number, layer in enumerate(self._layers):
                query_key_value, attention_out, attention_normalisation, widen, narrow, normalisation = layer
                attended = self._attended(query_key_value(states), lengths, tick)
                if number == len(self._layers) - 1:
                    attended, states = attended[firsts], states[firsts]
                states = attention_normalisation(attention_out(attended) + states)
                tick()
                wide = widen(states)
                tick()
                states = normalisation(narrow(wide) + states)
                tick()
            outputs = functional.linear(self._pooler(states).float(), self._weight, self._bias).squeeze(1)
            scores: list[float] = outputs.tolist()
        return scores

    def _attended(self, query_key_value: Tensor, lengths: Sequence[int], tick: Tick) -> Tensor:
        """Attention of every token to the tokens of its own pair. Shape ``(tokens, hidden)``, from
        ``(tokens, 3 × hidden)``.

        Adjacent pairs of equal length are computed together.
        """
        n_tokens = query_key_value.shape[0]
        parts = query_key_value.view(n_tokens, 3, self._heads, -1)
        attended = torch.empty_like(parts[:, 0])
        start = 0
        for length, group in groupby(lengths):
            n_pairs = len(list(group))
            end = start + n_pairs * length
            query, key, value = parts[start:end].view(n_pairs, length, 3, self._heads, -1).permute(2, 0, 3, 1, 4)
            seen = functional.scaled_dot_product_attention(query, key, value)
            attended[start:end] = seen.transpose(1, 2).reshape(n_pairs * length, self._heads, -1)
            start = end
        tick()
        return attended.view(n_tokens, -1)
