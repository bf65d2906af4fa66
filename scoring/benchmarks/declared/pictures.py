"""Pictures that questions are about: found in the folder, and recognised by their first bytes alone."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from scoring.benchmarks.declared.context import is_picture
from scoring.benchmarks.declared.files import Files, opened
from scoring.files.mistakes import Mistake, nearest
from scoring.generations.problems import size_in_words

if TYPE_CHECKING:
    from scoring.benchmarks.declared.questions import ReadQuestion

MAX_BYTES: Final = 5 * 2**20
MAX_PIXELS: Final = 40_000_000
TYPES: Final = {"image/png": "png", "image/jpeg": "jpg", "image/webp": "webp"}
"""The types of pictures, each with the ending of its files."""
_PNG: Final = b"\x89PNG\r\n\x1a\n"
_JPEG: Final = b"\xff\xd8\xff"
_JPEG_SIZES: Final = {*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC}
"""The markers of JPEG that a height and a width follow."""
_JPEG_ALONE: Final = {0x01, *range(0xD0, 0xD8)}
"""The markers of JPEG without a length."""
_EXPECTED: Final = f"a picture in PNG, JPEG or WebP of at most {size_in_words(MAX_BYTES)} and {MAX_PIXELS:,} pixels"
_SMALLER: Final = "Make the picture smaller."


class PictureError(ValueError):
    """A file that is no picture which pages show; the message ends the sentence "found …"."""

    def __init__(self, found: str, fix: str = "Save it again as PNG, JPEG or WebP.") -> None:
        """
        Args:
            found: What it is.
            fix: What to do.
        """
        super().__init__(found)
        self.fix = fix


@dataclass(frozen=True, slots=True)
class PictureFile:
    """A picture in a folder."""

    name: str
    """Its path below the folder."""
    sha256: str
    type: str
    """Its media type."""
    width: int
    height: int


def read_header(content: bytes) -> tuple[str, int, int]:
    """The media type, width and height that the beginning of a picture states.

    Raises:
        PictureError: it is of another type, or broken.
    """
    try:
        if content.startswith(_PNG):
            kind, size = "image/png", _png_size(content)
        elif content.startswith(_JPEG):
            kind, size = "image/jpeg", _jpeg_size(content)
        elif content[:4] == b"RIFF" and content[8:12] == b"WEBP":
            kind, size = "image/webp", _webp_size(content)
        else:
            start = content[:1000].lstrip(b"\xef\xbb\xbf \t\r\n")
            raise PictureError("SVG or another text" if start.startswith(b"<") else "a file of another type")
    except IndexError:
        raise PictureError("a picture that breaks off") from None
    if not all(size):
        raise PictureError("a broken picture, without a width or height")
    return kind, *size


def _number(content: bytes, start: int, length: int, order: Any = "big") -> int:
    if start + length > len(content):
        raise IndexError
    return int.from_bytes(content[start : start + length], order)


def _png_size(content: bytes) -> tuple[int, int]:
    if _number(content, 8, 4) != 13 or content[12:16] != b"IHDR":
        raise PictureError("a broken picture, whose header is missing")
    return _number(content, 16, 4), _number(content, 20, 4)


def _jpeg_size(content: bytes) -> tuple[int, int]:
    place = 2
    while True:
        if content[place] != 0xFF:
            raise PictureError("a broken picture, whose parts do not follow each other")
        while content[place] == 0xFF:
            place += 1
        marker = content[place]
        if marker in _JPEG_SIZES:
            return _number(content, place + 6, 2), _number(content, place + 4, 2)
        if marker in (0xD9, 0xDA):  # the end, or data before any size
            raise PictureError("a broken picture, without a width or height")
        place += 1 if marker in _JPEG_ALONE else 1 + max(_number(content, place + 1, 2), 2)


def _webp_size(content: bytes) -> tuple[int, int]:
    kind, start = content[12:16], 20
    if kind == b"VP8X":
        return _number(content, start + 4, 3, "little") + 1, _number(content, start + 7, 3, "little") + 1
    if kind == b"VP8L" and content[start] == 0x2F:
        bits = _number(content, start + 1, 4, "little")
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if kind == b"VP8 " and content[start + 3 : start + 6] == b"\x9d\x01\x2a":
        sizes = _number(content, start + 6, 2, "little"), _number(content, start + 8, 2, "little")
        return sizes[0] & 0x3FFF, sizes[1] & 0x3FFF
    raise PictureError("a broken picture, whose header is missing")


class Pictures:
    """The pictures of a folder, each looked at once."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self._looked_at: dict[str, PictureFile | PictureError] = {}

    @property
    def names(self) -> set[str]:
        """The names that questions have, of files that exist."""
        return {name for name in self._looked_at if name in self._files}

    def __iter__(self) -> Iterator[PictureFile]:
        """The pictures of questions; those with the same content once."""
        found = [picture for picture in self._looked_at.values() if isinstance(picture, PictureFile)]
        return iter({picture.sha256: picture for picture in found}.values())

    def content(self, picture: PictureFile) -> bytes:
        """The bytes of a picture."""
        return self._files[picture.name]

    def look_at(self, name: str) -> PictureFile:
        """A picture.

        Raises:
            PictureError: there is no such file, or it is too large or no picture.
        """
        if name not in self._looked_at:
            try:
                self._looked_at[name] = self._read(name)
            except PictureError as error:
                self._looked_at[name] = error
        picture = self._looked_at[name]
        if isinstance(picture, PictureError):
            raise picture
        return picture

    def _read(self, name: str) -> PictureFile:
        if name not in self._files:
            others = [other for other in self._files if other.endswith((".png", ".jpg", ".jpeg", ".webp"))]
            raise PictureError("a name of no file", nearest(name, others) or "Add the file, or correct its name.")
        with opened(self._files, name) as stream:
            content = stream.read(MAX_BYTES + 1)
        if len(content) > MAX_BYTES:
            raise PictureError("a file that is too large", _SMALLER)
        kind, width, height = read_header(content)
        if width * height > MAX_PIXELS:
            raise PictureError(f"a picture of {width:,} × {height:,} pixels", _SMALLER)
        return PictureFile(name, hashlib.sha256(content).hexdigest(), kind, width, height)


