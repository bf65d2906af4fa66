"""A study and a grading round on a benchmark whose answers are lists: one answer a line."""

import datetime
import json
import re

import pytest
from django.test import Client
from django.utils import timezone

from humaneval.grading.desk.page import screens_of_slots
from humaneval.grading.desk.services import hold
from humaneval.grading.rounds import services as rounds
from humaneval.models import Assignment, Participant, Study
from humaneval.results import answer_sets
from humaneval.results.list_pairs import list_pairs_of
from leaderboard.models import User
from scoring.metrics.list_judge import list_agreement
from scoring.models import Answer
from tests import factories, study_people, volunteers

pytestmark = pytest.mark.django_db
QID = "0__wikidata_simple__dev"


@pytest.fixture
def study(grace: User) -> Study:
    dev = factories.split(factories.list_benchmark(), "dev")
    made = factories.study(grace, dev)
    study_people.assigned(study_people.participant(made, 1), 1, QID, "Oslo\n\n Lima \nAtlantis")
    return made


def test_lines_become_a_list_that_is_scored_and_exported(study: Study, grace: User) -> None:
    result = answer_sets.make_answer_set(study, by=grace)
    assert list(Answer.objects.values_list("text", flat=True)) == ['["Oslo", "Lima", "Atlantis"]']
    with pytest.raises(answer_sets.NothingToScoreError):
        answer_sets.make_answer_set(study, by=grace)
    assert set(result.answer_set.runs.values_list("metric", flat=True)) == {
        "list-f1",
        "list-f1-alce",
    }
    line = json.loads(study_people.exported(study).read("generations/P-01.jsonl"))
    assert line == {"id": QID, "predictions": ["Oslo", "Lima", "Atlantis"]}


def test_a_grader_ticks_gold_answers_beside_the_list(study: Study, grace: User) -> None:
    greta = factories.user("greta")
    round_ = factories.grading_round(grace, study.split, graders=[greta], studies=[study], graders_per_answer=1)
    slots = hold(round_.graders.get(user=greta))
    (screen,) = screens_of_slots(round_, slots, user=greta)
    assert [item.text for item in screen.items] == list(factories.CAPITALS.values())[:5]
    assert screen.items[0].also == ("Oslo 0",)
    assert "".join(piece.text for piece in screen.answer) == "Oslo\nLima\nAtlantis"


def test_the_answer_page_asks_for_one_answer_a_line(client: Client, study: Study) -> None:
    past = timezone.now() - datetime.timedelta(hours=1)
    Study.objects.filter(pk=study.pk).update(opens_at=past, seats=5, encyclopedia=volunteers.NOTHING_THERE)
    volunteers.seated(client, Study.objects.get(pk=study.pk))
    page = client.get(f"/studies/{study.slug}/questions/1/")
    text = page.content.decode()
    assert 'id="answer-help"' in text
    assert 'aria-describedby="answer-help save-status"' in text


def test_the_lists_of_two_people_make_a_gold_list_if_they_agree(client: Client, study: Study, grace: User) -> None:
    assert list_pairs_of([study])["pairs"] == []
    close, far, gone = (study_people.participant(study, number) for number in (2, 3, 4))
    study_people.assigned(close, 1, QID, "atlantis\nOSLO\nLima, Peru\nLima")
    study_people.assigned(far, 1, QID, "Accra")
    study_people.assigned(gone, 1, QID, "Oslo\nLima\nAtlantis")
    Participant.objects.filter(pk=gone.pk).update(excluded_at=timezone.now())
    pairs = list_pairs_of([study])["pairs"]
    names = [(first[-4:], second[-4:], agreement.accepted) for _, first, second, agreement in pairs]
    assert names == [("P-01", "P-02", False), ("P-01", "P-03", False), ("P-02", "P-03", False)]
    agreement = pairs[0][-1]
    assert agreement == list_agreement(["Oslo", "Lima", "Atlantis"], ["atlantis", "OSLO", "Lima, Peru", "Lima"])
    assert agreement.overlap == 0.75, "the lengths, 3 and 4, differ by a quarter"
    Assignment.objects.filter(participant=far).update(text="Oslo\nlima\nAtlantis")
    assert [agreement.accepted for *_, agreement in list_pairs_of([study])["pairs"]] == [False, True, False]

    greta = factories.user("greta")
    made = factories.grading_round(grace, study.split, graders=[greta], studies=[study], graders_per_answer=1)
    client.force_login(grace)
    for url in (f"/maintenance/studies/{study.slug}/results/", f"/grading/{made.slug}/outcome/"):
        text = " ".join(client.get(url).content.decode().split())
        assert re.search(r'id="lists">[^<]*</h2> <p> 1 of 3 ', text), url
    rounds.add_grader(made, grace, by=grace)
    assert 'id="lists"' not in client.get(f"/grading/{made.slug}/outcome/").content.decode()
