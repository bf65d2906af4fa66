"""Extending a round: what is added, what stays, and who may; and choosing among many files."""

import re
import threading
from collections import Counter
from typing import Any

import pytest
from django.db import connection
from django.urls import reverse

from humaneval.grading.desk import services as desk
from humaneval.grading.errors import RoundError
from humaneval.grading.rounds import selection
from humaneval.grading.rounds import services as rounds
from humaneval.models import Assignment, Grade, GradedAnswer, GradingRound, GradingSlot, Selection
from tests import factories, study_people
from tests.humaneval.grading.ground import (
    SYSTEM,
    Ground,
    answered_study,
    client_of,
    grade_all,
    grade_next,
    grader,
    ground,
    round_form,
)


def extend(place: Ground, made: GradingRound, **fields: Any) -> int:
    given: dict[str, Any] = {
        "by": place.maintainer,
        "n_before": rounds.last_position(made),
        "from_round": True,
    } | fields
    return rounds.extend_round(made, **given)


def keys(made: GradingRound) -> list[tuple[Any, str]]:
    return list(made.answers.order_by("position").values_list("origin__answer_set", "question__qid"))


@pytest.mark.django_db
class TestAnswers:
    def test_no_answer_comes_twice_and_grades_stay(self) -> None:
        place = ground(n=20, systems=(SYSTEM, "Other"))
        made = place.round(selection=Selection.SAMPLE, n_answers=10, n_calibration=4, calibration_start=0)
        grade_next(grader(made))
        before, grades = keys(made), list(Grade.objects.values())
        assert extend(place, made, n_answers=8) == 8
        after = keys(made)
        assert after[:14] == before
        assert len(set(after)) == 22
        assert list(Grade.objects.values()) == grades
        further = GradedAnswer.objects.filter(round=made, position__gt=14)
        assert set(Counter(further.values_list("slots__graded_answer", flat=True)).values()) == {2}
        assert grade_all(grader(made, 1)) == 17
        assert grade_all(grader(made, 2)) == 18

    def test_probabilities_are_those_of_both_draws(self) -> None:
        place = ground(n=20, systems=(SYSTEM, "Other"))
        made = place.round(selection=Selection.SAMPLE, n_answers=10, n_calibration=4)
        extend(place, made, n_answers=8)
        ordinary = made.answers.filter(is_calibration=False)
        by_system = Counter(ordinary.values_list("origin__answer_set", flat=True))
        assert sorted(by_system.values()) == [9, 9]
        assert {round(p or 0, 9) for p in ordinary.values_list("origin__probability", flat=True)} == {0.45}
        made.refresh_from_db()
        assert [(row["answers"], round(row["probability"], 9)) for row in made.sampling] == [(20, 0.45)] * 2
        assert not made.answers.filter(is_calibration=True, origin__probability__isnull=False).exists()

    def test_answers_deleted_since_the_first_draw_do_not_raise_the_probability_of_the_rest(self) -> None:
        place = ground(n=12)
        study = factories.study(place.maintainer, place.split)
        person = study_people.participant(study, 1)
        keys = [study_people.assigned(person, n + 1, f"test-{n}", "Oslo.").pk for n in range(12)]
        made = place.round(files=[], studies=[study], selection=Selection.SAMPLE, n_answers=6)
        drawn = set(made.answers.values_list("origin__assignment", flat=True))
        deleted = [*sorted(drawn)[:3], *sorted(set(keys) - drawn)[:3]]
        Assignment.objects.filter(pk__in=deleted).update(text="")
        extend(place, made, n_answers=1)
        made.refresh_from_db()
        assert [(row["answers"], round(row["probability"], 9)) for row in made.sampling] == [(6, round(4 / 6, 9))]

    def test_the_same_extension_of_the_same_round_takes_the_same_answers(self) -> None:
        place = ground(n=20)
        twice = [place.round(name=name, selection=Selection.SAMPLE, n_answers=5) for name in "ab"]
        for made in twice:
            extend(place, made, n_answers=6)
        assert keys(twice[0]) == keys(twice[1])

    def test_a_round_is_extended_until_nothing_is_left(self) -> None:
        place = ground(n=8)
        made = place.round(selection=Selection.SAMPLE, n_answers=5)
        assert extend(place, made, n_answers=50) == 3
        with pytest.raises(RoundError) as refused:
            extend(place, made, n_answers=1)
        assert str(refused.value) == selection.NOTHING_FURTHER

    def test_other_systems_and_studies_join_a_round_of_all_answers(self) -> None:
        place = ground(n=4, systems=(SYSTEM, "Zarquon-9"))
        first, second = place.files
        made = place.round(files=[first])
        added = extend(place, made, files=[first, second], studies=[answered_study(place)], from_round=False)
        assert added == 5
        assert len(set(keys(made))) == 9
        assert "Zarquon-9" in GradingRound.objects.get().masks
        assert {row["probability"] for row in GradingRound.objects.get().sampling} == {1.0}

    def test_disagreements_go_on_with_the_next(self) -> None:
        place = ground()
        factories.score(place.submissions[0])
        grade_all(grader(place.round(name="Earlier", graders_per_answer=1)))
        made = place.round(selection=Selection.DISAGREEMENTS, n_answers=1)
        assert extend(place, made, n_answers=5) == 2
        whys = made.answers.values_list("origin__why", "origin__probability")
        assert list(whys) == [("graders 1, strict 0", None)] * 3

    def test_a_plan_gives_further_answers_as_many_grades_and_its_graders_more(self) -> None:
        place = ground(n=8)
        made = place.round(selection=Selection.SAMPLE, n_answers=4, answers_per_grader=4)
        assert [grade_all(grader(made, number)) for number in (1, 2)] == [4, 4]
        extend(place, made, n_answers=3)
        assert desk.hold(grader(made)) == []
        extend(place, made, from_round=False, answers_per_grader=7)
        assert [grade_all(grader(made, number)) for number in (1, 2)] == [3, 3]
        assert not GradingSlot.objects.filter(graded_at=None).exists()

    @pytest.mark.parametrize(
        ("fields", "told"),
        [
            ({"from_round": False}, rounds.NOTHING_ADDED),
            ({}, selection.NUMBER_NEEDED),
            ({"n_answers": 2, "n_before": 1}, rounds.CHANGED),
            ({"n_answers": 2, "answers_per_grader": 3}, rounds.FEWER.format(4)),
        ],
    )
    def test_what_adds_nothing_or_was_seen_differently_is_refused(self, fields: dict[str, Any], told: str) -> None:
        place = ground(n=8)
        made = place.round(selection=Selection.SAMPLE, n_answers=4, answers_per_grader=4)
        with pytest.raises(RoundError) as refused:
            extend(place, made, **fields)
        assert str(refused.value) == told
        assert made.answers.count() == 4


