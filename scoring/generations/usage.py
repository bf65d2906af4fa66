"""What answering took, as the sender states it: tokens, seconds, US dollars, tool calls, the reason for stopping.

Plain Python: no Django.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

Number = int | float
Values = dict[str, Number | str]
LONGEST_REASON: Final = 40
MOST_TOKENS: Final = 10**12


@dataclass(frozen=True)
class UsageField:
    """A fact about the answer to one question; its sum is a fact about the run."""

    name: str
    label: str
    help: str
    most: float = MOST_TOKENS
    whole: bool = True
    unit: str = ""
    form_label: str = ""
    """What the submission form calls its sum; it asks for no other sums, and the API takes each."""
    is_text: bool = False
    """Whether it is a text, which has no sum."""

    @property
    def expected(self) -> str:
        """What a value is, in words."""
        if self.is_text:
            return f"a text of 1 to {LONGEST_REASON} characters without control characters"
        return f"a {'whole number' if self.whole else 'number'} from 0 to {self.most:,.0f}"

    def read(self, value: object) -> Number | str | None:
        """A value of JSON, if it is one of this field; else None.

        >>> TOKENS, COST = USAGE_FIELDS[0], NAMED["cost_usd"]
        >>> TOKENS.read(12), TOKENS.read(12.0), TOKENS.read(True), COST.read(0.25), COST.read(-1)
        (12, 12, None, 0.25, None)
        """
        if self.is_text:
            is_reason = isinstance(value, str) and 0 < len(value) <= LONGEST_REASON and value.isprintable()
            return str(value) if is_reason else None
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= self.most:
            return None
        return int(value) if self.whole and float(value).is_integer() else None if self.whole else value


USAGE_FIELDS: Final = (
    UsageField(
        "input_tokens",
        "Input tokens",
        "Tokens that the model read, in all of its calls.",
        form_label="Input tokens",
    ),
    UsageField(
        "output_tokens",
        "Output tokens",
        "Tokens that the model wrote, with its reasoning.",
        form_label="Output tokens",
    ),
    UsageField("reasoning_tokens", "Reasoning tokens", "Those of the output tokens that were reasoning."),
    UsageField(
        "seconds",
        "Seconds",
        "From the question to the answer.",
        most=10**9,
        whole=False,
        unit="s",
        form_label="Seconds",
    ),
    UsageField(
        "cost_usd",
        "Cost",
        "What it cost, in US dollars.",
        most=10**9,
        whole=False,
        unit="US$",
        form_label="Cost in US$",
    ),
    UsageField("tool_calls", "Tool calls", "Calls of search or other tools.", most=10**9),
    UsageField("stop_reason", "Stop reason", "Why the model stopped, such as stop or length.", is_text=True),
)
NAMED: Final = {field.name: field for field in USAGE_FIELDS}
SUMMED: Final = tuple(field for field in USAGE_FIELDS if not field.is_text)
SAMPLE: Final = '{"input_tokens": 6500, "output_tokens": 400, "seconds": 9.1, "cost_usd": 0.043}'


def read_usage(
    given: object, name_of: Mapping[str, UsageField] = NAMED
) -> tuple[Values, list[tuple[str, str, str]], list[str]]:
    """The values of a usage, its mistakes (each as a field, empty for the whole, what was found there and what was
    expected), and the keys that are none of its fields.

    Args:
        given: a value of JSON; a field that is None is not stated.
        name_of: the fields that it may have.

    >>> read_usage({"input_tokens": 3, "output_tokens": 5, "reasoning_tokens": 9, "cost_usd": "1", "speed": 2})[1][0]
    ('cost_usd', 'a text', 'a number from 0 to 1,000,000,000')
    """
    if not isinstance(given, Mapping):
        return {}, [("", _kind(given), f"an object such as {SAMPLE}")], []
    values: Values = {}
    mistakes: list[tuple[str, str, str]] = []
    for name, field in name_of.items():
        if (sent := given.get(name)) is None:
            continue
        value = field.read(sent)
        if value is None:
            mistakes.append((name, _kind(sent), field.expected))
        else:
            values[name] = value
    reasoning, output = values.get("reasoning_tokens"), values.get("output_tokens")
    if isinstance(reasoning, int) and isinstance(output, int) and reasoning > output:
        mistakes.append(("reasoning_tokens", f"{reasoning:,}", f"at most the {output:,} output tokens"))
    return values, mistakes, [str(key) for key in given if key not in name_of]


def _kind(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return "a text" if len(value) <= LONGEST_REASON else f"a text of {len(value):,} characters"
    if isinstance(value, int | float):
        return str(value)[:LONGEST_REASON]
    return "a list" if isinstance(value, list) else "null" if value is None else "an object"


def in_columns(by_question: Mapping[str, Values]) -> dict[str, list[Number | str | None]]:
    """The usages of questions as they are stored: each field once, with its values in the order of ``qids``."""
    columns: dict[str, list[Number | str | None]] = {"qids": list(by_question)} if by_question else {}
    for name in NAMED:
        values = [usage.get(name) for usage in by_question.values()]
        if any(value is not None for value in values):
            columns[name] = values
    return columns


def of_one_attempt(usages: Sequence[Values]) -> Values:
    """What one attempt at a question took in the mean, as far as each attempt states it; of texts the most frequent.

    >>> of_one_attempt([{"input_tokens": 10, "seconds": 1}, {"input_tokens": 13}])
    {'input_tokens': 11.5}
    """
    values: Values = {}
    for name in NAMED:
        stated = [usage[name] for usage in usages if name in usage]
        numbers = [value for value in stated if not isinstance(value, str)]
        if numbers and len(numbers) == len(usages):
            mean = math.fsum(numbers) / len(numbers)
            values[name] = int(mean) if mean.is_integer() else mean
        elif stated and not numbers:
            values[name] = Counter(stated).most_common(1)[0][0]
    return values


def totals_of(by_question: Mapping[str, Values], n_answers: int) -> dict[str, Number]:
    """The sums of the fields that every answer states: a sum over some of the answers would say too little.

    >>> totals_of({"a": {"seconds": 1, "tool_calls": 2}, "b": {"seconds": 0.5}}, n_answers=2)
    {'seconds': 1.5}
    """
    columns: Mapping[str, Sequence[Number | str | None]] = in_columns(by_question)
    totals: dict[str, Number] = {}
    for field in SUMMED:
        values = [value for value in columns.get(field.name, ()) if isinstance(value, int | float)]
        if values and len(values) == n_answers:
            totals[field.name] = sum(values) if field.whole else math.fsum(values)
    return totals
