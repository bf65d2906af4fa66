"""Quotas: what counts, for whom, until when, and that many at once get no more."""

import datetime
import re
import threading
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries, Settings

from leaderboard.models import AuditRecord, QuotaException, Submission, SubmissionFile, Team, User
from leaderboard.submissions import quotas, services, storage
from leaderboard.submissions.forms import NOT_IN_TEAM
from leaderboard.web.rate_limits import file_limits, weekly_limits
from scoring.models import Benchmark, Run, Split
from scoring.models.run_states import RunState
from tests import factories
from tests.leaderboard.declared import declared_site
from tests.notices import error_codes

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def place(settings: Settings) -> None:
    settings.SUBMISSIONS_PER_WEEK = {"": 2}


def send(owner: User, to: Split, *, team: Team | None = None) -> Submission:
    return factories.submission(owner, to, {"openbook": factories.perfect()}, team=team)


def used(user: User, benchmark: Benchmark, team: Team | None = None) -> list[int]:
    return [quota.used for quota in quotas.quotas_of(user, benchmark, team)]


class TestWhatCounts:
    def test_scored_and_unfinished_uploads_count(self, made: Benchmark, dev: Split, ada: User) -> None:
        one = factories.scored(ada, dev, {slug: factories.perfect() for slug in ("openbook", "closedbook")})
        assert used(ada, made) == [1]  # one sending, whatever the number of its files
        send(ada, dev)
        assert used(ada, made) == [2]
        with pytest.raises(quotas.QuotaExceededError):
            send(ada, dev)
        services.withdraw_submission(one, actor=ada)
        assert used(ada, made) == [2]  # its scores were seen

    def test_failed_refused_and_unscored_withdrawn_uploads_do_not_count(
        self, made: Benchmark, dev: Split, ada: User, client: Client
    ) -> None:
        send(ada, dev)
        Run.objects.filter(state=RunState.WAITING).update(state=RunState.FAILED)
        services.withdraw_submission(send(ada, dev), actor=ada)
        response = client.post("/submit/", factories.form_data() | {"openbook": factories.upload(b"nonsense")})
        assert response.status_code == 422
        assert used(ada, made) == [0]

    def test_newer_versions_count_but_an_unscored_replaced_one_does_not(
        self, made: Benchmark, dev: Split, ada: User, client: Client
    ) -> None:
        sent = factories.scored(ada, dev, {"openbook": factories.perfect(right=1)})
        path = f"/submissions/{sent.pk}/files/openbook/replace/"
        for right in (2, 3):
            assert client.post(path, {"openbook": factories.upload(factories.perfect(right=right))}).status_code == (
                302 if right == 2 else 422
            )
        assert used(ada, made) == [2]

    def test_an_upload_stops_counting_after_seven_days(self, made: Benchmark, dev: Split, ada: User) -> None:
        first, _ = send(ada, dev), send(ada, dev)
        (quota,) = quotas.quotas_of(ada, made)
        assert quota.frees_at == first.created_at + datetime.timedelta(days=7)
        SubmissionFile.objects.filter(submission=first).update(sent_at=timezone.now() - datetime.timedelta(days=7))
        assert used(ada, made) == [1]
        send(ada, dev)

    def test_each_benchmark_has_its_own_quota(self, made: Benchmark, dev: Split, ada: User, settings: Settings) -> None:
        settings.SUBMISSIONS_PER_WEEK = {"": None, made.slug: 1}
        send(ada, dev)
        with pytest.raises(quotas.QuotaExceededError):
            send(ada, dev)
        settings.SUBMISSIONS_PER_WEEK = {"": 1, made.slug: None}
        send(ada, dev)


