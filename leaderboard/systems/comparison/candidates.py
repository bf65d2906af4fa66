"""The systems that can be compared on a board, for the form that selects them.

Enters: the requested parameters, and the resulting comparison. Leaves: a `Chooser` with the board's systems, best
first, and the other boards.
"""

from django.db.models import Count
from django.db.models.functions import Coalesce

from leaderboard.board import addresses as board_places
from leaderboard.disclosure import DisclosureRule
from leaderboard.models import Entry, EntryKind
from leaderboard.systems.comparison.params import ComparisonParams
from leaderboard.systems.comparison.types import Candidate, Chooser, Comparison
from scoring.benchmarks import definition_of
from scoring.models import Score
from scoring.models.run_states import RunState
from scoring.queries import current_signatures

MOST_CANDIDATES = 50


def chooser_for(params: ComparisonParams, comparison: Comparison) -> Chooser:
    """The systems of a board that can be compared: selected ones first, then the best that match the search.

    Six queries, whatever the number of systems.
    """
    board = board_places.find_split_and_setting(
        comparison.benchmark_slug, comparison.split_slug, comparison.setting_slug
    )
    if board is None:
        raise LookupError("The board of this comparison no longer exists.")
    split, setting = board
    definition = definition_of(split.benchmark.slug)
    sort = next(column for column in definition.columns if column.score == definition.default_sort)
    entries = Entry.objects.filter(split=split, setting=setting, kind=EntryKind.SCORED, replaced_at=None)
    entry_of = "run__answer_set__board_entry"
    rule = DisclosureRule.of(split)
    values = {
        pk: rule.number(value)
        for pk, value, *counts in Score.objects.filter(
            name=sort.score,
            signature=current_signatures(split).get(sort.metric, ""),
            run__state=RunState.DONE,
            run__repeat=0,
            **{f"{entry_of}__split": split, f"{entry_of}__setting": setting, f"{entry_of}__replaced_at": None},
        )
        .order_by()
        .values_list(entry_of, "value", "n_answered", "n_items", "pk")
        if not rule.reason_withheld(sort.score, *counts)
    }
    words = params.q.casefold().split()
    chosen = {system.slug for system in [*comparison.systems, *comparison.left_out]}
    name, slug = (Coalesce(f"system__same_as__{one}", f"system__{one}") for one in ("name", "slug"))
    rows = entries.order_by("published_at").annotate(shown=name, shown_slug=slug)
    newest = {
        slug: Candidate(name, slug, values.get(pk), slug in chosen)
        for pk, name, slug in rows.values_list("pk", "shown", "shown_slug")
    }
    everybody = sorted(newest.values(), key=lambda one: one.name.casefold())
    matching = [one for one in everybody if not one.chosen and all(word in one.name.casefold() for word in words)]
    matching.sort(key=lambda one: (one.value is None, -(one.value or 0)))
    return Chooser(
        boards=_board_choices(comparison),
        candidates=[*(one for one in everybody if one.chosen), *matching[:MOST_CANDIDATES]],
        n_matching=len(matching),
        q=params.q,
    )


def _board_choices(comparison: Comparison) -> list[tuple[str, str, bool]]:
    """Every board with at least two rows that were scored here."""
    parts = ("split__benchmark__slug", "split__slug", "setting__slug")
    names = ("split__benchmark__name", "split__name", "setting__name")
    rows = (
        Entry.objects.filter(kind=EntryKind.SCORED, replaced_at=None)
        .order_by("split__benchmark__position", "-split__position", "setting__position")
        .values_list(*parts, *names)
        .annotate(n=Count("pk"))
    )
    found = {
        (benchmark, split, setting): (f"{benchmark_name}: {setting_name}, {split_name.lower()}", n)
        for benchmark, split, setting, benchmark_name, split_name, setting_name, n in rows
    }
    here = (comparison.benchmark_slug, comparison.split_slug, comparison.setting_slug)
    found.setdefault(here, (f"{comparison.benchmark}: {comparison.setting}, {comparison.split.lower()}", 0))
    return [("/".join(key), label, key == here) for key, (label, n) in found.items() if n > 1 or key == here]
