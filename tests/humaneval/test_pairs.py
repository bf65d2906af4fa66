"""Studies in which people compare answers side by side: from the choice of systems to the export."""

import datetime
import io
import json
import math
import random
import re
import uuid
import zipfile
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any
from uuid import UUID

import numpy as np
import pytest
from django.core.exceptions import ValidationError
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from humaneval.answering import answers, critiques
from humaneval.answering.withdrawal import withdraw
from humaneval.models import Assignment, ItemOrigin, Kind, Participant, Preference, Study, StudyItem
from humaneval.results import pair_choices
from humaneval.results.pair_choices import pair_outcome_of
from humaneval.studies import masking, pairs
from humaneval.studies.deletion import delete_study
from humaneval.studies.items import ItemsError
from humaneval.studies.services import ITEMS_LOADED, create_study, update_study
from leaderboard.models import Entry, EntryKind, System, User
from leaderboard.web.markdown import WORDS_WITH_CONTENTS
from scoring.models import AnswerBlock, AnswerSet
from scoring.runs.judging.comparisons import ComparedPair
from tests import compared as compared_runs
from tests import compared_site, factories, study_people, study_steps, volunteers

pytestmark = pytest.mark.django_db
N_QUESTIONS = 6
NAMES = ("Aardvark", "Badger", "Caracal")


def add_systems(study: Study, n: int = 3, *, public: bool = True) -> list[Entry]:
    """Systems on the study's board, whose answers say which question they are to, and never which system wrote them."""
    qids = list(study.split.current_revision.questions.order_by("position").values_list("qid", flat=True))  # type: ignore[union-attr]
    made = []
    for number, name in enumerate(NAMES[:n]):
        answer_set = AnswerSet.objects.create(split=study.split, setting=study.setting)
        texts = {
            qid: f"To {place}: {'word ' * (number + place)}end{number}." for place, qid in enumerate(qids, start=1)
        }
        AnswerBlock.objects.store(answer_set, texts)
        system = System.objects.create(slug=name.lower(), name=name, authors="A. Author")
        more = {"split": study.split, "setting": study.setting, "kind": EntryKind.SCORED, "shows_answers": public}
        made.append(Entry.objects.create(system=system, answer_set=answer_set, **more))
    return made


def make_study(owner: User, n_dev: int = N_QUESTIONS, **fields: Any) -> Study:
    usual: dict[str, Any] = {"kind": Kind.PAIRS, "questions_per_participant": 20, "drawing": "balanced", "seats": 5}
    past = timezone.now() - datetime.timedelta(hours=1)
    to = factories.split(factories.benchmark(n_dev=n_dev), "dev")
    return factories.study(owner, to, **(usual | {"opens_at": past, "encyclopedia": volunteers.NOTHING_THERE} | fields))


@pytest.fixture
def ready(grace: User) -> Study:
    study = make_study(grace)
    pairs.make_pairs(study, add_systems(study), N_QUESTIONS, by=grace)
    return study


def choose(who: Participant, vote: Any) -> None:
    """Every choice of a participant, by the services that the page calls; *vote* takes the assignment."""
    for row in who.assignments.select_related("item__question").order_by("position"):
        answers.save_answer(row, text=vote(row), client_revision_id=uuid.uuid4(), base_version=0)
        answers.mark_done(row)


def known(row: Assignment, otherwise: str) -> str:
    """The right choice in an injected pair."""
    assert row.item is not None
    if row.item.origin != ItemOrigin.INJECTED:
        return otherwise
    return Preference.RIGHT if row.swapped else Preference.LEFT


