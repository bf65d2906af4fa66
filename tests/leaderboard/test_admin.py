"""The administration: in the site's colours, read-only where the site alone writes, and recorded."""

import re
from pathlib import Path

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth.models import Permission
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from leaderboard.models import AuditRecord, Submission, System, User
from scoring.metrics.judge.prompt import OPTIONS
from scoring.models import Benchmark, Setting, Split, Verdict
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def made() -> Benchmark:
    return factories.benchmark()


@pytest.fixture
def grace(client: Client, made: Benchmark) -> User:
    grace = factories.maintainer()
    client.force_login(grace)
    return grace


def actions() -> list[tuple[str, str, str]]:
    return list(AuditRecord.objects.order_by("pk").values_list("action", "target", "text"))


class TestRecords:
    def test_a_change_is_recorded_with_its_fields_and_not_with_what_they_hold(
        self, client: Client, made: Benchmark, grace: User
    ) -> None:
        address = reverse("admin:scoring_benchmark_change", args=[made.pk])
        fields = {"name": "Secretly renamed", "position": "0", "needs_approval": "true"}
        kept = {"description": made.description, "citation": made.citation, "url": made.url, "licence": made.licence}
        assert client.post(address, fields | kept).status_code == 302
        (record,) = AuditRecord.objects.all()
        assert (record.actor, record.action) == (grace, "admin.changed")
        assert record.target.startswith(f"benchmark {made.pk}")
        assert "Name" in record.text and "renamed" not in record.text
        made.refresh_from_db()
        assert (made.slug, made.needs_approval) == ("fanoutqa", True)
        client.post(address, fields | kept)
        assert AuditRecord.objects.count() == 1, "sending it back as it was changes nothing"

    def test_no_benchmark_is_made_without_its_definition(self, client: Client, grace: User) -> None:
        fields = {"name": "Bogus", "slug": "bogus", "position": "0", "licence": "CC0", "url": "https://example.org"}
        assert client.post(reverse("admin:scoring_benchmark_add"), fields).status_code == 403
        assert Benchmark.objects.get().slug == "fanoutqa"
        assert client.get(reverse("home"), follow=True).status_code == 200

    @pytest.mark.parametrize("kind", ["split", "setting"])
    def test_splits_and_settings_come_and_go_with_the_definition_alone(
        self, client: Client, made: Benchmark, grace: User, kind: str
    ) -> None:
        model: type[Split] | type[Setting] = Split if kind == "split" else Setting
        fields = {"benchmark": made.pk, "slug": "bogus", "name": "Bogus", "position": "0"}
        assert client.post(reverse(f"admin:scoring_{kind}_add"), fields).status_code == 403
        one = model._default_manager.order_by("pk")[0]
        for change in (made, one):
            name = change._meta.model_name
            assert (
                client.post(reverse(f"admin:scoring_{name}_delete", args=[change.pk]), {"post": "yes"}).status_code
                == 403
            )
        address = reverse(f"admin:scoring_{kind}_change", args=[one.pk])
        assert client.post(address, fields | {"name": "Renamed", "hidden": "on"}).status_code == 302
        changed = model._default_manager.get(pk=one.pk)
        assert (changed.name, changed.slug) == ("Renamed", one.slug)
        if isinstance(changed, Split):
            assert not changed.hidden, "whether answers are secret is the definition's to say"

    def test_what_is_added_and_deleted_is_recorded(self, client: Client, grace: User) -> None:
        added = {"name": "Engineers", "slug": "engineers", "memberships-TOTAL_FORMS": 0, "memberships-INITIAL_FORMS": 0}
        assert client.post(reverse("admin:leaderboard_team_add"), added).status_code == 302
        (action, target, _) = actions()[0]
        assert action == "admin.added" and target.endswith(": Engineers")
        pk = target.split()[1].rstrip(":")
        client.post(reverse("admin:leaderboard_team_delete", args=[pk]), {"post": "yes"})
        assert [action for action, *_ in actions()] == ["admin.added", "admin.deleted"]

    def test_another_password_is_recorded_and_not_told(self, client: Client, grace: User) -> None:
        ada = factories.user()
        address = reverse("admin:auth_user_password_change", args=[ada.pk])
        client.post(address, {"password1": "an even longer password", "password2": "an even longer password"})
        (record,) = AuditRecord.objects.filter(target__contains="ada")
        assert record.action == "admin.changed" and "longer" not in record.text


