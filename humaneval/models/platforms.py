"""Platforms that recruit and pay participants, and the outcomes of taking part that they tell apart."""

import re
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

from django.core.exceptions import ValidationError
from django.core.validators import URLValidator
from django.db import models

MAX_CODE: Final = 64
MAX_COMPLETION: Final = 300
BAD_COMPLETION: Final = (
    "Enter an address that starts with https://, or a code of letters, digits and hyphens (at most {} characters)."
)
_CODE: Final = re.compile(rf"[A-Za-z0-9-]{{1,{MAX_CODE}}}")


class Platform(models.TextChoices):
    """Where participants are recruited who are paid by the platform."""

    PROLIFIC = "prolific", "Prolific"
    MTURK = "mturk", "Mechanical Turk"


class Parameters(NamedTuple):
    """The names in a platform's links of the ids of a person, of their submission, and of the study there."""

    person: str
    submission: str
    study: str


PARAMETERS: Final = {
    Platform.PROLIFIC: Parameters("PROLIFIC_PID", "SESSION_ID", "STUDY_ID"),
    Platform.MTURK: Parameters("workerId", "assignmentId", "hitId"),
}
LINK_ENDS: Final = {
    Platform.PROLIFIC: "?PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}",
    Platform.MTURK: "?workerId=…&assignmentId=…&hitId=…",
}
"""What the address of a study has after the link, where the platform puts its ids."""
MTURK_PREVIEW: Final = "ASSIGNMENT_ID_NOT_AVAILABLE"
"""The id of a submission in links of people who only look at what is asked."""


class Outcome(models.TextChoices):
    """How taking part ended, for the platform."""

    DONE = "done", "Done"
    FAILED_CHECKS = "failed_checks", "Failed checks"
    SCREENED_OUT = "screened_out", "Screened out"
    TIMED_OUT = "timed_out", "Timed out"


def is_address(completion: str) -> bool:
    """Whether a completion is a web address; otherwise it is a code."""
    return completion.startswith("https://")


def validate_completion(completion: str) -> None:
    """Check the address that people open, or the code that they copy, when they have completed a study.

    Raises:
        ValidationError: it is neither.
    """
    problem = BAD_COMPLETION.format(MAX_CODE)
    if len(completion) > MAX_COMPLETION:
        raise ValidationError(problem)
    if is_address(completion):
        URLValidator(["https"], message=problem)(completion)
        if "@" in urlsplit(completion).netloc:  # https://app.prolific.com@example.org leads to the site behind the sign
            raise ValidationError(problem)
    elif not _CODE.fullmatch(completion):
        raise ValidationError(problem)


def validate_completions(value: Any) -> None:
    if not isinstance(value, dict) or not all(
        outcome in Outcome.values and isinstance(completion, str) for outcome, completion in value.items()
    ):
        raise ValidationError("An address or a code by outcome is expected.")
    for completion in value.values():
        validate_completion(completion)