class TestThePairs:
    def test_each_two_systems_meet_on_each_question(self, ready: Study, grace: User) -> None:
        items = list(ready.items.filter(origin=ItemOrigin.PREDICTION).select_related("question"))
        met = Counter((one.qid, frozenset((one.first_set_id, one.second_set_id))) for one in items)
        assert len(met) == len(items) == 3 * N_QUESTIONS
        texts: dict[Any, str] = {
            (key, qid): text for key, qid, text in AnswerBlock.objects.texts(AnswerSet.objects.all())
        }
        for one in items:
            assert one.candidate == texts[one.first_set_id, one.qid]
            assert one.other == texts[one.second_set_id, one.qid]
        bad = list(ready.items.filter(origin=ItemOrigin.INJECTED).select_related("question"))
        assert len(bad) == round(0.1 * len(items))
        for one in bad:
            assert one.candidate == texts[one.first_set_id, one.qid]
            assert one.other in texts.values()
            assert one.other != texts[one.second_set_id, one.qid]
        before = list(ready.items.values_list("key", "candidate", "other"))
        pairs.make_pairs(ready, list(pairs.comparable_entries(ready, grace)), N_QUESTIONS, by=grace)
        assert list(ready.items.values_list("key", "candidate", "other")) == before, "the seed decides"
        with pytest.raises(ValidationError) as error:
            update_study(ready, {"seed": ready.seed + 1}, by=grace)
        assert error.value.message_dict == {"seed": [ITEMS_LOADED]}

    def test_answers_that_name_their_system_are_masked(self, grace: User) -> None:
        study = make_study(grace)
        entries = add_systems(study)
        for entry in entries:
            assert entry.answer_set is not None
            texts = AnswerBlock.objects.texts_of(entry.answer_set)
            name = entry.system.name.upper()
            factories.change_answers(
                entry.answer_set, {qid: f"As {name}, I say: {text}" for qid, text in texts.items()}
            )
        pairs.make_pairs(study, entries, N_QUESTIONS, by=grace)
        shown = "\n".join(text for both in study.items.values_list("candidate", "other") for text in both)
        assert masking.MASK in shown
        assert not re.search("|".join(NAMES), shown, re.IGNORECASE)
        assert not study.items.filter(named=True).exists()

    def test_only_questions_that_all_answered_are_drawn(self, grace: User) -> None:
        study = make_study(grace)
        entries = add_systems(study, 2)
        assert entries[0].answer_set is not None
        texts = AnswerBlock.objects.texts_of(entries[0].answer_set)
        AnswerBlock.objects.filter(answer_set=entries[0].answer_set).delete()
        texts.popitem()
        AnswerBlock.objects.store(entries[0].answer_set, texts | {next(iter(texts)): " "})
        assert pairs.make_pairs(study, entries, 2, by=grace) == 2 + 1
        pairs.make_pairs(study, entries, 100, by=grace)
        assert study.items.filter(origin=ItemOrigin.PREDICTION).count() == N_QUESTIONS - 2

    def test_only_systems_that_are_offered_can_be_compared(self, grace: User) -> None:
        olga = factories.user("olga")
        study = make_study(olga)
        hidden, other = add_systems(study, 2, public=False)
        for entries, by, said in (
            ([hidden], grace, pairs.TOO_FEW_SYSTEMS),
            ([hidden, other], olga, pairs.NOT_OFFERED),
        ):
            with pytest.raises(ItemsError, match=re.escape(said)):
                pairs.make_pairs(study, entries, 2, by=by)
        assert pairs.make_pairs(study, [hidden, other], 2, by=grace) == 3, "a maintainer may"
        Entry.objects.filter(pk=other.pk).update(replaced_at=timezone.now())
        with pytest.raises(ItemsError, match=re.escape(pairs.NOT_OFFERED)):
            pairs.make_pairs(study, [hidden, other], 2, by=grace)

    def test_a_deleted_answer_set_takes_its_pairs_along(self, client: Client, ready: Study) -> None:
        who = volunteers.seated(client, ready)
        gone = Entry.objects.get(system__name=NAMES[0])
        answer_set = gone.answer_set
        gone.delete()
        assert answer_set is not None
        answer_set.delete()
        left = list(who.assignments.order_by("position").values_list("position", flat=True))
        assert 0 < len(left) < ready.n_asked
        for number in left[:2]:
            page = client.get(f"/studies/{ready.slug}/questions/{number}/")
            assert page.context["numbers"]["after"] == next((one for one in left if one > number), None)