@pytest.mark.django_db
class TestPage:
    def test_answers_and_graders_are_added(self) -> None:
        place = ground(n=8)
        made = place.round(selection=Selection.SAMPLE, n_answers=4)
        client, address = client_of(place.maintainer), reverse("grading-extend", args=[made.slug])
        assert f'href="{address}"' in client.get(reverse("grading-round", args=[made.slug])).content.decode()
        n_before = client.get(address).context["form"]["n_before"].value()
        said = {"n_before": n_before, "from_round": "on", "graders": "ada"}
        assert client.post(address, said | {"graders": "nobody"}).context["form"].errors.keys() == {"graders"}
        assert client.post(address, said).status_code == 302
        assert (made.answers.count(), made.graders.count()) == (4, 3)
        more = said | {"n_answers": "2", "graders": ""}
        assert client.post(address, more).status_code == 302
        assert made.answers.count() == 6
        again = client.post(address, more)
        assert again.context["form"].non_field_errors() == [rounds.CHANGED]
        assert client.post(address, more | {"from_round": ""}).status_code == 422
        assert made.answers.count() == 6

    def test_a_closed_round_says_so(self) -> None:
        place = ground(n=8)
        made = place.round()
        rounds.close_round(made, by=place.maintainer)
        client, address = client_of(place.maintainer), reverse("grading-extend", args=[made.slug])
        assert "<form class" not in client.get(address).content.decode().split("</header>")[-1].split("<footer")[0]
        refused = client.post(address, {"n_before": "8", "graders": "ada"})
        assert (refused.status_code, made.graders.count()) == (422, 2)

    def test_a_maintainer_who_grades_adds_no_answers_to_a_round_of_all_because_only_people_write_new_ones(self) -> None:
        place = ground(n=4)
        study = answered_study(place)
        made = place.round(studies=[study], graders=[place.maintainer, *place.people])
        study_people.assigned(study_people.participant(study, 2), 1, "test-1", "Lima.")
        said = {"n_before": "5", "from_round": "on"}
        address = reverse("grading-extend", args=[made.slug])
        assert client_of(place.maintainer).post(address, said).status_code == 422
        assert made.answers.count() == 5
        assert client_of(factories.maintainer("other")).post(address, said).status_code == 302
        assert made.answers.count() == 6

    def test_a_maintainer_who_grades_adds_no_other_sources(self) -> None:
        place = ground(n=8)
        made = place.round(selection=Selection.SAMPLE, n_answers=4, graders=[place.maintainer, *place.people])
        client, address = client_of(place.maintainer), reverse("grading-extend", args=[made.slug])
        assert SYSTEM not in client.get(address).content.decode()
        said = {"n_before": "4", "n_answers": "2", "systems": [place.files[0].pk]}
        assert client.post(address, said).status_code == 422
        assert client.post(address, said | {"from_round": "on"}).status_code == 302
        assert made.answers.count() == 6


