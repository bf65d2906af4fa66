"""Plans: everybody's questions, exactly as often as wanted, whoever drops out."""

import datetime
import random
from collections import Counter
from typing import Any

import numpy as np
import pytest
from django.test import Client
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from humaneval.answering import answers, consent, session
from humaneval.answering.entry import EntryRefusedError, enter
from humaneval.models import Assignment, ItemOrigin, Participant, SamplingMethod, Study
from humaneval.participants.services import ParticipantError, take_back
from humaneval.studies.kinds.base import ALL_GIVEN
from humaneval.studies.planning import complete_plan, expected_margin, seats
from scoring.models import Question
from scoring.statistics import mean_interval
from tests import volunteers


@given(
    n_questions=st.integers(1, 40),
    overlap=st.integers(1, 6),
    per_person=st.integers(1, 45),
    n_strata=st.integers(1, 5),
    seed=st.integers(0, 10**6),
)
def test_every_question_is_asked_exactly_as_often_and_strata_are_spread(
    n_questions: int, overlap: int, per_person: int, n_strata: int, seed: int
) -> None:
    dice = random.Random(seed)
    strata = [dice.randrange(n_strata) for _ in range(n_questions)]
    planned = seats(range(n_questions), overlap, per_person, strata, seed)
    assert Counter(question for seat in planned for question in seat) == dict.fromkeys(range(n_questions), overlap)
    assert all(len(set(seat)) == len(seat) for seat in planned)
    full = [seat for seat in planned if len(seat) == min(per_person, n_questions)]
    assert planned[: len(full)] == full
    assert len(planned) - len(full) <= 1
    for stratum in set(strata):
        counts = [sum(strata[question] == stratum for question in seat) for seat in full]
        assert not counts or max(counts) - min(counts) <= 1
    assert planned == seats(range(n_questions), overlap, per_person, strata, seed)


