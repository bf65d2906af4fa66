"""The boards of the site, and lookup of a board by its URL."""

from leaderboard.board import table
from scoring.benchmarks import definition_of
from scoring.declarations import known_benchmarks
from scoring.models import Setting, Split


def benchmark_links() -> list[dict[str, str]]:
    """Every benchmark with the URL of its first board."""
    links = []
    for benchmark in known_benchmarks():
        definition = definition_of(benchmark.slug)
        home = table.board_url(benchmark.slug, definition.default_split, definition.default_setting)
        links.append({"name": benchmark.name, "slug": benchmark.slug, "home_url": home})
    return links


def first_addresses() -> list[tuple[str, str, str]]:
    """Benchmark, split and setting of every benchmark's first board. One query."""
    slugs = known_benchmarks().values_list("slug", flat=True)
    return [(slug, (it := definition_of(slug)).default_split, it.default_setting) for slug in slugs]


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
