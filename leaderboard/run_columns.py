"""What boards show and filter of run facts (`scoring.benchmarks.facts`), and the numbers of what runs took.

A run's facts give filters; what answering took (`scoring.generations.usage`) gives the numbers of the columns
`COLUMNS`, each with where it comes from.
"""

from collections.abc import Mapping
from typing import Any, Final

from scoring.benchmarks.facts import FACTS, Fact, RunFacts
from scoring.benchmarks.facts import PREFIX as PREFIX
from scoring.metrics.asking.cost import PRICES_DATE, price_of
from scoring.metrics.columns import Column

STATED, COMPUTED = "stated", "computed"
SOURCES: Final = frozenset({STATED, COMPUTED})
"""Where a fact comes from: its sender, or this site."""
METRIC: Final = "run"
LABEL: Final = "Run"
NOT_STATED: Final = "Not stated by its sender."
_OF_RUNS: Final[dict[str, Any]] = {"metric": METRIC, "group": LABEL, "higher_is_better": False, "bounds": None}
COST: Final = Column(
    score="cost",
    label="Cost of the run",
    short_label="Cost",
    description="What the answers cost, in US dollars: as stated, or computed from the stated tokens with prices of "
    f"{PRICES_DATE}.",
    unit="usd",
    digits=2,
    **_OF_RUNS,
)
TOKENS: Final = Column(
    score="tokens",
    label="Tokens a question",
    short_label="Tokens",
    description="Input and output tokens for one question on average, as stated.",
    unit="tokens",
    digits=0,
    default=False,
    **_OF_RUNS,
)
SECONDS: Final = Column(
    score="seconds",
    label="Seconds a question",
    short_label="Seconds",
    description="Time for one question on average, as stated.",
    unit="seconds",
    digits=1,
    default=False,
    **_OF_RUNS,
)
COLUMNS: Final = (COST, TOKENS, SECONDS)
"""Columns of every benchmark, on boards where a row has a value: facts, not scores, so without intervals and ranks."""
KEYS: Final = tuple(column.key for column in COLUMNS)

FILTERS: Final = tuple(fact for fact in FACTS if fact.board == "filter") + tuple(
    Fact(name=column.key, label=column.label, kind="number", board="filter", unit=column.unit_label.strip(" ()"), low=0)
    for column in COLUMNS
)
"""What boards filter by, with the numbers of `COLUMNS`: a run that states any has ``run.cost.min=0``."""


def numbers_of(facts: RunFacts | None, totals: Mapping[str, Any]) -> dict[str, tuple[float, str]]:
    """Numbers of a run by column, each with its origin.

    Args:
        totals: of the run (`scoring.models.Usage`), with ``n_answers``.
    """
    numbers: dict[str, tuple[float, str]] = {}
    sides: tuple[Any, Any] = (totals.get("input_tokens"), totals.get("output_tokens"))
    price = price_of(facts.model.removeprefix("openai/")) if facts and facts.model.startswith("openai/") else None
    if totals.get("cost_usd") is not None:
        numbers[COST.key] = (totals["cost_usd"], STATED)
    elif price is not None and None not in sides:
        numbers[COST.key] = (float(price.of(*sides)), COMPUTED)
    if n_answers := totals.get("n_answers"):
        if None not in sides:
            numbers[TOKENS.key] = (sum(sides) / n_answers, STATED)
        if totals.get("seconds") is not None:
            numbers[SECONDS.key] = (totals["seconds"] / n_answers, STATED)
    return numbers
