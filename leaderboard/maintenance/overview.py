"""The maintainers' start page: what needs attention, the splits, and links to all pages."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from django.db.models import Count, F
from django.db.models.functions import Coalesce

from leaderboard.maintenance.needs import Need, needs
from scoring.declarations import known_benchmarks
from scoring.models import Split
from scoring.runs.judging import budget


@dataclass(frozen=True)
class Overview:
    """What needs attention, and the splits with their actions."""

    needs: list[Need]
    spent_usd: Decimal
    """The cost of judging this month."""
    splits: list[Split]
    """With ``n_questions`` of the current revision and ``n_revisions``."""


def overview() -> Overview:
    """The current state of the site. Two queries in addition to those of `needs`."""
    return Overview(
        needs=needs(),
        spent_usd=budget.spent(budget.verdicts_of_this_month()),
        splits=list(
            Split.every.filter(benchmark__in=known_benchmarks())
            .select_related("benchmark", "current_revision", "subset_of")
            .annotate(
                n_questions=Count("current_revision__questions", distinct=True),
                n_revisions=Count("revisions", distinct=True),
            )
            .order_by(
                "benchmark__position", Coalesce("subset_of__position", "position"), F("subset_of").asc(nulls_first=True)
            )
        ),
    )
