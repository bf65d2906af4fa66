"""BLEURT: pairs per second beside the reference's way, on a seeded model of BLEURT-20's shape.

The reference's way is batches of 16 pairs in the order given, each filled up to 512 tokens; it is taken here with the
independent PyTorch port (``bleurt-pytorch``), which has the same weights. Between the two stands the port with pairs
sorted by length and batches filled up to their longest pair, to show what sorting alone brings.

All are run on the same pairs and must give the same scores to 1e-5. The pairs are random tokens in lengths as they
come: every hundredth pair, by length, of 6,495 real generations (three systems, three settings) with the references of
the development set, a token being five letters or a punctuation mark; 123 tokens per pair on average. A padded pair
takes as long as any other, so the port is timed on one batch unless more are asked for.

Besides the seconds on the clock, which others on the machine stretch, stand those of processor time.

``python -m tests.bench bleurt`` takes two minutes on two idle cores. ``python -m tests.bench.bench_bleurt --layers 4``
an eighth of that; the ratio is larger then, because of the last layer only what reaches the score is computed.
"""

from __future__ import annotations

import argparse
import os
import platform
import resource
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from scoring.metrics.bleurt.checkpoint import Architecture
from scoring.metrics.bleurt.encoder import Encoder, Pair
from scoring.metrics.bleurt.metric import CPU_BATCH_TOKENS, GPU_BATCH_TOKENS, batches_by_length
from scoring.metrics.bleurt.tokens import cut_lengths
from tests.bench.registry import Report, bench, table

BAR = 8.0
"""Times the pairs per second of the reference's way."""
TOLERANCE = 1e-5
LENGTH = 512
REFERENCE_BATCH = 16

# fmt: off
LENGTHS = (  # tokens of reference and candidate
    (25, 46), (56, 21), (87, 222), (46, 15), (30, 44), (35, 24), (123, 6), (25, 63), (41, 92), (25, 24), (24, 51),
    (30, 51), (47, 36), (30, 357), (47, 134), (26, 95), (55, 409), (21, 10), (30, 222), (38, 48), (49, 44), (298, 42),
    (22, 33), (82, 33), (50, 50), (4, 165), (70, 14), (22, 58), (59, 164), (54, 48), (29, 38), (29, 60), (39, 73),
    (27, 36), (24, 44), (27, 80), (30, 23), (49, 46), (36, 491), (4, 35), (49, 24), (3, 48), (40, 64), (46, 105),
    (38, 19), (74, 24), (42, 157), (67, 51), (29, 49), (40, 240), (26, 10), (2, 23), (31, 94), (37, 8), (47, 44),
    (1, 10), (79, 30), (97, 47), (30, 12), (1, 46), (30, 39), (34, 104), (19, 46), (123, 35),
)
# fmt: on


@dataclass(frozen=True)
class Spent:
    """What some pairs took."""

    n_pairs: int
    seconds: float
    """On the clock."""
    processor: float
    """Seconds of all cores together."""

    def __add__(self, other: Spent) -> Spent:
        return Spent(self.n_pairs + other.n_pairs, self.seconds + other.seconds, self.processor + other.processor)

    def times_faster(self, other: Spent) -> tuple[float, float]:
        """Times the pairs per second of *other*: on the clock, and by processor time."""
        return (
            self.n_pairs / self.seconds / (other.n_pairs / other.seconds),
            self.n_pairs / self.processor / (other.n_pairs / other.processor),
        )

    def __str__(self) -> str:
        return f"{self.n_pairs / self.seconds:.3f} pairs/s"


def measure(report: Report, *, layers: int = 32, hidden: int = 1152, reference_batches: int = 1) -> None:
    """Measure, and tell *report*.

    :param layers: fewer for a quick look.
    :param hidden: a multiple of 64.
    :param reference_batches: how many batches the reference's way is timed on, at most 4.
    """
    architecture = Architecture(
        layers=layers, hidden=hidden, heads=hidden // 64, intermediate=4 * hidden, vocabulary=250_300, positions=LENGTH,
        segments=2, embedding=256, activation="gelu_tanh", epsilon=1e-12,
    )  # fmt: skip
    device = "cuda" if torch.cuda.is_available() else "cpu"
    port = _seeded_port(architecture).to(device)
    names = {name: name.removeprefix("bleurt.") for name in port.state_dict() if "position_ids" not in name}
    tensors = {names[name]: value for name, value in port.state_dict().items() if name in names}
    encoder = Encoder(architecture, tensors, device, "float32")
    pairs = _pairs(architecture.vocabulary)
    budget = CPU_BATCH_TOKENS if device == "cpu" else GPU_BATCH_TOKENS
    lengths = [len(ids) for ids, _ in pairs]
    mean = sum(lengths) / len(pairs)
    report.note(f"seeded model of {layers} layers × {hidden} units, 32 bit (BLEURT-20 has 32 × 1152)")
    report.note(_machine(device))
    report.note(f"{len(pairs)} pairs of real lengths, {mean:.0f} tokens each on average")

    def ours(batch: Sequence[Pair]) -> list[float]:
        return encoder.scores(batch)

    def padded_to_longest(batch: Sequence[Pair]) -> list[float]:
        return _port_scores(port, batch, max(len(ids) for ids, _ in batch))

    def padded_to_512(batch: Sequence[Pair]) -> list[float]:
        return _port_scores(port, batch, LENGTH)

    ours(pairs[:4])
    padded_to_longest(pairs[:1])
    scores, before = _timed(ours, pairs, batches_by_length(lengths, budget))
    in_order = [list(range(start, start + REFERENCE_BATCH)) for start in range(0, len(pairs), REFERENCE_BATCH)]
    reference_scores, reference = _timed(padded_to_512, pairs, in_order[:reference_batches])
    _, after = _timed(ours, pairs, batches_by_length(lengths, budget))
    spent = before + after  # on both sides, since what else the machine does changes meanwhile
    clock, processor = spent.times_faster(reference)
    report.measure(
        "times the reference's way (16, padded to 512)",
        clock,
        "x",
        at_least=BAR,
        beside=f"{spent}, reference {reference}",
    )
    report.measure("the same by processor time", processor, "x")
    if report.full:
        by_length = sorted(range(len(pairs)), key=lambda number: lengths[number])
        sorted_scores, by_sorting = _timed(
            padded_to_longest, pairs, [[by_length[place] for place in batch] for batch in in_order]
        )
        report.measure("sorting alone, times the reference's way", by_sorting.times_faster(reference)[0], "x")
        report.measure("difference to sorted", _difference(scores, sorted_scores) * 1e6, "e-6", at_most=TOLERANCE * 1e6)
    report.measure(
        "largest difference of scores", _difference(scores, reference_scores) * 1e6, "e-6", at_most=TOLERANCE * 1e6
    )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    report.measure("peak memory, with both models", peak / 2**30, "GiB")


