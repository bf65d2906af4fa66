"""Imports in two steps: a draft is stored and compared; only the changes that were shown come into force."""

import datetime
import hashlib
import json
import tempfile
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, Final

from django.db import transaction
from django.utils import timezone

from scoring.benchmarks import definition_of
from scoring.benchmarks.base import NO_ANSWER, SourceError, SourceFile, SourceQuestion, canonical_json, content_hash
from scoring.importing import revisions
from scoring.importing.revisions import ImportedSplit, ImportPlan
from scoring.models import Revision, Split
from scoring.models.drafts import ImportDraft, oldest

DAMAGED: Final = "The content of the draft does not match its hash. Discard the draft and upload the files again."
NONE_ACCEPTED: Final = "No correction was accepted."
CHANGED: Final = "The split has changed since this preview. Check the new preview, then confirm again."


class ChangedSinceError(RuntimeError):
    """A draft's changes are no longer those that were shown; nothing was imported."""


Upload = tuple[str, bytes]
"""A file as uploaded: its name and its content."""


def read(split: Split, *, questions: Upload | None, answers: Upload | None) -> SourceFile:
    """The questions of a split with their reference answers, from one file or from two.

    A file of answers is also a valid file of questions if it contains both. A split that is not hidden needs all of its
    answers, unless its task type needs none.

    Raises:
        SourceError: a file cannot be read, or the two do not match; every problem is named.
    """
    return revisions.put_together(
        _read(split, *questions) if questions else None,
        _read(split, *answers) if answers else None,
        questions_name=questions[0] if questions else "",
        answers_name=answers[0] if answers else "",
        split=split,
    )


def _read(split: Split, name: str, data: bytes) -> SourceFile:
    """Read a file's questions; the reader needs a path, and names the file in its messages."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(data)
        return definition_of(split.benchmark.slug).read_file(path)


@transaction.atomic
def save(
    split: Split, source: SourceFile, *, date: datetime.date, note: str, make_current: bool, made_by: str
) -> ImportDraft:
    """Store questions and answers as a draft. Deletes drafts that are a day old, and this person's earlier ones for
    this split.

    Raises:
        SourceError: they could not be imported, regardless of their changes.
    """
    questions = revisions.in_split(split, source.questions)
    revisions.plan_split(split, questions, date=date, make_current=make_current)
    records = [
        {field.name: value for field in fields(question) if (value := getattr(question, field.name)) is not NO_ANSWER}
        for question in questions
    ]
    ImportDraft.objects.filter(created_at__lt=oldest()).delete()
    ImportDraft.objects.filter(split=split, made_by=made_by).delete()
    return ImportDraft.objects.create(
        split=split,
        content_json=canonical_json(records),
        content_hash=content_hash(questions),
        n_questions=len(questions),
        remarks=list(source.remarks),
        date=date,
        note=note,
        make_current=make_current,
        made_by=made_by,
    )


def save_corrected(revision: Revision, corrected: Mapping[str, str], *, note: str, made_by: str) -> ImportDraft:
    """Store a split's current questions, with some reference answers corrected, as a draft.

    Args:
        revision: the revision that the corrections are based on.
        corrected: by question id, the whole reference answer as JSON.

    Raises:
        SourceError: another revision has become current, a question is not in the revision, or nothing is corrected.
    """
    split = Split.every.select_related("benchmark", "current_revision").get(pk=revision.split_id)
    if split.current_revision_id != revision.pk:
        raise SourceError(
            [(f"The corrections were made on {revision.signature_part}, which is no longer the current revision.")]
        )
    questions = revisions.source_of(revision)
    unknown = sorted(set(corrected) - {question.qid for question in questions})
    if unknown or not corrected:
        said = f"The split has no question {', '.join(unknown[:5])}." if unknown else NONE_ACCEPTED
        raise SourceError([said])
    answers = {qid: json.loads(answer_json) for qid, answer_json in corrected.items()}
    source = SourceFile(
        tuple(
            replace(question, answer=answers[question.qid]) if question.qid in answers else question
            for question in questions
        )
    )
    return save(split, source, date=timezone.now().date(), note=note, make_current=True, made_by=made_by)


def find(split: Split, pk: uuid.UUID) -> ImportDraft | None:
    """A draft of a split that has not expired. One query."""
    fresh = split.import_drafts.filter(created_at__gte=oldest())
    return fresh.select_related("split__benchmark", "split__current_revision").filter(pk=pk).first()


def plan_of(draft: ImportDraft) -> ImportPlan:
    """The changes that a draft would make now.

    Raises:
        SourceError: some of its questions belong to another split by now.
    """
    return revisions.plan_split(draft.split, _questions(draft), date=draft.date, make_current=draft.make_current)


def fingerprint(draft: ImportDraft, plan: ImportPlan) -> str:
    """The SHA-256 over the displayed facts of a draft: its content, the compared revision, and its effect."""
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
    """Import a draft, if its effect is still the one *shown* (its `fingerprint` then), and delete the draft.

    Raises:
        ChangedSinceError: its effect has changed, or it was imported or deleted in the meantime.
        SourceError: see `plan_of`.
    """
    # The split is locked first, as in `import_split`, and read again with its revision, which may be missing.
    split = Split.every.select_for_update().get(pk=draft.split_id)
    stored = ImportDraft.objects.select_for_update(of=("self",)).filter(pk=draft.pk, split=split).first()
    if stored is None:
        raise ChangedSinceError("Someone has already activated or discarded this draft.")
    stored.split = Split.every.select_related("benchmark", "current_revision").get(pk=split.pk)
    questions = _questions(stored)
    if content_hash(questions) != stored.content_hash:
        raise ChangedSinceError(DAMAGED)
    if fingerprint(stored, plan_of(stored)) != shown:
        raise ChangedSinceError(CHANGED)
    imported = revisions.import_split(
        stored.split, questions, date=stored.date, note=stored.note, make_current=stored.make_current
    )
    stored.delete()
    return imported


def _questions(draft: ImportDraft) -> Sequence[SourceQuestion]:
    records: list[dict[str, Any]] = json.loads(draft.content_json)
    for record in records:
        for name in record.keys() - {"answer"}:
            record[name] = tuple(record[name]) if isinstance(record[name], list) else record[name]
    return [SourceQuestion(**record) for record in records]