class TestThePage:
    def test_it_is_blind_and_in_the_stored_order(self, client: Client, ready: Study) -> None:
        who = volunteers.seated(client, ready)
        rows = list(who.assignments.select_related("item__question").order_by("position"))
        assert {row.swapped for row in rows} == {True, False}
        for row in rows[:4]:
            assert row.item is not None
            response = client.get(f"/studies/{ready.slug}/questions/{row.position}/")
            sides = [side["text"] for side in response.context["pair"]]
            assert sides == [row.item.candidate, row.item.other][:: -1 if row.swapped else 1]
            page = response.content.decode() + str(response.headers)
            assert page.index(sides[0]) < page.index(sides[1])
            secret = [*NAMES, str(row.item.first_set_id), str(row.item.second_set_id), row.item.key, "njected"]
            assert not re.search("|".join(secret), page)
        assert client.get(f"/studies/{ready.slug}/questions/").content.decode().count("question-line__text") == len(
            rows
        )

    def test_long_reports_are_formatted_from_the_masked_text_with_ids_of_their_side_alone(
        self, client: Client, grace: User
    ) -> None:
        study = make_study(grace)
        entries = add_systems(study, 2)
        for entry in entries:
            assert entry.answer_set is not None
            texts = AnswerBlock.objects.texts_of(entry.answer_set)
            report = f"# By {entry.system.name}\n\nWords[^{entry.system.slug}]. {'word ' * WORDS_WITH_CONTENTS}"
            report += f"\n\n[^{entry.system.slug}]: {entry.system.name} says so."
            factories.change_answers(entry.answer_set, {qid: f"{report} {qid}" for qid in texts})
        pairs.make_pairs(study, entries, N_QUESTIONS, by=grace)
        volunteers.seated(client, study)
        page = client.get(f"/studies/{study.slug}/questions/1/").content.decode()
        assert not re.search("|".join(NAMES), page, re.IGNORECASE)
        for side in ("left", "right"):
            assert f'<h3 id="{side}-1">By {masking.MASK}</h3>' in page
            assert f'href="#{side}-1"' in page and f'id="{side}-note-1"' in page
        ids = re.findall(r' id="([^"]+)"', page)
        assert len(set(ids)) == len(ids)

    def test_a_form_changes_only_what_was_changed_in_it(self, client: Client, ready: Study) -> None:
        """What another tab or device saved since the form was shown stays."""
        who = volunteers.seated(client, ready)
        where = f"/studies/{ready.slug}/questions/1/answer/"

        def said(**fields: str) -> Any:
            assert client.post(where, fields, HTTP_ACCEPT="application/json").status_code == 200
            return who.assignments.get(position=1).critique

        assert said(left_strength="a\nb\nc", left_score="5") == {"left": {"strength": ["a", "b", "c"], "score": 5}}
        was = "a\r\nb"  # of a form that began before c was added
        assert said(left_strength="b\r\nd", left_strength_was=was)["left"]["strength"] == ["b", "c", "d"]
        assert said(left_strength="b\nd", left_strength_was=was)["left"]["strength"] == ["b", "c", "d"], "twice"
        assert said(left_strength="", left_strength_was="")["left"]["strength"] == ["b", "c", "d"], (
            "nothing was changed"
        )
        assert said(left_score="7", left_score_was="")["left"]["score"] == 7
        assert said(left_score="5", left_score_was="5")["left"]["score"] == 7, "not changed in this form"
        assert said(left_score="", left_score_was="7", left_strength="", left_strength_was="b\nc\nd") == {}

    def test_choices_scores_and_marks_are_saved(self, client: Client, ready: Study) -> None:
        who = volunteers.seated(client, ready)
        where = f"/studies/{ready.slug}/questions/1/"
        json_only: Any = {"HTTP_ACCEPT": "application/json"}
        assert client.post(f"{where}done/", {"text": ""}).status_code == 422
        assert client.post(f"{where}done/", {"text": "maybe"}).status_code == 422
        sent = {"text": "left", "key": str(uuid.uuid4()), "based_on": 0, "active": "4"}
        assert client.post(f"{where}answer/", sent, **json_only).json()["version"] == 1
        marks = {"left_score": "80", "left_strength": "clear\n\n sourced ", "right_missing": "dates"}
        assert client.post(f"{where}answer/", marks, **json_only).status_code == 200
        row = who.assignments.get(position=1)
        said = {"left": {"score": 80, "strength": ["clear", "sourced"]}, "right": {"missing": ["dates"]}}
        assert (row.text, row.critique) == ("left", said)
        assert row.active_seconds is not None
        assert client.post(f"{where}answer/", {"left_score": "101"}, **json_only).status_code == 422
        form = {"text": ["", "bad"], "based_on": 1, "left_score": "", "left_strength": "", "right_score": "1.5"}
        refused = client.post(f"{where}done/", form)
        assert refused.status_code == 422
        assert [side["score"] for side in refused.context["pair"]] == ["", "1.5"]
        assert critiques.NO_SCORE in refused.content.decode()
        done = client.post(f"{where}done/", form | {"right_score": "7", "based_on": 2})
        assert done["Location"].endswith("/questions/2/")
        row.refresh_from_db()
        assert (row.text, row.critique) == ("bad", {"right": {"missing": ["dates"], "score": 7}})
        assert row.done_at is not None
        assert 'value="bad"' in client.get(where).content.decode()

    def test_injected_pairs_are_asked_of_everybody_and_never_first(self, ready: Study) -> None:
        update_study(ready, {"questions_per_participant": 6}, by="test")
        given: Counter[Any] = Counter()
        for _ in range(5):
            who = volunteers.seated(Client(), ready)
            rows = list(who.assignments.select_related("item").order_by("position"))
            injected = [row.position for row in rows if row.item and row.item.origin == ItemOrigin.INJECTED]
            assert len(injected) == 1
            assert injected[0] > 1
            given.update(row.item_id for row in rows if row.item and row.item.origin != ItemOrigin.INJECTED)
        assert set(given.values()) <= {1, 2}, "25 choices among 18 pairs"
        assert len(given) == 18