def test_wrong_numbers_are_refused() -> None:
    for overlap, per_person in ((0, 1), (1, 0)):
        with pytest.raises(ValueError, match="expected at least 1"):
            seats(["a"], overlap, per_person)
    with pytest.raises(ValueError, match="each question once"):
        seats(["a", "a"], 1, 1)
    with pytest.raises(ValueError, match="one for each of 2 questions, found 1"):
        seats(["a", "b"], 1, 1, strata=["x"])


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        ((50, None, 3, 10), "cannot answer all 50 questions"),
        ((50, 2, 10, 9), "need 10 people with 10 questions each; found 9"),
        ((0, None, 3, 4), "has no questions"),
        ((5, 2, 10, None), "would get 10 questions, and the plan has 5"),
    ],
)
def test_numbers_that_do_not_fit_together_are_explained(numbers: tuple[int, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        complete_plan(*numbers)


@pytest.mark.parametrize(("n", "overlap", "per_person"), [(50, 2, 10), (40, 2, 20), (200, 2, 10)])
def test_the_expected_margin_is_what_simulated_studies_show(n: int, overlap: int, per_person: int) -> None:
    planned = seats(range(n), overlap, per_person)
    questions = np.array([question for seat in planned for question in seat])
    people = np.array([number for number, seat in enumerate(planned) for _ in seat])
    dice = np.random.default_rng(1)
    widths = []
    for _ in range(60):
        # The correlation of two signs is 2/π times the arc sine of that of the normal variables.
        shared = np.sqrt(np.sin(np.pi / 2 * np.array([0.3, 0.1])))
        hidden = shared[0] * dice.standard_normal(n)[questions] + shared[1] * dice.standard_normal(n)[people]
        hidden += np.sqrt(1 - (shared**2).sum()) * dice.standard_normal(len(questions))
        interval = mean_interval(hidden > 0, clusters=[people.tolist(), questions.tolist()])
        widths.append(interval.high - interval.low)
    expected = expected_margin(n, overlap, per_person)
    assert expected is not None
    assert 0.75 * expected < np.mean(widths) / 2 < 1.1 * expected


@pytest.mark.django_db
class TestStudy:
    def planned(self, **fields: Any) -> Study:
        """Twelve questions, four for a participant unless the fields say otherwise."""
        fields = {"questions_per_participant": 4, **fields}
        return volunteers.open_study(n_test=12, drawing=SamplingMethod.PLANNED, **fields)

    def given_answers(self, study: Study) -> Counter[str]:
        rows = Assignment.objects.filter(participant__study=study, done_at__isnull=False)
        return Counter(rows.values_list("question__qid", flat=True))

    def answer(self, participant: Participant, n: int) -> None:
        for assignment in participant.assignments.order_by("position")[:n]:
            Assignment.objects.filter(pk=assignment.pk).update(text="Oslo")
            answers.mark_done(assignment)

    def test_a_third_that_drops_out_leaves_exactly_the_planned_answers(self) -> None:
        study = self.planned(answers_per_question=2, release_hours=48)
        dice = random.Random(4)
        n_came = 0
        while n_came < 30:
            try:
                participant = volunteers.seated(Client(), study, volunteers.link(study))
            except AssertionError:  # the link says that the study is full
                break
            n_came += 1
            if n_came % 3:
                self.answer(participant, 4)
                session.finish(participant)
            else:  # leaves somewhere, and is not seen for days
                self.answer(participant, dice.randrange(4))
                long_ago = timezone.now() - datetime.timedelta(hours=49)
                Participant.objects.filter(pk=participant.pk).update(last_seen_at=long_ago)
        assert 6 < n_came < 30
        assert study.participants.filter(dropped_at__isnull=False).count() == n_came // 3
        assert self.given_answers(study) == {f"test-{number}": 2 for number in range(12)}

    def test_a_full_plan_admits_nobody_and_says_so(self) -> None:
        study = self.planned(answers_per_question=1)
        for _ in range(3):
            volunteers.seated(Client(), study)
        with pytest.raises(EntryRefusedError, match="This study is full"):
            enter(volunteers.link(study))

    def test_a_listed_plan_asks_only_the_list(self) -> None:
        ids = [f"test-{number}" for number in range(4)]
        study = self.planned(answers_per_question=2, questions_per_participant=2, question_ids=ids)
        people = [volunteers.seated(Client(), study) for _ in range(4)]
        asked = Counter(row.question.qid for one in people for row in one.assignments.all() if row.question)
        assert asked == dict.fromkeys(ids, 2)

    def test_a_plan_that_is_complete_before_the_consent_says_so_and_records_no_consent(self, client: Client) -> None:
        study = self.planned(answers_per_question=1)
        late = volunteers.come_in(client, volunteers.link(study))
        first = volunteers.seated(Client(), study)
        asked = [row.question.qid for row in first.assignments.all() if row.question]
        Study.objects.filter(pk=study.pk).update(question_ids=asked)
        study.refresh_from_db()
        agreed = {"digest": consent.consent_digest(study)}
        response = client.post(f"/studies/{study.slug}/consent/", agreed)
        assert response.status_code == 403
        assert ALL_GIVEN in response.content.decode()
        late.refresh_from_db()
        assert (late.consented_at, late.assignments.count()) == (None, 0)

    def test_a_participant_who_was_given_up_on_cannot_come_back_into_a_plan(self) -> None:
        study = self.planned(answers_per_question=1)
        participant = volunteers.seated(Client(), study)
        Participant.objects.filter(pk=participant.pk).update(dropped_at=timezone.now())
        with pytest.raises(ParticipantError, match="is planned for others now"):
            take_back(participant, by="grace")

    def test_seats_of_people_with_an_extended_deadline_are_not_released(self) -> None:
        study = self.planned(answers_per_question=1, questions_per_participant=12, release_hours=1)
        participant = volunteers.seated(Client(), study)
        now = timezone.now()
        Participant.objects.filter(pk=participant.pk).update(
            last_seen_at=now - datetime.timedelta(hours=2), extended_until=now + datetime.timedelta(hours=1)
        )
        with pytest.raises(EntryRefusedError):
            enter(volunteers.link(study))
        Participant.objects.filter(pk=participant.pk).update(extended_until=None)
        assert enter(volunteers.link(study)).number == 2

    def test_everybody_who_compares_gets_an_injected_pair(self) -> None:
        study = volunteers.open_study(kind="items", questions_per_participant=4, seats=20)
        question = Question.objects.filter(revision=study.split.current_revision).first()
        for number in range(12):
            origin = ItemOrigin.INJECTED if number < 2 else ItemOrigin.PREDICTION
            study.items.create(key=f"I-{number}", question=question, candidate=str(number), origin=origin)
        for number in range(1, 7):
            participant = Participant.objects.create(study=study, number=number, receipt_code=str(number))
            planned = consent.draw(study, participant)
            origins = [row.item.origin for row in planned if row.item is not None]
            assert (len(origins), origins.count(ItemOrigin.INJECTED)) == (4, 1)
            assert origins[0] != ItemOrigin.INJECTED
