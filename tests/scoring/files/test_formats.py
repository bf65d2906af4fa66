"""The objects of a file are the same in every format, and what cannot be read is named with its line."""

import gzip
import io
import json
import tracemalloc
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, BinaryIO

import pyarrow
import pytest
import zstandard
from pyarrow import parquet

from scoring.files import json_values
from scoring.files.mistakes import Mistake
from scoring.files.objects import Place, objects_in
from scoring.files.parquet_pages import page_sizes

ROWS = [
    {"id": "q-1", "question": "Who built it?\nAnd when?", "answer": 'Ada "A." Berg'},
    {"id": "q-2", "question": "Åby, or Bro?"},
]


def of_table(separator: str) -> bytes:
    """The rows as CSV or TSV."""
    lines = [
        ["id", "question", "answer"],
        *([row.get(key, "") for key in ("id", "question", "answer")] for row in ROWS),
    ]
    cells = (['"{}"'.format(cell.replace('"', '""')) for cell in line] for line in lines)
    return "".join(f"{separator.join(line)}\r\n" for line in cells).encode()


def of_parquet(rows: list[dict[str, Any]]) -> bytes:
    """The rows as Parquet."""
    stream = io.BytesIO()
    parquet.write_table(pyarrow.Table.from_pylist(rows), stream)
    return stream.getvalue()


LINES = "".join(f"{json.dumps(row)}\n" for row in ROWS).encode()
FILES: dict[str, bytes] = {
    "a.jsonl": LINES,
    "a.json": json.dumps(ROWS, indent=1, ensure_ascii=False).encode(),
    "a.csv": of_table(","),
    "a.tsv": of_table("\t"),
    "a.parquet": of_parquet(ROWS),
}
PACKED: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".gz": gzip.compress,
    ".zst": zstandard.ZstdCompressor().compress,
    ".frames.zst": lambda data: b"".join(map(zstandard.compress, (data[:9], data[9:]))),
}


def read(name: str, data: bytes | BinaryIO, **options: Any) -> tuple[list[tuple[Place, dict[str, Any]]], list[Mistake]]:
    mistakes: list[Mistake] = []
    stream = io.BytesIO(data) if isinstance(data, bytes) else data
    return list(objects_in(name, stream, mistakes, **options)), mistakes


def places(name: str, data: bytes, **options: Any) -> list[tuple[int, str]]:
    """The lines and fields of the mistakes in a file."""
    return [(mistake.line, mistake.field) for mistake in read(name, data, **options)[1]]


@pytest.mark.parametrize(
    ("name", "packing"),
    [(name, packing) for name in FILES for packing in ("", ".gz", ".zst") if not packing or name != "a.parquet"],
)
def test_each_format_has_the_same_objects(name: str, packing: str) -> None:
    objects, mistakes = read(f"{name}{packing}", PACKED[packing](FILES[name]))
    assert not mistakes
    assert [record for _, record in objects] == ROWS


def test_a_file_of_several_zstandard_frames_is_read_to_its_end() -> None:
    assert len(read("a.jsonl.zst", PACKED[".frames.zst"](LINES))[0]) == len(ROWS)


def test_rows_of_tables_have_the_line_on_which_they_begin() -> None:
    assert [place.line for place, _ in read("a.csv", FILES["a.csv"])[0]] == [2, 4]
    assert [place.line for place, _ in read("a.csv", b"\n\nid,b\n\n1,\n2,x\n")[0]] == [5, 6]


def test_rows_of_parquet_are_counted() -> None:
    assert [(place.line, place.number) for place, _ in read("a.parquet", FILES["a.parquet"])[0]] == [(0, 1), (0, 2)]


def test_other_columns_of_parquet_are_not_read() -> None:
    data = of_parquet([{"question": "?", "picture": b"\x89PNG"}])
    assert read("a.parquet", data, fields={"question"})[0][0][1] == {"question": "?"}
    assert places("a.parquet", data) == [(0, "object 1, picture")]


def test_a_column_without_a_name_is_called_as_pandas_calls_it() -> None:
    assert read("a.tsv", b"\tPrompt\n0\tWho?\n")[0][0][1] == {"Unnamed: 0": "0", "Prompt": "Who?"}