# --- The outcome, from the export alone ------------------------------------------------------------------------------


def made_up_pairs(study: Study, dice: np.random.Generator) -> list[ComparedPair]:
    """A judge's comparisons of the study's systems, one reply unparsed; the first place is preferred a little."""
    sets = [one for one in Entry.objects.order_by("pk").values_list("answer_set", flat=True) if one is not None]
    qids = tuple(study.split.current_revision.questions.order_by("position").values_list("qid", flat=True))  # type: ignore[union-attr]
    found = []
    for first, second in ((sets[1], sets[0]), (sets[2], sets[0])):
        scores = dice.integers(1, 6, (len(qids), 2, 2)).astype(float)
        scores[:, 0, 0] += 1
        scores[:, 1, 1] += 1
        scores[0, 0] = np.nan
        found.append(
            ComparedPair(
                first=first,
                second=second,
                run=uuid.uuid4(),
                qids=qids,
                scores=scores,
                verdicts=np.zeros((len(qids), 2), dtype=np.int64),
                answered=np.ones((len(qids), 2), dtype=bool),
                lengths=np.zeros((len(qids), 2)),
            )
        )
    return found


def exported(study: Study) -> dict[str, list[dict[str, Any]]]:
    """The tables of an export."""
    archive = study_people.exported(study)
    names = [name for name in archive.namelist() if name.endswith(".jsonl")]
    return {name[: -len(".jsonl")]: [json.loads(line) for line in archive.read(name).splitlines()] for name in names}


