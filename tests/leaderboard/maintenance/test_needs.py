"""What needs attention: one list for the page, the number in the navigation and the mail."""

import datetime
import re

import pytest
from django.conf import settings
from django.db.models import F
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from leaderboard.maintenance import needs, queues
from leaderboard.maintenance.needs import Need
from leaderboard.maintenance.queues import Stopped
from leaderboard.models import AuditRecord, KnownNeed, Mail, MailKind, Publication, User
from leaderboard.operations import health
from leaderboard.publishing.services import publish_submission
from leaderboard.tasks import mail_maintainers
from scoring.models import Benchmark, Run, WorkerHeartbeat, workers
from scoring.models.run_states import RunState
from scoring.task_types import installed
from tests import factories

pytestmark = pytest.mark.django_db

DAY = datetime.timedelta(days=1)


@pytest.fixture
def made() -> Benchmark:
    """A site on which every process works."""
    for queue in ("cpu", "bleurt", "judge", "site"):
        workers.record_heartbeat(f"{queue}@here", [queue])
    workers.record_sweep()
    return factories.benchmark()


@pytest.fixture
def desk(client: Client) -> Client:
    client.force_login(factories.maintainer())
    return client


def by_key() -> dict[str, Need]:
    return {need.key: need for need in needs.needs()}


def failed_run(made: Benchmark, *, state: RunState = RunState.FAILED) -> Run:
    factories.submission(factories.user(f"of-{state}"), factories.split(made, "dev"), {"openbook": {"dev-0": "Oslo"}})
    run = Run.objects.filter(metric="rouge").latest("created_at")
    Run.objects.filter(pk=run.pk).update(state=state, reason="It fell over.", finished_at=timezone.now())
    return Run.objects.get(pk=run.pk)


def failed_group() -> Stopped:
    """The group of `failed_run`; other metrics cannot run here."""
    return next(group for group in queues.queues_page().stopped if group.can_retry)


def number_in(client: Client, address: str = "/about/") -> int:
    count = re.search(r'class="nav-link__count">.*?</span>(\d+)<', client.get(address).content.decode())
    return int(count[1]) if count else 0


def test_a_quiet_site_needs_nothing(made: Benchmark, desk: Client) -> None:
    assert needs.needs() == []
    assert '<p class="alert__title">Nothing needs attention</p>' in desk.get("/maintenance/").content.decode()
    assert number_in(desk) == 0


def test_the_page_and_the_navigation_show_the_list_with_links_to_where_it_is_done(
    made: Benchmark, desk: Client
) -> None:
    failed_run(made)
    failed_run(made, state=RunState.OVER_BUDGET)
    WorkerHeartbeat.objects.filter(name="cpu@here").delete()
    listed = needs.needs()
    assert [need.key for need in listed] == ["queue-cpu", "failed", "budget"]
    page = desk.get("/maintenance/").content.decode()
    for need in listed:
        card = page.split(f'id="{need.key}"')[1].split('<div class="alert alert')[0]
        assert need.title in card and f'href="{need.url}"' in card
        assert need.since is not None and need.since.isoformat()[:16] in card
        assert desk.get(need.url).status_code == 200
    assert number_in(desk) == number_in(desk, "/maintenance/") == 3
    desk.force_login(factories.user("viewer", is_staff=True))
    assert number_in(desk) == 0


def test_the_number_follows_a_maintainer_at_once(
    made: Benchmark, desk: Client, django_capture_on_commit_callbacks: pytest.FixtureRequest
) -> None:
    run = failed_run(made)
    assert number_in(desk) == 1
    group = failed_group()
    with django_capture_on_commit_callbacks(execute=True):  # type: ignore[operator]
        desk.post(reverse("maintenance-queues"), {"retry": group.key})
    assert Run.objects.get(pk=run.pk).state == RunState.WAITING
    assert number_in(desk) == 0


def request_publication(made: Benchmark, name: str) -> None:
    made.needs_approval = True
    made.save()
    sent = factories.scored(
        factories.user(name.lower()), factories.split(made, "dev"), {"openbook": {"dev-0": "Oslo"}}, name=name
    )
    publish_submission(sent, actor=sent.owner)


def test_a_request_says_since_when(made: Benchmark) -> None:
    long_ago = timezone.now() - 3 * DAY
    for name in ("One", "Two"):
        request_publication(made, name)
    Publication.objects.filter(submission__name="One").update(requested_at=long_ago)
    need = by_key()["requests"]
    assert (need.count, need.since) == (2, long_ago)
    assert need.newest is not None and need.newest > long_ago + DAY


