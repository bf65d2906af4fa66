"""Split an uploaded byte stream into lines, in one pass and in bounded memory.

`ByteSource` counts, hashes and limits the bytes as they were sent; `text_blocks` decompresses gzip, with the same limit
for the decompressed bytes; `split_lines` splits lines at ``\\n``, ``\\r\\n`` and ``\\r``; `recognise` names formats
that people send by mistake. No more than one block and one line (up to its limit) is in memory at any time.

Plain Python: no Django. Nothing here raises for odd content except the two exceptions below.
"""

from __future__ import annotations

import codecs
import hashlib
import re
import zlib
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import BinaryIO, Final, NamedTuple

BLOCK_BYTES: Final = 64 * 1024
HEAD_BYTES: Final = 4096
MAX_GZIP_MEMBERS: Final = 4096
_GZIP_MAGIC: Final = b"\x1f\x8b"
_UTF8_BOM: Final = b"\xef\xbb\xbf"


class TooLargeError(Exception):
    """More bytes than allowed, as sent or (`decompressed`) after decompression."""

    def __init__(self, *, decompressed: bool) -> None:
        super().__init__("too large")
        self.decompressed = decompressed


CUT_OFF: Final = "compressed data that breaks off before its end"
DAMAGED: Final = "damaged compressed data"
TRAILING_BYTES: Final = "bytes after the end of the compressed data"


class BrokenGzipError(Exception):
    """Gzip data that cannot be decompressed; the argument gives the reason in words."""


class ByteSource:
    """A stream that is read once, block by block, with its size and SHA-256.

    Never requests more than one byte beyond `max_bytes` from the stream in total.
    """

    def __init__(self, stream: BinaryIO, max_bytes: int) -> None:
        self._stream = stream
        self._max_bytes = max_bytes
        self._digest = hashlib.sha256()
        self._head = b""
        self.size = 0
        self.complete = False

    def __iter__(self) -> Iterator[bytes]:
        """The blocks that have not been read yet.

        Raises:
            TooLargeError: when there are more than `max_bytes` bytes.
            OSError: any error that the stream raises.
        """
        while not self.complete:
            if self.size > self._max_bytes:
                raise TooLargeError(decompressed=False)
            block = self._stream.read(min(BLOCK_BYTES, self._max_bytes + 1 - self.size))
            if not block:
                self.complete = True
                return
            self.size += len(block)
            self._head += block[: len(_GZIP_MAGIC) - len(self._head)]
            self._digest.update(block)
            if self.size > self._max_bytes:
                raise TooLargeError(decompressed=False)
            yield block

    def read_to_end(self) -> None:
        """Read the rest of the stream, only for its size and hash. Raises as iteration does."""
        for _ in self:
            pass

    @property
    def packed(self) -> bool:
        """Whether the bytes begin as gzip does."""
        return self._head == _GZIP_MAGIC

    @property
    def sha256(self) -> str:
        """The hash of all bytes as sent, in hexadecimal; empty until the stream has been read to its end."""
        return self._digest.hexdigest() if self.complete else ""


def text_blocks(blocks: Iterable[bytes], max_bytes: int) -> Iterator[bytes]:
    """The blocks as they are, or decompressed if they begin as gzip does.

    Raises:
        TooLargeError: when the decompressed data has more than `max_bytes` bytes.
        BrokenGzipError: when the compressed data is truncated, damaged or in too many members.
    """
    head, blocks = take_head(blocks, len(_GZIP_MAGIC))
    return _decompressed(blocks, max_bytes) if head.startswith(_GZIP_MAGIC) else blocks


def take_head(blocks: Iterable[bytes], n_bytes: int) -> tuple[bytes, Iterator[bytes]]:
    """The first `n_bytes` bytes or more (fewer at the end), and an iterator over all blocks, these included."""
    rest = iter(blocks)
    head = b""
    for block in rest:
        head += block
        if len(head) >= n_bytes:
            break
    return head, chain([head] if head else [], rest)


