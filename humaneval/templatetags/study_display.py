"""Formatting of texts and times of studies."""

import re
from typing import Any, Final

from django import template
from django.conf import settings
from django.utils import timezone
from django.utils.html import json_script
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language, gettext
from markdown_it import MarkdownIt

from humaneval.models import Study
from humaneval.studies.kinds import KINDS
from humaneval.studies.script_texts import SCRIPT_TEXTS

register = template.Library()
BULLET: Final = re.compile(r"^•", re.MULTILINE)
PROSE: Final = MarkdownIt("zero", {"maxNesting": 100}).enable("list")
PROSE_IN_LINES: Final = MarkdownIt("zero", {"maxNesting": 100, "breaks": True}).enable(["list", "newline"])


@register.filter
def plain_prose(value: Any, lines: str = "") -> SafeString:
    """User-entered text as the paragraphs and lists of Markdown, without any other markup.

    Other lines are joined, unless ``plain_prose:"lines"`` preserves their line breaks.

    >>> plain_prose("One <b>.\\n\\n- two").replace("\\n", "")
    '<p>One &lt;b&gt;.</p><ul><li>two</li></ul>'
    """
    html: str = (PROSE_IN_LINES if lines else PROSE).render(BULLET.sub("-", str(value)))
    return mark_safe(html)  # noqa: S308 - text is escaped


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