def bradley_terry(games: Sequence[tuple[str, str, float]]) -> dict[str, float]:
    """Strengths by the algorithm of Zermelo (1929), which shares nothing with the site's."""
    names = sorted({name for one, other, _ in games for name in (one, other)})
    wins: Counter[str] = Counter()
    met: Counter[frozenset[str]] = Counter()
    for one, other, outcome in games:
        wins[one] += outcome  # type: ignore[assignment]
        wins[other] += 1 - outcome  # type: ignore[assignment]
        met[frozenset((one, other))] += 1
    odds = dict.fromkeys(names, 1.0)
    for _ in range(2_000):
        for name in names:
            others = [other for other in names if other != name]
            odds[name] = wins[name] / sum(met[frozenset((name, to))] / (odds[name] + odds[to]) for to in others)
    mean = math.fsum(map(math.log, odds.values())) / len(odds)
    return {name: math.log(value) - mean for name, value in odds.items()}


def kappa(pairs_of_labels: Sequence[tuple[float, float]]) -> float:
    """Cohen's kappa, by its definition."""
    n = len(pairs_of_labels)
    one, other = (Counter(labels) for labels in zip(*pairs_of_labels, strict=True))
    equal = sum(a == b for a, b in pairs_of_labels) / n
    chance = sum(one[label] * other[label] for label in one) / n**2
    return (equal - chance) / (1 - chance)


@pytest.fixture
def compared(ready: Study, monkeypatch: pytest.MonkeyPatch) -> Study:
    """A study of three participants, one of whom is excluded, beside made-up comparisons of the judge."""
    judged = made_up_pairs(ready, np.random.default_rng(5))
    monkeypatch.setattr(pair_choices, "compared_pairs", lambda revision, sets: judged)
    dice = random.Random(3)
    for number in range(4):
        who = volunteers.seated(Client(), ready)
        choose(who, lambda row: known(row, dice.choices(Preference.values, [4, 3, 2, 1])[0]))
        if number == 3:
            Participant.objects.filter(pk=who.pk).update(excluded_at=timezone.now())
    return ready