def _decompressed(blocks: Iterable[bytes], max_bytes: int) -> Iterator[bytes]:
    engine = None
    n_members = 0
    n_bytes = 0
    for block in blocks:
        data = block
        more = True
        while more:
            if engine is None:
                data = data.lstrip(b"\0") if n_members else data  # padding between members is allowed
                if not data:
                    break
                n_members += 1
                if n_members > MAX_GZIP_MEMBERS:
                    raise BrokenGzipError(f"more than {MAX_GZIP_MEMBERS:,} compressed parts in one file")
                engine = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS)
            try:
                out = engine.decompress(data, BLOCK_BYTES)
            except zlib.error as error:
                trailing = n_members > 1 and "header" in str(error)
                raise BrokenGzipError(TRAILING_BYTES if trailing else DAMAGED) from error
            n_bytes += len(out)
            if n_bytes > max_bytes:
                raise TooLargeError(decompressed=True)
            if out:
                yield out
            if engine.eof:
                data, engine = engine.unused_data, None
                more = bool(data)
            else:
                data = engine.unconsumed_tail
                more = bool(data) or len(out) == BLOCK_BYTES  # the decompressor may buffer output
    if engine is not None:
        raise BrokenGzipError(CUT_OFF)


class Counted:
    """Passes blocks on and counts their bytes."""

    def __init__(self, blocks: Iterable[bytes]) -> None:
        self._blocks = blocks
        self.size = 0

    def __iter__(self) -> Iterator[bytes]:
        for block in self._blocks:
            self.size += len(block)
            yield block


class Line(NamedTuple):
    """One line: its number from 1, the offset of its first byte, its length, its bytes without the line ending.

    `content` is None, and only its first bytes are in `head`, when the line is longer than allowed.
    """

    number: int
    offset: int
    length: int
    head: bytes
    content: bytes | None


def split_lines(blocks: Iterable[bytes], max_line_bytes: int) -> Iterator[Line]:
    r"""Split at ``\n``, ``\r\n`` and ``\r`` (and nothing else: U+2028 and U+0085 are legal inside JSON strings).

    Line endings may be mixed and may be split across two blocks. A byte order mark at the very start is left out of the
    first line and counted in its offset.
    """
    head, blocks = take_head(blocks, len(_UTF8_BOM))
    position = start = len(_UTF8_BOM) if head.startswith(_UTF8_BOM) else 0
    skip = position
    parts: list[bytes] = []
    length = 0
    line_head = b""
    number = 1
    after_return = False
    for whole_block in blocks:
        block = whole_block[skip:]
        skip = 0
        if after_return and block.startswith(b"\n"):
            block = block[1:]
            position += 1
            start = position
            after_return = False
        if block:
            after_return = block.endswith(b"\r")
        for piece in block.splitlines(keepends=True):
            body = piece.rstrip(b"\r\n")
            position += len(piece)
            if not length and len(body) != len(piece) and len(body) <= max_line_bytes:  # as nearly all are
                yield Line(number, start, len(body), body[:HEAD_BYTES], body)
                number += 1
                start = position
                continue
            length += len(body)
            if len(line_head) < HEAD_BYTES:
                line_head += body[: HEAD_BYTES - len(line_head)]
            if length <= max_line_bytes:
                parts.append(body)
            else:
                parts.clear()
            if len(body) != len(piece):
                yield Line(number, start, length, line_head, b"".join(parts) if length <= max_line_bytes else None)
                number += 1
                start = position
                parts, length, line_head = [], 0, b""
    if length:
        yield Line(number, start, length, line_head, b"".join(parts) if length <= max_line_bytes else None)


class Recognised(NamedTuple):
    """A format that was sent by mistake: its name and how to fix the file, in the words of a kind of problem."""

    found: str
    fix: str
    expected: str | None = None
    is_log: bool = False
    """Whether `scoring.logs` reads answers from it."""


_PROGRAM: Final = (
    "the program for {tool} under “Files of other tools” (on the page “How to submit” and in docs/submission-"
    "format.md)."
)
_WITH_PROGRAM: Final = {
    tool: "Turn it into a generations file with the command manyhop import, or with " + _PROGRAM.format(tool=tool)
    for tool in ("inspect_ai", "lm-eval", "tables")
}
_OF_BATCHES: Final = f"Turn it into a generations file with {_PROGRAM.format(tool='the Batch API')}"
UNPACK: Final = "Unpack the archive and send the .jsonl file itself, or that file compressed with gzip."
EXPORT: Final = "Export the answers as plain text in the JSON Lines format, one object per line."
_DUMP: Final = "Write the answers as text: json.dumps of an object as {example}, and a line break for each question."

