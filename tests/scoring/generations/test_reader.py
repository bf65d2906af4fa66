"""Every problem a generations file can have: found, placed, explained; and good files read exactly."""

from __future__ import annotations

import doctest
import gzip
import hashlib
import importlib
import json
from typing import NamedTuple

import pytest

from scoring.generations import json_errors, lines, reader, records
from scoring.generations.problems import TEXTS, clean, severity_of, title_of
from scoring.generations.reader import KnownQuestions, Limits, Severity, read_generations
from scoring.generations.records import TEXT_ANSWERS
from scoring.generations.records import TEXT_FIXES as FIXES
from tests.scoring.generations.files import (
    DATA,
    DEV_FIRST,
    DEV_SECOND,
    FIRST,
    RETIRED,
    RETIREMENT,
    SECOND,
    THIRD,
    codes,
    line,
    problems,
    read,
    whole_file,
)

SMALL = Limits(max_bytes=4096, max_line_bytes=1024, max_lines=100, max_problems=9)
GZIPPED = gzip.compress(whole_file() * 20)


class Case(NamedTuple):
    """A file, and the problem it must show: where, what was found, and what to do.

    `found` and `fix` are what must occur in the problem's texts: a value, or a text by its name. A `fix` of None is the
    one that all problems of the code share.
    """

    code: str
    data: bytes
    line: int | None
    column: int | None
    field: str | None
    found: str
    fix: str | None = None