def test_processes_that_do_not_work_are_named(made: Benchmark, desk: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def away() -> None:
        raise ConnectionRefusedError

    monkeypatch.setattr(health, "reach_broker", away)
    long_ago = timezone.now() - datetime.timedelta(hours=1)
    WorkerHeartbeat.objects.update(seen_at=long_ago)
    assert list(by_key()) == ["broker", "scheduler", "queue-cpu", "queue-site"]
    assert by_key()["scheduler"].since == long_ago
    overdue = re.compile(r"no sweep for 3\d{3} s")  # how slow this machine is does not matter
    assert overdue.search(desk.get("/maintenance/").content.decode())
    assert overdue.search(desk.get(reverse("maintenance-queues")).content.decode())


def test_a_missing_worker_of_housekeeping_is_named(made: Benchmark, desk: Client) -> None:
    WorkerHeartbeat.objects.filter(name="site@here").delete()
    need = by_key()["queue-site"]
    assert need.tone == "warn"
    assert "worker --queues site." in desk.get("/maintenance/").content.decode()
    workers.record_heartbeat("all@here", ["cpu", "site"])
    assert not by_key()


def test_workers_of_another_version_are_named(made: Benchmark, desk: Client) -> None:
    WorkerHeartbeat.objects.filter(name="cpu@here").update(version="99.0.0")
    workers.record_heartbeat("old@here", ["cpu"])
    WorkerHeartbeat.objects.filter(name="old@here").update(version="")
    need = by_key()["worker-versions"]
    assert (need.count, need.tone) == (2, "warn")
    assert "cpu@here (99.0.0), old@here (unknown)" in need.text
    page = desk.get(reverse("maintenance-queues")).content.decode()
    assert '<td data-label="Version">99.0.0</td>' in page
    WorkerHeartbeat.objects.filter(name__in=["cpu@here", "old@here"]).delete()
    workers.record_heartbeat("cpu@here", ["cpu"])
    assert not by_key()


def test_packages_benchmarks_and_references_that_are_missing_are_named(
    desk: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    workers.record_heartbeat("all@here", ["cpu", "site"])
    workers.record_sweep()
    factories.benchmark(test_answers=False)
    Benchmark.objects.create(slug="gone", name="Gone")
    monkeypatch.setattr(installed(), "problems", ["The package x 1.0 cannot be loaded."])
    listed = by_key()
    package, *others = listed.values()
    assert package.text == "The package x 1.0 cannot be loaded."
    assert [need.key for need in others] == ["benchmark-gone", "references-fanoutqa-test"]
    assert others[1].url == reverse("maintenance-import", args=["fanoutqa", "test"])
    page = desk.get(package.url).content.decode()
    assert 'id="packages"' in page and "The package x 1.0 cannot be loaded." in page


def test_an_error_that_was_read_needs_attention_when_it_happens_again(made: Benchmark, desk: Client) -> None:
    run = failed_run(made)
    address = reverse("maintenance-queues")
    group = failed_group()
    assert group.last_at is not None
    until = group.last_at.isoformat()
    assert f'value="{until}"' in desk.get(address).content.decode()
    for wrong in ({"key": "x", "until": until}, {"key": group.key, "until": "soon"}, {"key": group.key}):
        desk.post(address, wrong)
        assert "failed" in by_key()
    desk.post(address, {"key": group.key, "until": until})
    assert "failed" not in by_key()
    group = failed_group()
    assert group.is_read and group.can_retry
    record = AuditRecord.objects.get()
    assert (record.action, record.target, record.text) == ("errors.read", "ROUGE, failed", "It fell over.")
    Run.objects.filter(pk=run.pk).update(finished_at=timezone.now())
    assert by_key()["failed"].count == 1


# --- Mail ----------------------------------------------------------------------------------------------------------


def a_day_later() -> None:
    KnownNeed.objects.exclude(mailed_at=None).update(mailed_at=F("mailed_at") - DAY)
    Run.objects.exclude(finished_at=None).update(finished_at=F("finished_at") - DAY)


def test_a_mail_names_what_is_new_once_and_links_to_it(made: Benchmark, grace: User) -> None:
    factories.user("viewer", is_staff=True)
    mail_maintainers()
    assert not Mail.objects.exists()
    failed_run(made)
    mail_maintainers()
    queued = Mail.objects.get()
    assert (queued.user, queued.kind) == (grace, MailKind.ATTENTION)
    assert by_key()["failed"].title in queued.subject
    assert f"New: {by_key()['failed'].title}" in queued.text
    assert f"{settings.SITE_URL}/maintenance/queues/#stopped" in queued.text
    a_day_later()
    mail_maintainers()
    assert Mail.objects.count() == 1, "nothing changed"
    Run.objects.filter(state=RunState.FAILED).update(finished_at=timezone.now())
    mail_maintainers()
    assert Mail.objects.count() == 2


def test_there_is_a_mail_a_day_at_most(made: Benchmark, grace: User) -> None:
    failed_run(made)
    assert needs.queue_mails() == 1
    failed_run(made, state=RunState.OVER_BUDGET)
    assert needs.queue_mails() == 0
    a_day_later()
    assert needs.queue_mails() == 1
    text = Mail.objects.latest("pk").text
    assert f"New: {by_key()['budget'].title}" in text
    assert f"New: {by_key()['failed'].title}" not in text and by_key()["failed"].title in text


def test_a_request_that_was_mailed_at_once_is_not_new(made: Benchmark, grace: User) -> None:
    request_publication(made, "One")
    assert needs.queue_mails() == 0, "of the request, each maintainer has an email"
    User.objects.filter(pk=factories.maintainer("hopper").pk).update(muted_mails=[MailKind.REQUEST])
    assert needs.queue_mails() == 1
    assert f"New: {by_key()['requests'].title}" in Mail.objects.get(kind=MailKind.ATTENTION).text
    a_day_later()
    failed_run(made)
    needs.queue_mails()
    text = Mail.objects.filter(user=grace, kind=MailKind.ATTENTION).get().text
    assert f"New: {by_key()['failed'].title}" in text
    assert f"New: {by_key()['requests'].title}" not in text and by_key()["requests"].title in text
