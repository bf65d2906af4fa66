"""Who did what to the site: what is recorded, who reads it, and that nothing of it is changed."""

from typing import Any

import pytest
from django.contrib import admin
from django.contrib.auth.models import Permission
from django.core.management import call_command
from django.test import Client, RequestFactory

from leaderboard.models import AuditRecord, Event, SubmissionFile, User
from leaderboard.operations import audit
from leaderboard.publishing.services import publish_submission, unpublish_submission
from leaderboard.submissions import services
from scoring.benchmarks import definitions
from scoring.models import Run
from scoring.models.run_states import RunState
from tests import factories

pytestmark = pytest.mark.django_db


def log() -> list[tuple[str, str, str]]:
    """Who, what and to what; oldest first."""
    return list(AuditRecord.objects.order_by("pk").values_list("actor_name", "action", "target"))


def page(client: Client, query: str = "") -> str:
    response = client.get(f"/maintenance/audit/{query}")
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


def test_a_record_keeps_the_name_of_an_account_that_is_gone(grace: User) -> None:
    audit.record(grace, "thing.done", "thing 1")
    audit.record("manage.py something", "thing.done", "thing " + "x" * 300)
    assert AuditRecord.objects.get(target="thing 1").actor == grace
    grace.delete()
    assert [who for who, _, _ in log()] == ["grace", "manage.py something"]
    assert len(AuditRecord.objects.get(actor_name="manage.py something").target) == 200


def test_the_page_is_narrowed_by_what_and_who_and_comes_in_pages(grace: User, client: Client) -> None:
    client.force_login(grace)
    assert "No entries yet" in page(client)
    for number in range(60):
        audit.record(grace if number % 2 else "manage.py import & more", f"kind.{number % 3}", f"thing-{number}.")
    text = page(client)
    assert "1–50 of 60" in text
    assert "thing-59." in text
    assert "thing-9." not in text
    assert "thing-9." in page(client, "?page=2")
    assert "thing-9." in page(client, "?page=99"), "beyond the end is the last page"
    narrowed = page(client, "?action=kind.1&actor=manage.py+import+%26+more")
    assert "thing-4." in narrowed
    assert "thing-1." not in narrowed, "another did it"
    assert "thing-2." not in narrowed, "another kind"
    assert "No matching entries" in page(client, "?action=no-such-thing")


def test_what_is_recorded_is_shown_as_text(grace: User, client: Client) -> None:
    audit.record(grace, "thing.done", "<script>alert(1)</script>", "<b>bold</b>")
    client.force_login(grace)
    text = page(client)
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text
    assert "&lt;b&gt;bold&lt;/b&gt;" in text


def test_queries_do_not_grow_with_the_log(grace: User, django_assert_num_queries: Any) -> None:
    for size in (1, 40):
        for number in range(size):
            audit.record(grace, f"kind.{number}", "thing")
        with django_assert_num_queries(4):
            shown = audit.audit_page(RequestFactory().get("/").GET)
            assert list(shown["page"].object_list)


def test_submissions_and_runs_have_names_and_links_for_those_who_may_open_them(grace: User, client: Client) -> None:
    dev = factories.split(factories.benchmark(), "dev")
    sent = factories.scored(factories.user(), dev, {"openbook": factories.perfect()}, name="Sys & Co")
    file = sent.files.get()
    SubmissionFile.objects.filter(pk=file.pk).update(version=2)
    run = file.answer_set.runs.get(metric="rouge")
    gone = "submission 00000000-0000-4000-8000-000000000000"
    audit.record(grace, "submission.imported", f"submission {sent.pk}", f"{sent.pk} replaces <b>.")
    audit.record(grace, "judge.released", f"run {run.pk}")
    audit.record(grace, "submission.deleted", gone)
    link, address = f'<a href="{sent.get_absolute_url()}">', sent.get_absolute_url()
    name = f"Sys &amp; Co ({sent.created_at:%Y-%m-%d})"
    client.force_login(grace)
    text = page(client)
    assert f"submission {link}{name}</a>" in text
    assert f"{link}{name}</a> replaces &lt;b&gt;." in text
    assert f"run {link}ROUGE of {name}, open book, version 2</a>" in text
    assert gone in text, "nothing is known of what was deleted"
    staff = factories.user("staff", is_staff=True)
    staff.user_permissions.add(Permission.objects.get(codename="change_split"))
    client.force_login(staff)
    assert (name in page(client), address in page(client)) == (True, False)


