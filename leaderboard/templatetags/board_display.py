"""Display of a board's cells: the value, its interval, its marks. Rounded as in `display`."""

from collections.abc import Callable
from typing import Any

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from leaderboard.templatetags.display import DASH, in_percent, ratio, score, signed_ratio, thousands

register = template.Library()

FUNCTION_CALLING = (("", "Any"), ("yes", "Trained for it"), ("no", "Not trained for it"), ("unknown", "Not stated"))
SOURCES = {"scored": "Scored here", "official": "Official results", "paper": "Paper", "graded": "Graded by hand"}


@register.filter
def localised(value: Any) -> str | SafeString:
    """A whole number in groups of three, in a ``<data>`` element that a script adapts to the reader's locale."""
    text = thousands(value)
    if text == DASH or not isinstance(value, int) or abs(value) < 1000:
        return text
    return format_html('<data value="{}" data-number>{}</data>', value, text)


def _short(value: float, decimals: int) -> str:
    """The number without the leading zero, as in narrow columns of printed tables: ``.412``; in per cent ``41.2``."""
    text = str(score(value, decimals))
    return text[1:] if text.startswith("0.") and not in_percent.get() else text


@register.filter
def two_digits(value: float) -> str:
    """A small difference with two decimals, three below .01: ``.03``, ``.004``."""
    return _short(value, 2 if value >= 0.00995 else 3)


def _under(css: str, seen: str, said: str) -> str:
    shown = f'<span aria-hidden="true">{seen}</span>'
    return f'<span class="{css}">{shown}<span class="visually-hidden">, {said}</span></span>'


@register.filter
def scored(cell: Any) -> SafeString:
    """A cell with a value: the value, bold if it is marked, and below it its interval, the judge's noise, and the value
    corrected with human grades.

    Visual abbreviations are written out for screen readers. A reported value has neither interval nor mark; the
    highest of these is bold.
    """
    decimals = cell.column.decimals
    parts = [str(score(cell))]
    bold = cell.marked or (cell.best and cell.state == "reported")
    if bold:
        said = "best" if cell.best else "not significantly different from the best"
        parts = [f'<strong>{parts[0]}</strong><span class="visually-hidden"> {said}</span>']
    if cell.low is not None and cell.high is not None:
        low, high = score(cell.low, decimals), score(cell.high, decimals)
        seen = f"{_short(cell.low, decimals)}–{_short(cell.high, decimals)}"
        parts.append(_under("interval", seen, f"95 % confidence interval {low} to {high}"))
    if cell.noise is not None:
        parts.append(_noise(cell, decimals))
    if cell.corrected is not None:
        seen = f"corrected {_short(cell.corrected.value, decimals)}"
        low, high = score(cell.corrected.low, decimals), score(cell.corrected.high, decimals)
        said = (
            f"corrected with human grades of {int(cell.corrected.n_graded)} answers: "
            f"{score(cell.corrected.value, decimals)}, 95 % confidence interval {low} to {high}"
        )
        parts.append(_under("interval interval--corrected", seen, said))
    return mark_safe("".join(parts))  # noqa: S308 - made of numbers alone


def _noise(cell: Any, decimals: int) -> str:
    times = "time" if cell.n_repeats == 1 else "times"
    said = f"test–retest variability of the judge {score(cell.noise, decimals)}"
    seen = f"judge ±{_short(cell.noise, decimals)}"
    if cell.noise_low is not None and cell.noise_high is not None:
        low, high = score(cell.noise_low, decimals), score(cell.noise_high, decimals)
        said += f", 95 % confidence interval {low} to {high}"
        seen += f" ({_short(cell.noise_low, decimals)}–{_short(cell.noise_high, decimals)})"
    return _under("interval interval--noise", seen, f"{said}, judged again {int(cell.n_repeats)} {times}")


def _estimated(value: Any, number: Callable[[float], str], short: Callable[[float], str]) -> SafeString:
    if value is None:
        return format_html('<span aria-hidden="true">{}</span><span class="visually-hidden">none</span>', DASH)
    parts = [number(value.value)]
    if value.low is not None:
        low, high = number(value.low), number(value.high)
        seen = (low, high) if short is number else (short(value.low), short(value.high))
        parts.append(_under("interval", f"{seen[0]} – {seen[1]}", f"95 % confidence interval {low} to {high}"))
    return mark_safe("".join(parts))  # noqa: S308 - made of numbers alone


@register.filter
def share_estimate(value: Any) -> SafeString:
    """A share with its interval below it, as in the cells of a board; a dash for none."""
    return _estimated(value, lambda number: str(score(number)), lambda number: _short(number, 2))


@register.filter
def strength_estimate(value: Any) -> SafeString:
    """The same for a logarithm of odds."""
    return _estimated(value, signed_ratio, signed_ratio)


@register.filter
def points_estimate(value: Any) -> SafeString:
    """The same for a score from 0 to 100."""
    return _estimated(value, _one_decimal, _one_decimal)


def _one_decimal(value: float) -> str:
    return ratio(value, 1)


@register.filter
def rank_range(row: Any) -> str:
    """The range of a rank: ``1–4``; ``2–2`` if it is one rank."""
    return f"{row.best_rank}–{row.worst_rank}"


@register.filter
def aria_sort(column: Any) -> str:
    """The direction of a column that is the first sort key: ``ascending``, ``descending`` or ``none``."""
    return column.sorted if column is not None and column.sort_place == 1 else "none"


@register.filter
def function_calling_choices(board: Any) -> tuple[tuple[str, str], ...]:
    """The options of the filter for function calling."""
    del board
    return FUNCTION_CALLING


@register.filter
def source_label(row: Any) -> str:
    """The kind of source of a row's scores, in words."""
    return SOURCES.get(row.evidence, "Reported")


@register.filter
def has_intervals(board: Any) -> bool:
    """Whether any cell on a board has an interval."""
    return any(cell.low is not None for row in getattr(board, "all_rows", ()) for cell in row.cells)


@register.filter
def has_noise(board: Any) -> bool:
    """Whether any cell on a board shows the judge's noise."""
    return any(cell.noise is not None for row in getattr(board, "all_rows", ()) for cell in row.cells)


@register.filter
def has_ranges(board: Any) -> bool:
    """Whether any row on a board has a range of ranks."""
    return any(row.best_rank is not None for row in getattr(board, "all_rows", ()))


@register.filter
def has_ceiling(board: Any) -> bool:
    """Whether the ceiling is shown."""
    return any(row.pinned == "ceiling" for row in getattr(board, "all_rows", ()))
