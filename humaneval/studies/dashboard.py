"""The dashboard of a study, for its maintainer: sessions, states, stuck participants, times, and answer counts."""

import datetime
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from django.db.models import Count, Q, QuerySet, Sum
from django.utils import timezone

from humaneval.models import (
    Assignment,
    Invitation,
    Participant,
    SamplingMethod,
    Study,
    StudyState,
)
from humaneval.models.exclusion_rules import in_words
from humaneval.studies.evidence_measures import median_of, passes_check, total_seconds
from humaneval.studies.exclusions import excluded_by_rule
from humaneval.studies.kinds import KINDS
from humaneval.studies.outcomes import pay_per_hour, seconds_taken
from humaneval.studies.planning import expected_margin
from humaneval.studies.queries import COMPLETE, counted
from scoring.models import Question

STUCK_AFTER: Final = datetime.timedelta(hours=48)
"""A participant who began, has not finished and was not seen for this long is stuck."""
TARGETED: Final = (SamplingMethod.BALANCED, SamplingMethod.PLANNED)
"""The samplings for which a study states how many answers each question shall get."""
LONG_SECONDS: Final = 30 * 60
"""Seconds after which a participant may need help, who has worked so long on one question without marking it done: the
paper's took 5 to 15 min."""
EVENTS_SHOWN: Final = 12


def dashboard(study: Study) -> dict[str, Any]:
    """The dashboard of a study. Times are in seconds, None if there are no values for a median."""
    now = timezone.now()
    people, rules = list(_people(study)), excluded_by_rule(study)
    counting = set(counted(study).values_list("pk", flat=True))
    assignments: dict[Any, list[Any]] = defaultdict(list)
    for given in _assignment_rows(study):
        assignments[given.participant_id].append(given)
    rows = [_row(study, person, assignments[person.pk], now, rules) for person in people]
    answered = [
        given
        for person in people
        for given in assignments[person.pk]
        if person.pk in counting and (given.question_id or given.item_id) and given.is_complete
    ]
    per_question = Counter(str(given.item_id) if given.question is None else given.question.qid for given in answered)
    if not KINDS[study.kind].writes_answers:
        n_pool = study.items.count()
    elif study.question_ids:
        n_pool = len(study.question_ids)
    else:
        n_pool = Question.objects.filter(revision=study.split.current_revision_id).count()
    by_count = Counter(per_question.values())
    if n_pool > len(per_question):
        by_count[0] = n_pool - len(per_question)
    taken = [row for row in rows if row["state"] not in ("declined", "withdrawn", "dropped", "excluded")]
    valid = Q(revoked_at=None)
    links = Invitation.objects.filter(study=study).aggregate(
        room=Sum("limit", filter=valid, default=0),
        used=Sum("n_used", filter=valid, default=0),
        unsent=Count("pk", filter=valid & Q(contact__isnull=False, sent_at=None, participant=None)),
    )
    states = Counter(row["state"] for row in rows)
    return {
        "unit": KINDS[study.kind].unit,
        # Participants who count towards the study's limit, and those who consented, whatever their state now.
        "n_taken": len(taken),
        "n_started": sum(person.consented_at is not None for person in people),
        **{
            f"n_{state}": states[state]
            for state in ("finished", "stuck", "dropped", "declined", "withdrawn", "excluded")
        },
        # How many more people valid links admit, and the valid personal links with an address that were never sent.
        "n_links": links["room"] - links["used"],
        "n_unsent": links["unsent"],
        "n_answers": len(answered),
        "n_pool": n_pool,
        "n_questions_answered": len(per_question),
        "wanted": study.answers_per_question if study.drawing in TARGETED else None,
        "plan": _plan(study, n_pool) if study.drawing == SamplingMethod.PLANNED else None,
        # The numbers of questions with a number of answers, from the highest number of answers down to none.
        "coverage": sorted(by_count.items(), reverse=True),
        "median_active_seconds": median_of(row.active_seconds for row in answered),
        # Between opening an answered question and marking it done.
        "median_open_seconds": median_of(
            (row.done_at - row.opened_at).total_seconds() for row in answered if row.done_at and row.opened_at
        ),
        # From consent to finishing, with breaks, of those who finished; and the pay for that time.
        "median_seconds": (median_seconds := median_of(row["seconds"] for row in rows)),
        "pay_per_hour": pay_per_hour(study, median_seconds),
        "rows": rows,
        "events": list(study.events.select_related("actor").order_by("-at", "-pk")[:EVENTS_SHOWN]),
    }


