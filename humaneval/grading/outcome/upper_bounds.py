"""Upper bounds: human grades of participants' answers, published as a row of their own."""

import statistics
from collections import defaultdict
from dataclasses import dataclass
from typing import Final

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from humaneval.grading.criteria import is_by_criteria
from humaneval.grading.outcome.rating_matrices import FinalGrade, final_grades
from humaneval.models import GradingRound, Participant, Selection, Study
from humaneval.results.human_row import LONGEST_AUTHORS, NAMES_TOO_LONG, HumanRowError, require_enough, warning_of
from humaneval.studies import activity_log
from humaneval.studies.queries import counted, source_of
from leaderboard.board.staleness import mark_entries
from leaderboard.board.table.hand_grades import GRADED_LOOSE, GRADED_STRICT
from leaderboard.models import Entry, EntryKind, ReportedValue, System, SystemType, User
from leaderboard.publishing.systems import free_slug
from scoring.statistics import mean_estimate

ROUND_OPEN: Final = "Close the round first, so that published scores do not change with every grade."
NOT_RANDOM: Final = (
    "This round contains the answers on which scores differ most, not a random sample. It cannot "
    "estimate human performance."
)
NO_GRADES: Final = "No answers of this study were graded in the round."
NAME: Final = "People, graded by hand ({})"
"""The name of a row, with the study's."""


@dataclass(frozen=True)
class UpperBound:
    """Human performance in a study when answers are graded by hand, 0 to 1."""

    study: Study
    loose: float
    """The mean share of the items that graders found."""
    low: float | None
    """Lower end of the 95 % interval of ``loose``, over participants and questions; None with a single one."""
    high: float | None
    strict: float
    n_answers: int
    n_people: int
    n_questions: int
    strict_low: float | None = None
    strict_high: float | None = None
    n_calibration: int = 0
    """Number of the answers that are calibration answers."""
    authors: str = ""
    """The authors of the study's rows on the leaderboard; empty if it has none."""

    @property
    def warning(self) -> str:
        """A warning about results of very few people; empty for enough of them."""
        return warning_of(self.n_people)


def upper_bounds_of(round_: GradingRound) -> list[UpperBound]:
    """Human performance by a round's grades, for each study in it. An answer's share is the decision's, else the known
    grade's, else the graders' mean.

    After Zhu et al. (2024), section 4.5, whose human upper bound is from grading by hand. Answers of participants who
    were excluded or withdrew since the round was made do not count. A round of the answers on which scores differ most
    gives no result: they are not a sample of the participants' answers; nor does one of criteria, which are no items.
    Calibration answers, which are drawn at random from the same answers, count. Four queries, and two for each study.
    """
    if round_.selection == Selection.DISAGREEMENTS or is_by_criteria(round_):
        return []
    graded = [
        (final.answer.origin.assignment.participant, final)
        for final in final_grades(round_)
        if final.answer.origin.assignment is not None
    ]
    by_study: dict[Study, list[tuple[Participant, FinalGrade]]] = defaultdict(list)
    for person, final in sorted(graded, key=lambda pair: pair[0].number):
        by_study[person.study].append((person, final))
    bounds = []
    for study, every in by_study.items():
        counting = set(counted(study).values_list("pk", flat=True))
        answers = [(person, final) for person, final in every if person.pk in counting]
        if not answers:
            continue
        clusters = [person.code for person, _ in answers], [final.answer.question.qid for _, final in answers]
        loose, strict = [final.loose for _, final in answers], [final.strict for _, final in answers]
        ends, strict_ends = mean_estimate(loose, clusters), mean_estimate(strict, clusters)
        # The authors that a maintainer gave: for the study's Human row, or else for an earlier row graded by hand.
        named = Q(answer_set__study_result__study=study) | Q(source=source_of(study), kind=EntryKind.GRADED)
        row = Entry.objects.filter(named).select_related("system").order_by("kind", "pk").last()
        bounds.append(
            UpperBound(
                study=study,
                loose=statistics.fmean(loose),
                low=ends.low,
                high=ends.high,
                strict=statistics.fmean(strict),
                strict_low=strict_ends.low,
                strict_high=strict_ends.high,
                n_answers=len(answers),
                n_people=len(set(clusters[0])),
                n_questions=len(set(clusters[1])),
                n_calibration=sum(final.answer.is_calibration for _, final in answers),
                authors=row.system.authors if row is not None else "",
            )
        )
    return bounds


@transaction.atomic
def publish_upper_bound(round_: GradingRound, slug: str, *, by: User | str, authors: str = "") -> Entry:
    """Publish a study's human performance graded by hand on the leaderboard, beside its Human row; replaces an earlier
    one. Its values are in columns of their own, because they are not a metric's scores: no system was graded like this.

    Args:
        slug: the study's slug.
        authors: the people who made the study; by default those of its Human row.

    Raises:
        HumanRowError: the round is open or no sample, or has no grades of this study, or of too few questions of a
            hidden split.
    """
    if len(authors) > LONGEST_AUTHORS:
        raise HumanRowError(NAMES_TOO_LONG)
    if round_.closed_at is None:
        raise HumanRowError(ROUND_OPEN)
    if round_.selection == Selection.DISAGREEMENTS:
        raise HumanRowError(NOT_RANDOM)
    bound = next((bound for bound in upper_bounds_of(round_) if bound.study.slug == slug), None)
    if bound is None:
        raise HumanRowError(NO_GRADES)
    require_enough(bound.study, bound.n_questions)
    study = bound.study
    system = System.objects.filter(entries__source=source_of(study), is_human=True).first()
    if system is None:
        system = System(slug=free_slug(f"graded {study.slug}"), is_human=True, type=SystemType.OTHER)
    system.name = NAME.format(study.name)[:200]
    system.authors = " ".join(authors.split()) or bound.authors or f"The authors of “{study.name}”"
    system.save()
    now = timezone.now()
    system.entries.filter(replaced_at=None).update(replaced_at=now, updated_at=now)
    entry = Entry.objects.create(
        system=system,
        split=study.split,
        setting=study.setting,
        kind=EntryKind.GRADED,
        source=source_of(study),
        note=note_of(bound, round_),
        n_answered=bound.n_questions,
        published_at=now,
    )
    ReportedValue.objects.bulk_create(
        [
            ReportedValue(entry=entry, name=GRADED_LOOSE, value=bound.loose, low=bound.low, high=bound.high),
            ReportedValue(
                entry=entry, name=GRADED_STRICT, value=bound.strict, low=bound.strict_low, high=bound.strict_high
            ),
        ]
    )
    activity_log.record_action(
        study, "study.upper-bound-published", f"Published on the leaderboard as {system.name}.", by=by
    )
    mark_entries(Entry.objects.filter(system=system))
    return entry


def note_of(bound: UpperBound, round_: GradingRound) -> str:
    """The numbers of answers and people, as the row shows them."""
    text = f"{bound.n_answers} answers of {bound.n_people} people graded by hand in “{round_.name}”"
    if bound.n_calibration:
        text += f", {bound.n_calibration} of them calibration answers with a known grade"
    return ". ".join(filter(None, [text[:300], warning_of(bound.n_people)]))
