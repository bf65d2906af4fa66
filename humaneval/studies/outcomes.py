"""How taking part ended for each participant, what they are shown and paid for it, and how long it took."""

from dataclasses import dataclass
from decimal import Decimal

from django.utils import timezone

from humaneval.models import Outcome, Participant, Platform, Study
from humaneval.models.platforms import is_address
from humaneval.studies.exclusions import excluded_by_rule
from humaneval.studies.queries import NOT_QUALIFIED


@dataclass(frozen=True)
class Completion:
    """What a participant takes back to the platform: an address to open, or a code to copy."""

    platform: Platform
    address: str = ""
    code: str = ""


def outcome_of(participant: Participant, rule: str | None) -> Outcome | None:
    """How taking part ended; None if it has not, or if the participant left or was excluded by the study team.

    *rule* is the one that excludes them.
    """
    if participant.excluded_at is not None:
        return Outcome.SCREENED_OUT if participant.exclusion_reason == NOT_QUALIFIED else None
    if participant.withdrawn_at or participant.declined_at:
        return None
    if participant.finished_at is not None:
        return Outcome.FAILED_CHECKS if rule == "checks" else Outcome.DONE
    if participant.dropped_at is not None or participant.has_no_time_at(timezone.now()):
        return Outcome.TIMED_OUT
    return None


def completion_of(participant: Participant) -> Completion | None:
    """What a participant takes back to the study's platform at the end: what the study declares for the outcome, or, on
    Mechanical Turk, their own receipt. None without a platform or an outcome."""
    study = participant.study
    if not study.platform:
        return None
    outcome = outcome_of(participant, excluded_by_rule(study, participant).get(participant.pk))
    if outcome is None:
        return None
    platform, declared = Platform(study.platform), study.completions.get(outcome, "")
    if is_address(declared):
        return Completion(platform, address=declared)
    code = declared or (participant.receipt_code if platform == Platform.MTURK else "")
    return Completion(platform, code=code) if code else None


def seconds_taken(participant: Participant) -> float | None:
    """Seconds from the first consent to finishing, with breaks; None if they have not finished."""
    begun, ended = participant.consented_at, participant.finished_at
    return (ended - begun).total_seconds() if begun and ended else None


def pay_per_hour(study: Study, seconds: float | None) -> Decimal | None:
    """The study's pay for a time, per hour; None without one of them."""
    return study.pay * 3600 / Decimal(seconds) if study.pay is not None and seconds else None
