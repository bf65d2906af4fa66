"""The page on which maintainers merge systems that are the same one, with a preview, and split them again."""

import re
from collections import defaultdict
from collections.abc import Iterable
from typing import Any, Final

from django.db import transaction
from django.db.models import Exists, OuterRef

from leaderboard.board.inputs import BoardInputs, read_inputs
from leaderboard.board.sources import OF_SYSTEM, EntryRow, evidence_of, sources_of
from leaderboard.board.staleness import mark_systems
from leaderboard.models import Entry, System, User
from leaderboard.models.names import skeleton
from leaderboard.operations import audit
from leaderboard.publishing import names
from leaderboard.publishing.merges import MergeError, merge, mergeable
from leaderboard.templatetags.board_display import SOURCES
from scoring.models import Setting, Split

MOST_SUGGESTED = 50
MOST_OFFERED = 500
_TUNING: Final = re.compile(r"\b(?:chat|instruct|it)\b", re.IGNORECASE)
"""Words for a model's tuning that one source gives and another leaves out, as with *LLaMA 2 70B* and its *Chat*."""


def merge_page(system: str = "", into: str = "") -> dict[str, Any]:
    """Merged systems, suggestions, the first `MOST_OFFERED` systems that can be merged, and the preview of merging one
    system into another (slugs), if both are given. A suggestion is the one to merge, and the one to merge it into."""
    merged = System.objects.exclude(same_as=None).select_related("same_as").order_by("same_as__name", "name")
    on_board = Exists(Entry.objects.filter(system=OuterRef("pk"), replaced_at=None))
    systems = System.objects.filter(on_board, is_pseudonym=False, same_as=None)
    # Of systems whose names look alike but for words of a model's tuning, the oldest, which others may cite, stays.
    alike: dict[tuple[str, bool], list[int]] = defaultdict(list)
    declared = names.of_aliases()
    for pk, own, is_human in systems.order_by("pk").values_list("pk", "name", "is_human"):
        name = declared.get(own, own)
        alike[skeleton(_TUNING.sub("", name)) or skeleton(name), is_human].append(pk)
    pairs = [(other, group[0]) for group in alike.values() for other in group[1:]][:MOST_SUGGESTED]
    named = System.objects.in_bulk({pk for pair in pairs for pk in pair})
    suggestions = [(named[other], named[first]) for other, first in pairs if other in named and first in named]
    page: dict[str, Any] = {
        "merged": merged,
        "suggestions": suggestions,
        "systems": systems.order_by("name", "pk")[:MOST_OFFERED],
    }
    if system or into:
        chosen = {row.slug: row for row in System.objects.filter(slug__in=[system, into]).select_related("same_as")}
        try:
            first, target = mergeable(chosen.get(system), chosen.get(into))
        except MergeError as error:
            return page | {"system": chosen.get(system), "into": chosen.get(into), "problem": str(error)}
        return page | {"system": first, "into": target, "preview": preview(first, target)}
    return page


def preview(system: System, into: System) -> list[dict[str, Any]]:
    """The boards on which both systems have rows, now and after the merge. Some seven queries for each board."""
    members = dict.fromkeys(System.objects.filter(same_as=system).values_list("pk", flat=True), into.pk)
    members |= {system.pk: into.pk}
    rows = Entry.objects.of_systems(system.slug).filter(replaced_at=None)
    boards = rows.order_by().values_list("split", "setting").distinct()
    splits = Split.with_drafts.select_related("benchmark", "current_revision").in_bulk([split for split, _ in boards])
    settings = Setting.objects.in_bulk([setting for _, setting in boards])
    previews = []
    for split, setting in sorted(boards):
        both = {system.pk, into.pk}
        inputs = read_inputs(splits[split], settings[setting], both)
        now = [sources for sources in inputs.systems if (sources[0].same_as or sources[0].system) in both]
        if len(now) < 2:
            continue
        entries = [entry for sources in now for entry in sources]
        moved = [entry._replace(same_as=members.get(entry.system, entry.same_as)) for entry in entries]
        canonical = {into.pk: tuple(getattr(into, "owner_id" if name == "owner" else name) for name in OF_SYSTEM)}
        definition = inputs.definition
        after = sources_of(moved, canonical, inputs.numbered, definition.first_source)
        previews.append(
            {
                "board": f"{splits[split]}, {settings[setting]}",
                "column": definition.column(definition.default_sort),  # by which the board is ordered
                "before": _sources(inputs, [sources[0] for sources in now]),
                # One row, or two if one is graded by hand.
                "after": _sources(inputs, [sources[0] for sources in after]),
                "alternatives": _sources(inputs, [other for sources in after for other in sources[1:]]),
                # The ranked rows that the board loses: 1 if both systems were scored here.
                "n_unranked": sum(row.is_rankable for row, *_ in now) - sum(row.is_rankable for row, *_ in after),
            }
        )
    return previews


def _sources(inputs: BoardInputs, rows: Iterable[EntryRow]) -> list[dict[str, Any]]:
    """Sources of scores as the board shows them, each with its value in the column that the board is ordered by."""
    sort = inputs.definition.default_sort
    values = {entry: value for entry, name, value, *_ in inputs.reported if name == sort}
    values |= {score.entry: score.value for score in inputs.scores if score.name == sort}
    slugs = {entry.pk: entry.slug for entry in inputs.entries}
    return [
        {
            "name": row.name,
            "slug": slugs[row.pk],  # of the system whose scores they are, which may be merged into another
            "evidence": SOURCES[evidence_of(row)],
            "value": inputs.rule.number(values.get(row.pk), inputs.definition.column(sort)),
            "published_at": row.published_at,
        }
        for row in rows
    ]


@transaction.atomic
def merge_all(pairs: Iterable[tuple[str, str]], *, by: User) -> int:
    """Merge several pairs of systems (slugs), all or none; returns how many.

    Raises:
        MergeError: one of them cannot be merged, or none was chosen.
    """
    chosen = list(dict.fromkeys(pairs))
    for system, into in chosen:
        merge(system, into, by=by)
    if not chosen:
        raise MergeError("Choose at least one pair of systems.")
    return len(chosen)


def suggested_previews() -> list[tuple[System, System, list[dict[str, Any]]]]:
    """Every suggestion with the boards that its merge changes."""
    return [(system, into, preview(system, into)) for system, into in merge_page()["suggestions"]]


@transaction.atomic
def split(pk: int, *, by: User) -> System:
    """Split a merged system off again; returns it.

    Raises:
        MergeError: it is not merged into another.
    """
    system = System.objects.select_for_update().get(pk=pk)  # without a join, as in `_locked`
    before = system.same_as
    if before is None:
        raise MergeError(f"{system.name} is not merged into another system.")
    mark_systems(system, before)
    system.same_as = None
    system.save(update_fields=["same_as", "updated_at"])
    audit.record(by, "system.split", f"system {system.slug}", f"Split {system.slug} from {before.slug}.")
    return system
