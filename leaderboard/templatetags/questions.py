"""Display of questions: the marks that say which items of a reference an answer has."""

from collections.abc import Sequence
from html import escape
from typing import Any, Final

from django import template
from django.utils.safestring import SafeString, mark_safe

from scoring.analysis.explanations import Piece

register = template.Library()

STEP: Final = 15
"""Pixels from one mark to the next."""
PER_ROW: Final = 10
SQUARE: Final = "M-4.2-4.2h8.4v8.4h-8.4z"
CIRCLE: Final = "M-4.6 0a4.6 4.6 0 1 0 9.2 0a4.6 4.6 0 1 0-9.2 0z"


@register.filter
def marked(pieces: Sequence[Piece], separator: str = "") -> SafeString:
    """The parts of an answer as HTML, with the items of the reference marked. A page has hundreds of parts, for which a
    loop in a template takes most of its time."""
    texts = [f"<mark>{escape(piece.text)}</mark>" if piece.marked else escape(piece.text) for piece in pieces]
    return mark_safe(separator.join(texts))  # noqa: S308 - escaped above


@register.simple_tag
def item_marks(lines: Sequence[Any], outcomes: Sequence[bool]) -> SafeString | str:
    """A picture of the items of a reference, filled where an answer has them: circles for single items and keys, and
    below a key a square for its value. Two rows at most; nothing for references with more or deeper items.

    Args:
        lines: of the reference, each with its ``items``.
        found: whether the answer has each item, in their order.
    """
    sizes = [len(line.items) for line in lines]
    if max(sizes, default=0) > 1:
        if len(sizes) > PER_ROW or max(sizes) > 2:
            return ""
        places = [(column, row) for column, size in enumerate(sizes) for row in range(size)]
        squares = 1
    else:
        if len(sizes) > 2 * PER_ROW:
            return ""
        places = [(place % PER_ROW, place // PER_ROW) for place in range(len(sizes))]
        squares = 2  # no row
    marks = "".join(
        f'<path class="marks__{"found" if is_found else "missing"}" '
        f'transform="translate({STEP * column + 7} {STEP * row + 7})" d="{SQUARE if row == squares else CIRCLE}"/>'
        for (column, row), is_found in zip(places, outcomes, strict=True)
    )
    width = STEP * (1 + max((column for column, _ in places), default=0))
    height = STEP * (1 + max((row for _, row in places), default=0))
    size = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    return mark_safe(f'<svg class="marks" {size} aria-hidden="true">{marks}</svg>')  # noqa: S308 - numbers alone
