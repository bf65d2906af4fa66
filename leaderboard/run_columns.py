"""What boards show and filter of run facts (`scoring.benchmarks.facts`), and the numbers of what runs took, and of
several attempts at each question.

A run's facts give filters; what answering took (`scoring.generations.usage`) gives the numbers of the columns `USAGE`,
each with where it comes from. The columns `OF_ATTEMPTS` are about the score that the board is ordered by
(`leaderboard.board.contents`).
"""

from collections.abc import Mapping
from dataclasses import replace
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
USAGE: Final = (COST, TOKENS, SECONDS)
"""What runs took: facts, not scores, so without intervals and ranks."""
ATTEMPTS_LABEL: Final = "Attempts"
_OF_ATTEMPTS: Final[dict[str, Any]] = {"metric": METRIC, "group": ATTEMPTS_LABEL, "default": False}
ATTEMPTS: Final = Column(
    score="attempts",
    label=ATTEMPTS_LABEL,
    short_label=ATTEMPTS_LABEL,
    description="How often each question was answered. Scores are means over all attempts.",
    unit="number",
    digits=0,
    bounds=None,
    **_OF_ATTEMPTS,
)
SPREAD: Final = Column(
    score="spread",
    label="Spread between attempts",
    short_label="Spread",
    description="Standard deviation of the attempts’ means: how far one attempt at all questions is from another.",
    higher_is_better=False,
    **_OF_ATTEMPTS,
)
PASS_AT: Final = Column(
    score="pass-at-k",
    label="pass@k",
    short_label="pass@k",
    description="The chance that at least one of k attempts at a question is right.",
    **_OF_ATTEMPTS,
)
PASS_HAT: Final = Column(
    score="pass-hat-k",
    label="pass^k",
    short_label="pass^k",
    description="The chance that all of k attempts at a question are right.",
    **_OF_ATTEMPTS,
)
OF_ATTEMPTS: Final = (ATTEMPTS, SPREAD, PASS_AT, PASS_HAT)
"""What several attempts at each question say of a board's first score; they have no ranks."""
COLUMNS: Final = (*USAGE, *OF_ATTEMPTS)
"""Columns of every benchmark, on boards where a row has a value."""
KEYS: Final = tuple(column.key for column in COLUMNS)

FILTERS: Final = tuple(fact for fact in FACTS if fact.board == "filter") + tuple(
    Fact(name=column.key, label=column.label, kind="number", board="filter", unit=column.unit_label.strip(" ()"), low=0)
    for column in USAGE
)
"""What boards filter by, with the numbers of `USAGE`: a run that states any has ``run.cost.min=0``."""


def shown_as(column: Column, headline: Column, shared_k: int) -> Column:
    """A column of `COLUMNS` as a board shows it: the spread in the unit of the board's first score, the chances with
    their k.

    Args:
        headline: the column of that score.
        shared_k: of pass@k and pass^k; 0 if it is not known.
    """
    if column == SPREAD:
        bounds = column.bounds if headline.is_share else None
        return replace(column, unit=headline.unit, digits=headline.digits, bounds=bounds, percent=headline.percent)
    if column in (PASS_AT, PASS_HAT):
        sign = column.label[:-1]
        label, of = (f"{sign}{shared_k}", f" {shared_k} attempts") if shared_k else (column.label, " k attempts")
        description = column.description.replace(" k attempts", of)
        return replace(column, label=label, short_label=label, description=description, percent=headline.percent)
    return column


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