GOOD = line()
EXAMPLE = TEXT_ANSWERS.example
CASES = {
    "too large": Case("too-large", GOOD * 1000, None, None, None, "4 KiB"),
    "gzip too large": Case("too-large", gzip.compress(GOOD * 9999), None, None, None, "4 KiB after decompression"),
    "too many lines": Case("too-many-lines", b"\n" * 101, None, None, None, "100"),
    "too many problems": Case("too-many-problems", b"5\n" * 9 + b"\n6\n", 9, None, None, "first 9 of 10 lines"),
    "gzip cut off": Case("broken-gzip", GZIPPED[:-30], None, None, None, lines.CUT_OFF),
    "gzip magic only": Case("broken-gzip", b"\x1f\x8b", None, None, None, lines.CUT_OFF),
    "gzip damaged": Case("broken-gzip", GZIPPED[:-8] + b"01234567", None, None, None, lines.DAMAGED),
    "gzip with more": Case("broken-gzip", GZIPPED + b"more", None, None, None, lines.TRAILING_BYTES),
    "gzip bomb of members": Case("broken-gzip", gzip.compress(b"") * 4097, None, None, None, "4,096"),
    "array": Case("wrong-format", b"[" + GOOD.strip() + b"]", 1, 1, None, "a JSON array", "(jq -c '.[]' FILE"),
    "array over lines": Case("wrong-format", b"\n[\n" + GOOD + b"]", 2, 1, None, "a JSON array", "(jq -c '.[]' FILE"),
    "array, long": Case("wrong-format", b"[" * 2000, 1, 1, None, "a JSON array", "(jq -c '.[]' FILE"),
    "mapping": Case("wrong-format", json.dumps({FIRST: "a"}).encode(), 1, 1, None, reader.ONE_OBJECT, EXAMPLE),
    "indented": Case("wrong-format", b'{\n "id": "a"\n}', None, None, None, *lines.INDENTED[:2]),
    "csv": Case("wrong-format", b"id,answer\r\na,b", None, None, None, lines.CSV.found, EXAMPLE),
    "csv, quoted": Case("wrong-format", b'"answer";"id"\n"a";"b"', None, None, None, lines.CSV.found, EXAMPLE),
    "tsv": Case("wrong-format", b"question_id\tanswer\n", None, None, None, lines.CSV.found, EXAMPLE),
    "html": Case("wrong-format", b"\n<!DOCTYPE html>", None, None, None, *lines.HTML[:2]),
    "zip": Case("wrong-format", b"PK\x03\x04answers.jsonl", None, None, None, "a zip archive", lines.UNPACK),
    "word": Case("wrong-format", b"PK\x03\x04\0word/document.xml", None, None, None, "a Word document", lines.EXPORT),
    "excel": Case("wrong-format", b"PK\x03\x04\0xl/workbook.xml", None, None, None, "an Excel workbook", "as CSV"),
    "old word": Case("wrong-format", b"\xd0\xcf\x11\xe0\xa1", None, None, None, "an old Word", lines.EXPORT),
    "pdf": Case("wrong-format", b"%PDF-1.7\n", None, None, None, "a PDF document", lines.EXPORT),
    "tar in gzip": Case(
        "wrong-format", gzip.compress(b"a" * 257 + b"ustar"), None, None, None, "a tar archive", lines.UNPACK
    ),
    "gzip in gzip": Case("wrong-format", gzip.compress(GZIPPED), None, None, None, "gzip inside gzip", "once only"),
    "binary": Case("wrong-format", bytes(range(256)), None, None, None, *lines.BINARY[:2]),
    "utf-16": Case("wrong-format", GOOD.decode().encode("utf-16"), None, None, None, *lines.UTF16[:2]),
    "utf-16, no mark": Case("wrong-format", GOOD.decode().encode("utf-16-le"), None, None, None, *lines.UTF16[:2]),
    "utf-16, big": Case("wrong-format", GOOD.decode().encode("utf-16-be"), None, None, None, *lines.UTF16[:2]),
    "utf-32": Case("wrong-format", GOOD.decode().encode("utf-32"), None, None, None, *lines.UTF32[:2]),
    "utf-32, no mark": Case("wrong-format", GOOD.decode().encode("utf-32-le"), None, None, None, *lines.UTF32[:2]),
    "utf-32, big": Case("wrong-format", GOOD.decode().encode("utf-32-be"), None, None, None, *lines.UTF32[:2]),
    "nothing": Case("empty-file", b"", None, None, None, reader.NO_BYTES),
    "blank lines": Case("empty-file", b"\xef\xbb\xbf\r\n \t\n\n", None, None, None, reader.NO_CONTENT),
    "wrong split": Case("wrong-split", line(DEV_FIRST), None, None, None, "1 of 1 ids", "the dev split"),
    "answers all empty": Case("no-answers", line(answer=" ") + line(SECOND, ""), None, None, None, reader.ONLY_EMPTY),
    "retired only": Case("no-answers", line(RETIRED), None, None, None, reader.NO_ANSWER),
    "latin-1": Case("not-utf8", GOOD + b'{"id": "caf\xe9"}', 2, 12, None, "0xE9 at offset 57"),
    "latin-1 after mark": Case("not-utf8", b"\xef\xbb\xbf\r\xc3\xa9\xff", 2, 2, None, "0xFF at offset 6"),
    "surrogate as bytes": Case("not-utf8", b'{"id": "\xed\xa0\x80"}', 1, 9, None, "0xED at offset 8"),
    "long line": Case("line-too-long", GOOD + line(SECOND, "a" * 2000), 2, None, None, "2 KiB"),
    "nested": Case(
        "too-complex",
        GOOD + b'{"id": "a", "answer": ' + b"[" * 50_000 + b"]" * 50_000 + b"}",
        2,
        None,
        None,
        records.TOO_DEEP,
    ),
    "nested, unfinished": Case("too-complex", b'{"id": ' * 30_000, 1, None, None, records.TOO_DEEP),
    "many values": Case("too-complex", b'{"a": [' + b"{}," * 200_000 + b"0]}", 1, None, None, records.TOO_MANY_VALUES),
    "long number": Case(
        "number-too-long",
        b'{"id": "%s", "answer": "1234", "n": -%s}' % (FIRST.encode(), b"7" * 5000),
        1,
        51,
        None,
        "5,000 digits",
    ),
    "number": Case("not-an-object", b"42", 1, None, None, "a number"),
    "text": Case("not-an-object", GOOD + b'"a"', 2, None, None, "a string"),
    "list with others": Case("not-an-object", b'["id", "answer"]\n' + GOOD, 1, None, None, "a list"),
    "null": Case("not-an-object", GOOD + b"null", 2, None, None, "null"),
    "no id": Case("missing-key", b'{"answer": "a"}', 1, None, "id", "only the key “answer”", '"id"'),
    "no answer": Case(
        "missing-key", line() + b'{"id": "%s"}' % SECOND.encode(), 2, None, "answer", "only the key “id”", '"answer"'
    ),
    "other name for answer": Case(
        "missing-key", b'{"id": "a", "Generation": "b"}', 1, None, "answer", "“id”, “Generation”",
        '“Generation” to "answer"',
    ),
    "other name for id": Case(
        "missing-key", b'{"question_id": "a", "answer": "b"}', 1, None, "id", "“question_id”", '“question_id” to "id"'
    ),
    "another key of the answer": Case(
        "missing-key", b'{"id": "a", "article": "b"}', 1, None, "answer", "“article”", '“article” to "answer"'
    ),
    "nothing in it": Case("missing-key", b"{}", 1, None, "id", "an empty object", '"id"'),
    "id twice": Case("duplicate-key", b'{"id": "a", "id": "a", "answer": ""}', 1, None, "id", "“id”"),
    "answer twice": Case("duplicate-key", b'{"id": "a", "answer": "b", "answer": "c"}', 1, None, "answer", "“answer”"),
    "id is a number": Case("id-not-a-string", line(17), 1, None, "id", "a number", '"id": "17"'),
    "id is null": Case("id-not-a-string", line(None), 1, None, "id", "null"),
    "answer is null": Case("answer-not-a-string", line(answer=None), 1, None, "answer", "null", FIXES[type(None)]),
    "answer is a number": Case("answer-not-a-string", line(answer=4.5), 1, None, "answer", "a number", FIXES[float]),
    "answer is true": Case("answer-not-a-string", line(answer=True), 1, None, "answer", "true", FIXES[bool]),
    "answer is a list": Case("answer-not-a-string", line(answer=["a"]), 1, None, "answer", "a list", FIXES[list]),
    "answer is an object": Case(
        "answer-not-a-string", line(answer={"a": 1}), 1, None, "answer", "an object", FIXES[records.JsonObject]
    ),
    "NUL": Case(
        "unstorable-character",
        rb'{"id": "%s", "answer": "a\u0000"}' % FIRST.encode(),
        1,
        None,
        "answer",
        r"(\u0000) as character 2",
        r"\u0000",
    ),
    "half a pair": Case(
        "unstorable-character",
        rb'{"id": "a\ud800", "answer": ""}',
        1,
        None,
        "id",
        r"(\ud800) as character 2",
        "(json.dumps does)",
    ),
    "other split": Case(
        "other-split-id", GOOD + line(DEV_FIRST), 2, None, "id", f"id “{DEV_FIRST}” of the dev", "the dev split"
    ),
    "unknown id": Case("unknown-id", line("nobody"), 1, None, "id", "id “nobody”"),
    "near id": Case("unknown-id", line("07311571c352763"), 1, None, "id", "id “07", f"“{FIRST}”"),
    "unknown id, case": Case("unknown-id", line(f" {FIRST.upper()}"), 1, None, "id", "id “ 0", f"“{FIRST}”"),
    "empty id": Case("unknown-id", line(""), 1, None, "id", "an empty id"),
    "other answer": Case(
        "duplicate-id", GOOD + b"\n" + line(answer="India"), 3, None, "id", "after line 1", "line 1 or line 3"
    ),
    "same answer": Case("repeated-answer", GOOD + GOOD, 2, None, "id", "after line 1"),
    "retired": Case("retired-id", GOOD + line(RETIRED), 2, None, "id", f"id “{RETIRED}”, {RETIREMENT}"),
    "no line": Case("missing-answer", GOOD, None, None, None, reader.NO_LINE),
    "empty answer": Case("empty-answer", GOOD + line(SECOND, ""), 2, None, "answer", "an empty string"),
    "invisible answer": Case(
        "empty-answer", GOOD + line(SECOND, " \u200b"), 2, None, "answer", "only invisible characters"
    ),
    "blank answer": Case("empty-answer", GOOD + line(SECOND, " \n"), 2, None, "answer", "white space only"),
    "reasoning": Case("reasoning", GOOD + line(SECOND, "<think>No?</think> Oslo"), 2, None, "answer", "“<think>No?"),
    "usage, negative": Case("usage-not-usable", line(usage={"cost_usd": -1}), 1, None, "usage.cost_usd", "-1"),
    "usage, a text": Case("usage-not-usable", line(usage={"seconds": "9"}), 1, None, "usage.seconds", "a text"),
    "usage, half a call": Case("usage-not-usable", line(usage={"tool_calls": 0.5}), 1, None, "usage.tool_calls", "0.5"),
    "usage, control character": Case(
        "usage-not-usable", line(usage={"stop_reason": "a\x07"}), 1, None, "usage.stop_reason", "a text"
    ),
    "usage, more reasoning": Case(
        "usage-not-usable",
        line(usage={"reasoning_tokens": 2, "output_tokens": 1}),
        1,
        None,
        "usage.reasoning_tokens",
        "2",
    ),
    "usage, no object": Case("usage-not-usable", line(usage=5), 1, None, "usage", "5"),
    "usage of one": Case(
        "partial-usage", line(usage={"seconds": 2}) + line(SECOND), None, None, "usage.seconds", "1 of 2 answers"
    ),
    "usage, another key": Case("extra-key", line(usage={"words": 2}), 1, None, "usage.words", "“usage.words”"),
    "extra key": Case("extra-key", line(model="m"), 1, None, "model", "“model”"),
}  # fmt: skip

