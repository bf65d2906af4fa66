"""Actions of a grader: get answers, grade them, reopen a grade. Two graders never grade the same slot."""

import datetime
import hashlib
import random
from collections import defaultdict
from typing import Final

from django.db import transaction
from django.db.models import Count, F, Max, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext, gettext_noop

from humaneval.grading.errors import RoundClosedError
from humaneval.grading.grade_scores import MARKS, Ticked
from humaneval.models import Grade, GradedAnswer, GradeDraft, GradeKind, Grader, GradingRound, GradingSlot
from humaneval.studies.planning import next_seat

LEASE: Final = datetime.timedelta(minutes=30)
"""Time for which a claim lasts while its grader is inactive; viewing or saving renews it. In a planned round it is the
round's `release_hours`, also for what is planned for the grader."""
AHEAD: Final = 2
"""Number of answers that a grader holds at once: the current one, and the next, which is loaded with it."""
LONGEST_NOTE: Final = 5_000
CLAIM_EXPIRED: Final = gettext_noop(
    "Your reservation of this answer expired, and another grader may have it now. Your grade was not saved."
)
OUT_OF_DATE: Final = gettext_noop("The items on this page are out of date. Reload the page.")
REFUSAL_WITH_ITEMS: Final = gettext_noop("A refusal cannot contain items. Clear the ticked items or the refusal mark.")


class ClaimLostError(ValueError):
    """The slot is not (or no longer) this grader's, or is already graded."""


class NotGradedError(ValueError):
    """The sent values are not a grade; the message is for the grader."""


def held_by(grader: Grader) -> list[GradingSlot]:
    """The slots that a grader has claimed and not graded: reopened ones first, then in the order claimed. One query.

    An expired claim remains the grader's until another grader claims the slot.
    """
    slots = (
        GradingSlot.objects.filter(grader=grader, graded_at=None, claimed_at__isnull=False)
        .select_related("graded_answer__question")
        .annotate(n_versions=Count("grades"), last_graded=Max("grades__made_at"))
        .order_by(F("last_graded").asc(nulls_last=True), "claimed_at", "pk")
    )
    return list(slots)


def work_of(grader: Grader) -> dict[str, float]:
    """A grader's progress: ``n_graded``; ``n_left``, how many more answers they can get now, held ones included (others
    may still claim some of them); and the graded part in per cent, 0 to 100, if nobody else claims any. Four queries,
    or five in a planned round.
    """
    n_graded = grader.slots.filter(graded_at__isnull=False).count()
    n_held = grader.slots.filter(graded_at=None).count()
    n_open = _open_slots(grader, timezone.now()).values("graded_answer").distinct().count()
    if grader.round.answers_per_grader is not None:
        n_open = min(n_open, _n_to_plan(grader))
    n_calibrations = _open_calibrations(grader).count() if grader.round.calibration_start else 0
    n_left = n_held + n_open + n_calibrations
    n_all = n_graded + n_left
    return {"n_graded": n_graded, "n_left": n_left, "percent": 100 * n_graded / n_all if n_all else 100.0}


def hold(grader: Grader) -> list[GradingSlot]:
    """Claim answers until the grader holds `AHEAD` of them, or there are no more; and renew existing claims.

    Each claim is a transaction: graders who claim several answers in one, in different orders, would wait for each
    other for ever. Raises `RoundClosedError`.
    """
    renew(grader)
    if grader.round.answers_per_grader is not None:
        _plan(grader)
    is_more = True
    while is_more:
        with transaction.atomic():
            # One at a time per grader, so that two windows of the same person do not claim twice as much.
            Grader.objects.select_for_update(of=("self",)).get(pk=grader.pk)
            if GradingRound.objects.filter(pk=grader.round_id, closed_at__isnull=False).exists():
                raise RoundClosedError
            claimed = grader.slots.filter(claimed_at__isnull=False)
            if claimed.filter(graded_at=None).count() >= AHEAD:
                break
            now, round_ = timezone.now(), grader.round
            due = calibration_is_due(
                claimed.count(),
                start=round_.calibration_start,
                share=round_.calibration_share,
                seed=round_.seed,
                grader=grader.number,
            )
            # Calibration answers that are not due come when no other answer is left.
            is_more = (
                (due and _claim_calibration(grader, now))
                or _claim_ordinary(grader, now)
                or _claim_calibration(grader, now)
            )
    return held_by(grader)


