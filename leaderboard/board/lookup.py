"""Finding boards: their addresses, and a board with its document.

One query returns everything about a board except its content: names, related boards, its document's key, and whether
the document lacks a change.
"""

import hashlib
import hmac
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache, cached_property
from itertools import groupby
from pathlib import Path
from typing import Any, Final, NamedTuple

from django.conf import settings
from django.db.models import Exists, F, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import JSONObject
from django.urls import reverse
from django.utils import timezone

from leaderboard.board.document import FORMAT, Document, unpacked
from leaderboard.models import BoardChange, BoardDocument, Entry
from scoring.benchmarks import definition_of, definitions
from scoring.benchmarks.base import BenchmarkDefinition
from scoring.models import Setting, Split, SplitPhase
from scoring.models.benchmarks import Times, times_of

PARTS_OF_BUILD: Final = (
    ("templates", "*.html"),
    ("leaderboard", "*.html"),  # where an installation has the templates
    ("leaderboard", "*.py"),
    ("scoring/benchmarks", "*"),
)


class Neighbour(NamedTuple):
    """A related board: of the same split, or in the same setting."""

    split_pk: int
    split: str
    split_name: str
    setting_pk: int
    setting: str
    setting_name: str
    n_systems: int | None
    """Number of the board's systems; None if it has rows and no document yet."""
    has_questions: bool = True
    """Whether the split has questions: a benchmark may declare more splits than a site imports."""


@dataclass(frozen=True)
class StoredBoard:
    """A board as found by one query; its document is read when it is needed."""

    benchmark: Mapping[str, str]
    split: Mapping[str, Any]
    """The fields of the split: `OF_SPLIT`."""
    setting: Mapping[str, Any]
    """``pk``, ``slug``, ``name``, ``description``."""
    neighbours: tuple[Neighbour, ...]
    """Every board of the benchmark, including this one; ordered by setting, then by split."""
    document: int | None
    """The key of its document; None before the first one is written."""
    serial: int | None
    fingerprint: str
    is_stale: bool
    """Whether there is a change that the document lacks."""
    snapshot: int | None
    """The key of its newest snapshot."""

    @property
    def slugs(self) -> tuple[str, str, str]:
        """Benchmark, split and setting, as in URLs."""
        return self.benchmark["slug"], self.split["slug"], self.setting["slug"]

    @property
    def times(self) -> Times:
        """Whether the split accepts files now, by its declared times."""
        return times_of(self.split["opens"], self.split["closes"], timezone.now())

    @cached_property
    def version(self) -> str:
        """Changes whenever the board's content or this site's code does; 32 hexadecimal digits, the same for every
        order and filter."""
        of_board = [*(getattr(self, of.name) for of in fields(self)), self.times]
        key = settings.SECRET_KEY.encode()  # prevents guessing values of a hidden split by comparing ETags
        return hmac.digest(key, repr([_build(), of_board]).encode(), "sha256").hex()[:32]

    @cached_property
    def content(self) -> Document:
        """The board's document. One query.

        Raises:
            LookupError: the board has no document, or no longer has one.
        """
        stored = BoardDocument.objects.filter(pk=self.document or 0).values_list("content", flat=True).first()
        if stored is None:
            raise LookupError(f"The board {'/'.join(self.slugs)} has not been written yet.")
        return unpacked(bytes(stored))


IS_DRAFT: Final = Q(split_phase=SplitPhase.DRAFT)
OF_BENCHMARK: Final = ("slug", "name", "description", "citation", "url", "licence")
OF_SPLIT: Final = (
    *("pk", "slug", "name", "hidden", "rounding_step", "phase"),
    *("opens", "closes", "final", "final_shown_at"),
)
OF_SETTING: Final = ("pk", "slug", "name", "description")