BROKEN_JSON = {
    "single quotes": (b"{'id': 'a'}", json_errors.SINGLE_QUOTE.at(1, "“'id': 'a'}”")),
    "typographic quotes": ("{“id”: 1}".encode(), json_errors.TYPOGRAPHIC_QUOTE.at(1, "““id”: 1}”")),
    "None": (b'{"id": "a", "answer": None}', json_errors.PYTHON_WORD.at(22, "None", "null")),
    "True": (b'{"id": "a", "answer": True}', json_errors.PYTHON_WORD.at(22, "True", "true")),
    "NaN": (b'{"id": "NaN", "score": NaN}', json_errors.CONSTANT.at(23, "NaN")),
    "Infinity": (b'{"id": "-Infinity", "score": -Infinity}', json_errors.CONSTANT.at(29, "-Infinity")),
    "trailing comma": (b'{"id": "a", }', json_errors.LAST_COMMA.at(10)),
    "trailing comma in a list": (b'{"id": [1,]}', json_errors.LAST_COMMA.at(9)),
    "two objects": (b'{"id": "a"} {"id": "b"}', json_errors.SECOND_OBJECT.at(12)),
    "comma after": (b'{"id": "a"},', json_errors.COMMA_AFTER.at(11)),
    "more after": (b'{"id": "a"}; x', json_errors.TEXT_AFTER.at(11, "“; x”")),
    "cut off": (b'{"id": "a",', json_errors.CUT_OFF.at(11)),
    "cut off in a text": (b'{"id": "a', json_errors.NO_END.at(7, '“"a”')),
    "tab": (b'{"id": "a\tb"}', json_errors.CONTROL_CHARACTER.at(9, "a tab", r"\t")),
    "raw NUL": (b'{"id": "a\x00b"}', json_errors.CONTROL_CHARACTER.at(9, r"the control character \x00", r"\u0000")),
    "backslash": (rb'{"id": "C:\dir"}', json_errors.WRONG_ESCAPE.at(10, '“\\dir"}”')),
    "inner quotes": (b'{"id": "the "Big" one"}', json_errors.INNER_QUOTE.at(13, '“Big" one"}”')),
    "comment": (b"# hello", json_errors.NO_BRACE.at(0, "“# hello”")),
    "no-break space": ('\u00a0{"id": "a"}'.encode(), json_errors.NO_BRACE.at(0, '“\\xa0{"id": "a"}”')),
    "mark inside": (b'\xef\xbb\xbf{"id": "a"}', json_errors.BYTE_ORDER_MARK.at(0)),
}
"""A line, and the explanation of its mistake, at its index into the line."""


