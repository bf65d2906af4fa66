"""Import of an uploaded benchmark in two steps: its effect is tried and stored, and comes into force as shown."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any, Final

from django.db import transaction

from scoring import declarations
from scoring.benchmarks.base import canonical_json
from scoring.benchmarks.declared.files import read_zip
from scoring.benchmarks.declared.reading import Declaration, read_declaration
from scoring.importing.declared import ImportedBenchmark, Remove, import_declaration
from scoring.importing.drafts import ChangedSinceError
from scoring.importing.hidden_splits import warnings_of_import
from scoring.importing.revisions import references_in_words
from scoring.models.drafts import FolderDraft, oldest

Further = Callable[[ImportedBenchmark, Declaration], Mapping[str, Any]]
"""Further work in the transaction of an import; returns further facts for the preview, with its
warnings, as JSON."""
SHOWN_ANSWERS: Final = 50
CHANGED: Final = "The site has changed since this preview. Check the new preview, then confirm."


def read_archive(content: bytes) -> Declaration:
    """The benchmark in a zip archive."""
    return read_declaration(read_zip(content))


def save(
    name: str, content: bytes, *, make_current: bool, made_by: str, further: Further, remove: Remove
) -> FolderDraft:
    """Try the import of an archive, undo it, and store the archive with its effect. New splits become drafts.

    Deletes drafts that are a day old, and this person's earlier ones.

    Raises:
        SourceError: it cannot be imported.
    """
    declaration = read_archive(content)
    preview = _tried(declaration, make_current=make_current, further=further, remove=remove)
    with transaction.atomic():
        FolderDraft.objects.filter(created_at__lt=oldest()).delete()
        FolderDraft.objects.filter(made_by=made_by).delete()
        return FolderDraft.objects.create(
            name=name[:200],
            content=content,
            sha256=hashlib.sha256(content).hexdigest(),
            preview=preview,
            make_current=make_current,
            made_by=made_by,
        )


def _tried(declaration: Declaration, *, make_current: bool, further: Further, remove: Remove) -> dict[str, Any]:
    try:
        with transaction.atomic():
            done = import_declaration(declaration, make_current=make_current, as_drafts=True, remove=remove)
            preview = _preview(done, declaration, further)
            transaction.set_rollback(True)
    finally:
        declarations.clear()
    return preview


def apply(draft: FolderDraft, *, shown: str, further: Further, remove: Remove) -> ImportedBenchmark:
    """Import a draft, if its effect is still the one *shown* (its `fingerprint` then), and delete it.

    Raises:
        ChangedSinceError: its effect has changed (the draft has the new one then), or the draft is gone.
        SourceError: it cannot be imported any more.
    """
    declaration = read_archive(bytes(draft.content))
    try:
        with transaction.atomic():
            stored = FolderDraft.objects.select_for_update().filter(pk=draft.pk).first()
            if stored is None:
                raise ChangedSinceError("Someone has already imported or discarded this draft.")
            done = import_declaration(declaration, make_current=stored.make_current, as_drafts=True, remove=remove)
            preview = _preview(done, declaration, further)
            if preview != stored.preview or shown != fingerprint(stored):
                raise ChangedSinceError(CHANGED)
            stored.delete()
            return done
    except ChangedSinceError:
        declarations.clear()
        if FolderDraft.objects.filter(pk=draft.pk).exists():
            now = _tried(declaration, make_current=draft.make_current, further=further, remove=remove)
            FolderDraft.objects.filter(pk=draft.pk).update(preview=now)
        raise
    except BaseException:
        declarations.clear()
        raise


def fingerprint(draft: FolderDraft) -> str:
    """The SHA-256 over what a draft's preview shows."""
    return hashlib.sha256(canonical_json([draft.sha256, draft.preview]).encode()).hexdigest()


def find(pk: uuid.UUID) -> FolderDraft | None:
    """A draft that has not expired, without its content. One query."""
    return FolderDraft.objects.filter(created_at__gte=oldest(), pk=pk).defer("content").first()


def _preview(done: ImportedBenchmark, declaration: Declaration, further: Further) -> dict[str, Any]:
    """The effect of an import as JSON. Never an answer of a hidden split, nor a key that each import makes anew."""
    definition = declaration.definition
    return {
        "slug": definition.slug,
        "name": definition.name,
        "version": definition.form.version,
        "created": done.created,
        "changed": done.changed,
        "changes": done.changes,
        "splits": [
            {
                "name": split.name,
                "hidden": split.is_hidden,
                "n_questions": imported.n_questions,
                "references": references_in_words(split, imported.revision),
                "revision": imported.revision.short_hash,
                "current": imported.current.short_hash if imported.current else "",
                "created": imported.created,
                "becomes_current": imported.becomes_current,
                "changes": imported.diff.lines(),
                "new_answers": [asdict(change) for change in imported.diff.new_answers[:SHOWN_ANSWERS]],
                "n_new_answers": len(imported.diff.new_answers),
                "warnings": warnings_of_import(split, imported),
                "n_runs": imported.runs_made,
            }
            for split, imported in done.splits
        ],
        **further(done, declaration),
    }