def find_board(benchmark: str, split: str, setting: str, *, drafts: bool = False) -> StoredBoard | None:
    """The board with these slugs, if there is one; of a draft only if *drafts* are wanted. One query, whatever the
    number of systems."""
    boards = _boards_of().filter(benchmark__slug=benchmark)
    return _board_of(list(boards if drafts else boards.exclude(IS_DRAFT)), split, setting)


def find_home_boards() -> list[list[StoredBoard]]:
    """The boards of every benchmark that has a definition, in the order of the benchmarks: all settings of its first
    split, or, if no system is there, of another split that has some; its first board comes first. One query."""
    boards, known = [], definitions()
    rows_of_known = _boards_of().filter(benchmark__slug__in=list(known)).exclude(IS_DRAFT)
    for slug, group in groupby(rows_of_known, key=lambda row: row["benchmark_slug"]):
        rows, definition = list(group), known[slug]
        splits: dict[str, list[StoredBoard]] = {}
        for row in rows:
            board = _board_of(rows, row["split_slug"], row["slug"])
            if board is not None:
                splits.setdefault(row["split_slug"], []).append(board)
        with_systems = {of.split for board in splits.values() for of in board[0].neighbours if of.n_systems != 0}
        order = sorted(splits, key=lambda split: (split not in with_systems, split != definition.default_split))
        if order:
            chosen = splits[order[0]]
            boards.append(sorted(chosen, key=lambda board: board.setting["slug"] != definition.default_setting))
    return boards


def _board_of(rows: Sequence[Mapping[str, Any]], split: str, setting: str) -> StoredBoard | None:
    own = next((row for row in rows if (row["split_slug"], row["slug"]) == (split, setting)), None)
    if own is None:
        return None
    document = own["document"] or {}
    return StoredBoard(
        benchmark={name: own[f"benchmark_{name}"] for name in OF_BENCHMARK},
        split={name: own[f"split_{name}"] for name in OF_SPLIT},
        setting={name: own[name] for name in OF_SETTING},
        neighbours=tuple(
            Neighbour(
                *(row["split_pk"], row["split_slug"], row["split_name"], row["pk"], row["slug"], row["name"]),
                row["document"]["n_systems"] if row["document"] else None if row["has_rows"] else 0,
                row["split_revision"] is not None,
            )
            for row in rows
        ),
        document=document.get("pk"),
        serial=document.get("serial"),
        fingerprint=document.get("fingerprint", ""),
        is_stale=own["is_stale"],
        snapshot=document.get("snapshot"),
    )


@cache
def _boards_of() -> Any:
    """A query for all boards, each with its metadata."""
    here: dict[str, Any] = {"split": OuterRef("benchmark__splits"), "setting": OuterRef("pk")}
    # `OuterRef` is resolved where the query is used as a subquery below: here no query runs.
    documents = BoardDocument.objects.filter(**here, format=FORMAT).order_by()
    rows = Entry.objects.filter(replaced_at=None, **here).order_by()
    fields = ("pk", "serial", "fingerprint", "n_systems", "snapshot")
    return (
        Setting.objects.filter(benchmark__splits__isnull=False, benchmark__splits__subset_of=None)
        .annotate(
            # A subquery has one column, so the fields of the document travel as one JSON object.
            document=Subquery(documents.values_list(JSONObject(**dict(zip(fields, fields, strict=True))))),
            is_stale=Exists(BoardChange.objects.filter(**here)),
            has_rows=Exists(rows),
        )
        .order_by(
            *("benchmark__position", "benchmark__slug", "position", "pk"),
            *("benchmark__splits__position", "benchmark__splits__pk"),
        )
        .values(
            *("document", "is_stale", "has_rows", *OF_SETTING),
            split_revision=F("benchmark__splits__current_revision"),
            **{f"benchmark_{name}": F(f"benchmark__{name}") for name in OF_BENCHMARK},
            **{f"split_{name}": F(f"benchmark__splits__{name}") for name in OF_SPLIT},
        )
    )


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
