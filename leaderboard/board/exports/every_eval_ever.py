"""A system's scores on a board as a record of Every Eval Ever, the exchange format of https://evalevalai.com."""

import datetime
import json
from collections.abc import Iterator
from typing import Any, Final

import msgspec
from msgspec import UNSET

from leaderboard import __version__, run_columns
from leaderboard.board.document import MADE_HERE, Cell
from leaderboard.board.exports.schema import Board, Column, Origin, Row
from leaderboard.models import EntryKind
from scoring.benchmarks.facts import OPEN_WEIGHTS

SCHEMA_VERSION: Final = "0.3.0"
UNKNOWN: Final = "unknown"
WEIGHTS: Final = {OPEN_WEIGHTS: "open_weights"}
"""The format's words for `RunFacts.access`; an API may serve a model whose weights are open."""


def as_record(document: Board, origin: Origin) -> bytes:
    """The record of the document's system: its model, and each score with its interval, as the board shows them. It has
    no single question."""
    [row] = document.rows
    time = datetime.datetime.combine(origin.date, datetime.time(), datetime.UTC).timestamp()
    stated = msgspec.to_builtins(row.run_facts) if row.run_facts is not UNSET else {}
    model = stated.pop("model", "")
    model_id = model or f"{UNKNOWN}/{row.slug}"
    stated |= {
        column.key: cell.value
        for column in run_columns.USAGE
        if (cell := row.cells.get(column.key)) and cell.value is not None
    }
    details = {"system": row.system, "authors": row.authors, "citation": row.citation, "system_type": row.type_label}
    details = {key: value for key, value in {**details, **stated}.items() if value not in ("", None)}
    place = f"{document.benchmark.slug}-{document.split.slug}-{document.setting.slug}"
    is_reported = row.kind == EntryKind.REPORTED
    record = {
        "schema_version": SCHEMA_VERSION,
        "evaluation_id": f"{place}/{model_id.replace('/', '_')}/{time:.0f}",
        "retrieved_timestamp": f"{time:.0f}",
        "source_metadata": {
            "source_name": f"{document.benchmark.name} leaderboard",
            "source_type": "documentation" if is_reported else "evaluation_run",
            "source_organization_name": origin.site,
            "source_organization_url": origin.address,
            "evaluator_relationship": "other" if is_reported else "third_party",
            **({"additional_details": {"reported_in": row.source}} if is_reported and row.source else {}),
        },
        "eval_library": {"name": UNKNOWN, "version": UNKNOWN}
        if is_reported
        else {"name": "manyhop", "version": __version__},
        "model_info": {
            "name": model or row.system,
            "id": model_id,
            "developer": model.partition("/")[0] or UNKNOWN,
            "additional_details": {
                "deployment_type": UNKNOWN,
                "model_availability": WEIGHTS.get(stated.get("access", ""), UNKNOWN),
                **{key: str(value) for key, value in details.items()},
            },
        },
        "evaluation_results": [_result(document, column, cell) for column, cell in scores_of(document, row)],
    }
    return json.dumps(record, ensure_ascii=False, indent=1).encode()


def scores_of(document: Board, row: Row) -> Iterator[tuple[Column, Cell]]:
    """The scores of a row under the signatures that the board shows, without the facts of its run."""
    for column in document.columns:
        cell = row.cells[column.key]
        if column.key not in run_columns.KEYS and cell.value is not None:
            yield column, cell


def limits_of(column: Column, value: float) -> tuple[float | str, float | str]:
    """The least and the greatest possible number of a column, which the schema wants as words where there is none. What
    counts something has none below 0, unless the *value* is."""
    if column.bounds is UNSET:
        return 0.0, 1.0
    if column.bounds is None:
        return "-Infinity" if column.unit is UNSET or value < 0 else 0.0, "Infinity"
    return column.bounds


def _result(document: Board, column: Column, cell: Cell) -> dict[str, Any]:
    low, high = limits_of(column, cell.value or 0.0)
    data = {
        "split": document.split.slug,
        "setting": document.setting.slug,
        "n_questions": str(document.split.n_questions),
        "revision": document.revision.hash if document.revision and cell.state in MADE_HERE else "",
    }
    result = {
        "evaluation_result_id": column.key,
        "evaluation_name": f"{document.benchmark.slug}.{document.split.slug}.{document.setting.slug}",
        "source_data": {
            "dataset_name": document.benchmark.name,
            **({"source_type": "url", "url": [url]} if (url := document.benchmark.url) else {"source_type": "other"}),
            "additional_details": {name: value for name, value in data.items() if value},
        },
        "metric_config": {
            "evaluation_description": column.description,
            "metric_id": f"{document.benchmark.slug}.{column.key}",
            "metric_name": column.label,
            "metric_unit": "proportion" if column.unit is UNSET else column.unit,
            "lower_is_better": column.higher_is_better is False,
            "score_type": "continuous",
            "min_score": low,
            "max_score": high,
            **(
                {"additional_details": {"signature": column.signature}}
                if column.signature and cell.state in MADE_HERE
                else {}
            ),
        },
        "score_details": {"score": cell.value},
    }
    if cell.low is not None and cell.high is not None:
        interval = {"lower": cell.low, "upper": cell.high, "confidence_level": document.statistics["confidence"]}
        result["score_details"]["uncertainty"] = {"confidence_interval": interval}  # type: ignore[index]
    return result