def renew(grader: Grader) -> None:
    """Renew a grader's claims while they read the evidence; not in a closed round. One query."""
    held = GradingSlot.objects.filter(grader=grader, graded_at=None, graded_answer__round__closed_at=None)
    held.update(lease_until=timezone.now() + _lease_of(grader.round))


def _lease_of(round_: GradingRound) -> datetime.timedelta:
    return LEASE if round_.answers_per_grader is None else datetime.timedelta(hours=round_.release_hours)


def _n_to_plan(grader: Grader) -> int:
    """How many more answers a planned round has to give a grader, at most."""
    n_planned = grader.slots.filter(graded_answer__is_calibration=False).count()
    return max((grader.round.answers_per_grader or 0) - n_planned, 0)


@transaction.atomic
def _plan(grader: Grader) -> None:
    """Reserve for a grader of a planned round the answers that are still theirs to get, evenly from each source: at
    first, and where others left some. A reserved slot has no time of claiming yet."""
    if not _n_to_plan(grader):
        return
    # One at a time, so that each is planned with what the others have; and nothing is planned in a closed round.
    locked = GradingRound.objects.select_for_update(of=("self",), no_key=True).get(pk=grader.round_id)
    if locked.closed_at is not None:
        return
    n_more, now = _n_to_plan(grader), timezone.now()
    slots_of: dict[int, list[int]] = defaultdict(list)
    source_of = {}
    origin = "graded_answer__origin"
    columns = ("pk", "graded_answer", f"{origin}__answer_set", f"{origin}__assignment__participant__study")
    for pk, answer, *source in _open_slots(grader, now).order_by("number").values_list(*columns):
        slots_of[answer].append(pk)
        source_of[answer] = tuple(source)
    if not n_more or not slots_of:
        return
    dice = random.Random(f"{grader.round.seed}:plan {grader.number} {n_more}")  # noqa: S311 - reproducible, not secret
    seat = next_seat({answer: len(slots) for answer, slots in slots_of.items()}, n_more, source_of, dice)
    GradingSlot.objects.filter(is_free(now), pk__in=[slots_of[answer][0] for answer in seat]).update(
        grader=grader, claimed_at=None, lease_until=now + _lease_of(grader.round)
    )


def _claim_ordinary(grader: Grader, now: datetime.datetime) -> bool:
    """Claim the first free slot in the grader's own order, by a conditional UPDATE: the second of two graders gets
    another slot. In a planned round, the first one reserved for the grader."""
    is_planned = grader.round.answers_per_grader is not None
    available = Q(grader=grader, claimed_at=None, graded_at=None) if is_planned else is_free(now)
    open_ = GradingSlot.objects.filter(available) if is_planned else _open_slots(grader, now)
    rows = list(open_.values_list("pk", "graded_answer__position"))
    seed = grader.round.seed
    rows.sort(key=lambda row: (order_of(seed, grader.number, row[1]), row[0]))
    for pk, _ in rows:
        claimed = GradingSlot.objects.filter(available, pk=pk).update(
            grader=grader, claimed_at=now, lease_until=now + _lease_of(grader.round)
        )
        if claimed:
            return True
    return False


def _claim_calibration(grader: Grader, now: datetime.datetime) -> bool:
    """Give the grader the next calibration answer, for which every grader gets a separate slot."""
    seed = grader.round.seed
    waiting = sorted(
        _open_calibrations(grader).values_list("pk", "position"), key=lambda row: order_of(seed, grader.number, row[1])
    )
    if not waiting:
        return False
    # A grader who was removed from the round and came back may still have a slot.
    GradingSlot.objects.update_or_create(
        graded_answer_id=waiting[0][0],
        number=grader.number,
        defaults={"grader": grader, "claimed_at": now, "lease_until": now + _lease_of(grader.round)},
    )
    return True