@pytest.mark.slow
def test_the_outcome_follows_from_the_export_alone(compared: Study) -> None:
    found, tables = pair_outcome_of(compared), exported(compared)
    of = {row["item"]: row for row in tables["pairs"]}
    everything = [row | {"pair": of[row["item"]]} for row in tables["choices"] if row["counts"]]
    choices = [row for row in everything if not row["injected"]]
    assert (found["n_votes"], len(tables["participants"])) == (len(choices), 4)
    games = [(row["pair"]["first"], row["pair"]["second"], row["for_first"]) for row in choices]
    expected = bradley_terry(games)
    assert {row.name: row.people.strength for row in found["ranking"] if row.people} == pytest.approx(
        expected, abs=1e-6
    )
    assert [row.name for row in found["ranking"]] == sorted(expected, key=lambda name: -expected[name])
    standings = [row.people for row in found["ranking"] if row.people]
    assert all(one.best <= place <= one.worst for place, one in enumerate(standings, start=1))
    judge_rows = [row for row in tables["judge_comparisons"] if row["first_shown_first"] is not None]
    name_of = {row[f"{side}_answer_set"]: row[side] for row in tables["pairs"] for side in ("first", "second")}
    judged_games = [
        (name_of[row["first_answer_set"]], name_of[row["second_answer_set"]], row[order])
        for row in judge_rows
        for order in ("first_shown_first", "second_shown_first")
    ]
    by_judge = {row.name: row.judge.strength for row in found["ranking"] if row.judge}
    assert by_judge == pytest.approx(bradley_terry(judged_games), abs=1e-6)

    outcomes: dict[tuple[str, str, str], list[float]] = defaultdict(list)
    for row in choices:
        outcomes[row["id"], row["pair"]["first_answer_set"], row["pair"]["second_answer_set"]].append(row["for_first"])
    judge = {}
    for row in judge_rows:
        value = (row["first_shown_first"] + row["second_shown_first"]) / 2
        judge[row["id"], row["first_answer_set"], row["second_answer_set"]] = value
        judge[row["id"], row["second_answer_set"], row["first_answer_set"]] = 1 - value
    labels = [
        (np.sign(np.mean(own) - 0.5), np.sign(judge[place] - 0.5)) for place, own in outcomes.items() if place in judge
    ]
    assert found["judge_agreement"][0][1].value == pytest.approx(kappa(labels))
    assert found["judge_agreement"][0][1].n_items == len(labels)

    left = [{"left": 1, "right": 0}.get(row["choice"], 0.5) for row in choices]
    assert found["left"].value == pytest.approx(np.mean(left))
    longer_by = [len(row["pair"]["first_answer"]) - len(row["pair"]["second_answer"]) for row in choices]
    long = [
        row["for_first"] if more > 0 else 1 - row["for_first"]
        for row, more in zip(choices, longer_by, strict=True)
        if more
    ]
    assert found["longer"].value == pytest.approx(np.mean(long))
    firsts = [
        (row["first_shown_first"] + 1 - row["second_shown_first"]) / 2
        for row in judge_rows
        if (row["id"], row["first_answer_set"], row["second_answer_set"]) in outcomes
        or (row["id"], row["second_answer_set"], row["first_answer_set"]) in outcomes
    ]
    assert found["judge_first"].value == pytest.approx(np.mean(firsts))
    assert found["judge_first"].value is not None
    assert found["judge_first"].value > 0.5, "this judge prefers the first place"
    accuracy = {code: (injected.n_ones, injected.n_items) for code, _, _, injected in found["people"]}
    for code in accuracy:
        own = [row["for_first"] == 1 for row in everything if row["participant"] == code and row["injected"]]
        assert accuracy[code] == (sum(own), len(own)) == (2, 2)


def test_a_corrected_win_rate_weighs_people_by_the_judge(grace: User, monkeypatch: pytest.MonkeyPatch) -> None:
    study = make_study(grace, n_dev=60, questions_per_participant=41, injected_share=0.0)
    pairs.make_pairs(study, add_systems(study, 2), 40, by=grace)
    dice = np.random.default_rng(1)
    sets = list(Entry.objects.order_by("pk").values_list("answer_set", flat=True))
    qids = tuple(study.split.current_revision.questions.order_by("position").values_list("qid", flat=True))  # type: ignore[union-attr]
    one = ComparedPair(
        first=UUID(str(sets[1])),
        second=UUID(str(sets[0])),
        run=uuid.uuid4(),
        qids=qids,
        scores=np.where(dice.random((60, 1, 1)) < 0.7, [[[2.0, 1.0]] * 2], [[[1.0, 2.0]] * 2]),
        verdicts=np.zeros((60, 2), dtype=np.int64),
        answered=np.ones((60, 2), dtype=bool),
        lengths=np.zeros((len(qids), 2)),
    )
    monkeypatch.setattr(pair_choices, "compared_pairs", lambda revision, sets: [one])
    preference = dict(zip(qids, one.preference.tolist(), strict=True))

    def vote(row: Assignment) -> str:
        """As the judge, but every fourth time the other way."""
        assert row.item is not None
        wins = preference[row.item.qid] == (1.0 if row.position % 4 else 0.0)
        is_left = (row.item.first_set_id == one.first) != row.swapped
        return Preference.LEFT if wins == is_left else Preference.RIGHT

    choose(volunteers.seated(Client(), study), vote)
    (row,) = pair_outcome_of(study)["corrected"]
    assert (row.name, row.opponent, row.n_judged, row.n_people) == (NAMES[1], NAMES[0], 60, 40)
    rows = Assignment.objects.select_related("item__question")
    given: dict[float, list[float]] = defaultdict(list)
    for assignment in rows:
        assert assignment.item is not None
        verdict = preference[assignment.item.qid]
        given[verdict].append(verdict if assignment.position % 4 else 1 - verdict)
    share = float(np.mean(one.preference))
    assert row.judge == pytest.approx(share)
    assert row.corrected is not None
    assert row.corrected.value == pytest.approx(share * np.mean(given[1.0]) + (1 - share) * np.mean(given[0.0]))


