"""Rules declared beforehand about whose answers do not count: each at its boundary, and in every result."""

import datetime
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from humaneval.grading.rounds.sources import candidates_of_studies
from humaneval.models import Assignment, ItemOrigin, Kind, Participant, Preference, Study, StudyItem, Vote
from humaneval.results.answer_sets import make_answer_set
from humaneval.results.exports import read
from humaneval.results.stale_results import withdrawn_since
from humaneval.studies.dashboard import dashboard
from humaneval.studies.drawing import answers_of
from humaneval.studies.evidence_measures import passes_check
from humaneval.studies.exclusions import excluded_by_rule, exclusions_of
from humaneval.studies.queries import counted, counted_answers, seated
from humaneval.studies.services import clone_study, update_study
from scoring.models import Answer, AnswerSet
from tests import factories, volunteers
from tests.study_people import assigned, participant

pytestmark = pytest.mark.django_db
CHECK = {"text": "Write blue.", "answers": ["blue"]}


def study_with(**rules: int) -> Study:
    """An open study with exclusion rules."""
    return volunteers.open_study(exclusion_rules=rules)


def finished(study: Study, number: int = 1, **fields: Any) -> Participant:
    """Somebody who has finished; without answers."""
    return participant(study, number, **({"finished_at": timezone.now()} | fields))


def rule_for(who: Participant) -> str | None:
    """The rule that excludes a participant."""
    return excluded_by_rule(who.study).get(who.pk)


@pytest.mark.parametrize(("wrong", "rule"), [(1, None), (2, "checks"), (3, "checks")])
def test_failed_text_checks_exclude_from_the_declared_number_on(wrong: int, rule: str | None) -> None:
    who = finished(study_with(checks=2))
    for position in range(1, 5):
        assigned(who, position, text="red" if position <= wrong else "blue", attention_check=CHECK)
    assert rule_for(who) == rule


LEFT_OUT: dict[str, dict[str, Any]] = {
    "empty": {},
    "blank": {"text": " \n"},
    "skipped": {"text": "blue", "skipped_at": timezone.now()},
}


@pytest.mark.parametrize("how", LEFT_OUT)
@pytest.mark.parametrize("over", ["finished_at", "dropped_at"])
def test_a_check_that_was_skipped_or_left_out_by_somebody_who_finished_is_failed(how: str, over: str) -> None:
    study = study_with(checks=1)
    fields: dict[str, Any] = {over: timezone.now()}
    who = participant(study, 1, **fields)
    row = assigned(who, 1, done=False, attention_check=CHECK, **LEFT_OUT[how])
    is_failed = over == "finished_at" or how == "skipped"
    assert rule_for(who) == ("checks" if is_failed else None)
    assert passes_check(row, has_finished=over == "finished_at") is (False if is_failed else None)


@pytest.mark.parametrize("skipped_at", [None, timezone.now()])
def test_an_injected_item_that_was_skipped_or_left_out_is_failed(skipped_at: Any) -> None:
    study = volunteers.open_study(kind=Kind.ITEMS, exclusion_rules={"checks": 1})
    left, finished_one = participant(study, 1, dropped_at=timezone.now()), finished(study, 2)
    for who in (left, finished_one):
        injected = item(study, who.number, origin=ItemOrigin.INJECTED)
        assigned(who, 1, done=False, skipped_at=skipped_at, item=injected)
        assigned(who, 2, item=item(study, 10 + who.number, origin=ItemOrigin.GOLD))
    assert rule_for(left) == ("checks" if skipped_at else None)
    assert rule_for(finished_one) == "checks"


def test_a_check_that_somebody_who_left_was_still_typing_is_not_failed() -> None:
    who = participant(study_with(checks=1), 1, dropped_at=timezone.now())
    assigned(who, 1, text="red", done=False, attention_check=CHECK)
    assert rule_for(who) is None


def item(study: Study, number: int, **fields: Any) -> StudyItem:
    return StudyItem.objects.create(study=study, key=f"I-{number:05}", **fields)


@pytest.mark.parametrize(("vote", "rule"), [(Vote.YES, "checks"), (Vote.NO, None), (Vote.UNCLEAR, None)])
def test_a_vote_for_an_injected_wrong_answer_is_a_failed_check(vote: Vote, rule: str | None) -> None:
    study = volunteers.open_study(kind=Kind.ITEMS, exclusion_rules={"checks": 1})
    who = finished(study)
    assigned(who, 1, text=vote, item=item(study, 1, origin=ItemOrigin.INJECTED))
    assigned(who, 2, text=Vote.YES, item=item(study, 2, origin=ItemOrigin.GOLD))
    assert rule_for(who) == rule


