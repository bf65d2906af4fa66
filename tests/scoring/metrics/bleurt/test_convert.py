import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from safetensors.numpy import load_file

from scoring.metrics.bleurt import Bleurt, CheckpointError
from scoring.metrics.bleurt.checkpoint import Architecture, read_checkpoint
from scoring.metrics.bleurt.convert import UNREADABLE, convert
from tests.scoring.metrics.bleurt.checkpoints import (
    BERT,
    REMBERT,
    Tiny,
    random_tensors,
    wordpiece_vocabulary,
    write_port,
    write_vocabulary,
)

pytestmark = pytest.mark.slow


def google_name(name: str) -> str:
    """What Google's code calls a tensor, written down from its variable scopes."""
    scope, last = name.rsplit(".", 1)
    if scope == "classifier":
        return {"weight": "dense/kernel", "bias": "dense/bias"}[last]
    if scope.endswith("_embeddings"):
        return "bert/" + scope.replace(".", "/")
    last = (
        {"weight": "gamma", "bias": "beta"}[last] if scope.endswith("LayerNorm") else last.replace("weight", "kernel")
    )
    scope = scope.replace("embedding_projection", "embedding_hidden_mapping_in").replace("layer.", "layer_")
    return f"bert/{scope.replace('.', '/')}/{last}"


def write_google(
    directory: Path,
    architecture: Architecture,
    vocabulary: bytes | list[str],
    *,
    seed: int = 0,
    also: dict[str, Any] | None = None,
) -> dict[str, NDArray[np.float32]]:
    """A checkpoint as Google publishes them, written by TensorFlow. Returns its tensors under Google's names."""
    import tensorflow

    tensors = {}
    for name, value in random_tensors(architecture, seed).items():
        google = google_name(name)
        tensors[google] = value.numpy().T if google.endswith("kernel") else value.numpy()
    saved = {**tensors, "global_step": np.int64(1234), "bert/pooler/dense/kernel/adam_m": np.zeros(3, np.float32)}
    saved.update(also or {})
    (directory / "variables").mkdir(parents=True)
    tensorflow.raw_ops.SaveV2(
        prefix=str(directory / "variables" / "variables"),
        tensor_names=list(saved),
        shape_and_slices=[""] * len(saved),
        tensors=[tensorflow.constant(value) for value in saved.values()],
    )
    write_vocabulary(directory, vocabulary, "sent_piece.model")
    is_sentencepiece = isinstance(vocabulary, bytes)
    bert_config = {
        "vocab_size": architecture.vocabulary, "hidden_size": architecture.hidden, "hidden_act": "gelu",
        "num_hidden_layers": architecture.layers, "num_attention_heads": architecture.heads,
        "intermediate_size": architecture.intermediate, "max_position_embeddings": architecture.positions,
        "type_vocab_size": architecture.segments, "initializer_range": 0.02, "embedding_size": architecture.embedding,
    }  # fmt: skip
    bleurt_config = {
        "name": "bleurt_custom", "bert_config_file": "bert_config.json", "max_seq_length": 48,
        "vocab_file": None if is_sentencepiece else "vocab.txt", "do_lower_case": None if is_sentencepiece else True,
        "sp_model": "sent_piece" if is_sentencepiece else None, "dynamic_seq_length": True,
    }  # fmt: skip
    (directory / "bert_config.json").write_text(json.dumps(bert_config))
    (directory / "bleurt_config.json").write_text(json.dumps(bleurt_config))
    return tensors


@pytest.fixture(params=["rembert", "bert"])
def family(request: pytest.FixtureRequest, sentencepiece_model: bytes) -> tuple[Architecture, bytes | list[str]]:
    return (REMBERT, sentencepiece_model) if request.param == "rembert" else (BERT, wordpiece_vocabulary())


def test_every_tensor_is_kept(tmp_path: Path, family: tuple[Architecture, bytes | list[str]]) -> None:
    original = write_google(tmp_path / "google", *family)
    checkpoint = convert(tmp_path / "google", tmp_path / "converted")
    assert checkpoint.architecture == family[0]
    assert (checkpoint.name, checkpoint.max_length, checkpoint.lower_case) == (
        "bleurt_custom", 48, True if isinstance(family[1], list) else checkpoint.lower_case
    )  # fmt: skip
    provenance = json.loads((tmp_path / "converted" / "conversion.json").read_text())
    assert provenance["tensors"].keys() == original.keys()
    assert provenance["left_out"] == {"global_step": "1234", "bert/pooler/dense/kernel/adam_m": "of training"}
    written = load_file(tmp_path / "converted" / "model.safetensors")
    assert len(written) == len(original)
    for google, value in original.items():
        name = provenance["tensors"][google]
        found = written.get(name, written.get(f"bleurt.{name}"))
        assert found is not None, google
        np.testing.assert_array_equal(found.T if google.endswith("kernel") else found, value)


def test_scores_and_signature_do_not_depend_on_the_way_it_came(
    tmp_path: Path, family: tuple[Architecture, bytes | list[str]]
) -> None:
    write_google(tmp_path / "google", *family)
    convert(tmp_path / "google", tmp_path / "from-google", name="BLEURT-20")
    for pickled in (False, True):
        port = write_port(tmp_path / f"port-{pickled}", *family, pickled=pickled)
        convert(port.directory, tmp_path / f"from-port-{pickled}", name="BLEURT-20", max_length=48)
    metrics = [Bleurt(tmp_path / name) for name in ("from-google", "from-port-False", "from-port-True")]
    assert len({metric.signature() for metric in metrics}) == 1
    results = [metric.score(metric.prepare(["the fox"]), ["a dog"])["bleurt"].value for metric in metrics]
    assert max(results) - min(results) < 1e-6


