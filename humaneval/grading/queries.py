"""The overview of a round: for its maintainer, and in the lists of rounds."""

import datetime
import statistics
from collections import Counter, defaultdict
from itertools import chain
from typing import Any

from django.db.models import Count, Exists, Max, OuterRef, Q, QuerySet
from django.utils import timezone

from humaneval.grading.criteria import is_by_criteria
from humaneval.grading.current_grades import current_grades, newest
from humaneval.grading.desk.adjudication import calibrations, differences
from humaneval.grading.desk.services import authors_of, is_free
from humaneval.grading.outcome.reference_corrections import open_corrections
from humaneval.models import GradeKind, Grader, GradingRound, GradingSlot
from humaneval.studies.planning import n_seats
from leaderboard.models import User
from scoring.benchmarks import definitions
from scoring.generations.keys import first_in_words
from scoring.models import Split
from scoring.task_types import task_type_named

Source = tuple[str, str, int]
"""A source of answers in a round: its name, its setting, and the number of its answers."""


def rounds_of(user: User, *, can_maintain: bool) -> QuerySet[Any]:
    """The rounds that a user grades in (``is_mine``), and, if they manage rounds, all, with their numbers of answers,
    slots and graded slots. Newest first; one query."""
    mine = Grader.objects.filter(user=user, removed_at=None).values("round")
    rounds = GradingRound.objects.select_related("revision__split__benchmark")
    rounds = rounds.annotate(is_mine=Exists(mine.filter(round=OuterRef("pk"))))
    return _counted(rounds if can_maintain else rounds.filter(is_mine=True))


def gradable_splits() -> QuerySet[Split]:
    """The splits whose answers can be graded: those with reference answers that answers are scored against, item by
    item, or with criteria."""
    tasks = {slug: task_type_named(declared.task_type) for slug, declared in definitions().items()}
    slugs = [slug for slug, task in tasks.items() if task.needs_references]
    splits = Split.objects.filter(current_revision__has_references=True, benchmark__slug__in=slugs)
    return splits.select_related("benchmark", "current_revision")


def _counted(rounds: QuerySet[GradingRound]) -> QuerySet[Any]:
    # Distinct, because the join with slots repeats each answer.
    ordinary = Q(answers__is_calibration=False)
    return rounds.annotate(
        n_answers=Count("answers", filter=ordinary, distinct=True),
        n_slots=Count("answers__slots", filter=ordinary, distinct=True),
        n_graded=Count("answers__slots", filter=ordinary & Q(answers__slots__graded_at__isnull=False), distinct=True),
    ).order_by("-created_at", "slug")


def overview_of(round_: GradingRound, *, with_sources: bool) -> dict[str, Any]:
    """The overview of a round, for its maintainer. The number of queries does not grow with answers or graders."""
    times: dict[int, list[float]] = defaultdict(list)
    for grade in current_grades(round_):
        if grade.slot is not None and grade.slot.grader_id is not None and grade.seconds is not None:
            times[grade.slot.grader_id].append(grade.seconds)
    medians = {grader: statistics.median(seconds) for grader, seconds in times.items()}
    calibrated = calibrations(round_)
    n_graded = Count("slots", filter=Q(slots__graded_at__isnull=False))
    graders = round_.graders.select_related("user").annotate(n_graded=n_graded).order_by("number")
    slots = GradingSlot.objects.filter(graded_answer__round=round_)
    different = differences(round_)
    counted = _counted(GradingRound.objects.filter(pk=round_.pk)).get()
    return {
        "round": counted,
        "percent": 100 * counted.n_graded / counted.n_slots if counted.n_slots else 100.0,
        # Each with the median time on the screen, if it is known, and the results on calibration answers.
        "graders": [(grader, medians.get(grader.pk), calibrated[grader.pk]) for grader in graders],
        "sources": sources_of(round_) if with_sources else None,
        # On a grader's screen now.
        "n_claimed": slots.filter(graded_at=None, claimed_at__isnull=False, lease_until__gte=timezone.now()).count(),
        "n_needed": graders_needed(round_),
        "n_calibration": round_.answers.filter(is_calibration=True).count(),
        "n_known": len(newest(round_, GradeKind.KNOWN)),
        "n_different": len(different),
        "n_undecided": sum(not difference.decided for difference in different),
        "n_corrections": len(open_corrections(round_)),
        "by_criteria": is_by_criteria(round_),
        "seconds": statistics.median(chain.from_iterable(times.values())) if times else None,
    }


def graders_needed(round_: GradingRound) -> int:
    """How many more graders a planned round needs for the answers that nobody has who is active; 0 without a plan. Four
    queries."""
    if round_.answers_per_grader is None or round_.closed_at is not None:
        return 0
    now = timezone.now()
    free = GradingSlot.objects.filter(is_free(now), graded_answer__round=round_)
    needs = Counter(free.filter(graded_answer__is_calibration=False).values_list("graded_answer", flat=True))
    planned = GradingSlot.objects.filter(graded_answer__round=round_, graded_answer__is_calibration=False)
    had: dict[int, set[int]] = defaultdict(set)
    for grader, answer in planned.filter(grader__isnull=False).values_list("grader", "graded_answer"):
        had[grader].add(answer)
    authors = authors_of(round_)
    # Who let the time run out has left: the time since the last answer, or since being asked to take part.
    staying = round_.graders.filter(removed_at=None).annotate(until=Max("slots__lease_until"))
    asked_since = now - datetime.timedelta(hours=round_.release_hours)
    staying = staying.filter(Q(until=None, added_at__gte=asked_since) | Q(until__gte=now))
    options = []
    for grader, user in staying.values_list("pk", "user"):
        open_ = [answer for answer in needs if answer not in had[grader] and user not in authors[answer]]
        options.append((open_, max(round_.answers_per_grader - len(had[grader]), 0)))
    # As they would be planned: nobody gets an answer twice, so a grader may have room and no answer for it. Those with
    # the fewest to choose from come first.
    for open_, n_more in sorted(options, key=lambda option: len(option[0])):
        left = sorted((answer for answer in open_ if needs[answer]), key=lambda answer: -needs[answer])
        needs.subtract(left[:n_more])
    return n_seats(needs.values(), round_.answers_per_grader)


def sources_of(round_: GradingRound) -> list[Source]:
    """The sources of a round's answers; only for a visitor with `may_see_sources`. Two queries."""
    submission = "origin__answer_set__submission_file__submission__name"
    setting = "origin__answer_set__setting__name"
    study = "origin__assignment__participant__study__name"
    answers = round_.answers.order_by()
    of_systems = answers.filter(origin__answer_set__isnull=False)
    systems = of_systems.values_list(submission, setting, "origin__answer_set__n_attempts").annotate(n=Count("pk"))
    people = (
        round_.answers.order_by().filter(origin__assignment__isnull=False).values_list(study).annotate(n=Count("pk"))
    )
    sources = [(name or "", f"{where or ''}{first_in_words(of)}", n) for name, where, of, n in systems]
    sources += [(name or "", "people", n) for name, n in people]
    return sorted(sources, key=lambda source: (source[0].casefold(), source[1]))


def count_sources(round_: GradingRound) -> int:
    """The number of files and studies that a round has answers to grade of. One query."""
    answers = round_.answers.filter(is_calibration=False).order_by()
    return answers.values("origin__answer_set", "origin__assignment__participant__study").distinct().count()
