"""Finding boards: their addresses, and a board with its document."""

import hashlib
import hmac
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Final, NamedTuple

from django.conf import settings
from django.db.models import Model, QuerySet
from django.urls import reverse
from django.utils import timezone

from leaderboard.board.document import FORMAT, Document, unpacked
from leaderboard.disclosure import DisclosureRule
from leaderboard.models import BoardChange, BoardDocument, Entry
from scoring.benchmarks import definition_of, definitions
from scoring.benchmarks.base import BenchmarkDefinition
from scoring.models import Benchmark, Setting, Split
from scoring.models.benchmarks import Times, times_of

PARTS_OF_BUILD: Final = (
    ("templates", "*.html"),
    ("leaderboard", "*.html"),  # where an installation has the templates
    ("leaderboard", "*.py"),
    ("scoring/benchmarks", "*"),
)


class Neighbour(NamedTuple):
    """A related board: of the same split, or in the same setting."""

    split: Split
    setting: Setting
    n_systems: int | None
    """Number of the board's systems; None if it has rows and no document yet."""

    @property
    def is_offered(self) -> bool:
        """Whether its split has questions or rows: a benchmark may declare more splits than a site imports."""
        return self.split.current_revision_id is not None or self.n_systems != 0


@dataclass(frozen=True)
class StoredBoard:
    """A board; its document's content is read when it is needed."""

    split: Split
    setting: Setting
    neighbours: tuple[Neighbour, ...]
    """Every board of the benchmark, including this one; ordered by setting, then by split."""
    document: BoardDocument | None
    """Without its content; None before the first one is written."""
    is_stale: bool
    """Whether there is a change that the document lacks."""

    @property
    def benchmark(self) -> Benchmark:
        """The benchmark of its split."""
        return self.split.benchmark

    @property
    def slugs(self) -> tuple[str, str, str]:
        """Benchmark, split and setting, as in URLs."""
        return self.benchmark.slug, self.split.slug, self.setting.slug

    @property
    def times(self) -> Times:
        """Whether the split accepts files now, by its declared times."""
        return times_of(self.split.opens, self.split.closes, timezone.now())

    @property
    def rule(self) -> DisclosureRule:
        """What of the document's numbers may be shown."""
        return DisclosureRule.of_benchmark(self.benchmark.slug, hidden=self.split.hidden)

    @cached_property
    def version(self) -> str:
        """Changes whenever the board's content or this site's code does; 32 hexadecimal digits, the same for every
        order and filter."""
        document = self.document and [getattr(self.document, name) for name in OF_DOCUMENT]
        around = [(_fields_of(of.split), _fields_of(of.setting), of.n_systems) for of in self.neighbours]
        of_board = [self.slugs, _fields_of(self.benchmark), around, document, self.is_stale, self.times]
        key = settings.SECRET_KEY.encode()  # prevents guessing values of a hidden split by comparing ETags
        return hmac.digest(key, repr([_build(), of_board]).encode(), "sha256").hex()[:32]

    @cached_property
    def content(self) -> Document:
        """The board's document. One query.

        Raises:
            LookupError: the board has no document, or no longer has one.
        """
        documents = BoardDocument.objects.filter(pk=self.document.pk if self.document else 0)
        stored = documents.values_list("content", flat=True).first()
        if stored is None:
            raise LookupError(f"The board {'/'.join(self.slugs)} has not been written yet.")
        return unpacked(bytes(stored))


OF_DOCUMENT: Final = ("pk", "serial", "fingerprint", "snapshot_id")
"""What says that a document is another one; it is checked again and again without becoming one."""


def _fields_of(model: Model) -> dict[str, Any]:
    return {name: value for name, value in vars(model).items() if name != "_state"}


def find_board(benchmark: str, split: str, setting: str, *, drafts: bool = False) -> StoredBoard | None:
    """The board with these slugs, if there is one; of a draft only if *drafts* are wanted. Five queries, whatever the
    number of systems."""
    boards = _boards_of([benchmark], drafts=drafts).get(benchmark, [])
    return next((board for board in boards if board.slugs == (benchmark, split, setting)), None)


