"""When a split accepts files: what a sender is told before it opens and after it has closed."""

import datetime
from collections.abc import Sequence

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from leaderboard.templatetags.display import moment
from scoring.models import Split, SplitPart, SplitPhase
from scoring.models.benchmarks import times_of


def why_refused(split: Split, received_at: datetime.datetime) -> str:
    """Why files for a split come too early or too late; empty if they do not.

    Args:
        received_at: when the whole upload had arrived, by the database's clock.
    """
    arrived = f"Your upload arrived at {in_utc(received_at)}."
    times = times_of(split.opens, split.closes, received_at)
    if times == "upcoming" and split.opens is not None and split.phase != SplitPhase.DRAFT:  # which is tried before
        return f"{split} opens at {in_utc(split.opens)}, and accepts no files before. {arrived}"
    if times == "closed" and split.closes is not None:
        return f"{split} closed at {in_utc(split.closes)}, and accepts no further files. {arrived}"
    return ""


def in_utc(time: datetime.datetime) -> str:
    """A moment to the second, in UTC.

    >>> in_utc(datetime.datetime(2027, 5, 1, 14, tzinfo=datetime.timezone(datetime.timedelta(hours=2))))
    '2027-05-01 12:00:00 UTC'
    """
    return f"{time.astimezone(datetime.UTC):%Y-%m-%d %H:%M:%S} UTC"


def in_sentences(splits: Sequence[Split]) -> SafeString:
    """When some splits accept files, in a sentence for each that says so."""
    sentences = []
    for split in splits:
        if split.opens is not None:
            sentences.append(format_html("{} accepts files from {}.", split.name, moment(split.opens)))
        if split.closes is not None:
            sentences.append(format_html("{} accepts files until {}.", split.name, moment(split.closes)))
        if split.shown_part == SplitPart.PUBLIC:
            text = "Until then, scores of {} are of its public part; the other questions are kept for the end."
            sentences.append(format_html(text, split.name))
    return format_html_join(" ", "{}", ((sentence,) for sentence in sentences))