def _limits(case: Case) -> Limits | None:
    return (
        SMALL
        if case.code.startswith("too-many") or case.code in ("too-large", "line-too-long") or case.data == b"[" * 2000
        else None
    )


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_each_problem_is_placed_and_explained(case: Case) -> None:
    report = read(case.data, limits=_limits(case))
    group = next(group for group in report.groups if group.code == case.code)
    first = group.problems[0]
    assert (first.line, first.column, first.field) == (case.line, case.column, case.field)
    assert case.found in first.found
    assert (case.fix or group.fix) in first.fix
    assert first.severity is severity_of(case.code)
    assert report.ok == (first.severity is Severity.WARNING)


@pytest.mark.parametrize(("data", "explained"), BROKEN_JSON.values(), ids=BROKEN_JSON)
def test_common_mistakes_in_json_are_recognised(data: bytes, explained: json_errors.JsonError) -> None:
    report = read(GOOD + b"\r\n" + data)
    assert codes(report).keys() == {"broken-json", "missing-answer"}
    (problem,) = problems(report, "broken-json")
    assert (problem.line, problem.column) == (3, explained.position + 1)
    assert (problem.found, problem.expected, problem.fix) == (explained.found, explained.expected, explained.fix)


def test_another_mistake_in_json_is_placed_and_quoted() -> None:
    (problem,) = problems(read(GOOD + b'{"id" "a"}'), "broken-json")
    assert (problem.line, problem.column, problem.found) == (2, 7, '“"a"}”')
    assert problem.expected != TEXTS["broken-json"][1], "Python's parser knows what is missing"
    assert problem.fix == json_errors.GENERAL_FIX