class TestReadOnly:
    def test_what_was_sent_and_whose_it_is_cannot_be_changed(
        self, client: Client, made: Benchmark, grace: User
    ) -> None:
        ada = factories.user()
        sent = factories.scored(ada, factories.split(made, "dev"), {"openbook": factories.perfect()})
        address = reverse("admin:leaderboard_submission_change", args=[sent.pk])
        page = client.get(address).content.decode()
        assert 'name="name"' in page and 'name="owner"' not in page and 'name="split"' not in page
        fields = {"name": "Corrected", "authors": "A. Author", "type": "FOUNDATION", "owner": grace.pk}
        rows = {f"{inline}-{form}_FORMS": "0" for inline in ("files", "events") for form in ("TOTAL", "INITIAL")}
        assert client.post(address, fields | rows).status_code == 302
        sent = Submission.objects.get()
        assert (sent.name, sent.owner) == ("Corrected", ada)

    def test_a_made_up_name_cannot_be_tied_to_another_system(self, client: Client, grace: User) -> None:
        system = System.objects.create(name="Anonymous 7f3a", slug="anonymous-7f3a", authors="A", is_pseudonym=True)
        page = client.get(reverse("admin:leaderboard_system_change", args=[system.pk])).content.decode()
        assert 'name="became"' not in page and 'name="slug"' not in page and 'name="authors"' in page


class TestRights:
    """Somebody of the staff who may change accounts, and nothing else."""

    @pytest.fixture
    def clerk(self, client: Client) -> User:
        clerk = factories.user("clerk", is_staff=True)
        may = ("view_user", "add_user", "change_user", "delete_user", "view_group", "add_group", "change_group")
        clerk.user_permissions.set(Permission.objects.filter(codename__in=may))
        client.force_login(clerk)
        return clerk

    @pytest.mark.parametrize("name", ["clerk", "root"])
    def test_nobody_gives_rights_to_themselves_or_takes_over_who_has_them(
        self, client: Client, clerk: User, name: str
    ) -> None:
        factories.user("root", is_staff=True, is_superuser=True)
        other = User.objects.get(username=name)
        before = other.password
        word = {"password1": "an even longer password", "password2": "an even longer password"}
        for view, sent in (
            ("admin:leaderboard_user_change", {"username": name, "is_superuser": "on", "is_staff": "on"}),
            ("admin:auth_user_password_change", word),
            ("admin:leaderboard_user_delete", {"post": "yes"}),
        ):
            assert client.post(reverse(view, args=[other.pk]), sent).status_code == 403
        chosen = {"action": "delete_selected", "_selected_action": [str(other.pk)], "post": "yes"}
        client.post(reverse("admin:leaderboard_user_changelist"), chosen)
        other = User.objects.get(username=name)
        assert other.password == before and other.is_superuser == (name == "root")

    def test_what_else_there_is_of_other_accounts_can_be_changed(self, client: Client, clerk: User) -> None:
        ada = factories.user()
        address = reverse("admin:leaderboard_user_change", args=[ada.pk])
        page = client.get(address).content.decode()
        assert 'name="email"' in page
        assert not any(f'name="{name}"' in page for name in ("is_superuser", "is_staff", "groups", "user_permissions"))
        kept = {"username": "ada", "is_active": "on", "date_joined_0": "2026-01-01", "date_joined_1": "12:00:00"}
        wanted = {"email": "new@example.org", "is_superuser": "on", "is_staff": "on"}
        assert client.post(address, kept | wanted).status_code == 302
        ada.refresh_from_db()
        assert (ada.email, ada.is_staff, ada.is_superuser) == ("new@example.org", False, False)

    def test_nobody_sends_themselves_somebody_elses_links(self, client: Client, clerk: User) -> None:
        clerk.user_permissions.add(*Permission.objects.filter(content_type__app_label__in=("account", "socialaccount")))
        root, ada = factories.user("root", is_staff=True, is_superuser=True), factories.user()
        of_root, of_ada = (
            EmailAddress.objects.create(user=owner, email=f"{owner.username}@example.net", verified=False)
            for owner in (root, ada)
        )
        changed = {"user": root.pk, "email": "clerk@example.org", "verified": "on"}
        name = "admin:account_emailaddress"
        assert client.post(reverse(f"{name}_add"), changed).status_code == 403
        assert client.post(reverse(f"{name}_change", args=[of_root.pk]), changed).status_code == 403
        assert client.post(reverse(f"{name}_change", args=[of_ada.pk]), changed).status_code == 302
        client.post(reverse(f"{name}_changelist"), {"action": "make_verified", "_selected_action": [str(of_root.pk)]})
        told = EmailAddress.objects.filter(pk__in=[of_root.pk, of_ada.pk]).order_by("email")
        assert list(told.values_list("user__username", "email", "verified")) == [
            ("ada", "ada@example.net", True),
            ("root", "root@example.net", False),
        ]
        for kind in ("socialaccount", "socialapp", "socialtoken"):
            assert client.get(reverse(f"admin:socialaccount_{kind}_add")).status_code == 403

    def test_groups_of_rights_are_a_superusers(self, client: Client, clerk: User) -> None:
        assert client.get(reverse("admin:auth_group_changelist")).status_code == 200
        assert client.get(reverse("admin:auth_group_add")).status_code == 403
        client.force_login(factories.maintainer())
        assert client.get(reverse("admin:auth_group_add")).status_code == 200


