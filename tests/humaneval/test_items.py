"""Studies in which people check answers against passages: from the file of items to the export."""

import datetime
import importlib
import io
import json
import re
import uuid
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.core.exceptions import PermissionDenied, ValidationError
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from humaneval.answering import answers, session
from humaneval.grading.access import ONLY_MAINTAINERS, right_to_make_items
from humaneval.models import Assignment, ItemCheck, ItemOrigin, Kind, Participant, Study, StudyEvent, StudyItem, Vote
from humaneval.results.exports.tables import tables_of
from humaneval.results.item_votes import outcome_of
from humaneval.studies import items as item_service
from humaneval.studies import learning
from humaneval.studies.items import ItemsError, load_items
from humaneval.studies.kinds.base import NO_VOTE
from humaneval.studies.queries import NOT_QUALIFIED
from humaneval.studies.services import ITEMS_LOADED, clone_study, update_study
from leaderboard.models import User
from scoring.metrics.text.answer_names import folded_name
from scoring.models import Split
from tests import factories, study_people, study_steps, volunteers

pytestmark = pytest.mark.django_db
N_QUESTIONS = 4


def qid(number: int) -> str:
    return factories.list_questions("dev", N_QUESTIONS)[number].qid


def item(number: int, answer: str, text: str = "", **more: Any) -> dict[str, Any]:
    passage = {"title": "A page", "text": text or f"This passage says {answer}."}
    return {"id": qid(number), "answer": answer, "passage": passage, **more}


def lines(*rows: Any) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def regular(n: int = 10) -> list[dict[str, Any]]:
    return [item(number % N_QUESTIONS, f"Answer {number}") for number in range(n)]


def known_items(n: int = 2) -> list[dict[str, Any]]:
    return [item(0, f"Known {number}", qualification=True, supported=number % 2 == 0) for number in range(n)]


def make_study(owner: User, split: str = "dev", **fields: Any) -> Study:
    usual: dict[str, Any] = {"kind": Kind.ITEMS, "questions_per_participant": 20, "drawing": "balanced", "seats": 5}
    past = timezone.now() - datetime.timedelta(hours=1)
    to = factories.split(factories.list_benchmark(), split)
    if split == "test":
        Split.objects.filter(pk=to.pk).update(hidden=True)
        to.refresh_from_db()
    return factories.study(owner, to, **(usual | {"opens_at": past} | fields))


def load(study: Study, content: bytes, folder: Path, by: User) -> int:
    path = folder / "items.jsonl"
    path.write_bytes(content)
    return load_items(study, path, right=right_to_make_items(by, study), by=by)