class TestForWhom:
    def test_members_of_a_team_share_one_weekly_quota(self, made: Benchmark, dev: Split, ada: User) -> None:
        bob = factories.user("bob")
        team = factories.team(ada, bob)
        send(ada, dev, team=team)
        send(bob, dev, team=team)
        assert used(bob, made, team) == [2, 1]
        with pytest.raises(quotas.QuotaExceededError, match="the team Night shift"):
            send(bob, dev, team=team)
        send(bob, dev)

    def test_membership_of_many_teams_gives_no_more_uploads(self, made: Benchmark, dev: Split, ada: User) -> None:
        for slug in ("one", "two"):
            send(ada, dev, team=factories.team(ada, name=slug))
        with pytest.raises(quotas.QuotaExceededError, match="scored for ada"):
            send(ada, dev, team=factories.team(ada, name="three"))

    def test_an_exception_of_a_team_does_not_apply_to_its_members_alone(
        self, made: Benchmark, dev: Split, ada: User
    ) -> None:
        team = factories.team(ada)
        quotas.make_exception(made, actor=factories.maintainer(), team="night-shift", per_week=3)
        for _ in range(3):
            send(ada, dev, team=team)
        with pytest.raises(quotas.QuotaExceededError):
            send(ada, dev, team=team)
        assert used(ada, made) == [0]
        send(ada, dev)

    def test_what_was_sent_under_an_exception_counts_for_nobody_else_when_it_ends(
        self, made: Benchmark, dev: Split, ada: User
    ) -> None:
        team, grace = factories.team(ada), factories.maintainer()
        exception = quotas.make_exception(made, actor=grace, team="night-shift", per_week=9)
        for _ in range(3):
            send(ada, dev, team=team)
        quotas.end_exception(exception, actor=grace)
        assert used(ada, made) == [0]
        assert used(ada, made, team) == [3, 0]

    def test_retrying_an_uncounted_file_counts_as_an_upload(self, made: Benchmark, dev: Split, ada: User) -> None:
        failed = send(ada, dev)
        Run.objects.update(state=RunState.FAILED)
        assert used(ada, made) == [0]
        for _ in range(2):
            send(ada, dev)
        with pytest.raises(quotas.QuotaExceededError):
            services.retry_failed_runs(failed, actor=ada)
        assert not Run.objects.filter(answer_set__submission_file__submission=failed, state=RunState.WAITING).exists()
        SubmissionFile.objects.exclude(submission=failed).update(sent_at=timezone.now() - datetime.timedelta(days=8))
        services.retry_failed_runs(failed, actor=ada)
        assert used(ada, made) == [1]

    def test_retrying_one_of_several_metrics_needs_no_room(self, made: Benchmark, dev: Split, ada: User) -> None:
        sent = send(ada, dev)
        send(ada, dev)
        runs = Run.objects.filter(answer_set__submission_file__submission=sent)
        runs.update(state=RunState.DONE)
        runs.filter(metric="rouge").update(state=RunState.FAILED)
        assert services.retry_failed_runs(sent, actor=ada) == 1
        assert used(ada, made) == [2]

    def test_an_identical_newer_version_is_named_so_without_room(self, client: Client, dev: Split, ada: User) -> None:
        sent = send(ada, dev)
        send(ada, dev)
        with pytest.raises(storage.SameFileError):
            factories.replace_file(sent, factories.perfect(), by=ada)
        headers = factories.token_of(ada)
        for right, status in ((None, 200), (1, 429)):
            file = {"openbook": factories.upload(factories.perfect(right=right))}
            path = f"/api/v1/submissions/{sent.pk}/replace/"
            assert (client.post(path, file, headers=headers).status_code, sent.files.count()) == (status, 1)

    def test_imports_are_not_bounded(self, dev: Split, ada: User, settings: Settings) -> None:
        settings.SUBMISSIONS_PER_WEEK = {"": 0}
        factories.submission(ada, dev, {"openbook": factories.perfect()}, within_quota=False)
        with pytest.raises(quotas.QuotaExceededError, match="Ask a maintainer"):
            send(ada, dev)

    def test_imports_count_against_nobody(self, made: Benchmark, dev: Split, ada: User) -> None:
        for number in range(5):
            factories.submission(ada, dev, {"openbook": factories.perfect(right=number % 4)}, within_quota=False)
        assert used(ada, made) == [0]
        imported = factories.submission(ada, dev, {"openbook": factories.perfect()}, within_quota=False)
        factories.replace_file(imported, factories.perfect(right=2), by=ada)
        assert used(ada, made) == [1], "a newer version is a person's"


