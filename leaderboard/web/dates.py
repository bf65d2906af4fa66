"""Dates in text, in pages, messages and emails alike: ``14 Jul 2026``, ``14 Jul 2026, 09:05 UTC``.

The script that converts times to the reader's zone (``static/js/site.js``) uses the same format.
"""

import datetime

from django.utils import timezone
from django.utils.formats import date_format


def day_in_words(day: datetime.date) -> str:
    """A date: ``14 Jul 2026``. For a point in time, the date in its own zone."""
    return date_format(day, "j M Y")


def moment_in_words(moment: datetime.datetime) -> str:
    """A point in time, aware of its zone, in the site's zone, with the zone's name: ``14 Jul 2026, 09:05 UTC``."""
    local = timezone.localtime(moment)
    return f"{day_in_words(local)}, {local:%H:%M} {local.tzname() or ''}".strip()