def test_no_outcome_without_choices_or_with_one_question(grace: User) -> None:
    study = make_study(grace)
    assert pair_outcome_of(study)["ranking"] == ()
    pairs.make_pairs(study, add_systems(study, 2), 2, by=grace)
    who = volunteers.seated(Client(), study)
    row = next(one for one in who.assignments.select_related("item") if one.item and one.item.origin != "injected")
    answers.save_answer(row, text="tie", client_revision_id=uuid.uuid4(), base_version=0)
    assert pair_outcome_of(study)["n_votes"] == 0, "it was never saved by the button"
    answers.mark_done(row)
    found = pair_outcome_of(study)
    assert (found["n_votes"], found["ranking"], found["judge_agreement"]) == (1, (), ())


# --- From the form to the export ------------------------------------------------------------------------------------


def test_a_study_of_pairs_is_made_answered_scored_exported_and_cloned_on_its_pages(client: Client, grace: User) -> None:
    client.force_login(grace)
    dev = factories.split(factories.benchmark(n_dev=N_QUESTIONS), "dev")
    setting = factories.setting(dev.benchmark)
    form = {
        "name": "Compare",
        "split": dev.pk,
        "setting": setting.pk,
        "kind": "pairs",
    }
    made = client.post("/maintenance/studies/new/", form)
    assert made.status_code == 302
    study = Study.objects.get(name="Compare")
    people = {"questions_per_participant": 6, "answers_per_question": 2, "seats": 3, "seed": 1}
    for step, fields in (("people", people), ("opening", {"opens_at": "2020-01-01T00:00"})):
        assert study_steps.save(client, study, step, **fields).status_code == 302
    study.refresh_from_db()
    where = f"/maintenance/studies/{study.slug}/"
    assert client.get(f"{where}pairs/").context["n_offered"] == 0
    entries = add_systems(study)
    page = client.get(f"{where}pairs/").content.decode()
    assert all(name in page for name in NAMES)
    for bad in ({}, {"systems": [entries[0].pk], "n_questions": 4}, {"systems": [0], "n_questions": 4}):
        assert client.post(f"{where}pairs/", bad).status_code == 422
    chosen = {"systems": [one.pk for one in entries], "n_questions": 4}
    assert client.post(f"{where}pairs/", chosen).status_code == 302
    assert study.items.filter(origin=ItemOrigin.PREDICTION).count() == 12
    for address in ("", "pairs/", "results/", "edit/", "export/"):
        assert client.get(where + address).status_code == 200
    volunteer = Client()
    who = volunteers.seated(volunteer, study)
    for row in who.assignments.select_related("item"):
        sent = {"text": known(row, "tie"), "left_score": "50"}
        assert volunteer.post(f"/studies/{study.slug}/questions/{row.position}/done/", sent).status_code == 303
    scores = client.get(f"{where}results/")
    assert scores.context["outcome"]["n_votes"] == 5
    assert client.get(f"{where}participants/P-01/").status_code == 200
    assert client.post(f"{where}results/").status_code == 302
    assert client.post(f"{where}pairs/", chosen).status_code == 422, "somebody has begun"
    archive = zipfile.ZipFile(io.BytesIO(b"".join(client.post(f"{where}export/", {}).streaming_content)))  # type: ignore[attr-defined]
    rows = [json.loads(line) for line in archive.read("choices.jsonl").splitlines()]
    assert Counter(row["choice"] for row in rows)["tie"] == 5
    assert {row["left_score"] for row in rows} == {50}
    assert "items.jsonl" not in archive.namelist()
    assert json.loads(archive.read("study.json"))["kind"] == "pairs"
    clone = client.post(f"{where}clone/")
    assert clone.status_code == 302
    assert not Study.objects.latest("pk").items.exists()


