"""A system's scores on a board for the page of its model on the Hugging Face Hub: the ``model-index`` of a model card,
and a file of the folder ``.eval_results``."""

from typing import Any, Final

import yaml
from msgspec import UNSET

from leaderboard.board.document import MADE_HERE
from leaderboard.board.exports.every_eval_ever import scores_of
from leaderboard.board.exports.schema import Board, Origin

HUB: Final = "https://huggingface.co/datasets/"
YAML: Final = "application/yaml"


def as_model_index(document: Board, origin: Origin) -> bytes:
    """YAML that goes between the lines ``---`` of a model card. Numbers are those of the board: shares of 1."""
    [row] = document.rows
    dataset = {
        "name": f"{document.benchmark.name} ({document.setting.name.lower()})",
        "type": _dataset(document),
        "config": document.setting.slug,
        "split": document.split.slug,
    }
    if document.revision is not None:
        dataset["revision"] = document.revision.hash[:8]
    metrics = [
        {"type": column.key, "value": cell.value, "name": column.label, "verified": False}
        for column, cell in scores_of(document, row)
    ]
    result = {
        "task": {"type": "question-answering"},
        "dataset": dataset,
        "metrics": metrics,
        "source": {"url": origin.address, "name": origin.site},
    }
    model = row.run_facts.model if row.run_facts is not UNSET else ""
    return _written({"model-index": [{"name": model or row.system, "results": [result]}]})


def as_eval_results(document: Board, origin: Origin) -> bytes:
    """One entry for each score: shares in per cent, as the Hub shows them."""
    [row] = document.rows
    entries = []
    for column, cell in scores_of(document, row):
        revision = f"; {document.revision.hash[:8]}" if document.revision and cell.state in MADE_HERE else ""
        value = cell.value if column.unit is not UNSET else round(100 * (cell.value or 0.0), 10)
        entries.append(
            {
                "dataset": {
                    "id": _dataset(document),
                    "task_id": f"{document.setting.slug}_{document.split.slug}",
                },
                "value": value,
                "date": origin.date.isoformat(),
                "source": {"url": origin.address, "name": origin.site},
                "notes": f"{document.setting.name.lower()}; {column.key}{revision}",
            }
        )
    return _written(entries)


def _dataset(document: Board) -> str:
    """The name of the benchmark's data set on the Hub, if its page is there; otherwise that of the benchmark here."""
    url = document.benchmark.url
    return url.removeprefix(HUB).strip("/") if url.startswith(HUB) else document.benchmark.slug


def _written(content: Any) -> bytes:
    written: str = yaml.safe_dump(content, sort_keys=False, allow_unicode=True)
    return written.encode()
