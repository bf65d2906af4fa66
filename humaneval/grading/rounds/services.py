"""Make a round, change its graders, and close it."""

from collections.abc import Iterable, Sequence
from typing import Final

from django.db import transaction
from django.utils import timezone
from django.utils.text import slugify

from humaneval.grading.errors import RoundClosedError, RoundError
from humaneval.grading.guidelines import GUIDELINES
from humaneval.grading.rounds import sampling
from humaneval.grading.rounds.selection import RoundSettings, choose_answers
from humaneval.models import GradedAnswer, GradedAnswerOrigin, Grader, GradingRound, GradingSlot, Study
from humaneval.studies.masking import masks_of
from leaderboard.models import SubmissionFile, User
from leaderboard.operations import audit
from leaderboard.publishing.systems import numbered
from scoring.analysis.reference_items import item_counts
from scoring.models import Question, Split

NO_GRADERS: Final = "Name at least one grader."
RESERVED: Final = frozenset({"new"})
"""Reserved slugs: paths under /grading/."""


@transaction.atomic
def make_round(
    *,
    owner: User,
    name: str,
    split: Split,
    graders: Sequence[User],
    files: Sequence[SubmissionFile] = (),
    studies: Sequence[Study] = (),
    settings: RoundSettings,
) -> GradingRound:
    """Make a round of the answers in files and studies to the split's current questions.

    Blank answers are omitted, as there is nothing to grade, and so are answers to questions without a reference answer.

    Raises:
        RoundError: there is nothing to grade, too much, or too few graders.
    """
    revision = split.current_revision
    if revision is None:
        raise RoundError(f"{split} has no questions yet.")
    people = list({user.pk: user for user in graders}.values())
    if not people:
        raise RoundError(NO_GRADERS)
    if len(people) < settings.graders_per_answer:
        raise RoundError(
            f"{settings.graders_per_answer} graders per answer were requested, but there are only {len(people)}."
        )
    counts = item_counts(revision)
    chosen = choose_answers(revision, counts, files, studies, settings)
    base = slugify(name)[:60].strip("-") or "round"
    base += "-round" if base in RESERVED else ""
    taken = GradingRound.objects.filter(slug__startswith=base).values_list("slug", flat=True)
    calibrates = bool(chosen.calibration)
    round_ = GradingRound.objects.create(
        slug=numbered(base, set(taken)),
        name=name,
        owner=owner,
        revision=revision,
        selection=settings.selection,
        seed=settings.seed,
        sampling=chosen.sources,
        graders_per_answer=settings.graders_per_answer,
        shared_share=settings.shared_share,
        calibration_share=settings.calibration_share if calibrates else 0.0,
        calibration_start=settings.calibration_start if calibrates else 0,
        shows_matches=settings.shows_matches,
        masks=list(settings.masks),
        on_named=settings.on_named,
        guidelines=settings.guidelines or GUIDELINES,
    )
    # The answers are saved in a random order, so that neither position nor key reveals the source.
    questions = dict(Question.objects.filter(revision=revision).values_list("qid", "pk"))
    is_known = {answer.key for answer in chosen.calibration}
    mixed = sampling.shuffled([*chosen.to_grade, *chosen.calibration], round_.seed, "positions")
    origins = GradedAnswerOrigin.objects.bulk_create(
        [
            GradedAnswerOrigin(
                answer_set_id=candidate.answer_set,
                assignment_id=candidate.assignment,
                why=chosen.reasons.get(candidate.key, ""),
                probability=None if candidate.key in is_known else chosen.probabilities.get(candidate.key),
            )
            for candidate in mixed
        ]
    )
    ordinary = [n for n, candidate in enumerate(mixed, start=1) if candidate.key not in is_known]
    n_shared = round(round_.shared_share * len(ordinary))
    shared = set(sampling.shuffled(ordinary, round_.seed, "shared")[:n_shared])
    answers = GradedAnswer.objects.bulk_create(
        [
            GradedAnswer(
                round=round_,
                position=position,
                origin=origin,
                question_id=questions[candidate.qid],
                text=candidate.text,
                n_items=counts[candidate.qid],
                n_wanted=round_.graders_per_answer if position in shared else 1,
                is_calibration=candidate.key in is_known,
            )
            for position, (candidate, origin) in enumerate(zip(mixed, origins, strict=True), start=1)
        ]
    )
    GradingSlot.objects.bulk_create(
        [
            GradingSlot(graded_answer=answer, number=number)
            for answer in answers
            if not answer.is_calibration
            for number in range(1, answer.n_wanted + 1)
        ]
    )
    for user in people:
        _seat(round_, user)
    audit.record(
        owner,
        "grading.round-made",
        f"grading round {round_.slug}",
        f"{len(chosen.to_grade)} answers to {revision}, {len(chosen.calibration)} calibration answers, "
        f"{len(people)} graders.",
    )
    return round_


def masks_for(files: Iterable[SubmissionFile]) -> list[str]:
    """The words to mask in the answers of files: what `masks_of` makes of the names of their systems."""
    return masks_of(file.submission.name for file in files)


def mask_lines(text: str) -> list[str]:
    """The texts that a maintainer wants masked, one per line."""
    lines = (" ".join(line.split()) for line in text.splitlines())
    return list(dict.fromkeys(line for line in lines if line))


# --- Graders -------------------------------------------------------------------------------------------------------


@transaction.atomic
def add_grader(round_: GradingRound, user: User, *, by: User) -> Grader:
    """Add a grader to a round: a new one, or one who returns.

    Raises:
        RoundClosedError: the round is closed.
    """
    # Locked until the end of the transaction, so that the round cannot close meanwhile.
    locked = GradingRound.objects.select_for_update(of=("self",)).get(pk=round_.pk)
    if locked.closed_at is not None:
        raise RoundClosedError
    grader = _seat(round_, user)
    audit.record(by, "grading.grader-added", f"grading round {round_.slug}", f"{grader.code}: {user.get_username()}")
    return grader


def _seat(round_: GradingRound, user: User) -> Grader:
    known = round_.graders.filter(user=user).first()
    if known is not None:
        known.removed_at = None
        known.save(update_fields=["removed_at"])
        return known
    last = round_.graders.order_by("-number").values_list("number", flat=True).first() or 0
    return Grader.objects.create(round=round_, user=user, number=last + 1)


@transaction.atomic
def remove_grader(grader: Grader, *, by: User) -> None:
    """Remove a grader. Their grades stay stored and count; their claims are released."""
    # A grader who claims an answer at this moment waits, and then finds no claim.
    grader = Grader.objects.select_for_update(of=("self",)).select_related("round", "user").get(pk=grader.pk)
    if grader.removed_at is not None:
        return
    grader.removed_at = timezone.now()
    grader.save(update_fields=["removed_at"])
    GradingSlot.objects.filter(grader=grader, graded_at=None).update(grader=None, claimed_at=None, lease_until=None)
    audit.record(
        by,
        "grading.grader-removed",
        f"grading round {grader.round.slug}",
        f"{grader.code}: {grader.user.get_username()}",
    )


@transaction.atomic
def close_round(round_: GradingRound, *, by: User) -> bool:
    """Close a round: no more grading, and the sources of its answers become visible. False if it was already closed."""
    if not GradingRound.objects.filter(pk=round_.pk, closed_at=None).update(closed_at=timezone.now()):
        return False
    audit.record(by, "grading.round-closed", f"grading round {round_.slug}")
    return True
