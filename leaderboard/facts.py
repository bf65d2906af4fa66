"""Run facts: what everybody wants to know of a run whatever the benchmark, such as its model, its size and its cost.

Enters: what people state in forms and in the API, and what answering took (`scoring.generations.usage`). Leaves:
`RunFacts`, as `SystemFields.run_facts` stores them, the fields of forms and filters for them, and the numbers of the
columns `COLUMNS` of boards. A fact is declared once: by its field in `RunFacts`, which is stored under that name.
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any, Final, get_type_hints

import msgspec
from msgspec import Struct

from scoring.benchmarks.attributes import Attribute, Value
from scoring.generations.records import has_content
from scoring.metrics.asking.cost import PRICES_DATE, price_of
from scoring.metrics.columns import Column

STATED, COMPUTED = "stated", "computed"
SOURCES: Final = frozenset({STATED, COMPUTED})
"""Where a fact comes from: its sender, or this site."""
MODEL, RUN = "Model", "How it ran"
OPEN_WEIGHTS: Final = "open-weights"


@dataclass(frozen=True, kw_only=True)
class Fact(Attribute):
    """A run fact: an attribute that every system has, whatever its benchmark."""

    name: str = ""
    group: str = MODEL
    identifies: bool = True
    """Whether it may tell who is under double-blind review."""


class RunFacts(Struct, frozen=True, omit_defaults=True):
    """What a system states of itself; a fact that it does not state is empty or None."""

    organisation: Annotated[
        str,
        Fact(label="Organisation", kind="text", board="filter", help="Who runs or publishes the system, in short."),
    ] = ""
    model: Annotated[
        str,
        Fact(
            label="Model",
            kind="text",
            pattern=r"[\w.-]+/[\w.:@+-]+",
            example="openai/gpt-4o-2024-11-20",
            help="As developer/model, such as openai/gpt-4o-2024-11-20 or Qwen/Qwen3-32B.",
        ),
    ] = ""
    revision: Annotated[
        str, Fact(label="Revision", kind="text", help="Of the model: its commit, its date or its snapshot.")
    ] = ""
    access: Annotated[
        str,
        Fact(
            label="Access",
            kind="choice",
            choices=("api", OPEN_WEIGHTS),
            labels=("API", "Open weights"),
            board="filter",
            identifies=False,
            help="Whether others can download the weights or use the model through an API only.",
        ),
    ] = ""
    licence: Annotated[
        str, Fact(label="Licence", kind="text", help="Of the weights, such as Apache-2.0 or proprietary.")
    ] = ""
    parameters: Annotated[
        float | None,
        Fact(
            label="Parameters",
            kind="number",
            unit="billion",
            low=0.001,
            high=1_000_000,
            board="filter",
            identifies=False,
            help="All parameters of the model, in billions.",
        ),
    ] = None
    active_parameters: Annotated[
        float | None,
        Fact(
            label="Active parameters",
            kind="number",
            unit="billion",
            low=0.001,
            high=1_000_000,
            help="Of a mixture of experts: those that one token uses, in billions.",
        ),
    ] = None
    released: Annotated[
        datetime.date | None,
        Fact(label="Released", kind="date", board="filter", help="The day on which the model was published."),
    ] = None
    base_model: Annotated[
        str, Fact(label="Base model", kind="text", help="Of a fine-tuned model: what it was made from.")
    ] = ""
    scaffold: Annotated[
        str, Fact(label="Scaffold", kind="text", group=RUN, help="Tools, retrieval and prompts around the model.")
    ] = ""
    decoding: Annotated[
        str,
        Fact(
            label="Decoding",
            kind="text",
            group=RUN,
            help="Such as temperature 0, at most 4,096 tokens, high reasoning effort.",
        ),
    ] = ""
    framework: Annotated[
        str, Fact(label="Framework", kind="text", group=RUN, help="With versions, such as inspect_ai 0.3.285.")
    ] = ""
    traces: Annotated[
        str, Fact(label="Traces", kind="url", group=RUN, help="Where the steps behind the answers are published.")
    ] = ""


FACTS: Final = tuple(
    replace(hint.__metadata__[0], name=name) for name, hint in get_type_hints(RunFacts, include_extras=True).items()
)
"""The facts in the order of forms and pages."""


def facts_of(stored: Mapping[str, Value]) -> RunFacts | None:
    """The facts as `SystemFields.run_facts` stores them; None if there are none. A value that is none is left out."""
    known = {fact.name: fact.read(stored[fact.name]) for fact in FACTS if fact.name in stored}
    known = {name: value for name, value in known.items() if value is not None}
    return msgspec.convert(known, RunFacts) if known else None


def read_facts(given: Mapping[str, object]) -> tuple[dict[str, Value], dict[str, str]]:
    """The facts in an object of JSON, and, by key, what is expected in place of the others. None states nothing."""
    facts = {fact.name: fact for fact in FACTS}
    values: dict[str, Value] = {}
    expected: dict[str, str] = {}
    for key, value in given.items():
        fact = facts.get(key)
        if fact is None:
            expected[key] = f"one of the keys {', '.join(facts)}"
        elif value is not None:
            known = fact.read(value)
            if known is None or (isinstance(known, str) and not has_content(known)):
                expected[key] = fact.expected
            else:
                values[key] = known
    return values, expected


def anonymous(stored: Mapping[str, Value]) -> dict[str, Value]:
    """Those of some stored facts that do not tell whose they are."""
    return {fact.name: stored[fact.name] for fact in FACTS if not fact.identifies and fact.name in stored}


# --- The columns of boards ------------------------------------------------------------------------------------------

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


PREFIX: Final = "run."
"""Of filters by run facts, as in ``run.access=open-weights`` and ``run.cost.max=10``."""
FILTERS: Final = tuple(fact for fact in FACTS if fact.board == "filter") + tuple(
    Fact(name=column.key, label=column.label, kind="number", board="filter", unit=column.unit_label.strip(" ()"), low=0)
    for column in COLUMNS
)
"""What boards filter by, with the numbers of `COLUMNS`: a run that states any has ``run.cost.min=0``."""


def numbers_of(facts: RunFacts | None, totals: Mapping[str, Any]) -> dict[str, tuple[float, str]]:
    """By column, a run's number and where it comes from.

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
