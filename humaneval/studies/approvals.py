"""The list by which the maintainers of a study on a platform approve submissions: the only place with people's ids."""

from typing import Any, Final

from humaneval.models import Outcome, Participant, Platform, Study
from humaneval.models.exclusion_rules import in_words
from humaneval.studies import activity_log
from humaneval.studies.csv import csv_text
from humaneval.studies.exclusions import excluded_by_rule
from humaneval.studies.outcomes import outcome_of, seconds_taken
from leaderboard.models import User

IDS: Final = {Platform.PROLIFIC: ("participant_id", "submission_id"), Platform.MTURK: ("WorkerId", "AssignmentId")}
"""What a platform calls the ids of a person and of their submission."""
MTURK_VERDICTS: Final = ("Approve", "Reject")
FIELDS: Final = ("participant", "outcome", "suggestion", "reason", "code", "minutes", "pay", "currency")
APPROVE, REJECT = "approve", "reject"


def approval_rows(study: Study) -> list[dict[str, Any]]:
    """One row for each participant who came from the platform and whose ids are still stored, by number."""
    rules, ids = excluded_by_rule(study), IDS[Platform(study.platform)]
    people = study.participants.filter(is_preview=False, platform_id__isnull=False).order_by("number")
    return [_row(study, person, rules.get(person.pk), ids) for person in people]


def approvals_csv(study: Study, *, by: User) -> str:
    """The list as CSV, recorded in the study's log. For Mechanical Turk it has the columns of its file of results."""
    platform = Platform(study.platform)
    verdicts = MTURK_VERDICTS if platform == Platform.MTURK else ()
    _record(study, by)
    return csv_text([*IDS[platform], *verdicts, *FIELDS], approval_rows(study))


def approved_ids(study: Study, *, by: User) -> str:
    """The ids of the people whose approval is suggested, one a line, as Prolific's bulk approval takes them; recorded
    in the study's log."""
    _record(study, by)
    person_id = IDS[Platform(study.platform)][0]
    return "".join(f"{row[person_id]}\n" for row in approval_rows(study) if row["suggestion"] == APPROVE)


def _record(study: Study, by: User) -> None:
    text = "The list of approvals, with the platform's IDs, was exported."
    activity_log.record_action(study, "study.approvals-exported", text, by=by)


def _row(study: Study, person: Participant, rule: str | None, ids: tuple[str, str]) -> dict[str, Any]:
    """A participant's row. People who are done are to be approved, also if another rule excludes them; failed
    checks are to be rejected; everything else is for the maintainer to decide."""
    person.study = study
    outcome, seconds = outcome_of(person, rule), seconds_taken(person)
    suggestion = {Outcome.DONE: APPROVE, Outcome.FAILED_CHECKS: REJECT}.get(outcome, "") if outcome else ""
    reason = in_words(rule, study.exclusion_rules[rule]) if rule else person.exclusion_reason
    who, submission = (person.platform_id or "").split(" ")
    return {
        ids[0]: who,
        ids[1]: submission,
        "Approve": "x" if suggestion == APPROVE else "",
        "Reject": reason if suggestion == REJECT else "",
        "participant": person.code,
        "outcome": outcome or "",
        "suggestion": suggestion,
        "reason": reason,
        "code": person.receipt_code,
        "minutes": round(seconds / 60, 1) if seconds is not None else None,
        "pay": study.pay if suggestion == APPROVE else None,
        "currency": study.currency if suggestion == APPROVE and study.pay is not None else "",
    }
