"""What ``manyhop import`` takes as the answers of a log."""

import io
import json
from typing import Any

import pytest

from manyhop.cli import importing
from manyhop.cli.running import UnusableError
from scoring.benchmarks.reference_texts import ReferenceTexts, texts_of_reference
from scoring.logs.log import Log, Wanted
from scoring.logs.reading import read_log
from scoring.task_types import TASK_TYPES

GOLD: dict[str, Any] = {"q0": "Oslo", "q1": ["Bern", "Lima"], "q2": {"Rome": 1200}, "q3": True}
COPIES = {"q0": "OSLO.", "q1": "Bern\nLima", "q2": "Rome - 1,200", "q3": "yes"}
REFERENCES = {qid: texts_of_reference(answer, TASK_TYPES["text-answer"]) for qid, answer in GOLD.items()}


def log_of(field: str, answers: dict[str, str], chosen: str = "") -> Log:
    rows = [{"id": qid, "model": "mine", field: answer} for qid, answer in answers.items()]
    content = "".join(f"{json.dumps(row)}\n" for row in rows).encode()
    return read_log([("rows.jsonl", io.BytesIO(content))], Wanted(answer_field=chosen))


@pytest.mark.parametrize(("field", "chosen"), [("example_answer", "example_answer"), ("Key", "Key"), ("answer", "")])
def test_a_field_with_the_reference_answers_is_refused(field: str, chosen: str) -> None:
    with pytest.raises(UnusableError) as caught:
        importing.refuse_references(log_of(field, COPIES, chosen), REFERENCES)
    said = str(caught.value)
    assert f"“{field}”: found the reference answers of 4 of 4 questions" in said
    assert "--answer-field" in said and "“model”" in said
    assert "slo" not in said


def test_answers_of_a_system_are_taken_however_right_they_are() -> None:
    importing.refuse_references(log_of("prediction", COPIES), REFERENCES)
    importing.refuse_references(log_of("example_answer", COPIES | {"q0": "It is Oslo."}, "example_answer"), REFERENCES)
    importing.refuse_references(log_of("example_answer", COPIES, "example_answer"), {})


def test_the_gold_lists_of_lists_are_found() -> None:
    gold: list[dict[str, Any]] = [{"answer_text": name, "aliases": []} for name in ("Oslo", "Bern")]
    references = {"q0": texts_of_reference(gold, TASK_TYPES["answer-list"])}
    log = read_log(
        [("rows.json", io.BytesIO(b'[{"id": "q0", "gold_list": ["Bern", "oslo"]}]'))], Wanted(answer_field="gold_list")
    )
    with pytest.raises(UnusableError, match="1 of 1 questions"):
        importing.refuse_references(log, references)


def test_reference_answers_are_those_of_the_package_and_of_open_splits() -> None:
    packaged = importing.packaged_references("fanoutqa", "dev")
    assert len(packaged) == 310
    assert all(isinstance(reference, ReferenceTexts) and reference.whole for reference in packaged.values())
    assert importing.packaged_references("fanoutqa", "test") == {}
    assert importing.packaged_references("nowhere", "dev") == {}
