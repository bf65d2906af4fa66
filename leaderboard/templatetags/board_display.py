"""Display of a board's cells: the value, its interval, its marks. Rounded as in `display`."""

from collections.abc import Callable, Sequence
from typing import Any

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from leaderboard.disclosure import rounded_down, rounded_up
from leaderboard.templatetags.display import (
    DASH,
    excerpt,
    high_end,
    in_per_cent,
    low_end,
    ratio,
    score,
    signed_ratio,
    thousands,
)
from leaderboard.templatetags.systems import interval
from scoring.benchmarks import definition_of
from scoring.benchmarks.attributes import FUNCTION_CALLING as ATTRIBUTE
from scoring.benchmarks.names import ON_SUBSET
from scoring.metrics.columns import Column, shown

register = template.Library()
register.filter(in_per_cent)

FUNCTION_CALLING = (("", "Any"), ("yes", "Trained for it"), ("no", "Not trained for it"), ("unknown", "Not stated"))
LONGEST_HEADING = 10
MOST_NAMED = 5
"""Names in a note."""
SOURCES = {"scored": "Scored here", "official": "Official results", "paper": "Paper", "graded": "Graded by hand"}


@register.filter
def localised(value: Any) -> str | SafeString:
    """A whole number in groups of three, in a ``<data>`` element that a script adapts to the reader's locale."""
    text = thousands(value)
    if text == DASH or not isinstance(value, int) or abs(value) < 1000:
        return text
    return format_html('<data value="{}" data-number>{}</data>', value, text)


def _short(text: str, column: Column) -> str:
    """A number for narrow columns: a share of 1 without the zero before its point, as in printed tables: ``.412``."""
    return text[1:] if text.startswith("0.") and column.is_share and not column.percent else text


@register.filter
def directions(columns: Sequence[Column]) -> str:
    """Which scores are better, and their usual range, in a sentence or two."""
    lower = [column.short_label for column in columns if not column.higher_is_better]
    if lower and len(lower) == len(columns):
        better = "Lower scores are better"
    elif lower:
        better = f"Higher scores are better, except in columns with ↓ ({', '.join(dict.fromkeys(lower))})"
    else:
        better = "Higher scores are better"
    if not any(column.bounds == (0.0, 1.0) for column in columns):
        return f"{better}."
    most = "most" if not lower else "shares"
    return f"{better}; {most} range from 0 to {100 if any(column.in_percent for column in columns) else 1}."


@register.filter
def is_impossible(difference: float, column: Column) -> bool:
    """Whether no two numbers of a column can differ so much."""
    return column.width is not None and difference >= column.width


@register.filter
def two_digits(value: float, column: Column) -> str:
    """A small difference with a digit less than scores if it still shows one: ``.03``, ``.004``."""
    return _short(shown(value, column.coarse if value >= 9.95 * 10**-column.digits else column), column)


def _under(css: str, seen: str, said: str) -> str:
    for_eyes = f'<span aria-hidden="true">{seen}</span>'
    return f'<span class="{css}">{for_eyes}<span class="visually-hidden">, {said}</span></span>'


@register.filter
def scored(cell: Any) -> SafeString:
    """A cell with a value: the value, bold if it is marked, and below it its interval.

    Visual abbreviations are written out for screen readers. A reported value has neither interval nor mark; the
    best of these is bold.
    """
    column = cell.column
    parts = [str(score(cell))]
    bold = cell.marked or (cell.best and cell.state == "reported")
    if bold:
        said = "best" if cell.best else "not significantly worse than the best"
        parts = [f'<strong>{parts[0]}</strong><span class="visually-hidden"> {said}</span>']
    if cell.low is not None and cell.high is not None:
        low, high = low_end(cell.low, column), high_end(cell.high, column)
        seen = f"{_short(low, column)}–{_short(high, column)}"
        parts.append(_under("interval", seen, f"95 % confidence interval {low} to {high}"))
    return mark_safe("".join(parts))  # noqa: S308 - made of numbers alone


@register.filter
def chart_rows(figure: Any) -> SafeString:
    """The rows of the table with a chart's data, all at once: there may be a thousand."""
    column = figure.column
    row = '<tr><th scope="row"><a href="{}">{}</a></th>' + 3 * '<td class="number">{}</td>'
    cells = (
        (*(point.url, excerpt(point.name, 60), x), score(point.value, column), interval(point, column), on_front)
        for point, x, on_front in figure.rows
    )
    if not figure.front:
        return format_html_join("\n", row + "</tr>", cells)
    return format_html_join("\n", row + "<td>{}</td></tr>", ((*texts, "yes" if on else "") for *texts, on in cells))