class TestItIsTold:
    def test_on_the_form_before_and_after(self, client: Client, dev: Split, ada: User, settings: Settings) -> None:
        settings.SUBMISSIONS_PER_WEEK = {"": 1}
        assert re.search(r'id="quotas">[^.]*: 0 of 1 ', client.get("/submit/").content.decode())
        send(ada, dev)
        assert "Quota used up" in client.get("/submit/").content.decode()
        form = factories.form_data() | {"openbook": factories.upload(factories.perfect(right=1))}
        response = client.post("/submit/", form)
        assert response.status_code == 422
        assert "1 submissions" not in response.content.decode()
        assert re.search(r" on \d+ \w+ \d{4}, \d\d:\d\d UTC\.$", response.context["form"].non_field_errors()[0])
        assert Submission.objects.count() == 1

    def test_of_each_team_that_can_be_chosen(self, client: Client, dev: Split, ada: User) -> None:
        assert 'name="team"' not in client.get("/submit/").content.decode()
        team = factories.team(ada)
        for _ in range(2):
            send(ada, dev, team=team)
        page = client.get("/submit/", {"team": "night-shift"}).content.decode()
        assert '<option value="night-shift" selected>' in page
        assert "were scored for the team Night shift" in page
        for where in ("night-shift", "another-team"):
            form = factories.form_data(team=where) | {"openbook": factories.upload(factories.perfect())}
            response = client.post("/submit/", form)
            assert response.status_code == 422
        assert NOT_IN_TEAM % {"value": "another-team"} in response.content.decode()
        assert Submission.objects.count() == 2

    def test_nothing_is_said_where_there_is_no_limit(
        self, client: Client, dev: Split, ada: User, settings: Any
    ) -> None:
        settings.SUBMISSIONS_PER_WEEK = {"": None}
        assert 'id="quotas"' not in client.get("/submit/").content.decode()

    def test_by_the_api_with_the_time(self, client: Client, dev: Split, ada: User) -> None:
        headers = factories.token_of(ada)
        statuses = []
        for _ in range(3):
            form = factories.form_data() | {"openbook": factories.upload(factories.perfect())}
            response = client.post("/api/v1/submissions/", form, headers=headers)
            statuses.append(response.status_code)
        assert statuses == [201, 201, 429]
        assert response["Content-Type"] == "application/problem+json"
        assert 6 * 86400 < int(response["Retry-After"]) <= 7 * 86400
        assert {name: response.json()["quota"][name] for name in ("limit", "used", "team")} == {
            "limit": 2,
            "used": 2,
            "team": False,
        }


class TestTheMaintainersPage:
    def test_shows_who_used_what_gives_and_ends_exceptions(self, client: Client, dev: Split, ada: User) -> None:
        team = factories.team(ada)
        send(ada, dev, team=team)
        maintainer = factories.maintainer()
        client.force_login(maintainer)
        page = client.get("/maintenance/quotas/").content.decode()
        assert "Night shift" in page
        form = {
            "benchmark": dev.benchmark.slug,
            "kind": "team",
            "name": "night-shift",
            "per_week": "9",
            "note": "Paper",
        }
        assert client.post("/maintenance/quotas/", form).status_code == 302
        made = QuotaException.objects.get()
        assert (made.team, made.per_week, made.made_by) == (team, 9, maintainer)
        assert client.post("/maintenance/quotas/", form | {"per_week": ""}).status_code == 302
        assert QuotaException.objects.get().per_week is None
        assert "no limit" in client.get("/maintenance/quotas/").content.decode()
        ended = client.post(f"/maintenance/quotas/{QuotaException.objects.get().pk}/end/", follow=True)
        assert f"Night shift: the default quota of {dev.benchmark} applies again." in ended.content.decode()
        assert not QuotaException.objects.exists()
        actions = list(AuditRecord.objects.order_by("pk").values_list("action", "target"))
        assert actions == [
            ("quota.excepted", "team night-shift"),
            ("quota.excepted", "team night-shift"),
            ("quota.exception_ended", "team night-shift"),
        ]

    @pytest.mark.parametrize(
        ("changes", "wrong"),
        [
            ({"name": "nobody"}, {"name": [""]}),
            ({"kind": "user", "name": "nobody"}, {"name": [""]}),
            ({"per_week": "-1"}, {"per_week": ["min_value"]}),
            ({"benchmark": "none"}, {"benchmark": ["invalid_choice"]}),
            ({"name": ""}, {"name": ["required"]}),
        ],
    )
    def test_what_is_wrong_is_said(
        self, client: Client, dev: Split, changes: dict[str, str], wrong: dict[str, list[str]]
    ) -> None:
        client.force_login(factories.maintainer())
        form = {"benchmark": dev.benchmark.slug, "kind": "team", "name": "x", "per_week": "9"} | changes
        response = client.post("/maintenance/quotas/", form)
        assert (response.status_code, error_codes(response)) == (422, wrong)
        if changes.get("name") == "nobody":
            unknown = quotas.UNKNOWN_ACCOUNT if "kind" in changes else quotas.UNKNOWN_TEAM
            assert unknown.format("nobody") in response.content.decode()
        assert not QuotaException.objects.exists()