def test_every_code_has_a_case() -> None:
    elsewhere = {"broken-json", "answer-not-a-list", "item-not-a-string", "answer-not-usable", "answer-too-long"}
    elsewhere |= {"same-answer"}  # of a file of many lines
    elsewhere |= {"citation-not-usable", "no-citations"}  # in test_citations.py
    elsewhere |= {"attempt-not-a-number", "missing-attempt", "other-attempts"}  # in test_attempts.py
    assert {case.code for case in CASES.values()} | elsewhere == TEXTS.keys()


def test_all_problems_come_at_once_errors_first() -> None:
    data = line(RETIRED) + b"{\n" + b"\xff\n" + line("nobody") + line(DEV_FIRST) + line(answer=1)
    report = read(data + line(SECOND, "", model=1))
    assert [group.code for group in report.groups] == [
        "not-utf8", "broken-json", "answer-not-a-string", "other-split-id", "unknown-id",
        "retired-id", "missing-answer", "empty-answer", "extra-key",
    ]  # fmt: skip
    assert [group.code for group in report.errors + report.warnings] == [group.code for group in report.groups]
    assert (report.n_errors, report.n_warnings) == (5, 4)
    assert report.missing == (THIRD,)  # the first question has a line, wrong as it is
    assert problems(report, "missing-answer")[0].found == reader.NO_READABLE_LINE


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_message_is_one_sentence_that_says_what_to_do(case: Case) -> None:
    for group in read(case.data, limits=_limits(case)).groups:
        assert group.title
        assert "{" not in group.title
        for problem in group.problems:
            place, rest = problem.message.split(": found ", 1)
            assert place.startswith(("File", "Line", "Question"))
            assert f", expected {problem.expected}; " in rest
            assert rest.endswith(".")
            assert not rest.endswith("..")
            assert problem.fix[0].isupper()
            assert problem.fix.endswith(".")
            assert len(problem.message) < 600
            assert problem.message.isprintable()


