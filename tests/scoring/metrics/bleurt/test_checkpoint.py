import json
import os
import pickle
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from scoring.metrics.bleurt import Bleurt, CheckpointError, digests, unavailable_reason
from scoring.metrics.bleurt.checkpoint import (
    BRING_AGAIN,
    COMMAND,
    NO_DIRECTORY,
    NOT_SAFETENSORS,
    ONE_SEGMENT_TYPE,
    WRONG_SIZE,
    read_checkpoint,
)
from scoring.metrics.bleurt.metric import NOT_NUMBERS
from scoring.metrics.bleurt.weights import MORE_THAN_TENSORS, NOT_NAMED_TENSORS
from tests.paths import ROOT
from tests.scoring.metrics.bleurt.checkpoints import (
    BERT,
    REMBERT,
    Tiny,
    port_config,
    wordpiece_vocabulary,
    write_port,
    write_vocabulary,
)

pytestmark = pytest.mark.slow


def score(directory: Path) -> float:
    metric = Bleurt(directory)
    return metric.score(metric.prepare(["the fox"]), ["a dog"])["bleurt"].value


def edit_json(path: Path, **changes: object) -> None:
    content = json.loads(path.read_bytes()) if path.exists() else {}
    path.write_text(json.dumps({**content, **changes}))


# ---- what is wrong is said, with the file and the remedy


def drop(name: str) -> Callable[[Path], object]:
    return lambda directory: (directory / name).unlink()


def write(name: str, content: bytes) -> Callable[[Path], object]:
    return lambda directory: (directory / name).write_bytes(content)


def cut(name: str, size: int) -> Callable[[Path], object]:
    """To *size* bytes; if negative, by so many."""
    return lambda directory: os.truncate(
        directory / name, size if size >= 0 else (directory / name).stat().st_size + size
    )


def config(**changes: object) -> Callable[[Path], object]:
    return lambda directory: edit_json(directory / "config.json", **changes)


def bleurt_config(**changes: object) -> Callable[[Path], object]:
    return lambda directory: edit_json(directory / "bleurt_config.json", **changes)


def change_tensors(change: Callable[[dict[str, torch.Tensor]], object]) -> Callable[[Path], object]:
    def damage(directory: Path) -> None:
        tensors = load_file(directory / "model.safetensors")
        change(tensors)
        save_file(tensors, directory / "model.safetensors")

    return damage


DAMAGES = {
    "no configuration": (drop("config.json"), "copied/config.json is missing"),
    "configuration is no JSON": (write("config.json", b"{"), "copied/config.json cannot be read"),
    "configuration is a list": (write("config.json", b"[]"), "copied/config.json is not "),
    "configuration says nothing": (write("config.json", b"{}"), "does not give num_hidden_layers"),
    "no weights": (drop("model.safetensors"), "copied has no weights (none of model.safetensors, pytorch_model.bin)"),
    "no vocabulary": (drop("spm.model"), "copied has no vocabulary"),
    "weights cut short": (cut("model.safetensors", 5000), "model.safetensors"),
    "weights cut by a byte": (cut("model.safetensors", -1), WRONG_SIZE.partition("{found:,}")[2]),
    "weights empty": (write("model.safetensors", b""), f"copied/model.safetensors {NOT_SAFETENSORS}"),
    "weights are another thing": (write("model.safetensors", b"<html>404</html>" * 99), NOT_SAFETENSORS),
    "weights claim a huge header": (write("model.safetensors", b"\xff" * 64), NOT_SAFETENSORS),
    "a tensor missing": (change_tensors(lambda tensors: tensors.pop("classifier.weight")), "lacks classifier.weight"),
    "a tensor too many": (change_tensors(lambda tensors: tensors.update(extra=torch.zeros(1))), "also contains extra"),
    "a tensor of another shape": (config(intermediate_size=95), "of shape (96,"),
    "whole numbers for weights": (
        change_tensors(lambda tensors: tensors.update({"classifier.bias": torch.ones(1, dtype=torch.int64)})),
        "lacks classifier.bias"),
    "another activation": (config(hidden_act="swish"), "config.json names the activation 'swish'"),
    "heads that do not divide": (config(num_attention_heads=7), "divides 48 hidden units among 7 heads"),
    "a boolean for a number": (config(num_hidden_layers=True), "does not give num_hidden_layers"),
    "no epsilon": (config(layer_norm_eps="tiny"), "layer_norm_eps"),
    "one segment": (config(type_vocab_size=1), ONE_SEGMENT_TYPE),
    "pairs longer than positions": (bleurt_config(max_seq_length=65), "cuts pairs to 65 tokens"),
    "pairs of nothing": (bleurt_config(max_seq_length=2), "cuts pairs to 2 tokens"),
}  # fmt: skip


