"""Answers that tell people who wrote them: the button, what is marked, and what the study's rule leaves out."""

import io
import json
import zipfile
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.test import Client
from django.urls import reverse

from humaneval.grading.current_grades import count_named, current_grades
from humaneval.grading.desk import services as desk
from humaneval.grading.outcome.export import as_csv
from humaneval.models import Grade, Kind, OnNamed, Participant, Study
from humaneval.results.exports.archive import write_export
from humaneval.results.pair_choices import pair_outcome_of
from humaneval.studies import pairs
from humaneval.studies.queries import counted_answers, named_answers
from humaneval.studies.services import update_study
from leaderboard.models import User
from tests import volunteers
from tests.humaneval.grading.ground import client_of, grader, ground, ticks
from tests.humaneval.test_pairs import add_systems, choose, make_study

pytestmark = pytest.mark.django_db


def pairs_study(grace: User, **fields: Any) -> Study:
    study = make_study(grace, injected_share=0, questions_per_participant=3, **fields)
    pairs.make_pairs(study, add_systems(study, 2), 3, by=grace)
    return study


def press(client: Client, who: Participant, number: int, button: str, **fields: Any) -> None:
    sent = {"do": button, "text": who.assignments.get(position=number).text, **fields}
    address = reverse("study-page", args=[who.study.slug, number])
    assert client.post(address, sent | {"based_on": who.assignments.get(position=number).version}).status_code == 303


def exported(study: Study) -> list[dict[str, Any]]:
    archive = io.BytesIO()
    write_export(study, archive, by="test")
    return [json.loads(line) for line in zipfile.ZipFile(archive).read("choices.jsonl").splitlines()]


@pytest.mark.parametrize(("rule", "n_counted"), [(OnNamed.LEAVE_OUT, 2), (OnNamed.KEEP, 3)])
def test_choices_on_answers_that_told_who_wrote_them_are_marked_and_follow_the_rule(
    client: Client, grace: User, rule: OnNamed, n_counted: int
) -> None:
    study = pairs_study(grace, on_named=rule)
    who = volunteers.seated(client, study)
    choose(who, lambda row: "left")
    press(client, who, 2, "named")
    page = client.get(reverse("study-question", args=[study.slug, 2])).content.decode()
    assert 'value="not-named"' in page
    assert who.assignments.get(position=2).done_at is not None, "the mark changes no choice"
    assert counted_answers(study).count() == n_counted
    assert pair_outcome_of(study)["n_votes"] == n_counted
    assert named_answers(study).count() == 1
    assert [(row["named"], row["counts"]) for row in exported(study)] == [
        (False, True),
        (True, rule == OnNamed.KEEP),
        (False, True),
    ]
    scores = client_of(grace).get(reverse("manage-study-results", args=[study.slug]))
    assert scores.context["n_named"] == 1
    press(client, who, 2, "not-named")
    assert counted_answers(study).count() == 3


def test_the_button_saves_the_page_and_is_there_for_each_type_that_judges(client: Client, grace: User) -> None:
    study = pairs_study(grace)
    who = volunteers.seated(client, study)
    press(client, who, 1, "named", text="tie", note="it said so")
    row = who.assignments.get(position=1)
    assert (row.text, row.note, row.named_at is not None, row.done_at) == ("tie", "it said so", True, None)
    written = volunteers.open_study(kind=Kind.ANSWER)
    writer = Client()
    author = volunteers.seated(writer, written)
    press(writer, author, 1, "named", text="Oslo")
    assert author.assignments.get(position=1).named_at is None, "nobody knows their own answer from somebody's"


def test_the_rule_is_settled_before_anybody_judges(client: Client, grace: User) -> None:
    study = pairs_study(grace)
    volunteers.seated(client, study)
    with pytest.raises(ValidationError) as error:
        update_study(study, {"on_named": OnNamed.KEEP}, by=grace)
    assert set(error.value.message_dict) == {"on_named"}


@pytest.mark.parametrize("rule", list(OnNamed))
def test_grades_of_answers_that_told_who_wrote_them_are_marked_and_follow_the_rounds_rule(rule: OnNamed) -> None:
    place = ground()
    round_ = place.round(on_named=rule)
    client = client_of(place.people[0])
    address = reverse("grading-desk", args=[round_.slug])
    first, second = desk.hold(grader(round_))
    for slot, more in ((first, {"named": "on"}), (second, {})):
        sent = {"action": "save", "answer": slot.graded_answer.position, "item": "0", **more}
        assert client.post(address, sent).status_code == 302
    assert [grade.named for grade in Grade.objects.order_by("pk")] == [True, False]
    assert count_named(round_) == 1
    kept = rule == OnNamed.KEEP
    assert [grade.named for grade in current_grades(round_)].count(True) == kept
    lines = as_csv(round_).decode().splitlines()
    assert len(lines) == 2 + kept
    assert lines[0].endswith(",named")
    outcome = client_of(place.maintainer).get(reverse("grading-outcome", args=[round_.slug]))
    assert outcome.context["n_named"] == 1


def test_the_same_grade_with_another_mark_is_not_the_same_grade() -> None:
    round_ = ground().round()
    (slot, _) = desk.hold(grader(round_))
    sent: dict[str, Any] = {"grader": grader(round_), "slot": slot.pk, "ticked": ticks(slot.graded_answer.n_items, 1)}
    desk.save_grade(**sent, named=True)
    desk.save_grade(**sent, named=True)
    with pytest.raises(desk.ClaimLostError):
        desk.save_grade(**sent)
    assert Grade.objects.count() == 1
