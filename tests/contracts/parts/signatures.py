"""The signatures of a small golden set, and other digests that must not change.

Scores are compared only under equal signatures, so the present code must sign as version 0.7.0 did. A judge's verdict
is looked up by its address: with another address it would be paid for twice.
"""

import json
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from django.conf import settings
from django.test import override_settings

from scoring.benchmarks.base import content_hash
from scoring.metrics.asking.items import AnswersToJudge, JudgeSettings
from scoring.metrics.judge import Judge
from scoring.registry import METRICS, signature_of
from tests.factories import source_questions

MODEL: Final = "gpt-4o-2024-11-20"
PACKAGES: Final = {"spacy": "spacy", "ftfy": "ftfy", "lemma": "spacy-lookups-data", "regex": "regex"}
"""Parts of a signature that name a package's version, which depends on the installation."""


def collect() -> dict[str, Any]:
    """All of them, for made-up questions and answers."""
    questions = source_questions("dev", 4)
    data = f"dev@{content_hash(questions)[:8]}"
    with TemporaryDirectory() as folder:
        _write_checkpoint(Path(folder))
        with override_settings(
            LEMMATISER="lookup", JUDGE_MODEL=MODEL, BLEURT_CHECKPOINT=folder, BLEURT_DTYPE="float32"
        ):
            signed = {name: without_versions(_signature(name, data)) for name in METRICS}
        with override_settings(BLEURT_CHECKPOINT=folder, BLEURT_DTYPE="bfloat16"):
            signed["bleurt in bfloat16"] = _signature("bleurt", data)
    with override_settings(BLEURT_CHECKPOINT=""):
        signed["bleurt without a checkpoint"] = _signature("bleurt", data)
    return {
        "signatures": signed,
        "content_hash": content_hash(questions),
        "questions_hash": content_hash(questions, with_answers=False),
        "judge_addresses": _addresses(),
    }


def _signature(metric: str, data: str) -> str:
    return signature_of(METRICS[metric].on_site(settings), data)


def without_versions(signature: str) -> str:
    """A signature with ``<installed>`` in place of the versions of packages."""
    for part, package in PACKAGES.items():
        for before in (f"{part}:", f"{part}:{package}-"):
            signature = signature.replace(f"|{before}{version(package)}|", f"|{before}<installed>|")
    return signature


def _write_checkpoint(folder: Path) -> None:
    """Write the files of a BLEURT checkpoint that its signature is made of; it cannot score anything."""
    shape = {
        "model_type": "bleurt", "vocab_size": 9, "hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2,
        "intermediate_size": 8, "hidden_act": "gelu", "max_position_embeddings": 32, "type_vocab_size": 2,
        "layer_norm_eps": 1e-12,
    }  # fmt: skip
    (folder / "config.json").write_text(json.dumps(shape), encoding="utf-8")
    (folder / "bleurt_config.json").write_text(json.dumps({"name": "Made-up-20"}), encoding="utf-8")
    (folder / "vocab.txt").write_text("\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "a", "b"]) + "\n")
    (folder / "pytorch_model.bin").write_bytes(b"made-up weights")


def _addresses() -> list[str]:
    """The addresses of verdicts on four answers."""
    questions = source_questions("dev", 4)
    items = Judge().items(
        AnswersToJudge(
            [one.qid for one in questions],
            [one.text for one in questions],
            [one.answer for one in questions],
            ["Oslo", "", "x" * 5000, 'Lima\n"é"'],
        )
    )
    return [item.address(JudgeSettings(MODEL)) for item in items]
