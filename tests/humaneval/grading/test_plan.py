"""Planned rounds: how many graders are needed, who grades what, and what happens when people leave."""

import datetime
from collections import Counter
from typing import Any

import pytest
from django.urls import reverse
from django.utils import timezone

from humaneval.grading import queries
from humaneval.grading.desk import services as desk
from humaneval.grading.errors import RoundClosedError, RoundError
from humaneval.grading.rounds import selection
from humaneval.grading.rounds import services as rounds
from humaneval.models import Grade, Grader, GradingRound, GradingSlot, Selection
from tests import factories
from tests.humaneval.grading.ground import (
    SYSTEM,
    Ground,
    client_of,
    grade_all,
    grade_next,
    grader,
    ground,
    know_all,
    round_form,
    ticks,
)

pytestmark = pytest.mark.django_db


def planned(place: Ground, n_people: int, **numbers: Any) -> GradingRound:
    """A round with a plan and so many graders."""
    people = [factories.user(f"grader-{number}") for number in range(n_people)]
    return place.round(graders=people, **numbers)


def idle(*graders: Grader) -> None:
    """The time after which what the graders left is released has passed."""
    ago = timezone.now() - datetime.timedelta(seconds=1)
    GradingSlot.objects.filter(grader__in=graders, graded_at=None).update(lease_until=ago)


class TestNumbers:
    @pytest.mark.parametrize("left_out", ["graders_per_answer", "answers_per_grader", "n_graders"])
    def test_any_two_give_the_third(self, left_out: str) -> None:
        numbers = {"graders_per_answer": 2, "answers_per_grader": 10, "n_graders": 10}
        given = numbers | {left_out: 0 if left_out == "graders_per_answer" else None}
        n_graders = given.pop("n_graders")
        made = GradingRound(**given)
        assert selection.fill_plan(made, 50, n_graders) == 10
        assert (made.graders_per_answer, made.answers_per_grader) == (2, 10)

    @pytest.mark.parametrize(
        ("fields", "told"),
        [
            ({"graders_per_answer": 0}, selection.TWO_OF_THREE),
            ({"graders_per_answer": 0, "n_graders": 3}, selection.TWO_OF_THREE),
            ({"answers_per_grader": 10, "n_graders": 9}, selection.NO_PLAN.format(50)),
            ({"answers_per_grader": 51}, selection.NO_PLAN.format(50)),
            ({"answers_per_grader": 10, "shared_share": 0.5}, selection.ALL_SHARED),
        ],
    )
    def test_numbers_that_do_not_fit_are_refused(self, fields: dict[str, Any], told: str) -> None:
        n_graders = fields.pop("n_graders", None)
        with pytest.raises(RoundError) as refused:
            selection.fill_plan(GradingRound(**fields), 50, n_graders)
        assert str(refused.value) == told

    def test_the_precision_is_that_of_the_sources_with_the_fewest_and_the_most_answers(self) -> None:
        place = ground(n=40, systems=(SYSTEM, "Other"))
        made = GradingRound(revision=place.split.current_revision, selection=Selection.SAMPLE, answers_per_grader=20)
        chosen, n_graders = rounds.preview(made, files=place.files, n_answers=60)
        assert [(n, round(margin, 2)) for n, margin in chosen.margins()] == [(30, 0.19)]
        assert n_graders == 6
        assert not GradingRound.objects.exists()


