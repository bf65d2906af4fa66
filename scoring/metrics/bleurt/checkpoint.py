"""Describe a BLEURT checkpoint on this machine, without loading it.

A checkpoint is a directory with ``config.json`` (the shape of the encoder), the weights (``model.safetensors``, or
``pytorch_model.bin`` from model hubs), the vocabulary (``spm.model`` for the RemBERT family, ``vocab.txt`` for the BERT
family) and, unless it came straight from a hub, ``bleurt_config.json`` (its name, and how pairs are truncated). This is
the layout of the PyTorch port; ``python -m scoring.metrics.bleurt convert`` writes it from Google's.
"""

from __future__ import annotations

import hashlib
import json
import re
import struct
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from scoring.metrics.base import MetricUnavailableError
from scoring.metrics.bleurt import digests

CONFIG = "config.json"
BLEURT_CONFIG = "bleurt_config.json"
TOKENISER_CONFIG = "tokenizer_config.json"
SAFETENSORS = "model.safetensors"
PICKLED = "pytorch_model.bin"
SENTENCEPIECE_FILES = ("spm.model", "sent_piece.model", "sentencepiece.model")
WORDPIECE_FILE = "vocab.txt"
GOOGLE_WEIGHTS = "variables/variables.index"

PACKAGES = ("torch", "safetensors", "sentencepiece")
"""The packages that scoring needs."""

COMMAND = "python -m scoring.metrics.bleurt"
BRING_AGAIN = f"Download the checkpoint again with '{COMMAND} fetch'"

LONGEST_PAIR = 512
"""No published checkpoint reads more tokens than this, special tokens included."""

ACTIVATIONS = {
    "gelu": "gelu_tanh",
    "gelu_new": "gelu_tanh",
    "gelu_fast": "gelu_tanh",
    "gelu_pytorch_tanh": "gelu_tanh",
    "gelu_tanh": "gelu_tanh",
    "relu": "relu",
    "tanh": "tanh",
    "linear": "linear",
}
"""Maps names in configurations to the reference's activation functions. Every name of GELU means the tanh form: the
reference has no other, and with the exact form scores change by a thousandth."""

MOST_HEADER = 64 * 2**20
"""Maximum size in bytes of the list of tensors that is read from a safetensors file."""

NO_DIRECTORY = "is not a directory on this machine"
NOT_SAFETENSORS = "is not a safetensors file, or is damaged"
WRONG_SIZE = "should have {expected:,} bytes, but has {found:,}: it is truncated or damaged"
ONE_SEGMENT_TYPE = "has one segment type only; BLEURT needs two to distinguish reference and candidate"

_DTYPES = {"F16", "BF16", "F32", "F64"}


class CheckpointError(MetricUnavailableError, ValueError):
    """A checkpoint that cannot be used: which file, what is wrong with it, and what to do.

    Files are named as ``directory/file``, never by their full path: people who wait for a score see the message.
    """

    def __init__(self, path: Path, what: str, remedy: str = BRING_AGAIN) -> None:
        self.file = path.name if path.is_dir() else f"{path.parent.name}/{path.name}"
        super().__init__(f"{self.file} {what}. {remedy}.")

    @property
    def reason(self) -> str:
        """See `MetricUnavailableError`."""
        return f"The BLEURT checkpoint cannot be used: {self}"


