"""Claims, grades and taking them back: two never grade the same slot, and nothing that was graded is lost."""

import datetime
import threading
from collections import Counter
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from humaneval.grading.current_grades import current_grades
from humaneval.grading.desk import adjudication
from humaneval.grading.desk import services as desk
from humaneval.grading.desk.services import AHEAD, LEASE, ClaimLostError, NotGradedError
from humaneval.grading.grade_scores import Ticked
from humaneval.grading.rounds import services as rounds
from humaneval.models import Grade, GradeKind, Grader, GradingSlot
from leaderboard.accounts.teams.services import create_team
from leaderboard.models import Membership, Submission
from tests import factories
from tests.humaneval.grading.ground import grade_all, grade_next, grader, ground, know_all, ticks


@pytest.mark.django_db
class TestClaims:
    def test_a_grader_holds_one_and_the_next(self) -> None:
        who = grader(ground().round())
        held = desk.hold(who)
        assert len(held) == AHEAD
        assert [slot.pk for slot in desk.hold(who)] == [slot.pk for slot in held]
        assert desk.work_of(who) == {"n_graded": 0, "n_left": 6, "percent": 0.0}

    def test_each_answer_once_for_each_grader_and_all_slots_in_the_end(self) -> None:
        made = ground().round()
        assert [grade_all(grader(made, number)) for number in (1, 2)] == [6, 6]
        assert not GradingSlot.objects.filter(graded_at=None).exists()
        assert desk.work_of(grader(made)) == {"n_graded": 6, "n_left": 0, "percent": 100.0}

    def test_a_claim_that_ran_out_is_taken_by_another_and_then_lost(self) -> None:
        made = ground().round(graders_per_answer=1)
        greta, gunnar = grader(made, 1), grader(made, 2)
        mine = desk.hold(greta)
        assert not {slot.pk for slot in desk.hold(gunnar)} & {slot.pk for slot in mine}
        ago = timezone.now() - datetime.timedelta(seconds=1)
        GradingSlot.objects.filter(grader=greta).update(lease_until=ago)
        taken = set()
        while grade_next(gunnar) is not None:
            taken = set(gunnar.slots.values_list("pk", flat=True))
        assert {slot.pk for slot in mine} <= taken
        with pytest.raises(ClaimLostError, match="expired"):
            desk.save_grade(grader=greta, slot=mine[0].pk, ticked=ticks(mine[0].graded_answer.n_items, 1))
        assert Grade.objects.filter(author=greta.user).count() == 0

    def test_a_claim_that_ran_out_and_nobody_took_is_still_good(self) -> None:
        who = grader(ground().round())
        slot = desk.hold(who)[0]
        GradingSlot.objects.filter(grader=who).update(lease_until=timezone.now() - LEASE)
        desk.save_grade(grader=who, slot=slot.pk, ticked=ticks(slot.graded_answer.n_items, 1))
        assert Grade.objects.get().slot_id == slot.pk

    def test_nobody_grades_their_own(self) -> None:
        place = ground()
        made = place.round(graders=[place.ada, place.people[0]], graders_per_answer=1)
        assert desk.hold(grader(made, 1)) == []
        assert len(desk.hold(grader(made, 2))) == AHEAD

    def test_nobody_grades_their_teams(self) -> None:
        place = ground()
        team = create_team(by=place.ada, name="Readers")
        Membership.objects.create(team=team, user=place.people[0])
        Submission.objects.update(team=team)
        made = place.round(graders_per_answer=1)
        assert desk.hold(grader(made, 1)) == []
        assert len(desk.hold(grader(made, 2))) == AHEAD


@pytest.mark.django_db
class TestGrades:
    def test_a_grade_keeps_what_was_ticked_marked_and_written(self) -> None:
        grade_next(grader(ground().round()), 1.0, "reference_wrong", note="n", proposal="p", seconds=1e9)
        made = Grade.objects.get()
        assert (made.reference_wrong, made.note, made.proposal) == (True, "n", "p")
        assert made.ticks == [True] * made.graded_answer.n_items
        assert made.seconds is not None
        assert made.seconds < 60

    @pytest.mark.parametrize(
        ("sent", "told"),
        [
            (lambda n: Ticked((True,) * n, refuses=True), desk.REFUSAL_WITH_ITEMS),
            (lambda n: Ticked((True,) * (n + 1)), desk.OUT_OF_DATE),
        ],
    )
    def test_what_is_no_grade_is_refused(self, sent: Any, told: str) -> None:
        who = grader(ground().round())
        slot = desk.hold(who)[0]
        with pytest.raises(NotGradedError, match=told):
            desk.save_grade(grader=who, slot=slot.pk, ticked=sent(slot.graded_answer.n_items))
        assert not Grade.objects.exists()

    def test_sending_it_twice_keeps_it_once_and_another_grade_is_refused(self) -> None:
        who = grader(ground().round())
        slot = desk.hold(who)[0]
        n_items = slot.graded_answer.n_items
        first = desk.save_grade(grader=who, slot=slot.pk, ticked=ticks(n_items, n_items))
        assert desk.save_grade(grader=who, slot=slot.pk, ticked=ticks(n_items, n_items)).pk == first.pk
        with pytest.raises(ClaimLostError, match="already graded"):
            desk.save_grade(grader=who, slot=slot.pk, ticked=ticks(n_items, 0))
        assert Grade.objects.count() == 1

    def test_a_grader_cannot_grade_an_answer_that_another_holds(self) -> None:
        made = ground().round()
        slot = desk.hold(grader(made, 2))[0]
        with pytest.raises(ClaimLostError):
            desk.save_grade(grader=grader(made, 1), slot=slot.pk, ticked=ticks(slot.graded_answer.n_items, 1))

    def test_taking_back_opens_the_last_and_keeps_every_version(self) -> None:
        who = grader(ground().round())
        first, second = grade_next(who), grade_next(who)
        assert first is not None and second is not None
        assert desk.take_back(who) == second
        assert desk.take_back(who) == first
        held = desk.held_by(who)
        assert [slot.pk for slot in held[:2]] == [first.pk, second.pk]
        again = desk.save_grade(grader=who, slot=first.pk, ticked=ticks(first.graded_answer.n_items, 0))
        assert again.version == 2
        assert [grade.version for grade in first.grades.order_by("version")] == [1, 2]
        assert desk.work_of(who)["n_graded"] == 1
        assert current_grades(who.round) == [again], "the newest version counts, not the first"

    def test_there_is_nothing_to_take_back_at_first(self) -> None:
        assert desk.take_back(grader(ground().round())) is None