@pytest.mark.parametrize(
    ("name", "data", "line"),
    [
        ("a.csv", b"id,answer\n1,2\n3\n4,5,6\n", 3),
        ("a.csv", b"id,id\n1,2\n", 1),
        ("a.csv", b"id;answer\n1;2\n", 1),
        ("a.csv", b"id\tanswer\n1\t2\n", 1),
        ("a.csv", b'id,answer\n1,"2"3\n', 2),
        ("a.csv", b'id,answer\n1,"2\n3\n', 2),
        ("a.csv", b"id,answer\n1,2\n3,\xff\n", 3),
        ("a.csv", b'id,answer\n1,"' + b"x" * 200_000 + b'"\n', 2),
        ("a.jsonl", b"id,answer\n1,2\n3,4\n", 0),
        ("a.parquet", FILES["a.parquet"][:-20], 0),
        ("a.jsonl.zst", zstandard.compress(LINES)[:-5], 0),
        ("a.jsonl.zst", zstandard.compress(LINES) + b"rest", 0),
        ("a.jsonl.zst", zstandard.compress(bytes(10**7)), 0),
    ],
)
def test_what_cannot_be_read_is_named_with_its_line(name: str, data: bytes, line: int) -> None:
    found = places(name, data, max_bytes=10**6)
    assert found
    assert found[0][0] == line


def test_parquet_beyond_the_limit_is_refused() -> None:
    data = of_parquet([{"answer": "x" * 1000}] * 2000)
    assert len(data) < 10_000
    objects, mistakes = read("a.parquet", data, max_bytes=100_000)
    assert len(objects) < 200
    assert "at most" in mistakes[0].expected


@pytest.mark.parametrize("encoded", [False, True])
def test_a_text_that_rows_of_parquet_repeat_counts_in_each(encoded: bool) -> None:
    """A file of a few kilobytes would otherwise take gigabytes of memory."""
    texts, stream = pyarrow.array(["x" * 10**6] * 500), io.BytesIO()
    texts = texts.dictionary_encode() if encoded else texts
    parquet.write_table(pyarrow.table({"answer": texts}), stream, compression="zstd")
    assert len(stream.getvalue()) < 10_000
    tracemalloc.start()
    objects, mistakes = read("a.parquet", stream.getvalue(), max_bytes=3 * 10**6)
    assert len(objects) == 3
    assert "at most" in mistakes[0].expected
    assert tracemalloc.get_traced_memory()[1] < 10**7
    tracemalloc.stop()


def number(value: int, length: int = 0) -> bytes:
    """A whole number as Thrift writes it, perhaps in more bytes than it needs."""
    rest = value << 1
    parts: list[int] = []
    while rest > 127 or len(parts) + 1 < length:
        parts.append(rest & 127 | 128)
        rest >>= 7
    return bytes([*parts, rest])


@pytest.mark.parametrize("is_false", [False, True])
def test_a_page_of_parquet_is_not_unpacked_beyond_the_limit_whatever_the_end_says(is_false: bool) -> None:
    stream = io.BytesIO()
    parquet.write_table(pyarrow.table({"answer": ["x" * 20_000_000], "id": ["q-1"]}), stream, compression="zstd")
    data = stream.getvalue()
    assert len(data) < 10_000
    if is_false:
        column = parquet.ParquetFile(stream).metadata.row_group(0).column(0)
        stated = number(column.total_uncompressed_size)
        head, _, end = data.rpartition(stated)
        data = head + number(1, length=len(stated)) + end
        assert parquet.ParquetFile(io.BytesIO(data)).metadata.row_group(0).column(0).total_uncompressed_size == 1
    usual = pyarrow.default_memory_pool()
    pool = pyarrow.proxy_memory_pool(usual)
    pyarrow.set_memory_pool(pool)
    try:
        objects, mistakes = read("a.parquet", data, max_bytes=10**6)
    finally:
        pyarrow.set_memory_pool(usual)
    assert not objects
    assert "at most" in mistakes[0].expected
    assert (pool.max_memory() or 0) < 10**6
    assert read("a.parquet", data, max_bytes=10**6, fields={"id"})[0][0][1] == {"id": "q-1"}, "other pages are not read"