@dataclass(frozen=True)
class Architecture:
    """The shape of the encoder."""

    layers: int
    hidden: int
    heads: int
    intermediate: int
    vocabulary: int
    positions: int
    segments: int
    embedding: int | None
    """Width of the embeddings, projected to ``hidden`` (RemBERT); ``None`` if it equals ``hidden`` (BERT)."""
    activation: str
    """One of the values of `ACTIVATIONS`."""
    epsilon: float
    """Epsilon of the layer normalisations."""

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The name and shape of every tensor, named as in the PyTorch port without its prefix ``bleurt.``."""
        width = self.embedding or self.hidden
        shapes: dict[str, tuple[int, ...]] = {
            "embeddings.word_embeddings.weight": (self.vocabulary, width),
            "embeddings.position_embeddings.weight": (self.positions, width),
            "embeddings.token_type_embeddings.weight": (self.segments, width),
            "embeddings.LayerNorm.weight": (width,),
            "embeddings.LayerNorm.bias": (width,),
        }

        def dense(name: str, n_in: int, n_out: int) -> None:
            shapes[f"{name}.weight"] = (n_out, n_in)
            shapes[f"{name}.bias"] = (n_out,)

        def normalisation(name: str) -> None:
            shapes[f"{name}.weight"] = shapes[f"{name}.bias"] = (self.hidden,)

        if self.embedding is not None:
            dense("encoder.embedding_projection", self.embedding, self.hidden)
        for number in range(self.layers):
            layer = f"encoder.layer.{number}"
            for part in ("query", "key", "value"):
                dense(f"{layer}.attention.self.{part}", self.hidden, self.hidden)
            dense(f"{layer}.attention.output.dense", self.hidden, self.hidden)
            normalisation(f"{layer}.attention.output.LayerNorm")
            dense(f"{layer}.intermediate.dense", self.hidden, self.intermediate)
            dense(f"{layer}.output.dense", self.intermediate, self.hidden)
            normalisation(f"{layer}.output.LayerNorm")
        dense("pooler.dense", self.hidden, self.hidden)
        dense("classifier", self.hidden, 1)
        return shapes


@dataclass(frozen=True)
class Checkpoint:
    """The files of a checkpoint and their metadata."""

    directory: Path
    name: str
    """``BLEURT-20``: the name from its configuration, or one derived from its shape if there is none."""
    architecture: Architecture
    max_length: int
    """Tokens of a pair, special ones included, at most `LONGEST_PAIR`."""
    lower_case: bool
    """Whether WordPiece removes case and accents; not used with SentencePiece."""
    vocabulary: Path
    weights: Path

    @property
    def is_sentencepiece(self) -> bool:
        """Whether it has the RemBERT family's vocabulary."""
        return self.vocabulary.name != WORDPIECE_FILE

    def digest(self, *, afresh: bool = False) -> str:
        """A hash of everything that affects a score: weights, vocabulary, shape, length of pairs, case. 64 hex digits.

        Reads the whole checkpoint the first time and stores the files' hashes beside them (see `.digests`); with
        *afresh* it always reads the files.
        """
        said = {
            "architecture": asdict(self.architecture),
            "max_length": self.max_length,
            "lower_case": self.lower_case and not self.is_sentencepiece,
            "vocabulary": digests.of_file(self.vocabulary, afresh=afresh),
            "weights": digests.of_file(self.weights, afresh=afresh),
        }
        return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()


def read_checkpoint(directory: Path) -> Checkpoint:
    """Read a checkpoint's metadata, and check that its files exist and match each other. Cheap.

    Raises:
        CheckpointError: Naming the first file that is missing, damaged, or not part of a BLEURT checkpoint.
    """
    if not directory.is_dir():
        raise CheckpointError(directory, NO_DIRECTORY)
    if (directory / GOOGLE_WEIGHTS).exists() and not (directory / CONFIG).exists():
        raise CheckpointError(
            directory,
            "is a TensorFlow checkpoint in Google's layout",
            f"Convert it with '{COMMAND} convert {directory.name} NEW_DIRECTORY' and use the new directory",
        )
    weights = _first_of(directory, (SAFETENSORS, PICKLED), "no weights")
    vocabulary = _first_of(directory, (*SENTENCEPIECE_FILES, WORDPIECE_FILE), "no vocabulary")
    config = read_json(directory / CONFIG)
    bleurt_config = read_json(directory / BLEURT_CONFIG, optional=True)
    tokeniser_config = read_json(directory / TOKENISER_CONFIG, optional=True)
    architecture = read_architecture(config, directory / CONFIG)
    if weights.name == SAFETENSORS:
        check_shapes(safetensors_shapes(weights), architecture, weights)
    # BLEURT's configured length; else the tokeniser's, if it is a real limit; else the model's maximum.
    most = min(architecture.positions, LONGEST_PAIR)
    max_length = bleurt_config.get("max_seq_length")
    if max_length is None:
        hinted = tokeniser_config.get("model_max_length")
        max_length = hinted if isinstance(hinted, int) and 3 <= hinted <= most else most
    elif isinstance(max_length, bool) or not isinstance(max_length, int) or not 3 <= max_length <= most:
        raise CheckpointError(
            directory / BLEURT_CONFIG, f"cuts pairs to {max_length!r} tokens; this model reads from 3 to {most}"
        )
    cases = (config.get("do_lower_case") for config in (bleurt_config, tokeniser_config))
    lower_case = next((case for case in cases if case is not None), True)
    # A name that is valid in a signature.
    name = re.sub(r"[^A-Za-z0-9._+-]+", "-", str(bleurt_config.get("name") or ""))[:60].strip("-")
    return Checkpoint(
        directory=directory,
        name=name or f"{'rembert' if architecture.embedding else 'bert'}-{architecture.layers}x{architecture.hidden}",
        architecture=architecture,
        max_length=max_length,
        lower_case=bool(lower_case),
        vocabulary=vocabulary,
        weights=weights,
    )


