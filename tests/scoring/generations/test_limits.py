"""A file may be as large and as odd as it likes: what is read, kept and worked is bounded. Counted, not timed."""

from __future__ import annotations

import gzip
import tracemalloc
import zlib
from collections.abc import Callable, Collection
from typing import Any

import pytest

from scoring.generations import reader as generations
from scoring.generations.lines import Line, split_lines
from scoring.generations.nearest_id import NearestId
from scoring.generations.reader import KnownQuestions, Limits, read_generations
from scoring.generations.records import Record, RecordReader
from tests.scoring.generations.files import FIRST, KNOWN, CountingStream, as_stream, codes, line, read, whole_file

MIB = 2**20
MANY = KnownQuestions([f"{number * 0x9E3779B97F4A7C15 % 2**64:016x}" for number in range(724)])


def peak_of(work: Callable[[], object]) -> int:
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    "pattern",
    [line("nobody", "a" * 3000), line(answer="a" * 3000), b"x" * 4000 + b"\n"],
    ids=["unknown", "repeated", "broken"],
)
def test_a_file_of_200_megabytes_is_left_at_the_limit(pattern: bytes) -> None:
    stream = CountingStream(pattern, 200 * MIB)
    report = read_generations(as_stream(stream), KNOWN)
    assert codes(report)["too-large"] == 1
    assert stream.n_given == 32 * MIB + 1
    assert stream.largest_request <= 64 * 1024
    assert (report.size, report.sha256, report.missing) == (32 * MIB + 1, "", ())
    assert len(codes(report)) == 2, "what was read is reported too"


def test_memory_does_not_grow_with_the_file() -> None:
    def peak(size: int) -> int:
        stream = CountingStream(line("nobody", "a" * 3000), 200 * MIB)
        return peak_of(lambda: read_generations(as_stream(stream), KNOWN, Limits(max_bytes=size)))

    peak(MIB)  # first use fills caches
    small, large = peak(2 * MIB), peak(32 * MIB)
    assert large < MIB
    assert large < small + 64 * 1024


def test_a_line_without_end_is_not_kept() -> None:
    limits = Limits(max_line_bytes=MIB)
    stream = CountingStream(b'{"id": "' + b"a" * 56, 200 * MIB)
    reports: list[generations.GenerationsReport] = []
    peak = peak_of(lambda: reports.append(read_generations(as_stream(stream), KNOWN, limits)))
    assert codes(reports[0]) == {"too-large": 1}
    assert stream.n_given == 32 * MIB + 1
    assert peak < 3 * MIB


def test_memory_of_a_line_full_of_structure_is_bounded() -> None:
    data = b'{"id": "a", "answer": [' + b"{}," * (2 * MIB) + b"0]}\n"
    peak = peak_of(lambda: read(data))
    assert codes(read(data)) == {"too-complex": 1}
    assert peak < 6 * len(data), "a few copies as text, never the millions of objects"


@pytest.mark.slow
def test_a_gzip_bomb_is_left_at_the_limit() -> None:
    engine = zlib.compressobj(9, zlib.DEFLATED, 31)
    block = line("nobody", "a" * 3000) * 300
    bomb = b"".join(engine.compress(block) for _ in range(220)) + engine.flush()
    assert len(bomb) < MIB
    reports: list[generations.GenerationsReport] = []
    peak = peak_of(lambda: reports.append(read(bomb)))
    assert codes(reports[0])["too-large"] == 1
    assert codes(reports[0])["unknown-id"] < 32 * MIB / 3000
    assert peak < 2 * MIB


