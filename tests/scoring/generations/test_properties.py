"""Files that nobody thought of: never an exception, never a silent refusal, never an answer read wrongly."""

from __future__ import annotations

import gzip
import hashlib
import json
import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.generations.lines import split_lines
from scoring.generations.nearest_id import NearestId
from scoring.generations.problems import TEXTS as KINDS
from scoring.generations.reader import GenerationsReport, read_generations
from scoring.generations.records import has_content
from tests.scoring.generations.files import (
    DEV_FIRST,
    FIRST,
    KNOWN,
    RETIRED,
    SECOND,
    CountingStream,
    as_stream,
    codes,
    naive_reader,
    read,
    whole_file,
)
from tests.scoring.metrics.strategies import thorough

IDS = st.sampled_from([*KNOWN.current, RETIRED, DEV_FIRST, "nobody", ""])
TEXTS = st.text(max_size=40)
JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)
ODD_OBJECTS = st.fixed_dictionaries(
    {}, optional={"id": IDS | JSON_VALUES, "answer": TEXTS | JSON_VALUES, "more": JSON_VALUES}
)
GOOD_OBJECTS = st.fixed_dictionaries(
    {"id": st.sampled_from([*KNOWN.current, RETIRED]), "answer": TEXTS}, optional={"more": JSON_VALUES}
)
NASTY = st.sampled_from(
    [b"\n", b"\r", b"\r\n", b'"', b"'", b"\\", b"{", b"}", b"[", b"]", b",", b":", b" ", b"null", b"NaN", b"\0",
     b"\xff", b"\xef\xbb\xbf", b"\xe2\x80\xa8", b"\xc2\x85", b"\x1f\x8b", rb"\ud800", rb"\u0000",
     b"9" * 5000, b"[" * 2000]
)  # fmt: skip
CHARACTERS = st.characters(codec="utf-8", exclude_characters="\0")


def check(data: bytes) -> GenerationsReport:
    """What must hold for any bytes at all."""
    report = read(data)
    n_lines = 10_000 if data[:1] == b"\x1f" else data.count(b"\n") + data.count(b"\r") + 1
    for group in report.groups:
        assert group.code in KINDS
        assert group.count >= len(group.problems) >= 1
        for problem in group.problems:
            assert problem.found
            assert problem.fix
            assert problem.line is None or 1 <= problem.line <= n_lines
            assert problem.column is None or problem.column >= 1
            assert problem.message.isprintable()
    json.dumps(report.as_dict(), allow_nan=False, ensure_ascii=False).encode()
    assert report.ok is (not report.errors)
    assert (report.size, report.sha256) == (len(data), hashlib.sha256(data).hexdigest())
    if report.ok:
        assert report.answers == naive_reader(data)
        assert set(report.answers) <= {*KNOWN.current, RETIRED}
        n_without = len(report.missing) + codes(report).get("empty-answer", 0)
        assert report.n_answered + n_without == report.n_questions == len(KNOWN.current)
        for answer in report.answers.values():
            assert "\0" not in answer
            answer.encode()
    return report


@st.composite
def mutated_files(draw: st.DrawFn) -> bytes:
    data = bytearray(whole_file([FIRST, SECOND, RETIRED]))
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(data)))
        end = start + draw(st.sampled_from([0, 0, 1, 1, 2, 10, 60]))
        data[start:end] = draw(NASTY | st.binary(max_size=3) | st.just(bytes(data[start:end])) | st.just(b""))
    return bytes(data)


@pytest.mark.slow
@given(mutated_files())
@thorough(1500)
def test_mutated_files(data: bytes) -> None:
    check(data)


@pytest.mark.slow
@given(
    st.lists(ODD_OBJECTS | GOOD_OBJECTS | JSON_VALUES, max_size=6) | st.lists(GOOD_OBJECTS, max_size=3),
    st.sampled_from(["\n", "\r\n", "\r", "\n\n"]),
    st.booleans(),
)
@thorough(1200)
def test_random_values_line_by_line(values: list[object], ending: str, ascii_only: bool) -> None:
    text = ending.join(json.dumps(value, ensure_ascii=ascii_only) for value in values)
    check(text.encode("utf-8", "surrogatepass"))


@pytest.mark.slow
@given(st.data())
@thorough(800)
def test_damaged_gzip_files(data: st.DataObject) -> None:
    sent = bytearray(gzip.compress(whole_file([FIRST, SECOND, RETIRED]) * data.draw(st.integers(1, 40)), mtime=0))
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(sent) - 1))
        sent[at : at + data.draw(st.integers(0, 2))] = data.draw(st.binary(max_size=2) | NASTY)
    check(bytes(sent))


@pytest.mark.slow
@given(
    st.lists(st.text(CHARACTERS, max_size=60), min_size=3, max_size=3).filter(
        lambda answers: any(map(has_content, answers))
    ),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.booleans(),
    st.booleans(),
    st.booleans(),
)
@thorough(500)
def test_good_files_come_back_exactly(
    answers: list[str], ending: str, ascii_only: bool, mark: bool, packed: bool
) -> None:
    expected = dict(zip(KNOWN.current, answers, strict=True))
    lines = [json.dumps({"id": one, "answer": answer}, ensure_ascii=ascii_only) for one, answer in expected.items()]
    data = (b"\xef\xbb\xbf" if mark else b"") + ending.join(lines).encode()
    report = check(gzip.compress(data) if packed else data)
    assert report.ok
    assert report.answers == expected
    assert codes(report).keys() <= {"empty-answer", "reasoning", "same-answer"}


@pytest.mark.slow
@given(mutated_files(), st.integers(1, 40), st.booleans())
@thorough(300)
def test_how_the_stream_is_cut_into_reads_does_not_matter(data: bytes, at_once: int, packed: bool) -> None:
    data = gzip.compress(data) if packed else data
    stream = CountingStream(data, len(data), most_at_once=at_once)
    assert read_generations(as_stream(stream), KNOWN) == read(data)


@given(
    st.text(st.sampled_from("\r\n\u2028\u0085ab\ufeff"), max_size=40), st.integers(0, 2**32), st.sampled_from([3, 99])
)
@thorough(500)
def test_lines_are_cut_as_a_regular_expression_does(text: str, seed: int, most: int) -> None:
    data = text.encode()
    pieces, rest, cutter = [], data, random.Random(seed)
    while rest:
        size = cutter.randint(0, 4)
        pieces.append(rest[:size])
        rest = rest[size:]
    start = 3 if data.startswith(b"\xef\xbb\xbf") else 0
    expected, offset = [], start
    for number, (body, end) in enumerate(re.findall(rb"([^\r\n]*)(\r\n|\n|\r|\Z)", data[start:]), 1):
        if body or end:
            expected.append((number, offset, len(body), body, body if len(body) <= most else None))
        offset += len(body) + len(end)
    assert [tuple(line) for line in split_lines(iter(pieces), most)] == expected


@given(st.sampled_from(KNOWN.current), st.data())
@thorough(200)
def test_one_slip_of_the_pen_is_always_found(question_id: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(question_id) - 1))
    slips = [question_id[:at] + question_id[at + 1 :], question_id[:at] + "z" + question_id[at:], question_id.upper()]
    assert NearestId(KNOWN.current, 1000).find(data.draw(st.sampled_from(slips))) == question_id


@pytest.mark.parametrize("unknown", ["", " ", "zzzzzzzzzzzzzzzz", "x" * 10_000, "0731151"])
def test_what_is_not_near_gets_no_suggestion(unknown: str) -> None:
    assert NearestId(KNOWN.current, 1000).find(unknown) is None
