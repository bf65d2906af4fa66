"""What ``python -m scoring`` writes: the shape of its JSON, its signatures, its exit codes."""

import contextlib
import io
import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from scoring.__main__ import main
from tests.contracts.parts.signatures import without_versions
from tests.contracts.shapes import merged, shape_of

REFERENCES: Final = [
    {"id": "dev-0", "answer": {"Norway": "Oslo", "Kenya": "Nairobi"}},
    {"id": "dev-1", "answer": ["Lima", "Peru"]},
    {"id": "dev-2", "answer": 3},
    {"id": "dev-3", "answer": True},
]
ANSWERS: Final = {"dev-0": "Oslo, Norway", "dev-1": "Lima in Peru", "dev-2": "3", "dev-3": "No."}
METRICS: Final = "accuracy,rouge"


def collect() -> dict[str, Any]:
    """The output for a complete file, for one with an unanswered question and for an unusable one."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        references = folder / "references.json"
        references.write_text(json.dumps(REFERENCES), encoding="utf-8")
        good = _write(folder / "good.jsonl", ANSWERS)
        partial = _write(folder / "partial.jsonl", dict(list(ANSWERS.items())[:3]))
        broken = folder / "broken.jsonl"
        broken.write_text("{", encoding="utf-8")
        common = ("--references", str(references), "--lemmatiser", "lookup", "--metrics")
        code, text = _run(*common, METRICS, "--per-question", "--generations", str(good))
        scores = json.loads(text)
        reports = [_run("check", "--any-ids", "--json", str(path)) for path in (good, broken)]
        return {
            "scores": shape_of(scores),
            "signatures": {metric: without_versions(one) for metric, one in scores["signatures"].items()},
            "answer_list": _answer_list(folder),
            "check": merged(shape_of(json.loads(report)) for _, report in reports),
            "exit_codes": {
                "scored": code,
                "scored with warnings": _run(*common, "rouge", "--generations", str(partial))[0],
                "not usable": _run(*common, "rouge", "--generations", str(broken))[0],
                "checked": reports[0][0],
                "checked and not usable": reports[1][0],
            },
        }


def _answer_list(folder: Path) -> dict[str, Any]:
    """The output for the task type *answer list*."""
    gold = {"qid": "q", "answer_list": [{"answer_text": "Oslo", "aliases": ["Oslo"]}]}
    (folder / "gold.jsonl").write_text(json.dumps(gold), encoding="utf-8")
    (folder / "lists.jsonl").write_text(json.dumps({"id": "q", "predictions": ["oslo"]}), encoding="utf-8")
    files = ("--references", str(folder / "gold.jsonl"), "--generations", str(folder / "lists.jsonl"))
    code, text = _run("--task", "answer-list", *files, "--per-question")
    return {"scores": shape_of(json.loads(text)), "exit_code": code}


def _write(path: Path, answers: dict[str, str]) -> Path:
    lines = [json.dumps({"id": qid, "answer": text}) for qid, text in answers.items()]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def _run(*arguments: str) -> tuple[int, str]:
    """The exit code of the command, and what it prints."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        code = main(list(arguments))
    return code, out.getvalue()
