"""Publishing a scored submission by name or anonymously, with its answers or without; revealing its name; and taking it
off the board.

Each request of an owner stores a `Publication` with its options, and the submission's rows are put on the boards if it
is granted; if the benchmark requires approval, it is pending until a maintainer decides
(`leaderboard.publishing.requests`). Until its day, an anonymous row belongs to a system of its own without any data of
the true one (`leaderboard.publishing.pseudonyms`).
"""

import datetime
from typing import Any, Final

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from leaderboard.board.staleness import mark_submission
from leaderboard.board.write import write_on_commit
from leaderboard.models import Entry, EntryKind, Event, Publication, PublicationState, Submission, System, User
from leaderboard.operations import audit
from leaderboard.publishing import flags, names, pseudonyms, requests
from leaderboard.publishing.changing import lock, lock_with_party, record_event
from leaderboard.publishing.errors import SubmissionError
from leaderboard.publishing.systems import published_system, system_of
from leaderboard.web.dates import day_in_words
from scoring.models import Split
from scoring.runs.judging import baselines

JOINING: Final = (
    "Published. It joins the board when the board shows the revision that it is scored on; of a draft, when "
    "a maintainer publishes the split."
)
PUBLISHED: Final = "Published to the board."
IS_BASELINE: Final = "These answers became the baseline that other systems are compared with."
NO_EARLIER: Final = "There is no earlier submission that could be shown in its place."
NOT_ANONYMOUS: Final = "This submission is not on the board under a pseudonym."
REVEALED: Final = "Name revealed on the board."
REVEALED_ON_ITS_DAY: Final = "Name revealed on the board, on the chosen day."
NOT_ON_BOARD: Final = "This submission is not on the board, so its answers cannot be made public."


@transaction.atomic
def publish_submission(
    submission: Submission,
    *,
    actor: User,
    shows_answers: bool = False,
    anonymous_until: datetime.date | None = None,
    shows_traits: bool = False,
    approved: bool = False,
    seen: str | None = None,
) -> Publication:
    """Publish a submission's rows on the board, or request a maintainer's approval if that is needed.

    The rows belong to the system of its earlier rows, or else of the owner or team with this name; anonymous ones to a
    pseudonym. A row that the system or the submission already has in the same split and setting leaves the board, but
    stays stored. One that is anonymous on the board remains so until its day or `reveal_submission`.

    Args:
        shows_answers: the owner makes the answers public too; see `show_answers`.
        anonymous_until: the day (UTC) on which name, authors and all else become public; later than today and at most
            `MAX_ANONYMOUS_DAYS` ahead. None: under its name at once.
        shows_traits: show type and attributes of an anonymous row.
        approved: the site's operator publishes it.
        seen: what the owner or member saw, as in `leaderboard.publishing.requests.require_unchanged`.

    Raises:
        SubmissionError: it has changed, or cannot be published so; the message says why.
    """
    submission = lock_with_party(submission)
    requests.require_unchanged(submission, seen)
    requests.require_publishable(submission, by_site=approved)
    if shows_answers and submission.split.hidden:
        raise SubmissionError("The answers to a hidden split are private and cannot be made public.")
    newest = requests.newest_publication(submission)
    if newest is not None and newest.state == PublicationState.RETRACTED:
        raise SubmissionError("A maintainer retracted this submission, so only a maintainer can publish it again.")
    name = (published_system(submission) or submission).name
    refused = names.why_refused(name, owner=submission.owner, team=submission.team)
    if refused and not approved:
        raise SubmissionError(f"{refused} Submit the system again under that name.")
    if anonymous_until is not None:
        requests.require_day(anonymous_until)
        if pseudonyms.was_public_by_name(submission):
            raise SubmissionError(
                "This system was on the board under its name, and snapshots of the board show that name, so it "
                "cannot become anonymous."
            )
    elif (pseudonym := pseudonyms.current_pseudonym(submission)) is not None:  # it stays anonymous until its day
        anonymous_until, shows_traits = pseudonym.anonymous_until, pseudonym.shows_traits
    options = {"shows_answers": shows_answers, "anonymous_until": anonymous_until, "shows_traits": shows_traits}
    everything_on_board = requests.is_complete(submission)
    if newest is not None and requests.is_in_force(newest, options):
        return newest
    # A maintainer must approve it if the benchmark requires that, or a flag does.
    if (
        not approved
        and not everything_on_board
        and (requests.needs_approval(submission.split.benchmark) or flags.rank_waits(submission))
    ):
        return requests.request_publication(submission, newest, actor, options)
    publication = Publication.objects.create(
        submission=submission, requested_by=actor, state=PublicationState.APPROVED, decided_at=timezone.now(), **options
    )
    put_on_board(submission, publication, actor=actor)
    return publication


