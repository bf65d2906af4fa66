"""Making a round: what is in it, in which order, who grades, and what is refused."""

import itertools
from collections import Counter
from typing import Any

import pytest
from django.utils import timezone

from humaneval.grading import queries as grading
from humaneval.grading.desk import services as desk
from humaneval.grading.errors import RoundClosedError, RoundError
from humaneval.grading.grade_scores import Ticked
from humaneval.grading.rounds import selection, sources
from humaneval.grading.rounds import services as rounds
from humaneval.models import GradedAnswer, GradingSlot, Participant, Selection
from leaderboard.models import AuditRecord
from tests import factories, study_people
from tests.humaneval.grading.ground import SYSTEM, grade_all, grade_next, grader, ground

pytestmark = pytest.mark.django_db


class TestWhatIsInIt:
    def test_every_answer_once_with_its_slots(self) -> None:
        place = ground()
        made = place.round(shared_share=0.5)
        answers = list(made.answers.all())
        assert sorted(answer.question.qid for answer in answers) == [f"test-{n}" for n in range(6)]
        assert [answer.position for answer in answers] == [1, 2, 3, 4, 5, 6]
        assert Counter(answer.n_wanted for answer in answers) == {2: 3, 1: 3}
        assert GradingSlot.objects.count() == 9
        assert {answer.question.qid: answer.n_items for answer in answers}["test-0"] == 2

    def test_neither_place_nor_key_tells_where_an_answer_is_from(self) -> None:
        place = ground(n=20, systems=(SYSTEM, "Other"))
        made = place.round()
        first_file = place.files[0].answer_set_id
        parties = [pk == first_file for pk in made.answers.order_by("pk").values_list("origin__answer_set", flat=True)]
        assert parties != sorted(parties)
        assert parties != sorted(parties, reverse=True)
        changes = sum(a != b for a, b in itertools.pairwise(parties))
        assert changes > 8
        by_position = list(made.answers.order_by("position").values_list("pk", flat=True))
        assert by_position == sorted(by_position)

    def test_blank_answers_are_left_out(self) -> None:
        place = ground()
        factories.change_answers(place.files[0].answer_set, {"test-1": " \n"})
        assert place.round().answers.filter(question__qid="test-1").count() == 0

    def test_a_sample_takes_as_many_and_calibration_others(self) -> None:
        place = ground(n=20, systems=(SYSTEM, "Other"))
        made = place.round(selection=Selection.SAMPLE, n_answers=10, n_calibration=4)
        ordinary = made.answers.filter(is_calibration=False)
        assert (ordinary.count(), made.answers.filter(is_calibration=True).count()) == (10, 4)
        by_system = Counter(ordinary.values_list("origin__answer_set", flat=True))
        assert sorted(by_system.values()) == [5, 5]
        assert not GradingSlot.objects.filter(graded_answer__is_calibration=True).exists()

    def test_the_answers_of_people_of_a_study(self) -> None:
        place = ground()
        study = factories.study(place.maintainer, place.split)
        whose: tuple[dict[str, Any], ...] = ({}, {"excluded_at": timezone.now()}, {"is_preview": True})
        for number, fields in enumerate(whose, start=1):
            person = study_people.participant(study, number, **fields)
            study_people.assigned(person, 1, "test-0", "Oslo")
            study_people.assigned(person, 2, "test-1", " ")
            study_people.assigned(person, 3, "test-2", "Os", done=False)
            study_people.assigned(person, 9, "", "x", attention_check={"text": "?", "answers": ["x"]})
        assert list(sources.gradable_studies(place.split)) == [study]
        made = place.round(files=[], studies=[study])
        (answer,) = made.answers.all()
        assert answer.origin.assignment is not None
        assert answer.origin.assignment.participant.code == "P-01"
        assert grading.sources_of(made) == [("Spring study", "people", 1)]
        Participant.objects.get(number=1).delete()
        assert not GradedAnswer.objects.exists()


