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
    User,
)
from leaderboard.operations import audit
from leaderboard.publishing import facts
from leaderboard.publishing.merges import merge_declared
from leaderboard.publishing.systems import free_slug
from scoring.benchmarks.base import PublishedResults
from scoring.files.mistakes import listed
from scoring.models import Benchmark, Setting, Split


@transaction.atomic
def import_published(benchmark: Benchmark, results: PublishedResults) -> tuple[int, int]:
    """Import published scores as *reported* rows; returns how many rows were created and how many existed already."""
    split = Split.objects.get(benchmark=benchmark, slug=results.split)
    settings_by_slug = {setting.slug: setting for setting in benchmark.settings.all()}
    systems = {}
    for slug, fields in results.systems.items():
        values = {name: fields[name] for name in SYSTEM_FIELDS if name in fields}
        system = facts.known_as(values["name"], owner=None)
        if system is None:
            is_human = fields.get("is_human", False)
            system = System.objects.create(slug=free_slug(slug), is_human=is_human, **values)
        else:  # what the table does not state stays, and so does what somebody edited
            kept = facts.edited(system)
            for name, value in values.items():
                if name in ("attributes", "run_facts"):
                    prefix = facts.RUN_FACTS if name == "run_facts" else ""
                    stated = {key: it for key, it in value.items() if f"{prefix}{key}" not in kept}
                    setattr(system, name, {**getattr(system, name), **stated})
                elif name not in kept:
                    setattr(system, name, value)
            system.is_human = fields.get("is_human", False)
            system.save()
        systems[slug] = system
    rows = Entry.objects.filter(kind=EntryKind.REPORTED, is_official=False, split__benchmark=benchmark)
    new = {system.pk for system in systems.values()} - set(rows.values_list("system", flat=True))
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
    merge_declared(benchmark, results, new=new, by=f"import of {benchmark}'s published results")
    return made, len(results.rows) - made


def import_reported(
    benchmark: Benchmark, results: PublishedResults | None, *, actor: User | str
) -> tuple[int, int] | None:
    """Import a declaration's published results; the numbers of new and of earlier rows, or None without any, or while
    their split is a draft.

    An empty actor records nothing.
    """
    if results is None or not Split.objects.filter(benchmark=benchmark, slug=results.split).exists():
        return None
    made, known = import_published(benchmark, results)
    if made and actor:
        audit.record(actor, "results.imported", f"split {benchmark.slug} {results.split}", f"{made} rows.")
    return made, known


def rows_left(benchmark: Benchmark, results: PublishedResults | None) -> list[str]:
    """A sentence that names the reported rows on boards that a benchmark's published results do not have any more, if
    there are any. Official results are no part of them. One query."""
    known = set()
    if results is not None:
        known = {(results.systems[row.system]["name"], results.split, row.setting) for row in results.rows}
    entries = Entry.objects.filter(
        system__owner=None, split__benchmark=benchmark, kind=EntryKind.REPORTED, replaced_at=None, is_official=False
    )
    places = entries.order_by("system__name", "pk").values_list("system__name", "split__slug", "setting__slug")
    left = [f"{place[0]} ({place[1]}, {place[2]})" for place in places if place not in known]
    number = "1 reported row is" if len(left) == 1 else f"{len(left)} reported rows are"
    what = f"{number} on the boards, but not in the published results any more: {listed(left)}. "
    return [f"{what}To take a row off the boards, delete it in Administration under Entries."] if left else []


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
    published_at: datetime.datetime | None,
    is_official: bool = False,
) -> bool:
    """Put published scores on the board as a *reported* row; false if the source's latest row is identical, but for its
    date, which is corrected.

    The system's previous row stays stored, off the board. Scores from a paper and from the benchmark's official results
    (``is_official``) do not replace each other: they are alternatives of one row.

    Args:
        published_at: when the source published them; None if that is unknown: then the date that the same
            values had before, or today's.
    """
    # Called for the lock alone: two imports at once must not both find no earlier row and add one each.
    System.objects.select_for_update(no_key=True).get(pk=system.pk)
    rows = Entry.objects.filter(system=system, split=split, setting=setting, kind=EntryKind.REPORTED)
    latest = rows.filter(source=source).order_by("-pk").first()
    earlier = None
    if latest is not None:
        said = dict(latest.reported_values.values_list("name", "value"))
        earlier = latest.published_at if said == dict(values) else None
        if (latest.note, latest.context_size, said) == (note, context_size, dict(values)):
            if published_at is not None and latest.published_at != published_at:
                latest.published_at = published_at
                latest.save(update_fields=["published_at", "updated_at"])
                mark_entries(rows.filter(pk=latest.pk))
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
        published_at=published_at or earlier or timezone.now(),
        is_official=is_official,
    )
    ReportedValue.objects.bulk_create(
        [ReportedValue(entry=entry, name=name, value=value) for name, value in values.items()]
    )
    mark_entries(Entry.objects.filter(pk=entry.pk))
    return True
