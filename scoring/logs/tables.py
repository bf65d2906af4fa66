"""Tables: rows with an id and an answer, from JSON, JSON Lines, CSV or TSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Any, Final

from scoring.generations.attempts import ATTEMPT, MOST_ATTEMPTS
from scoring.generations.problems import quote
from scoring.generations.usage import NAMED
from scoring.logs.log import (
    FORMATS,
    ID_NAMES,
    Log,
    LogError,
    Sample,
    Wanted,
    as_id,
    decode,
    decode_lines,
    fact,
    id_field_of,
    make_log,
)

Row = tuple[str, Mapping[str, Any]]
"""The place of a row, and its fields."""
ANSWERS: Final = (
    "prediction", "predictions", "predicted", "predicted_answer", "predicted_answers", "generation", "response",
    "output", "completion", "model_answer", "model_output", "answer",
)  # fmt: skip
OF_SYSTEMS: Final = frozenset(ANSWERS) - {"answer"}
"""Names that only the answers of a system have."""
REFERENCES: Final = frozenset(
    {
        "target", "targets", "reference", "references", "gold", "golds", "gold_answer", "gold_answers", "golden_answer",
        "golden_answers", "ground_truth", "ground_truths", "label", "labels", "expected", "expected_answer", "ideal",
        "correct_answer", "correct_answers", "reference_answer", "reference_answers", "model_args",
    }
)  # fmt: skip
"""Names of fields that are never read."""


def read_document(content: bytes, wanted: Wanted) -> Log:
    """Read a JSON document: a list of objects, or an object of answers or objects by id."""
    value: Any = decode(content, dict[str, Any] | list[dict[str, Any]], "File")  # type: ignore[arg-type]
    if isinstance(value, list):
        return read_rows(
            [(f"Item {number:,}", row) for number, row in enumerate(value, start=1)], wanted, "a JSON list"
        )
    if not value.keys().isdisjoint(ID_NAMES):
        return read_rows([("Line 1", value)], wanted, "JSON Lines")
    if value and all(isinstance(answer, str | list) for answer in value.values()):
        samples = (Sample(f"Key {quote(key)}", key, {"the value": answer}) for key, answer in value.items())
        return make_log("a JSON object of answers by id", samples, wanted)
    # A key such as results is a part of a tool's file, and no question's id.
    if value and "results" not in value and all(isinstance(row, dict) for row in value.values()):
        rows = [(f"Key {quote(key)}", {**row, "id": key}) for key, row in value.items()]
        return read_rows(rows, wanted, "a JSON object of objects by id")
    raise LogError(
        f"File: found a JSON object of several kinds of values, expected {FORMATS}, or one JSON object that maps ids "
        "to answers; write the answers as one of these."
    )


def read_lines(lines: Sequence[tuple[int, bytes]], wanted: Wanted) -> Log:
    """Read JSON Lines, each with its number."""
    return read_rows(decode_lines(lines, dict[str, Any]), wanted, "JSON Lines")


def read_separated(text: str, separator: str, wanted: Wanted) -> Log:
    """Read CSV or TSV with a header."""
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    rows: list[Row] = []
    try:
        for row in reader:
            if None in row or None in row.values():
                raise LogError(
                    f"Line {reader.line_num:,}: found another number of cells than in the header, expected "
                    f"{len(reader.fieldnames or ()):,}; put cells with separators or line breaks in double quotes."
                )
            rows.append((f"Line {reader.line_num:,}", row))
    except csv.Error as error:
        raise LogError(
            f"Line {reader.reader.line_num:,}: found a broken row ({error}), expected {_name(separator)}."
        ) from None
    return read_rows(rows, wanted, _name(separator))


def _name(separator: str) -> str:
    return "TSV" if separator == "\t" else "CSV"


def read_rows(rows: Sequence[Row], wanted: Wanted, kind: str) -> Log:
    """Read rows: the field of the ids and that of the answers are named, or found where only one can be meant."""
    kept = [
        (place, {name: value for name, value in row.items() if name.casefold() not in REFERENCES})
        for place, row in rows
    ]
    id_field = id_field_of([row for _, row in kept], wanted)
    fields = dict.fromkeys(name for _, row in kept for name in row if name not in (id_field, ATTEMPT))
    answer_field = wanted.answer_field
    if answer_field.casefold() in REFERENCES:
        raise LogError(f"{quote(answer_field)} is a name of reference answers, which are never read (--answer-field).")
    if not answer_field:
        named = [name for name in fields if name.casefold() in ANSWERS]
        if len(named) != 1:
            what = f"{len(named)} fields that may be the answer"
            every = ", ".join(map(quote, fields))
            raise LogError(f"File: found {what}, expected one; name the answer's with --answer-field: {every}.")
        answer_field = named[0]
    samples = [
        Sample(
            place,
            as_id(row.get(id_field)),
            {name: row.get(name) for name in fields},
            _usage(row),
            attempt=_attempt(place, row.get(ATTEMPT, 1)),
        )
        for place, row in kept
    ]
    chosen = Wanted(answer_field=answer_field)
    return make_log(kind, samples, chosen, remarks=[f"The ids are those of {fact(id_field)}."])


def _attempt(place: str, value: object) -> int:
    """The number of an attempt, in CSV a text."""
    text = value if isinstance(value, str) else str(value) if type(value) is int else ""
    if text.isdecimal() and 1 <= int(text[:4]) <= MOST_ATTEMPTS:
        return int(text)
    shown = quote(str(value), 20)
    raise LogError(
        f"{place}, {quote(ATTEMPT)}: found {shown}, expected a whole number from 1 to {MOST_ATTEMPTS}; number the "
        "attempts at each question from 1."
    )


def _usage(row: Mapping[str, Any]) -> Mapping[str, object]:
    """What an answer took: in a ``usage`` of its own, or in fields of these names, in CSV as texts."""
    own = row.get("usage")
    given: Mapping[str, Any] = own if isinstance(own, dict) else row
    taken: dict[str, object] = {}
    for name in NAMED:
        value = given.get(name)
        if isinstance(value, str) and not NAMED[name].is_text:
            try:
                value = float(value) if value.strip() else None
            except ValueError:
                value = None
        taken[name] = None if value == "" else value
    return taken