@pytest.mark.parametrize("name", DAMAGES)
def test_damage_is_a_clear_error(copied: Path, name: str) -> None:
    damage, expected = DAMAGES[name]
    damage(copied)
    with pytest.raises(CheckpointError) as raised:
        score(copied)
    message = str(raised.value)
    assert expected in message
    assert BRING_AGAIN in message
    assert str(copied.parent) not in message  # it is shown to those who wait for a score
    assert message in unavailable_reason(copied)  # found without loading anything


def test_a_vocabulary_of_another_checkpoint(tmp_path: Path) -> None:
    tokens = [*wordpiece_vocabulary(), *(f"word{i}" for i in range(100))]
    tiny = write_port(tmp_path / "bert", BERT, tokens)
    with pytest.raises(CheckpointError, match=r"/vocab\.txt .* 120\b"):
        score(tiny.directory)


def test_weights_that_are_not_finite(copied: Path) -> None:
    change_tensors(lambda tensors: tensors["classifier.weight"].fill_(float("inf")))(copied)
    with pytest.raises(CheckpointError, match=re.escape(f"copied/model.safetensors {NOT_NUMBERS}")):
        score(copied)


def test_googles_layout_is_told_to_be_converted(tmp_path: Path) -> None:
    (tmp_path / "BLEURT-20" / "variables").mkdir(parents=True)
    (tmp_path / "BLEURT-20" / "variables" / "variables.index").write_bytes(b"")
    with pytest.raises(CheckpointError, match=r"'python -m scoring.metrics.bleurt convert BLEURT-20 NEW_DIRECTORY'"):
        score(tmp_path / "BLEURT-20")


# ---- weights as model hubs have them


@pytest.mark.parametrize("mmapped", [True, False])
def test_pickled_weights_are_read_as_tensors(
    tmp_path: Path, rembert: Tiny, sentencepiece_model: bytes, mmapped: bool
) -> None:
    tiny = write_port(tmp_path / "hub", REMBERT, sentencepiece_model, pickled=True)
    if not mmapped:
        weights = tiny.directory / "pytorch_model.bin"
        torch.save(torch.load(weights, weights_only=True), weights, _use_new_zipfile_serialization=False)
    assert score(tiny.directory) == pytest.approx(score(rembert.directory), abs=1e-6)


class Attack:
    def __init__(self, target: Path) -> None:
        self.target = target

    def __reduce__(self) -> tuple[object, ...]:
        return os.mkdir, (str(self.target),)


@pytest.mark.parametrize("style", ["zip", "legacy", "bare pickle"])
def test_pickled_code_is_refused_and_never_run(tmp_path: Path, sentencepiece_model: bytes, style: str) -> None:
    tiny = write_port(tmp_path / "hub", REMBERT, sentencepiece_model, pickled=True)
    weights, target = tiny.directory / "pytorch_model.bin", tmp_path / "attacked"
    content = {**torch.load(weights, weights_only=True), "attack": Attack(target)}
    if style == "bare pickle":
        weights.write_bytes(pickle.dumps(content["attack"], protocol=2))
    else:
        torch.save(content, weights, _use_new_zipfile_serialization=style == "zip")
    with pytest.raises(CheckpointError, match=re.escape(MORE_THAN_TENSORS)):
        score(tiny.directory)
    assert not target.exists()


@pytest.mark.parametrize("content", [b"", b"garbage", b"PK\x03\x04 damaged"])
def test_damaged_pickled_weights(tmp_path: Path, sentencepiece_model: bytes, content: bytes) -> None:
    tiny = write_port(tmp_path / "hub", REMBERT, sentencepiece_model, pickled=True)
    (tiny.directory / "pytorch_model.bin").write_bytes(content)
    with pytest.raises(CheckpointError, match=r"hub/pytorch_model\.bin "):
        score(tiny.directory)


