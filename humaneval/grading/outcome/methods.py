"""The methods paragraph of a paper about a grading round, written from what is stored."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from django.utils import timezone

from humaneval.grading.criteria import is_by_criteria
from humaneval.grading.current_grades import count_named, current_grades, newest, ticked_of
from humaneval.models import GradeKind, GradingRound, OnNamed, Selection
from humaneval.results.methods import agreed, count, listed, paragraph, spread

SELECTED: Final = {
    Selection.ALL: "all answers of their sources",
    Selection.SAMPLE: "a random sample, spread evenly over sources and categories (seed {seed})",
    Selection.DISAGREEMENTS: "those on which scores and earlier grades differ most",
}


def methods_of(round_: GradingRound, agreement: Mapping[str, Any]) -> list[str]:
    """The paragraph about a round.

    Args:
        agreement: what the page of the outcome shows (`humaneval.grading.outcome.agreement.agreement_of`).
    """
    return [paragraph(_sentences(round_, agreement))]


def _sentences(round_: GradingRound, agreement: Mapping[str, Any]) -> Iterable[str]:
    answers = round_.answers.filter(is_calibration=False)
    n_answers, n_questions = answers.count(), answers.values("question").distinct().count()
    split = round_.revision.split
    grades, by_criteria = current_grades(round_), is_by_criteria(round_)
    graders = {grade.slot.grader_id for grade in grades if grade.slot is not None}
    selected = SELECTED[Selection(round_.selection)].format(seed=round_.seed)
    yield (
        f"Selected for grading by hand: {count(n_answers, 'answer')} to {count(n_questions, 'question')} of "
        f"{split.benchmark.name} ({split.slug} split), {selected}."
    )
    if graders:
        begun = timezone.localdate(round_.created_at)
        closed = timezone.localdate(round_.closed_at) if round_.closed_at else None
        when = f"between {begun} and {closed}" if closed else f"from {begun} on"
        what = (
            "decided, {}, which criteria of its question an answer meets"
            if by_criteria
            else "ticked, {}, which items of the reference answer an answer has"
        ).format(when)
        yield f"{count(len(graders), 'grader')} {what}, without seeing where it is from."
    if round_.graders_per_answer > 1 and round_.shared_share:
        share = "Each answer" if round_.shared_share == 1 else f"{round_.shared_share:.0%} of the answers"
        others = "" if round_.shared_share == 1 else ", each other by one"
        yield f"{share} was to be graded by {count(round_.graders_per_answer, 'grader')}{others}."
    if round_.masks:
        yield f"In the answers, introductions and {count(len(round_.masks), 'text')} with names of systems were masked."
    known = newest(round_, GradeKind.KNOWN)
    given = [grade for grade in grades if grade.graded_answer_id in known]
    if given:
        n_known = len({grade.graded_answer_id for grade in given})
        pairs = [(ticked_of(grade), ticked_of(known[grade.graded_answer_id])) for grade in given]
        of = f"Of {count(len(given), 'grade')} on {count(n_known, 'calibration answer')} with a known grade"
        if by_criteria:
            equal = [own == right for one, other in pairs for own, right in zip(one.ticks, other.ticks, strict=True)]
            yield f"{of}, {sum(equal):,} of {len(equal):,} decisions about criteria were the known ones."
        else:
            yield f"{of}, {sum(one.letter == other.letter for one, other in pairs):,} gave the known letter."
    if time := spread([grade.seconds for grade in grades if grade.seconds is not None]):
        yield f"The median time for an answer was {time}."
    if n_named := count_named(round_):
        rule = "kept" if round_.on_named == OnNamed.KEEP else "left out"
        yield f"For {count(n_named, 'grade')} graders said that the answer told them who wrote it; these were {rule}."
    if agreement["n_answers"]:
        if by_criteria:
            clauses = [
                agreed("Krippendorff's alpha of criteria, met or not", agreement["items"], "on {} decisions"),
                agreed("Krippendorff's alpha of scores", agreement["loose"], "on {} answers"),
            ]
        else:
            clauses = [
                agreed("Krippendorff's alpha of items, found or not", agreement["items"], "on {} items"),
                agreed("Krippendorff's alpha of the letters A to F", agreement["letters"], "on {} answers"),
            ]
        if clauses := list(filter(None, clauses)):
            yield f"Agreement on the answers of two or more graders: {listed(clauses)}."
    if by_criteria and (n_unsure := sum(tick is None for grade in grades for tick in grade.ticks)):
        yield f"Graders could not say in {count(n_unsure, 'decision')}; these were left out."
    if n_decided := len(newest(round_, GradeKind.DECISION)):
        yield f"Differences in {count(n_decided, 'answer')} were settled by adjudication."
