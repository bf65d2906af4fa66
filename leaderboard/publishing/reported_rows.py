"""Reported rows: scores copied from a publication, with their source."""

import datetime
from collections.abc import Mapping

from django.db import transaction
from django.utils import timezone

from leaderboard.board.staleness import mark_entries, mark_systems
from leaderboard.models import (
    SYSTEM_FIELDS,
    Entry,
    EntryKind,
    ReportedValue,
    System,
)
from leaderboard.publishing.systems import free_slug
from scoring.benchmarks.base import PublishedResults
from scoring.models import Benchmark, Setting, Split


@transaction.atomic
def import_published(benchmark: Benchmark, results: PublishedResults) -> tuple[int, int]:
    """Import published scores as *reported* rows; returns how many rows were created and how many existed already."""
    split = benchmark.splits.get(slug=results.split)
    settings_by_slug = {setting.slug: setting for setting in benchmark.settings.all()}
    systems = {}
    for slug, fields in results.systems.items():
        values = {name: fields[name] for name in SYSTEM_FIELDS if name in fields}
        systems[slug], _ = System.objects.update_or_create(
            owner=None,
            name=values["name"],
            defaults={**values, "is_human": fields.get("is_human", False)},
            create_defaults={**values, "is_human": fields.get("is_human", False), "slug": free_slug(slug)},
        )
    published_at = datetime.datetime.combine(results.published, datetime.time(), tzinfo=datetime.UTC)
    made = 0
    for row in results.rows:
        made += report_row(
            system=systems[row.system],
            split=split,
            setting=settings_by_slug[row.setting],
            source=row.source,
            note=row.note,
            context_size=row.context_size,
            values=row.values,
            published_at=published_at,
        )
    mark_systems(*systems.values())  # their metadata may have changed
    return made, len(results.rows) - made


@transaction.atomic
def report_row(
    *,
    system: System,
    split: Split,
    setting: Setting,
    source: str,
    note: str,
    context_size: int | None,
    values: Mapping[str, float],
    published_at: datetime.datetime,
    is_official: bool = False,
) -> bool:
    """Put published scores on the board as a *reported* row; false if the source's latest row is identical.

    The system's previous row stays stored, off the board. Scores from a paper and from the benchmark's official results
    (``is_official``) do not replace each other: they are alternatives of one row.
    """
    System.objects.select_for_update(no_key=True).get(pk=system.pk)
    rows = Entry.objects.filter(system=system, split=split, setting=setting, kind=EntryKind.REPORTED)
    latest = rows.filter(source=source).order_by("-pk").first()
    if latest is not None:
        said = dict(latest.reported_values.values_list("name", "value"))
        if (latest.note, latest.context_size, said) == (note, context_size, dict(values)):
            return False
    rows.filter(replaced_at=None, is_official=is_official).update(replaced_at=timezone.now())
    entry = Entry.objects.create(
        system=system,
        split=split,
        setting=setting,
        kind=EntryKind.REPORTED,
        source=source,
        note=note,
        context_size=context_size,
        published_at=published_at,
        is_official=is_official,
    )
    ReportedValue.objects.bulk_create(
        [ReportedValue(entry=entry, name=name, value=value) for name, value in values.items()]
    )
    mark_entries(Entry.objects.filter(pk=entry.pk))
    return True