def test_the_port_itself_reads_what_was_converted(tmp_path: Path, sentencepiece_model: bytes) -> None:
    from bleurt_pytorch import BleurtConfig, BleurtForSequenceClassification
    from bleurt_pytorch.bleurt.tokenization_bleurt_sp import BleurtSPTokenizer

    write_google(tmp_path / "google", REMBERT, sentencepiece_model)
    convert(tmp_path / "google", tmp_path / "converted")
    config = BleurtConfig.from_pretrained(tmp_path / "converted")
    model = BleurtForSequenceClassification.from_pretrained(tmp_path / "converted", config=config).eval()
    tokeniser = BleurtSPTokenizer(str(tmp_path / "converted" / "spm.model"))
    with torch.no_grad():
        theirs = model(**tokeniser(["the quick fox"], ["a lazy dog"], return_tensors="pt")).logits.item()
    metric = Bleurt(tmp_path / "converted")
    ours = metric.score(metric.prepare(["the quick fox"]), ["a lazy dog"])["bleurt"].value
    assert ours == pytest.approx(theirs, abs=1e-5)


def test_an_existing_directory_is_not_touched(tmp_path: Path, rembert: Tiny) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "thesis.txt").write_text("mine")
    with pytest.raises(CheckpointError, match=r"there exists already\. Choose "):
        convert(rembert.directory, tmp_path / "there")
    assert [file.name for file in (tmp_path / "there").iterdir()] == ["thesis.txt"]


def test_a_converted_checkpoint_is_whole_or_not_there(
    tmp_path: Path, rembert: Tiny, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError("no space left")

    monkeypatch.setattr("scoring.metrics.bleurt.convert.shutil.copyfile", full)
    with pytest.raises(OSError, match="no space"):
        convert(rembert.directory, tmp_path / "new" / "converted")
    assert list((tmp_path / "new").iterdir()) == []


@pytest.mark.parametrize(
    ("also", "expected"),
    [
        ({"dense_1/kernel": np.zeros((4, 4), np.float32)}, "variables/variables.index contains dense_1/kernel,"),
        ({"bert/pooler/dense/bias": np.zeros(3, np.float32)}, "has pooler.dense.bias of shape (3,)"),
        ({"bert/encoder/layer_9/output/dense/bias": np.zeros(3, np.float32)}, "also contains encoder.layer.9.output"),
    ],
)
def test_tensorflow_checkpoints_of_something_else(
    tmp_path: Path, sentencepiece_model: bytes, also: dict[str, Any], expected: str
) -> None:
    write_google(tmp_path / "google", REMBERT, sentencepiece_model, also=also)
    with pytest.raises(CheckpointError) as raised:
        convert(tmp_path / "google", tmp_path / "converted")
    assert expected in str(raised.value)
    assert not (tmp_path / "converted").exists()


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("variables/variables.index", f"variables/variables.index {UNREADABLE}"),
        ("variables/variables.data-00000-of-00001", f"variables/variables.index {UNREADABLE}"),
        ("bleurt_config.json", "google/bleurt_config.json cannot be read"),
        ("bert_config.json", "google/bert_config.json cannot be read"),
    ],
)
def test_damaged_tensorflow_checkpoints(tmp_path: Path, sentencepiece_model: bytes, file: str, expected: str) -> None:
    write_google(tmp_path / "google", REMBERT, sentencepiece_model)
    (tmp_path / "google" / file).write_bytes(b"garbage" * 9)
    with pytest.raises(CheckpointError) as raised:
        convert(tmp_path / "google", tmp_path / "converted")
    assert expected in str(raised.value)


def test_a_single_wrong_bit_in_a_tensorflow_checkpoint_is_found(tmp_path: Path, sentencepiece_model: bytes) -> None:
    write_google(tmp_path / "google", REMBERT, sentencepiece_model)
    data = tmp_path / "google" / "variables" / "variables.data-00000-of-00001"
    content = bytearray(data.read_bytes())
    content[len(content) // 2] ^= 1
    data.write_bytes(content)
    with pytest.raises(CheckpointError, match=re.escape(UNREADABLE)):
        convert(tmp_path / "google", tmp_path / "converted")


def test_a_missing_vocabulary_is_told(tmp_path: Path, sentencepiece_model: bytes) -> None:
    write_google(tmp_path / "google", REMBERT, sentencepiece_model)
    (tmp_path / "google" / "sent_piece.model").unlink()
    with pytest.raises(CheckpointError, match=r"google/sent_piece\.model is missing"):
        convert(tmp_path / "google", tmp_path / "converted")


def test_without_tensorflow_the_command_to_install_it_is_told(
    tmp_path: Path, sentencepiece_model: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_google(tmp_path / "google", REMBERT, sentencepiece_model)
    monkeypatch.setattr("scoring.metrics.bleurt.convert.find_spec", lambda _: None)
    with pytest.raises(CheckpointError, match=r"TensorFlow.* pip install .*'\.\[bleurt-convert\]'"):
        convert(tmp_path / "google", tmp_path / "converted")


def test_a_converted_checkpoint_knows_its_hash_already(
    tmp_path: Path, rembert: Tiny, monkeypatch: pytest.MonkeyPatch
) -> None:
    checkpoint = convert(rembert.directory, tmp_path / "converted")
    monkeypatch.setattr("scoring.metrics.bleurt.digests._in_memory", {})
    monkeypatch.setattr("hashlib.file_digest", lambda *_: pytest.fail("read again"))
    assert read_checkpoint(tmp_path / "converted").digest() == checkpoint.digest()
