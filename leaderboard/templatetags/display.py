"""Display of values: numbers are rounded, and texts shortened, for readers.

Every filter is safe for user input: it escapes its input, and returns markup only where its docstring says so.
"""

import html
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import repeat
from typing import Any, Final
from urllib.parse import urlsplit

from django import template
from django.forms import BoundField
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.dateparse import parse_date
from django.utils.html import format_html, format_html_join, strip_tags
from django.utils.safestring import SafeString, mark_safe
from django.utils.text import Truncator

from leaderboard.disclosure import rounded_down, rounded_up
from leaderboard.operations.audit import ID
from leaderboard.web.dates import day_in_words, moment_in_words
from scoring import queries
from scoring.benchmarks import definitions
from scoring.importing.revisions import references_in_words
from scoring.metrics.columns import MINUS, Column, shown
from scoring.models import Revision, Split

register = template.Library()

DASH = "—"
IN_PER_CENT = "Scores are in per cent."
SHARES_IN_PER_CENT = "Shares are in per cent."
AUTHORS_SHOWN = 48
"""The number of characters of an author list that fit into a row of the board."""

_HEADING: Final = re.compile(r'<(h2|h3|legend)\b[^>]*?\bid="([^"]+)"[^>]*>(.*?)</\1>', re.DOTALL)
FEWEST_HEADINGS: Final = 3
"""A page with fewer has no table of contents."""


# --- Numbers ------------------------------------------------------------------------------------------------------


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


@register.simple_tag
def score_column(slug: str, score: str) -> Column:
    """The column of a benchmark's score, for parts of a page whose numbers do not come with it."""
    return queries.column_of(slug, score)


def in_per_cent(columns: Sequence[Column]) -> str:
    """A sentence that says which scores are in per cent; empty if none is."""
    if not any(column.in_percent for column in columns):
        return ""
    return IN_PER_CENT if all(column.in_percent for column in columns) else SHARES_IN_PER_CENT


@register.simple_tag
def per_cent_note(of: str | Sequence[Column]) -> SafeString | str:
    """A paragraph that says which of some columns, or of a benchmark by its slug, are in per cent."""
    if isinstance(of, str):
        of = definition.columns if (definition := definitions().get(of)) else ()
    return format_html('<p class="muted small">{}</p>', note) if (note := in_per_cent(of)) else ""


def _fixed(value: float, decimals: int) -> str:
    text = f"{value:.{decimals}f}"
    if text.startswith("-"):
        text = text[1:] if float(text) == 0 else MINUS + text[1:]
    return text


@register.filter
def score(value: Any, column: Column | None = None) -> str | SafeString:
    """A score with the digits of its column (``0.440``), or a dash with the reason why there is none.

    Args:
        value: A number, ``None``, or a cell: anything with ``value`` and, if it has them, ``column`` and ``reason``. A
            number that is not finite counts as none.
        column: The column of a number, or of a cell that does not say it.

    Returns:
        The text of `scoring.metrics.columns.shown`; without a number, markup: a dash for the eye and "not scored: …"
        for a screen reader.
    """
    number = getattr(value, "value", value)
    column = column or getattr(value, "column", None)
    if _is_number(number):
        assert column is not None, "a score is shown with the digits of its column"  # noqa: S101
        return shown(float(number), column)
    reason = str(getattr(value, "reason", "") or "")
    return format_html(
        '<span class="score--none"><span aria-hidden="true">{}</span><span class="visually-hidden">{}</span></span>',
        DASH,
        f"not scored: {reason}" if reason else "not scored",
    )


@register.filter
def low_end(value: float, column: Column) -> str:
    """The lower end of an interval, rounded outwards."""
    return shown(rounded_down(value, column.digits), column)


@register.filter
def high_end(value: float, column: Column) -> str:
    """The upper end likewise."""
    return shown(rounded_up(value, column.digits), column)


register.filter(rounded_down)
register.filter(rounded_up)
# The ends of other intervals are rounded outwards by these before they are shown: {{ share.low|rounded_down|percent }}.


@register.filter
def signed(value: float, column: Column) -> str:
    """A difference of scores with its sign (``+0.012``); without a sign if it rounds to zero."""
    return shown(value, column, signed=True)


@register.filter
def signed_ratio(value: float, decimals: int = 2) -> str:
    """A number that is no score, such as a correlation, with its sign; in the same form on every page."""
    text = _fixed(value, decimals)
    return f"+{text}" if value > 0 and float(text) != 0 else text


@register.filter
def ratio(value: float | None, decimals: int = 2) -> str:
    """A number that is no score, such as r², in the same form on every page, or a dash if there is none."""
    return DASH if value is None else _fixed(value, decimals)