def test_groups_are_capped_and_tell_the_true_total() -> None:
    known = KnownQuestions([f"q{number}" for number in range(100)])
    report = read(b"".join(line(f"nobody-{number}") for number in range(57)) + line("q0"), known)
    (unknown, missing) = report.groups
    assert (unknown.count, len(unknown.problems), unknown.n_hidden) == (57, 20, 37)
    assert unknown.title == title_of("unknown-id", 57)
    assert "57" in unknown.title
    assert (missing.count, len(missing.problems)) == (99, 20)
    assert missing.title == title_of("missing-answer", 99, 100)
    assert missing.title.startswith("99 of 100 ")
    assert [problem.question_id for problem in missing.problems[:2]] == ["q1", "q2"]
    assert report.n_errors == 57


def test_extra_keys_are_named_once_with_their_number() -> None:
    report = read(line(FIRST, model="m", seed=1) + line(SECOND, model="m") + line(THIRD, model="m"))
    assert report.ok
    assert codes(report) == {"extra-key": 4}
    assert [(one.line, one.field, one.found) for one in problems(report, "extra-key")] == [
        (1, "model", "the key “model”" + records.REPEATED.format(times="3")),
        (1, "seed", "the key “seed”"),
    ]


def test_a_file_of_the_other_split_is_said_once_and_nothing_else() -> None:
    report = read(line(DEV_FIRST) * 6 + line(DEV_SECOND) * 6 + line(FIRST))
    assert codes(report) == {"wrong-split": 1}
    assert "12 of 13" in report.groups[0].problems[0].found


def test_an_id_counts_as_current_before_retired_before_another_split() -> None:
    known = KnownQuestions([FIRST], {FIRST: "retired", SECOND: "retired"}, {FIRST: "dev", SECOND: "dev"})
    assert codes(read(line(FIRST) + line(SECOND), known)) == {"retired-id": 1}


def test_a_retired_id_is_kept_and_not_counted() -> None:
    report = read(whole_file() + line(RETIRED, "kept"))
    assert report.ok
    assert report.answers[RETIRED] == "kept"
    assert (report.n_answered, report.n_questions, report.missing) == (3, 3, ())


def test_the_first_of_two_answers_stays() -> None:
    report = read(line(answer="first") + line(answer="second"))
    assert not report.ok
    assert report.answers == {FIRST: "first"}


def test_empty_answers_are_stored_and_count_as_unanswered() -> None:
    report = read(whole_file([FIRST, SECOND]) + line(THIRD, ""))
    assert report.ok
    assert codes(report) == {"empty-answer": 1}
    assert (report.answers[THIRD], report.n_answered) == ("", 2)