@pytest.mark.django_db
class TestSearch:
    def listed(self, page: str) -> list[tuple[int, bool]]:
        """The files in the form, in order, each with whether it is ticked."""
        boxes = re.findall(r'<input type="checkbox" name="systems" value="(\d+)"([^>]*)>', page)
        return [(int(pk), "checked" in rest) for pk, rest in boxes]

    def test_ticks_name_and_graders_survive_every_search_among_300_files(self) -> None:
        names = [f"Zebra {number}" for number in range(150)] + [f"Aardvark {number}" for number in range(150)]
        place = ground(n=2, systems=names)
        by_name = {file.submission.name: file.pk for file in place.files}
        client, address = client_of(place.maintainer), reverse("grading-new", args=["fanoutqa", "test"])
        assert len(self.listed(client.get(address).content.decode())) == 100
        ticked: list[int] = []
        typed: dict[str, Any] = {"name": "Autumn", "graders": "greta\ngunnar", "masks": "a lab", "seed": "7"}
        for word, name in (("zebra 149", "Zebra 149"), ("AARD 7", "Aardvark 70"), ("nothing\0 like it", "")):
            found = client.post(address, typed | {"action": "search", "search": word, "systems": ticked})
            assert found.status_code == 200
            assert not found.context["form"].errors
            assert all(found.context["form"][field].value() == text for field, text in typed.items())
            assert found.context["form"]["mask_names"].value() is False
            boxes = self.listed(found.content.decode())
            assert boxes[: len(ticked)] == [(pk, True) for pk in sorted(ticked, key=list(by_name.values()).index)[::-1]]
            assert not any(is_ticked for _, is_ticked in boxes[len(ticked) :])
            if name:
                assert by_name[name] in [pk for pk, _ in boxes]
                ticked.append(by_name[name])
        said = round_form(place, **typed, systems=ticked, search="zebra")
        refused = client.post(address, said | {"graders": "nobody"})
        assert self.listed(refused.content.decode())[:2] == [(ticked[1], True), (ticked[0], True)]
        assert client.post(address, said).status_code == 302
        made = GradingRound.objects.get()
        assert (made.name, made.answers.count()) == ("Autumn", 4)

    def test_as_many_files_as_a_site_has_can_be_ticked(self) -> None:
        place = ground(n=2)
        client, address = client_of(place.maintainer), reverse("grading-new", args=["fanoutqa", "test"])
        ticked = [place.files[0].pk, *range(100_000, 102_000)]  # most of them were deleted meanwhile
        found = client.post(address, {"action": "search", "search": "", "systems": ticked})
        assert found.status_code == 200
        assert (place.files[0].pk, True) in self.listed(found.content.decode())
        assert client.post(address, {"systems": ticked}).status_code == 422


@pytest.mark.slow
@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_two_who_extend_a_round_at_once_add_the_answers_once() -> None:
    place = ground(n=20)
    made = place.round(selection=Selection.SAMPLE, n_answers=5)
    start, told = threading.Barrier(2), []

    def act() -> None:
        try:
            start.wait(timeout=20)
            told.append(str(extend(place, made, n_before=5, n_answers=4)))
        except RoundError as error:
            told.append(str(error))
        finally:
            connection.close()

    threads = [threading.Thread(target=act) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert sorted(told) == ["4", rounds.CHANGED]
    assert len(set(keys(made))) == made.answers.count() == 9
