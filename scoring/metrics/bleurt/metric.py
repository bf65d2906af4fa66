"""The BLEURT metric: pairs truncated as in the reference, each computed once, in batches of similar length."""

from __future__ import annotations

import math
import os
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from scoring.metrics.base import (
    AnswerBudget,
    Metric,
    Progress,
    ReferenceAnswer,
    ScoredVector,
    Site,
    check_lengths,
    check_references,
    made_once,
    official_mean,
)
from scoring.metrics.bleurt.checkpoint import Checkpoint, CheckpointError, read_checkpoint, unavailable_reason
from scoring.metrics.bleurt.tokens import Tokeniser, cut_lengths, tokeniser_of
from scoring.metrics.columns import Column, Explanation
from scoring.metrics.text.normalise import as_text

if TYPE_CHECKING:
    from scoring.metrics.bleurt.encoder import Encoder, Pair

NOT_NUMBERS = "gives scores that are not numbers: its weights are damaged"
DTYPES = ("float32", "bfloat16")
CPU_BATCH_TOKENS = 2048
"""Tokens of one batch on a CPU: enough for its matrix products to reach full speed."""
GPU_BATCH_TOKENS = 32_768
"""Tokens of one batch on a GPU: two to three GB with BLEURT-20 in 32-bit, besides its weights."""


