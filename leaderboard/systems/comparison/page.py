"""The content of a comparison page: systems on one board.

Enters: the parameters of a URL (`params`). Leaves: a `Comparison`: the systems that can be compared and those that
cannot, with the reason (`rows`), a section for each score (`sections`), and one score in detail (`details`).
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from leaderboard.board import addresses as board_places
from leaderboard.board.table import Tab, board_url, labelled_signatures
from leaderboard.models import Entry, EntryKind, System
from leaderboard.systems.comparison.candidates import comparable_boards
from leaderboard.systems.comparison.details import add_details
from leaderboard.systems.comparison.params import ComparisonParams
from leaderboard.systems.comparison.rows import ComparedRows
from leaderboard.systems.comparison.sections import sections_of
from leaderboard.systems.comparison.types import MOST_SYSTEMS, Compared, Comparison
from scoring.declarations import known_benchmarks
from scoring.models import Setting, Split

LETTERS = "ABCDEF"


def comparison_for(params: ComparisonParams) -> Comparison | None:
    """Systems side by side; None while there is no benchmark.

    Eight queries, whatever the number of systems, if the URL names the board. Results are cached by the keys of the
    scores, so only the first view of the same systems reads their vectors: three more queries (and two for people). On
    a split that is not hidden, the differing questions take one query more, and four per system.
    """
    published = (
        Entry.objects.of_systems(*params.systems).filter(replaced_at=None).order_by("split", "setting", "published_at")
    )
    boards = published.select_related("split__benchmark", "split__current_revision", "setting", "answer_set")
    entries = boards.with_merged_systems() if params.systems else []
    # A pseudonym leads to its system, if its day has come, and a merged system to the one that it was merged into.
    others = set(params.systems) - {entry.system.slug for entry in entries}
    leading = System.objects.filter(slug__in=others).select_related("revealed_as", "same_as") if others else ()
    led = {system.slug: target.slug for system in leading if (target := system.revealed_as or system.same_as)}
    if led:
        return comparison_for(
            replace(params, systems=tuple(dict.fromkeys(led.get(slug, slug) for slug in params.systems)))
        )
    board = _board_of(params, entries)
    if board is None:
        return None
    split, setting = board
    params = replace(params, benchmark=split.benchmark.slug, split=split.slug, setting=setting.slug)
    slugs = params.systems[:MOST_SYSTEMS]
    rows = ComparedRows(split, setting, entries, slugs)
    reasons = {slug: rows.reason(slug) for slug in slugs}
    known = {entry.system.slug: entry.system for entry in rows.everywhere}
    comparable = [known[slug] for slug in slugs if not reasons[slug]]
    comparison = Comparison(
        split=split,
        setting=setting,
        board_url=board_url(split.benchmark.slug, split.slug, setting.slug),
        tabs=_tabs(params, rows),
        systems=[
            Compared(letter, system.name, system.slug, system.get_absolute_url(), system.is_human)
            for letter, system in zip(LETTERS, comparable, strict=False)
        ],
        left_out=[
            Compared("", known[slug].name if slug in known else slug, slug, "", False, reason)
            for slug, reason in reasons.items()
            if reason
        ],
        signatures=labelled_signatures(rows.signatures, rows.definition.default_columns),
        n_asked=len(params.systems),
    )
    if comparison.possible:
        comparison.sections = sections_of(params, rows, comparison.systems)
        if comparison.current is not None:
            add_details(comparison, params, rows, comparison.current.column.key)
    return comparison


def _board_of(params: ComparisonParams, entries: Sequence[Entry]) -> tuple[Split, Setting] | None:
    """The requested board, or else the one with most of the systems, or else the first; if possible one with something
    to compare."""
    if params.split and params.setting:
        benchmark = params.benchmark or known_benchmarks().values_list("slug", flat=True).first() or ""
        requested = board_places.find_split_and_setting(benchmark, params.split, params.setting)
        if requested is not None:
            return requested
    default = next(iter(board_places.first_addresses()), None)
    if default is None:
        return None
    counts = Counter(
        (entry.split.benchmark.slug, entry.split.slug, entry.setting.slug)
        for entry in entries
        if entry.kind == EntryKind.SCORED
    )
    comparable = comparable_boards()
    boards = [*counts] or [*comparable] or [default]
    best = max(boards, key=lambda board: (counts[board], board in comparable, board == default))
    return board_places.find_split_and_setting(*best)


def _tabs(params: ComparisonParams, rows: ComparedRows) -> list[Tab]:
    """The boards on which at least two of the systems were scored, if there is more than one."""
    scored = [entry for entry in rows.everywhere if entry.kind == EntryKind.SCORED]
    counts = Counter((entry.split_id, entry.setting_id) for entry in scored)
    boards = {(entry.split_id, entry.setting_id): entry for entry in scored}

    def place(item: tuple[object, Entry]) -> tuple[int, str, int, int]:
        """By benchmark, the last split first, by setting."""
        benchmark = item[1].split.benchmark
        return benchmark.position, benchmark.slug, -item[1].split.position, item[1].setting.position

    several = len({entry.split.benchmark_id for entry in boards.values()}) > 1
    tabs = [
        Tab(
            f"{entry.split.benchmark.name}, " * several + f"{entry.setting.name}, {entry.split.name.lower()}",
            params.url(
                benchmark=entry.split.benchmark.slug, split=entry.split.slug, setting=entry.setting.slug, page=""
            ),
            (entry.split_id, entry.setting_id) == (rows.split.pk, rows.setting.pk),
            counts[key],
        )
        for key, entry in sorted(boards.items(), key=place)
        if counts[key] > 1
    ]
    return tabs if len(tabs) > 1 or any(not tab.current for tab in tabs) else []
