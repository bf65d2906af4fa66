"""Make a round, change its graders, and close it."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from django.db import transaction
from django.utils import timezone
from django.utils.text import slugify

from humaneval.grading.errors import RoundClosedError, RoundError
from humaneval.grading.guidelines import guidelines_for
from humaneval.grading.rounds import sampling, sources
from humaneval.grading.rounds.selection import ChosenAnswers, choose_answers, choose_further, fill_plan
from humaneval.models import GradedAnswer, GradedAnswerOrigin, Grader, GradingRound, GradingSlot, Study
from humaneval.studies.masking import masks_of
from leaderboard.models import SubmissionFile, User
from leaderboard.operations import audit
from leaderboard.publishing.systems import numbered
from scoring.analysis.reference_items import item_counts
from scoring.models import Question

NO_GRADERS: Final = "Name at least one grader."
CHANGED: Final = "Somebody extended this round meanwhile. Look at it, and extend it again if it still needs more."
NOTHING_ADDED: Final = "Enter what to add: a number of answers, other sources, graders, or more answers per grader."
FEWER: Final = "Each grader gets {:,} answers in this round. Enter a larger number."
RESERVED: Final = frozenset({"new"})
"""Reserved slugs: paths under /grading/."""


def preview(
    round_: GradingRound,
    *,
    files: Sequence[SubmissionFile] = (),
    studies: Sequence[Study] = (),
    n_answers: int | None = None,
    n_calibration: int = 0,
    n_graders: int | None = None,
) -> tuple[ChosenAnswers, int | None]:
    """The answers that a round which is not stored yet would have, and, in a plan, the number of its graders; the
    numbers of the plan are filled in.

    Args:
        n_answers: the number of answers to take, if not all.
        n_calibration: the number of additional answers for which the maintainer gives the known grade.
        n_graders: of a plan, if it does not follow from its other two numbers.

    Raises:
        RoundError: there is nothing to grade, too much, or the plan does not fit.
    """
    counts = item_counts(round_.revision)
    chosen = choose_answers(round_, counts, files, studies, n_answers, n_calibration)
    return chosen, fill_plan(round_, len(chosen.to_grade), n_graders)


@transaction.atomic
def make_round(round_: GradingRound, *, graders: Sequence[User], **options: Any) -> GradingRound:
    """Make a round of the answers in files and studies; *options* and errors are those of `preview`.

    Blank answers are omitted, as there is nothing to grade, and so are answers to questions without a reference answer.

    Args:
        round_: the round, not stored yet, with its name, owner and revision, and perhaps other settings.

    Raises:
        RoundError: too few graders, or as `preview`.
    """
    people = list({user.pk: user for user in graders}.values())
    if not people:
        raise RoundError(NO_GRADERS)
    chosen, n_planned = preview(round_, **options)
    # In a plan, the missing graders can be added later.
    if len(people) < round_.graders_per_answer and n_planned is None:
        raise RoundError(
            f"{round_.graders_per_answer} graders per answer were requested, but there are only {len(people)}."
        )
    base = slugify(round_.name)[:60].strip("-") or "round"
    base += "-round" if base in RESERVED else ""
    round_.slug = numbered(base, set(GradingRound.objects.filter(slug__startswith=base).values_list("slug", flat=True)))
    round_.sampling = chosen.sources
    if not chosen.calibration:
        round_.calibration_share, round_.calibration_start = 0.0, 0
    round_.guidelines = round_.guidelines or guidelines_for(round_.revision.split)
    round_.save()
    _add_answers(round_, chosen, item_counts(round_.revision))
    for user in people:
        _seat(round_, user)
    audit.record(
        round_.owner,
        "grading.round-made",
        f"grading round {round_.slug}",
        f"{len(chosen.to_grade)} answers to {round_.revision}, {len(chosen.calibration)} calibration answers, "
        f"{len(people)} graders.",
    )
    return round_


def _add_answers(round_: GradingRound, chosen: ChosenAnswers, counts: Mapping[str, int], n_before: int = 0) -> None:
    """Add answers and their slots to a round, whose last position is *n_before*."""
    # The answers are saved in a random order, so that neither position nor key reveals the source.
    questions = dict(Question.objects.filter(revision=round_.revision_id).values_list("qid", "pk"))
    is_known = {answer.key for answer in chosen.calibration}
    further = f" after {n_before}" if n_before else ""
    mixed = sampling.shuffled([*chosen.to_grade, *chosen.calibration], round_.seed, f"positions{further}")
    numbered_answers = list(enumerate(mixed, start=n_before + 1))
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
    ordinary = [position for position, candidate in numbered_answers if candidate.key not in is_known]
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
            for (position, candidate), origin in zip(numbered_answers, origins, strict=True)
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


@transaction.atomic
def extend_round(
    round_: GradingRound,
    *,
    by: User,
    n_before: int,
    n_answers: int | None = None,
    files: Sequence[SubmissionFile] = (),
    studies: Sequence[Study] = (),
    from_round: bool = False,
    mask_names: bool = True,
    graders: Sequence[User] = (),
    answers_per_grader: int | None = None,
) -> int:
    """Add answers to a round, drawn as the others were, and graders. Grades stay as they are, and each further answer
    gets as many as the others.

    Args:
        n_before: the highest position in the round as the maintainer saw it, so that nothing is added twice.
        n_answers: the number of answers to add; in a round of all answers, all of the sources are added.
        from_round: whether to draw from the sources of the round too.
        answers_per_grader: the larger number for all graders, in a planned round.

    Returns:
        The number of answers added.

    Raises:
        RoundClosedError: the round is closed.
        RoundError: it changed meanwhile, or there is nothing to add, or too much.
    """
    # Locked until the end of the transaction: of two people who extend the round at once, the second is told.
    round_ = GradingRound.objects.select_for_update(of=("self",)).select_related("revision__split").get(pk=round_.pk)
    if round_.closed_at is not None:
        raise RoundClosedError
    if n_before != last_position(round_):
        raise RoundError(CHANGED)
    per_grader = round_.answers_per_grader
    if answers_per_grader is not None and per_grader is not None:
        if answers_per_grader < per_grader:
            raise RoundError(FEWER.format(per_grader))
        round_.answers_per_grader = answers_per_grader
    own_files, own_studies = sources.chosen_for(round_) if from_round else ([], [])
    if own_files or own_studies or files or studies:
        n_added = _extend_answers(round_, [*own_files, *files], [*own_studies, *studies], n_answers)
        if mask_names:
            round_.masks = list(dict.fromkeys([*round_.masks, *masks_for(files)]))
    elif n_answers or (not graders and round_.answers_per_grader == per_grader):
        raise RoundError(NOTHING_ADDED)
    else:
        n_added = 0
    round_.save(update_fields=["answers_per_grader", "masks", "sampling"])
    for user in graders:
        add_grader(round_, user, by=by)
    audit.record(by, "grading.round-extended", f"grading round {round_.slug}", f"{n_added} further answers.")
    return n_added


def last_position(round_: GradingRound) -> int:
    """The highest position of an answer in a round; 0 if there is none."""
    return round_.answers.order_by("-position").values_list("position", flat=True).first() or 0


def _extend_answers(
    round_: GradingRound, files: Sequence[SubmissionFile], studies: Sequence[Study], n_answers: int | None
) -> int:
    """Draw and add further answers; the probabilities of those in the round become those of both draws."""
    columns = ("pk", "probability", "graded_answer__question__qid", "answer_set", "assignment")
    rows = GradedAnswerOrigin.objects.filter(graded_answer__round=round_).values_list(*columns)
    origins = {sampling.key_of(*key): (pk, probability) for pk, probability, *key in rows}
    counts = item_counts(round_.revision)
    unique_files, unique_studies = list(dict.fromkeys(files)), list(dict.fromkeys(studies))
    chosen = choose_further(round_, counts, unique_files, unique_studies, n_answers, origins)
    GradedAnswerOrigin.objects.bulk_update(
        [
            GradedAnswerOrigin(pk=pk, probability=chosen.probabilities[key])
            for key, (pk, before) in origins.items()
            if before is not None and chosen.probabilities.get(key, before) != before
        ],
        ["probability"],
        batch_size=500,
    )
    round_.sampling = chosen.sources
    _add_answers(round_, chosen, counts, last_position(round_))
    return len(chosen.to_grade)


def masks_for(files: Iterable[SubmissionFile]) -> list[str]:
    """The words to mask in the answers of files: what `masks_of` makes of the names of their systems."""
    return masks_of(file.submission.name for file in files)


# --- Graders -------------------------------------------------------------------------------------------------------


@transaction.atomic
def add_grader(round_: GradingRound, user: User, *, by: User) -> Grader:
    """Add a grader to a round: a new one, or one who returns. Raises `RoundClosedError`."""
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