@pytest.mark.parametrize("good", [True, False])
@pytest.mark.parametrize("swapped", [True, False])
@pytest.mark.parametrize("choice", Preference.values)
def test_a_choice_that_cannot_be_defended_is_a_failed_check(choice: str, swapped: bool, good: bool) -> None:
    study = volunteers.open_study(kind=Kind.PAIRS, exclusion_rules={"checks": 1})
    answer_set = make_set(study)
    pair = item(study, 1, origin=ItemOrigin.INJECTED, first_set=answer_set, second_set=answer_set, supported=good)
    who = finished(study)
    row = assigned(who, 1, text=choice, item=pair, swapped=swapped)
    own = Preference.RIGHT if swapped else Preference.LEFT
    passed = choice == own or (choice == Preference.BAD and not good)
    assert rule_for(who) == (None if passed else "checks")
    Assignment.objects.filter(pk=row.pk).update(named_at=timezone.now())
    assert rule_for(who) is None, "an answer that told who wrote it is no check"


def make_set(study: Study) -> AnswerSet:
    return AnswerSet.objects.create(split=study.split, setting=study.setting)


@pytest.mark.parametrize(("seconds", "rule"), [(9.9, "seconds"), (10.0, None), (10.1, None)])
def test_a_median_time_below_the_declared_one_excludes(seconds: float, rule: str | None) -> None:
    who = finished(study_with(seconds=10))
    for position, own in enumerate((1.0, seconds, 500.0), start=1):
        assigned(who, position, f"test-{position}", "Oslo", active_seconds=own)
    assert rule_for(who) == rule


def test_without_scripts_the_time_from_opening_to_done_is_taken_and_without_any_time_nobody_is_too_fast() -> None:
    study = study_with(seconds=601)  # `assigned` takes ten minutes
    who, other = finished(study), finished(study, 2)
    assigned(who, 1, "test-0", "Oslo", active_seconds=None)
    assigned(other, 1, "test-0", "Oslo", active_seconds=None, opened_at=None)
    assert excluded_by_rule(study) == {who.pk: "seconds"}


@pytest.mark.parametrize(("n_done", "rule"), [(2, "percent"), (3, None), (4, None)])
def test_finishing_less_than_the_declared_share_excludes(n_done: int, rule: str | None) -> None:
    who = finished(study_with(percent=75))
    for position in range(1, 5):
        skipped = timezone.now() if position > n_done else None
        assigned(who, position, f"test-{position - 1}", "Oslo", done=position <= n_done, skipped_at=skipped)
    assigned(who, 5, attention_check=CHECK)
    assert rule_for(who) == rule


@pytest.mark.parametrize(("votes", "rule"), [("yyy", "same"), ("yy", None), ("yyn", None), ("nnnn", "same")])
def test_the_same_answer_to_everything_excludes_from_the_declared_number_on(votes: str, rule: str | None) -> None:
    study = volunteers.open_study(kind=Kind.ITEMS, exclusion_rules={"same": 3})
    who = finished(study)
    for position, vote in enumerate(votes, start=1):
        assigned(who, position, text={"y": Vote.YES, "n": Vote.NO}[vote], item=item(study, position))
    assert rule_for(who) == rule


def test_the_same_written_answer_to_everything_excludes_nobody() -> None:
    who = finished(study_with(same=2))
    for position in (1, 2):
        assigned(who, position, f"test-{position}", "I do not know.")
    assert rule_for(who) is None


def test_people_who_did_not_finish_are_excluded_once_their_part_is_over() -> None:
    study = study_with(outcome=1)
    now = timezone.now()
    answering = participant(study, 1)
    dropped, done = participant(study, 2, dropped_at=now), finished(study, 3)
    assert excluded_by_rule(study) == {dropped.pk: "outcome"}
    Study.objects.filter(pk=study.pk).update(closes_at=now)
    Participant.objects.filter(pk=done.pk).update(extended_until=now + datetime.timedelta(hours=1))
    assert set(excluded_by_rule(Study.objects.get(pk=study.pk))) == {answering.pk, dropped.pk}, "the end is the end"
    Participant.objects.filter(pk=answering.pk).update(extended_until=now + datetime.timedelta(hours=1))
    assert set(excluded_by_rule(Study.objects.get(pk=study.pk))) == {dropped.pk}


def test_the_time_limit_ends_the_part_of_whoever_has_not_finished() -> None:
    study = volunteers.open_study(exclusion_rules={"outcome": 1}, time_limit=60)
    now = timezone.now()
    minute = datetime.timedelta(minutes=1)
    late = participant(study, 1, consented_at=now - 60 * minute)
    in_time = participant(study, 2, consented_at=now - 59 * minute)
    extended = participant(study, 3, consented_at=now - 90 * minute, extended_until=now + minute)
    preview = participant(study, 4, consented_at=now - 90 * minute, is_preview=True)
    assert excluded_by_rule(study) == {late.pk: "outcome"}
    assert [who.has_no_time_at(now) for who in (late, in_time, extended, preview)] == [True, False, False, False]