class Bleurt(Metric):
    """BLEURT: how well the answer conveys the reference written as text, predicted by a model trained on human ratings.

    Sellam, Das and Parikh (2020), BLEURT: Learning Robust Metrics for Text Generation,
    https://aclanthology.org/2020.acl-main.704; BLEURT-20: Pu et al. (2021), https://aclanthology.org/2021.emnlp-main.58.
    Called as ``fanoutqa`` 1.1.1 calls the reference implementation (``Scorer.score_bleurt``).

    References: shape ``(n,)``, written as text by `as_text`. Answers: shape
    ``(n,)``, text or ``None``. Each pair is tokenised without further normalisation, truncated to the checkpoint's
    length (512 tokens for BLEURT-20) at the end of the longer text, of the answer where both are equally long, and read
    as ``[CLS] reference [SEP] answer [SEP]``.

    Scores are mostly between 0 and 1, higher is better, but they have no bounds: values below 0 and above 1 occur. The
    aggregate is the mean over all questions. **An unanswered question is scored as the empty answer**, as in the
    official scorer: a small number, different for each reference, and not 0; it counts.

    A pair's score does not depend on other pairs, beyond the sixth decimal of 32-bit arithmetic; with ``bfloat16``
    scores change by about a hundredth, and the signature says so. Scores of different checkpoints cannot be compared.

    Needs the extra ``bleurt`` and a checkpoint on this machine; `unavailable_reason` says
    whether both are available. Nothing is downloaded.
    """

    name: ClassVar[str] = "bleurt"
    version: ClassVar[str] = "0.6.0"
    score_names: ClassVar[tuple[str, ...]] = ("bleurt",)
    label: ClassVar[str] = "BLEURT"
    task_types: ClassVar[tuple[str, ...]] = ("text-answer",)
    formula: ClassVar[str] = "metrics/bleurt/formula.html"
    queue: ClassVar[str] = "bleurt"
    needs_site: ClassVar[bool] = True

    def __init__(
        self,
        checkpoint_dir: str | Path = "",
        *,
        dtype: str = "float32",
        device: str = "auto",
        batch_tokens: int | None = None,
    ) -> None:
        """Cheap: the model is loaded when it first scores, and stays in the process until another one is loaded.

        Args:
            checkpoint_dir: As in `read_checkpoint`.
            dtype: Of the encoder's numbers: ``"float32"``, or ``"bfloat16"`` for about half the time and memory.
            device: ``"cpu"``, ``"cuda"`` (or ``"cuda:1"``), or ``"auto"``: a GPU when there is one.
            batch_tokens: The maximum number of tokens in a batch, which bounds memory; by default a suitable number for
                the device. Does not change scores.

        Raises:
            ValueError: If an argument has no valid value.
        """
        if dtype not in DTYPES:
            raise ValueError(f"dtype is one of {', '.join(DTYPES)}, not {dtype!r}")
        if batch_tokens is not None and batch_tokens < 1:
            raise ValueError(f"batch_tokens must be at least 1, not {batch_tokens}")
        self.checkpoint_dir = Path(checkpoint_dir)
        self.dtype = dtype
        self.device = device
        self.batch_tokens = batch_tokens

    def columns(self) -> tuple[Column, ...]:
        description = "Model-based similarity of answer and reference (BLEURT-20)."
        return (Column("bleurt", self.name, "BLEURT", "BLEURT", "Model-based", description, bounds=None),)

    def explanation(self) -> Explanation:
        return Explanation(
            measures=(
                "Measures how well the answer conveys the reference written as text, according to a model trained on "
                "human ratings (BLEURT-20)."
            ),
            formula=("score of a question = output of the model for (reference, answer)\nthe mean over all questions"),
            surprises=(
                "Scores are not limited to the range from 0 to 1, and their absolute values have no fixed meaning.",
                "Reference and answer together are cut to 512 tokens, so the end of a long answer is not read.",
                "An unanswered question is scored as an empty answer, which does not give 0.",
            ),
            source="https://aclanthology.org/2020.acl-main.704/",
        )

    @classmethod
    def parameters(cls) -> tuple[str, ...]:
        """None: what its class takes depends on the machine, not on the benchmark."""
        return ()

    @classmethod
    def unavailable(cls, site: Site) -> str:
        return unavailable_reason(site.BLEURT_CHECKPOINT)

    @classmethod
    def invalid_settings(cls, site: Site) -> dict[str, str]:
        invalid = {}
        if site.BLEURT_DTYPE not in DTYPES:
            invalid["BLEURT_DTYPE"] = f"one of {', '.join(DTYPES)}"
        if not re.fullmatch(r"auto|(cpu|cuda|mps|xpu)(:\d+)?", site.BLEURT_DEVICE):
            invalid["BLEURT_DEVICE"] = "auto, cpu, cuda, or one GPU such as cuda:1"
        return invalid

    @classmethod
    def on_site(cls, site: Site, **parameters: Any) -> Self:
        own = {"dtype": site.BLEURT_DTYPE, "device": site.BLEURT_DEVICE}
        return made_once(cls, site.BLEURT_CHECKPOINT, **own, **parameters)

    def signature_parts(self) -> tuple[str, ...]:
        """The checkpoint's name and the beginning of its hash; also the arithmetic, if it is not 32-bit.

        The first call for a checkpoint reads all of it (see `digests`).

        Raises:
            CheckpointError: If there is no checkpoint.
        """
        checkpoint = read_checkpoint(self.checkpoint_dir)
        parts = [f"checkpoint:{checkpoint.name}@{checkpoint.digest()[:12]}"]
        if self.dtype != "float32":
            parts.append(f"dtype:{self.dtype}")
        return tuple(parts)

    @classmethod
    def gpu(cls, site: Site) -> str:
        kind, _, number = cls.on_site(site)._device().partition(":")
        return f"{kind}:{number or 0}" if kind == "cuda" else ""

    def observed(self) -> str:
        """PyTorch's version and the kind of device, which change the last digits."""
        return f"torch-{version('torch').partition('+')[0]}-{self._device().partition(':')[0]}"

    def prepare(self, references: Sequence[ReferenceAnswer]) -> tuple[str, ...]:
        """Write the references as texts; raises UnusableReference as `check_references`."""
        check_references(references)
        return tuple(map(as_text, references))

    def score(
        self,
        prepared: Sequence[str],
        generations: Sequence[str | None],
        progress: Progress | None = None,
        budget: AnswerBudget | None = None,
    ) -> dict[str, ScoredVector]:
        """See `Metric.score`; but an unanswered question scores as an empty answer, and *budget* is not needed: an
        answer is cut to the model's length before it costs anything.

        Raises:
            CheckpointError: If the checkpoint is missing, damaged, or gives scores that are not numbers.
        """
        del budget
        n_items = len(prepared)
        check_lengths(n_items, len(generations))
        done = 0

        def tick() -> None:
            if progress:
                progress(done, n_items)

        tick()
        model = _loaded(read_checkpoint(self.checkpoint_dir), self.dtype, self._device(), tick)
        items: dict[tuple[str, str], list[int]] = {}
        for position, pair in enumerate(zip(prepared, (text or "" for text in generations), strict=True)):
            items.setdefault(pair, []).append(position)
        scores = [0.0] * n_items
        on_cpu = model.encoder.device.type == "cpu"
        batch_tokens = self.batch_tokens or (CPU_BATCH_TOKENS if on_cpu else GPU_BATCH_TOKENS)
        with _full_speed():
            for scored in model.score(list(items), batch_tokens, tick):
                for pair, value in scored:
                    for position in items[pair]:
                        scores[position] = value
                    done += len(items[pair])
                tick()
        return {"bleurt": ScoredVector(official_mean(scores, n_items), np.array(scores, dtype=np.float64))}

    def _device(self) -> str:
        if self.device != "auto":
            return self.device
        import torch

        return "cuda" if torch.cuda.is_available() else "cpu"


