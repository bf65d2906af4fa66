"""Studies with people in them, made row by row: what volunteers' pages would have written."""

import datetime
import io
import uuid
import zipfile
from typing import Any

from django.utils import timezone

from humaneval.models import (
    AnswerRevision,
    Assignment,
    ConsentVersion,
    Invitation,
    Origin,
    Participant,
    Search,
    SearchKind,
    Study,
    Visit,
)
from humaneval.participants import invitations
from humaneval.results.exports.archive import write_export
from leaderboard.models import User
from scoring.models import Question

MINUTE = datetime.timedelta(minutes=1)


def participant(study: Study, number: int, *, email: str = "", by: User | None = None, **fields: Any) -> Participant:
    """Somebody who came by a personal link and consented an hour ago, unless *fields* say otherwise."""
    now = timezone.now()
    consent, _ = ConsentVersion.objects.get_or_create(
        study=study, number=1, defaults={"text": study.consent_text, "on_withdrawal": study.on_withdrawal}
    )
    usual: dict[str, Any] = {
        "joined_at": now - 60 * MINUTE,
        "consented_at": now - 59 * MINUTE,
        "consent": consent,
        "last_seen_at": now,
        "receipt_code": f"receipt-{study.pk}-{number}",
    }
    made = Participant.objects.create(study=study, number=number, **(usual | fields))
    link = invitations.invite(study, by=by or study.owner, email=email)
    Invitation.objects.filter(pk=link.pk).update(participant=made, n_used=1)
    return Participant.objects.select_related("study").get(pk=made.pk)


def assigned(
    who: Participant, position: int, qid: str = "", text: str = "", *, done: bool = True, **fields: Any
) -> Assignment:
    """A question of the study's split, opened half an hour ago and, with a text, saved and done ten minutes later."""
    begin = timezone.now() - 30 * MINUTE
    question = Question.objects.get(revision=who.study.split.current_revision, qid=qid) if qid else None
    usual: dict[str, Any] = {"opened_at": begin, "active_seconds": 300.0, "text": text}
    if text:
        usual |= {"version": 1, "saved_at": begin + 8 * MINUTE, "done_at": begin + 10 * MINUTE if done else None}
    made = Assignment.objects.create(participant=who, position=position, question=question, **(usual | fields))
    if text:
        AnswerRevision.objects.create(
            assignment=made, version=1, client_revision_id=uuid.uuid4(), text=text, saved_at=begin + 8 * MINUTE
        )
    return made


def search(of: Assignment, query: str = "capital", *, kind: str = SearchKind.ENCYCLOPEDIA, after: int = 60) -> Search:
    """A search some seconds after the question was opened."""
    at = (of.opened_at or timezone.now()) + datetime.timedelta(seconds=after)
    return Search.objects.create(assignment=of, kind=kind, query=query, n_results=3, at=at)


def visit(of: Assignment, title: str, *, page_id: int | None = None, after: int = 90, **fields: Any) -> Visit:
    """An article opened some seconds after the question was."""
    at = (of.opened_at or timezone.now()) + datetime.timedelta(seconds=after)
    usual: dict[str, Any] = {"origin": Origin.RESULT, "rank": 1, "visible_seconds": 40.0, "scrolled_share": 0.5}
    return Visit.objects.create(assignment=of, title=title, page_id=page_id, opened_at=at, **(usual | fields))


def lively(study: Study) -> dict[str, Participant]:
    """Fills an open study of ``dev`` or ``test`` (at least 4 questions) with people in every state, by that state.

    The one who has finished opened the necessary article of the first question after 90 s, as the second of two, and
    none of the second question's.
    """
    split, now = study.split.slug, timezone.now()
    people = {
        "finished": participant(study, 1, email="first@example.org", finished_at=now),
        "answering": participant(study, 2),
        "stuck": participant(study, 3, email="third@example.org", last_seen_at=now - datetime.timedelta(days=3)),
        "declined": participant(study, 4, consented_at=None, consent=None, declined_at=now),
        "withdrawn": participant(study, 5, withdrawn_at=now),
        "dropped": participant(study, 6, dropped_at=now),
        "excluded": participant(study, 7, excluded_at=now, exclusion_reason="Answered at random."),
    }
    first = assigned(people["finished"], 1, f"{split}-0", "Norway has Oslo and 0.")
    search(first)
    visit(first, "Somewhere else", after=70)
    visit(first, "Norway", page_id=0, after=90, used=True)
    second = assigned(people["finished"], 2, f"{split}-1", "I do not know.")
    visit(second, "Lima", after=30)
    assigned(people["answering"], 1, f"{split}-0", "Oslo")
    assigned(people["answering"], 2, f"{split}-2", opened_at=None, active_seconds=0.0)
    assigned(people["stuck"], 1, f"{split}-3", " \n", done=False)
    assigned(people["excluded"], 1, f"{split}-2", "Whatever")
    assigned(people["dropped"], 1, f"{split}-2", "Peru has Lima and 2.")
    check = {"text": "Write blue.", "answers": ["blue"]}
    assigned(people["finished"], 3, "", "Blue!", attention_check=check)
    return people


def exported(study: Study, **options: Any) -> zipfile.ZipFile:
    """The export of a study."""
    out = io.BytesIO()
    write_export(study, out, by="test", **options)
    return zipfile.ZipFile(out)
