"""How dates are written for people, in pages, messages and mails alike: ``14 Jul 2026``, ``14 Jul 2026, 09:05 UTC``.

The script that turns times into the reader's own zone (``static/js/site.js``) writes them the same way.
"""

import datetime

from django.utils import timezone
from django.utils.formats import date_format


def day_in_words(day: datetime.date) -> str:
    """A date: ``14 Jul 2026``. Of a point in time it is the date in its own zone."""
    return date_format(day, "j M Y")


def moment_in_words(moment: datetime.datetime) -> str:
    """A point in time, aware of its zone, in the site's zone and with its name: ``14 Jul 2026, 09:05 UTC``."""
    local = timezone.localtime(moment)
    return f"{day_in_words(local)}, {local:%H:%M} {local.tzname() or ''}".strip()