@dataclass(frozen=True)
class _Model:
    """A loaded checkpoint."""

    checkpoint: Checkpoint
    tokeniser: Tokeniser
    encoder: Encoder

    def score(
        self, texts: Sequence[tuple[str, str]], batch_tokens: int, tick: Callable[[], None]
    ) -> Iterator[list[tuple[tuple[str, str], float]]]:
        """The scores of distinct pairs of texts, batch by batch, the longest first: memory peaks at the start."""
        limit = self.checkpoint.max_length - 3  # besides the three special tokens
        start, separator = self.tokeniser.start, self.tokeniser.separator
        pairs: list[Pair] = []
        for reference, candidate in texts:
            reference_ids = self.tokeniser.ids(reference, limit)
            candidate_ids = self.tokeniser.ids(candidate, limit)
            n_reference, n_candidate = cut_lengths(len(reference_ids), len(candidate_ids), limit)
            first = [start, *reference_ids[:n_reference], separator]
            pairs.append(([*first, *candidate_ids[:n_candidate], separator], len(first)))
            tick()
        for batch in batches_by_length([len(ids) for ids, _ in pairs], batch_tokens):
            values = self._batch([pairs[number] for number in batch], tick)
            yield [(texts[number], value) for number, value in zip(batch, values, strict=True)]

    def _batch(self, pairs: Sequence[Pair], tick: Callable[[], None]) -> list[float]:
        """Compute one batch; in halves, if the device has too little memory for the whole."""
        import torch

        values: list[float] | None = None
        try:
            values = self.encoder.scores(pairs, tick)
        except torch.OutOfMemoryError:
            if len(pairs) == 1:
                raise
        if values is None:  # outside the except clause, where the error would keep the memory in use
            torch.cuda.empty_cache()
            half = len(pairs) // 2
            return self._batch(pairs[:half], tick) + self._batch(pairs[half:], tick)
        if not all(map(math.isfinite, values)):
            raise CheckpointError(self.checkpoint.weights, NOT_NUMBERS)
        return values


def batches_by_length(lengths: Sequence[int], batch_tokens: int) -> Iterator[list[int]]:
    """Batches of pairs of similar length, the longest first, as positions among *lengths*; a pair of more than
    `batch_tokens` tokens is a batch of its own.

    >>> list(batches_by_length([4, 10, 5, 5], 10))
    [[1], [2, 3], [0]]
    """
    by_length = sorted(range(len(lengths)), key=lambda number: -lengths[number])
    start = 0
    while start < len(by_length):
        longest = lengths[by_length[start]]
        end = start + max(1, batch_tokens // longest)
        yield by_length[start:end]
        start = end


_lock = threading.Lock()
_loaded_model: dict[tuple[str, str, str], _Model] = {}


def _loaded(checkpoint: Checkpoint, dtype: str, device: str, tick: Callable[[], None]) -> _Model:
    """The model of a checkpoint; the latest one is cached, and reloaded if its files changed."""
    from scoring.metrics.bleurt.encoder import Encoder
    from scoring.metrics.bleurt.weights import read_tensors

    key = (checkpoint.digest(), dtype, device)
    with _lock:
        if key not in _loaded_model:
            _loaded_model.clear()
            tokeniser = tokeniser_of(checkpoint)
            tensors = read_tensors(checkpoint, tick)
            _loaded_model[key] = _Model(checkpoint, tokeniser, Encoder(checkpoint.architecture, tensors, device, dtype))
        return _loaded_model[key]


@contextmanager
def _full_speed() -> Iterator[None]:
    """Use all cores available to this process, and full 32-bit arithmetic; restores the settings afterwards."""
    import torch

    threads_before = torch.get_num_threads()
    precision_before = torch.get_float32_matmul_precision()
    torch.set_num_threads(_usable_cores())
    torch.set_float32_matmul_precision("highest")
    try:
        yield
    finally:
        torch.set_num_threads(threads_before)
        torch.set_float32_matmul_precision(precision_before)


def _usable_cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
