"""Categories of questions, as ``[[categories]]`` in ``benchmark.toml`` derives them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from itertools import pairwise
from typing import Any, Final

from scoring.benchmarks.form import CategoryTable
from scoring.files.mistakes import DECLARATION, Mistake, SourceError, shown, shown_id
from scoring.files.tables import Fault

Rule = Callable[[Mapping[str, Any]], tuple[str, ...]]
"""Gives a question's object its categories."""
WAYS = ("field", "pattern", "count")
PATTERN_SECONDS: Final = 1.0
"""How long a pattern may search one id; other patterns take microseconds."""
ALL_PATTERNS_SECONDS: Final = 10.0
"""How long the patterns of a declaration may search the ids of a file."""
LEAST_SECONDS: Final = 0.001
_left: ContextVar[list[float] | None] = ContextVar("left", default=None)


def faults(rules: Sequence[CategoryTable]) -> Iterator[Fault]:
    """What is wrong with rules whose fields are right one by one."""
    for index, rule in enumerate(rules):
        path = ("categories", index)
        ways = [way for way in WAYS if getattr(rule, way)]
        if len(ways) != 1:
            yield Fault(path, " and ".join(ways) or "none of them", f"one of {', '.join(WAYS)}", "Keep one.")
            continue
        (way,) = ways
        if way == "field" and rule.name:
            yield Fault((*path, "name"), shown(rule.name), "no name beside field", "Remove name.")
        if way != "field" and not rule.name:
            yield Fault((*path, "name"), "nothing", "the name of the category", "Add name.")
        if way == "pattern":
            import regex  # takes 50 ms, so only where it is needed

            try:
                regex.compile(rule.pattern)
            except (regex.error, RecursionError, OverflowError) as error:
                yield Fault((*path, "pattern"), shown(rule.pattern), f"a regular expression ({error})")
        bins = rule.bins
        if way == "count" and bins is None:
            yield Fault((*path, "bins"), "nothing", "lower bounds such as [1, 5, 10]", "Add bins.")
        elif way != "count" and bins is not None:
            yield Fault((*path, "bins"), shown(bins), "no bins without count", "Remove bins.")
        elif bins is not None and any(first >= second for first, second in pairwise(bins)):
            yield Fault((*path, "bins"), f"the numbers {bins}", "numbers in ascending order", "Sort them.")


def rules_of(declared: Sequence[CategoryTable]) -> tuple[Rule, ...]:
    """The rules that a declaration names; without any, the field ``categories``."""
    return tuple(rule_of(rule) for rule in declared or [CategoryTable(field="categories")] if not _tells_answers(rule))


def answer_rules_of(declared: Sequence[CategoryTable]) -> tuple[Rule, ...]:
    """The rules that tell something of the answer: a hidden split does not get their categories."""
    return tuple(rule_of(rule) for rule in declared if _tells_answers(rule))


def fields_of(declared: Sequence[CategoryTable]) -> tuple[str, ...]:
    """The keys of a question whose values are categories."""
    return tuple(rule.field for rule in declared if rule.field)


def _tells_answers(declared: CategoryTable) -> bool:
    return "answer" in (declared.count, declared.field)


def rule_of(declared: CategoryTable) -> Rule:
    """One rule that a declaration names."""
    if declared.field:
        return partial(_by_field, declared.field)
    if declared.pattern:
        import regex

        return partial(_by_pattern, regex.compile(declared.pattern), declared.name)
    return partial(_by_count, declared.count, declared.name, tuple(declared.bins or ()))


def _by_field(field: str, record: Mapping[str, Any]) -> tuple[str, ...]:
    value = record.get(field)
    if value is None:
        return ()
    return tuple(value) if isinstance(value, list) else (str(value),)


@contextmanager
def limited() -> Iterator[None]:
    """Within it, all patterns together may take `ALL_PATTERNS_SECONDS`."""
    token = _left.set([ALL_PATTERNS_SECONDS])
    try:
        yield
    finally:
        _left.reset(token)


def _by_pattern(pattern: Any, name: str, record: Mapping[str, Any]) -> tuple[str, ...]:
    """
    Raises:
        SourceError: the pattern takes too long, as ``(a|aa)+$`` does.
    """
    left = _left.get() or [PATTERN_SECONDS]
    began = time.perf_counter()
    try:
        matches = pattern.search(record["id"], timeout=max(min(left[0], PATTERN_SECONDS), LEAST_SECONDS))
        left[0] -= time.perf_counter() - began
        return (name,) if matches else ()
    except TimeoutError as error:
        what = f"a pattern that takes too long to search the id {shown_id(record['id'])}"
        fix = f"Write the pattern of {shown(name)} without repetitions inside repetitions."
        raise SourceError([str(Mistake(DECLARATION, 0, "categories", what, "a quick pattern", fix))]) from error


def _by_count(field: str, name: str, bins: tuple[int, ...], record: Mapping[str, Any]) -> tuple[str, ...]:
    value = record.get(field)
    number = len(value) if isinstance(value, list) else int(value is not None)
    reached = [index for index, low in enumerate(bins) if number >= low]
    return tuple(f"{name}: {label(bins, index)}" for index in reached[-1:])


def label(bins: tuple[int, ...], index: int) -> str:
    """The name of a bin.

    >>> [label((1, 2, 5), index) for index in range(3)]
    ['1', '2–4', '5 or more']
    """
    low = bins[index]
    if index == len(bins) - 1:
        return f"{low} or more"
    high = bins[index + 1] - 1
    return str(low) if low == high else f"{low}–{high}"