def put_on_board(submission: Submission, publication: Publication, *, actor: User) -> System | None:
    """Make a submission's current files rows of the board, with the options of a granted request; None if they join
    it later, because it still shows an earlier revision (`join_boards`). The caller holds `lock_with_party`."""
    if requests.awaits_switch(submission):
        publication.state = PublicationState.JOINING
        publication.save(update_fields=["state"])
        pseudonyms.show_day(submission)
        record_event(submission, actor, "publication_joins_later", JOINING)
        return None
    today = timezone.now().astimezone(datetime.UTC).date()
    until = publication.anonymous_until
    if until is not None and until > today and not pseudonyms.was_public_by_name(submission):
        system = pseudonyms.pseudonym_of(submission, until=until, shows_traits=publication.shows_traits)
        text = f"Published anonymously, until {day_in_words(until)}, as {system.name}."
    else:
        system = system_of(submission)
        pseudonyms.reveal(submission, system)
        text = PUBLISHED
    _make_rows(submission, system)
    record_event(submission, actor, "published", text)
    # It becomes the baseline of its split, if there is none and the benchmark declares its setting as the default one.
    for file in submission.files.filter(replaced_at=None).select_related(*requests.OF_FILE):
        if baselines.set_default(file.answer_set):
            name = f"{submission.name}, {file.answer_set.setting.slug}"
            audit.record(actor, "baseline.set", f"split {submission.split}", f"{name} ({submission.pk}): by default.")
            Event.objects.create(submission=submission, actor=actor, text=IS_BASELINE)
    mark_submission(submission)
    show_answers(submission, actor=actor, shown=publication.shows_answers)
    return system


def earlier_of(submission: Submission) -> Submission | None:
    """The submission whose rows a withdrawn one had replaced on boards where its system has no row now: the newest that
    was neither withdrawn nor retracted, and whose last request was granted. Three queries."""
    if submission.withdrawn_at is None:
        return None
    for own in Entry.objects.filter(submission=submission, system__is_pseudonym=False).order_by("pk"):
        place = {"system": own.system_id, "split": own.split_id, "setting": own.setting_id, "kind": EntryKind.SCORED}
        rows = Entry.objects.filter(**place)
        if rows.filter(replaced_at=None).exists():
            continue
        before = rows.filter(
            submission__withdrawn_at=None, retracted_at=None, published_at__lt=own.published_at
        ).exclude(submission=submission)
        for row in before.select_related("submission").order_by("-published_at", "-pk"):
            newest = requests.newest_publication(row.submission) if row.submission else None
            if newest is not None and newest.state == PublicationState.APPROVED:
                return row.submission
    return None


@transaction.atomic
def show_earlier(submission: Submission, *, actor: User) -> Submission:
    """Show on the boards again what a withdrawn submission had replaced there, as it was published; returns it. Its
    answers stay private.

    Raises:
        SubmissionError: nothing can be shown in its place.
    """
    withdrawn = lock_with_party(submission)
    found = earlier_of(withdrawn)
    if found is None:
        raise SubmissionError(NO_EARLIER)
    earlier = lock_with_party(found)
    requests.require_publishable(earlier)
    newest = requests.newest_publication(earlier)
    assert newest is not None  # noqa: S101 - see `earlier_of`
    publication = Publication.objects.create(
        submission=earlier,
        requested_by=actor,
        anonymous_until=newest.anonymous_until,
        shows_traits=newest.shows_traits,
        revealed_at=newest.revealed_at,
        state=PublicationState.APPROVED,
        decided_at=timezone.now(),
    )
    put_on_board(earlier, publication, actor=actor)
    return earlier


def join_boards(split: Split) -> None:
    """Put the published submissions on a split's boards that were waiting for these to show their revision."""
    waiting = Publication.objects.filter(
        submission__split=split, submission__withdrawn_at=None, state=PublicationState.JOINING
    )
    for publication in waiting.select_related("submission").order_by("requested_at", "pk"):
        submission = lock_with_party(publication.submission)
        if publication == requests.newest_publication(submission) and not requests.awaits_switch(submission):
            publication.state = PublicationState.APPROVED
            publication.save(update_fields=["state"])
            put_on_board(submission, publication, actor=publication.requested_by or submission.owner)