@bench("bleurt")
def bleurt(report: Report) -> None:
    """BLEURT-20's shape."""
    measure(report, layers=report.size(32, 2), hidden=report.size(1152, 128))


def _timed(
    compute: Callable[[Sequence[Pair]], list[float]], pairs: Sequence[Pair], batches: Iterable[Sequence[int]]
) -> tuple[dict[int, float], Spent]:
    """Scores by position among *pairs*, and what they took."""
    scores: dict[int, float] = {}
    start, start_processor = time.perf_counter(), time.process_time()
    for batch in batches:
        scores.update(zip(batch, compute([pairs[number] for number in batch]), strict=True))
    return scores, Spent(len(scores), time.perf_counter() - start, time.process_time() - start_processor)


def _difference(ours: Mapping[int, float], theirs: Mapping[int, float]) -> float:
    return max(abs(ours[number] - score) for number, score in theirs.items())


def _seeded_port(architecture: Architecture) -> Any:
    os.environ["USE_TF"] = "0"  # or transformers loads TensorFlow where it is installed
    from bleurt_pytorch import BleurtConfig, BleurtForSequenceClassification

    torch.manual_seed(31415)
    config = BleurtConfig(
        vocab_size=architecture.vocabulary, embedding_size=architecture.embedding, hidden_size=architecture.hidden,
        num_hidden_layers=architecture.layers, num_attention_heads=architecture.heads,
        intermediate_size=architecture.intermediate, hidden_act="gelu_pytorch_tanh",
        max_position_embeddings=architecture.positions,
    )  # fmt: skip
    return BleurtForSequenceClassification(config).eval()


def _pairs(n_ids: int) -> list[Pair]:
    generator = torch.Generator().manual_seed(31415)
    pairs: list[Pair] = []
    for n_reference, n_candidate in (cut_lengths(*lengths, LENGTH - 3) for lengths in LENGTHS):
        ids: list[int] = torch.randint(5, n_ids, (n_reference + n_candidate + 3,), generator=generator).tolist()
        pairs.append((ids, n_reference + 2))
    return pairs


def _port_scores(port: Any, pairs: Sequence[Pair], length: int) -> list[float]:
    """Pairs filled up to *length*, as the reference implementation does it."""
    ids = torch.zeros(len(pairs), length, dtype=torch.long)
    mask, segments = torch.zeros_like(ids), torch.zeros_like(ids)
    for row, (of_pair, n_first) in enumerate(pairs):
        ids[row, : len(of_pair)] = torch.tensor(of_pair)
        mask[row, : len(of_pair)] = 1
        segments[row, n_first : len(of_pair)] = 1
    device = port.device
    with torch.inference_mode():
        logits = port(
            input_ids=ids.to(device), attention_mask=mask.to(device), token_type_ids=segments.to(device)
        ).logits
    scores: list[float] = logits.flatten().tolist()
    return scores


def _machine(device: str) -> str:
    if device == "cuda":
        return f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}"
    model = platform.processor() or platform.machine()
    information = Path("/proc/cpuinfo")
    if information.exists():
        names = [line.split(":", 1)[1].strip() for line in information.read_text().splitlines() if "model name" in line]
        model = names[0] if names else model
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    return (
        f"{model}, {torch.get_num_threads()} threads on {os.cpu_count()} cores, PyTorch {torch.__version__}, "
        f"load of the last minutes {load}"
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure a model of another size; 0 if the bars are cleared, 1 if not."""
    parser = argparse.ArgumentParser(description="BLEURT beside the reference's way.")
    parser.add_argument("--layers", type=int, default=32, help="fewer for a quick look (BLEURT-20 has 32)")
    parser.add_argument("--hidden", type=int, default=1152, help="a multiple of 64 (BLEURT-20 has 1152)")
    parser.add_argument("--reference-batches", type=int, default=1, choices=(1, 2, 3, 4))
    parser.add_argument("--full", action="store_true", help="also what sorting alone brings")
    options = parser.parse_args(arguments)
    report = Report("bleurt", full=options.full)
    measure(report, layers=options.layers, hidden=options.hidden, reference_batches=options.reference_batches)
    print(table([report]))
    return 1 if any(row.passed is False for row in report.rows) else 0


if __name__ == "__main__":
    sys.exit(main())