def with_pictures(questions: Sequence[ReadQuestion], pictures: Pictures) -> tuple[list[ReadQuestion], list[Mistake]]:
    """Questions whose pictures are known by their content, with what is wrong with pictures, each named once."""
    mistakes: dict[str, Mistake] = {}
    completed = []
    for read in questions:
        if not any(map(is_picture, read.question.context)):
            completed.append(read)
            continue
        blocks: list[Any] = []
        for block in read.question.context:
            if not is_picture(block):
                blocks.append(block)
                continue
            name = block["picture"]
            try:
                blocks.append(_stored(block, pictures.look_at(name)))
            except PictureError as error:
                mistake = read.place.mistake("context", f"{name!r}, {error}", _EXPECTED, error.fix)
                mistakes.setdefault(name, mistake)
        completed.append(replace(read, question=replace(read.question, context=tuple(blocks))))
    return completed, list(mistakes.values())


def refused_alone(questions: Sequence[ReadQuestion]) -> Iterator[Mistake]:
    """Pictures in a file of questions that is imported without its folder."""
    for read in questions:
        if any(map(is_picture, read.question.context)):
            fix = "Import the folder or archive of the benchmark, which has the pictures."
            yield read.place.mistake("context", "a picture, in a file that is imported alone", "texts and tables", fix)


def _stored(block: Mapping[str, Any], picture: PictureFile) -> dict[str, Any]:
    """A picture as a question keeps it: by the SHA-256 of its content."""
    # In the order in which PostgreSQL returns the keys, because the hash of a revision depends on it.
    return {"alt": block["alt"], "width": picture.width, "height": picture.height, "picture": picture.sha256}
