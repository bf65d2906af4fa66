"""Read what the rows of an export are about.

What belongs to an object besides its own fields, such as the number of a search, is set as a further attribute.
"""

import math
from collections import defaultdict
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
from django.db.models import Prefetch, Q, QuerySet

from humaneval.models import (
    AnswerRevision,
    Assignment,
    ItemCheck,
    ReaderTab,
    Search,
    Study,
    StudyResult,
    Visit,
)
from humaneval.models.exclusion_rules import in_words
from humaneval.results.answer_sets import shown_results
from humaneval.results.item_votes import outcome_of
from humaneval.results.pair_choices import judged_of, systems_of
from humaneval.studies.dashboard import counts_of
from humaneval.studies.evidence_measures import answer_measures, gold_of, steps_of
from humaneval.studies.exclusions import excluded_by_rule
from humaneval.studies.outcomes import outcome_of as outcome_of_participant
from humaneval.studies.outcomes import seconds_taken
from humaneval.studies.queries import COMPLETE, counted
from humaneval.studies.ratings import questions_of, rating_of
from scoring import queries as scoring_queries
from scoring.models import Run, Score
from scoring.models.run_states import RunState
from scoring.runs import withdrawals


def _with(thing: Any, **further: Any) -> Any:
    for name, value in further.items():
        setattr(thing, name, value)
    return thing


def participants(study: Study) -> Iterator[Any]:
    given: dict[Any, list[Assignment]] = defaultdict(list)
    for row in answers(study):
        given[row.participant_id].append(row)
    rules, counting = excluded_by_rule(study), set(counted(study).values_list("pk", flat=True))
    for person in study.participants.filter(is_preview=False).select_related("consent").order_by("number"):
        person.study, rule = study, rules.get(person.pk)
        yield _with(
            person,
            counts=person.pk in counting,
            rule=in_words(rule, study.exclusion_rules[rule]) if rule else None,
            outcome=outcome_of_participant(person, rule),
            seconds=seconds_taken(person),
            **counts_of(given[person.pk], has_finished=person.finished_at is not None),
        )


def answers(study: Study) -> QuerySet[Any]:
    """The assignments of a study, by participant and position; ``by_counted`` says whether its participant counts, and
    ``is_complete`` whether the answer then does."""
    return (
        Assignment.objects.filter(participant__study=study, participant__is_preview=False)
        .select_related("question", "participant", "item__question")
        .annotate(is_complete=COMPLETE, by_counted=Q(participant__in=counted(study)))
        .order_by("participant__number", "position")
    )


def _logged(study: Study) -> QuerySet[Any]:
    """The assignments with their searches and visits, in the order of time."""
    return answers(study).prefetch_related(
        Prefetch("searches", Search.objects.order_by("at", "pk")),
        Prefetch("visits", Visit.objects.order_by("opened_at", "pk")),
    )


def revisions(study: Study) -> Iterator[Any]:
    for given in answers(study).prefetch_related(Prefetch("revisions", AnswerRevision.objects.order_by("version"))):
        yield from given.revisions.all()


def visits(study: Study) -> Iterator[Any]:
    for given in _logged(study):
        numbers = {search.pk: number for number, search in enumerate(given.searches.all(), start=1)}
        gold = gold_of(given.question.evidence) if given.question is not None else []
        for step in steps_of(given.visits.all(), gold):
            yield _with(step.visit, step=step, search_number=numbers.get(step.visit.search_id))


def searches(study: Study) -> Iterator[Any]:
    for given in _logged(study):
        for number, search in enumerate(given.searches.all(), start=1):
            yield _with(search, number=number)


def tabs(study: Study) -> Iterator[Any]:
    for given in answers(study).prefetch_related(Prefetch("tabs", ReaderTab.objects.order_by("opened_at", "pk"))):
        yield from given.tabs.all()


def timings(study: Study) -> Iterator[Any]:
    saves = AnswerRevision.objects.order_by("version").only("assignment", "saved_at")
    for given in answers(study).prefetch_related(Prefetch("revisions", saves)):
        yield _with(given, saves=[save.saved_at for save in given.revisions.all()])


def measures(study: Study) -> Iterator[Any]:
    for given in _logged(study):
        measured = answer_measures(given, given.visits.all(), [search.kind for search in given.searches.all()])
        if measured is not None:
            yield _with(given, measures=measured)


