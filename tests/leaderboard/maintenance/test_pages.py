"""The maintainers' console: what waits for a person, queues and retrying, and importing just what was shown."""

import datetime
import json
import re
from dataclasses import replace
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from django.utils.html import escape
from pytest_django import DjangoAssertNumQueries

from leaderboard.maintenance import imports, needs, queues, views
from leaderboard.models import AuditRecord, User
from scoring.importing import drafts, hidden_splits
from scoring.importing.revisions import source_of
from scoring.models import (
    Benchmark,
    ImportDraft,
    Reference,
    Revision,
    Run,
    Split,
    WorkerHeartbeat,
    workers,
)
from scoring.models.run_states import RunState
from tests import factories
from tests.notices import notices

pytestmark = pytest.mark.django_db

SECRET = "Ultima Thule"
N_OF_NEEDS = 14


@pytest.fixture
def page(client: Client, grace: User) -> Client:
    client.force_login(grace)
    return client


def text_of(client: Client, address: str) -> str:
    response = client.get(address)
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


# --- Queues --------------------------------------------------------------------------------------------------------


def stopped(run: Run, state: RunState, reason: str) -> None:
    Run.objects.filter(pk=run.pk).update(state=state, reason=reason, finished_at=timezone.now())


@pytest.fixture
def runs(made: Benchmark) -> list[Run]:
    """Three runs of each metric that can run: all in line, made an hour ago."""
    owner = factories.user()
    for number in range(3):
        factories.submission(owner, factories.split(made, "dev"), {"openbook": {f"dev-{number}": "Oslo"}})
    Run.objects.update(created_at=timezone.now() - datetime.timedelta(hours=1))
    return list(Run.objects.filter(state=RunState.WAITING).order_by("metric", "pk"))


def test_a_queue_tells_what_waits_who_works_and_what_was_done(runs: list[Run]) -> None:
    first, second, third, *rest = [run for run in runs if run.metric in ("accuracy", "rouge")]
    lease = {"lease_token": "t", "state": RunState.RUNNING}
    now = timezone.now()
    Run.objects.filter(pk=first.pk).update(lease_until=now + datetime.timedelta(minutes=1), **lease)
    Run.objects.filter(pk=second.pk).update(lease_until=now - datetime.timedelta(minutes=1), **lease)
    Run.objects.filter(pk=third.pk).update(not_before=now + datetime.timedelta(minutes=5))
    Run.objects.filter(pk=rest[0].pk).update(state=RunState.DONE, finished_at=now)
    Run.objects.filter(pk=rest[1].pk).update(state=RunState.DONE, finished_at=now - datetime.timedelta(days=2))
    workers.record_heartbeat("cpu@here", ["cpu"])
    workers.record_heartbeat("all@there", ["bleurt", "cpu"])
    WorkerHeartbeat.objects.filter(name="all@there").update(seen_at=now - datetime.timedelta(minutes=3))
    found = queues.queues_page()
    cpu = next(queue for queue in found.queues if queue.name == "cpu")
    n_cpu = sum(run.metric not in ("bleurt", "judge") for run in runs)
    assert (cpu.n_running, cpu.n_overdue, cpu.n_later, cpu.n_done) == (2, 1, 1, 1)
    assert cpu.n_waiting == n_cpu - 4
    assert cpu.n_workers == 1
    assert not cpu.is_stalled
    assert cpu.waited is not None
    assert 3590 < cpu.waited.total_seconds() < 3700
    assert [(worker.name, worker.is_alive) for worker in found.workers] == [("all@there", False), ("cpu@here", True)]
    WorkerHeartbeat.objects.all().delete()
    assert next(queue for queue in queues.queues_page().queues if queue.name == "cpu").is_stalled


