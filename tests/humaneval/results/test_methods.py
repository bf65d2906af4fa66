"""The methods paragraphs of a study and of a grading round, from what is stored."""

import random
import re

import pytest
from django.test import Client
from django.utils import timezone

from humaneval.grading.outcome.agreement import agreement_of
from humaneval.grading.outcome.methods import methods_of as methods_of_round
from humaneval.grading.outcome.rating_matrices import grade_arrays
from humaneval.models import Assignment, Invitation, Preference, Study
from humaneval.participants import invitations
from humaneval.results import item_votes
from humaneval.results.list_pairs import list_pairs_of
from humaneval.results.methods import as_file, methods_of
from humaneval.results.pair_choices import pair_outcome_of
from humaneval.results.ratings import outcome_of_ratings
from leaderboard.models import User
from leaderboard.templatetags.systems import ratio_interval
from tests import factories, study_people, volunteers
from tests.humaneval import test_items as of_items
from tests.humaneval import test_pairs as of_pairs
from tests.humaneval import test_ratings as of_ratings
from tests.humaneval.grading import ground as grounds

pytestmark = pytest.mark.django_db
rated = of_ratings.rated
items_ready = of_items.ready
pairs_ready = of_pairs.ready


def told(paragraphs: list[str], *parts: str) -> None:
    """Require that paragraphs say all of this, and that no sentence has an empty place."""
    text = " ".join(paragraphs)
    for part in parts:
        assert part in text
    assert not re.search(r"None|\(\s*\)|“\s*”|\{|\s[.,:;]|\.\.|\s\s", text)


def test_a_study_says_who_took_part_was_excluded_and_paid(grace: User) -> None:
    check = {"text": "Write blue.", "answers": ["blue"]}
    declared = {"institution": "A & B", "approval": "REC_7", "reward_note": "A voucher\nof 10 euros."}
    split = factories.split(factories.benchmark(), "dev")
    study = factories.study(
        grace, split, asks_publication=True, attention_checks=[check], questions_per_participant=3, seed=7, **declared
    )
    study_people.lively(study)
    invitations.invite(study, by=grace, email="eighth@example.org")
    joined = timezone.localdate(study.participants.get(number=1).joined_at).isoformat()
    paragraphs = methods_of(study, list_pairs_of([study]))
    told(
        paragraphs,
        "8 personal invitations",
        f"7 people joined on {joined}: 6 gave consent, 1 declined, 1 finished, 1 dropped out and 1 withdrew.",
        "1 participant was excluded (Answered at random: 1). 4 participants remained.",
        "“A voucher of 10 euros”",
        f"(version 1 of {timezone.localdate(study.consent_versions.get().made_at).isoformat()})",
        "at A & B",
        "(REC_7)",
        "FanOutQA (dev split, open book)",
        "up to 2 questions, drawn at random without repeats (seed 7)",
        "4 answers on 3 questions (1 to 2 per question).",
        "5.0 min (quartiles 5.0 and 5.0) per question and 5.0 min (quartiles 5.0 and 7.5) per participant.",
        "1 of 1",
    )
    assert "@example.org" not in " ".join(paragraphs)
    assert "word for word" not in " ".join(paragraphs), "nobody was asked"
    latex = as_file(paragraphs, "tex")
    assert r"A \& B" in latex
    assert r"REC\_7" in latex


def test_the_examples_practice_and_test_are_told_with_how_many_passed(grace: User) -> None:
    split = factories.split(factories.benchmark(), "dev")
    entry = {"question": "Where?", "expected": ["Oslo"], "why": "It is there."}
    uses = ["example", *["practice"] * 2, *["test"] * 6]
    learning = [{"use": use, **entry} for use in uses]
    study = factories.study(grace, split, learning=learning, test_attempts=2, qualification_share=0.67)
    for number, passed in enumerate(([True], [True], [False, True], [False, False], [False]), start=1):
        study_people.participant(study, number, attempts=[{"passed": one} for one in passed])
    told(
        methods_of(study),
        "1 worked example",
        "2 further items, with feedback",
        "a test of 3 items, of which 67% had to be right, with a second attempt at other items: 2 passed at the first "
        "attempt, 1 at the second, and 1 failed and was screened out; 1 failed once, with an attempt left.",
    )


def test_consent_to_publication_is_told_of_those_who_were_asked(grace: User) -> None:
    study = factories.study(grace, factories.split(factories.benchmark(), "dev"), asks_publication=True)
    study_people.participant(study, 1)
    study_people.participant(study, 2, agrees_to_publication=False)
    told(methods_of(study), "Of 1 person who was asked, none agreed")
    study_people.participant(study, 3, agrees_to_publication=True)
    told(methods_of(study), "Of 2 people who were asked, 1 agreed")


def test_a_reason_with_line_breaks_stays_inside_the_paragraph(grace: User) -> None:
    study = factories.study(grace, factories.split(factories.benchmark(), "dev"))
    study_people.participant(study, 1, excluded_at=timezone.now(), exclusion_reason="A bot.\n\nSaid so.")
    told(methods_of(study), "(A bot. Said so: 1). 0 participants remained.")


def test_a_study_without_people_says_only_what_is_planned(grace: User) -> None:
    split = factories.split(factories.benchmark(), "dev")
    study = factories.study(grace, split, drawing="planned", asks_publication=True)
    paragraphs = methods_of(study)
    told(paragraphs, "by a plan that gives each exactly 1 answer")
    assert len(paragraphs) == 1


