"""The boards of the site, and lookup of a board by its URL."""

from collections.abc import Sequence

from django.db.models import QuerySet

from leaderboard.board import table
from scoring.benchmarks import definition_of, definitions
from scoring.benchmarks.base import BenchmarkDefinition
from scoring.models import Setting, Split


def benchmark_links() -> list[dict[str, str]]:
    """Every benchmark with the URL of its first board. One query."""
    return [
        {"name": name, "slug": slugs[0], "home_url": table.board_url(*slugs)} for slugs, name in _first_boards().items()
    ]


def first_addresses() -> list[tuple[str, str, str]]:
    """Benchmark, split and setting of every benchmark's first board. One query."""
    return list(_first_boards())


def _first_boards() -> dict[tuple[str, str, str], str]:
    """The benchmarks' names by the slugs of their first boards: of the default split, or of another, if that is a
    draft."""
    splits = Split.objects.filter(benchmark__slug__in=list(definitions()))
    splits = splits.order_by("benchmark__position", "benchmark__slug", "position", "pk")
    published: dict[str, list[tuple[str, str]]] = {}
    for benchmark, name, split in splits.values_list("benchmark__slug", "benchmark__name", "slug"):
        published.setdefault(benchmark, []).append((split, name))
    boards = {}
    for benchmark, named in published.items():
        definition = definition_of(benchmark)
        first = first_split(definition, [split for split, _ in named])
        boards[benchmark, first, definition.default_setting] = named[0][1]
    return boards


def first_split(definition: BenchmarkDefinition, splits: Sequence[str]) -> str:
    """The split that a benchmark's pages show first, of those that their reader sees: the default one, or the first if
    that is a draft; the default one if there is none."""
    return definition.default_split if definition.default_split in splits or not splits else splits[0]


def first_visible_split(definition: BenchmarkDefinition, visible: QuerySet[Split]) -> str:
    """The same, among visible splits of any benchmarks. One query."""
    splits = visible.filter(benchmark__slug=definition.slug).order_by("position", "pk")
    return first_split(definition, list(splits.values_list("slug", flat=True)))


def default_board() -> tuple[Split, Setting] | None:
    """The split and setting of the first benchmark's first board; None while no benchmark is imported."""
    addresses = first_addresses()
    return find_split_and_setting(*addresses[0]) if addresses else None


def find_split_and_setting(benchmark: str, split: str, setting: str) -> tuple[Split, Setting] | None:
    """A split and a setting by their slugs; two queries."""
    found_split = (
        Split.objects.select_related("benchmark", "current_revision")
        .filter(benchmark__slug=benchmark, slug=split)
        .first()
    )
    found_setting = Setting.objects.filter(benchmark__slug=benchmark, slug=setting).first()
    return (found_split, found_setting) if found_split and found_setting else None
