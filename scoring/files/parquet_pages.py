"""What the pages of a Parquet file say of their sizes, which a reader believes before it unpacks them.

The end of a file states sizes too, and may state others. Only the header of each page is read here, in Thrift's compact
protocol: https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, BinaryIO, Final

_USUAL_HEADER: Final = 2**16
_LONGEST_HEADER: Final = 2**24
"""As long as pyarrow reads; a header has the least and the greatest value of its page."""
_UNPACKED, _PACKED = 2, 3
"""The numbers of the fields with a page's sizes."""
_LARGEST: Final = 2**31 - 1
_DEEPEST: Final = 16


def page_sizes(stream: BinaryIO, column: Any) -> Iterator[int]:
    """The bytes that each page of a column has when it is unpacked, as its header states it.

    Raises:
        ValueError: A header cannot be read, or states an impossible size.
    """
    dictionary = column.dictionary_page_offset or column.data_page_offset
    position = min(column.data_page_offset, dictionary)
    end = position + column.total_compressed_size
    while position < end:
        length, fields = _header(stream, position)
        unpacked, packed = fields.get(_UNPACKED, -1), fields.get(_PACKED, -1)
        if not (0 <= unpacked <= _LARGEST and 0 <= packed <= _LARGEST):  # readers cut other numbers to 32 bits
            raise ValueError("a page without possible sizes")
        yield unpacked
        position += length + packed


def _header(stream: BinaryIO, position: int) -> tuple[int, dict[int, int]]:
    """The length of the header of a page, and its whole numbers by field."""
    for longest in (_USUAL_HEADER, _LONGEST_HEADER):
        stream.seek(position)
        header = _Compact(stream.read(longest))
        try:
            numbers = header.numbers()
            return header.position, numbers
        except IndexError:  # it is longer
            continue
    raise ValueError("a page without a whole header")


class _Compact:
    """A struct in Thrift's compact protocol; reading beyond its bytes is an `IndexError`."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.position = 0

    def numbers(self, depth: int = 0) -> dict[int, int]:
        """The whole numbers by field of the struct at the position, past which it goes. Structs inside are left out.

        Raises:
            ValueError: A field occurs twice: readers differ in which of the two counts.
        """
        numbers: dict[int, int] = {}
        field = 0
        while head := self._byte():
            step, kind = head >> 4, head & 15
            field = field + step if step else self._signed()
            value = self._value(kind, depth)
            if field in numbers:
                raise ValueError("a field that occurs twice")
            if value is not None:
                numbers[field] = value
        return numbers

    def _value(self, kind: int, depth: int) -> int | None:
        """Go past a value of a kind; gives it if it is a whole number."""
        match kind:
            case 1 | 2:  # true and false, of which nothing follows
                return None
            case 3 | 7:
                self._skip(1 if kind == 3 else 8)
            case 4 | 5 | 6:
                return self._signed()
            case 8:
                self._skip(self._unsigned())
            case 12 if depth < _DEEPEST:
                self.numbers(depth + 1)
            case _:  # lists and maps, which take long to read
                raise ValueError("a field of a kind that no page has")
        return None

    def _byte(self) -> int:
        self.position += 1
        return self._data[self.position - 1]

    def _skip(self, length: int) -> None:
        self.position += length
        if self.position > len(self._data):
            raise IndexError

    def _unsigned(self) -> int:
        value = shift = 0
        while (byte := self._byte()) & 128:
            value |= (byte & 127) << shift
            shift += 7
            if shift > 63:
                raise ValueError("a number of more than 64 bits")
        return value | byte << shift

    def _signed(self) -> int:
        value = self._unsigned()
        return (value >> 1) ^ -(value & 1)
