"""The rules of a study about whose answers do not count, declared before the first participant consents."""

from typing import Any, Final

from django.core.exceptions import ValidationError

RULES: Final = {
    "checks": "Failed checks: {} or more",
    "seconds": "Median time of a question below {} s",
    "percent": "Finished less than {} % of the questions",
    "same": "Same answer to all questions, {} or more",
    "outcome": "Did not finish the study",
}
"""The rules in words, by their names, with a place for the number that each has; in the order in which they are
applied: the first that fits is a person's."""
HIGHEST: Final = {"checks": 200, "seconds": 3600, "percent": 100, "same": 200, "outcome": 1}
LOWEST: Final = {"checks": 1, "seconds": 1, "percent": 1, "same": 2, "outcome": 1}


def in_words(rule: str, number: int) -> str:
    """A rule as pages and exports name it.

    >>> in_words("checks", 2)
    'Failed checks: 2 or more'
    """
    return RULES[rule].format(number)


def validate_rules(value: Any) -> None:
    """Check the rules of a study: the number of each that applies, by the rule's name.

    Raises:
        ValidationError: they have another shape, or a number is out of its range.
    """
    if not isinstance(value, dict) or not all(
        rule in RULES and type(number) is int and LOWEST[rule] <= number <= HIGHEST[rule]
        for rule, number in value.items()
    ):
        raise ValidationError("The number of each exclusion rule that applies is expected, by the rule's name.")