class TestTheFile:
    def test_every_mistake_is_named_by_line_and_field(self, grace: User, tmp_path: Path) -> None:
        good = item(0, "Oslo")
        rows = [
            good,
            good,
            {**good, "id": "none"},
            {"id": qid(0), "answer": 3, "passage": {"title": "", "text": ""}},
            {"id": qid(0), "answer": "x"},
            item(1, "y", qualification=True),
            item(1, "z", supported=True),
            item(1, "w", qualification="yes"),
        ]
        with pytest.raises(ItemsError) as error:
            load(make_study(grace), lines(*rows) + b"{broken\n", tmp_path, grace)
        found = [
            (
                int(line[1]),
                field[1] if (field := re.search(r'"?(id|answer|passage[.\w]*|supported|qualification)\b', one)) else "",
            )
            for one in error.value.problems
            if (line := re.match(r"[Ll]ine (\d+)", one))
        ]
        assert [line for line, _ in found] == [2, 3, 4, 4, 5, 6, 7, 8, 9], error.value.problems
        assert [field for _, field in found[:-1]] == [
            *("answer", "id", "answer", "passage.text", "passage", "supported", "supported", "qualification")
        ]
        assert not StudyItem.objects.exists()

    def test_a_tenth_gets_a_gold_answer_of_another_question(self, grace: User, tmp_path: Path) -> None:
        study = make_study(grace, seed=3)
        gold = factories.list_questions("dev", N_QUESTIONS)[1].answer[0]["answer_text"]
        assert load(study, lines(*regular(19), item(1, gold.upper())), tmp_path, grace) == 22
        injected = list(study.items.filter(origin=ItemOrigin.INJECTED))
        assert len(injected) == 2
        by_qid = {one.qid: one.answer for one in factories.list_questions("dev", N_QUESTIONS)}
        for one in injected:
            assert one.question is not None
            own = {folded_name(name) for of in by_qid[one.question.qid] for name in (of["answer_text"], *of["aliases"])}
            others = {of["answer_text"] for key, listed in by_qid.items() if key != one.question.qid for of in listed}
            assert folded_name(one.candidate) not in own
            assert one.candidate in others
        assert study.items.get(candidate=gold.upper()).origin == ItemOrigin.GOLD
        before = list(study.items.values_list("key", "candidate"))
        load(study, lines(*regular(19), item(1, gold.upper())), tmp_path, grace)
        assert list(study.items.values_list("key", "candidate")) == before, "the seed decides"

    def test_loaded_items_fix_what_they_depend_on(self, grace: User, tmp_path: Path) -> None:
        study = make_study(grace)
        load(study, lines(*regular()), tmp_path, grace)
        with pytest.raises(ValidationError) as error:
            update_study(study, {"seed": study.seed + 1}, by=grace)
        assert error.value.message_dict == {"seed": [ITEMS_LOADED]}
        assert not clone_study(study, by=grace).items.exists()

    @pytest.mark.parametrize(
        ("fields", "rows", "said"),
        [
            ({"n_qualification": 3}, [*regular(), *known_items()], "The file has 2 qualification items"),
            ({}, [*regular(), *known_items()], item_service.NOT_ASKED),
            ({}, [item(0, "Only one question")], item_service.NOTHING_TO_INJECT),
        ],
    )
    def test_files_that_do_not_fit_the_study(
        self, grace: User, tmp_path: Path, fields: dict[str, Any], rows: list[Any], said: str
    ) -> None:
        with pytest.raises(ItemsError, match=re.escape(said)):
            load(make_study(grace, **fields), lines(*rows), tmp_path, grace)

    def test_on_a_hidden_split_only_maintainers_load(self, grace: User) -> None:
        owner = factories.user("olga")
        with pytest.raises(PermissionDenied, match=re.escape(ONLY_MAINTAINERS)):
            right_to_make_items(owner, make_study(owner, "test"))
        assert right_to_make_items(grace, make_study(grace, "test", name="Other")).holder == "grace"
        assert right_to_make_items(owner, make_study(owner, name="Third")).holder == "olga"

    def test_what_has_no_meaning_for_items_is_refused(self, grace: User) -> None:
        check = {"text": "Write blue.", "answers": ["blue"]}
        with pytest.raises(ValidationError) as error:
            make_study(grace, drawing="fixed", attention_checks=[check])
        assert set(error.value.message_dict) == {"drawing", "attention_checks"}


def vote(client: Client, study: Study, number: int, text: str | None, page: str = "done") -> Any:
    given = {} if text is None else {"text": text}
    return client.post(f"/studies/{study.slug}/questions/{number}/{page}/", given)


def known_vote(assignment: Assignment) -> str:
    """What a careful person says: passages of these tests name their answers, and injected ones are wrong."""
    assert assignment.item is not None
    return Vote.NO if assignment.item.origin == ItemOrigin.INJECTED else Vote.YES


def vote_on_all(who: Participant, **said: str) -> None:
    """Every item's vote, by the services that the page calls."""
    passed = {"right": 2, "of": 2, "passed": True, "at": ""}
    Participant.objects.filter(pk=who.pk, attempts=[]).update(attempts=[passed])
    for row in who.assignments.select_related("item", "participant__study").order_by("position"):
        assert row.item is not None
        text = said.get(row.item.key.replace("-", "_"), known_vote(row))
        answers.save_answer(row, text=text, client_revision_id=uuid.uuid4(), base_version=0)
        answers.mark_done(row)