def test_people_excluded_by_hand_or_gone_are_judged_by_no_rule() -> None:
    study = study_with(outcome=1)
    now = timezone.now()
    participant(study, 1, dropped_at=now, excluded_at=now, exclusion_reason="Twice the same person.")
    participant(study, 2, dropped_at=now, withdrawn_at=now)
    participant(study, 3, dropped_at=now, consented_at=None)
    assert excluded_by_rule(study) == {}
    assert exclusions_of(study) == [
        ("Did not finish the study", 0),
        ("Excluded: Twice the same person.", 1),
    ]


def test_of_several_rules_the_first_one_is_reported() -> None:
    study = study_with(outcome=1, percent=100, checks=1)
    who = participant(study, 1, dropped_at=timezone.now())
    assigned(who, 1, "test-0", done=False)
    assert rule_for(who) == "percent"
    assigned(who, 2, text="red", attention_check=CHECK)
    assert rule_for(who) == "checks"


@pytest.fixture
def mixed() -> tuple[Study, Participant, Participant]:
    """A study with somebody whose answers count, and somebody whom a rule excludes."""
    study = study_with(seconds=10)
    kept, excluded = finished(study), finished(study, 2)
    assigned(kept, 1, "test-0", "Norway has Oslo and 0.")
    assigned(excluded, 1, "test-1", "Whatever", active_seconds=2.0)
    return study, kept, excluded


def test_a_rule_applies_in_every_result_and_export(mixed: tuple[Study, Participant, Participant]) -> None:
    study, kept, _ = mixed
    assert list(counted(study)) == [kept]
    assert [row.participant for row in counted_answers(study)] == [kept]
    assert list(seated(study)) == [kept], "the seat is free"
    assert answers_of(study) == {"test-0": 1}, "another answer is planned"
    revision = study.split.current_revision
    assert revision is not None
    assert [answer.qid for answer in candidates_of_studies(revision, [study])] == ["test-0"]
    result = make_answer_set(study, by=study.owner)
    assert list(Answer.objects.filter(answer_set=result.answer_set).values_list("participant", flat=True)) == ["P-01"]
    people = {row.code: row for row in read.participants(study)}
    assert (people["P-01"].counts, people["P-01"].rule) == (True, None)
    assert (people["P-02"].counts, people["P-02"].rule) == (False, "Median time of a question below 10 s")
    assert {row.participant.code: row.by_counted for row in read.answers(study)} == {"P-01": True, "P-02": False}
    board = dashboard(study)
    assert (board["n_answers"], board["n_excluded"], board["n_taken"]) == (1, 1, 1)
    assert board["rows"][1]["reason"] == "Median time of a question below 10 s"


def test_results_from_before_a_rule_applied_are_stale() -> None:
    study = volunteers.open_study(exclusion_rules={"outcome": 1})
    who = participant(study, 1)
    assigned(who, 1, "test-0", "Oslo")
    make_answer_set(study, by=study.owner)
    assert withdrawn_since(study) is None
    Participant.objects.filter(pk=who.pk).update(dropped_at=timezone.now())
    stale = withdrawn_since(study)
    assert stale is not None
    assert stale["n_excluded"] == 1
    assert stale["excluded"] == [("P-01", "Did not finish the study", 1)]


def test_the_page_of_scores_reports_every_rule(client: Client, mixed: tuple[Study, Participant, Participant]) -> None:
    study = mixed[0]
    client.force_login(study.owner)
    page = client.get(reverse("manage-study-results", args=[study.slug]))
    assert page.context["exclusions"] == [("Median time of a question below 10 s", 1)]
    assert "Median time of a question below 10 s" in page.content.decode()


def test_rules_are_fixed_once_somebody_has_consented() -> None:
    study = study_with(checks=2)
    update_study(study, {"exclusion_rules": {"checks": 1}}, by=study.owner)
    study.refresh_from_db()
    finished(study)
    with pytest.raises(ValidationError) as refused:
        update_study(study, {"exclusion_rules": {}}, by=study.owner)
    assert list(refused.value.message_dict) == ["exclusion_rules"]


def test_a_clone_has_the_rules_and_no_codes_of_the_platform() -> None:
    study = volunteers.open_study(exclusion_rules={"checks": 2}, platform="prolific", completions={"done": "C1"})
    copy = clone_study(study, by=factories.maintainer())
    assert (copy.exclusion_rules, copy.platform, copy.completions) == ({"checks": 2}, "prolific", {})


def test_judging_takes_as_many_queries_for_many_people(django_assert_num_queries: Any) -> None:
    study = study_with(checks=1, seconds=1)
    for number in range(1, 4):
        assigned(finished(study, number), 1, "test-0", "Oslo")
    with django_assert_num_queries(2):
        excluded_by_rule(study)
    with django_assert_num_queries(0):
        excluded_by_rule(Study(exclusion_rules={}))
