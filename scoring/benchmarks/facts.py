"""Run facts: what everybody wants to know of a run whatever the benchmark, such as its model and its size.

People state facts in forms, in the API and in tables of published results. A fact is declared once: by its field in
`RunFacts`, which is stored under that name.
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Final, get_type_hints

import msgspec
from msgspec import Struct

from scoring.benchmarks.attributes import Attribute, Value
from scoring.generations.records import has_content

MODEL, RUN = "Model", "How it ran"
OPEN_WEIGHTS: Final = "open-weights"
FROM_LOG: Final = "from_log"
"""The key, beside stored facts, of the names of those that were read from a framework's log, separated by spaces."""
PREFIX: Final = "run."
"""How a fact's name begins among attributes and scores: ``run.access=open-weights``, ``run.cost.max=10``."""


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