class TestLook:
    @pytest.mark.parametrize("address", ["admin:index", "admin:login", "admin:scoring_benchmark_changelist"])
    def test_it_wears_the_sites_colours_and_nothing_inline(self, client: Client, made: Benchmark, address: str) -> None:
        if address != "admin:login":
            client.force_login(factories.maintainer())
        page = client.get(reverse(address), follow=True)
        text = page.content.decode()
        assert page.status_code == 200
        assert "css/tokens.css" in text and "css/admin.css" in text and "site-mark" in text
        assert " style=" not in text and "<style" not in text

    def test_it_leads_to_the_console(self, client: Client, grace: User) -> None:
        text = client.get(reverse("admin:index")).content.decode()
        for name in ("maintenance", "maintenance-moderation", "maintenance-audit"):
            assert f'href="{reverse(name)}"' in text

    def test_staff_with_no_right_sees_no_record(self, client: Client, made: Benchmark) -> None:
        staff = factories.user("staff", is_staff=True)
        client.force_login(staff)
        assert client.get(reverse("admin:scoring_benchmark_changelist")).status_code == 403
        staff.user_permissions.add(Permission.objects.get(codename="view_benchmark"))
        assert client.get(reverse("admin:scoring_benchmark_changelist")).status_code == 200


@pytest.mark.slow
def test_an_import_by_command_is_recorded_once(tmp_path: Path) -> None:
    call_command("import_benchmark", "fanoutqa", "--dry-run")
    assert actions() == []
    call_command("import_benchmark", "fanoutqa")
    recorded = actions()
    assert {action for action, *_ in recorded} == {"split.imported"}
    assert len(recorded) == 2 and all("Revision" in text and "Current revision." in text for *_, text in recorded)
    call_command("import_benchmark", "fanoutqa")
    assert actions() == recorded, "again, it changes nothing"


def test_verdicts_are_filtered_by_the_letters_of_the_rubric_alone(client: Client) -> None:
    for letter in ("B", "82/88"):
        Verdict.objects.create(address=letter, ask=1, qid="dev-0", letter=letter, outcome="verdict", seed=1)
    client.force_login(factories.maintainer())
    url = reverse("admin:scoring_verdict_changelist")
    assert set(re.findall(r'\?letter=([^"&]+)', client.get(url).content.decode())) == set(OPTIONS)
    assert client.get(url, {"letter": "B"}).context["cl"].result_count == 1