def test_what_stopped_for_one_reason_is_retried_together_and_nothing_else(
    runs: list[Run], page: Client, grace: User
) -> None:
    rouge = [run for run in runs if run.metric == "rouge"]
    accuracy = [run for run in runs if run.metric == "accuracy"]
    for run in rouge[:2]:
        stopped(run, RunState.FAILED, "It fell over.")
    stopped(rouge[2], RunState.FAILED, "Something else.")
    stopped(accuracy[0], RunState.FAILED, "It fell over.")
    groups = {(group.metric, group.reason): group for group in queues.queues_page().stopped if group.can_retry}
    assert {key: group.n_runs for key, group in groups.items()} == {
        ("rouge", "It fell over."): 2,
        ("rouge", "Something else."): 1,
        ("accuracy", "It fell over."): 1,
    }
    key = groups["rouge", "It fell over."].key
    answer = page.post(reverse("maintenance-queues"), {"retry": key}, follow=True)
    assert [(tone, said[:2]) for tone, said in notices(answer)] == [("good", "2 ")]
    assert {run.state for run in Run.objects.filter(pk__in=[run.pk for run in rouge[:2]])} == {RunState.WAITING}
    assert Run.objects.get(pk=rouge[2].pk).state == RunState.FAILED
    assert Run.objects.get(pk=accuracy[0].pk).state == RunState.FAILED
    record = AuditRecord.objects.get()
    assert (record.actor, record.action, record.target) == (grace, "runs.retried", "ROUGE, failed")
    assert re.fullmatch(r"\D* 2 \D*: It fell over\.", record.text)
    again = page.post(reverse("maintenance-queues"), {"retry": key}, follow=True)
    assert notices(again) == [("info", views.NONE_STOPPED)]
    assert AuditRecord.objects.count() == 1


def test_what_only_waits_for_something_is_not_retried(runs: list[Run], grace: User) -> None:
    stopped(runs[0], RunState.OVER_BUDGET, "Too dear.")
    group = next(group for group in queues.queues_page().stopped if group.state == RunState.OVER_BUDGET)
    assert not group.can_retry
    assert queues.retry(group.key, actor=grace) == 0
    assert Run.objects.get(pk=runs[0].pk).state == RunState.OVER_BUDGET


def test_the_pages_ask_as_often_whatever_there_is(
    runs: list[Run], django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    def ask() -> None:
        with django_assert_num_queries(5):
            queues.queues_page()
        with django_assert_num_queries(N_OF_NEEDS):
            needs.needs()

    ask()
    for number, run in enumerate(runs):
        stopped(run, RunState.FAILED, f"Reason {number}.")
        workers.record_heartbeat(f"worker-{number}@here", ["cpu"])
    ask()


# --- The first page ------------------------------------------------------------------------------------------------


def test_only_maintainers_are_led_to_it(page: Client, made: Benchmark) -> None:
    link = f'href="{reverse("maintenance")}"'
    assert link in text_of(page, "/about/")
    page.force_login(factories.user("viewer", is_staff=True))
    assert link not in text_of(page, "/about/")


# --- Importing -----------------------------------------------------------------------------------------------------


def record(qid: str, **changes: Any) -> dict[str, Any]:
    source = next(question for question in source_of(_test().current_revision) if question.qid == qid)
    return {
        "id": qid,
        "question": source.text,
        "categories": list(source.categories),
        "necessary_evidence": list(source.evidence),
        "decomposition": list(source.decomposition),
        "answer": source.answer,
        **changes,
    }


def _test() -> Any:
    return Split.objects.select_related("benchmark", "current_revision").get(slug="test")


def as_file(records: list[dict[str, Any]], name: str = "corrected.json") -> SimpleUploadedFile:
    return raw(json.dumps(records), name)


def raw(text: str, name: str = "corrected.json") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, text.encode())


def corrected() -> list[dict[str, Any]]:
    """The test split with an answer changed, a question reworded, one removed and one added."""
    return [
        record("test-0", answer={"Norway": SECRET}),
        record("test-1", question="Which two are they?"),
        record("test-2"),
        record("test-3") | {"id": "test-9"},
    ]


def give(page: Client, **fields: Any) -> Any:
    return page.post(reverse("maintenance-import", args=["fanoutqa", "test"]), {"date": "2026-07-14", **fields})


def shown_of(draft: ImportDraft) -> str:
    """What a page says that it shows of a draft."""
    found = drafts.find(_test(), draft.pk)
    assert found is not None
    return drafts.fingerprint(found, drafts.plan_of(found))


