"""A folder in the layout of the official repository, made for a test."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests import factories

SETTINGS = ("closedbook", "openbook", "evidenceprovided")


def statement(**fields: Any) -> dict[str, Any]:
    """A statement as the official template has it; a field that is ``...`` is left out."""
    whole = {
        "name": "Example 7B",
        "authors": "A. Author",
        "url": "https://example.org/model",
        "citation": "Author, 2024",
        "type": "FOUNDATION",
        "context": 8192,
        "is_trained_for_function_calling": True,
        "details": "example-7b-2024-05-13",
        "closedbook_generations": None,
        "openbook_generations": "results-openbook-example.jsonl",
        "evidenceprovided_generations": None,
        **fields,
    }
    return {key: value for key, value in whole.items() if value is not ...}


def write_statement(root: Path, key: str = "example", **fields: Any) -> Path:
    path = root / "metadata" / f"{key}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(statement(**fields), indent=2))
    return path


def write_answers(
    root: Path,
    answers: Mapping[str, str] | bytes,
    setting: str = "openbook",
    name: str = "results-openbook-example.jsonl",
) -> Path:
    path = root / f"{setting}-generations" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(answers if isinstance(answers, bytes) else factories.generations(answers))
    return path


def scores(loose: float = 0.5, **changes: Any) -> dict[str, Any]:
    """One setting's scores as the official scorer writes them."""
    part = {"precision": 0.25, "recall": 0.5, "fscore": 1 / 3}
    return {
        "acc": {"loose": loose, "strict": 0.125},
        "rouge": {"rouge1": part, "rouge2": part, "rougeL": part},
        "bleurt": 0.4375,
        "gpt": 0.1875,
        **changes,
    }


def write_results(root: Path, key: str = "example", **values: Any) -> Path:
    stated = {name: value for name, value in statement().items() if not name.endswith("_generations")}
    whole = {
        "_submission_hash": "0" * 64,
        "_results_hash": "1" * 64,
        "metadata": stated,
        "closedbook": None,
        "openbook": scores(),
        "evidenceprovided": None,
        **values,
    }
    path = root / "results" / f"{key}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({name: value for name, value in whole.items() if value is not ...}, indent=2))
    return path