def _make_rows(submission: Submission, system: System) -> None:
    """Make each current file of a submission the system's row on its board, replacing the previous row there of the
    system and of the submission."""
    now = timezone.now()
    for file in submission.files.filter(replaced_at=None).select_related("setting"):
        rows = Entry.objects.filter(
            Q(system=system) | Q(submission=submission),
            split=submission.split,
            setting=file.setting,
            kind=EntryKind.SCORED,
            replaced_at=None,
        )
        rows.exclude(answer_set=file.answer_set).update(replaced_at=now, shows_answers=False, updated_at=now)
        entry, created = Entry.objects.get_or_create(
            answer_set=file.answer_set,
            defaults={
                "system": system,
                "split": submission.split,
                "setting": file.setting,
                "kind": EntryKind.SCORED,
                "submission": submission,
                "n_answered": file.n_answered,
                "published_at": now,
            },
        )
        if not created and (entry.replaced_at is not None or entry.system_id != system.pk):
            entry.system = system
            entry.published_at = now
            entry.replaced_at = entry.retracted_at = None
            entry.retraction_note = ""
            entry.shows_answers = False
            entry.save()


@transaction.atomic
def show_answers(submission: Submission, *, actor: User, shown: bool = True, seen: str | None = None) -> None:
    """Make a published submission's answers and their scores public, or private again.

    Every publication makes this choice anew. A row that is replaced, taken off the board or withdrawn has none.

    Args:
        seen: as in `publish_submission`.

    Raises:
        SubmissionError: it has changed, the split is hidden (its answers are never public), or it is not on the board.
    """
    # A publication or withdrawal, which changes what is on the board, waits until this is committed.
    submission = Submission.objects.select_for_update(of=("self",)).select_related("split").get(pk=submission.pk)
    requests.require_unchanged(submission, seen)
    if shown and submission.split.hidden:
        raise SubmissionError("The answers to a hidden split are private and cannot be made public.")
    entries = Entry.objects.filter(submission=submission, replaced_at=None)
    if shown and not entries.exists():
        raise SubmissionError(NOT_ON_BOARD)
    if entries.exclude(shows_answers=shown).update(shows_answers=shown, updated_at=timezone.now()):
        text = "Answers made public." if shown else "Answers made private."
        Event.objects.create(submission=submission, actor=actor, text=text)


# --- Revealing the name of an anonymous row, which cannot be undone ---------------------------------------------------


@transaction.atomic
def reveal_submission(submission: Submission, *, actor: User) -> System:
    """Reveal the true name of an anonymous submission's rows before their day. This cannot be undone.

    Raises:
        SubmissionError: it is not on the board anonymously.
    """
    submission = lock_with_party(submission)
    if pseudonyms.current_pseudonym(submission) is None:
        raise SubmissionError(NOT_ANONYMOUS)
    system = _reveal(submission)
    record_event(submission, actor, "revealed", REVEALED)
    return system


def reveal_due() -> int:
    """Reveal the name of every anonymous row whose day has come (UTC); returns the number of submissions."""
    n_revealed = 0
    for due in pseudonyms.due():
        with transaction.atomic():
            submission = lock_with_party(due)
            pseudonym = pseudonyms.current_pseudonym(submission)
            if pseudonym is not None and pseudonym.is_due:  # no other process was faster, nobody chose another day
                _reveal(submission)
                Event.objects.create(submission=submission, actor=None, text=REVEALED_ON_ITS_DAY)
                n_revealed += 1
    return n_revealed


def _reveal(submission: Submission) -> System:
    # The rows move from the pseudonym to the system of the true name.
    system = system_of(submission, keep_newer=True)
    pseudonyms.reveal(submission, system)
    mark_submission(submission)
    return system


# --- Leaving the board: by unpublishing, and as part of withdrawal, retraction and deletion --------------------------


@transaction.atomic
def unpublish_submission(submission: Submission, *, actor: User) -> None:
    """Take a submission's rows off the board, and cancel its publication request; the rows stay stored and can be
    published again."""
    lock(submission)
    cancelled = requests.cancel_request(submission)
    if unpublish_entries(submission):
        record_event(submission, actor, "unpublished", "Unpublished.")
    elif cancelled:
        record_event(submission, actor, "publication_taken_back", "Withdrew the publication request.")


def unpublish_entries(submission: Submission, **changes: Any) -> int:
    """Remove a submission's rows from their boards, which are written without them as soon as this is committed;
    returns how many rows there were.

    Args:
        changes: more fields of `Entry` to set on them.
    """
    now = timezone.now()
    entries = Entry.objects.filter(submission=submission, replaced_at=None)
    boards = set(entries.order_by().values_list("split", "setting"))
    n_rows = entries.update(replaced_at=now, shows_answers=False, updated_at=now, **changes)
    if n_rows:
        mark_submission(submission)
        write_on_commit(boards)
    return n_rows
