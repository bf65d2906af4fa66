"""Checks of attention: honest people pass them in every type of study, and careless people mostly fail."""

import random
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from humaneval.grading.rounds.services import add_grader
from humaneval.models import Assignment, Grade, GradeKind, ItemOrigin, Preference, Study, Vote
from humaneval.results.pair_choices import pair_outcome_of
from humaneval.studies import pairs
from humaneval.studies.evidence_measures import passes
from humaneval.studies.exclusions import DEFENSIBLE
from humaneval.studies.good_answers import judged_good
from humaneval.studies.items import ItemsError
from humaneval.studies.masking import masks_of
from leaderboard.models import User
from tests import volunteers
from tests.humaneval.grading.ground import client_of, ground
from tests.humaneval.test_pairs import add_systems, choose, make_study

pytestmark = pytest.mark.django_db
N_PEOPLE = 8
BAD = 0.5
"""The share of the systems' answers that are bad, in the simulation."""


def checked_study(grace: User, *, good: bool) -> Study:
    """A study of which each person gets four checks; if *good*, all of answers known to be good."""
    study = make_study(grace, n_dev=12, questions_per_participant=12, injected_share=0.34, seats=20)
    entries = add_systems(study, 2)
    qids = list(study.split.current_revision.questions.values_list("qid", flat=True))  # type: ignore[union-attr]
    pairs.make_pairs(study, entries, 12, by=grace, good=[(qid, "") for qid in qids] if good else [])
    return study


def honest(row: Assignment, dice: random.Random, is_bad: set[tuple[Any, str]]) -> str:
    """What somebody who reads says, who knows which answers are bad."""
    item = row.item
    assert item is not None
    first = (item.first_set_id, item.qid) not in is_bad
    second = item.origin != ItemOrigin.INJECTED and (item.second_set_id, item.qid) not in is_bad
    if first != second:
        better_left = first != row.swapped
        return Preference.LEFT if better_left else Preference.RIGHT
    return dice.choice([Preference.LEFT, Preference.RIGHT, Preference.TIE]) if first else Preference.BAD


def failed(study: Study) -> int:
    """How many people made a choice on a check that cannot be defended."""
    checks = [injected for _, _, _, injected in pair_outcome_of(study)["people"]]
    assert all(injected.n_items == 4 for injected in checks)
    return sum(injected.value < 1 for injected in checks)


@pytest.mark.parametrize("good", [True, False])
def test_no_honest_rater_fails_and_most_careless_ones_do(grace: User, good: bool) -> None:
    study = checked_study(grace, good=good)
    dice = random.Random(39)
    answers = {(key, item.qid) for item in study.items.all() for key in (item.first_set_id, item.second_set_id)}
    # An answer that a maintainer or grading found good is not bad.
    is_bad = set() if good else set(dice.sample(sorted(answers, key=str), round(BAD * len(answers))))
    for _ in range(N_PEOPLE):
        choose(volunteers.seated(Client(), study), lambda row: honest(row, dice, is_bad))
    assert failed(study) == 0
    for number in range(N_PEOPLE):
        lazy = [*Preference.values][number % 4] if number < 4 else ""
        who = volunteers.seated(Client(), study)
        choose(who, lambda row, lazy=lazy: lazy or dice.choice(Preference.values))
    assert failed(study) >= (7 if good else 5), "always both bad passes only where the own answer may be bad"


def test_checks_are_made_of_answers_known_to_be_good_first(grace: User) -> None:
    study = make_study(grace, injected_share=0.5)
    entries = add_systems(study, 2)
    qids = sorted(study.split.current_revision.questions.values_list("qid", flat=True))  # type: ignore[union-attr]
    pairs.make_pairs(study, entries, 6, by=grace, good=[(qids[0], entries[0].system.name), (qids[1], "")])
    checks = study.items.filter(origin=ItemOrigin.INJECTED)
    known = {(item.first_set_id, item.qid) for item in checks.filter(supported=True)}
    assert known == {
        (entries[0].answer_set_id, qids[0]),
        (entries[0].answer_set_id, qids[1]),
        (entries[1].answer_set_id, qids[1]),
    }
    assert not study.items.exclude(origin=ItemOrigin.INJECTED).exclude(supported=None).exists()
    for unknown in ([("nothing", "")], [(qids[0], "Nobody")]):
        with pytest.raises(ItemsError):
            pairs.make_pairs(study, entries, 6, by=grace, good=unknown)


