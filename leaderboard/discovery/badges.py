"""Badges: small pictures of a result, as SVG."""

from typing import Final

from django.utils.html import escape

LETTER: Final = 6.6
"""The usual width of a letter of a badge, in pixels."""


def drawn_badge(label: str, message: str, title: str) -> str:
    """A badge as SVG: a label and a message side by side.

    Args:
        title: what a screen reader reads, and a browser shows on pointing.
    """
    left, right = (round(LETTER * len(text)) + 20 for text in (label, message))
    halves = ((label, left / 2, left), (message, left + right / 2, right))
    texts = "".join(
        f'<text x="{x:g}" y="14" textLength="{width - 20}" lengthAdjust="spacingAndGlyphs">{escape(text)}</text>'
        for text, x, width in halves
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="20" role="img" '
        f'aria-label="{escape(title)}"><title>{escape(title)}</title>'
        f'<rect width="{left}" height="20" fill="#3b444c"/>'
        f'<rect x="{left}" width="{right}" height="20" fill="#0b5d6b"/>'
        '<g fill="#ffffff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" text-anchor="middle">'
        f"{texts}</g></svg>"
    )