def take_test(client: Client, who: Participant, n_wrong: int = 0) -> Any:
    """Send an attempt at the test, with the first votes wrong; of the known items of these tests, each other one is
    supported."""
    fields = {}
    for item in learning.test_of(who, {}):
        is_supported = int(item.parts[1].text.removeprefix("Known ")) % 2 == 0
        fields[item.controls[0].field] = Vote.YES if is_supported == (item.number > n_wrong) else Vote.NO
    attempt = len(who.attempts) + 1
    page = client.post(f"/studies/{who.study.slug}/test/", {"attempt": attempt, **fields}, follow=True)
    who.refresh_from_db()
    return page


@pytest.fixture
def ready(grace: User, tmp_path: Path) -> Study:
    study = make_study(grace, n_qualification=2, questions_per_participant=11)
    load(study, lines(*regular(), *known_items(3)), tmp_path, grace)
    return study


def test_nobody_begins_without_items(client: Client, grace: User) -> None:
    study = make_study(grace)
    who = volunteers.come_in(client, volunteers.link(study))
    page = client.get(f"/studies/{study.slug}/consent/")
    digest = re.search(r'name="digest"\s+value="(\w+)"', page.content.decode())
    assert digest is not None
    response = client.post(f"/studies/{study.slug}/consent/", {"digest": digest[1]})
    assert response.status_code == 403
    assert "not ready yet" in response.content.decode()
    who.refresh_from_db()
    assert who.consented_at is None


def test_the_page_of_an_item(client: Client, ready: Study) -> None:
    who = volunteers.seated(client, ready)
    take_test(client, who)
    rows = list(who.assignments.select_related("item__question").order_by("position"))
    page = client.get(f"/studies/{ready.slug}/questions/1/").content.decode()
    assert rows[0].item is not None
    assert rows[0].item.question is not None
    for text in (rows[0].item.candidate, rows[0].item.passage_text, rows[0].item.question.text, *Vote.labels):
        assert text in page
    assert not re.search("injected|qualification|I-000|prediction", page)
    for said, status in ((None, 422), ("maybe", 422), ("unclear", 303)):
        assert vote(client, ready, 1, said).status_code == status
    rows[0].refresh_from_db()
    assert (rows[0].text, rows[0].version, rows[0].revisions.count()) == ("unclear", 1, 1)
    assert 'value="unclear" checked' in client.get(f"/studies/{ready.slug}/questions/1/").content.decode()
    assert NO_VOTE in vote(client, ready, 2, None).content.decode()
    assert vote(client, ready, 2, None, "skip").status_code == 303
    questions = client.get(f"/studies/{ready.slug}/questions/").content.decode()
    assert questions.count("question-line__text") == 11


def at_the_test(client: Client, study: Study) -> Participant:
    who = volunteers.seated(client, study)
    assert client.get(f"/studies/{study.slug}/questions/1/").status_code == 302, "the test comes first"
    return who


def test_the_test_has_items_of_known_outcome_drawn_for_each_person(ready: Study) -> None:
    drawn = {
        tuple(item.parts[1].text for item in learning.test_of(volunteers.seated(Client(), ready), {})) for _ in range(5)
    }
    assert all(len(set(answers_of)) == 2 for answers_of in drawn)
    assert len(drawn) > 1
    assert set().union(*drawn) <= {"Known 0", "Known 1", "Known 2"}


def test_who_passes_goes_on_to_other_items(client: Client, ready: Study) -> None:
    who = at_the_test(client, ready)
    page = client.get(f"/studies/{ready.slug}/test/").content.decode()
    assert page.count("Known ") >= 2 and "A page" in page
    take_test(client, who)
    assert [(attempt["right"], attempt["of"], attempt["passed"]) for attempt in who.attempts] == [(2, 2, True)]
    assert client.get(f"/studies/{ready.slug}/questions/1/").status_code == 200
    assert not who.assignments.filter(item__is_qualification=True).exists()


