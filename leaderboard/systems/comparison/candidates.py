"""The systems that can be compared on a board, for the form that selects them.

Enters: the requested parameters, and the resulting comparison. Leaves: the board's systems, best first,
and the other boards.
"""

from typing import Any

from django.db.models import Count
from django.db.models.functions import Coalesce

from leaderboard.disclosure import DisclosureRule
from leaderboard.models import Entry, EntryKind
from leaderboard.systems.comparison.types import FEWEST_SYSTEMS, Comparison, ComparisonParams
from scoring.benchmarks import definition_of
from scoring.declarations import known_benchmarks
from scoring.models import Score
from scoring.models.run_states import RunState
from scoring.queries import current_signatures

MOST_CANDIDATES = 50


def chooser_for(params: ComparisonParams, comparison: Comparison) -> dict[str, Any]:
    """The data of the form that selects the systems and the board: as ``candidates`` the systems of a board that can be
    compared (name, slug, value in ``column`` and whether it is selected), selected ones first, then the best that match
    the search, which are ``n_matching`` of ``n_systems``; and as ``boards`` every board with something to compare, and
    the current one (value, label and whether it is selected).

    Four queries, whatever the number of systems.
    """
    split, setting = comparison.split, comparison.setting
    definition = definition_of(split.benchmark.slug)
    sort = definition.column(definition.default_sort)
    entries = Entry.objects.filter(split=split, setting=setting, kind=EntryKind.SCORED, replaced_at=None)
    entry_of = "run__answer_set__board_entry"
    rule = DisclosureRule.of(split)
    values = {
        pk: rule.number(value, sort)
        for pk, value, *counts in Score.objects.counting()
        .filter(
            name=sort.score,
            run__subset="",
            signature=current_signatures(split).get(sort.metric, ""),
            run__state=RunState.DONE,
            **{f"{entry_of}__split": split, f"{entry_of}__setting": setting, f"{entry_of}__replaced_at": None},
        )
        .order_by()
        .values_list(entry_of, "value", "n_answered", "n_items", "pk")
        if not rule.reason_withheld(sort.score, *counts)
    }
    words = params.q.casefold().split()
    chosen = {system.slug for system in [*comparison.systems, *comparison.left_out]}
    name, slug = (Coalesce(f"system__same_as__{field}", f"system__{field}") for field in ("name", "slug"))
    rows = entries.order_by("published_at").annotate(shown=name, shown_slug=slug)
    newest = {
        slug: (name, slug, values.get(pk), slug in chosen)
        for pk, name, slug in rows.values_list("pk", "shown", "shown_slug")
    }
    everybody = sorted(newest.values(), key=lambda candidate: candidate[0].casefold())
    matching = [
        (name, slug, value, chosen)
        for name, slug, value, chosen in everybody
        if not chosen and all(word in name.casefold() for word in words)
    ]
    matching.sort(key=lambda candidate: (candidate[2] is None, -sort.sign * (candidate[2] or 0)))
    here = (split.benchmark.slug, split.slug, setting.slug)
    boards = comparable_boards()
    boards.setdefault(here, _label(split.benchmark.name, setting.name, split.name))
    return {
        "boards": [("/".join(slugs), label, slugs == here) for slugs, label in boards.items()],
        "candidates": [*(candidate for candidate in everybody if candidate[3]), *matching[:MOST_CANDIDATES]],
        "column": sort,
        "n_matching": len(matching),
        "n_systems": len(newest),
        "q": params.q,
    }


def comparable_boards() -> dict[tuple[str, str, str], str]:
    """The boards with at least two systems that were scored here, in the order of tabs: benchmark, split and setting,
    each with its label. One query."""
    parts = ("split__benchmark__slug", "split__slug", "setting__slug")
    names = ("split__benchmark__name", "setting__name", "split__name")
    rows = (
        Entry.objects.filter(kind=EntryKind.SCORED, replaced_at=None, split__benchmark__in=known_benchmarks())
        .order_by("split__benchmark__position", "split__benchmark__slug", "-split__position", "setting__position")
        .values_list(*parts, *names)
        .annotate(n_systems=Count(Coalesce("system__same_as", "system"), distinct=True))
        .filter(n_systems__gte=FEWEST_SYSTEMS)
    )
    return {(benchmark, split, setting): _label(*shown_names) for benchmark, split, setting, *shown_names, _ in rows}


def _label(benchmark: str, setting: str, split: str) -> str:
    return f"{benchmark}: {setting}, {split.lower()}"
