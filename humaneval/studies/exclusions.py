"""The participants whose answers do not count by a rule that their study declared beforehand.

The rules are about people whose part is over: who finished, was given up on, has no time left, or whom the study's end
reached. So they need no action, and a person who is still answering is not judged.
"""

import datetime
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Final
from uuid import UUID

from django.utils import timezone

from humaneval.models import Assignment, Kind, OnNamed, Participant, Preference, Study, StudyState, Vote
from humaneval.models.exclusion_rules import RULES, in_words
from humaneval.studies.evidence_measures import median_of, passes

DEFENSIBLE: Final = frozenset({Vote.NO, Vote.UNCLEAR})
"""Votes on an injected wrong answer that can be defended: a passage that is silent about it does not tell."""


def defends_pair(choice: str, *, swapped: bool, first_is_good: bool) -> bool:
    """Whether a choice on an injected pair can be defended: the own answer, which is the first, or both are bad if it
    may be."""
    own = Preference.RIGHT if swapped else Preference.LEFT
    return choice == own or (choice == Preference.BAD and not first_is_good)


def excluded_by_rule(study: Study, only: Participant | None = None) -> dict[UUID, str]:
    """The name of the rule (`humaneval.models.exclusion_rules.RULES`) by the participant whom it excludes: the first
    that fits.

    Args:
        only: the one participant to judge; None for all.
    """
    if not study.exclusion_rules:
        return {}
    now = timezone.now()
    consented = study.participants.filter(
        is_preview=False, consented_at__isnull=False, excluded_at=None, withdrawn_at=None
    )
    people = [
        person
        for person in (consented if only is None else consented.filter(pk=only.pk))
        if _is_over(study, person, now)
    ]
    given: dict[UUID, list[Assignment]] = defaultdict(list)
    rows = Assignment.objects.filter(participant__in=people).select_related("item")
    for row in rows.defer("item__candidate", "item__other", "item__passage_text"):
        given[row.participant_id].append(row)
    found = {}
    for person in people:
        fits = _fitting(study, person, given[person.pk])
        rule = next((rule for rule in RULES if rule in study.exclusion_rules and fits[rule]), None)
        if rule is not None:
            found[person.pk] = rule
    return found


def exclusions_of(study: Study) -> list[tuple[str, int]]:
    """How many participants each rule of a study excludes, in words, also nobody; and how many the study team does, and
    the test before the questions, if they exclude somebody."""
    by_rule = Counter(excluded_by_rule(study).values())
    rows = [
        (in_words(rule, study.exclusion_rules[rule]), by_rule[rule]) for rule in RULES if rule in study.exclusion_rules
    ]
    reasons = study.participants.filter(is_preview=False, excluded_at__isnull=False, withdrawn_at=None)
    by_hand = Counter(reasons.values_list("exclusion_reason", flat=True))
    return rows + [(f"Excluded: {reason}", n) for reason, n in sorted(by_hand.items())]


def _is_over(study: Study, person: Participant, now: datetime.datetime) -> bool:
    person.study = study
    if person.finished_at or person.dropped_at or person.has_no_time_at(now):
        return True
    return study.state_at(now) == StudyState.CLOSED and not (person.extended_until and person.extended_until > now)


def _fitting(study: Study, person: Participant, given: Sequence[Assignment]) -> Mapping[str, bool]:
    """Whether each rule fits a participant, with the study's number; of a rule that the study has not, no."""
    rules = study.exclusion_rules
    said = [row for row in given if _is_finished(study, person, row)]
    asked = [row for row in given if row.attention_check is None]
    finished = [row for row in said if row.attention_check is None]
    n_failed = sum(_fails_check(study, person, row) for row in given)
    median = median_of(row.open_seconds if row.active_seconds is None else row.active_seconds for row in finished)
    n_same = len(finished) if study.kind != Kind.ANSWER and len({row.text for row in finished}) == 1 else 0
    return {
        "checks": n_failed >= rules.get("checks", n_failed + 1),
        "seconds": median is not None and median < rules.get("seconds", 0),
        "percent": 100 * len(finished) < rules.get("percent", 0) * len(asked),
        "same": n_same >= rules.get("same", n_same + 1),
        "outcome": person.finished_at is None,
    }


def _is_finished(study: Study, person: Participant, row: Assignment) -> bool:
    """As `humaneval.studies.queries.COMPLETE`, but for unfinished answers, which a study may count."""
    if row.named_at is not None and study.on_named == OnNamed.LEAVE_OUT:
        return False
    return bool(row.text.strip() and (row.done_at or (person.finished_at and not row.skipped_at)))


def _fails_check(study: Study, person: Participant, row: Assignment) -> bool:
    """Whether an attention check, or a question about an injected item, is failed: by its answer, or because it was
    skipped, or left without one by somebody who finished."""
    item = row.item
    if row.attention_check is None and (item is None or not item.is_injected or item.named):
        return False
    if row.named_at is not None and study.on_named == OnNamed.LEAVE_OUT:
        return False
    if not _is_finished(study, person, row):
        return bool(row.skipped_at or person.finished_at)
    if item is None:
        return not passes(row.attention_check or {}, row.text)
    if item.is_pair:
        return not defends_pair(row.text, swapped=row.swapped, first_is_good=item.supported is True)
    return row.text not in DEFENSIBLE
