"""What goes out: arrays that statistics read, and files with everything."""

import csv
import io
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from humaneval.grading import access
from humaneval.grading.desk import adjudication
from humaneval.grading.desk import services as desk
from humaneval.grading.grade_scores import Ticked
from humaneval.grading.outcome import export
from humaneval.grading.outcome.rating_matrices import LETTERS, final_grades, grade_arrays
from humaneval.models import GradeKind
from tests.humaneval.grading.ground import SYSTEM, grade_all, grade_next, grader, ground, know_all, ticks

pytestmark = pytest.mark.django_db


def nothing_for_nan(values: Any) -> list[list[float | None]]:
    return [[None if math.isnan(value) else value for value in row] for row in np.asarray(values).tolist()]


class TestArrays:
    def test_rows_are_graders_and_columns_answers(self, django_assert_num_queries: Any) -> None:
        place = ground()
        made = place.round()
        grade_all(grader(made, 1))
        who = grader(made, 2)
        slot = grade_next(who, 0.0)
        assert slot is not None
        with django_assert_num_queries(3):
            found = grade_arrays(made)
        at = slot.graded_answer.position - 1
        assert found.graders == ("G-01", "G-02")
        assert found.loose.shape == found.letters.shape == (2, 6)
        assert found.loose[0].tolist() == [1.0] * 6
        expected = [None] * 6
        assert nothing_for_nan(found.loose)[1] == [*expected[:at], 0.0, *expected[at + 1 :]]
        assert LETTERS[int(found.letters[1, at])] == "D"
        assert found.answer_of.tolist() == sorted(found.answer_of.tolist())
        own = found.answer_of == at
        assert found.ticks[1, own].tolist() == [0.0] * slot.graded_answer.n_items
        assert np.isnan(found.ticks[1, ~own]).all()

    def test_the_final_grade_is_the_decision_or_the_known_or_the_mean(self) -> None:
        place = ground(n=7)
        made = place.round(n_calibration=1)
        (known,) = made.answers.filter(is_calibration=True)
        know_all(made, place.maintainer)
        grade_all(grader(made, 1), share=1.0)
        grade_all(grader(made, 2), share=0.0)
        decided = made.answers.filter(is_calibration=False)[0]
        said = ticks(decided.n_items, decided.n_items, reference_wrong=True)
        adjudication.decide(round_=made, answer=decided, kind=GradeKind.DECISION, by=place.maintainer, ticked=said)
        ungraded = made.answers.exclude(pk__in=(known.pk, decided.pk))[0]
        ungraded.slots.update(graded_at=None)
        found = {final.answer.position: final for final in final_grades(made)}
        assert len(found) == 6, "without the one that nobody graded"
        assert found[known.position].loose == 1.0
        assert found[decided.position].loose == 1.0
        others = [found[position] for position in found if position not in (known.position, decided.position)]
        assert {(one.loose, one.strict, one.correct) for one in others} == {(0.5, 0.5, 0.5)}
        assert {final.answer.origin.answer_set_id for final in found.values()} == {place.files[0].answer_set_id}


class TestFiles:
    def test_the_json_file_has_every_grade_and_which_count(self) -> None:
        place = ground(n=12)
        made = place.round()
        grade_all(grader(made, 1))
        for n in range(12):
            grade_next(grader(made, 2), share=n % 2, note="=1+1")
        desk.take_back(grader(made, 2))
        right = access.right_of(place.maintainer, made)
        document = json.loads(export.as_file(made, "json", right=right))
        assert document["schema"] == export.SCHEMA
        assert [one["code"] for one in document["graders"]] == ["G-01", "G-02"]
        assert all(answer["origin"]["source"] == SYSTEM for answer in document["answers"])
        grades = [grade for answer in document["answers"] for grade in answer["grades"]]
        assert len(grades) == 24
        assert sum(grade["counts"] for grade in grades) == 23
        assert all(len(grade["ticks"]) == len(one["items"]) for one in document["answers"] for grade in one["grades"])
        # From the file alone, as somebody elsewhere would.
        table = np.full((2, len(document["answers"])), np.nan)
        for place_, answer in enumerate(document["answers"]):
            for grade in answer["grades"]:
                if grade["counts"]:
                    table[["G-01", "G-02"].index(grade["by"]), place_] = LETTERS.index(grade["letter"])
        np.testing.assert_array_equal(table, grade_arrays(made).letters)

    def test_the_csv_file_has_the_grades_that_count_and_no_formula(self) -> None:
        place = ground(systems=("=cmd",))
        made = place.round(graders_per_answer=1)
        grade_next(grader(made), note="=1+1")
        text = export.as_file(made, "csv", right=access.right_of(place.maintainer, made)).decode()
        (row,) = csv.DictReader(io.StringIO(text))
        assert (row["by"], row["kind"], row["note"], row["source"]) == ("G-01", "grade", "'=1+1", "'=cmd")
        assert set(json.loads(row["ticks"])) == {1}
        assert list(row) == list(export.COLUMNS)

    def test_ticks_in_the_csv_file_are_a_list_and_never_a_number(self) -> None:
        place = ground(n=4)
        made = place.round(graders_per_answer=1)
        given = {}
        who = grader(made)
        while held := desk.hold(who):
            n_items = held[0].graded_answer.n_items
            last_alone = Ticked(tuple(number == n_items - 1 for number in range(n_items)), contradicts=True)
            desk.save_grade(grader=who, slot=held[0].pk, ticked=last_alone)
            given[str(held[0].graded_answer.position)] = [int(bool(tick)) for tick in last_alone.ticks]
        rows = csv.DictReader(
            io.StringIO(export.as_file(made, "csv", right=access.right_of(place.maintainer, made)).decode())
        )
        found = {row["position"]: row["ticks"] for row in rows}
        assert [0, 1] in given.values()
        assert {position: json.loads(text) for position, text in found.items()} == given
        assert all(text.startswith("[") for text in found.values())

    def test_the_command_writes_the_same(self, tmp_path: Path, capsysbinary: Any) -> None:
        place = ground()
        made = place.round()
        grade_all(grader(made))
        file = tmp_path / "round.json"
        call_command("export_grading", made.slug, "--out", str(file))
        right = access.right_of(place.maintainer, made)
        assert file.read_bytes() == export.as_file(made, "json", right=right)
        call_command("export_grading", made.slug, "--format", "csv")
        assert capsysbinary.readouterr().out == export.as_file(made, "csv", right=right)
        with pytest.raises(CommandError, match="no grading round nowhere"):
            call_command("export_grading", "nowhere")