def scored_answers(study: Study) -> Iterator[Any]:
    """The answers of the answer sets that the page of scores shows, newest set last."""
    for number, result in shown_results(study):
        for answer in result.answer_set.answers.order_by("participant", "qid"):
            yield _with(answer, number=number, withdrawn=answer.withdrawn_at is not None)


def grades(study: Study) -> Iterator[Any]:
    """One for each answer and score of the latest answer set."""
    for number, result in shown_results(study)[-1:]:
        yield from _grades_in(study, number, result)


def earlier_grades(study: Study) -> Iterator[Any]:
    """The same for each earlier answer set that the page of scores shows."""
    for number, result in shown_results(study)[:-1]:
        yield from _grades_in(study, number, result)


def _grades_in(study: Study, number: int, result: StudyResult) -> Iterator[Any]:
    runs = Run.objects.counting().filter(answer_set=result.answer_set, state=RunState.DONE).select_related("revision")
    deleted = set(withdrawals.deleted_in(result.answer_set).values_list("qid", "participant"))
    for run in sorted(runs, key=lambda run: (run.name, run.signature)):
        items = scoring_queries.items_to_score(result.answer_set, run.revision)
        for score in Score.objects.filter(run=run).select_related("run").order_by("name"):
            if len(score.per_item) != len(items):
                continue
            share = scoring_queries.column_of(study.split.benchmark.slug, score.name).is_share
            weights = score.per_weight if score.per_weight is not None else np.ones(len(items))
            people, families = items.participants or (), items.families or items.qids
            rows = zip(items.qids, people, families, score.per_item.tolist(), weights.tolist(), strict=True)
            for qid, who, cluster, value, weight in rows:
                if (qid, who) not in deleted:
                    told = {"value": value, "weight": weight, "cluster": cluster, "share": share, "number": number}
                    yield SimpleNamespace(participant=who, id=qid, run=run, score=score, **told)


def items(study: Study) -> Iterator[Any]:
    """Every item, also those that were injected or have a known outcome."""
    outcomes = {row.item.pk: row for row in outcome_of(study).rows}
    for item in study.items.select_related("question").order_by("key"):
        yield _with(item, outcome=outcomes.get(item.pk))


def votes(study: Study) -> Iterator[Any]:
    """Every vote, also of participants whose votes do not count."""
    return (given for given in answers(study) if given.item is not None and given.text)


def checks(study: Study) -> Iterator[Any]:
    """Every verdict of the team, with those that were replaced."""
    rows = ItemCheck.objects.filter(item__study=study).select_related("item", "author").order_by("made_at", "pk")
    return rows.iterator()


def pairs(study: Study) -> Iterator[Any]:
    """Every pair, also the injected ones."""
    systems = systems_of(study)
    for item in study.items.exclude(first_set=None).select_related("question").order_by("key"):
        yield _with(item, systems=systems)


def choices(study: Study) -> Iterator[Any]:
    """Every choice, also of participants whose choices do not count."""
    return (given for given in answers(study) if given.item is not None and given.item.is_pair and given.text)


def judge_comparisons(study: Study) -> Iterator[Any]:
    """The judge's comparisons of the systems of a study: one for each pair of systems and question."""
    for pair in judged_of(study):
        values = zip(pair.qids, pair.preferences.tolist(), pair.judged.tolist(), pair.answered.tolist(), strict=True)
        for qid, (first, second), judged, answered in values:
            yield SimpleNamespace(
                id=qid,
                first_answer_set=str(pair.first),
                second_answer_set=str(pair.second),
                first_shown_first=None if math.isnan(first) else first,
                second_shown_first=None if math.isnan(second) else second,
                judged=judged,
                both_answered=answered,
            )


def texts(study: Study) -> Iterator[Any]:
    return study.items.order_by("key").iterator()


def ratings(study: Study) -> Iterator[Any]:
    """Every answer about a text, also of participants whose ratings do not count."""
    questions = {question.name: question for question in questions_of(study)}
    for given in answers(study):
        for name, answer in rating_of(given.text).items() if given.item is not None else ():
            yield _with(given, asked=name, answer=answer, score=questions[name].score_of(answer))


def contacts(study: Study) -> Iterator[Any]:
    for link in study.invitations.select_related("participant", "contact").order_by("created_at", "pk"):
        if (link.participant is not None and not link.participant.is_preview) or link.email:
            yield link
