"""The boards of the site, and lookup of a board by its URL."""

from leaderboard.board import table
from scoring.benchmarks import definition_of
from scoring.models import Benchmark, Setting, Split


def benchmark_links() -> list[dict[str, str]]:
    """Every benchmark with the URL of its first board."""
    links = []
    for benchmark in Benchmark.objects.all():
        definition = definition_of(benchmark.slug)
        home = table.board_url(benchmark.slug, definition.default_split, definition.default_setting)
        links.append({"name": benchmark.name, "slug": benchmark.slug, "home_url": home})
    return links


def default_address() -> tuple[str, str, str] | None:
    """Benchmark, split and setting of the board on the home page; None while no benchmark is imported."""
    slug = Benchmark.objects.values_list("slug", flat=True).first()
    if slug is None:
        return None
    definition = definition_of(slug)
    return slug, definition.default_split, definition.default_setting


def default_board() -> tuple[Split, Setting] | None:
    """The split and setting whose board is on the home page; None while no benchmark is imported."""
    address = default_address()
    return find_split_and_setting(*address) if address else None


def find_split_and_setting(benchmark: str, split: str, setting: str) -> tuple[Split, Setting] | None:
    """A split and a setting by their slugs; two queries."""
    found_split = (
        Split.objects.select_related("benchmark", "current_revision")
        .filter(benchmark__slug=benchmark, slug=split)
        .first()
    )
    found_setting = Setting.objects.filter(benchmark__slug=benchmark, slug=setting).first()
    return (found_split, found_setting) if found_split and found_setting else None
