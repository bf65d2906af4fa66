"""The judge's verdicts on a system's answers, question by question, on splits whose answers are public.

Enters: a row of `leaderboard.systems.questions.explained_entries`, which never has one of a hidden split. Leaves: each
question with its verdict and the rule that read it; as a CSV file.
"""

import csv
import io
from collections.abc import Iterable, Mapping
from typing import Any

from django.db.models import QuerySet

from leaderboard.models import Entry
from scoring.benchmarks.columns import JUDGES
from scoring.models import Question, Run, Score
from scoring.models.run_states import RunState
from scoring.queries import current_signatures
from scoring.runs.judging.items import metric_of_run
from scoring.runs.judging.queries import readings_by_question

JUDGES_OF_ANSWERS = tuple(name for name, metric in JUDGES.items() if metric.judges_in_one)
"""The metrics that judge each answer by itself: one verdict for each."""
COLUMNS = ("question_id", "verdict", "correct", "rule", "signature")


def judge_score(entry: Entry, signatures: Mapping[str, str] | None = None) -> Score | None:
    """The judge's score of a row that its leaderboard shows (of several, one), without its vector; None if it has none.
    One query, and another one unless the shown *signatures* of the metrics are given."""
    if signatures is None:
        signatures = current_signatures(entry.split)
    scores = Score.objects.counting().filter(
        run__answer_set=entry.answer_set,
        run__state=RunState.DONE,
        run__metric__in=JUDGES_OF_ANSWERS,
        signature__in=[signatures[metric] for metric in JUDGES_OF_ANSWERS if metric in signatures],
    )
    related = scores.select_related("run__revision__split__benchmark", "run__answer_set")
    return related.defer("vector", "attempts", "weights").order_by("name").first()


def verdicts_on(questions: Iterable[Question], score: Score) -> list[dict[str, Any]]:
    """The verdicts that a judge's score was computed from, for some of its questions, in their order: the fields
    `COLUMNS`.

    ``verdict`` is a letter from A to F, the counts of a judged list, or the grade of a short answer; empty for a
    question without an answer. ``rule`` is the name of the rule that read the letter
    (`scoring.metrics.asking.letters.Rule`); empty without a letter.
    """
    run: Run = score.run
    readings, is_correct = readings_by_question(run), metric_of_run(run).is_correct
    verdicts = []
    for question in questions:
        reading = readings.get(question.qid)
        letter, rule = (reading.letter, reading.rule or "") if reading else ("", "")
        fields = (question.qid, letter, bool(letter) and is_correct(letter), rule, score.signature)
        verdicts.append(dict(zip(COLUMNS, fields, strict=True)))
    return verdicts


def questions_of(score: Score) -> QuerySet[Question]:
    """The questions that a score was computed on."""
    return Question.objects.filter(revision=score.run.revision).only("qid", "position")


def as_csv(score: Score) -> bytes:
    """Every verdict of a score, one question per line."""
    file = io.StringIO()
    writer = csv.writer(file)
    writer.writerow(COLUMNS)
    for verdict in verdicts_on(questions_of(score).order_by("position"), score):
        writer.writerow((verdict | {"correct": int(verdict["correct"])}).values())
    return file.getvalue().encode("utf-8", "replace")