def order_of(seed: int, grader: int, position: int) -> bytes:
    """The sort key of a grader's own order of the answers."""
    return hashlib.sha256(f"{seed}:{grader}:{position}".encode()).digest()


def calibration_is_due(n_before: int, *, start: int, share: float, seed: int, grader: int) -> bool:
    """Whether the next answer of a grader, who got *n_before* so far, is a calibration answer.

    The first *start* are; then one in every ``1 / share``, at an unpredictable position in each such block.
    """
    if n_before < start:
        return True
    if share <= 0:
        return False
    period = round(1 / share)
    block, place = divmod(n_before - start, period)
    return place == order_of(seed, grader, -1 - block)[0] % period


def is_free(now: datetime.datetime) -> Q:
    """The condition on slots that a grader may claim, or have planned for them."""
    return Q(graded_at=None) & (Q(grader=None) | Q(lease_until__lt=now))


def _open_slots(grader: Grader, now: datetime.datetime) -> QuerySet[GradingSlot]:
    """The slots that a grader could claim: free, of an answer for which they have no slot yet, and not their own
    answer."""
    own = grader.slots.values("graded_answer")
    return (
        GradingSlot.objects.filter(is_free(now), graded_answer__round=grader.round_id)
        .filter(graded_answer__is_calibration=False)
        .exclude(graded_answer__in=own)
        .exclude(graded_answer__in=_own_answers(grader))
    )


def _own_answers(grader: Grader) -> QuerySet[GradedAnswer]:
    """Answers of submissions by the grader or one of their teams: nobody grades their own."""
    of = "origin__answer_set__submission_file__submission"
    return GradedAnswer.objects.filter(round=grader.round_id).filter(
        Q(**{f"{of}__owner": grader.user_id}) | Q(**{f"{of}__team__memberships__user": grader.user_id})
    )


def authors_of(round_: GradingRound) -> dict[int, set[int]]:
    """The users who may not grade an answer because it is theirs or their team's, by the answer. One query."""
    of = "origin__answer_set__submission_file__submission"
    authors: dict[int, set[int]] = defaultdict(set)
    for answer, *users in round_.answers.values_list("pk", f"{of}__owner", f"{of}__team__memberships__user"):
        authors[answer].update(users)
    return authors


def _open_calibrations(grader: Grader) -> QuerySet[GradedAnswer]:
    """Calibration answers that the grader has not had, except their own and those whose known grade they gave."""
    known = Grade.objects.filter(kind=GradeKind.KNOWN, graded_answer__round=grader.round_id)
    return (
        GradedAnswer.objects.filter(round=grader.round_id, is_calibration=True, pk__in=known.values("graded_answer"))
        .exclude(pk__in=known.filter(author=grader.user_id).values("graded_answer"))
        .exclude(pk__in=grader.slots.values("graded_answer"))
        .exclude(pk__in=_own_answers(grader))
    )


# --- Grading -------------------------------------------------------------------------------------------------------


def check(ticked: Ticked, n_items: int) -> None:
    """Require a valid grade of an answer whose reference has *n_items* items; otherwise raise `NotGradedError`."""
    if len(ticked.ticks) != n_items:
        raise NotGradedError(gettext(OUT_OF_DATE))
    if ticked.refuses and any(ticked.ticks):
        raise NotGradedError(gettext(REFUSAL_WITH_ITEMS))


def slot_at(grader: Grader, position: int) -> tuple[int, int] | None:
    """The grader's slot of the answer with a number in the round: its key, and the number of items in the reference;
    None if they have no slot.

    Pages identify answers by their random numbers: a slot's key would reveal which answers have a known grade, because
    their slots are created when they are claimed.
    """
    held = grader.slots.filter(
        graded_answer__round=grader.round_id, graded_answer__position=position, claimed_at__isnull=False
    )
    return held.values_list("pk", "graded_answer__n_items").first()