_MAGIC: Final[tuple[tuple[bytes, str, str], ...]] = (
    (
        b"version https://git-lfs.github.com/spec/",
        "a pointer of Git LFS, which stands for the file",
        "Fetch the file itself with git lfs pull, and send that.",
    ),
    (b"%PDF", "a PDF document", EXPORT),
    (b"PK\x03\x04", "a zip archive", UNPACK),
    (b"PK\x05\x06", "an empty zip archive", UNPACK),
    (b"\xd0\xcf\x11\xe0", "an old Word or Excel document", EXPORT),
    (b"{\\rtf", "a rich text document", EXPORT),
    (b"\x1f\x8b", "gzip inside gzip", "Compress the file once only."),
    (b"BZh", "a bzip2 file", UNPACK),
    (b"\xfd7zXZ\0", "an xz file", UNPACK),
    (b"\x28\xb5\x2f\xfd", "a zstd file", UNPACK),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive", UNPACK),
    (b"Rar!\x1a\x07", "a RAR archive", UNPACK),
    (b"SQLite format 3\0", "an SQLite database", EXPORT),
    (b"PAR1", "a Parquet file", EXPORT),
    (b"ARROW1", "an Arrow file", EXPORT),
    (b"\x89HDF\r\n", "an HDF5 file", EXPORT),
    (b"\x93NUMPY", "a NumPy file", _DUMP),
    (b"\x89PNG", "a PNG picture", "Choose the file that holds the answers."),
    (b"\xff\xd8\xff", "a JPEG picture", "Choose the file that holds the answers."),
    (b"\x80\x02", "a Python pickle", _DUMP),
    (b"\x80\x03", "a Python pickle", _DUMP),
    (b"\x80\x04", "a Python pickle", _DUMP),
    (b"\x80\x05", "a Python pickle", _DUMP),
)
_WORKBOOK: Final = f"Save the sheet as CSV (UTF-8). {_WITH_PROGRAM['tables']}"
_ZIPPED: Final = (
    (b"_journal/start.json", "an inspect_ai log (.eval)", _WITH_PROGRAM["inspect_ai"], None, True),
    (b"word/", "a Word document", EXPORT),
    (b"xl/", "an Excel workbook", _WORKBOOK),
    (b"ppt/", "a presentation", EXPORT),
    (b"[Content_Types].xml", "a document of an office program", _WORKBOOK),
    (b"mimetypeapplication/vnd.oasis.opendocument", "an OpenDocument file", _WORKBOOK),
)
"""What the names of the first files in a zip archive say of it. Nothing is unpacked."""
_OF_TOOLS: Final = (
    (
        rb'\{\s*(?:"version"\s*:\s*\d+\s*,\s*)?(?:"status"\s*:\s*"\w*"\s*,\s*)?"eval"\s*:\s*\{[^{}]*"(?:eval_id|run_id|task)"',
        Recognised("an inspect_ai log (JSON)", _WITH_PROGRAM["inspect_ai"], is_log=True),
    ),
    (
        rb'\{\s*"results"\s*:\s*\{\s*"[^"]*"\s*:\s*\{[^{}]*"[\w.-]+,[\w.-]+"\s*:',
        Recognised(
            "results of lm-evaluation-harness, which hold no answers",
            "Choose the file samples_….jsonl of the same run (lm_eval writes it with --log_samples). "
            + _WITH_PROGRAM["lm-eval"],
        ),
    ),
    (
        rb'\{\s*"doc_id"\s*:[^,{}]*,\s*"(?:doc|target|arguments|resps)"\s*:',
        Recognised("samples of lm-evaluation-harness", _WITH_PROGRAM["lm-eval"], is_log=True),
    ),
    (
        rb'\{\s*(?:"id"\s*:\s*"[^"\\]*"\s*,\s*)?"custom_id"\s*:\s*"(?:[^"\\]|\\.)*"\s*,\s*"response"\s*:',
        Recognised("output of OpenAI's Batch API", _OF_BATCHES),
    ),
)
"""How the files of other tools begin."""
_CSV_HEADER: Final = re.compile(
    rb"""["']?(?:question_?)?id["']?[ ]*[,;\t|].*|.*[,;\t|][ ]*["']?(?:question_?)?id["']?""", re.IGNORECASE
)
_SAVE: Final = 'Save the file as UTF-8 (in Python: open(path, "w", encoding="utf-8")).'
UTF16: Final = Recognised("UTF-16 text", _SAVE, "UTF-8 text")
UTF32: Final = Recognised("UTF-32 text", _SAVE, "UTF-8 text")
BINARY: Final = Recognised("binary data", "Choose the file that holds the answers as JSON Lines text.")
HTML: Final = Recognised(
    "an HTML or XML page", "Download the file itself and not the page that shows it, and write it as JSON Lines."
)
CSV: Final = Recognised(
    "a table with columns (CSV)",
    f"{_WITH_PROGRAM['tables']} Or write each row as {{example}} on a line of its own.",
)
INDENTED: Final = Recognised(
    "JSON objects that are spread over several lines",
    "Write each object on one line (json.dumps without indent, or: jq -c . FILE).",
)
_ROWS: Final = 5
_SHORTEST_TEXT: Final = 10
_MOST_HIGH: Final = 0.3
"""The share of bytes above ASCII in a text of a European language is smaller."""
_UNDEFINED: Final = frozenset(b"\x81\x8d\x8f\x90\x9d")
"""The bytes that are no character in Windows-1252."""
_CONTROL: Final = frozenset(range(32)) - frozenset(b"\t\n\r\f")


