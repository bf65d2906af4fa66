"""Importing in two steps: what was given is kept and compared; what was shown, and nothing else, comes into force."""

import datetime
import hashlib
import json
import tempfile
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from django.db import transaction
from django.utils import timezone

from scoring.benchmarks import definition_of
from scoring.benchmarks.base import NO_ANSWER, SourceError, SourceFile, SourceQuestion, canonical_json, content_hash
from scoring.importing import revisions
from scoring.importing.revisions import ImportedSplit, ImportPlan
from scoring.models import Question, Revision, Split
from scoring.models.imports import ImportDraft

EXPIRY_HOURS: Final = 24
"""How long a draft is kept: it may hold hidden answers, and what it was compared with grows old."""


class ChangedSinceError(RuntimeError):
    """What a draft would change is not what was shown any more; nothing was imported."""


@dataclass(frozen=True)
class Given:
    """A file as it was given: its name, and what is in it."""

    name: str
    data: bytes


def read(split: Split, *, questions: Given | None, answers: Given | None) -> SourceFile:
    """The questions of a split with their reference answers, of one file or of two.

    Answers alone are questions too, in a file that has both. A split that is not hidden needs all of its answers.

    Raises:
        SourceError: a file cannot be read, or the two do not belong together; every problem is named.
    """
    read_questions = _read(split, questions) if questions else None
    read_answers = _read(split, answers) if answers else None
    return revisions.put_together(
        read_questions,
        read_answers,
        questions_name=questions.name if questions else "",
        answers_name=answers.name if answers else "",
        all_answers=not split.hidden,
    )


