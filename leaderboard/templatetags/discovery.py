"""Display for programs, and outside the site: structured data in pages, complete addresses in mails."""

import json
from collections.abc import Mapping
from typing import Any

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from leaderboard.web.site_address import at_site

register = template.Library()
register.filter(at_site)

ESCAPED = {ord(character): f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"}
"""So that no value ends the element."""


@register.filter
def json_ld(data: Mapping[str, Any]) -> SafeString:
    """Structured data as a data block, which browsers do not execute: the Content-Security-Policy is not about it."""
    text = json.dumps(data, ensure_ascii=False).translate(ESCAPED)
    return format_html('<script type="application/ld+json">{}</script>', mark_safe(text))  # noqa: S308 - escaped above
