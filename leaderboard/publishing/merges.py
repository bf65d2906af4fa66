"""Merging systems that are the same one, so that a board shows them as one row.

Maintainers merge systems (`leaderboard.maintenance.system_merges`), and imports those that a declaration says are the
same. A merge moves nothing: the merged system points to the other (`System.same_as`), so splitting restores exactly
what was there before.
"""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from leaderboard.board.staleness import mark_systems
from leaderboard.models import Entry, System, User
from leaderboard.operations import audit
from leaderboard.publishing import facts
from scoring.benchmarks.base import PublishedResults
from scoring.models import Benchmark


class MergeError(ValueError):
    """Two systems cannot be merged, or a system is not merged; the message is for the maintainer."""


def mergeable(system: System | None, into: System | None) -> tuple[System, System]:
    """*system*, and the one that it would be merged into.

    Raises:
        MergeError: one does not exist, both are the same, one is a pseudonym, or only one is a row of people.
    """
    if system is None or into is None:
        raise MergeError("There is no system with this address. Choose one of the list, or copy it from its page.")
    target = into.same_as or into
    if target.pk == system.pk or system.same_as_id == target.pk:
        raise MergeError(f"{system.name} and {into.name} are one system already.")
    if system.same_as_id is not None:
        raise MergeError(f"{system.name} was merged into another system. Split it first.")
    if system.is_pseudonym or target.is_pseudonym:
        raise MergeError("A system under double-blind review cannot be merged: it would reveal its name.")
    if system.is_human != target.is_human:
        raise MergeError("A row of people and a system cannot be merged.")
    return system, target


@transaction.atomic
def merge(system: str, into: str, *, by: User | str) -> System:
    """Merge a system, and those that were merged into it, into another (slugs); returns the other.

    Raises:
        MergeError: see `mergeable`.
    """
    chosen = _locked(system, into)
    first, target = mergeable(chosen.get(system), chosen.get(into))
    moved = System.objects.filter(Q(pk=first.pk) | Q(same_as=first))
    names = list(moved.order_by("pk").values_list("slug", flat=True))
    mark_systems(target, *moved)
    moved.update(same_as=target, updated_at=timezone.now())
    audit.record(by, "system.merged", f"system {first.slug}", f"Merged {', '.join(names)} into {target.slug}.")
    return target


def _locked(system: str, into: str) -> dict[str, System]:
    """Both systems by slug, locked with every row that their merge may change or refer to.

    The rows are locked without a join: after PostgreSQL has waited for a lock, it reads the locked row again, but not
    the rows that it joined.

    Raises:
        MergeError: somebody else merged *into* at this moment.
    """
    both = Q(slug__in=[system, into])
    affected = System.objects.filter(both | Q(members__slug=into) | Q(same_as__slug=system)).values_list(
        "pk", flat=True
    )
    # In the order of keys: two merges of the same systems wait for each other instead of deadlocking.
    rows = System.objects.select_for_update().filter(pk__in=set(affected)).order_by("pk").in_bulk()
    chosen = {row.slug: row for row in rows.values() if row.slug in (system, into)}
    other = chosen.get(into)
    if other is not None and other.same_as_id is not None and other.same_as_id not in rows:
        raise MergeError(f"{other.name} was merged into another system at this moment. Look at the preview again.")
    return chosen


@transaction.atomic
def merge_declared(benchmark: Benchmark, results: PublishedResults | None, *, new: Collection[int], by: str) -> None:
    """Merge systems that imports of a benchmark have under several names or owners, into that of its published results:
    the paper's row, the official results and the official submissions of a system are one row.

    Args:
        results: the published results, with the other names of their systems.
        new: the keys of systems that this import put on a board of the benchmark for the first time. Others stay as
            they are, since a maintainer may have split them.
        by: the import, for the audit log.
    """
    if results is None or not new:
        return
    of_repository = Q(is_official=True) | Q(submission__files__imported=True)
    rows = Entry.objects.filter(of_repository, split__benchmark=benchmark, replaced_at=None)
    candidates = System.objects.filter(Q(pk__in=new) | Q(pk__in=rows.values("system"), same_as=None))
    declared = {
        system: results.name_of(facts.names_of(system))
        for system in candidates.order_by("pk").prefetch_related("changes")
    }
    wanted = {name for system, name in declared.items() if name and system.pk in new}
    for system, name in declared.items():
        into = facts.known_as(name, owner=None) if name in wanted else None
        if into is not None and into != system and not {system.pk, into.pk}.isdisjoint(new):
            with suppress(MergeError):  # a maintainer merged them the other way round, or one is a row of people
                merge(system.slug, into.slug, by=by)