def test_who_fails_leaves_a_seat(client: Client, ready: Study) -> None:
    who = at_the_test(client, ready)
    ended = take_test(client, who, n_wrong=1)
    assert ended.context["text"] == session.closed_reason(who)
    assert who.receipt_code in ended.content.decode(), "they gave time too"
    assert who.exclusion_reason == NOT_QUALIFIED
    assert outcome_of(ready).voters == ()
    assert StudyEvent.objects.filter(study=ready, participant_code=who.code, text__contains=NOT_QUALIFIED).exists()


def test_a_second_attempt_has_other_items(client: Client, grace: User, tmp_path: Path) -> None:
    study = make_study(grace, n_qualification=2, test_attempts=2, questions_per_participant=11)
    with pytest.raises(ItemsError, match=r"The file has 3 qualification items, and participants get up to 4\."):
        load(study, lines(*regular(), *known_items(3)), tmp_path, grace)
    load(study, lines(*regular(), *known_items(4)), tmp_path, grace)
    who = at_the_test(client, study)
    first = {item.parts[1].text for item in learning.test_of(who, {})}
    take_test(client, who, n_wrong=2)
    assert who.excluded_at is None
    assert first.isdisjoint(item.parts[1].text for item in learning.test_of(who, {}))
    take_test(client, who)
    assert [attempt["passed"] for attempt in who.attempts] == [False, True]
    assert learning.test_counts(study) == {"first": 0, "second": 1, "failed": 0, "again": 0}


class TestTheUpgrade:
    """Until 0.8, the first of a participant's questions were the test."""

    @pytest.fixture
    def upgrade(self, ready: Study) -> Callable[[], None]:
        """The migration's own function, on today's tables."""
        migration = importlib.import_module("humaneval.migrations.0010_one_test")
        return partial(migration.carry_over, apps, None)

    def begun(self, study: Study, *votes: str | None) -> Participant:
        """Somebody who was asked the items of the test first, and gave these votes on them: None for skipped."""
        who = volunteers.seated(Client(), study)
        known = study.items.filter(is_qualification=True).order_by("key")
        for number, (item, said) in enumerate(zip(known, votes, strict=False)):
            now = timezone.now()
            marked = {"skipped_at": now} if said is None else {"done_at": now, "text": said}
            Assignment.objects.create(participant=who, item=item, position=100 + number, **marked)
        plain = who.assignments.get(position=1)
        Assignment.objects.filter(pk=plain.pk).update(text="yes", done_at=timezone.now())
        return who

    def right(self, study: Study) -> list[str]:
        known = study.items.filter(is_qualification=True).order_by("key")[:2]
        return [Vote.YES if item.supported else Vote.NO for item in known]

    def test_a_test_that_was_done_is_an_attempt(self, ready: Study, upgrade: Callable[[], None]) -> None:
        passed = self.begun(ready, *self.right(ready))
        failed = self.begun(ready, Vote.UNCLEAR, Vote.UNCLEAR)
        upgrade()
        for who, attempt, reason in ((passed, (2, 2, True), ""), (failed, (0, 2, False), NOT_QUALIFIED)):
            who.refresh_from_db()
            assert [(one["right"], one["of"], one["passed"]) for one in who.attempts] == [attempt]
            assert who.exclusion_reason == reason
            assert not learning.awaits_test(who)
        assert [(row.code, row.n_votes) for row in outcome_of(ready).voters] == [(passed.code, 1)]

    def test_who_is_in_the_middle_of_it_takes_the_test_anew(self, ready: Study, upgrade: Callable[[], None]) -> None:
        who = self.begun(ready, self.right(ready)[0], None)
        upgrade()
        who.refresh_from_db()
        assert (who.attempts, who.excluded_at) == ([], None)
        assert learning.awaits_test(who)
        assert [row.n_votes for row in outcome_of(ready).voters] == [0], "they count once the test is passed"
        Participant.objects.filter(pk=who.pk).update(attempts=[{"right": 2, "of": 2, "passed": True}])
        assert [row.n_votes for row in outcome_of(ready).voters] == [1]

    @pytest.mark.parametrize("over", ["finished", "dropped", "closed"])
    def test_whose_part_was_over_without_it_still_does_not_count(
        self, ready: Study, upgrade: Callable[[], None], over: str
    ) -> None:
        who, now = self.begun(ready, self.right(ready)[0], None), timezone.now()
        if over == "closed":
            Study.objects.filter(pk=ready.pk).update(closes_at=now)
        else:
            Participant.objects.filter(pk=who.pk).update(**{f"{over}_at": now})
        upgrade()
        who.refresh_from_db()
        assert who.exclusion_reason == NOT_QUALIFIED
        assert outcome_of(ready).voters == ()
        assert ready.events.filter(participant_code=who.code, text__contains=NOT_QUALIFIED).exists()

    def test_the_number_of_other_items_stays(self, ready: Study, upgrade: Callable[[], None]) -> None:
        upgrade()
        ready.refresh_from_db()
        assert ready.questions_per_participant == 9