class TestDisagreements:
    def test_strict_accuracy_against_earlier_grades(self) -> None:
        place = ground()
        factories.score(place.submissions[0])
        with pytest.raises(RoundError, match=selection.NO_DIFFERENCES):
            place.round(selection=Selection.DISAGREEMENTS, n_answers=5)
        earlier = place.round(name="Earlier", graders_per_answer=1)
        # The first three answers hold everything and are right to the metric; the grader finds all six right.
        assert grade_all(grader(earlier)) == 6
        made = place.round(selection=Selection.DISAGREEMENTS, n_answers=5)
        taken = {answer.question.qid: answer.origin.why for answer in made.answers.all()}
        assert taken == {f"test-{n}": "graders 1, strict 0" for n in (3, 4, 5)}


class TestWhatIsRefused:
    @pytest.mark.parametrize(
        ("fields", "told"),
        [
            ({"graders": []}, rounds.NO_GRADERS),
            ({"graders_per_answer": 3}, "there are only 2"),
            ({"files": []}, selection.NOTHING_TO_GRADE),
            ({"selection": Selection.SAMPLE}, selection.NUMBER_NEEDED),
            ({"n_calibration": 6}, selection.NONE_LEFT.format(6, 6)),
        ],
    )
    def test_what_does_not_fit(self, fields: dict[str, Any], told: str) -> None:
        with pytest.raises(RoundError, match=told):
            ground().round(**fields)
        assert not GradedAnswer.objects.exists()

    def test_too_many_answers(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(selection, "MOST_ANSWERS", 5)
        with pytest.raises(RoundError, match="at most 5"):
            ground().round()


class TestWhoGrades:
    def test_who_is_removed_gives_back_what_they_had_and_keeps_what_they_did(self) -> None:
        place = ground()
        made = place.round()
        greta = grader(made)
        grade_next(greta)
        desk.hold(greta)
        rounds.remove_grader(greta, by=place.maintainer)
        assert greta.slots.filter(graded_at__isnull=False).count() == 1
        assert greta.slots.filter(graded_at=None).count() == 0
        back = rounds.add_grader(made, greta.user, by=place.maintainer)
        assert (back.code, back.removed_at) == ("G-01", None)
        actions = list(AuditRecord.objects.values_list("action", flat=True).order_by("pk"))
        assert actions[-3:] == ["grading.round-made", "grading.grader-removed", "grading.grader-added"]

    def test_a_closed_round_takes_nobody_and_gives_nothing(self) -> None:
        place = ground()
        made = place.round()
        slot = desk.hold(grader(made))[0]
        assert rounds.close_round(made, by=place.maintainer)
        assert not rounds.close_round(made, by=place.maintainer)
        for act in (
            lambda: rounds.add_grader(made, factories.user("late"), by=place.maintainer),
            lambda: desk.hold(grader(made)),
            lambda: desk.take_back(grader(made)),
            lambda: desk.save_grade(grader=grader(made), slot=slot.pk, ticked=Ticked((True, True))),
        ):
            with pytest.raises(RoundClosedError):
                act()


def test_masks_are_names_and_what_stands_out_in_them() -> None:
    place = ground(systems=("Claude 3.5 Sonnet", "Quixotic-77 Turbo", "A b"))
    own = {"Claude 3.5 Sonnet", "Claude 3.5", "Claude …", "Anthropic …", "Quixotic-77 Turbo", "Quixotic-77", "A b"}
    masks = rounds.masks_for(place.files)
    assert own < set(masks)
    assert masks == sorted(masks, key=len, reverse=True), "the longest first"
    assert "Claude" not in masks, "an ordinary name"


def test_an_overview_takes_as_many_queries_for_more_answers_and_graders(django_assert_max_num_queries: Any) -> None:
    place = ground(n=12)
    made = place.round()
    for number in (1, 2):
        grade_all(grader(made, number), share=number / 2)
    with django_assert_max_num_queries(22):
        found = grading.overview_of(made, with_sources=True)
    assert (found["round"].n_answers, found["round"].n_slots, found["round"].n_graded) == (12, 24, 24)
    assert found["percent"] == 100.0
    assert [who.n_graded for who, _, _ in found["graders"]] == [12, 12]
    assert found["sources"] == [(SYSTEM, "Open book", 12)]
    (row,) = grading.rounds_of(place.people[0], can_maintain=False)
    assert (row.n_slots, row.is_mine) == (24, True)
    assert list(grading.rounds_of(place.ada, can_maintain=False)) == []
