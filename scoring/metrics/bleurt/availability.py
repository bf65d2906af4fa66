"""Whether BLEURT can run on this machine, and if not, why and what to do; cheap enough for every page that shows it."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from scoring.metrics.bleurt.checkpoint import COMMAND, CheckpointError, read_checkpoint

PACKAGES = ("torch", "safetensors", "sentencepiece")


def unavailable_reason(checkpoint_dir: str | Path | None) -> str:
    """Reason why BLEURT cannot run on this machine now, with the command to run; empty if it can.

    Does not import the packages that it looks for, and reads only the list of tensors of the weights.

    Args:
        checkpoint_dir: The directory of the checkpoint, as ``BLEURT_CHECKPOINT`` names it; ``None`` or empty if that is
            not set.
    """
    missing = [package for package in PACKAGES if find_spec(package) is None]
    if missing:
        return (
            f"BLEURT needs {' and '.join(missing)}, which is not installed on this machine. Install the extra "
            "with: pip install --constraint constraints.txt '.[bleurt]'"
        )
    if not checkpoint_dir:
        return (
            f"This site has no BLEURT checkpoint: BLEURT_CHECKPOINT is not set. Download one with '{COMMAND} "
            "fetch BLEURT-20 DIRECTORY' and set BLEURT_CHECKPOINT to that directory."
        )
    try:
        read_checkpoint(Path(checkpoint_dir))
    except CheckpointError as error:
        return error.reason
    return ""
