"""Known questions, byte streams and a naive reader, shared by the tests of reading generations files."""

from __future__ import annotations

import gzip
import io
import json
import re
from collections.abc import Iterable
from typing import Any, BinaryIO, cast

from scoring.generations.reader import GenerationsReport, KnownQuestions, Limits, Problem, read_generations
from tests.paths import ROOT

DATA = ROOT.parent / "shared" / "data"

FIRST, SECOND, THIRD = "073115117c352763", "9ae55afe10403bd6", "5ca1ab1e00c0ffee"
RETIRED = "36146d2306ce9ca3"
DEV_FIRST, DEV_SECOND = "00000000000000de", "00000000000001de"
RETIREMENT = "retired on 2026-07-14"
KNOWN = KnownQuestions(
    current=(FIRST, SECOND, THIRD),
    retired={RETIRED: RETIREMENT},
    other_splits={DEV_FIRST: "dev", DEV_SECOND: "dev"},
)


def line(question_id: object = FIRST, answer: object = "China", **more: object) -> bytes:
    """One line of a file as json.dumps writes it."""
    return json.dumps({"id": question_id, "answer": answer, **more}, ensure_ascii=False).encode() + b"\n"


def whole_file(question_ids: Iterable[str] = KNOWN.current) -> bytes:
    """A file without any problem for KNOWN."""
    return b"".join(line(question_id, f"answer {number}") for number, question_id in enumerate(question_ids))


def read(data: bytes, known: KnownQuestions | None = KNOWN, limits: Limits | None = None) -> GenerationsReport:
    return read_generations(io.BytesIO(data), known, limits)


def problems(report: GenerationsReport, code: str) -> tuple[Problem, ...]:
    return next((group.problems for group in report.groups if group.code == code), ())


def codes(report: GenerationsReport) -> dict[str, int]:
    return {group.code: group.count for group in report.groups}


def naive_reader(data: bytes) -> dict[str, Any]:
    """What anybody would write; right for good files, raises for most others."""
    text = (gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data).decode("utf-8-sig")
    items = [json.loads(one) for one in re.split(r"\r\n|\n|\r", text) if one.strip(" \t\v\f")]
    return {item["id"]: item["answer"] for item in items}


class CountingStream:
    """A stream that can only be read, made from a pattern repeated up to a size; it remembers what was asked of it."""

    def __init__(self, pattern: bytes, size: int, most_at_once: int | None = None) -> None:
        self._pattern = pattern
        self._size = size
        self._most_at_once = most_at_once
        self.n_given = 0
        self.n_ends = 0
        self.largest_request = 0

    def read(self, n_bytes: int = -1) -> bytes:
        assert n_bytes > 0, "reads must be bounded"
        self.largest_request = max(self.largest_request, n_bytes)
        n_bytes = min(n_bytes, self._size - self.n_given, self._most_at_once or n_bytes)
        if not n_bytes:
            self.n_ends += 1
            return b""
        start = self.n_given % len(self._pattern)
        self.n_given += n_bytes
        return (self._pattern * (n_bytes // len(self._pattern) + 2))[start : start + n_bytes]


def as_stream(stream: CountingStream) -> BinaryIO:
    return cast("BinaryIO", stream)