def _estimated(value: Any, number: Callable[[float], str], *, digits: int, brief: Column | None = None) -> SafeString:
    """A value with its interval below it, which is shorter with the column *brief*."""
    if value is None:
        return format_html('<span aria-hidden="true">{}</span><span class="visually-hidden">none</span>', DASH)
    parts = [number(value.value)]
    if value.low is not None:
        low, high = (number(end) for end in (rounded_down(value.low, digits), rounded_up(value.high, digits)))
        seen = low, high
        if brief is not None:
            seen = _short(low_end(value.low, brief), brief), _short(high_end(value.high, brief), brief)
        parts.append(_under("interval", f"{seen[0]} – {seen[1]}", f"95 % confidence interval {low} to {high}"))
    return mark_safe("".join(parts))  # noqa: S308 - made of numbers alone


@register.filter
def share_estimate(value: Any, column: Column) -> SafeString:
    """A score with its interval below it, as in the cells of a board; a dash for none."""
    return _estimated(value, lambda number: shown(number, column), digits=column.digits, brief=column.coarse)


@register.filter
def strength_estimate(value: Any) -> SafeString:
    """A strength (a logarithm of odds) with its interval below it; a dash for none."""
    return _estimated(value, signed_ratio, digits=2)


@register.filter
def points_estimate(value: Any) -> SafeString:
    """A score from 0 to 100 with its interval below it; a dash for none."""
    return _estimated(value, lambda number: ratio(number, 1), digits=1)


@register.filter
def rank_range(best: int | None, worst: int | None) -> str:
    """A range of ranks: ``1–4``; ``2`` if it is one rank, empty if it is unknown."""
    if best is None:
        return ""
    return str(best) if best == worst else f"{best}–{worst}"


@register.filter
def aria_sort(column: Any) -> str:
    """The direction of a column that is the first sort key: ``ascending``, ``descending`` or ``none``."""
    return column.sorted if column is not None and column.sort_place == 1 else "none"


@register.filter
def function_calling_choices(board: Any) -> tuple[tuple[str, str], ...]:
    """The options of the filter for function calling; none if the benchmark does not declare one."""
    attributes = definition_of(board.stored.benchmark.slug).attributes
    declared = {attribute.name for attribute in attributes if attribute.board == "filter"}
    return FUNCTION_CALLING if ATTRIBUTE.name in declared or board.params.function_calling else ()


@register.filter
def source_label(row: Any) -> str:
    """The kind of source of a row's scores, in words."""
    return SOURCES.get(row.evidence, "Reported")


@register.filter
def named_briefly(names: Sequence[str]) -> str:
    """The first names of a list, and how many there are besides."""
    shown_names = ", ".join(excerpt(name, 60) for name in names[:MOST_NAMED])
    return shown_names if len(names) <= MOST_NAMED else f"{shown_names} and {len(names) - MOST_NAMED} more"


@register.filter
def judging_notes(board: Any) -> list[str]:
    """Agreement of human grades with judged scores, in a sentence for each score."""
    notes = []
    for row in board.all_rows if not isinstance(board, dict) else board["all_rows"]:
        for cell in row.cells:
            column, name = cell.column, f"{row.name}, {cell.column.label}"
            if cell.corrected:
                low, high = low_end(cell.corrected.low, column), high_end(cell.corrected.high, column)
                value, graded = shown(cell.corrected.value, column), f"{cell.corrected.n_graded:,} answers"
                notes.append(
                    f"{name}: corrected with human grades of {graded} {value}, 95 % confidence interval {low} to {high}"
                )
    return notes


@register.filter
def heading(column: Column) -> str:
    """The label of a column where there is room for it or it is of a subset, whose short label is that of the split's
    column; otherwise the short one."""
    fits = len(column.label) <= LONGEST_HEADING or ON_SUBSET in column.metric
    return column.label if fits else column.short_label


@register.filter
def references(rows: Sequence[Any]) -> str:
    """The rows that systems are held against, each with its first number, if it has one."""
    known = [(row, row.cells[0]) for row in rows if row.cells and row.cells[0].value is not None]
    texts = [f"{row.name} {score(cell)}{' (reported)' if row.kind == 'reported' else ''}" for row, cell in known]
    return ", ".join(texts or [row.name for row in rows])
