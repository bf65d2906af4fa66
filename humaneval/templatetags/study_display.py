"""Formatting of texts and times of studies."""

import re
from typing import Any, Final

from django import template
from django.conf import settings
from django.utils import timezone
from django.utils.html import format_html, format_html_join, json_script
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language, gettext

from humaneval.models import Study
from humaneval.studies.kinds import KINDS
from humaneval.studies.script_texts import SCRIPT_TEXTS

register = template.Library()
BLOCK: Final = re.compile(r"\n\s*\n")
POINT: Final = re.compile(r"^\s*[-*•]\s+")


@register.filter
def plain_prose(value: Any, lines: str = "") -> SafeString:
    """User-entered text as paragraphs and lists: an empty line ends a paragraph, lines with ``- `` are list items.

    Other lines are joined, unless ``plain_prose:"lines"`` preserves their line breaks.

    >>> plain_prose("One <b>.\\n\\n- two\\n- three")
    '<p>One &lt;b&gt;.</p><ul><li>two</li><li>three</li></ul>'
    """
    between = mark_safe("<br>" if lines else " ")  # noqa: S308 - one of the two
    blocks = [block.strip("\n") for block in BLOCK.split(str(value).replace("\r\n", "\n")) if block.strip()]
    shown = [_block(block, between) for block in blocks]
    return mark_safe("".join(shown))  # noqa: S308 - each is made by format_html


def _block(block: str, between: SafeString) -> SafeString:
    parts: list[SafeString] = []
    points: list[str] = []
    words: list[str] = []

    def end_words() -> None:
        if words:
            parts.append(format_html("<p>{}</p>", format_html_join(between, "{}", ((word,) for word in words))))
            words.clear()

    def end_points() -> None:
        if points:
            parts.append(
                format_html("<ul>{}</ul>", format_html_join("", "<li>{}</li>", ((point,) for point in points)))
            )
            points.clear()

    for line in block.split("\n"):
        if POINT.match(line):
            end_words()
            points.append(POINT.sub("", line).strip())
        elif points and line.startswith((" ", "\t")):
            points[-1] += f" {line.strip()}"
        elif line.strip():
            end_points()
            words.append(line.strip())
    end_words()
    end_points()
    return mark_safe("".join(parts))  # noqa: S308 - each is made by format_html


@register.filter
def in_words(text: str, study: Study) -> str:
    """An answer as it is stored, as people read it: the label of a choice, for instance."""
    return KINDS[study.kind].in_words(study, text)


@register.filter
def ago(value: Any) -> str:
    """Time since a moment, in short form, as the answer page's script shows it: ``3 s ago``, ``12 min ago``."""
    if not value:
        return ""
    seconds = max(0, int((timezone.now() - value).total_seconds()))
    if seconds < 60:
        return gettext("%(n)d s ago") % {"n": seconds}
    if seconds < 3600:
        return gettext("%(n)d min ago") % {"n": seconds // 60}
    if seconds < 86400:
        return gettext("%(n)d h ago") % {"n": seconds // 3600}
    return gettext("%(n)d d ago") % {"n": seconds // 86400}


@register.filter
def minutes(seconds: Any) -> str:
    """Active time in minutes: ``12 min``; ``under a minute`` for less than one, ``not measured`` if it is unknown."""
    if seconds is None:
        return gettext("not measured")
    whole = round(float(seconds or 0) / 60)
    return gettext("%(n)d min") % {"n": whole} if whole else gettext("under a minute")


@register.simple_tag
def script_texts() -> SafeString | str:
    """The texts of the page's scripts in its language, by the English ones; nothing on a page in English."""
    if get_language() == settings.LANGUAGE_CODE:
        return ""
    return json_script({text: gettext(text) for text in SCRIPT_TEXTS}, "script-texts")


@register.filter
def digit_key(place: int) -> str:
    """The key for a position in a list, from 0: 1 to 9 and 0, then the same with Shift; empty from the 21st on.

    >>> digit_key(0), digit_key(9), digit_key(10), digit_key(20)
    ('1', '0', '⇧ 1', '')
    """
    if place >= 20:
        return ""
    digit = str((place + 1) % 10)
    return digit if place < 10 else f"⇧ {digit}"
