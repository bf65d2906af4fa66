"""Convert a checkpoint to one layout: safetensors, named as in the PyTorch port.

The source is a TensorFlow checkpoint of Google's (needs the extra ``bleurt-convert``), or one of the port's from a
model hub. The same tensors give the same file from either source, so that scores with them have the same signature.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scoring.metrics.bleurt.checkpoint import (
    BLEURT_CONFIG,
    CONFIG,
    GOOGLE_WEIGHTS,
    SAFETENSORS,
    WORDPIECE_FILE,
    Checkpoint,
    CheckpointError,
    check_shapes,
    read_architecture,
    read_checkpoint,
    read_json,
)

UNREADABLE = "or its data cannot be read by TensorFlow: it is damaged or incomplete"
BERT_CONFIG = "bert_config.json"
SENTENCEPIECE = "spm.model"
PROVENANCE = "conversion.json"

_SPACES = {
    "bert/embeddings/word_embeddings": "embeddings.word_embeddings.weight",
    "bert/embeddings/position_embeddings": "embeddings.position_embeddings.weight",
    "bert/embeddings/token_type_embeddings": "embeddings.token_type_embeddings.weight",
}
_LAST = {"kernel": "weight", "bias": "bias", "gamma": "weight", "beta": "bias"}
_OF_TRAINING = re.compile(
    r"global_step|_CHECKPOINTABLE_OBJECT_GRAPH|save_counter|.*/(adam_[mv]|Adam(_1)?)|beta[12]_power"
)


Tensors = dict[str, NDArray[np.float32]]
"""Tensors by the names of `Architecture.shapes`."""


def convert(source: Path, destination: Path, *, name: str | None = None, max_length: int | None = None) -> Checkpoint:
    """Write the checkpoint in *source* to the new directory *destination*.

    Args:
        name: A name that replaces the checkpoint's own.
        max_length: Tokens of a pair, replacing the checkpoint's own limit; a hub's copy of an older checkpoint has
            none.

    Raises:
        CheckpointError: If *source* is not a BLEURT checkpoint, or *destination* exists already.
    """
    if destination.exists():
        raise CheckpointError(destination, "exists already", "Choose a new directory, or remove this one")
    if (source / GOOGLE_WEIGHTS).is_file():
        checkpoint, tensors, provenance = _from_google(source, max_length)
    else:
        from scoring.metrics.bleurt.weights import read_tensors

        checkpoint = read_checkpoint(source)
        tensors = {key: tensor.numpy() for key, tensor in read_tensors(checkpoint).items()}
        provenance = {"from": checkpoint.weights.name}
    checkpoint = replace(
        checkpoint, name=name or checkpoint.name, max_length=checkpoint.max_length if max_length is None else max_length
    )
    destination.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=destination.parent, prefix=f".{destination.name}-") as temporary:
        directory = Path(temporary) / "checkpoint"
        directory.mkdir()
        _write(checkpoint, tensors, provenance, directory)
        directory.rename(destination)  # complete, or not there at all
    return read_checkpoint(destination)


def port_name(variable: str) -> str | None:
    """The PyTorch port's name, without its prefix, of a variable of Google's; ``None`` if it is not part of the model.

    >>> port_name("bert/encoder/layer_3/attention/self/query/kernel")
    'encoder.layer.3.attention.self.query.weight'
    >>> port_name("bert/encoder/embedding_hidden_mapping_in/bias"), port_name("dense/kernel"), port_name("dense_1/bias")
    ('encoder.embedding_projection.bias', 'classifier.weight', None)
    """
    if variable in _SPACES:
        return _SPACES[variable]
    module, _, last = variable.rpartition("/")
    if last not in _LAST:
        return None
    if module == "dense":
        return f"classifier.{_LAST[last]}"
    if not module.startswith("bert/"):
        return None
    module = module.removeprefix("bert/").replace("embedding_hidden_mapping_in", "embedding_projection")
    return f"{re.sub(r'layer_(?=[0-9])', 'layer/', module).replace('/', '.')}.{_LAST[last]}"


def _from_google(source: Path, max_length: int | None) -> tuple[Checkpoint, Tensors, dict[str, Any]]:
    """The checkpoint with its tensors, and what became of its variables."""
    said = read_json(source / BLEURT_CONFIG)
    shape = read_json(source / _file_named(said.get("bert_config_file"), BERT_CONFIG))
    tensors, renamed, left_out = _google_tensors(source)
    words = tensors.get("embeddings.word_embeddings.weight")
    if words is None or words.ndim != 2:
        raise CheckpointError(source / GOOGLE_WEIGHTS, "has no word embeddings: it is not a BLEURT checkpoint")
    projected = "encoder.embedding_projection.weight" in tensors
    shape = {**shape, "embedding_size": int(words.shape[1]) if projected else None, "input_embedding_size": None}
    architecture = read_architecture(shape, source / BERT_CONFIG)
    check_shapes({key: value.shape for key, value in tensors.items()}, architecture, source / GOOGLE_WEIGHTS)
    if said.get("sp_model"):
        vocabulary = source / _file_named(f"{said['sp_model']}.model", "sent_piece.model")
    else:
        vocabulary = source / _file_named(said.get("vocab_file"), WORDPIECE_FILE)
    if not vocabulary.is_file():
        raise CheckpointError(vocabulary, "is missing")
    length = max_length if max_length is not None else said.get("max_seq_length")
    if not isinstance(length, int):
        raise CheckpointError(source / BLEURT_CONFIG, "does not give max_seq_length")
    checkpoint = Checkpoint(
        directory=source,
        name=str(said.get("name") or source.name),
        architecture=architecture,
        max_length=length,
        lower_case=bool(said.get("do_lower_case")),
        vocabulary=vocabulary,
        weights=source / GOOGLE_WEIGHTS,
    )
    return checkpoint, tensors, {"from": "tensorflow", "tensors": renamed, "left_out": left_out}


def _google_tensors(source: Path) -> tuple[Tensors, dict[str, str], dict[str, Any]]:
    """The model's tensors by their new names; new names by old; and the checkpoint's other, training-only variables."""
    if find_spec("tensorflow") is None:
        raise CheckpointError(
            source,
            "is a TensorFlow checkpoint, and reading it needs TensorFlow",
            "For the conversion only, install it with: pip install --constraint constraints.txt '.[bleurt-convert]'",
        )
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    import tensorflow

    path = source / GOOGLE_WEIGHTS
    tensors: Tensors = {}
    renamed: dict[str, str] = {}
    left_out: dict[str, Any] = {}
    try:
        reader = tensorflow.train.load_checkpoint(str(path.with_suffix("")))
        for variable in sorted(reader.get_variable_to_shape_map()):
            new_name = port_name(variable)
            if _OF_TRAINING.fullmatch(variable):
                left_out[variable] = "of training" if "/" in variable else str(reader.get_tensor(variable))[:100]
            elif new_name is None:
                raise CheckpointError(path, f"contains {variable}, which no published BLEURT checkpoint has")
            else:
                value = np.asarray(reader.get_tensor(variable), dtype=np.float32)
                tensors[new_name] = np.ascontiguousarray(value.T) if variable.endswith("/kernel") else value
                renamed[variable] = new_name
    except (tensorflow.errors.OpError, ValueError, RuntimeError, LookupError) as error:
        if isinstance(error, CheckpointError):
            raise
        raise CheckpointError(path, UNREADABLE) from error
    return tensors, renamed, left_out


def _write(checkpoint: Checkpoint, tensors: Tensors, provenance: Mapping[str, Any], directory: Path) -> None:
    from safetensors.numpy import save_file

    prefixed = {
        (key if key.startswith("classifier.") else f"bleurt.{key}"): np.ascontiguousarray(tensor)
        for key, tensor in sorted(tensors.items())
    }
    save_file(prefixed, directory / SAFETENSORS, metadata={"format": "pt"})
    architecture = checkpoint.architecture
    is_wordpiece = checkpoint.vocabulary.suffix == ".txt"
    vocabulary = WORDPIECE_FILE if is_wordpiece else SENTENCEPIECE
    shutil.copyfile(checkpoint.vocabulary, directory / vocabulary)
    config = {
        "architectures": ["BleurtForSequenceClassification"],
        "model_type": "bleurt",
        "vocab_size": architecture.vocabulary,
        "embedding_size": architecture.embedding,
        "hidden_size": architecture.hidden,
        "num_hidden_layers": architecture.layers,
        "num_attention_heads": architecture.heads,
        "intermediate_size": architecture.intermediate,
        # The port's name for the tanh form, so that the port also computes what the reference does.
        "hidden_act": "gelu_new" if architecture.activation == "gelu_tanh" else architecture.activation,
        "max_position_embeddings": architecture.positions,
        "type_vocab_size": architecture.segments,
        "layer_norm_eps": architecture.epsilon,
        "num_labels": 1,
    }
    bleurt_config = {
        "name": checkpoint.name,
        "max_seq_length": checkpoint.max_length,
        "do_lower_case": checkpoint.lower_case if is_wordpiece else None,
        "vocab_file": vocabulary if is_wordpiece else None,
        "sp_model": None if is_wordpiece else Path(vocabulary).stem,
    }
    for file_name, value in ((CONFIG, config), (BLEURT_CONFIG, bleurt_config), (PROVENANCE, provenance)):
        (directory / file_name).write_text(json.dumps(value, indent=2) + "\n", encoding="utf-8")
    read_checkpoint(directory).digest()


def _file_named(said: object, otherwise: str) -> str:
    """A file name from a configuration, without any directory."""
    return Path(said).name if isinstance(said, str) and said else otherwise