def _read(split: Split, given: Given) -> SourceFile:
    """A file's questions; its reader wants a path, and names the file in what it says of it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / given.name
        path.write_bytes(given.data)
        return definition_of(split.benchmark.slug).read_file(path)


@transaction.atomic
def save(
    split: Split, source: SourceFile, *, date: datetime.date, note: str, make_current: bool, made_by: str
) -> ImportDraft:
    """Keep questions and answers as a draft. Drafts that are a day old go, and so do this person's for this split.

    Raises:
        SourceError: they could not be imported, whatever is said to their changes.
    """
    revisions.plan_split(split, source.questions, date=date, make_current=make_current)
    drop_old()
    ImportDraft.objects.filter(split=split, made_by=made_by).delete()
    return ImportDraft.objects.create(
        split=split,
        content_json=canonical_json([_record(question) for question in source.questions]),
        content_hash=content_hash(source.questions),
        n_questions=len(source.questions),
        remarks=list(source.remarks),
        date=date,
        note=note,
        make_current=make_current,
        made_by=made_by,
    )


def save_corrected(revision: Revision, corrected: Mapping[str, str], *, note: str, made_by: str) -> ImportDraft:
    """Keep a split's questions as they are in force, with some reference answers corrected, as a draft.

    Args:
        revision: what the corrections were made on.
        corrected: by question id, the whole reference answer as JSON.

    Raises:
        SourceError: another revision is in force by now, a question is not in it, or there is nothing to correct.
    """
    split = Split.objects.select_related("benchmark", "current_revision").get(pk=revision.split_id)
    if split.current_revision_id != revision.pk:
        raise SourceError(
            [(f"The corrections were made on {revision.signature_part}, which is no longer the current revision.")]
        )
    rows = list(Question.objects.filter(revision=revision).select_related("reference").order_by("position"))
    unknown = sorted(set(corrected) - {row.qid for row in rows})
    if unknown or not corrected:
        said = f"The split has no question {', '.join(unknown[:5])}." if unknown else "No correction was accepted."
        raise SourceError([said])
    questions = tuple(_in_force(row, corrected.get(row.qid)) for row in rows)
    return save(
        split,
        SourceFile(questions),
        date=timezone.now().date(),
        note=note,
        make_current=True,
        made_by=made_by,
    )


def _in_force(row: Question, corrected: str | None) -> SourceQuestion:
    """A question as it is in force, with another reference answer if there is one."""
    reference = getattr(row, "reference", None)
    kept = reference.answer_json if reference is not None else None
    answer_json = corrected if corrected is not None else kept
    return SourceQuestion(
        qid=row.qid,
        text=row.text,
        categories=tuple(row.categories),
        evidence=tuple(row.evidence),
        decomposition=tuple(json.loads(reference.decomposition_json) if reference is not None else row.decomposition),
        answer=NO_ANSWER if answer_json is None else json.loads(answer_json),
    )


def drop_old() -> int:
    """Delete the drafts that are too old; returns how many."""
    before = timezone.now() - datetime.timedelta(hours=EXPIRY_HOURS)
    return ImportDraft.objects.filter(created_at__lt=before).delete()[0]


def find(split: Split, pk: uuid.UUID) -> ImportDraft | None:
    """A draft of a split, while it is kept. One query."""
    after = timezone.now() - datetime.timedelta(hours=EXPIRY_HOURS)
    drafts = ImportDraft.objects.filter(split=split, created_at__gte=after)
    return drafts.select_related("split__benchmark", "split__current_revision").filter(pk=pk).first()


def plan_of(draft: ImportDraft) -> ImportPlan:
    """What a draft would change now.

    Raises:
        SourceError: meanwhile some of its questions have become those of another split.
    """
    return revisions.plan_split(draft.split, _questions(draft), date=draft.date, make_current=draft.make_current)


def fingerprint(draft: ImportDraft, plan: ImportPlan) -> str:
    """The SHA-256 over what is shown of a draft: its content, what it is compared with, and what would become of it."""
    shown = [
        draft.content_hash,
        plan.current.content_hash if plan.current else "",
        plan.becomes_current,
        draft.date.isoformat(),
        draft.note,
    ]
    return hashlib.sha256(canonical_json(shown).encode()).hexdigest()


@transaction.atomic
def apply(draft: ImportDraft, *, shown: str) -> ImportedSplit:
    """Import a draft, if it would still do just what was *shown* (its `fingerprint` then); the draft goes.

    Raises:
        ChangedSinceError: it would do something else now, or somebody has imported or dropped it.
        SourceError: see `plan_of`.
    """
    split = Split.objects.select_for_update().get(pk=draft.split_id)
    kept = ImportDraft.objects.select_for_update(of=("self",)).filter(pk=draft.pk, split=split).first()
    if kept is None:
        raise ChangedSinceError("Someone has already activated or discarded this draft.")
    kept.split = Split.objects.select_related("benchmark", "current_revision").get(pk=split.pk)
    questions = _questions(kept)
    if content_hash(questions) != kept.content_hash:
        raise ChangedSinceError(
            "The content of the draft does not match its hash. Discard the draft and upload the files again."
        )
    if fingerprint(kept, plan_of(kept)) != shown:
        raise ChangedSinceError("The split has changed since this preview. Check the new preview, then confirm again.")
    imported = revisions.import_split(
        kept.split, questions, date=kept.date, note=kept.note, make_current=kept.make_current
    )
    kept.delete()
    return imported


def drop(draft: ImportDraft) -> None:
    """Forget a draft."""
    ImportDraft.objects.filter(pk=draft.pk).delete()


def _record(question: SourceQuestion) -> dict[str, Any]:
    record: dict[str, Any] = {
        "qid": question.qid,
        "text": question.text,
        "categories": list(question.categories),
        "evidence": [dict(item) for item in question.evidence],
        "decomposition": [dict(step) for step in question.decomposition],
    }
    return record | ({"answer": question.answer} if question.has_answer else {})


def _questions(draft: ImportDraft) -> Sequence[SourceQuestion]:
    records: list[Mapping[str, Any]] = json.loads(draft.content_json)
    return [
        SourceQuestion(
            qid=record["qid"],
            text=record["text"],
            categories=tuple(record["categories"]),
            evidence=tuple(record["evidence"]),
            decomposition=tuple(record["decomposition"]),
            answer=record.get("answer", NO_ANSWER),
        )
        for record in records
    ]