def test_majority_accuracy_and_checks(ready: Study, grace: User) -> None:
    people = [volunteers.seated(Client(), ready) for _ in range(3)]
    plain = list(ready.items.filter(origin=ItemOrigin.PREDICTION, is_qualification=False).order_by("key"))
    keys = [one.key.replace("-", "_") for one in plain]
    injected = ready.items.get(origin=ItemOrigin.INJECTED).key.replace("-", "_")
    for number, who in enumerate(people):
        said = {keys[0]: "no", keys[1]: "no" if number else "yes", keys[2]: ("yes", "no", "unclear")[number]}
        vote_on_all(who, **said, **({injected: "yes"} if number == 2 else {}))
    draft = people[0].assignments.get(item__key=plain[4].key)
    Assignment.objects.filter(pk=draft.pk).update(done_at=None)
    assert next(row for row in outcome_of(ready).rows if row.item == plain[4]).votes.total() == 2
    answers.mark_done(draft)
    found = outcome_of(ready)
    assert [(row.injected.n_ones, row.injected.n_items) for row in found.voters] == [(1, 1), (1, 1), (0, 1)]
    verdicts = {row.item.key: row.by_votes for row in found.rows}
    assert [verdicts[one.key] for one in plain[:4]] == [False, False, None, True]
    assert (found.by_votes.n_ones, found.by_votes.n_items, found.n_rejected, found.n_undecided) == (7, 10, 2, 1)
    assert found.by_votes.low is not None
    assert found.by_votes.low < 7 / 10
    assert found.agreement.n_items == 10
    assert found.agreement.value is not None
    assert found.agreement.value < 1
    assert len(found.to_check) == 4, "three that were not accepted, and one of seven accepted"
    sampled = next(row for row in found.to_check if row.in_sample)
    staff = Client()
    staff.force_login(grace)
    where = f"/maintenance/studies/{ready.slug}/checks/"
    assert staff.get(where).content.decode().count("</fieldset>") == 4
    for verdict in ("yes", "no"):
        staff.post(where, {f"check-{sampled.item.key}": verdict, f"check-{plain[2].key}": "yes", "check-I-1": "no"})
    assert ItemCheck.objects.count() == 3, "an unchanged verdict is not saved again, a changed one beside the old"
    found = outcome_of(ready)
    assert (found.errors.n_ones, found.errors.n_items) == (1, 1), "the sample alone"
    assert (found.final.n_ones, found.final.n_items, found.n_undecided) == (7, 10, 0)
    assert (found.by_votes.n_ones, found.by_votes.n_items) == (7, 10)