def test_the_ways_of_recruiting_and_the_pay_of_a_platform_are_told(grace: User) -> None:
    split = factories.split(factories.benchmark(), "dev")
    study = factories.study(grace, split, platform="prolific", pay="4.50", currency="GBP", time_limit=40)
    invitations.invite(study, by=grace)
    shared = invitations.invite(study, by=grace, kind="shared", limit=5)
    invitations.invite(study, by=grace)  # of the person who came by the shared link, to return by
    Invitation.objects.filter(pk=shared.pk).update(n_used=1)
    told(methods_of(study), "on Prolific by 1 personal invitation and a shared link (1 person).", "4.50 GBP", "40 min")


def test_declared_rules_are_told_with_how_many_they_exclude(grace: User) -> None:
    split = factories.split(factories.benchmark(), "dev")
    study = factories.study(grace, split, exclusion_rules={"percent": 90, "seconds": 400})
    study_people.lively(study)
    told(
        methods_of(study),
        "“Finished less than 90 % of the questions” and “Median time of a question below 400 s”",
        "3 participants were excluded (Median time of a question below 400 s: 2; "
        "Finished less than 90 % of the questions: 0; Answered at random: 1). 2 participants remained.",
    )


def test_ratings_tell_each_agreement_with_its_interval(rated: Study) -> None:
    outcome = outcome_of_ratings(rated)
    alphas = [one["agreement"] for one in outcome["questions"]]
    told(
        methods_of(rated, outcome),
        "40 ratings on 12 texts",
        *(
            f"= {alpha.value:.3f} (95% CI {ratio_interval(alpha.interval)}) on {alpha.n_items} texts"
            for alpha in alphas
        ),
        "(nominal)",
        "(ordinal)",
    )
    assert "alpha" not in " ".join(methods_of(rated))


def test_items_tell_the_qualification_and_the_checks(items_ready: Study) -> None:
    for number in range(3):
        said = {"I_00003": "no"} if number else {}
        browser = Client()
        who = volunteers.seated(browser, items_ready)
        of_items.take_test(browser, who)
        of_items.vote_on_all(who, **said)
    outcome = item_votes.outcome_of(items_ready)
    injected = sum(row.injected.n_ones for row in outcome.voters)
    told(
        methods_of(items_ready, outcome),
        "30 votes on 10 items",
        "Before the questions they took a test of 2 items, of which 80% had to be right: 3 passed at the first "
        "attempt, and 0 failed and were screened out.",
        f"Defensible votes on injected wrong answers: {injected} of 3.",
        f"Krippendorff's alpha (nominal) = {outcome.agreement.value:.3f} (95% CI ",
    )


def test_pairs_tell_masks_and_left_out_choices(pairs_ready: Study) -> None:
    dice = random.Random(3)
    for _ in range(3):
        who = volunteers.seated(Client(), pairs_ready)
        of_pairs.choose(who, lambda row: dice.choices(Preference.values, [4, 3, 2, 1])[0])
    plain = Assignment.objects.filter(participant=who, item__supported=None, item__named=False)
    Assignment.objects.filter(pk=plain.order_by("position")[0].pk).update(named_at=timezone.now())
    pairs_ready.masks = ["Lab"]
    outcome = pair_outcome_of(pairs_ready)
    told(
        methods_of(pairs_ready, outcome),
        "by 3 systems",
        "and 1 further text",
        "For 1 choice",
        "left out",
        f"on {outcome['agreement'].n_items} pairs",
    )


def test_a_grading_round_tells_graders_calibration_and_agreement() -> None:
    place = grounds.ground(6)
    round_ = place.round(masks=["Quixotic"], calibration_start=0, calibration_share=0.0)
    for number in (1, 2):
        grounds.grade_all(grounds.grader(round_, number), share=1.0 if number == 1 else 0.4)
    agreement = agreement_of(grade_arrays(round_))
    told(
        methods_of_round(round_, agreement),
        f"{agreement['n_answers']} answers",
        "2 graders",
        "1 text with names",
        f"alpha of items, found or not = {agreement['items'].value:.3f}".replace("-", "−"),
    )


def test_only_calibration_answers_that_somebody_graded_are_counted() -> None:
    place = grounds.ground(6)
    round_ = place.round(n_calibration=3, calibration_start=1, calibration_share=0.0)
    grounds.know_all(round_, place.maintainer)
    grounds.grade_next(grounds.grader(round_))
    told(
        methods_of_round(round_, agreement_of(grade_arrays(round_))),
        "Of 1 grade on 1 calibration answer with a known grade, 1 gave",
    )


def test_the_paragraphs_are_on_the_page_and_in_files(client: Client, rated: Study) -> None:
    client.force_login(rated.owner)
    where = f"/maintenance/studies/{rated.slug}/results/"
    text = client.get(f"{where}methods.txt")
    assert text["Content-Disposition"].startswith("attachment")
    assert client.get(where).context["methods"] == text.content.decode()
    assert client.get(f"{where}methods.tex").content.decode().startswith("% ")
    assert client.get(f"{where}methods.pdf").status_code == 404


def test_on_a_hidden_split_only_maintainers_read_the_agreement(client: Client, grace: User) -> None:
    olga = factories.user("olga")
    study = of_items.make_study(olga, "test", questions_per_participant=3)
    for number in (1, 2):
        who = study_people.participant(study, number)
        for place in (1, 2, 3):
            item, _ = study.items.get_or_create(
                key=f"I-{place}", defaults={"candidate": "Oslo", "passage_text": "Oslo."}
            )
            text = "yes" if place > number else "no"
            Assignment.objects.create(participant=who, position=place, item=item, text=text, done_at=timezone.now())
    shown = {}
    for user in (olga, grace):
        client.force_login(user)
        shown[user] = client.get(f"/maintenance/studies/{study.slug}/results/methods.txt").content.decode()
    assert "Krippendorff" in shown[grace]
    assert "Krippendorff" not in shown[olga]
    assert "6 votes" in shown[olga]