def test_reading_quotas_takes_the_documented_number_of_queries(
    dev: Split, ada: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    team = factories.team(ada)
    for _ in range(2):
        send(ada, dev, team=team)
    with django_assert_num_queries(4):
        quotas.quotas_of(ada, dev.benchmark, team)


@pytest.mark.parametrize("text", ["", "many", "20,x=y", "fanoutqa=3", "20,20", "-1", "20,=3"])
def test_a_setting_that_is_wrong_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"limit|benchmark"):
        weekly_limits(text)


def test_a_setting_says_one_number_and_exceptions() -> None:
    assert weekly_limits("20, fanoutqa=none") == {"": 20, "fanoutqa": None}


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_simultaneous_uploads_cannot_exceed_the_quota(dev: Split) -> None:
    ada, bob = factories.user("ada"), factories.user("bob")
    team = factories.team(ada, bob)
    outcomes: list[str] = []
    ready = threading.Barrier(6)

    def try_it(owner: User) -> None:
        try:
            ready.wait(timeout=30)
            send(owner, dev, team=team)
            outcomes.append("sent")
        except quotas.QuotaExceededError:
            outcomes.append("refused")
        finally:
            connection.close()

    threads = [threading.Thread(target=try_it, args=(owner,)) for owner in (ada, bob) * 3]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert sorted(outcomes) == ["refused"] * 4 + ["sent"] * 2
    assert Submission.objects.count() == 2


def test_a_declared_quota_counts_unless_the_settings_name_the_benchmark(db: None, settings: Settings) -> None:
    made = declared_site.declare()
    settings.SUBMISSIONS_PER_WEEK = {"": 3}
    assert quotas.limit_of_all(made) == 20
    settings.SUBMISSIONS_PER_WEEK = {"": 3, made.slug: 5, "capital": 4}
    assert quotas.limit_of_all(made) == 5
    assert quotas.unknown_benchmarks() == ["capital"]


