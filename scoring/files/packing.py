"""The bytes of a file that may be compressed with gzip or Zstandard, block by block and within a limit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from scoring.generations.lines import (
    CUT_OFF,
    DAMAGED,
    MAX_GZIP_MEMBERS,
    BrokenGzipError,
    TooLargeError,
    take_head,
    text_blocks,
)

SUFFIXES: Final = (".gz", ".zst", ".zstd")
_ZSTANDARD: Final = b"\x28\xb5\x2f\xfd"
_MAX_WINDOW: Final = 2**27
_PIECE: Final = 2**10
"""Number of bytes that are decompressed at once: a block of four may stand for 128 KiB."""


def unpacked(blocks: Iterable[bytes], max_bytes: int) -> Iterator[bytes]:
    """The blocks as they are, or decompressed if they begin as gzip or Zstandard does.

    Raises:
        TooLargeError: There are more than ``max_bytes`` bytes.
        BrokenGzipError: The compressed data are cut off, damaged, or in too many parts.
    """
    head, blocks = take_head(blocks, len(_ZSTANDARD))
    return _of_zstandard(blocks, max_bytes) if head.startswith(_ZSTANDARD) else text_blocks(blocks, max_bytes)


def _of_zstandard(blocks: Iterable[bytes], max_bytes: int) -> Iterator[bytes]:
    import zstandard  # only for such files

    decompressor = zstandard.ZstdDecompressor(max_window_size=_MAX_WINDOW)
    frame = None
    n_frames = n_bytes = 0
    try:
        for piece in (block[at : at + _PIECE] for block in blocks for at in range(0, len(block), _PIECE)):
            rest = piece
            while rest:
                if frame is None:
                    frame = decompressor.decompressobj()
                    n_frames += 1
                    if n_frames > MAX_GZIP_MEMBERS:
                        raise BrokenGzipError(f"more than {MAX_GZIP_MEMBERS:,} compressed parts in one file")
                content, rest = frame.decompress(rest), b""
                n_bytes += len(content)
                if n_bytes > max_bytes:
                    raise TooLargeError(decompressed=True)
                if content:
                    yield content
                if frame.eof:
                    rest, frame = frame.unused_data, None
    except zstandard.ZstdError as error:
        raise BrokenGzipError(DAMAGED) from error
    if frame is not None:
        raise BrokenGzipError(CUT_OFF)
