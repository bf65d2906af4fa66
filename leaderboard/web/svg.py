"""Drawings that the server makes as SVG: scales with round ticks, and marks that pages style by their classes.

A page gets an element whose colours come from its style sheets, light or dark; a file gets the same marks with the
light colours written into them. No mark has a `style` attribute, which the site's Content-Security-Policy forbids.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

INK: Final = {"fill": "#515a63"}
ACCENT: Final = "#0b5d6b"
QUIET: Final = "#6b7780"
PAINT: Final[Mapping[str, Mapping[str, str]]] = {
    "grid": {"stroke": "#e3dfd6"},
    "axis": {"stroke": "#656c74"},
    "label": INK,
    "name": {"fill": "#1a1f24", "paint-order": "stroke", "stroke": "#ffffff", "stroke-width": "3"},
    "name name--quiet": INK | {"paint-order": "stroke", "stroke": "#ffffff", "stroke-width": "3"},
    "front": {"fill": "none", "stroke": ACCENT, "stroke-width": "1.5"},
    "fit": {"fill": "none", "stroke": QUIET, "stroke-width": "1.5", "stroke-dasharray": "5 4"},
    "human": {"stroke": "#a06a00", "stroke-width": "1.5"},
    "human-name": {"fill": "#6d4a00"},
    "interval": {"stroke": QUIET, "stroke-width": "1.5"},
    "interval interval--front": {"stroke": ACCENT, "stroke-width": "1.5"},
    "dot": {"fill": QUIET},
    "dot dot--front": {"fill": ACCENT},
    "hollow": {"fill": "#ffffff", "stroke": QUIET, "stroke-width": "1.5"},
    "cell": {"fill": ACCENT},
    "name--cell": {"fill": "#1a1f24"},
}
"""The light colours of the classes of marks, for files."""


@dataclass(frozen=True)
class Scale:
    """Maps numbers of an axis to pixels."""

    low: float
    high: float
    start: float
    """The place of ``low``, in pixels."""
    end: float
    is_log: bool = False

    def at(self, value: float) -> float:
        """The place of a number; of one beyond the ends, the nearer end."""
        low, high = self.low, self.high
        if self.is_log:
            low, high, value = map(math.log, (low, high, max(value, low)))
        share = (value - low) / (high - low) if high > low else 0.5
        return self.start + (self.end - self.start) * min(max(share, 0.0), 1.0)

    @property
    def ticks(self) -> list[float]:
        """Round numbers on the axis: on a logarithmic one powers of ten, with their doubles and fives if these are
        few."""
        if not self.is_log:
            return round_ticks(self.low, self.high)
        powers = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
        for steps in ((1,), (1, 3), (1, 2, 5)):
            ticks = [step * 10.0**power for power in powers for step in steps]
            ticks = [tick for tick in ticks if self.low <= tick * 1.000001 and tick <= self.high * 1.000001]
            if len(ticks) >= 3:
                break
        return ticks


def round_ticks(low: float, high: float, most: int = 5) -> list[float]:
    """At most *most* round numbers, evenly spaced, from *low* to *high*.

    >>> round_ticks(0, 0.71), round_ticks(12, 14), round_ticks(0, 49)
    ([0.0, 0.2, 0.4, 0.6], [12.0, 12.5, 13.0, 13.5, 14.0], [0.0, 20.0, 40.0])
    """
    if high <= low:
        return [low]
    rough = (high - low) / most
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(
        step for step in (power, 2 * power, 5 * power, 10 * power, 20 * power) if (high - low) / step <= most - 1 + 1e-9
    )
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [round(number * step, 12) for number in range(first, last + 1)]


def tick_label(value: float) -> str:
    """A tick's number without digits that say nothing.

    >>> [tick_label(value) for value in (0.0, 0.2, 10.0, 2500.0)]
    ['0', '0.2', '10', '2,500']
    """
    return f"{value:,.6g}" if abs(value) < 1e5 else f"{value:,.0f}"


@dataclass
class Drawing:
    """Marks in the order in which they are drawn."""

    width: float
    height: float
    marks: list[tuple[str, str, dict[str, object], str]] = field(default_factory=list)
    """Tag, classes, attributes, text."""

    def line(self, css: str, x1: float, y1: float, x2: float, y2: float) -> None:
        self.marks.append(("line", css, {"x1": x1, "y1": y1, "x2": x2, "y2": y2}, ""))

    def circle(self, css: str, x: float, y: float, radius: float) -> None:
        self.marks.append(("circle", css, {"cx": x, "cy": y, "r": radius}, ""))

    def rectangle(self, css: str, x: float, y: float, width: float, height: float, **more: object) -> None:
        self.marks.append(("rect", css, {"x": x, "y": y, "width": width, "height": height, **more}, ""))

    def path(self, css: str, commands: str) -> None:
        """A line with several points."""
        self.marks.append(("path", css, {"d": commands}, ""))

    def text(self, css: str, x: float, y: float, text: str, anchor: str = "start", *, rotate: str = "") -> None:
        """A label whose baseline is at *y*."""
        at: dict[str, object] = {"x": x, "y": y}
        at |= {} if anchor == "start" else {"text-anchor": anchor}
        self.marks.append(("text", css, at | ({"transform": rotate} if rotate else {}), text))

    def element(self, css: str, description: str = "", name: str = "") -> SafeString:
        """The drawing for a page: hidden from screen readers, or, with a description, an image that has it."""
        about = 'aria-hidden="true" focusable="false"'
        if description:
            about = f'role="img" aria-label="{escape(name)}"'
        size = "" if description else f' width="{_number(self.width)}" height="{_number(self.height)}"'
        inside = f"<desc>{escape(description)}</desc>" if description else ""
        return mark_safe(  # noqa: S308 - numbers, classes and escaped texts
            f'<svg class="{css}"{size} viewBox="0 0 {_number(self.width)} {_number(self.height)}" {about}>'
            f"{inside}{self._written({})}</svg>"
        )

    def file(self, title: str, description: str) -> bytes:
        """The drawing as a file of its own, in light colours."""
        width, height = _number(self.width), _number(self.height)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
            f'font-family="IBM Plex Sans, Helvetica, Arial, sans-serif" font-size="11.5">'
            f"<title>{escape(title)}</title><desc>{escape(description)}</desc>"
            f'<rect width="{width}" height="{height}" fill="#ffffff"/>{self._written(PAINT)}</svg>\n'
        ).encode()

    def _written(self, paint: Mapping[str, Mapping[str, str]]) -> str:
        parts = []
        for tag, css, attributes, text in self.marks:
            look = paint.get(css, {"class": css}) if css else {}
            written = "".join(
                f' {name}="{_number(value) if isinstance(value, float) else escape(value)}"'
                for name, value in {**look, **attributes}.items()
            )
            parts.append(f"<{tag}{written}>{escape(text)}</{tag}>" if text else f"<{tag}{written}/>")
        return "".join(parts)


def _number(value: float) -> str:
    return f"{value:.1f}".rstrip("0").rstrip(".")
