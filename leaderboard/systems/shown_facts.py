"""Run facts as a system's page shows them: each with its source, and those that nobody states.

Enters: a system, and what its runs took. Leaves: facts in words, by group. Of a hidden split nothing is shown about
single questions, such as a median or why answers stopped.
"""

import math
import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from leaderboard.attributes import in_words
from leaderboard.models import System
from leaderboard.run_columns import COMPUTED, COST, SECONDS, STATED, TOKENS, numbers_of
from scoring.benchmarks.facts import FACTS, FROM_LOG, facts_of
from scoring.metrics.asking.cost import PRICES_DATE
from scoring.metrics.columns import shown
from scoring.models import Usage

READ: Final = "from the log"
"""The source of what the log of a framework says, which was uploaded in place of a generations file."""
TOOK = "What it took"
A_QUESTION = replace(TOKENS, digits=1)


ShownFact = tuple[str, str, str]
"""The label of a fact, the fact in words, and where it comes from; the last two are empty if nobody states it."""


def facts_by_group(system: System) -> dict[str, list[ShownFact]]:
    """What a system states of itself, and what it does not state; if it states nothing, the facts that boards filter
    by. Of an anonymous row only what is stated, because the rest may be withheld; people have no facts."""
    groups: dict[str, list[ShownFact]] = {}
    read = system.run_facts.get(FROM_LOG, "").split()
    for fact in () if system.is_human else FACTS:
        is_stated = fact.name in system.run_facts
        if not is_stated and (system.is_pseudonym or not (system.run_facts or fact.board == "filter")):
            continue
        text = in_words(fact, system.run_facts.get(fact.name))
        source = READ if fact.name in read else STATED if text else ""
        groups.setdefault(fact.group, []).append((fact.label, text, source))
    return groups


def taken(run_facts: Mapping[str, Any], usage: Usage | None, *, totals_only: bool, from_log: bool) -> list[ShownFact]:
    """What a run of a system with some facts took.

    Args:
        totals_only: tell nothing that single answers tell, as on hidden splits.
        from_log: whether the answers were read from a framework's log.
    """
    if usage is None:
        return []
    totals: Mapping[str, Any] = usage.totals
    n_answers = totals["n_answers"] or 1
    numbers = numbers_of(facts_of(run_facts), totals)
    facts: list[ShownFact] = []

    def source_of(*names: str) -> str:
        """A total that is not the sum of what the log says of the answers was stated."""
        known = [name for name in names if name in totals]
        sums = {name: sum(value or 0 for value in usage.questions.get(name, ())) for name in known if from_log}
        return READ if from_log and all(math.isclose(sums[name], totals[name]) for name in known) else STATED

    if COST.key in numbers:
        value, source = numbers[COST.key]
        source = f"computed, prices of {PRICES_DATE}" if source == COMPUTED else source_of("cost_usd")
        facts.append(("Cost of the run", f"${shown(value, COST)}", source))
        each = f"${shown(value / n_answers, replace(COST, digits=4))}"
        facts.append(("Cost a question", each, source))
    tokens = (("input_tokens", "in"), ("output_tokens", "out"), ("reasoning_tokens", "of these reasoning"))
    parts = [f"{shown(totals[name] / n_answers, TOKENS)} {word}" for name, word in tokens if name in totals]
    if parts:
        facts.append(("Tokens a question", ", ".join(parts), source_of(*(name for name, _ in tokens))))
    questions: Mapping[str, Sequence[Any]] = {} if totals_only else usage.questions
    if SECONDS.key in numbers:
        mean = numbers[SECONDS.key][0]
        column = SECONDS if mean >= 0.1 or not mean else replace(SECONDS, digits=4)
        known = [value for value in questions.get("seconds", ()) if value is not None]
        facts.append(("Seconds a question", shown(mean, column), source_of("seconds")))
        if known:
            facts.append(("Median of seconds", shown(statistics.median(known), column), source_of("seconds")))
    if "tool_calls" in totals:
        text = shown(totals["tool_calls"] / n_answers, A_QUESTION)
        facts.append(("Tool calls a question", text, source_of("tool_calls")))
    reasons = Counter(reason for reason in questions.get("stop_reason", ()) if reason)
    if reasons:
        text = ", ".join(f"{reason} {shown(count, TOKENS)}" for reason, count in reasons.most_common())
        facts.append(("Why answers stopped", text, READ if from_log else STATED))
    return facts if COST.key in numbers else [*facts, ("Cost of the run", "", "")]
