"""Display of systems and comparisons: intervals as strips, p-values, ranks over time. Like `display`, it rounds."""

from collections.abc import Sequence
from typing import Any

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from leaderboard.disclosure import P_BOUNDS, rounded_down, rounded_up
from leaderboard.templatetags.display import DASH, high_end, low_end, ratio, signed, signed_ratio
from scoring.metrics.columns import Column

register = template.Library()

SMALLEST_P = 0.0001
CHART_WIDTH, CHART_HEIGHT = 600, 120
CHART_MARGIN = 8


def p_value(value: float, *, bounded: bool = False) -> str:
    """A p-value with four decimals; a smaller one as ``< 0.0001``, and an upper bound as ``< 0.05`` or *not
    significant*."""
    if bounded:
        return f"< {value:g}" if value < P_BOUNDS[-1] else "not significant"
    return f"< {SMALLEST_P:.4f}" if value < SMALLEST_P else f"{value:.4f}"


@register.filter
def p_of(difference: Any) -> str:
    """The p-value of a difference, which its interval agrees with."""
    return p_value(difference.p_value, bounded=difference.bounded)


@register.filter
def corrected_p_of(difference: Any) -> str:
    """The p-value of a difference, corrected for the number of those compared in the score."""
    return p_value(difference.corrected, bounded=difference.bounded)


@register.filter
def rounds_otherwise(comparison: Any) -> bool:
    """Whether a comparison shows a difference that is not that of the two scores beside it, since each of the three is
    rounded. People's scores do not count: their differences are over the questions that they answered."""
    numbers = [
        (section.column, section.values[one.first], section.values[one.second], one)
        for section in comparison.sections
        for one in section.differences.differences
        if not one.clustered
    ]
    if not comparison.clustered:
        for row in comparison.categories:
            pairs = zip(row.values[1:], row.differences, strict=True)
            numbers += [(comparison.current.column, row.values[0], value, one) for value, one in pairs]

    def places(value: float, column: Column) -> int:
        return round(value * 10.0**column.digits)

    return any(
        places(first.value, column) - places(second.value, column) != places(difference.value, column)
        for column, first, second, difference in numbers
        if None not in (value and value.value for value in (first, second, difference))
    )


@register.filter
def interval(value: Any, column: Column | None = None) -> str:
    """The ends of an interval (``0.481 to 0.537``), rounded outwards, or a dash if there is none; of a cell, or with
    the column of the scores."""
    if value is None or value.low is None:
        return DASH
    column = column or value.column
    return f"{low_end(value.low, column)} to {high_end(value.high, column)}"


@register.filter
def signed_interval(value: Any, column: Column) -> str:
    """The ends of a difference's interval with their signs, or a dash if there is none."""
    if value is None or value.low is None:
        return DASH
    low, high = rounded_down(value.low, column.digits), rounded_up(value.high, column.digits)
    return f"{signed(low, column)} to {signed(high, column)}"


@register.filter
def ratio_interval(value: Any) -> str:
    """The ends of the interval of a number that is no score, such as an agreement, or a dash if there is none."""
    if value is None or value.low is None:
        return DASH
    return f"{ratio(rounded_down(value.low), 3)} to {ratio(rounded_up(value.high), 3)}"


@register.filter
def signed_ratio_interval(value: Any) -> str:
    """An interval of ratios with signs."""
    if value is None or value.low is None:
        return DASH
    return f"{signed_ratio(rounded_down(value.low), 3)} to {signed_ratio(rounded_up(value.high), 3)}"


@register.filter
def whole(value: float) -> str:
    """A number without its fraction, in groups of three."""
    return f"{value:,.0f}"


@register.simple_tag
def difference_strip(difference: Any, reach: float) -> SafeString | str:
    """A difference and its interval on a line from -*reach* to *reach*, with a mark at 0."""
    if difference is None or difference.value is None:
        return ""
    reach = reach or 1.0

    def at(number: float) -> str:
        return f"{min(max((number + reach) / (2 * reach), 0.0), 1.0) * 116 + 2:.1f}"

    parts = [
        mark_safe('<line class="strip__axis" x1="2" x2="118" y1="8" y2="8"/>'),
        format_html('<line class="strip__zero" x1="{0}" x2="{0}" y1="1" y2="15"/>', at(0.0)),
    ]
    if difference.low is not None and difference.high is not None:
        ends = at(difference.low), at(difference.high)
        parts.append(format_html('<line class="strip__range" x1="{}" x2="{}" y1="8" y2="8"/>', *ends))
    parts.append(format_html('<circle class="strip__value" cx="{}" cy="8" r="3.2"/>', at(difference.value)))
    return format_html(
        '<svg class="strip" viewBox="0 0 120 16" width="120" height="16" aria-hidden="true" focusable="false">{}</svg>',
        format_html_join("", "{}", ((part,) for part in parts)),
    )


@register.filter
def reach(values: Sequence[Any]) -> float:
    """The largest distance of an end of the differences' intervals from 0."""
    ends = [
        abs(end)
        for value in values
        if value and value.value is not None
        for end in (value.value, value.low, value.high)
        if end
    ]
    return max(ends, default=1.0)


@register.simple_tag
def rank_chart(history: Sequence[Any]) -> SafeString | str:
    """A system's rank over time as steps, rank 1 on top; empty if it never changed. Its table has the same data."""
    if len({point.rank for point in history}) < 2:
        return ""
    first: float = history[0].at.timestamp()
    last: float = history[-1].at.timestamp()
    span = (last - first) or 1.0
    lowest = max(point.rank or 1 for point in history)

    def x(moment: float) -> float:
        return CHART_MARGIN + (CHART_WIDTH - 4 * CHART_MARGIN) * (moment - first) / span

    def y(rank: int) -> float:
        return CHART_MARGIN + (CHART_HEIGHT - 2 * CHART_MARGIN) * ((rank - 1) / (lowest - 1) if lowest > 1 else 0.5)

    path: list[str] = []
    dots: list[SafeString] = []
    drawing = False
    for index, point in enumerate(history):
        here = x(point.at.timestamp())
        if drawing:
            path.append(f"H{here:.1f}")
        drawing = point.rank is not None
        if point.rank is not None:
            was = history[index - 1].rank if index else None
            path.append(f"{'V' if was is not None else f'M{here:.1f},'}{y(point.rank):.1f}")
            dots.append(
                format_html('<circle class="rank-chart__dot" cx="{}" cy="{}" r="3"/>', f"{here:.1f}", y(point.rank))
            )
    if drawing:
        path.append(f"H{CHART_WIDTH - CHART_MARGIN}")
    return format_html(
        '<svg class="rank-chart" viewBox="0 0 {} {}" aria-hidden="true" focusable="false">'
        '<path class="rank-chart__line" d="{}"/>{}</svg>',
        CHART_WIDTH,
        CHART_HEIGHT,
        mark_safe("".join(path)),  # noqa: S308 - numbers alone
        format_html_join("", "{}", ((dot,) for dot in dots)),
    )