@register.filter
def percent(share: float | None, decimals: int = 1) -> str:
    """A share of 1 as a percentage: ``12.5 %``; a dash if there is none."""
    return DASH if share is None else f"{_fixed(100 * share, decimals)} %"


@register.filter
def thousands(value: Any) -> str:
    """A whole number in groups of three (``128,000``), or a dash if there is none."""
    if isinstance(value, str):
        return f"{int(value):,}" if value.isdecimal() else value
    if not _is_number(value):
        return DASH
    return f"{int(value):,}".replace("-", MINUS)


@register.filter
def filesize(value: Any) -> str:
    """A number of bytes in the largest binary unit that leaves at least one (``1.4 MiB``, ``812 bytes``)."""
    if not _is_number(value) or value < 0:
        return DASH
    size = float(value)
    if size < 1024:
        return f"{int(size)} byte" if int(size) == 1 else f"{int(size)} bytes"
    for unit in ("KiB", "MiB", "GiB", "TiB"):
        size /= 1024
        # 1023.95 KiB would be displayed as 1024.0 KiB: use the next unit
        if round(size, 1) < 1024 or unit == "TiB":
            break
    return f"{size:.0f} {unit}" if size == int(size) else f"{size:.1f} {unit}"


@register.filter
def duration(value: Any) -> str:
    """A span of time, given as seconds or a ``timedelta``, in its two largest units (``1 min 5 s``)."""
    seconds = value.total_seconds() if isinstance(value, timedelta) else value
    if not _is_number(seconds) or seconds < 0:
        return DASH
    if seconds < 1:
        return "under 1 s"
    if seconds < 10:
        return f"{math.floor(seconds * 10) / 10:.1f} s"
    whole = int(seconds)
    units = (("d", 86_400), ("h", 3_600), ("min", 60), ("s", 1))
    parts = [
        (whole // size if name == "d" else whole % (larger or 1) // size, name)
        for (name, size), larger in zip(units, (None, 86_400, 3_600, 60), strict=True)
    ]
    first = next(position for position, (count, _) in enumerate(parts) if count)
    return " ".join(f"{count} {name}" for count, name in parts[first : first + 2] if count)


@register.filter
def roughly(value: Any) -> str:
    """Seconds as an estimate: ``under a minute``, ``about 4 min``, ``about 2 h``, ``about 3 days``."""
    if not _is_number(value) or value < 0:
        return DASH
    if value < 50:
        return "under a minute"
    for unit, size, until in (("min", 60, 90 * 60), ("h", 3_600, 36 * 3_600)):
        if value < until:
            return f"about {max(math.floor(value / size + 0.5), 1):,} {unit}"
    return f"about {math.floor(value / 86_400 + 0.5):,} days"


# --- Time ---------------------------------------------------------------------------------------------------------


@register.filter
def moment(value: Any) -> str | SafeString:
    """A point in time as a ``<time>`` element, in the site's zone, which a script converts to the reader's zone."""
    if not isinstance(value, datetime):
        return DASH
    aware = value if timezone.is_aware(value) else timezone.make_aware(value)
    return format_html(
        '<time datetime="{}" data-local>{}</time>',
        aware.astimezone(UTC).isoformat(timespec="seconds"),
        moment_in_words(aware),
    )


@register.filter
def day(value: Any) -> str | SafeString:
    """A date, or its ISO text, as a ``<time>`` element (``14 Jul 2026``); without a zone, so no script changes it."""
    if isinstance(value, str) and value:
        value = parse_date(value)
    if not hasattr(value, "isoformat"):
        return DASH
    if isinstance(value, datetime) and timezone.is_aware(value):
        value = timezone.localtime(value)
    return format_html('<time datetime="{}">{}</time>', value.isoformat()[:10], day_in_words(value))


# --- Text ---------------------------------------------------------------------------------------------------------


@register.filter
def authors_brief(value: Any, length: int = AUTHORS_SHOWN) -> str:
    """An author list cut after the last whole name that fits ``length`` characters, with "et al."."""
    text = " ".join(str(value or "").split())
    if len(text) <= length:
        return text
    head = text[: length + 1]
    cut = head.rfind(",")
    return f"{head[:cut].rstrip(', ')} et al." if cut > 0 else excerpt(text, length)


@register.filter
def byline(authors: Any, citation: Any) -> str:
    """Authors and citation in one short line; the citation alone if it begins with the authors."""
    names, cited = authors_brief(authors), excerpt(citation, 60)
    if not names or cited.casefold().startswith(names.casefold()):
        return cited
    return f"{names} · {cited}" if cited else names


@register.filter
def excerpt(value: Any, length: int = 120) -> str:
    """The beginning of a text with an ellipsis: at most ``length`` characters, cut between words where it can be."""
    text = " ".join(str(value or "").split())
    if len(text) <= length:
        return text
    cut = text[:length].rfind(" ")
    return Truncator(text).chars(length) if cut < length // 2 else text[:cut].rstrip(" ,;:") + "…"


@register.filter
def breakable(value: Any) -> SafeString:
    """Escaped text in which a line may break after ``|``, ``@``, ``/`` and ``_``: signatures, hashes, file names."""
    pieces = re.split(r"(?<=[|@/_])(?=.)", str(value or ""))
    return format_html_join(mark_safe("<wbr>"), "{}", ((piece,) for piece in pieces))


@register.filter
def with_names(text: str, named: Mapping[str, tuple[str, str]]) -> SafeString:
    """Escaped text with names in place of the ids in *named*, each a link where it has an address."""
    parts = [named.get(piece, (piece, "")) for piece in re.split(f"({ID.pattern})", text)]
    links = (format_html('<a href="{}">{}</a>', url, name) if url else name for name, url in parts)
    return format_html_join("", "{}", ((link,) for link in links))


@register.filter
def first_sentence(value: Any, length: int = 130) -> str:
    """The first sentence of a text, cut if it is long."""
    return excerpt(re.split(r"(?<=[.!?])\s", str(value or "").strip(), maxsplit=1)[0], length)


@register.filter
def web_url(value: Any) -> str:
    """The URL if it is http or https, otherwise an empty string: a URL from user input may be a script."""
    text = str(value or "").strip()
    try:
        parts = urlsplit(text)
    except ValueError:
        return ""
    return text if parts.scheme in ("http", "https") and parts.netloc else ""


@register.filter
def host(value: Any) -> str:
    """The host of a web address, without ``www.``, to show where a link leads."""
    text = web_url(value)
    return (urlsplit(text).hostname or "").removeprefix("www.") if text else ""


@register.filter
def with_columns(values: Sequence[Any], columns: Sequence[Column] | Column) -> list[tuple[Any, Column]]:
    """Each value with its column; *columns* is a single one if all values are of one."""
    return list(zip(values, repeat(columns) if isinstance(columns, Column) else columns, strict=False))


# --- The board ----------------------------------------------------------------------------------------------------


@register.filter
def item(mapping: Mapping[Any, Any] | None, key: Any) -> Any:
    """The value of a key that is a variable itself, or None."""
    return mapping.get(key) if mapping else None


@register.filter
def gap_reasons(cells: Iterable[Any]) -> list[tuple[str, str]]:
    """Why cells have no comparable number: each reason once, after the labels of its columns."""
    labels: dict[str, list[str]] = {}
    for cell in cells:
        if cell.value is None and cell.reason:
            labels.setdefault(cell.reason, []).append(cell.column.label)
    return [(", ".join(names), reason) for reason, names in labels.items()]


@register.filter
def minus(value: int, other: int) -> int:
    """The difference of two counts."""
    return value - other


@register.filter
def references_of(split: Split, revision: Revision) -> str:
    """Whether a revision of a split has the reference answers that are needed: complete, missing, or not needed."""
    return references_in_words(split, revision)


@register.filter
def uncut(field: BoundField | str) -> BoundField | str:
    """A form's field without the attribute that has browsers cut what is pasted, without a word; the form says what is
    too long. An empty text, which templates have for a field that the form lacks, stays one."""
    if isinstance(field, BoundField):
        field.field.widget.attrs.pop("maxlength", None)
    return field


@register.inclusion_tag("components/report.html")
def report(text: str, *, anchor: str, label: str, level: int = 3, body: str = "") -> dict[str, Any]:
    """Markdown that somebody else wrote: its table of contents if it is long, the text as sanitised HTML, and as sent.

    Args:
        anchor: the beginning of its ids, different for each text of a page; nothing that tells a blind reader whose.
        label: whose text it is, for screen readers.
        level: of its highest headings.
        body: the id of the element with the formatted text; empty for none.
    """
    from leaderboard.web.markdown import read  # its parser is made when a page first needs it

    return {"report": read(text, anchor, level), "label": label, "body": body}


# --- Long pages ----------------------------------------------------------------------------------------------------


@register.simple_block_tag(end_name="contents_end")  # djlint would indent what is before an "endcontents"
def contents(content: str) -> SafeString:
    """The content of a long page below its table of contents: headings and legends that have an id, and below each the
    smaller headings that have one."""
    headings: list[dict[str, Any]] = []
    for tag, anchor, markup in _HEADING.findall(content):
        heading = {"anchor": anchor, "label": html.unescape(" ".join(strip_tags(markup).split())), "parts": []}
        (headings[-1]["parts"] if tag == "h3" and headings else headings).append(heading)
    shown = len(headings) >= FEWEST_HEADINGS
    return mark_safe((render_to_string("components/contents.html", {"headings": headings}) if shown else "") + content)  # noqa: S308