@transaction.atomic
def keep_draft(grader: Grader, slot: int, form: str) -> None:
    """Keep what a grader has decided so far of the answer in a claimed slot, and renew the claim.

    Args:
        slot: the key of the slot.
        form: the fields of the form (`GradeForm.as_draft`).

    Raises:
        ClaimLostError: the slot is now another grader's, or graded.
        RoundClosedError: the round is closed.
    """
    if GradingRound.objects.filter(pk=grader.round_id, closed_at__isnull=False).exists():
        raise RoundClosedError
    now = timezone.now()
    held = GradingSlot.objects.filter(pk=slot, grader=grader, graded_at=None)
    if not held.update(lease_until=now + _lease_of(grader.round)):
        raise ClaimLostError(gettext(CLAIM_EXPIRED))
    GradeDraft.objects.update_or_create(slot_id=slot, defaults={"grader": grader, "form": form, "saved_at": now})


@transaction.atomic
def save_grade(
    *,
    grader: Grader,
    slot: int,
    ticked: Ticked,
    note: str = "",
    proposal: str = "",
    seconds: float | None = None,
    named: bool = False,
) -> Grade:
    """Save a grade of a claimed slot. The same grade sent again, as after a broken connection, is saved once.

    Args:
        slot: the key of the slot.
        seconds: time on the screen by the browser's clock; capped at the time since the slot was claimed.
        named: whether the grader says that the answer told who wrote it.

    Raises:
        NotGradedError: the ticks and marks are inconsistent.
        ClaimLostError: the slot is now another grader's, or has a different grade.
        RoundClosedError: the round is closed.
    """
    if GradingRound.objects.filter(pk=grader.round_id, closed_at__isnull=False).exists():
        raise RoundClosedError
    # Locked until the end, so that the slot is not claimed by another grader between the check and the grade.
    held = (
        GradingSlot.objects.select_for_update(of=("self",))
        .select_related("graded_answer")
        .filter(pk=slot, graded_answer__round=grader.round_id)
        .first()
    )
    if held is None or held.grader_id != grader.pk:
        raise ClaimLostError(gettext(CLAIM_EXPIRED))
    check(ticked, held.graded_answer.n_items)
    last = held.grades.order_by("-version").first()
    said = {"note": note, "proposal": proposal, "named": named}
    marks = {mark: getattr(ticked, mark) for mark in MARKS}
    if held.graded_at is not None:
        columns = {"ticks": list(ticked.ticks)} | marks | said
        if last is not None and all(getattr(last, name) == value for name, value in columns.items()):
            return last
        raise ClaimLostError(gettext("This answer is already graded. To change the grade, undo it first."))
    now = timezone.now()
    at_most = (now - held.claimed_at).total_seconds() if held.claimed_at else 0.0
    grade = Grade.objects.create(
        graded_answer=held.graded_answer,
        kind=GradeKind.GRADE,
        slot=held,
        author_id=grader.user_id,
        version=last.version + 1 if last else 1,
        ticks=list(ticked.ticks),
        seconds=min(seconds, at_most) if seconds is not None and seconds >= 0 else None,
        made_at=now,
        **marks,
        **said,
    )
    # SQLite has no row locks: the condition in the UPDATE decides there.
    kept = GradingSlot.objects.filter(pk=held.pk, grader=grader, graded_at=None).update(graded_at=now)
    if not kept:
        raise ClaimLostError(gettext("Another grader has this answer now, so you cannot change its grade."))
    GradeDraft.objects.filter(slot=held).delete()
    return grade


@transaction.atomic
def take_back(grader: Grader) -> GradingSlot | None:
    """Reopen the slot that a grader graded last; the grade stays stored. None if there is none. Raises
    `RoundClosedError`."""
    # Two windows of one grader reopen two slots one after the other, and not the same one.
    Grader.objects.select_for_update(of=("self",)).get(pk=grader.pk)
    if GradingRound.objects.filter(pk=grader.round_id, closed_at__isnull=False).exists():
        raise RoundClosedError
    last = grader.slots.filter(graded_at__isnull=False).order_by("-graded_at", "-pk").first()
    if last is None:
        return None
    now = timezone.now()
    GradingSlot.objects.filter(pk=last.pk, grader=grader).update(
        graded_at=None, claimed_at=now, lease_until=now + _lease_of(grader.round)
    )
    return last