def test_nothing_changes_before_it_was_shown_and_then_just_that(page: Client, made: Benchmark, grace: User) -> None:
    before = _test().current_revision
    answer = give(page, answers_file=as_file(corrected()))
    assert answer.status_code == 302
    assert _test().current_revision == before
    assert Revision.objects.count() == 2
    shown = text_of(page, answer["Location"])
    for line in ("<strong>1</strong> question removed", "<strong>1</strong> question reworded", "Which two are they?"):
        assert line in shown
    assert "<strong>1</strong> answer changed" in shown
    assert "1 of 4 questions are unchanged" in shown
    assert SECRET not in shown
    draft = ImportDraft.objects.get()
    page.post(answer["Location"], {"action": "apply", "shown": shown_of(draft)})
    now = _test().current_revision
    assert now.content_hash == draft.content_hash
    assert now.note == "From corrected.json."
    assert json.loads(Reference.objects.get(question__revision=now, question__qid="test-0").answer_json) == {
        "Norway": SECRET
    }
    assert not ImportDraft.objects.exists()
    kept = AuditRecord.objects.get()
    assert (kept.actor, kept.action) == (grace, "split.imported")
    assert "1 answer changed: test-0" in kept.text
    assert SECRET not in kept.text


def test_changed_answers_of_an_open_split_are_shown_before_and_after(page: Client, made: Benchmark) -> None:
    dev = factories.split(made, "dev")
    before = [*(f"City {number}" for number in range(90)), "Oslo", *(f"Town {number}" for number in range(90))]
    after = [SECRET if city == "Oslo" else city for city in before]
    questions = [replace(question, answer=before) for question in factories.source_questions("dev")]
    factories.revise(dev, questions, datetime.date(2026, 7, 1))
    records = [{"id": question.qid, "question": question.text, "answer": after} for question in questions]
    url = reverse("maintenance-import", args=["fanoutqa", "dev"])
    answer = page.post(url, {"date": "2026-07-14", "answers_file": as_file(records)})
    change = page.get(answer["Location"]).context["page"].plan.diff.new_answers[0]
    assert "Oslo" in change.before and SECRET in change.after
    assert len(change.before) < 300, "only the neighbourhood of the difference"
    assert SECRET in text_of(page, answer["Location"])


def test_what_was_not_shown_is_not_imported(page: Client, made: Benchmark) -> None:
    address = give(page, answers_file=as_file(corrected()))["Location"]
    draft = ImportDraft.objects.get()
    shown = shown_of(draft)
    elsewhere = source_of(_test().current_revision)[:3]
    factories.revise(_test(), elsewhere, datetime.date(2026, 7, 1))
    between = _test().current_revision
    for given in (shown, "", "f" * 64):
        answer = page.post(address, {"action": "apply", "shown": given}, follow=True)
        assert drafts.CHANGED in answer.content.decode()
        assert _test().current_revision == between
    page.post(
        address,
        {"action": "apply", "shown": shown_of(draft)},
    )
    assert _test().current_revision.content_hash == draft.content_hash


def test_a_draft_that_was_tampered_with_is_refused(page: Client, made: Benchmark) -> None:
    address = give(page, answers_file=as_file(corrected()))["Location"]
    draft = ImportDraft.objects.get()
    shown = shown_of(draft)
    ImportDraft.objects.update(content_json=draft.content_json.replace(SECRET, "Oslo"))
    answer = page.post(address, {"action": "apply", "shown": shown}, follow=True)
    assert drafts.DAMAGED in answer.content.decode()
    assert Revision.objects.count() == 2


def test_a_draft_can_be_dropped_and_does_not_outlast_a_day(page: Client, made: Benchmark) -> None:
    address = give(page, answers_file=as_file(corrected()))["Location"]
    page.post(address, {"action": "drop"})
    assert not ImportDraft.objects.exists()
    address = give(page, answers_file=as_file(corrected()))["Location"]
    form = reverse("maintenance-import", args=["fanoutqa", "test"])
    assert f'href="{address}"' in page.get(form).content.decode()
    ImportDraft.objects.update(created_at=timezone.now() - datetime.timedelta(hours=25), made_by="another")
    assert 'id="drafts"' not in page.get(form).content.decode()
    gone = page.get(address, follow=True)
    assert views.GONE in gone.content.decode()
    give(page, answers_file=as_file(corrected()))
    assert [draft.made_by for draft in ImportDraft.objects.all()] == ["grace"]
    assert Revision.objects.count() == 2


