"""Files of other tools, in the shape in which inspect_ai 0.3.285, lm_eval 0.4.13, openpyxl 3.1.5 and OpenAI's Batch API
write them: each with the same two answers."""

from __future__ import annotations

import io
import json
import zipfile
from typing import Any, Final

from tests.scoring.generations.files import FIRST, SECOND

ANSWERS: Final = {FIRST: "Oslo “1” é\nline", SECOND: ""}
_EVAL: Final = {"eval_id": "evA8", "run_id": "NN26", "created": "2026-11-24T19:23:40+00:00", "task": "fanout"}


def inspect_log(question_ids: tuple[str, ...] = (FIRST, SECOND)) -> dict[str, Any]:
    """A log with two epochs, the second of which has other answers."""
    return {
        "version": 2,
        "status": "success",
        "eval": _EVAL,
        "samples": [
            {
                "id": question_id,
                "epoch": epoch,
                "target": "Rome",
                "output": {"choices": [], "completion": text if epoch == 1 else "later"},
            }
            for epoch in (1, 2)
            for question_id, text in zip(question_ids, ANSWERS.values(), strict=True)
        ],
    }


def zipped(*names: str, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip archive of files with these names."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name in names:
            archive.writestr(name, json.dumps(_EVAL))
    return buffer.getvalue()


def _lines(*rows: Any) -> bytes:
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


LM_EVAL_SAMPLES: Final = _lines(
    *(
        {
            "doc_id": number,
            "doc": {"id": question_id, "question": "What?"},
            "target": "Rome",
            "arguments": {"gen_args_0": {"arg_0": "What?"}},
            "resps": [[text]],
            "filtered_resps": [text.upper()],
            "filter": name,
        }
        for name in ("none", "strict")
        for number, (question_id, text) in enumerate(ANSWERS.items())
    )
)
BATCH_OUTPUT: Final = _lines(
    {
        "id": "batch_req_1",
        "custom_id": FIRST,
        "response": {"status_code": 200, "body": {"choices": [{"message": {"content": ANSWERS[FIRST]}}]}},
        "error": None,
    },
    {
        "id": "batch_req_2",
        "custom_id": SECOND,
        "response": {
            "status_code": 200,
            "body": {
                "output": [
                    {"type": "reasoning", "summary": []},
                    {"type": "message", "content": [{"type": "output_text", "text": ANSWERS[SECOND]}]},
                ]
            },
        },
        "error": None,
    },
    {"id": "batch_req_3", "custom_id": "failed", "response": {"status_code": 400, "body": {}}, "error": None},
    {"id": "batch_req_4", "custom_id": "expired", "response": None, "error": {"code": "batch_expired"}},
)
FILES: Final = {
    "inspect_ai, .eval": (
        zipped("_journal/start.json", f"samples/{FIRST}_epoch_1.json", "header.json"),
        "an inspect_ai log (.eval)",
        "manyhop import",
    ),
    "inspect_ai, JSON": (json.dumps(inspect_log(), indent=2).encode(), "an inspect_ai log (JSON)", "inspect_ai"),
    "inspect_ai, one line": (json.dumps(inspect_log()).encode(), "an inspect_ai log (JSON)", "inspect_ai"),
    "lm-eval results": (
        json.dumps({"results": {"fanout": {"exact_match,none": 0.0}}, "configs": {}}, indent=2).encode(),
        "results of lm-evaluation-harness, which hold no answers",
        "--log_samples",
    ),
    "lm-eval samples": (LM_EVAL_SAMPLES, "samples of lm-evaluation-harness", "lm-eval"),
    "batch output": (BATCH_OUTPUT, "output of OpenAI's Batch API", "Batch API"),
    "Excel": (zipped("[Content_Types].xml", "_rels/.rels", "xl/workbook.xml"), "an Excel workbook", "as CSV"),
    "office": (zipped("[Content_Types].xml", "_rels/.rels"), "a document of an office program", "as CSV"),
}
"""A file, what it is, and words of the advice."""
