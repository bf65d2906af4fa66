"""Small pictures made by hand, and the table's row of one."""

from __future__ import annotations

import hashlib
import struct
import zlib

from django.core.files.base import ContentFile

from scoring.models import Picture, Split


def png(width: int = 3, height: int = 2, colour: tuple[int, int, int] = (40, 80, 160)) -> bytes:
    """A picture of one colour."""
    rows = (b"\0" + bytes(colour) * width) * height
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    parts = ((b"IHDR", header), (b"IDAT", zlib.compress(rows)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
        for kind, content in parts
    )


def jpeg(width: int, height: int) -> bytes:
    """The beginning of a JPEG, with a comment before its size."""
    comment = b"\xff\xfe" + struct.pack(">H", 9) + b"\xff\xc0made"
    return b"\xff\xd8" + comment + b"\xff\xff\xc2" + struct.pack(">HBHHB", 8, 8, height, width, 0) + b"\xff\xd9"


def webp(kind: bytes, content: bytes) -> bytes:
    """A WebP with one part."""
    body = b"WEBP" + kind + struct.pack("<I", len(content)) + content
    return b"RIFF" + struct.pack("<I", len(body)) + body


def stored(split: Split) -> Picture:
    """A picture of the site, of a question of a split."""
    content = png()
    picture = Picture(sha256=hashlib.sha256(content).hexdigest(), type="image/png")
    picture.file.save("", ContentFile(content))
    picture.splits.add(split)
    return picture