@pytest.mark.parametrize("content", [[1, 2], {"a": 1}])
def test_pickled_things_that_are_no_tensors(tmp_path: Path, sentencepiece_model: bytes, content: object) -> None:
    tiny = write_port(tmp_path / "hub", REMBERT, sentencepiece_model, pickled=True)
    torch.save(content, tiny.directory / "pytorch_model.bin")
    with pytest.raises(CheckpointError, match=re.escape(NOT_NAMED_TENSORS)):
        score(tiny.directory)


@pytest.mark.parametrize("prefix", ["bert", "rembert"])
def test_tensors_under_the_names_of_plain_transformers(copied: Path, rembert: Tiny, prefix: str) -> None:
    tensors = {
        name.replace("bleurt.", f"{prefix}.").replace("embedding_projection", "embedding_hidden_mapping_in"): value
        for name, value in load_file(copied / "model.safetensors").items()
    }
    tensors[f"{prefix}.embeddings.position_ids"] = torch.arange(64.0)
    save_file(tensors, copied / "model.safetensors")
    edit_json(copied / "config.json", embedding_size=None, input_embedding_size=24)
    assert score(copied) == pytest.approx(score(rembert.directory), abs=1e-6)


def test_half_precision_weights_are_computed_in_full(copied: Path, rembert: Tiny) -> None:
    save_file({name: value.half() for name, value in load_file(copied / "model.safetensors").items()},
              copied / "model.safetensors")  # fmt: skip
    assert score(copied) == pytest.approx(score(rembert.directory), abs=0.02)


# ---- lengths and names


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, 64),
        ({"tokenizer_config.json": {"model_max_length": 32}}, 32),
        ({"tokenizer_config.json": {"model_max_length": 10**30}}, 64),
        ({"tokenizer_config.json": {"model_max_length": 32}, "bleurt_config.json": {"max_seq_length": 16}}, 16),
    ],
)
def test_the_length_of_pairs(copied: Path, settings: dict[str, dict[str, int]], expected: int) -> None:
    for name, content in settings.items():
        (copied / name).write_text(json.dumps(content))
    assert read_checkpoint(copied).max_length == expected


def test_no_model_reads_more_than_512(tmp_path: Path) -> None:
    write_vocabulary(tmp_path, wordpiece_vocabulary(), "")
    (tmp_path / "pytorch_model.bin").write_bytes(b"")
    (tmp_path / "config.json").write_text(json.dumps(port_config(BERT, max_position_embeddings=1024)))
    assert read_checkpoint(tmp_path).max_length == 512


@pytest.mark.parametrize(
    ("name", "expected"),
    [(None, "rembert-3x48"), ("BLEURT-20", "BLEURT-20"), ("a|b:c\n" * 40, None), ("|", "rembert-3x48")],
)
def test_the_name_in_the_signature(copied: Path, name: str | None, expected: str | None) -> None:
    (copied / "bleurt_config.json").write_text(json.dumps({"name": name}))
    found = read_checkpoint(copied).name
    assert expected in {None, found}
    assert len(found) <= 60
    assert not set(found) & set("|:\n ")
    assert Bleurt(copied).signature("test@3f2a").split("|") == [
        "bleurt", f"checkpoint:{found}@{read_checkpoint(copied).digest()[:12]}", "data:test@3f2a", "manyhop:0.6.0"
    ]  # fmt: skip


# ---- the hash


@pytest.mark.parametrize("change", ["weights", "vocabulary", "length", "shape"])
def test_whatever_changes_scores_changes_the_signature(copied: Path, rembert: Tiny, change: str) -> None:
    before = Bleurt(copied).signature()
    assert before == Bleurt(rembert.directory).signature()  # not by where it is
    if change == "weights":
        change_tensors(lambda tensors: tensors["bleurt.pooler.dense.bias"].add_(1))(copied)
    elif change == "vocabulary":
        (copied / "spm.model").write_bytes((copied / "spm.model").read_bytes() + b"\x00")
    elif change == "length":
        (copied / "bleurt_config.json").write_text('{"max_seq_length": 60}')
    else:
        edit_json(copied / "config.json", layer_norm_eps=1e-6)
    assert Bleurt(copied).signature() != before