def _plan(study: Study, n_pool: int) -> dict[str, float | None]:
    """Of a planned study: how many answers each question gets and each participant gives, how many more people it
    needs, and where people write answers half the expected width of the interval of their score, 0 to 1."""
    kind = KINDS[study.kind]
    overlap, per_person = study.answers_per_question, kind.n_drawn(study)
    return {
        "overlap": overlap,
        "per_person": per_person,
        "n_needed": kind.n_needed(study),
        "margin": expected_margin(n_pool, overlap, per_person) if kind.writes_answers else None,
    }


def participant_row(participant: Participant) -> dict[str, Any]:
    """One participant's row in the list."""
    person = _people(participant.study).get(pk=participant.pk)
    given = list(_assignment_rows(participant.study).filter(participant=participant))
    rules = excluded_by_rule(participant.study, participant)
    return _row(participant.study, person, given, timezone.now(), rules)


def counts_of(given: Sequence[Assignment], *, has_finished: bool) -> dict[str, Any]:
    """Work that a participant has done, from their assignments: the numbers of questions or items (``n_asked``), and of
    attention checks; active seconds on all of them, None if no time is known."""
    asked = [row for row in given if row.attention_check is None]
    checks = [passes_check(row, has_finished=has_finished) for row in given if row.attention_check is not None]
    return {
        "n_asked": len(asked),
        "n_done": sum(row.done_at is not None for row in asked),
        "n_answered": sum(bool(row.text.strip()) for row in asked),
        "n_checks": len(checks),
        "n_checks_passed": checks.count(True),
        "n_checks_decided": len(checks) - checks.count(None),
        "active_seconds": total_seconds(row.active_seconds for row in given),
    }


def _people(study: Study) -> QuerySet[Participant]:
    return (
        Participant.objects.filter(study=study, is_preview=False)
        .select_related("invitation__contact")
        .order_by("number")
    )


def _assignment_rows(study: Study) -> QuerySet[Any]:
    return (
        Assignment.objects.filter(participant__study=study, participant__is_preview=False)
        .annotate(is_complete=COMPLETE)
        .select_related("question")
        .order_by("participant", "position")
    )


def _row(
    study: Study, person: Participant, given: Sequence[Any], now: datetime.datetime, rules: Mapping[UUID, str]
) -> dict[str, Any]:
    person.study = study
    state, label, tone, reason = _state(study, person, given, now, rules.get(person.pk))
    invitation = getattr(person, "invitation", None)
    return counts_of(given, has_finished=person.finished_at is not None) | {
        "person": person,
        "state": state,
        "state_label": label,
        "tone": tone,
        "reason": reason,  # for being stuck or excluded
        "seconds": seconds_taken(person),
        # A reminder needs a mail address and a valid link.
        "reachable": invitation is not None and invitation.revoked_at is None and hasattr(invitation, "contact"),
    }


def _state(
    study: Study, person: Participant, given: Sequence[Any], now: datetime.datetime, rule: str | None
) -> tuple[str, str, str, str]:
    """A participant's state: a word, its label, the tone of a badge, and a reason if there is one."""
    if person.withdrawn_at:
        return "withdrawn", "Withdrew", "", ""
    if person.excluded_at:
        return "excluded", "Excluded", "warn", person.exclusion_reason
    if rule is not None:
        return "excluded", "Excluded", "warn", in_words(rule, study.exclusion_rules[rule])
    if person.declined_at:
        return "declined", "Declined", "", ""
    if person.finished_at:
        return "finished", "Finished", "good", ""
    if person.dropped_at:
        return "dropped", "Dropped out", "", ""
    if person.has_no_time_at(now):
        return "unfinished", "Timed out", "warn", ""
    if study.state_at(now) == StudyState.CLOSED and not (person.extended_until and person.extended_until > now):
        return "unfinished", "Not finished", "warn", "The study closed first."
    away = now - (person.last_seen_at or person.joined_at)
    if away >= STUCK_AFTER:
        return "stuck", "Stuck", "bad", f"Not seen for {away.days} days."
    for row in given:
        seconds = row.active_seconds or 0.0
        if row.done_at is None and row.skipped_at is None and seconds >= LONG_SECONDS:
            return "stuck", "Stuck", "bad", f"{int(seconds // 60)} min active on question {row.position}."
    if person.consented_at is None:
        return "joined", "Consent pending", "info", ""
    if any(row.opened_at for row in given):
        return "answering", "Answering", "info", ""
    return "started", "Instructions or practice", "info", ""