def unavailable_reason(checkpoint_dir: str | Path | None) -> str:
    """Reason why BLEURT cannot run on this machine now, with the command to run; empty if it can.

    Does not import the packages that it looks for, and reads only the list of tensors of the weights.
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


def read_architecture(config: Mapping[str, Any], path: Path) -> Architecture:
    """The shape of the encoder that a ``config.json`` (or Google's ``bert_config.json``) describes.

    Raises:
        CheckpointError: If the description is incomplete, or not that of a BLEURT encoder.
    """

    def number(*keys: str, default: int | None = None) -> int:
        value = next((config[key] for key in keys if config.get(key) is not None), default)
        if isinstance(value, bool) or not isinstance(value, int) or not 0 < value < 2**31:
            raise CheckpointError(path, f"does not give {keys[0]} as a positive number")
        return value

    activation = config.get("hidden_act", "gelu")
    if activation not in ACTIVATIONS:
        raise CheckpointError(
            path, f"names the activation {activation!r}, which the reference implementation does not have"
        )
    epsilon = config.get("layer_norm_eps", 1e-12)
    if not isinstance(epsilon, float) or not 0 < epsilon < 1:
        raise CheckpointError(path, "does not give layer_norm_eps as a small positive number")
    has_projection = config.get("embedding_size") is not None or config.get("input_embedding_size") is not None
    architecture = Architecture(
        layers=number("num_hidden_layers"),
        hidden=number("hidden_size"),
        heads=number("num_attention_heads"),
        intermediate=number("intermediate_size"),
        vocabulary=number("vocab_size"),
        positions=number("max_position_embeddings"),
        segments=number("type_vocab_size", default=2),
        embedding=number("embedding_size", "input_embedding_size") if has_projection else None,
        activation=ACTIVATIONS[activation],
        epsilon=epsilon,
    )
    if architecture.hidden % architecture.heads:
        raise CheckpointError(path, f"divides {architecture.hidden} hidden units among {architecture.heads} heads")
    if architecture.segments < 2:
        raise CheckpointError(path, ONE_SEGMENT_TYPE)
    return architecture


def safetensors_shapes(path: Path) -> dict[str, tuple[int, ...]]:
    """The names and shapes of the tensors in a safetensors file; checks that the file is complete.

    Raises:
        CheckpointError: If it is not such a file, is truncated, or contains anything but floating point numbers.
    """
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            (length,) = struct.unpack("<Q", file.read(8))
            if length > min(size - 8, MOST_HEADER):
                raise ValueError("shorter than its own list of tensors")
            entries = {name: entry for name, entry in json.loads(file.read(length)).items() if name != "__metadata__"}
        end = max((entry["data_offsets"][1] for entry in entries.values()), default=0)
        shapes = {name: tuple(map(int, entry["shape"])) for name, entry in entries.items()}
        kinds = {name: entry["dtype"] for name, entry in entries.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, IndexError, struct.error) as error:
        raise CheckpointError(path, NOT_SAFETENSORS) from error
    if size != 8 + length + end:
        raise CheckpointError(path, WRONG_SIZE.format(expected=8 + length + end, found=size))
    return {name: shape for name, shape in shapes.items() if kinds[name] in _DTYPES}


def bare_name(name: str) -> str:
    """A tensor's name without the prefixes that the ports add; empty for anything but weights.

    >>> bare_name("bleurt.pooler.dense.bias"), bare_name("bert.embeddings.position_ids")
    ('pooler.dense.bias', '')
    """
    if name.endswith("embeddings.position_ids"):
        return ""
    name = re.sub(r"^(bleurt|bert|rembert)\.", "", name)
    return name.replace("encoder.embedding_hidden_mapping_in.", "encoder.embedding_projection.")


def check_shapes(shapes: Mapping[str, tuple[int, ...]], architecture: Architecture, path: Path) -> None:
    """Reject weights, by the shapes of the tensors in *path*, that are not exactly those of the architecture.

    Raises:
        CheckpointError: Naming missing tensors, unknown tensors, and tensors of another shape.
    """
    given = {bare_name(name): shape for name, shape in shapes.items() if bare_name(name)}
    expected = architecture.shapes()
    if missing := expected.keys() - given.keys():
        raise CheckpointError(path, f"lacks {_some(missing)}: it is not a BLEURT checkpoint of the shape in {CONFIG}")
    if unknown := given.keys() - expected.keys():
        raise CheckpointError(path, f"also contains {_some(unknown)}, which no BLEURT checkpoint of this shape has")
    if other := [name for name, shape in expected.items() if given[name] != shape]:
        name = other[0]
        raise CheckpointError(path, f"has {name} of shape {given[name]} where {CONFIG} implies {expected[name]}")


def _some(names: Iterable[str]) -> str:
    first, *others = sorted(names)
    return f"{first} and {len(others)} more tensors" if others else first


def _first_of(directory: Path, names: tuple[str, ...], otherwise: str) -> Path:
    for name in names:
        if (directory / name).is_file():
            return directory / name
    raise CheckpointError(directory, f"has {otherwise} (none of {', '.join(names)})")


def read_json(path: Path, *, optional: bool = False) -> dict[str, Any]:
    """The object in a JSON file; empty if an *optional* one is missing.

    Raises:
        CheckpointError: It is missing, or no JSON object.
    """
    if optional and not path.exists():
        return {}
    try:
        value = json.loads(path.read_bytes())
    except FileNotFoundError as error:
        raise CheckpointError(path, "is missing") from error
    except (OSError, ValueError) as error:
        raise CheckpointError(path, "cannot be read as JSON") from error
    if not isinstance(value, dict):
        raise CheckpointError(path, "is not a JSON object")
    return value
