"""Run facts as a system's page shows them: each with its source, and those that nobody states.

Enters: a system, and what its runs took. Leaves: facts in words, by group. Of a hidden split nothing is told about
single questions, such as a median or why answers stopped.
"""

import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from leaderboard.attributes import in_words
from leaderboard.facts import COMPUTED, COST, SECONDS, STATED, TOKENS, numbers_of
from leaderboard.models import System
from scoring.benchmarks.facts import FACTS, facts_of
from scoring.metrics.asking.cost import PRICES_DATE
from scoring.metrics.columns import shown
from scoring.models import Usage

SOURCES = {STATED: "stated", COMPUTED: f"computed, prices of {PRICES_DATE}"}
TOOK = "What it took"
A_QUESTION = replace(TOKENS, digits=1)


@dataclass(frozen=True)
class ShownFact:
    """A fact in words, and where it comes from."""

    label: str
    text: str = ""
    """Empty if nobody states it."""
    source: str = ""


def facts_by_group(system: System) -> dict[str, list[ShownFact]]:
    """What a system states of itself, and what it does not state; nothing if it states nothing."""
    groups: dict[str, list[ShownFact]] = {}
    for fact in FACTS if system.run_facts else ():
        text = in_words(fact, system.run_facts.get(fact.name))
        groups.setdefault(fact.group, []).append(ShownFact(fact.label, text, STATED if text else ""))
    return groups


def taken(run_facts: Mapping[str, Any], usage: Usage | None, *, totals_only: bool) -> list[ShownFact]:
    """What a run of a system with some facts took; with *totals_only*, as on hidden splits, nothing that single
    answers tell."""
    if usage is None:
        return []
    totals: Mapping[str, Any] = usage.totals
    n_answers = totals["n_answers"] or 1
    numbers = numbers_of(facts_of(run_facts), totals)
    facts = []
    if COST.key in numbers:
        value, source = numbers[COST.key]
        facts.append(ShownFact("Cost of the run", f"${shown(value, COST)}", SOURCES[source]))
        each = f"${shown(value / n_answers, replace(COST, digits=4))}"
        facts.append(ShownFact("Cost a question", each, SOURCES[source]))
    tokens = (("input_tokens", "in"), ("output_tokens", "out"), ("reasoning_tokens", "of these reasoning"))
    parts = [f"{shown(totals[name] / n_answers, TOKENS)} {word}" for name, word in tokens if name in totals]
    if parts:
        facts.append(ShownFact("Tokens a question", ", ".join(parts), STATED))
    questions: Mapping[str, Sequence[Any]] = {} if totals_only else usage.questions
    if SECONDS.key in numbers:
        mean = numbers[SECONDS.key][0]
        column = SECONDS if mean >= 0.1 else replace(SECONDS, digits=4)
        known = [value for value in questions.get("seconds", ()) if value is not None]
        text = shown(mean, column) + (f", median {shown(statistics.median(known), column)}" if known else "")
        facts.append(ShownFact("Seconds a question", text, STATED))
    if "tool_calls" in totals:
        facts.append(ShownFact("Tool calls a question", shown(totals["tool_calls"] / n_answers, A_QUESTION), STATED))
    reasons = Counter(reason for reason in questions.get("stop_reason", ()) if reason)
    if reasons:
        text = ", ".join(f"{reason} {shown(count, TOKENS)}" for reason, count in reasons.most_common())
        facts.append(ShownFact("Why answers stopped", text, STATED))
    return facts
