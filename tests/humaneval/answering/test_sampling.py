"""Which questions participants are given: the same again from the same seed, and evenly where that is wanted."""

import random
from collections import Counter

import pytest
from django.test import Client
from django.utils import timezone

from humaneval.answering import answers, consent, session, withdrawal
from humaneval.models import Assignment, Participant, SamplingMethod, Study
from humaneval.studies import drawing
from humaneval.studies.drawing import Drawable, by_category, evenly
from scoring.models import Split
from tests import factories, volunteers


def pool(**categories: int) -> list[Drawable]:
    """So many questions of each category."""
    names = [name for name, n in categories.items() for _ in range(n)]
    return [Drawable(pk, f"q{pk}", name) for pk, name in enumerate(names)]


class TestPureDraws:
    @pytest.mark.parametrize("n", [1, 7, 100, 101])
    def test_none_comes_twice_and_none_is_invented(self, n: int) -> None:
        everything = pool(a=60, b=37, c=3)
        for drawn in (
            evenly(everything, n, random.Random(5), {}),
            by_category(everything, n, random.Random(5)),
        ):
            assert len(drawn) == len(set(drawn)) == min(n, 100)
            assert set(drawn) <= set(everything)

    def test_strata_get_their_share_rounded_up_or_down(self) -> None:
        everything = pool(a=60, b=37, c=3)
        for seed in range(200):
            counts = Counter(question.category for question in by_category(everything, 10, random.Random(seed)))
            assert counts["a"] == 6
            assert counts["b"] in (3, 4)
            assert counts["c"] in (0, 1)

    def test_in_strata_too_every_question_is_equally_likely(self) -> None:
        everything = pool(a=12, b=5, c=3)
        times = Counter(one for seed in range(4000) for one in by_category(everything, 5, random.Random(seed)))
        # Each is drawn with probability 1/4: 1,000 times, with a standard deviation of 27.
        assert all(abs(times[question] - 1000) < 5 * 27.4 for question in everything)

    def test_balanced_fills_up_what_has_least(self) -> None:
        everything = pool(a=10)
        answers: Counter[str] = Counter()
        for number in range(25):
            answers.update(one.qid for one in evenly(everything, 3, random.Random(number), answers))
            counts = [answers[one.qid] for one in everything]
            assert max(counts) - min(counts) <= 1


@pytest.mark.django_db
class TestDrawing:
    def people(self, study: Study, n: int) -> list[Participant]:
        return [volunteers.seated(Client(), study) for _ in range(n)]

    def qids(self, participant: Participant) -> list[str]:
        rows = participant.assignments.order_by("position").select_related("question")
        return [row.question.qid if row.question else "check" for row in rows]

    def test_the_same_seed_gives_the_same_questions_again(self) -> None:
        study = volunteers.open_study(n_test=12, seed=7, questions_per_participant=5)
        first, second = self.people(study, 2)
        drawn = self.qids(first)
        assert len(set(drawn)) == 5
        assert drawn != self.qids(second), "each participant draws anew"
        first.assignments.all().delete()
        assert [row.question.qid for row in consent.draw(study, first) if row.question] == drawn

    def test_balanced_waits_for_nobody_who_left(self) -> None:
        study = volunteers.open_study(n_test=6, drawing=SamplingMethod.BALANCED, questions_per_participant=3, seats=10)
        one, two = self.people(study, 2)
        assert set(self.qids(one)) | set(self.qids(two)) == {f"test-{n}" for n in range(6)}
        withdrawal.withdraw(two)
        (three,) = self.people(study, 1)
        assert set(self.qids(three)) == set(self.qids(two) or self.qids(three))
        assert not set(self.qids(three)) & set(self.qids(one))

    def test_balanced_gives_again_what_somebody_finished_without(self) -> None:
        study = volunteers.open_study(n_test=4, drawing=SamplingMethod.BALANCED, questions_per_participant=2)
        (one,) = self.people(study, 1)
        answered, skipped = one.assignments.order_by("position")
        Assignment.objects.filter(pk=answered.pk).update(text="Oslo")
        session.finish(one)
        counts = drawing.answers_of(study)
        assert skipped.question is not None
        assert answered.question is not None
        assert counts == {answered.question.qid: 1}
        assert skipped.question.qid not in counts

    def test_balanced_goes_on_where_it_was_in_a_new_revision(self) -> None:
        study = volunteers.open_study(n_test=6, drawing=SamplingMethod.BALANCED, questions_per_participant=3)
        (one,) = self.people(study, 1)
        factories.revise(study.split, factories.source_questions("test", 6, overrides={0: "Somewhere else"}))
        (two,) = self.people(study, 1)
        assert set(self.qids(one)) | set(self.qids(two)) == {f"test-{n}" for n in range(6)}

    def test_those_given_up_on_count_by_what_they_answered(self) -> None:
        study = volunteers.open_study(n_test=4, drawing=SamplingMethod.BALANCED)
        (one,) = self.people(study, 1)
        first, _ = one.assignments.order_by("position")
        Assignment.objects.filter(pk=first.pk).update(text="Oslo")
        Participant.objects.filter(pk=one.pk).update(dropped_at=timezone.now())
        assert first.question is not None
        assert drawing.answers_of(study) == {}, "a draft"
        answers.mark_done(first)
        assert drawing.answers_of(study) == {first.question.qid: 1}
        Participant.objects.filter(pk=one.pk).update(excluded_at=timezone.now())
        assert drawing.answers_of(study) == {}

    def test_a_fixed_list_is_the_same_for_everybody_in_its_order(self) -> None:
        ids = ["test-3", "test-0", "test-2"]
        study = volunteers.open_study(drawing=SamplingMethod.FIXED, question_ids=ids)
        assert [self.qids(one) for one in self.people(study, 2)] == [ids, ids]

    def test_attention_checks_stand_among_the_questions_and_never_first(self) -> None:
        checks = [{"text": f"Write {word}.", "answers": [word]} for word in ("blue", "green")]
        study = volunteers.open_study(n_test=6, questions_per_participant=5, attention_checks=checks, seats=6)
        orders = [self.qids(one) for one in self.people(study, 4)]
        for order in orders:
            assert (len(order), order.count("check")) == (5, 2), "they are among the five"
            assert order[0] != "check"
        assert len({order.index("check") for order in orders}) > 1

    def test_what_is_practised_on_is_not_asked(self) -> None:
        benchmark = factories.benchmark(n_dev=6)
        dev = factories.split(benchmark, "dev")
        study = factories.study(
            factories.user("keeper"), dev, questions_per_participant=5, opens_at=timezone.now(), seats=3
        )
        practised = drawing.practice_question_of(study)
        assert practised is not None
        assert practised.qid not in self.qids(*self.people(study, 1))


@pytest.mark.django_db
def test_nobody_agrees_to_a_study_whose_split_has_no_questions(client: Client) -> None:
    """Questions are given with the consent only, so nobody could ever be given any."""
    study = volunteers.open_study()
    volunteers.come_in(client, volunteers.link(study))
    Split.objects.filter(pk=study.split_id).update(current_revision=None)
    page = client.post(f"/studies/{study.slug}/consent/", {"digest": consent.consent_digest(study)})
    assert page.status_code == 403
    assert Participant.objects.get().consented_at is None