def test_the_pages_take_the_same_queries_for_any_number_of_choices(client: Client, ready: Study, grace: User) -> None:
    client.force_login(grace)
    client.get("/about/")  # the number in the navigation is kept for a while
    volunteer, counts = Client(), []
    for _ in range(2):
        choose(volunteers.seated(volunteer, ready), lambda row: "left")
        for one, address in (
            (client, f"/maintenance/studies/{ready.slug}/results/"),
            (client, f"/maintenance/studies/{ready.slug}/pairs/"),
            (volunteer, f"/studies/{ready.slug}/questions/2/"),
        ):
            with CaptureQueriesContext(connection) as queries:
                assert one.get(address).status_code == 200
            counts.append(len(queries))
    assert counts[:3] == counts[3:]


def test_deleting_the_study_deletes_its_pairs(ready: Study, grace: User) -> None:
    choose(volunteers.seated(Client(), ready), lambda row: "left")
    delete_study(ready, by=grace)
    assert not StudyItem.objects.exists()
    assert not Assignment.objects.exists()
    assert AnswerSet.objects.count() == len(NAMES)


@pytest.mark.parametrize("promise", ["delete", "anonymise"])
def test_choices_of_a_withdrawn_participant_do_not_count_and_their_words_are_deleted(grace: User, promise: str) -> None:
    study = make_study(grace, on_withdrawal=promise)
    pairs.make_pairs(study, add_systems(study), N_QUESTIONS, by=grace)
    who = volunteers.seated(Client(), study)
    choose(who, lambda row: "left")
    Assignment.objects.update(critique={"left": {"score": 3, "weakness": ["my own words"]}})
    withdraw(who)
    assert pair_outcome_of(study)["n_votes"] == 0, "they do not count any more"
    left = [row.critique for row in Assignment.objects.all()]
    assert left == ([] if promise == "delete" else [{"left": {"score": 3}}] * study.n_asked)
    assert StudyItem.objects.exists()


def test_the_stored_comparisons_of_a_judge_are_shown_beside_the_choices_of_people(grace: User) -> None:
    """On a benchmark whose systems a judge compares, with results as runs store them."""
    made = compared_site.declare(8)
    split, setting = factories.split(made, "dev"), factories.setting(made, "closed-book")
    fields: dict[str, Any] = {"questions_per_participant": 9, "opens_at": timezone.now(), "kind": Kind.PAIRS}
    study = create_study(owner=grace, split=split, setting=setting, name="Compare", **fields)
    entries = add_systems(study)
    sets = [entry.answer_set for entry in entries if entry.answer_set is not None]
    compared_runs.store(sets, [(1, 0), (2, 0)], [0.0, 0.5, 1.0])
    pairs.make_pairs(study, entries, 8, by=grace)
    choose(volunteers.seated(Client(), study), lambda row: known(row, Preference.LEFT))
    found = pair_outcome_of(study)
    assert all(row.judge is not None for row in found["ranking"])
    assert {(row.name, row.opponent) for row in found["corrected"]} <= {(NAMES[1], NAMES[0]), (NAMES[2], NAMES[0])}
    assert all(row.corrected is None for row in found["corrected"]), "too few questions"
    assert found["judge_first"].n_items == found["judge_agreement"][0][1].n_items > 0
    assert len(exported(study)["judge_comparisons"]) == 2 * 8