class TestSeats:
    @pytest.mark.parametrize("seed", [0, 1, 2])
    def test_a_third_drops_out_and_every_answer_ends_with_exactly_its_grades(self, seed: int) -> None:
        place = ground(n=20, systems=(SYSTEM, "Other"))
        made = planned(place, 8, answers_per_grader=10, seed=seed)
        graders = [grader(made, number) for number in range(1, 9)]
        for who in graders:
            desk.hold(who)
        assert queries.graders_needed(made) == 0
        for who in graders[:3]:
            assert all(grade_next(who) for _ in range(4))
        idle(*graders[:3])
        assert [grade_all(who) for who in graders[3:]] == [10] * 5
        assert queries.graders_needed(made) == 2
        for number in range(queries.graders_needed(made)):
            late = rounds.add_grader(made, factories.user(f"late-{number}"), by=place.maintainer)
            grade_all(grader(made, late.number))
        assert queries.graders_needed(made) == 0
        assert not GradingSlot.objects.filter(graded_at=None).exists()
        pairs = Counter(Grade.objects.values_list("graded_answer", "author"))
        assert set(pairs.values()) == {1}
        assert set(Counter(answer for answer, _ in pairs).values()) == {2}
        assert max(Counter(author for _, author in pairs).values()) == 10

    def test_who_may_not_get_what_is_left_does_not_count_as_a_grader_for_it(self) -> None:
        place = ground(n=3)
        made = planned(place, 2, answers_per_grader=3)
        first, second = grader(made, 1), grader(made, 2)
        assert grade_all(first) == 3
        rounds.extend_round(made, by=place.maintainer, n_before=3, answers_per_grader=6)
        rounds.remove_grader(second, by=place.maintainer)
        assert desk.hold(grader(made, 1)) == []
        assert queries.graders_needed(made) == 1
        rounds.add_grader(made, place.ada, by=place.maintainer)
        assert desk.hold(grader(made, 3)) == []
        assert queries.graders_needed(made) == 1
        rounds.add_grader(made, place.people[0], by=place.maintainer)
        assert queries.graders_needed(made) == 0
        assert grade_all(grader(made, 4)) == 3

    def test_nothing_is_planned_in_a_closed_round(self) -> None:
        place = ground(n=3)
        made = planned(place, 2, answers_per_grader=3)
        rounds.close_round(made, by=place.maintainer)
        with pytest.raises(RoundClosedError):
            desk.hold(grader(made))
        assert not GradingSlot.objects.filter(grader__isnull=False).exists()

    def test_who_left_with_room_for_more_does_not_count_as_a_grader_for_it(self) -> None:
        place = ground(n=6)
        made = planned(place, 2, graders_per_answer=1, answers_per_grader=4)
        first, second = grader(made, 1), grader(made, 2)
        desk.hold(first)
        idle(first)
        assert grade_all(second) == 4
        assert queries.graders_needed(made) == 1
        desk.hold(first)
        assert queries.graders_needed(made) == 0

    def test_who_never_began_does_not_count_as_a_grader_after_the_hours(self) -> None:
        place = ground(n=6)
        made = planned(place, 2, graders_per_answer=1, answers_per_grader=3)
        silent = grader(made, 1)
        grade_all(grader(made, 2))
        assert queries.graders_needed(made) == 0, "the other one is still expected"
        ago = timezone.now() - datetime.timedelta(hours=made.release_hours, seconds=1)
        Grader.objects.filter(pk=silent.pk).update(added_at=ago)
        assert queries.graders_needed(made) == 1
        assert len(desk.hold(silent)) == 2, "who comes late gets answers all the same"
        assert queries.graders_needed(made) == 0

    def test_each_grader_gets_the_sources_evenly(self) -> None:
        made = planned(ground(n=20, systems=(SYSTEM, "Other")), 8, answers_per_grader=10)
        for number in range(1, 9):
            desk.hold(grader(made, number))
        rows = Counter(GradingSlot.objects.values_list("grader__number", "graded_answer__origin__answer_set"))
        assert len(rows) == 16
        assert set(rows.values()) == {5}

    def test_answers_that_were_not_opened_are_neither_shown_nor_open_to_read(self) -> None:
        made = planned(ground(n=8), 2, answers_per_grader=8)
        who = grader(made)
        opened = {slot.graded_answer.position for slot in desk.hold(who)}
        assert len(opened) == desk.AHEAD
        assert desk.work_of(who) == {"n_graded": 0, "n_left": 8, "percent": 0.0}
        client = client_of(who.user)
        for position in range(1, 9):
            article = client.get(reverse("grading-article", args=[made.slug, position]))
            assert (desk.slot_at(who, position) is not None) is (position in opened)
            assert article.status_code == (200 if position in opened else 404)

    def test_what_was_left_stays_with_its_grader_until_it_is_planned_again(self) -> None:
        made = planned(ground(n=8), 2, answers_per_grader=8, graders_per_answer=1, release_hours=5)
        first, second = grader(made, 1), grader(made, 2)
        slot = desk.hold(first)[0]
        assert slot.lease_until is not None
        hours = (slot.lease_until - timezone.now()) / datetime.timedelta(hours=1)
        assert 4.9 < hours <= 5
        assert desk.hold(second) == []
        idle(first)
        desk.save_grade(grader=first, slot=slot.pk, ticked=ticks(slot.graded_answer.n_items, 1))
        assert grade_all(second) == 7
        assert desk.hold(first) == []

    def test_every_grader_gets_calibration_answers_besides_the_plan(self) -> None:
        place = ground(n=12)
        made = planned(place, 4, answers_per_grader=5, n_calibration=2, calibration_start=2)
        know_all(made, place.maintainer)
        for number in range(1, 5):
            who = grader(made, number)
            assert all(slot.graded_answer.is_calibration for slot in desk.hold(who))
            assert grade_all(who) == 7


class TestPage:
    def test_the_plan_is_shown_before_the_round_is_made_and_nothing_typed_is_lost(self) -> None:
        place = ground(n=40)
        client = client_of(place.maintainer)
        address = reverse("grading-new", args=["fanoutqa", "test"])
        typed = round_form(place, answers_per_grader="20", release_hours="24")
        shown = client.post(address, typed | {"action": "plan"})
        page = " ".join(shown.content.decode().split())
        assert shown.status_code == 200
        assert "2 grades each, 20 answers per grader: 4 graders." in page
        assert "with 40 answers to grade, the share of right ones will be known to about ± 16" in page
        assert shown.context["form"]["name"].value() == "Autumn"
        assert not GradingRound.objects.exists()
        made = client.post(address, typed, follow=True)
        assert "2 more graders needed" in made.content.decode()
        stored = GradingRound.objects.get()
        assert (stored.graders_per_answer, stored.answers_per_grader, stored.release_hours) == (2, 20, 24)
        wrong = client.post(address, typed | {"graders_per_answer": "", "shared_percent": "50"})
        assert set(wrong.context["form"].errors) == {"graders_per_answer", "shared_percent"}