def find_home_boards() -> list[list[StoredBoard]]:
    """The boards of every benchmark that has a definition, in the order of the benchmarks: all settings of its first
    split, or, if no system is there, of another split that has some; its first board comes first. Five queries."""
    known, chosen = definitions(), []
    for slug, boards in _boards_of(list(known)).items():
        definition = known[slug]
        with_systems = {of.split.slug for of in boards[0].neighbours if of.n_systems != 0}
        first = min(
            (board.split.slug for board in boards),
            key=lambda split: (split not in with_systems, split != definition.default_split),
        )
        of_split = [board for board in boards if board.split.slug == first]
        chosen.append(sorted(of_split, key=lambda board: board.setting.slug != definition.default_setting))
    return chosen


def _boards_of(benchmarks: Sequence[str], *, drafts: bool = False) -> dict[str, list[StoredBoard]]:
    """The boards of some benchmarks, by the slugs of these, in the order of `StoredBoard.neighbours`."""
    of_split: dict[str, Any] = {"split__benchmark__slug__in": benchmarks}
    every = (Split.with_drafts if drafts else Split.objects).filter(benchmark__slug__in=benchmarks, subset_of=None)
    splits: dict[Benchmark, list[Split]] = {}
    for split in every.select_related("benchmark").order_by(
        *("benchmark__position", "benchmark__slug", "position", "pk")
    ):
        splits.setdefault(split.benchmark, []).append(split)
    settings_of: dict[int, list[Setting]] = {}
    for setting in Setting.objects.filter(benchmark__slug__in=benchmarks).order_by("position", "pk"):
        settings_of.setdefault(setting.benchmark_id, []).append(setting)
    written = BoardDocument.objects.filter(format=FORMAT, **of_split).order_by().defer("content")
    documents = {(document.split_id, document.setting_id): document for document in written}
    changed = set(BoardChange.objects.filter(**of_split).order_by().values_list("split", "setting"))
    rows = Entry.objects.filter(replaced_at=None, **of_split).order_by()
    with_rows = set(rows.values_list("split", "setting").distinct())
    boards: dict[str, list[StoredBoard]] = {}
    for benchmark, own in splits.items():
        neighbours = []
        for setting in settings_of.get(benchmark.pk, ()):
            for split in own:
                document = documents.get((split.pk, setting.pk))
                n_systems = document.n_systems if document else None if (split.pk, setting.pk) in with_rows else 0
                neighbours.append(Neighbour(split, setting, n_systems))
        if neighbours:
            boards[benchmark.slug] = [
                StoredBoard(
                    split=of.split,
                    setting=of.setting,
                    neighbours=tuple(neighbours),
                    document=documents.get((of.split.pk, of.setting.pk)),
                    is_stale=(of.split.pk, of.setting.pk) in changed,
                )
                for of in neighbours
            ]
    return boards


@cache
def _build() -> str:
    """A digest of what else affects the pages of this process: the code and templates, and the site's settings."""
    digest = hashlib.sha256(f"{settings.MANYHOP_VERSION} {settings.SITE_NAME} {settings.STATIC_URL}".encode())
    digest.update(f"{settings.TIME_ZONE} {settings.JUDGE_MODEL} {settings.LEMMATISER}".encode())
    for folder, pattern in PARTS_OF_BUILD:
        for path in sorted(Path(settings.BASE_DIR, folder).rglob(pattern)):
            if path.is_file() and path.suffix != ".pyc":
                digest.update(path.read_bytes())
    manifest = Path(settings.STATIC_ROOT, "staticfiles.json")
    digest.update(manifest.read_bytes() if manifest.is_file() else b"")
    return digest.hexdigest()


# --- Addresses -------------------------------------------------------------------------------------------------------


def board_url(benchmark: str, split: str, setting: str) -> str:
    return reverse("board", args=[benchmark, split, setting])


def benchmark_links() -> list[dict[str, str]]:
    """Every benchmark with the URL of its first board. One query."""
    return [{"name": name, "slug": slugs[0], "home_url": board_url(*slugs)} for slugs, name in _first_boards().items()]


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
    """The split that a benchmark's pages show first, of those among some visible splits. One query."""
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
