"""Pictures: previews of pages as PNG, which other sites show beside a link, and badges as SVG."""

import base64
import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from django.conf import settings
from django.utils.html import escape

from leaderboard.templatetags.display import excerpt
from leaderboard.web.cache import records_of, store_records
from leaderboard.web.svg import png_of

WIDTH, HEIGHT = 1200, 630
"""As Open Graph recommends."""
DAY: Final = 86_400
TITLE_LINE: Final = 38
"""Letters of a title that fit a line."""
MOST_TITLE_LINES: Final = 3
LINE: Final = 62
MOST_LINES: Final = 4
LETTER: Final = 6.6
"""The usual width of a letter of a badge, in pixels."""
VERSION: Final = 1
"""Incremented when the same words give another picture."""


def preview(heading: str, title: str, lines: Sequence[str]) -> bytes:
    """A picture of a page, as PNG; from the cache if it was drawn in the last day.

    Args:
        heading: above the title: where the page is.
        title: in large letters.
        lines: below it; what does not fit is left out.
    """
    words = [settings.SITE_NAME, excerpt(heading, LINE), *_wrapped(title), "", *(excerpt(line, LINE) for line in lines)]
    key = f"preview:{VERSION}:{hashlib.sha256(repr(words).encode()).hexdigest()}"
    cached = records_of([key], bytes)
    if key in cached:
        return cached[key]
    texts = [(116, 92, 34, 600, "#1a1f24", settings.SITE_NAME), (64, 178, 30, 400, "#515a63", excerpt(heading, LINE))]
    at = 250
    for line in _wrapped(title):
        texts.append((64, at, 54, 600, "#1a1f24", line))
        at += 62
    at += 8
    for line in lines[:MOST_LINES]:
        texts.append((64, at, 32, 400, "#1a1f24", excerpt(line, LINE)))
        at += 46
    drawn = "".join(
        f'<text x="{x}" y="{y}" font-size="{size}" font-weight="{weight}" fill="{colour}">{escape(text)}</text>'
        for x, y, size, weight, colour, text in texts
        if y < HEIGHT - 24
    )
    logo = base64.b64encode(Path(settings.BASE_DIR, "static/img/favicon.svg").read_bytes()).decode()
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" font-family="IBM Plex Sans">'
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fbfaf7"/><rect width="{WIDTH}" height="12" fill="#0b5d6b"/>'
        f'<image x="64" y="60" width="40" height="40" href="data:image/svg+xml;base64,{logo}"/>{drawn}</svg>'
    )
    picture = png_of(svg.encode(), zoom=1)
    store_records({key: picture}, DAY)
    return picture


def _wrapped(title: str) -> list[str]:
    """A title in lines."""
    lines: list[str] = [""]
    for word in excerpt(title, TITLE_LINE * MOST_TITLE_LINES - 10).split():
        part = excerpt(word, TITLE_LINE)
        if lines[-1] and len(lines[-1]) + 1 + len(part) > TITLE_LINE:
            lines.append("")
        lines[-1] = f"{lines[-1]} {part}".strip()
    return lines[:MOST_TITLE_LINES]


def badge(label: str, message: str, title: str) -> str:
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
