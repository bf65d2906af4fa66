"""Read the tensors of a checkpoint without executing any code from its files."""

from __future__ import annotations

import pickle
import zipfile
from collections.abc import Callable

import torch
from safetensors import SafetensorError, safe_open

from scoring.metrics.bleurt.checkpoint import (
    NOT_SAFETENSORS,
    SAFETENSORS,
    Checkpoint,
    CheckpointError,
    bare_name,
    check_shapes,
)

MORE_THAN_TENSORS = "contains more than tensors, or is damaged; no code in it was run"
NOT_NAMED_TENSORS = "is not a list of named tensors"


def read_tensors(checkpoint: Checkpoint, tick: Callable[[], None] = lambda: None) -> dict[str, torch.Tensor]:
    """Every tensor of a checkpoint in 32 bit, by its name in `Architecture.shapes`.

    Args:
        tick: Called after each tensor of a safetensors file; reading gigabytes from a slow disk takes a while.

    Raises:
        CheckpointError: If the weights are damaged, do not match the architecture, or are a pickle that contains
            anything but tensors.
    """
    if checkpoint.weights.name == SAFETENSORS:
        tensors = {}
        try:
            with safe_open(checkpoint.weights, framework="pt") as file:
                for name in file.keys():  # noqa: SIM118 (no mapping)
                    tensors[name] = file.get_tensor(name)
                    tick()
        except (SafetensorError, OSError) as error:
            raise CheckpointError(checkpoint.weights, NOT_SAFETENSORS) from error
    else:  # PyTorch's own format, with the reader that only accepts tensors
        try:
            mapped = zipfile.is_zipfile(checkpoint.weights)
            loaded = torch.load(checkpoint.weights, map_location="cpu", weights_only=True, mmap=mapped)
        except pickle.UnpicklingError as error:
            raise CheckpointError(
                checkpoint.weights, MORE_THAN_TENSORS, "Use weights in safetensors format, or from a source you trust"
            ) from error
        except Exception as error:  # the reader raises arbitrary errors for a damaged archive
            raise CheckpointError(checkpoint.weights, "is not a file of PyTorch weights, or is damaged") from error
        if not isinstance(loaded, dict) or not all(isinstance(tensor, torch.Tensor) for tensor in loaded.values()):
            raise CheckpointError(checkpoint.weights, NOT_NAMED_TENSORS)
        tensors = {str(name): tensor for name, tensor in loaded.items()}
    check_shapes(
        {name: tuple(tensor.shape) for name, tensor in tensors.items()}, checkpoint.architecture, checkpoint.weights
    )
    return {bare_name(name): tensor.float() for name, tensor in tensors.items() if bare_name(name)}
