"""The administration: in the site's colours, read-only where the site alone writes, and recorded."""

from pathlib import Path

import pytest
from allauth.account.models import EmailAddress
from django.contrib import admin
from django.contrib.auth.models import Permission
from django.core.management import call_command
from django.test import Client, RequestFactory
from django.urls import reverse

from leaderboard.accounts.admin import AccountAdmin
from leaderboard.accounts.teams.services import TeamError, accept, create_team, invite
from leaderboard.models import AuditRecord, Membership, Submission, System, TeamRole, User
from scoring.models import Benchmark, Setting, Split
from tests import factories

pytestmark = pytest.mark.django_db


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
        assert 'name="last_name"' in page
        assert not any(f'name="{name}"' in page for name in AccountAdmin.for_superusers)
        kept = {"username": "ada", "is_active": "on", "date_joined_0": "2026-01-01", "date_joined_1": "12:00:00"}
        wanted = {"last_name": "Lovelace", "email": "new@example.org", "is_superuser": "on", "is_staff": "on"}
        assert client.post(address, kept | wanted).status_code == 302
        changed = User.objects.get(pk=ada.pk)
        assert (changed.last_name, changed.email) == ("Lovelace", ada.email)
        assert (changed.is_staff, changed.is_superuser) == (False, False)

    def test_only_a_superuser_sets_the_password_of_another_user(self, client: Client, clerk: User) -> None:
        greta = factories.user("greta")
        address = reverse("admin:auth_user_password_change", args=[greta.pk])
        word = {"password1": "an even longer password", "password2": "an even longer password"}
        assert client.post(address, word).status_code == 403
        assert User.objects.get(pk=greta.pk).password == greta.password
        client.force_login(factories.maintainer())
        assert client.post(address, word).status_code == 302
        assert User.objects.get(pk=greta.pk).password != greta.password

    @pytest.mark.parametrize("is_superuser", [False, True])
    def test_rights_end_with_the_staff_flag(self, client: Client, made: Benchmark, is_superuser: bool) -> None:
        former = factories.user("former", is_staff=True, is_superuser=is_superuser)
        former.user_permissions.set(Permission.objects.all())
        client.force_login(former)
        sent = factories.scored(
            factories.user(), factories.split(made, "test"), {"openbook": factories.perfect("test")}
        )
        pages = [reverse("submission", args=[sent.pk]), reverse("maintenance"), reverse("manage-studies")]
        pages += ["/metrics"] if is_superuser else []
        assert {client.get(page).status_code for page in pages} == {200}
        User.objects.filter(pk=former.pk).update(is_staff=False)
        assert {client.get(page).status_code for page in pages} == {404}
        assert not User.objects.get(pk=former.pk).has_perms(["leaderboard.view_submission"])

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


WRITABLE = {
    "humaneval.study": "owner",
    "leaderboard.entry": "context_size is_official kind n_answered note published_at replaced_at setting source"
    " split system",
    "leaderboard.reportedvalue": "entry high low name value",
    "leaderboard.submission": "attributes authors citation details name run_facts type url",
    "leaderboard.system": "attributes authors citation details is_human name owner run_facts same_as"
    " team traits_withheld type url",
    "leaderboard.team": "name slug",
    "leaderboard.user": "date_joined first_name is_active last_login last_name password username",
    "account.emailaddress": "primary verified",
    "scoring.benchmark": "citation description licence name needs_approval position url",
    "scoring.setting": "accepts_submissions description name position",
    "scoring.split": "current_revision name position rounding_step subset_of withheld_scores",
}
"""What the right to change a table, and no other right, lets a user of the staff change there, sorted."""
ADDED_AND_DELETED = {
    *("leaderboard.entry", "leaderboard.reportedvalue", "leaderboard.submission"),
    *("leaderboard.system", "leaderboard.team", "leaderboard.user"),
}


QUOTES_REFERENCES = {"humaneval.grade", "humaneval.referencecorrection", "scoring.run", "scoring.verdict"}
"""Tables of which the right to view them shows nothing without that to view reference answers."""