@pytest.mark.parametrize("data", [b"5\n", b"\n", b"{}\r\n"])
def test_reading_stops_after_the_last_line_allowed(data: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []
    original = split_lines

    def counting(*arguments: object) -> object:
        for one in original(*arguments):  # type: ignore[arg-type]
            seen.append(one.number)
            yield one

    monkeypatch.setattr(generations, "split_lines", counting)
    report = read(data * 5000, limits=Limits(max_lines=100))
    assert codes(report)["too-many-lines"] == 1
    assert seen[-1] == 101
    assert report.size == len(data) * 5000, "the rest is read for the hash alone"
    assert report.sha256


@pytest.mark.parametrize(
    "data", [b"5\n", b"{'id': 1}\n", line("0" * 16), line(FIRST), line(FIRST) + line(FIRST, "another answer")]
)
@pytest.mark.parametrize("packed", [False, True])
def test_reading_stops_after_so_many_problems(data: bytes, packed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    n_lines_read: list[int] = []
    read_line = RecordReader.read

    def counting(self: RecordReader, line: Line) -> Record | None:
        n_lines_read.append(1)
        return read_line(self, line)

    monkeypatch.setattr(RecordReader, "read", counting)
    data *= 20_000
    report = read(gzip.compress(data) if packed else data)
    groups = {group.code: group for group in report.groups}
    (problem,) = groups["too-many-problems"].problems
    assert problem.line == len(n_lines_read) <= 1_001
    assert sum(group.count for code, group in groups.items() if code != "too-many-problems") == 1_000
    assert not report.ok
    assert not report.missing
    assert report.text_size == len(data), "the rest is read for the hash alone"
    assert report.sha256


def test_what_stopped_the_reading_comes_after_its_cause_and_names_all_lines() -> None:
    report = read(b'{"text": "Oslo"}\n' * 620)
    assert [(group.code, group.count) for group in report.errors] == [("missing-key", 1_000), ("too-many-problems", 1)]
    assert "first 500 of 620 lines" in report.errors[-1].problems[0].found
    assert report.n_lines == 620


def test_a_file_that_ends_with_the_last_problem_was_checked_to_its_end() -> None:
    report = read(b"5\n" * 1_000)
    assert [(group.code, group.count) for group in report.errors] == [("not-an-object", 1_000)]
    assert report.n_lines == 1_000


def test_warnings_about_questions_and_keys_never_stop_it() -> None:
    ids = [f"{number:016x}" for number in range(3_000)]
    known = KnownQuestions(current=ids[:1500], retired=dict.fromkeys(ids[1500:], "retired"))
    data = b"".join(b'{"id": "%s", "answer": "", "model": "x", "tokens": 9}\n' % one.encode() for one in ids[1:])
    data += line(ids[0], "an answer")
    report = read(data, known)
    assert report.ok
    assert codes(report) == {"retired-id": 1500, "empty-answer": 1499, "extra-key": 2 * 2999}


@pytest.mark.parametrize("packed", [False, True])
def test_one_pass_over_the_stream(packed: bool) -> None:
    data = gzip.compress(whole_file()) if packed else whole_file()
    stream = CountingStream(data, len(data))
    assert read_generations(as_stream(stream), KNOWN).ok
    assert (stream.n_given, stream.n_ends) == (len(data), 1)


@pytest.mark.parametrize("n_bytes", [0, 1])
def test_the_limit_itself_is_allowed(n_bytes: int) -> None:
    data = whole_file()
    report = read(data, limits=Limits(max_bytes=len(data) - n_bytes))
    assert report.ok is (n_bytes == 0)
    unpacked = read(gzip.compress(data * 9), limits=Limits(max_bytes=len(data) * 9 - n_bytes))
    assert ("too-large" in codes(unpacked)) is (n_bytes == 1)


def test_the_line_limit_itself_is_allowed() -> None:
    one = line(FIRST).strip()
    assert "line-too-long" not in codes(read(one, limits=Limits(max_line_bytes=len(one))))
    assert codes(read(one, limits=Limits(max_line_bytes=len(one) - 1))) == {"line-too-long": 1}


def test_long_ids_are_compared_at_most_so_often(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[int] = []

    def counted(word: str, ids: Collection[str], **options: Any) -> list[str]:
        compared.append(len(ids))
        return []

    monkeypatch.setattr("scoring.generations.nearest_id.get_close_matches", counted)
    known = KnownQuestions(tuple(f"{number:064x}" for number in range(2_500)))
    read(b"".join(line(f"{number:x}".ljust(64, "0")) for number in range(5_000, 5_040)), known)
    assert 0 < sum(compared) <= Limits().max_comparisons == 20_000


def test_one_slip_is_found_among_any_number_of_ids() -> None:
    near = NearestId((f"q-{number:06}" for number in range(60_000)), Limits().max_comparisons)
    assert [near.find(slip) for slip in ("q-04123", "q-0412345", "q-04x234", "q-xx1234")] == [
        "q-004123",
        "q-012345",
        "q-040234",
        None,
    ]


@pytest.mark.parametrize(("n_comparisons", "n_named"), [(20_000, 20), (3 * 724, 3), (723, 0)])
def test_the_search_for_near_ids_has_a_budget(n_comparisons: int, n_named: int) -> None:
    data = b"".join(line(f"{MANY.current[0][:-1]}{number:x}xx") for number in range(40))
    (group,) = (
        one for one in read(data, MANY, Limits(max_comparisons=n_comparisons)).groups if one.code == "unknown-id"
    )
    assert group.count == 40
    assert sum("the nearest id" in problem.fix for problem in group.problems) == n_named