class TestFilesForAHiddenSplit:
    """Each file for a hidden split tests a guess: files are counted by person and team, by day, month and in all."""

    @pytest.fixture
    def test(self, made: Benchmark, settings: Settings) -> Split:
        settings.SUBMISSIONS_PER_WEEK = {"": None}
        settings.HIDDEN_FILES = (2, 3, 4)
        return factories.split(made, "test")

    @staticmethod
    def send(owner: User, to: Split, *slugs: str, **more: Any) -> Submission:
        answers = factories.perfect("test")
        return factories.submission(owner, to, dict.fromkeys(slugs or ("openbook",), answers), **more)

    @staticmethod
    def left(user: User, to: Split, team: Team | None = None) -> list[int | None]:
        return [quota.left for quota in quotas.file_quotas_of(user, to, team)]

    @staticmethod
    def age(submission: Submission, days: int) -> None:
        SubmissionFile.objects.filter(submission=submission).update(sent_at=timezone.now() - datetime.timedelta(days))

    def test_each_setting_counts_and_a_submission_that_exceeds_it_is_refused_whole(
        self, test: Split, ada: User
    ) -> None:
        self.send(ada, test)
        assert self.left(ada, test) == [1, 2, 3]
        with pytest.raises(quotas.QuotaExceededError) as error:
            self.send(ada, test, "openbook", "closedbook")
        assert (error.value.quota.unit, error.value.quota.n_more, error.value.quota.used) == ("file", 2, 1)
        assert Submission.objects.count() == 1
        assert error.value.quota.frees_at == Submission.objects.get().created_at + datetime.timedelta(days=1)

    def test_room_comes_back_after_a_day_and_a_month_and_never_in_all(self, test: Split, ada: User) -> None:
        self.age(self.send(ada, test, "openbook", "closedbook"), 2)
        assert self.left(ada, test) == [2, 1, 2]
        self.age(Submission.objects.get(), 31)
        assert self.left(ada, test) == [2, 3, 2]
        self.age(self.send(ada, test, "openbook", "closedbook"), 31)
        assert self.left(ada, test) == [2, 3, 0]
        with pytest.raises(quotas.QuotaExceededError) as error:
            self.send(ada, test)
        assert error.value.quota.frees_at is None

    def test_neither_teams_nor_withdrawal_nor_new_versions_give_more(self, test: Split, ada: User) -> None:
        first = factories.scored(
            ada, test, {"openbook": factories.perfect("test")}, team=factories.team(ada, name="one")
        )
        services.withdraw_submission(first, actor=ada)
        second = self.send(ada, test, team=factories.team(ada, name="two"))
        assert self.left(ada, test)[0] == 0
        with pytest.raises(quotas.QuotaExceededError):
            factories.replace_file(second, factories.perfect("test", right=1), by=ada)

    def test_members_of_a_team_share_its_quota(self, test: Split, ada: User) -> None:
        bob = factories.user("bob")
        team = factories.team(ada, bob)
        self.send(ada, test, "openbook", "closedbook", team=team)
        assert self.left(bob, test, team) == [0, 1, 2, 2, 3, 4]
        with pytest.raises(quotas.QuotaExceededError, match="the team Night shift"):
            self.send(bob, test, team=team)

    def test_imports_files_of_before_and_those_of_open_splits_do_not_count(self, test: Split, ada: User) -> None:
        self.send(ada, test, "openbook", "closedbook", within_quota=False)
        factories.submission(ada, factories.split(test.benchmark, "dev"), {"openbook": factories.perfect()})
        earlier = self.send(ada, test)
        SubmissionFile.objects.filter(submission=earlier).update(counts_hidden=False)  # as after the upgrade
        assert self.left(ada, test) == [2, 3, 4]
        assert quotas.file_quotas_of(ada, factories.split(test.benchmark, "dev")) == []

    @pytest.mark.parametrize("of", [{"user": "ada"}, {"team": "night-shift"}])
    def test_a_maintainer_can_raise_it(self, test: Split, ada: User, client: Client, of: dict[str, str]) -> None:
        team = factories.team(ada) if "team" in of else None
        client.force_login(factories.maintainer())
        ((kind, name),) = of.items()
        form = {"benchmark": test.benchmark.slug, "kind": kind, "name": name, "per_week": "9", "more_files": "5"}
        assert client.post("/maintenance/quotas/", form).status_code == 302
        assert self.left(ada, test, team) == [7, 8, 9]
        assert "5 more files" in client.get("/maintenance/quotas/").content.decode()

    def test_it_is_shown_before_the_upload_and_named_when_it_is_used_up(
        self, test: Split, ada: User, client: Client
    ) -> None:
        self.send(ada, test)
        page = client.get("/submit/").content.decode()
        assert re.findall(r"(\d) of (\d) files to", page) == [("1", "2"), ("1", "3"), ("1", "4")]
        headers = factories.token_of(ada)

        def data() -> dict[str, Any]:
            files = {"openbook": factories.upload(factories.perfect("test", right=1))}
            return factories.form_data(split="test") | files

        valid = client.post("/api/v1/submissions/validate/", data(), headers=headers)
        assert [(one["unit"], one["used"], one["limit"]) for one in valid.json()["quotas"]] == [
            ("file", 1, 2),
            ("file", 1, 3),
            ("file", 1, 4),
        ]
        responses = [client.post("/api/v1/submissions/", data(), headers=headers) for _ in range(2)]
        assert [response.status_code for response in responses] == [201, 429]
        refused = responses[1].json()["quota"]
        assert (refused["unit"], refused["limit"], refused["used"], refused["team"]) == ("file", 2, 2, False)
        assert client.post("/submit/", data()).status_code == 422

    @pytest.mark.parametrize("text", ["9", "9, 30", "9, 30, 60, 1", "9, 30, -1", "nine, 30, 60", ""])
    def test_a_wrong_setting_is_refused(self, text: str) -> None:
        with pytest.raises(ValueError, match="9, 30, 60"):
            file_limits(text)
