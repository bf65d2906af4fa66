"""The time limits of a study's data: when they end, and the deletion that the consent text promises."""

import datetime
import secrets
from dataclasses import dataclass
from typing import Any, Final

from django.db import transaction
from django.db.models import Max, Q, QuerySet
from django.utils import timezone

from humaneval.models import (
    AnswerRevision,
    Assignment,
    Contact,
    GradedAnswer,
    GradingSlot,
    Invitation,
    Origin,
    Participant,
    Search,
    Study,
    Visit,
)
from humaneval.studies import activity_log
from humaneval.studies.evidence_measures import passes
from humaneval.studies.kinds import KINDS
from humaneval.studies.queries import HAS_TEXT
from scoring.models import AnswerSet
from scoring.runs import withdrawals
from scoring.runs.withdrawals import DELETED

BATCH: Final = 500
"""The maximum number of rows that are changed together, so that no table is locked for long."""


@dataclass(frozen=True)
class TimeLimit:
    """A time limit of a study: what is deleted, and when."""

    what: str
    """``texts`` or ``codes``."""
    label: str
    days: int
    due_at: datetime.datetime | None
    """When it is deleted; None for a draft without an end."""
    deleted_at: datetime.datetime | None

    @property
    def is_done(self) -> bool:
        """Whether all was deleted, and the study has not gone on since."""
        return self.deleted_at is not None and (self.due_at is None or self.deleted_at >= self.due_at)


def time_limits(study: Study) -> list[TimeLimit]:
    """The time limits that a study has declared. No query if there are none, else two at most."""
    declared = [
        ("texts", "Texts that participants typed", study.keeps_texts_days, study.texts_deleted_at),
        (
            "codes",
            "Links, receipt codes, email addresses and IDs on platforms",
            study.keeps_codes_days,
            study.codes_deleted_at,
        ),
    ]
    if not any(days for _, _, days, _ in declared):
        return []
    end = _end_of(study)
    return [
        TimeLimit(what, label, days, end and end + datetime.timedelta(days=days), deleted_at)
        for what, label, days, deleted_at in declared
        if days
    ]


def _end_of(study: Study) -> datetime.datetime | None:
    """The end of a study, and of every participant's longer time; of one that is never closed, the last activity. None
    for a draft without an end."""
    people = study.participants.filter(is_preview=False)
    times = people.aggregate(joined=Max("joined_at"), seen=Max("last_seen_at"), extended=Max("extended_until"))
    if study.closes_at is not None:
        return max(study.closes_at, times["extended"] or study.closes_at)
    if study.opens_at is None:
        return None
    invited = study.invitations.aggregate(last=Max("created_at"))["last"]
    return max(moment for moment in (study.opens_at, times["joined"], times["seen"], invited) if moment)


def delete_due() -> int:
    """Delete what studies have promised to delete by now; returns the number of studies. After a crash, the next call
    goes on where this one ended. Raises an `ExceptionGroup` after everything else that is due was deleted."""
    now, done = timezone.now(), set()
    failures: list[Exception] = []
    declared = Study.objects.filter(Q(keeps_texts_days__isnull=False) | Q(keeps_codes_days__isnull=False))
    for study in declared.order_by("pk"):
        for limit in time_limits(study):
            if not limit.is_done and limit.due_at is not None and limit.due_at <= now:
                try:
                    (_delete_texts if limit.what == "texts" else _delete_codes)(study)
                    done.add(study.pk)
                except Exception as error:  # noqa: BLE001 - one study must not keep the data of the others
                    failures.append(error)
    if failures:
        raise ExceptionGroup("Expired data could not be deleted", failures)
    return len(done)


def _delete_texts(study: Study) -> None:
    """Delete everything that participants of a study typed, also from answer sets and grading rounds. Choices, scores,
    grades, times and counts remain."""
    assignments = Assignment.objects.filter(participant__study=study)
    graded = GradedAnswer.objects.filter(origin__assignment__participant__study=study)
    if KINDS[study.kind].writes_answers:  # otherwise the text of an assignment is what was chosen
        revisions = AnswerRevision.objects.filter(assignment__participant__study=study)
        _in_batches(revisions.exclude(text__in=("", DELETED)), text=DELETED)
        GradingSlot.objects.filter(graded_answer__in=graded, graded_at=None).delete()
        _in_batches(graded.exclude(text=DELETED), text=DELETED)
    _in_batches(assignments.exclude(note=""), note="")
    _in_batches(Search.objects.filter(assignment__participant__study=study).exclude(query=DELETED), query=DELETED)
    reported = Visit.objects.filter(assignment__participant__study=study, origin=Origin.REPORTED)
    _in_batches(reported.exclude(url=""), url="")
    # Row by row: the ORM cannot take keys out of stored JSON.
    for row in assignments.exclude(critique={}).iterator(BATCH):
        row.critique = {place: {"score": said["score"]} for place, said in row.critique.items() if "score" in said}
        row.save(update_fields=["critique"])
    with transaction.atomic():
        # Takes the same lock as making an answer set, so that no set is made of answers that are being deleted here.
        Study.objects.select_for_update(no_key=True).get(pk=study.pk)
        if KINDS[study.kind].writes_answers:
            for check in assignments.filter(HAS_TEXT, attention_check__isnull=False):
                asked = check.attention_check or {}
                check.text = str(asked["answers"][0]) if passes(asked, check.text) else DELETED
                check.save(update_fields=["text"])
            assignments.filter(HAS_TEXT, attention_check__isnull=True).update(text=DELETED)
            withdrawals.delete_texts(AnswerSet.objects.filter(study_result__study=study))
        Study.objects.filter(pk=study.pk).update(texts_deleted_at=timezone.now())
        activity_log.record(study, f"Deleted the texts that participants typed, after {study.keeps_texts_days} days.")


def _delete_codes(study: Study) -> None:
    """Delete what leads from a study's data to people: email addresses, links and their labels, receipt codes, and ids
    on platforms."""
    while addresses := list(Contact.objects.filter(invitation__study=study).values_list("pk", flat=True)[:BATCH]):
        Contact.objects.filter(pk__in=addresses).delete()
    links = Invitation.objects.filter(study=study)
    _in_batches(links.filter(revoked_at=None), revoked_at=timezone.now())
    _in_batches(links.filter(Q(participant__isnull=False) | ~Q(label="")), participant=None, label="")
    for person in study.participants.exclude(receipt_code__startswith="deleted-").iterator(BATCH):
        code = f"deleted-{secrets.token_hex(8)}"
        Participant.objects.filter(pk=person.pk).update(receipt_code=code, platform_id=None)
    with transaction.atomic():
        Study.objects.filter(pk=study.pk).update(codes_deleted_at=timezone.now())
        text = f"Deleted links, receipt codes and email addresses, after {study.keeps_codes_days} days."
        activity_log.record(study, text)


def _in_batches(rows: QuerySet[Any], **columns: Any) -> None:
    """Change rows, a batch at a time, until none is left that the query finds."""
    while keys := list(rows.order_by("pk").values_list("pk", flat=True)[:BATCH]):
        rows.model._default_manager.filter(pk__in=keys).update(**columns)