@pytest.mark.parametrize(
    "header",
    [
        b"",
        b"\x00",  # no sizes
        b"\x15\x00\x15",  # cut off
        b"\x25\x01\x15\x02\x00",  # a size below 0
        b"\x25\x80\x80\x80\x80\x20\x15\x02\x00",  # a size of more than 32 bits
        b"\x25\x02\x15\x02\x05\x06\x02\x00",  # a size twice
        b"\x19\xf8\xff\xff\xff\x0f",  # a list of 4 thousand million
        b"\x1c" * 50,  # a struct in a struct
        b"\x25" + b"\xff" * 20,  # a number without an end
    ],
)
def test_a_damaged_header_of_a_page_of_parquet_is_refused(header: bytes) -> None:
    column = SimpleNamespace(dictionary_page_offset=None, data_page_offset=0, total_compressed_size=9)
    with pytest.raises(ValueError, match=r"^a (page|field|number)"):
        list(page_sizes(io.BytesIO(header), column))


@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize("compression", ["none", "gzip"])
def test_all_pages_of_a_column_are_found(version: str, compression: str) -> None:
    stream = io.BytesIO()
    texts = [f"{number} {'é' * (number % 7)}" for number in range(20_000)]
    options = {"compression": compression, "data_page_version": version, "data_page_size": 10_000}
    parquet.write_table(pyarrow.table({"answer": texts}), stream, **options)
    column = parquet.ParquetFile(stream).metadata.row_group(0).column(0)
    sizes = list(page_sizes(stream, column))
    assert len(sizes) > 3
    # The end counts the headers too.
    assert sum(sizes) <= column.total_uncompressed_size <= sum(sizes) + 200 * len(sizes)


class TestALongList:
    """A JSON list is read block by block."""

    ROWS: tuple[dict[str, Any], ...] = tuple(
        {"id": f"q-{number}", "question": "Å" * (number % 2000), "answer": [{"a": number * 1.5}, '\\"]}']}
        for number in range(600)
    )

    @pytest.mark.parametrize("indent", [None, 2])
    def test_has_all_its_objects_and_their_lines(self, indent: int | None) -> None:
        text = json.dumps(self.ROWS, indent=indent, ensure_ascii=False)
        objects, mistakes = read("a.json", text.encode())
        assert not mistakes
        assert [record for _, record in objects] == list(self.ROWS)
        lines = [2 + 10 * number if indent else 1 for number in range(len(self.ROWS))]
        assert [place.line for place, _ in objects] == lines

    def test_is_not_in_memory_as_a_whole(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(json_values, "MAX_LINE_BYTES", 2**17)
        text = json.dumps(self.ROWS)
        assert len(text) > 2**20
        assert len(read("a.json", text.encode())[0]) == len(self.ROWS)
        too_long = json.dumps([*self.ROWS, {"question": "x" * 2**19}])
        assert "at most" in read("a.json", too_long.encode())[1][0].expected

    @pytest.mark.parametrize("at", [10, 3000, 500_000])
    def test_has_mistakes_where_they_are(self, at: int) -> None:
        lines = json.dumps(self.ROWS, indent=1).encode().split(b"\n")
        number = next(n for n in range(len(lines)) if sum(map(len, lines[:n])) > at and b'"answer": [' in lines[n])
        broken = [*lines[:number], lines[number].replace(b":", b""), *lines[number + 1 :]]
        assert places("a.json", b"\n".join(broken))[-1][0] == number + 1
        undecoded = [*lines[:number], lines[number] + b"\xff", *lines[number + 1 :]]
        assert places("a.json", b"\n".join(undecoded))[-1][0] == number + 1
        cut = b"\n".join(lines[: number + 1])
        assert places("a.json", cut)[-1][0] == number + 1


def test_documents_may_be_spread_over_lines() -> None:
    text = "\n".join(json.dumps(row, indent=2) for row in ROWS).encode()
    objects, mistakes = read("a.json", text, documents=True)
    assert not mistakes
    assert [(place.line, record) for place, record in objects] == [(1, ROWS[0]), (6, ROWS[1])]
    assert places("a.json", text)
