"""The published checkpoints: their addresses, and scores to verify a download.

Neither Google nor the hub's owner publishes checksums. Scores are published instead: the PyTorch port's model cards
give those of two pairs of sentences. They were computed with the exact form of GELU, so the comparison has a tolerance.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

HUB = "https://huggingface.co/lucadiliello/{name}/resolve/main"
GOOGLE_2021 = "https://storage.googleapis.com/bleurt-oss-21/{name}.zip"
GOOGLE_2020 = "https://storage.googleapis.com/bleurt-oss/{name}.zip"

SAMPLE = (
    ("a bird chirps by the window", "a bird chirps by the window"),
    ("this is a random sentence", "this looks like a random sentence"),
)
"""Reference and candidate of the pairs whose scores are published."""
TOLERANCE = 0.01


@dataclass(frozen=True)
class Published:
    """One published checkpoint."""

    name: str
    max_length: int
    """Tokens of a pair, special ones included."""
    google: str
    """URL of Google's archive."""
    sample_scores: tuple[float, float] | None
    """Published scores of `SAMPLE`, or none."""

    @property
    def hub(self) -> str:
        """URL of the directory of the PyTorch port's files."""
        return HUB.format(name=self.name)


_SCORES = {
    "BLEURT-20": (0.9990496635437012, 0.7930182218551636),
    "BLEURT-20-D12": (0.9604414105415344, 0.8080050349235535),
    "BLEURT-20-D6": (0.9636925458908081, 0.7895470857620239),
    "BLEURT-20-D3": (0.9514874815940857, 0.800938069820404),
    "bleurt-base-128": (1.0474469661712646, 0.7105223536491394),
    "bleurt-tiny-512": (0.8606632947921753, 0.7198279500007629),
    "bleurt-tiny-128": (0.7669461369514465, 0.6060263514518738),
}
_NEW = ("BLEURT-20", "BLEURT-20-D12", "BLEURT-20-D6", "BLEURT-20-D3")
_OLD = tuple(f"bleurt-{size}-{length}" for size in ("large", "base", "tiny") for length in (512, 128))
PUBLISHED: Mapping[str, Published] = {
    name: Published(
        name=name,
        max_length=128 if name.endswith("-128") else 512,
        google=(GOOGLE_2021 if name in _NEW else GOOGLE_2020).format(name=name),
        sample_scores=_SCORES.get(name),
    )
    for name in (*_NEW, *_OLD)
}