@pytest.mark.parametrize("ending", [b"\n", b"\r\n", b"\r"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("last", [True, False])
@pytest.mark.parametrize("packed", [True, False])
def test_any_line_ending_mark_and_gzip(ending: bytes, mark: bytes, last: bool, packed: bool) -> None:
    data = mark + whole_file().replace(b"\n", ending)
    data = data if last else data.removesuffix(ending)
    sent = gzip.compress(data) if packed else data
    report = read(sent)
    assert report.groups == ()
    assert report.answers == {FIRST: "answer 0", SECOND: "answer 1", THIRD: "answer 2"}
    assert report.n_lines == 3
    assert (report.size, report.sha256) == (len(sent), hashlib.sha256(sent).hexdigest())


def test_mixed_endings_blank_lines_and_line_numbers() -> None:
    report = read(b"\r\n\n" + line().strip() + b"\r\r\n \t\n" + b"\f\n" + b"oops\n\r" + line(SECOND))
    assert problems(report, "broken-json")[0].line == 7
    assert (report.n_lines, report.n_answered) == (3, 2)


def test_separators_that_are_no_line_endings_stay_in_the_answer() -> None:
    answer = "a\u2028b\u2029c\u0085d\u000be\u001cf\ufeffg"
    raw = line(answer=answer.replace("\u000b", "").replace("\u001c", ""))
    assert "\u2028".encode() in raw
    assert read(raw).answers == {FIRST: "a\u2028b\u2029c\u0085de" + "f\ufeffg"}
    assert read(json.dumps({"id": FIRST, "answer": answer}).encode()).answers == {FIRST: answer}


def test_a_gzip_file_of_several_members_with_padding() -> None:
    parts = [gzip.compress(one) for one in whole_file().splitlines(keepends=True)]
    report = read(parts[0] + parts[1] + b"\0" * 512 + parts[2] + b"\0" * 100_000)
    assert report.groups == ()
    assert len(report.answers) == 3


def test_surrogate_pairs_and_raw_emoji_are_the_same_answer() -> None:
    escaped = rb'{"id": "%s", "answer": "\ud83d\ude00"}' % FIRST.encode()
    assert read(escaped).answers == read(line(answer="😀")).answers == {FIRST: "😀"}


def test_without_known_questions_any_id_is_taken() -> None:
    report = read(line("x") + line(DEV_FIRST), known=None)
    assert report.groups == ()
    assert report.answers == {"x": "China", DEV_FIRST: "China"}
    assert (report.n_questions, report.n_answered, report.missing) == (2, 2, ())


def test_only_the_damage_is_told_of_a_damaged_gzip_file() -> None:
    report = read(gzip.compress(b"oops\n" * 9)[:-1] + b"\xff")
    assert codes(report) == {"broken-gzip": 1}
    assert report.sha256


def test_a_report_is_ready_for_json_and_holds_no_answers() -> None:
    hostile = "\u202e\ud800\0\x1b[31m<script>" + "x" * 10_000
    data = json.dumps({"id": hostile, "answer": "SECRET", hostile: 1}).encode() + b"\n" + line(hostile[9:], "SECRET")
    report = read(data + line())
    text = json.dumps(report.as_dict(), ensure_ascii=False, allow_nan=False)
    assert text.encode()  # no surrogates
    assert "SECRET" not in text
    assert not set("\u202e\0\x1b") & set(text)
    assert len(text) < 5000
    loaded = json.loads(text)
    assert loaded["groups"][0]["problems"][0]["message"]
    assert (loaded["ok"], loaded["n_answered"], loaded["n_missing"], loaded["n_errors"]) == (False, 1, 2, 2)


def test_clean_never_grows_past_its_limit() -> None:
    assert clean("\0" * 100, limit=6) == r"\x00\x" + "…"
    assert clean("abc", limit=3) == "abc"
    assert clean("日本語 é 😀") == "日本語 é 😀"


REAL = {path.stem: path for path in sorted(DATA.glob("official/*-generations/*.jsonl"))}
ANSWERED = {
    "results-closedbook-claude-3": 724, "results-closedbook-gemma": 724, "results-closedbook-gpt-4o": 724,
    "results-openbook-claude-3": 715, "results-openbook-gemma": 707, "results-openbook-gpt-4o": 721,
    "results-wiki-provided-claude-3": 723, "results-wiki-provided-gemma": 724, "results-wiki-provided-gpt-4o": 724,
}  # fmt: skip


def _ids(name: str) -> list[str]:
    return [question["id"] for question in json.loads((DATA / "fanoutqa" / name).read_bytes())]


@pytest.mark.parametrize("name", REAL)
def test_real_files_against_the_corrected_revision(name: str) -> None:
    current, earlier = _ids("fanout-final-test.json"), _ids("fanout-final-test-nov23.json")
    retired = dict.fromkeys(set(earlier) - set(current), RETIREMENT)
    known = KnownQuestions(current, retired, dict.fromkeys(_ids("fanout-final-dev.json"), "dev"))
    with REAL[name].open("rb") as stream:
        report = read_generations(stream, known)
    assert report.ok
    assert (report.n_answered, report.n_questions) == (ANSWERED[name], 724)
    assert len(report.missing) == 724 - ANSWERED[name]
    assert [one.question_id for one in problems(report, "retired-id")] == ["36146d2306ce9ca3"]
    assert codes(report).keys() <= {"retired-id", "missing-answer", "reasoning"}
    assert len(report.answers) == ANSWERED[name] + 1


@pytest.mark.parametrize("name", ["reader", "problems", "nearest_id"])
def test_examples_in_docstrings(name: str) -> None:
    results = doctest.testmod(importlib.import_module(f"scoring.generations.{name}"))
    assert results.attempted
    assert not results.failed
