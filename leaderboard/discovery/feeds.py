"""Atom feeds: the newest rows of a board, or of all boards of a benchmark."""

import datetime
from typing import TYPE_CHECKING, Any, Final

from django.conf import settings
from django.contrib.syndication.views import Feed
from django.db.models import QuerySet
from django.http import Http404, HttpRequest
from django.urls import reverse
from django.utils.feedgenerator import Atom1Feed

from leaderboard.board.lookup import find_board
from leaderboard.board.table import StoredBoard, board_url
from leaderboard.models import Entry
from scoring.declarations import known_benchmarks
from scoring.models import Benchmark

NEWEST: Final = 30
if TYPE_CHECKING:
    BaseFeed = Feed[Entry, Any]
else:
    BaseFeed = Feed  # generic for the type checker alone


class RowsFeed(BaseFeed):
    """Rows, the newest first, under the names that boards show. Scores are left out: they may change."""

    feed_type = Atom1Feed

    def rows(self, obj: Any) -> QuerySet[Entry]:
        """The rows that the feed is about."""
        raise NotImplementedError

    def items(self, obj: Any) -> list[Entry]:
        """The newest ones. One query."""
        rows: Any = self.rows(obj).filter(replaced_at=None, retracted_at=None)  # as their index has it
        rows = rows.order_by("-published_at", "-pk")[:NEWEST]
        newest: list[Entry] = rows.select_related("split__benchmark", "setting").with_merged_systems()
        return newest

    def item_title(self, item: Any) -> str:
        return str(item.system.name)

    def item_description(self, item: Entry) -> str:
        where = f"{item.split.benchmark.name}, {item.setting.name}, {item.split.name}"
        source = f", published in {item.source}" if item.source else ""
        return f"{where}: {item.get_kind_display().lower()}{source}."

    def item_link(self, item: Entry) -> str:
        return settings.SITE_URL + item.system.get_absolute_url()

    def item_guid(self, item: Entry) -> str:
        return (
            f"{settings.SITE_URL}{board_url(item.split.benchmark.slug, item.split.slug, item.setting.slug)}#{item.pk}"
        )

    def item_pubdate(self, item: Entry) -> datetime.datetime:
        """When the row came to the board."""
        return item.published_at

    item_updateddate = item_pubdate


class BenchmarkFeed(RowsFeed):
    """The rows of all boards of a benchmark."""

    def get_object(self, request: HttpRequest, benchmark: str) -> Benchmark:
        """
        Raises:
            Http404: there is no such benchmark.
        """
        known = known_benchmarks().filter(slug=benchmark).first()
        if known is None:
            raise Http404("This benchmark does not exist.")
        return known

    def rows(self, obj: Benchmark) -> QuerySet[Entry]:
        return Entry.objects.filter(split__benchmark=obj)

    def title(self, obj: Benchmark) -> str:
        """Of the feed."""
        return f"{obj.name}: new results"

    def subtitle(self, obj: Benchmark) -> str:
        """The benchmark in a sentence."""
        return obj.description

    def link(self, obj: Benchmark) -> str:
        """The benchmark's page."""
        return settings.SITE_URL + reverse("benchmark", args=[obj.slug])

    def feed_url(self, obj: Benchmark) -> str:
        """Its own address."""
        return settings.SITE_URL + reverse("benchmark-feed", args=[obj.slug])


class BoardFeed(RowsFeed):
    """The rows of a board."""

    def get_object(self, request: HttpRequest, benchmark: str, split: str, setting: str) -> StoredBoard:
        """
        Raises:
            Http404: there is no such board.
        """
        board = find_board(benchmark, split, setting)
        if board is None or not known_benchmarks().filter(slug=benchmark).exists():
            raise Http404("This board does not exist.")
        return board

    def rows(self, obj: StoredBoard) -> QuerySet[Entry]:
        return Entry.objects.filter(split=obj.split["pk"], setting=obj.setting["pk"])

    def title(self, obj: StoredBoard) -> str:
        """Of the feed."""
        return f"{obj.benchmark['name']}, {obj.setting['name']}, {obj.split['name']}: new results"

    def link(self, obj: StoredBoard) -> str:
        """The board."""
        return settings.SITE_URL + board_url(*obj.slugs)

    def feed_url(self, obj: StoredBoard) -> str:
        """Its own address."""
        return settings.SITE_URL + reverse("board-feed", args=obj.slugs)