def test_answers_that_grading_found_right_are_known_to_be_good() -> None:
    place = ground()
    round_ = place.round()
    sets = {file.answer_set_id for file in place.files}
    answer, other, wrong, refusal = round_.answers.order_by("position")[:4]

    def known(of: Any, **marks: Any) -> None:
        said = {"ticks": [True] * of.n_items} | marks
        Grade.objects.create(graded_answer=of, kind=GradeKind.KNOWN, author=place.maintainer, **said)

    known(answer)
    known(other, ticks=[False] * other.n_items)
    known(wrong, extra_wrong=True)
    known(refusal)
    Grade.objects.create(
        graded_answer=refusal, kind=GradeKind.DECISION, author=place.maintainer, ticks=[False], refuses=True
    )
    assert judged_good(sets, round_.revision) == {(answer.origin.answer_set_id, answer.question.qid)}


@pytest.mark.parametrize(
    ("text", "language", "answers", "passed"),
    [
        ("blue", "en", ["blue"], True),
        ("Blue.", "en", ["blue", "azure"], True),
        ("AZURE", "en", ["blue", "azure"], True),
        ("I wrote the word blue", "en", ["blue"], True),
        ("Volga, Danube, Ural. Blue", "en", ["blue"], True),
        ("The blue Danube flows through ten countries.", "en", ["blue"], False),
        ("The Blue Danube", "en", ["blue"], False),
        ("bluebell", "en", ["blue"], False),
        ("not blue", "en", ["blue"], False),
        ("the deep blue ocean", "en", ["blue"], False),
        ("Das Wort ist blau.", "de", ["blau"], True),
        ("An der blauen Donau", "de", ["blau"], False),
        ("Слово: синий", "ru", ["синий"], True),
        ("答案是蓝色。", "zh", ["蓝色"], True),
        ("", "en", ["blue"], False),
    ],
)
def test_a_text_check_is_passed_by_whole_words_in_any_language(
    text: str, language: str, answers: list[str], passed: bool
) -> None:
    assert passes({"text": "Write it.", "answers": answers, "language": language}, text) == passed


def test_a_text_check_is_compared_in_the_language_of_the_questions(client: Client) -> None:
    check = {"text": "Schreiben Sie blau.", "answers": ["blau"]}
    study = volunteers.open_study(attention_checks=[check])
    study.split.current_revision.questions.update(language="de")  # type: ignore[union-attr]
    who = volunteers.seated(client, study)
    assert who.assignments.exclude(attention_check=None).get().attention_check == {**check, "language": "de"}


def test_an_item_check_is_failed_only_by_accepting_the_wrong_answer() -> None:
    assert set(Vote.values) - set(DEFENSIBLE) == {Vote.YES}


def test_the_maintainer_sees_each_masked_place_before_the_study_opens(client: Client, grace: User) -> None:
    study = make_study(grace)
    entries = add_systems(study, 2)
    address = reverse("manage-study-pairs", args=[study.slug])
    client.force_login(grace)
    sent = {"systems": [entry.pk for entry in entries], "n_questions": "6", "masks": "word\n\nword \n", "good": ""}
    assert client.post(address, sent).status_code == 302
    study.refresh_from_db()
    assert study.masks == ["word"]
    assert "word" not in "".join(f"{item.candidate}{item.other}" for item in study.items.all())
    page = client.get(reverse("manage-study-masks", args=[study.slug]))
    (row,) = page.context["preview"]["rows"]
    assert row.text == "word"
    assert row.n == page.context["preview"]["n_places"] > 6
    before, shown, _ = row.places[0]
    assert (before[:3], shown) == ("To ", "word")


def test_the_maintainer_of_a_round_sees_each_masked_place_unless_they_grade_in_it() -> None:
    place = ground(text="I am Quixotic, an AI. ")
    round_ = place.round(masks=masks_of(["Quixotic-77 Turbo"]))
    address = reverse("grading-masks", args=[round_.slug])
    preview = client_of(place.maintainer).get(address).context["preview"]
    assert preview["n_places"] == round_.answers.count()
    assert [row.text for row in preview["rows"]] == ["I am Quixotic, an AI"]
    assert client_of(place.people[0]).get(address).status_code == 404, "a grader"
    add_grader(round_, place.maintainer, by=place.maintainer)
    assert client_of(place.maintainer).get(address).status_code == 404, "it names systems"