@pytest.mark.django_db
class TestCalibration:
    @pytest.mark.slow
    def test_known_answers_come_first_and_in_between_and_are_compared(self) -> None:
        place = ground(n=40)
        made = place.round(n_calibration=6, calibration_start=2, calibration_share=0.25)
        know_all(made, place.maintainer)
        order: list[bool] = []
        who = grader(made)
        while (slot := grade_next(who, share=1.0 if len(order) < 10 else 0.0)) is not None:
            order.append(slot.graded_answer.is_calibration)
        assert order[:2] == [True, True]
        assert sum(order) == 6
        assert sum(order[2:18]) == 4
        found = adjudication.calibrations(made)[who.pk]
        n_right = sum(order[:10])
        assert (found["n_graded"], found["letters"], found["items"]) == (6, n_right / 6, n_right / 6)
        assert found["bias"] == pytest.approx(-(6 - n_right) / 6)
        assert adjudication.calibrations(made)[grader(made, 2).pk]["letters"] is None

    def test_who_was_taken_out_with_one_on_the_screen_and_comes_back_gets_it_again(self) -> None:
        place = ground(n=8)
        made = place.round(n_calibration=2, calibration_start=2)
        know_all(made, place.maintainer)
        who = grader(made)
        held = {slot.pk for slot in desk.hold(who) if slot.graded_answer.is_calibration}
        rounds.remove_grader(who, by=place.maintainer)
        rounds.add_grader(made, who.user, by=place.maintainer)
        assert {slot.pk for slot in desk.hold(who)} == held
        assert len(held) == 2

    def test_nobody_is_calibrated_by_their_own(self) -> None:
        place = ground(n=8)
        made = place.round(n_calibration=2, graders=[place.ada, *place.people])
        know_all(made, place.maintainer)
        assert desk.hold(grader(made, 1)) == []
        assert len(desk.hold(grader(made, 2))) == 2

    def test_without_its_known_grade_an_answer_is_not_given(self) -> None:
        place = ground(n=10)
        made = place.round(n_calibration=4, graders=[*place.people, place.maintainer])
        assert not any(slot.graded_answer.is_calibration for slot in desk.hold(grader(made, 1)))
        answer = made.answers.filter(is_calibration=True)[0]
        whole = ticks(answer.n_items, answer.n_items)
        adjudication.decide(round_=made, answer=answer, kind=GradeKind.KNOWN, by=place.maintainer, ticked=whole)
        assert desk.hold(grader(made, 2))[0].graded_answer == answer
        # Not to who gave it.
        assert not any(slot.graded_answer.is_calibration for slot in desk.hold(grader(made, 3)))


@pytest.mark.slow
@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_graders_hammering_the_queue_at_once_never_get_the_same_slot() -> None:
    """Four graders in eight windows claim and grade as fast as they can; each slot is graded once, by who has it."""
    place = ground(n=16)
    people = [*place.people, factories.user("gerd"), factories.user("gina")]
    made = place.round(graders=people, graders_per_answer=2)
    given: list[tuple[int, int]] = []
    wrong: list[BaseException] = []
    start = threading.Barrier(8)

    def hammer(number: int) -> None:
        try:
            who = grader(made, number)
            start.wait(timeout=20)
            while held := desk.hold(who):
                for slot in held:
                    given.append((slot.pk, number))
                    try:
                        desk.save_grade(grader=who, slot=slot.pk, ticked=ticks(slot.graded_answer.n_items, 1))
                    except ClaimLostError:
                        # The same person's other window was quicker; somebody else's never is.
                        assert GradingSlot.objects.get(pk=slot.pk).grader_id == who.pk
        except BaseException as error:
            wrong.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=hammer, args=(number,)) for number in (1, 2, 3, 4) * 2]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=120)
    assert not wrong
    assert not any(thread.is_alive() for thread in threads)
    graders_of: dict[int, set[int]] = {}
    for slot, number in given:
        graders_of.setdefault(slot, set()).add(number)
    assert len(graders_of) == 32
    assert {len(numbers) for numbers in graders_of.values()} == {1}
    assert Counter(Grade.objects.values_list("slot", flat=True)).most_common(1)[0][1] == 1
    assert Grade.objects.count() == 32
    per_answer = Counter(GradingSlot.objects.values_list("graded_answer", "grader"))
    assert set(per_answer.values()) == {1}
    assert Grader.objects.filter(slots__graded_at__isnull=False).distinct().count() > 1