@pytest.mark.slow
def test_from_the_form_to_the_export(client: Client, grace: User) -> None:
    """A maintainer makes the study and loads items; people vote; the outcome, the checks and the export follow."""
    staff = Client()
    staff.force_login(grace)
    dev = factories.split(factories.list_benchmark(), "dev")
    setting = factories.study(grace, dev).setting
    form = {"name": "Check", "split": dev.pk, "setting": setting.pk, "kind": "items"}
    made = staff.post("/maintenance/studies/new/", form)
    study = Study.objects.get(name="Check")
    assert made.status_code == 302
    people = {"questions_per_participant": 11, "answers_per_question": 2, "seats": 3, "seed": 1}
    for step, fields in (
        ("people", people),
        ("learning", {"n_qualification": 1}),
        ("opening", {"opens_at": "2020-01-01T00:00"}),
    ):
        assert study_steps.save(staff, study, step, **fields).status_code == 302
    study.refresh_from_db()
    assert (study.kind, study.injected_share, study.checked_share) == (Kind.ITEMS, 0.1, 0.05)
    assert "passage" in study.instructions
    where = f"/maintenance/studies/{study.slug}/"
    tabs = staff.get(where).content.decode()
    assert "Staff check" in tabs
    assert ">Evidence<" not in tabs
    bad = staff.post(f"{where}items/", {"items": SimpleUploadedFile("x.jsonl", lines(item(0, "")))})
    assert bad.status_code == 422
    assert "a text without content" in bad.content.decode()
    assert staff.post(f"{where}items/").status_code == 422
    good = SimpleUploadedFile("x.jsonl", lines(*regular(), *known_items(1)))
    assert staff.post(f"{where}items/", {"items": good}).status_code == 302
    assert study.items.count() == 12
    for page in ("items/", "results/", "checks/", "edit/", "export/"):
        assert staff.get(where + page).status_code == 200
    for _ in range(2):
        volunteer = Client()
        who = volunteers.seated(volunteer, study)
        take_test(volunteer, who)
        for row in who.assignments.select_related("item"):
            vote(volunteer, study, row.position, known_vote(row))
    scores = staff.get(f"{where}results/").content.decode()
    assert "100.0 %" in scores
    assert "10 of 10" in scores
    assert staff.post(f"{where}results/").status_code == 302
    assert staff.get(f"{where}participants/P-01/").status_code == 200
    archive = zipfile.ZipFile(io.BytesIO(b"".join(staff.post(f"{where}export/", {}).streaming_content)))  # type: ignore[attr-defined]
    tables = {
        name: [json.loads(line) for line in archive.read(f"{name}.jsonl").splitlines()]
        for name in ("items", "votes", "checks", "answers", "participants")
    }
    assert (len(tables["items"]), len(tables["votes"]), len(tables["checks"])) == (12, 22, 0)
    assert sum(row["injected"] for row in tables["votes"]) == 2
    assert all(row["counts"] for row in tables["votes"] + tables["answers"])
    assert {
        row["accepted"] for row in tables["items"] if row["origin"] == "prediction" and not row["qualification"]
    } == {True}
    assert tables["participants"][0]["n_answered"] == 11
    assert "generations.jsonl" not in archive.namelist()
    assert json.loads(archive.read("study.json"))["kind"] == "items"


def test_a_hidden_split_shows_no_outcome_to_the_owner(client: Client) -> None:
    owner = factories.user("olga")
    study = make_study(owner, "test")
    client.force_login(owner)
    where = f"/maintenance/studies/{study.slug}/"
    assert client.get(f"{where}results/").context["outcome"] is None
    content = SimpleUploadedFile("x.jsonl", lines(*regular()))
    response = client.post(f"{where}items/", {"items": content})
    assert response.status_code == 422
    assert ONLY_MAINTAINERS in response.content.decode()
    exported = client.get(f"{where}export/").content.decode()
    assert ">checks</code>" in exported
    assert ">items</code>" not in exported
    (answers,) = (table for table in tables_of(with_contacts=False, with_grades=False) if table.name == "answers")
    assert "item" not in {field.name for field in answers.fields}, "nobody else learns how many votes an item has"
    assert "figures.ipynb" not in study_people.exported(study, with_grades=False).namelist()
