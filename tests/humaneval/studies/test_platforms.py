"""What a study may declare of a platform, and of whose answers do not count."""

import pytest
from django.core.exceptions import ValidationError

from humaneval.models.exclusion_rules import validate_rules
from humaneval.models.platforms import validate_completions


@pytest.mark.parametrize("completion", ["https://app.prolific.com/submissions/complete?cc=C1ABCDEF", "C1ABCDEF", "A-1"])
def test_a_completion_is_an_https_address_or_a_code(completion: str) -> None:
    validate_completions({"done": completion})


@pytest.mark.parametrize(
    "completions",
    [
        {"done": "http://app.prolific.com/submissions/complete?cc=C1"},
        {"done": "javascript:alert(1)"},
        {"done": "https://"},
        {"done": "https://a b.example"},
        {"done": "https://app.prolific.com@example.org/"},
        {"done": "https://somebody:password@example.org/"},
        {"done": "two words"},
        {"done": ""},
        {"done": "https://example.org/" + "a" * 300},
        {"finished": "C1"},
        {"done": 1},
        ["C1"],
    ],
)
def test_nothing_else_is_a_completion(completions: object) -> None:
    with pytest.raises(ValidationError):
        validate_completions(completions)


def test_rules_have_a_number_within_their_range() -> None:
    validate_rules({})
    validate_rules({"checks": 1, "seconds": 3600, "percent": 100, "same": 2, "outcome": 1})
    wrong: tuple[object, ...] = (
        {"checks": 0},
        {"same": 1},
        {"percent": 101},
        {"percent": 0.5},
        {"checks": True},
        {"age": 3},
        [],
    )
    for rules in wrong:
        with pytest.raises(ValidationError):
            validate_rules(rules)
