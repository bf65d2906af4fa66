"""The bytes of a log, within bounds: a text (plain or gzip), or the entries of a ZIP archive.

The standard library reads no Zstandard in archives before Python 3.14, so the central directory is read here. Nothing
that an archive says of its own sizes is believed: each entry is decompressed up to a bound, and its checksum compared.
"""

from __future__ import annotations

import io
import os
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO, Final

from scoring.generations.lines import BrokenGzipError, ByteSource, TooLargeError, text_blocks
from scoring.generations.problems import quote, size_in_words
from scoring.logs.log import LogError

ZIP: Final = b"PK\x03\x04"
STORED, DEFLATED, ZSTANDARD = 0, 8, 93
_ENCRYPTED: Final = 1
"""The flag of such an entry."""
_LOCAL: Final = struct.Struct("<4s5H3L2H")
_CENTRAL: Final = struct.Struct("<4s6H3L5H2L")
_END: Final = struct.Struct("<4s4H2LH")
_LONGEST_COMMENT: Final = 2**16
_SMALL: Final = 2**20
"""The size up to which any ratio is accepted."""
_MAX_WINDOW: Final = 2**27
_BLOCK: Final = 2**16
AGAIN: Final = "write or copy the log again"


@dataclass(frozen=True)
class Bounds:
    """How much of a log is read: its bytes, all its text after decompression, the entries of an archive, how many times
    its compressed size an entry may have, the text of an entry, and the lists, objects and texts in a text or entry,
    which take more memory than their bytes."""

    max_bytes: int = 4 * 2**30
    max_text_bytes: int = 2 * 2**30
    max_entries: int = 200_000
    max_ratio: int = 1_000
    max_entry_bytes: int = 2**30
    max_values: int = 10**8


def read_text(stream: BinaryIO, bounds: Bounds) -> bytes:
    """The text of a file, decompressed if it is gzip; raises LogError if it is damaged or too large."""
    try:
        content = b"".join(text_blocks(ByteSource(stream, bounds.max_bytes), bounds.max_text_bytes))
    except BrokenGzipError as error:
        raise LogError(f"File: found {error}, expected gzip or text; {AGAIN}.") from None
    except TooLargeError as error:
        limit = bounds.max_text_bytes if error.decompressed else bounds.max_bytes
        raise _too_large("File", limit) from None
    return _checked(content, bounds, "File")


def _checked(content: bytes, bounds: Bounds, place: str) -> bytes:
    if content.count(b"{") + content.count(b"[") + content.count(b'"') // 2 > bounds.max_values:
        raise LogError(f"{place}: found more than {bounds.max_values:,} values, expected fewer; choose a smaller log.")
    return content


def _too_large(place: str, limit: int) -> LogError:
    return LogError(f"{place}: found more than {size_in_words(limit)}, expected at most that; choose a smaller log.")


class Archive:
    """A ZIP archive: the names of its entries in order, and their content."""

    def __init__(self, stream: BinaryIO, bounds: Bounds) -> None:
        """Read the central directory; raises LogError if there is none, or it has too many entries."""
        self._stream = stream
        self._left = bounds.max_text_bytes
        self._bounds = bounds
        self._end = stream.seek(0, os.SEEK_END)
        if self._end > bounds.max_bytes:
            raise _too_large("File", bounds.max_bytes)
        stream.seek(max(0, self._end - _END.size - _LONGEST_COMMENT))
        tail = stream.read()
        at = tail.rfind(b"PK\x05\x06")
        if at < 0 or len(tail) - at < _END.size:
            raise LogError(f"File: found an archive that breaks off before its end, expected a complete log; {AGAIN}.")
        _, _, _, _, n_entries, size, offset, _ = _END.unpack_from(tail, at)
        if n_entries > bounds.max_entries or size > self._end or offset + size > self._end:
            raise _damaged("File", "a directory that does not fit into the archive")
        stream.seek(offset)
        content = stream.read(size)
        at = 0
        self._entries: dict[str, tuple[int, int, int, int, int]] = {}
        for _ in range(n_entries):
            if len(content) - at < _CENTRAL.size or not content.startswith(b"PK\x01\x02", at):
                raise _damaged("File", "a directory that breaks off")
            _, _, _, flags, method, _, _, crc, packed, _, n_name, n_extra, n_comment, _, _, _, offset = (
                _CENTRAL.unpack_from(content, at)
            )
            at += _CENTRAL.size
            name = content[at : at + n_name].decode(errors="replace")
            at += n_name + n_extra + n_comment
            self._entries[name] = flags, method, crc, packed, offset

    @property
    def names(self) -> list[str]:
        """The names of the entries."""
        return list(self._entries)

    def read(self, name: str) -> bytes:
        """The content of an entry; raises LogError if it is damaged, too large, or compressed in an unknown way."""
        flags, method, crc, size, offset = self._entries[name]
        place = f"Entry {quote(name)}"
        self._stream.seek(offset)
        local = self._stream.read(_LOCAL.size)
        if len(local) < _LOCAL.size or not local.startswith(ZIP) or offset + size > self._end:
            raise _damaged(place, "no entry where the directory says")
        *_, n_name, n_extra = _LOCAL.unpack(local)
        self._stream.seek(n_name + n_extra, os.SEEK_CUR)
        packed = self._stream.read(size)
        most = min(self._left, self._bounds.max_entry_bytes)
        limit = min(most, max(_SMALL, self._bounds.max_ratio * len(packed)))
        content = bytearray()
        for block in _unpacked(packed, flags, method, limit, place):
            content += block
            if len(content) > limit:
                if limit == most:
                    raise _too_large(*((place, most) if most < self._left else ("File", self._bounds.max_text_bytes)))
                actual = f"more than {self._bounds.max_ratio:,} times its compressed size"
                raise LogError(f"{place}: found {actual}, expected a log; choose another file.")
        if zlib.crc32(content) != crc:
            raise _damaged(place, "content that its checksum does not fit")
        self._left -= len(content)
        return _checked(bytes(content), self._bounds, place)


def _damaged(place: str, actual: str) -> LogError:
    return LogError(f"{place}: found {actual}, expected an undamaged log; {AGAIN}.")


def _unpacked(packed: bytes, flags: int, method: int, limit: int, place: str) -> Iterator[bytes]:
    if flags & _ENCRYPTED or method not in (STORED, DEFLATED, ZSTANDARD):
        actual = "an encrypted entry" if flags & _ENCRYPTED else f"the compression method {method}"
        raise LogError(f"{place}: found {actual}, expected Zstandard, Deflate or none; choose a log as it was written.")
    if method == STORED:
        yield packed
    elif method == DEFLATED:
        try:
            yield zlib.decompressobj(-zlib.MAX_WBITS).decompress(packed, limit + 1)
        except zlib.error:
            raise _damaged(place, "damaged compressed data") from None
    else:
        import zstandard  # only for these archives

        reader = zstandard.ZstdDecompressor(max_window_size=_MAX_WINDOW).stream_reader(
            io.BytesIO(packed), read_across_frames=True
        )
        try:
            while block := reader.read(_BLOCK):
                yield block
        except zstandard.ZstdError:
            raise _damaged(place, "damaged compressed data") from None