def test_an_older_state_is_kept_as_history_and_can_be_brought_back(page: Client, made: Benchmark) -> None:
    first = _test().current_revision
    old = give(page, answers_file=as_file(corrected()), date="2020-01-01")["Location"]
    assert 'id="becomes-history"' in text_of(page, old)
    draft = ImportDraft.objects.get()
    page.post(old, {"action": "apply", "shown": shown_of(draft)})
    assert (_test().current_revision, Revision.objects.filter(split__slug="test").count()) == (first, 2)
    same = give(page, answers_file=as_file(corrected()))["Location"]
    assert "Already imported" in text_of(page, same)
    assert 'id="rewordings"' not in text_of(page, same), "nothing would change"
    back = give(page, answers_file=as_file(corrected()), make_current="on")["Location"]
    draft = ImportDraft.objects.get()
    text = text_of(page, back)
    assert 'id="becomes-current"' in text
    found = drafts.find(_test(), draft.pk)
    assert found is not None
    plan = drafts.plan_of(found)
    warnings = hidden_splits.warnings_of_plan(_test(), plan)
    assert len(warnings) == 2 + len(plan.leaks), "few questions, of which few change"
    assert all(escape(warning) in text for warning in warnings)
    page.post(back, {"action": "apply", "shown": shown_of(draft)})
    assert _test().current_revision.content_hash == draft.content_hash
    assert Revision.objects.filter(split__slug="test").count() == 2


def test_questions_and_answers_come_in_two_files_and_waiting_answers_are_scored(page: Client) -> None:
    made = factories.benchmark(test_answers=False)
    factories.submission(factories.user(), factories.split(made, "test"), {"openbook": factories.perfect("test")})
    assert set(Run.objects.values_list("state", flat=True)) == {RunState.NOT_CONFIGURED}
    answers = [record(f"test-{number}", answer=f"{SECRET} {number}") for number in range(4)]
    questions = [{key: value for key, value in one.items() if key != "answer"} for one in answers]
    answer = give(
        page,
        questions_file=as_file(questions, "questions.json"),
        answers_file=as_file(answers, "../hidden answers.json"),
    )
    shown = text_of(page, answer["Location"])
    assert "From questions.json with hidden-answers.json." in shown
    assert "for 1 answer set " in shown
    assert "<strong>4</strong> answers added" in shown
    assert SECRET not in shown
    draft = ImportDraft.objects.get()
    done = page.post(
        answer["Location"],
        {"action": "apply", "shown": shown_of(draft)},
        follow=True,
    )
    n_made = Run.objects.exclude(state=RunState.CANCELLED).count()
    assert Run.objects.filter(state=RunState.WAITING).exists()
    assert any(f" {n_made} " in said for _, said in notices(done))


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({}, f"<li>{imports.NOTHING_GIVEN}</li>"),
        ({"questions_file": raw("[{")}, "corrected.json: line 1: found"),
        (
            {"answers_file": raw('[{"id": "test-0", "question": "Q?"}]')},
            "question &#x27;test-0&#x27; has no &#x27;answer&#x27;",
        ),
        ({"answers_file": raw('[{"id": "dev-0", "question": "Q?", "answer": "A"}]')}, "belong to dev"),
        ({"answers_file": raw('[{"id": "x", "question": "Q?", "answer": "A\\u0000"}]')}, "an invalid character"),
        ({"answers_file": raw('[{"id": "x", "question": "Q?", "answer": "A"}]'), "date": "soon"}, "Enter a valid date"),
    ],
)
def test_what_cannot_be_imported_is_refused_with_its_place_and_nothing_is_kept(
    page: Client, made: Benchmark, fields: dict[str, Any], problem: str
) -> None:
    answer = give(page, **fields)
    assert answer.status_code == 422
    assert problem in answer.content.decode()
    assert not ImportDraft.objects.exists()


def test_the_administration_shows_no_content_of_a_draft(page: Client, made: Benchmark) -> None:
    give(page, answers_file=as_file(corrected()))
    draft = ImportDraft.objects.get()
    shown = text_of(page, reverse("admin:scoring_importdraft_change", args=[draft.pk]))
    assert SECRET not in shown
    assert draft.content_hash in shown
