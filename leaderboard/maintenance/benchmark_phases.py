"""Publishing, archiving and removing benchmarks and their splits, who sees drafts, and whether pass@k is shown."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from django.db import transaction
from django.db.models import Model, ProtectedError, Q

from leaderboard.board.staleness import mark_entries
from leaderboard.models import BoardSnapshot, DraftReader, Entry, EntryKind, System, User
from leaderboard.operations import audit
from leaderboard.publishing.reported_rows import import_reported
from leaderboard.publishing.services import join_boards
from scoring import declarations
from scoring.benchmarks import definition_of
from scoring.benchmarks.base import canonical_json
from scoring.models import AnswerSet, Benchmark, Question, Revision, Run, Split, SplitPhase
from scoring.runs import intervals

KEPT: Final = "It can be archived: boards stay, and no further answers are accepted."
CHANGED: Final = "What would be removed has changed since it was shown. Check it again, then confirm."


class PhaseError(ValueError):
    """A change of a phase cannot be made; the message says why."""


class ChangedRemovalError(PhaseError):
    """A removal would delete other things than were shown; nothing was removed."""


@dataclass(frozen=True)
class Removal:
    """Records that a removal of some splits, or of a benchmark, deletes."""

    names: tuple[str, ...]
    """The names of the splits."""
    whole: bool
    """Whether the benchmark goes with them."""
    n_questions: int
    n_reported: int
    """Reported rows on their boards."""
    n_snapshots: int
    """Snapshots of their boards."""
    kept_by: str
    """Records that must not be deleted and prevent the removal, such as "2 submissions"; empty if the removal is
    possible."""
    fingerprint: str
    """SHA-256 over the splits, revisions, rows and snapshots that are deleted: other ones have another, also where
    they are as many."""

    def __str__(self) -> str:
        what = f"{self.n_questions:,} questions, {self.n_reported:,} reported rows, {self.n_snapshots:,} snapshots"
        of = " and ".join(self.names)
        if self.kept_by:
            return f"{of} cannot be removed, because of {self.kept_by}. {KEPT}"
        return f"Removes {of}{', and the benchmark' if self.whole else ''}: {what}."


def splits_of(benchmark: Benchmark, slug: str = "") -> list[Split]:
    """The splits of a benchmark, drafts included, or the one with a slug.

    Raises:
        PhaseError: there is none with this slug.
    """
    splits = Split.with_drafts.filter(benchmark=benchmark).select_related("benchmark")
    chosen = [split for split in splits if slug in ("", split.slug)]
    if not chosen:
        known = ", ".join(split.slug for split in splits) or "none"
        raise PhaseError(f"{benchmark} has no split {slug!r}. Its splits: {known}.")
    return chosen


@transaction.atomic
def publish(splits: Sequence[Split], *, actor: User | str) -> list[str]:
    """Show drafts to everybody, and open archived splits again; returns what was done, a line each.

    Published results are loaded, and submissions join the boards whose senders have published them already.
    """
    done = []
    for split in splits:
        # The caller's rows may be old: of two maintainers, the second finds the split open.
        before = Split.with_drafts.select_for_update().get(pk=split.pk).phase
        if before == SplitPhase.OPEN:
            join_boards(split)  # a submission that was published in the moment in which the split was
            done.append(f"{split} is published already.")
            continue
        split.phase = SplitPhase.OPEN
        split.save(update_fields=["phase"])
        audit.record(actor, "split.published", f"split {split}", f"It was {SplitPhase(before).name.lower()}.")
        done.append(f"{split} is published.")
        join_boards(split)
        mark_entries(Entry.objects.filter(split=split, replaced_at=None))
    benchmark = splits[0].benchmark
    rows = import_reported(benchmark, definition_of(benchmark.slug).published_results, actor=actor)
    if rows is not None and rows[0]:
        done.append(f"{rows[0]} reported rows were loaded.")
    return done


@transaction.atomic
def archive(splits: Sequence[Split], *, actor: User | str) -> list[str]:
    """Close splits to submissions; their boards stay. Returns what was done, a line each.

    Raises:
        PhaseError: one is a draft, which nobody has seen.
    """
    if drafts := [str(split) for split in splits if split.phase == SplitPhase.DRAFT]:
        raise PhaseError(f"{' and '.join(drafts)}: a draft cannot be archived. Publish or remove it.")
    for split in splits:
        split.phase = SplitPhase.ARCHIVED
        split.save(update_fields=["phase"])
        audit.record(actor, "split.archived", f"split {split}", "No further answers are accepted.")
    return [f"{split} is archived." for split in splits]


@transaction.atomic
def approve_pass_at(splits: Sequence[Split], *, approved: bool, actor: User | str) -> list[str]:
    """Show pass@k and pass^k of several attempts on hidden splits, or withhold them again; returns what was done, a
    line each.

    Raises:
        PhaseError: the answers of a split are public, so that nothing is withheld.
    """
    if public := [str(split) for split in splits if not split.is_hidden]:
        raise PhaseError(f"{' and '.join(public)}: its answers are public, so pass@k is shown.")
    for split in splits:
        split.pass_at_approved = approved
        split.save(update_fields=["pass_at_approved"])
        intervals.renew_of_attempts(split)
        action = "split.pass-at-k-approved" if approved else "split.pass-at-k-withheld"
        audit.record(actor, action, f"split {split}", "pass@k and pass^k of several attempts.")
        mark_entries(Entry.objects.filter(split=split, replaced_at=None))
    shown = "are shown" if approved else "are withheld"
    return [f"pass@k and pass^k of {split} {shown}." for split in splits]


def removal_of(splits: Sequence[Split]) -> Removal:
    """Records that a removal of these splits of one benchmark would delete: it is tried, and undone."""
    benchmark = splits[0].benchmark
    whole = not Split.with_drafts.filter(benchmark=benchmark).exclude(pk__in=[split.pk for split in splits]).exists()
    kept_by = ""
    with transaction.atomic():
        try:
            _delete(splits, whole=whole)
        except ProtectedError as error:
            kinds = Counter(type(found) for found in error.protected_objects if _is_of_people(found))
            kept_by = ", ".join(
                f"{number} {kind._meta.verbose_name if number == 1 else kind._meta.verbose_name_plural}"
                for kind, number in kinds.items()
            )
        transaction.set_rollback(True)
    declarations.clear()
    parts = Split.every.filter(Q(pk__in=[split.pk for split in splits]) | Q(subset_of__in=splits)).order_by("pk")
    reported = Entry.objects.filter(split__in=splits, kind=EntryKind.REPORTED)
    snapshots = BoardSnapshot.objects.filter(split__in=splits)
    revisions = Revision.objects.filter(split__in=parts)
    keys = [sorted(rows.values_list("pk", flat=True)) for rows in (revisions, reported, snapshots)]
    deleted = [whole, list(parts.values_list("pk", "phase", "current_revision__content_hash")), *keys]
    return Removal(
        names=tuple(str(split) for split in splits),
        whole=whole,
        n_questions=Question.objects.filter(revision__current_of__in=splits).count(),
        n_reported=reported.count(),
        n_snapshots=snapshots.count(),
        kept_by=kept_by,
        fingerprint=hashlib.sha256(canonical_json(deleted).encode()).hexdigest(),
    )


def _is_of_people(found: Model) -> bool:
    """Whether a record is what somebody sent or made about a split, such as a submission or a study, not a part of
    it or what the site made of it."""
    about = {field.related_model for field in found._meta.fields}
    return not about.isdisjoint((Split, Revision)) and not isinstance(found, AnswerSet | Entry | Run)


@transaction.atomic
def remove(splits: Sequence[Split], *, actor: User | str, shown: str | None = None) -> Removal:
    """Delete splits to which nobody has submitted, with their questions, reported rows and snapshots; with its last
    split, the benchmark too.

    Args:
        shown: the fingerprint of the removal that was shown before; None if it need not be that one.

    Raises:
        ChangedRemovalError: it is another one by now.
        PhaseError: somebody has submitted, or a study or grading round is about its questions; or a split is gone.
    """
    # Nothing can be submitted to them until they are gone.
    locked = Split.with_drafts.select_for_update(of=("self",)).filter(pk__in=[split.pk for split in splits])
    if len(locked) < len(splits):
        raise PhaseError("Somebody else has removed a split meanwhile. Nothing more was removed.")
    removal = removal_of(splits)
    if removal.kept_by:
        raise PhaseError(str(removal))
    if shown not in (None, removal.fingerprint):
        raise ChangedRemovalError(CHANGED)
    audit.record(actor, "split.removed", f"split {' and '.join(removal.names)}", str(removal))
    _delete(splits, whole=removal.whole)
    declarations.clear()
    return removal


def remove_undeclared(split: Split, *, actor: User | str) -> str:
    """Remove a split that a folder does not declare any more; returns why it must stay, empty if it is removed."""
    removal = removal_of([split])
    if not removal.kept_by:
        remove([split], actor=actor)
    return removal.kept_by and f"it has {removal.kept_by}"


def _delete(splits: Sequence[Split], *, whole: bool) -> None:
    """Delete splits with what belongs to nobody."""
    reported = Entry.objects.filter(split__in=splits, kind=EntryKind.REPORTED, submission=None)
    systems = list(reported.values_list("system", flat=True).distinct())
    reported.delete()
    System.objects.filter(pk__in=systems, owner=None, team=None, entries=None, members=None).delete()
    BoardSnapshot.objects.filter(split__in=splits).delete()
    every = Split.every.filter(pk__in=[split.pk for split in splits])
    subsets = Split.every.filter(subset_of__in=every)
    for part in (subsets, every):
        part.update(current_revision=None)  # a revision that is current is protected
        part.delete()
    if whole:
        Benchmark.objects.get(pk=splits[0].benchmark_id).delete()


@transaction.atomic
def invite(benchmark: Benchmark, username: str, *, actor: User) -> DraftReader:
    """Let an account see a benchmark's drafts and submit to them.

    Raises:
        PhaseError: there is no such account.
    """
    user = User.objects.filter(username=username, is_active=True).first()
    if user is None:
        raise PhaseError(f"There is no account {username!r}. Ask its owner for the username.")
    reader, made = DraftReader.objects.get_or_create(benchmark=benchmark, user=user, defaults={"invited_by": actor})
    if made:
        audit.record(actor, "drafts.invited", f"benchmark {benchmark.slug}", f"{username} sees its drafts.")
    return reader


@transaction.atomic
def uninvite(benchmark: Benchmark, username: str, *, actor: User) -> None:
    """Take that back; what the account has submitted stays."""
    if DraftReader.objects.filter(benchmark=benchmark, user__username=username).delete()[0]:
        audit.record(actor, "drafts.uninvited", f"benchmark {benchmark.slug}", f"{username} sees its drafts no more.")
