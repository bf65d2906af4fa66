"""The sitemap: boards, systems, questions of open splits, data cards and text pages, at ``SITE_URL``."""

import datetime
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, ClassVar, Final
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.sitemaps import Sitemap
from django.db.models import QuerySet
from django.db.models.functions import Coalesce
from django.urls import reverse

from leaderboard.board.document import FORMAT
from leaderboard.board.table import board_url
from leaderboard.models import BoardDocument, Entry, System
from scoring.benchmarks import definitions
from scoring.declarations import known_benchmarks
from scoring.models import Question, Split

if TYPE_CHECKING:
    BaseSitemap = Sitemap[Any]
else:
    BaseSitemap = Sitemap  # generic for the type checker alone


class SiteSitemap(BaseSitemap):
    """A section of the sitemap; its addresses begin with ``SITE_URL``, whatever address a request names."""

    limit = 10_000

    def get_urls(self, page: int | str = 1, site: Any = None, protocol: str | None = None) -> list[dict[str, Any]]:
        """The addresses on a page."""
        parts = urlsplit(settings.SITE_URL)
        here: Any = SimpleNamespace(domain=parts.netloc)
        return super().get_urls(page, here, parts.scheme)


class Pages(SiteSitemap):
    """Text pages, data cards, and the questions of each open split as a list."""

    names: ClassVar = ("home", "about", "how-to-submit", "definitions", "api-docs")

    def items(self) -> list[str]:
        """Paths of the pages. Two queries."""
        cards = [reverse("data-card", args=[slug]) for slug in known_benchmarks().values_list("slug", flat=True)]
        splits = Split.objects.filter(hidden=False, benchmark__slug__in=definitions(), current_revision__isnull=False)
        lists = [reverse("questions", args=slugs) for slugs in splits.values_list("benchmark__slug", "slug")]
        return [*map(reverse, self.names), *cards, *lists]

    def location(self, item: str) -> str:
        return item


class Boards(SiteSitemap):
    """Boards with a system."""

    def items(self) -> QuerySet[Any, Any]:
        """Slugs of the boards, and when each was last written."""
        written = BoardDocument.objects.filter(
            format=FORMAT, n_systems__gt=0, split__benchmark__slug__in=definitions(), split__subset_of=None
        )
        slugs = ("split__benchmark__slug", "split__slug", "setting__slug")
        return written.order_by("pk").values_list(*slugs, "written_at")

    def location(self, item: tuple[str, str, str, datetime.datetime]) -> str:
        return board_url(*item[:3])

    def lastmod(self, item: tuple[str, str, str, datetime.datetime]) -> datetime.datetime:
        """Time at which the board last changed."""
        return item[3]


class Systems(SiteSitemap):
    """Systems on a board under their present names."""

    def items(self) -> QuerySet[System]:
        """Without pseudonyms that are revealed, and without systems that were merged into others."""
        rows = Entry.objects.filter(replaced_at=None, split__benchmark__slug__in=definitions()).order_by()
        shown = rows.values(shown=Coalesce("system__same_as", "system"))
        return System.objects.filter(pk__in=shown, same_as=None, revealed_as=None).only("slug").order_by("pk")

    def location(self, item: System) -> str:
        return item.get_absolute_url()


class Questions(SiteSitemap):
    """The questions of open splits."""

    def items(self) -> QuerySet[Any, Any]:
        """The slugs of benchmark and split, and the id; those of current revisions."""
        questions = Question.objects.filter(
            revision__current_of__in=Split.objects.filter(hidden=False, benchmark__slug__in=definitions()),
        )
        slugs = ("revision__split__benchmark__slug", "revision__split__slug", "qid")
        return questions.order_by("pk").values_list(*slugs)

    def location(self, item: tuple[str, str, str]) -> str:
        return reverse("question", args=item)


SECTIONS: Final = {"pages": Pages, "boards": Boards, "systems": Systems, "questions": Questions}