def recognise(head: bytes) -> Recognised | None:
    """Name the format of a file that is not JSON Lines text from its first bytes; None if it may be JSON Lines."""
    for magic, name, fix in _MAGIC:
        if head.startswith(magic):
            zipped = _ZIPPED if magic == b"PK\x03\x04" else ()
            return next((Recognised(*known) for mark, *known in zipped if mark in head), Recognised(name, fix))
    if head[257:262] == b"ustar":
        return Recognised("a tar archive", UNPACK)
    if head.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)) or _is_wide_ascii(head, 4):
        return UTF32
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) or _is_wide_ascii(head, 2):
        return UTF16
    if sum(byte in _CONTROL for byte in head[:512]) * 10 > len(head[:512]):
        return BINARY
    first_line = head.removeprefix(_UTF8_BOM).lstrip().split(b"\n", 1)[0].split(b"\r", 1)[0].rstrip()
    if first_line.startswith(b"<"):
        return HTML
    if not first_line.startswith((b"{", b"[")) and (_CSV_HEADER.fullmatch(first_line) or _has_columns(head)):
        encoding = encoding_of(head)
        return CSV._replace(found=f"{CSV.found} in {encoding}", fix=f"{_SAVE} {CSV.fix}") if encoding else CSV
    return (recognise_tool(head) or INDENTED) if first_line == b"{" else None


def _has_columns(head: bytes) -> bool:
    """Whether the first lines are no JSON and have equally many separators, as rows of a table do."""
    rows = [row for row in head.splitlines()[:-1] if row.strip()][:_ROWS]
    if len(rows) < 2 or any(row.lstrip().startswith((b"{", b"[")) for row in rows):
        return False
    return any(rows[0].count(mark) and len({row.count(mark) for row in rows}) == 1 for mark in (b"\t", b";", b","))


def encoding_of(content: bytes) -> str:
    """The encoding of a text that is not UTF-8, if it can be named; empty for UTF-8, and for what is no text."""
    if content.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        return "UTF-32"
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "UTF-16"
    try:
        codecs.getincrementaldecoder("utf-8")().decode(content)  # the last character may be cut
    except UnicodeDecodeError:
        n_high = sum(byte >= 0x80 for byte in content)
        is_text = len(content) >= _SHORTEST_TEXT and not any(byte in _CONTROL for byte in content)
        if is_text and n_high <= _MOST_HIGH * len(content) and not _UNDEFINED.intersection(content):
            return "Windows-1252"
    return ""


def recognise_tool(head: bytes) -> Recognised | None:
    """Name the tool that wrote a file of objects, from its first bytes; None if it is none of those known here."""
    text = head.removeprefix(_UTF8_BOM).lstrip()
    return next((recognised for beginning, recognised in _OF_TOOLS if re.match(beginning, text)), None)


def _is_wide_ascii(head: bytes, width: int) -> bool:
    """Whether it begins like ASCII characters of *width* bytes each: all zero but for the first one, or the last."""
    n = min(len(head), 64) // width
    zeros = [head[start : n * width : width].count(0) for start in range(width)]
    others = [n] * (width - 1)
    return n > 1 and zeros in ([0, *others], [*others, 0])