def test_a_single_right_lets_one_change_what_the_table_says(
    rf: RequestFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    writable: dict[str, str] = {}
    unseen: set[str] = set()
    added: set[str] = set()
    deleted: set[str] = set()
    request = rf.get("/admin/")
    request.user = User(username="holder", is_staff=True)
    for model, model_admin in admin.site._registry.items():
        label = model._meta.label_lower
        for action in ("view", "add", "change", "delete"):
            held = f"{model._meta.app_label}.{action}_{model._meta.model_name}"
            monkeypatch.setattr(User, "has_perm", lambda user, perm, obj=None, held=held: perm == held)
            allowed = getattr(model_admin, f"has_{action}_permission")(request)
            if action == "view":
                unseen |= set() if allowed else {label}
            elif not allowed:
                continue
            elif action == "change":
                writable[label] = " ".join(sorted(model_admin.get_form(request, model()).base_fields))
            else:
                (added if action == "add" else deleted).add(label)
    assert writable == WRITABLE
    assert unseen == QUOTES_REFERENCES
    assert added == ADDED_AND_DELETED
    assert deleted == ADDED_AND_DELETED | {"account.emailaddress", "humaneval.study"}


def test_a_team_keeps_an_owner_who_can_sign_in(client: Client, grace: User) -> None:
    ada = factories.user("ada")
    team = create_team(by=ada, name="Readers")
    member = team.memberships.get()
    address = reverse("admin:leaderboard_team_change", args=[team.pk])
    row = {"id": member.pk, "team": team.pk, "user": ada.pk, "role": "owner"}
    forms = {"name": "Readers", "slug": "readers", "memberships-TOTAL_FORMS": 1, "memberships-INITIAL_FORMS": 1}

    def sent(**changes: str) -> int:
        fields = {f"memberships-0-{name}": value for name, value in (row | changes).items()}
        return client.post(address, forms | fields).status_code

    assert (sent(role="member"), sent(DELETE="on")) == (200, 200)
    assert team.memberships.get().role == "owner"
    assert sent() == 302
    client.post(reverse("admin:leaderboard_user_delete", args=[ada.pk]), {"post": "yes"})
    assert User.objects.filter(pk=ada.pk).exists()


def test_whoever_is_removed_here_does_not_return_by_an_earlier_invitation(client: Client, grace: User) -> None:
    ada, bob = factories.user("ada"), factories.user("bob")
    team = create_team(by=ada, name="Readers")
    members = [team.memberships.get(), Membership.objects.create(team=team, user=bob, role=TeamRole.MEMBER)]
    EmailAddress.objects.create(user=bob, email="bob@home.example", verified=True)
    invitation = invite(by=ada, team=team, email="bob@lab.example")
    EmailAddress.objects.create(user=bob, email="bob@lab.example", verified=True)
    forms: dict[str, object] = {"name": "Readers", "slug": "readers"}
    forms |= {"memberships-TOTAL_FORMS": 2, "memberships-INITIAL_FORMS": 2, "memberships-1-DELETE": "on"}
    for place, member in enumerate(members):
        row = {"id": member.pk, "team": team.pk, "user": member.user.pk, "role": member.role}
        forms |= {f"memberships-{place}-{name}": value for name, value in row.items()}
    assert client.post(reverse("admin:leaderboard_team_change", args=[team.pk]), forms).status_code == 302
    assert [member.user for member in team.memberships.all()] == [ada]
    with pytest.raises(TeamError):
        accept(user=bob, invitation=invitation)


class TestLook:
    @pytest.mark.parametrize("address", ["admin:index", "admin:scoring_benchmark_changelist"])
    def test_it_wears_the_sites_colours_and_nothing_inline(self, client: Client, made: Benchmark, address: str) -> None:
        client.force_login(factories.maintainer())
        page = client.get(reverse(address), follow=True)
        text = page.content.decode()
        assert page.status_code == 200
        assert "css/tokens.css" in text and "css/admin.css" in text and "site-mark" in text
        assert " style=" not in text and "<style" not in text

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
