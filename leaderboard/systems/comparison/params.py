"""Parameters of a comparison in a URL: the systems, the board, the score and the page."""

from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from django.http import QueryDict
from django.urls import reverse

from leaderboard.systems.comparison.types import MOST_SYSTEMS

LONGEST_WORD = 200


@dataclass(frozen=True)
class ComparisonParams:
    """The parameters of a URL; unknown values are ignored."""

    systems: tuple[str, ...] = ()
    benchmark: str = ""
    split: str = ""
    setting: str = ""
    score: str = ""
    page: str = "1"
    q: str = ""

    @classmethod
    def of(cls, query: QueryDict) -> "ComparisonParams":
        """Parse a query string. The form sends ``place`` (``benchmark/split/setting``) in place of its three parts."""
        slugs = tuple(dict.fromkeys(slug for slug in query.getlist("system") if slug))[: 10 * MOST_SYSTEMS]
        names = ("benchmark", "split", "setting", "score", "page", "q")
        given = {name: query.get(name, "")[:LONGEST_WORD] for name in names}
        parts = query.get("place", "")[:LONGEST_WORD].split("/")
        if len(parts) == 3:
            given |= dict(zip(("benchmark", "split", "setting"), parts, strict=True))
        return cls(systems=slugs, **given)

    def url(self, **changes: Any) -> str:
        """The URL of this comparison with some changes."""
        params = replace(self, **changes)
        query = [("system", slug) for slug in params.systems[:MOST_SYSTEMS]]
        query += [
            (name, value)
            for name in ("benchmark", "split", "setting", "score", "page")
            if (value := getattr(params, name)) and (name, value) != ("page", "1")
        ]
        return f"{reverse('compare')}?{urlencode(query)}"