def test_what_does_not_change_scores_does_not_change_the_signature(copied: Path) -> None:
    before = Bleurt(copied).signature()
    edit_json(copied / "config.json", hidden_act="gelu_new", transformers_version="9")
    (copied / "README.md").write_text("x")
    assert Bleurt(copied, batch_tokens=7, device="cpu").signature() == before


def test_the_hash_of_a_file_is_remembered(copied: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = digests.of_file(copied / "model.safetensors")
    monkeypatch.setattr("hashlib.file_digest", lambda *_: pytest.fail("read again"))
    assert digests.of_file(copied / "model.safetensors") == first  # from memory
    monkeypatch.setattr(digests, "_in_memory", {})
    assert digests.of_file(copied / "model.safetensors") == first  # from the disk, in another process
    monkeypatch.undo()
    assert digests.of_file(copied / "model.safetensors", afresh=True) == first


@pytest.mark.parametrize("content", [b"", b"[]", b'{"spm.model": 1}', b'{"spm.model": {"sha256": "x"}}'])
def test_nonsense_remembered_is_forgotten(copied: Path, content: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = digests.of_file(copied / "spm.model")
    (copied / digests.REMEMBERED).write_bytes(content)
    monkeypatch.setattr(digests, "_in_memory", {})
    assert digests.of_file(copied / "spm.model") == expected


def test_a_directory_that_cannot_be_written_is_no_obstacle(copied: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(**_: object) -> None:
        raise PermissionError

    monkeypatch.setattr("tempfile.mkstemp", refused)
    assert len(digests.of_file(copied / "spm.model")) == 64
    assert not (copied / digests.REMEMBERED).exists()


# ---- whether it can run at all


def test_reasons_name_the_command(tmp_path: Path, rembert: Tiny) -> None:
    assert unavailable_reason(rembert.directory) == ""
    for nothing in (None, ""):
        reason = unavailable_reason(nothing)
        assert "BLEURT_CHECKPOINT" in reason
        assert f"'{COMMAND} fetch BLEURT-20 " in reason
    gone = unavailable_reason(tmp_path / "gone")
    assert f"gone {NO_DIRECTORY}. {BRING_AGAIN}" in gone


def test_a_missing_extra_is_told(rembert: Tiny, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scoring.metrics.bleurt.checkpoint.find_spec", lambda name: None if name == "torch" else 1)
    reason = unavailable_reason(rembert.directory)
    assert "torch" in reason
    assert "pip install " in reason
    assert reason.endswith("'.[bleurt]'")


QUIET = """
import socket, sys

def refused(*_, **__):
    raise AssertionError("network")

socket.socket.connect = socket.socket.connect_ex = socket.getaddrinfo = socket.create_connection = refused
from scoring.metrics.bleurt import Bleurt, unavailable_reason
assert unavailable_reason(sys.argv[1]) == ""
metric = Bleurt(sys.argv[1])
metric.signature("dev@1")
prepared = metric.prepare(["the fox", ["a", "b"]])
heavy = {"torch", "transformers", "tensorflow", "safetensors", "sentencepiece", "django"} & sys.modules.keys()
assert not heavy, heavy
metric.score(prepared, ["a dog", None])
heavy = {"transformers", "tensorflow", "django", "urllib.request"} & sys.modules.keys()
print(sorted(heavy))
"""


def test_nothing_heavy_before_scoring_and_no_network_ever(rembert: Tiny) -> None:
    result = subprocess.run(
        [sys.executable, "-c", QUIET, rembert.directory], cwd=ROOT, capture_output=True, text=True, timeout=120
    )
    assert result.returncode == 0, result.stderr
    assert "tensorflow" not in result.stdout
    assert "transformers" not in result.stdout
    assert "django" not in result.stdout


def test_the_model_is_loaded_anew_when_its_files_change(copied: Path) -> None:
    before = score(copied)
    change_tensors(lambda tensors: tensors["classifier.bias"].add_(1))(copied)
    assert score(copied) == pytest.approx(before + 1, abs=1e-5)
    shutil.rmtree(copied)
    with pytest.raises(CheckpointError, match=re.escape(f"copied {NO_DIRECTORY}")):
        score(copied)