def test_nobody_changes_or_deletes_a_record_through_the_site(grace: User, client: Client) -> None:
    kept = audit.record(grace, "thing.done", "thing")
    client.force_login(grace)
    address = f"/admin/leaderboard/auditrecord/{kept.pk}"
    assert client.post(f"{address}/change/", {"text": "nothing happened"}).status_code == 403
    assert client.post(f"{address}/delete/", {"post": "yes"}).status_code == 403
    assert client.post("/admin/leaderboard/auditrecord/add/", {"action": "made up"}).status_code == 403
    chosen = {"action": "delete_selected", "_selected_action": [kept.pk], "post": "yes"}
    client.post("/admin/leaderboard/auditrecord/", chosen)
    assert AuditRecord.objects.values().get()["text"] == kept.text
    assert not admin.site._registry[AuditRecord].get_actions(_request(grace))
    assert client.post("/maintenance/audit/", {"action": "x"}).status_code == 405


def _request(user: User) -> Any:
    request = RequestFactory().get("/admin/")
    request.user = user
    return request


def test_what_somebody_else_does_to_a_submission_is_recorded_and_what_its_owner_does_is_not(grace: User) -> None:
    ada = factories.user()
    sent = factories.scored(ada, factories.split(factories.benchmark(), "dev"), {"openbook": factories.perfect()})

    def everything(actor: User) -> None:
        publish_submission(sent, actor=actor)
        unpublish_submission(sent, actor=actor)
        Run.objects.filter(metric="rouge").update(state=RunState.FAILED)
        services.retry_failed_runs(sent, actor=actor)
        Run.objects.filter(metric="rouge").update(state=RunState.DONE)

    everything(ada)
    unpublish_submission(sent, actor=grace)
    assert log() == [], "nothing of it was on the board"
    everything(grace)
    services.withdraw_submission(sent, actor=grace)
    services.withdraw_submission(sent, actor=grace)
    done = ("published", "unpublished", "retried", "withdrawn")
    assert log() == [("grace", f"submission.{what}", f"submission {sent.pk}") for what in done]
    assert Event.objects.filter(submission=sent, actor=grace).count() == 4, "its owner is told as well"


def test_rescoring_is_recorded_by_page_and_by_command(grace: User, client: Client) -> None:
    dev = factories.split(factories.benchmark(), "dev")
    factories.published(factories.user(), dev, {"openbook": factories.perfect()})
    client.force_login(grace)
    address = f"/maintenance/{dev.benchmark.slug}/dev/rescore/"
    client.post(address, {"action": "runs"})
    client.post(address, {"action": "switch"})
    assert log() == [], "nothing was missing, and nothing to switch"
    factories.revise(
        dev, factories.source_questions("dev", 4, overrides={0: "Bergen"}), date=factories.DATE.replace(2026)
    )
    client.post(address, {"action": "runs"})
    call_command("rescore", dev.benchmark.slug, "dev", "--switch", "--force", "--metric", "accuracy", verbosity=0)
    client.post(address, {"action": "switch"})
    client.post(address, {"action": "switch", "force": "on"})
    assert log() == [
        ("grace", "split.rescored", "split FanOutQA, development"),
        ("manage.py rescore", "split.switched", "split FanOutQA, development"),
        ("grace", "split.switched", "split FanOutQA, development"),
    ]


@pytest.mark.slow
def test_imported_results_are_recorded_once() -> None:
    slug = next(slug for slug, definition in definitions().items() if definition.published_results)
    factories.benchmark()
    call_command("import_reported", slug, verbosity=0)
    call_command("import_reported", slug, verbosity=0)
    assert [(who, what) for who, what, _ in log()] == [("manage.py import_reported", "results.imported")]
