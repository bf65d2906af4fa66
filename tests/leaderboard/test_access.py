"""Every address of the site × every kind of visitor."""

import csv
from typing import Any

import pytest
from django.apps import apps
from django.conf import settings
from django.contrib import admin
from django.contrib.auth.models import Permission
from django.core import mail
from django.db import transaction
from django.db.models import Model
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from leaderboard.accounts import mails
from leaderboard.accounts import tokens as accounts_tokens
from leaderboard.accounts.teams import services as teams
from leaderboard.board.exports.snapshots import snapshot_name
from leaderboard.models import ApiToken, MailKind, Submission, System, User
from leaderboard.publishing.services import publish_submission, unpublish_submission
from leaderboard.submissions import quotas
from scoring import declarations
from scoring.benchmarks.base import SourceFile
from scoring.importing import drafts
from scoring.models import Benchmark, FolderDraft, workers
from tests import boards, compared_site, factories, made_pictures, study_people
from tests.chance import without_ids
from tests.paths import ROOT

pytestmark = pytest.mark.django_db

SIGN_IN = "sign-in"
VISITORS = ("anonymous", "other", "owner", "viewer", "maintainer")
TESTS = ROOT / "tests"


def expected_of(app: str) -> dict[str, tuple[int | str, ...]]:
    """What each visitor gets, by the method (unless it is GET) and the name of an address: the table of an app.

    Visitors are nobody in particular, another submitter, the owner of the private submission, somebody who may view
    submissions, and a maintainer; they get a status, or the way to signing in. Pages of studies are for whoever came by
    a link, whatever their account: see tests/humaneval/answering/test_pages.py.
    """
    with (TESTS / app / "access_matrix.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    return {
        row["name"] if row["method"] == "GET" else f"{row['method']} {row['name']}": tuple(
            SIGN_IN if row[visitor] == SIGN_IN else int(row[visitor]) for visitor in VISITORS
        )
        for row in rows
    }


MATRIX = expected_of("leaderboard") | expected_of("humaneval")


STUDY_PAGES = (
    "home",
    "consent",
    "declined",
    "instructions",
    "practice",
    "rehearsal",
    "test",
    "questions",
    "finish",
    "thanks",
    "leave",
    "own-data",
    "withdraw",
)
STUDY_ARGUMENTS: dict[str, list[Any]] = {
    "study-join": ["spring-study", "no-such-token"],
    "study-withdrawn": ["spring-study", "delete"],
    "study-visit": ["spring-study", 1, 1],
    **{f"study-{name}": ["spring-study"] for name in STUDY_PAGES},
    **{
        f"study-{name}": ["spring-study", 1]
        for name in (
            "question",
            "page",
            "answer",
            "aside",
            "standing",
            "done",
            "skip",
            "note",
            "search",
            "suggest",
            "article",
        )
    },
    **{
        f"study-{name}": ["spring-study", 1]
        for name in ("passages", "save-passage", "tabs", "outside", "image", "report")
    },
}


@pytest.fixture(scope="module")
def made(lasting_db: None) -> Benchmark:
    """It and all below stay for the module: each test looks at them in a transaction that is rolled back."""
    return factories.benchmark()


@pytest.fixture(scope="module")
def people(made: Benchmark) -> dict[str, User | None]:
    viewer = factories.user("viewer", is_staff=True)
    viewer.user_permissions.add(Permission.objects.get(codename="view_submission"))
    return {
        "anonymous": None,
        "other": factories.user("other"),
        "owner": factories.user("owner"),
        "viewer": viewer,
        "maintainer": factories.maintainer(),
    }


@pytest.fixture(scope="module")
def sessions(people: dict[str, User | None]) -> dict[str, str]:
    """The session of everybody who is signed in: to sign in for each address takes as long as to ask for it."""
    found = {}
    for name, user in people.items():
        if user is not None:
            client = Client()
            client.force_login(user)
            found[name] = client.cookies[settings.SESSION_COOKIE_NAME].value
    return found


@pytest.fixture(scope="module")
def arguments(made: Benchmark, people: dict[str, User | None]) -> dict[str, list[Any]]:
    owner = people["owner"]
    assert owner is not None
    sent = factories.scored(owner, factories.split(made, "test"), {"openbook": factories.perfect("test")})
    publish_submission(sent, actor=owner)
    kept = boards.take_state(factories.split(made, "test"), factories.setting(made))
    assert kept is not None
    unpublish_submission(sent, actor=owner)
    token, _ = accounts_tokens.create_token(user=owner, name="CI")
    workers.record_heartbeat("cpu@here", ["cpu"])
    given = SourceFile(tuple(factories.source_questions("test", 3)))
    draft = drafts.save(
        factories.split(made, "test"), given, date=factories.DATE, note="", make_current=False, made_by="grace"
    )
    team = teams.create_team(by=owner, name="A team")
    invitation = teams.invite(by=owner, team=team, email="nobody@example.org")
    membership = team.memberships.get()
    study = factories.study(owner, factories.split(made, "test"))
    item_study = factories.study(owner, factories.split(made, "test"), "Items", kind="items")
    pair_study = factories.study(owner, factories.split(made, "test"), "Pairs", kind="pairs")
    volunteer = study_people.participant(study, 1)
    grading = factories.grading_round(
        User.objects.get(username="grace"),
        factories.split(made, "test"),
        graders=[factories.user("greta")],
        files=list(sent.files.all()),
        n_calibration=1,
        graders_per_answer=1,
    )
    essays = compared_site.declare(2)
    compared_site.rank(factories.split(essays, "dev"), factories.setting(essays, "closed-book"), 2)
    compared = [essays.slug, "dev", "closed-book"]
    return {
        "account_confirm_email": ["no-such-key"],
        "account_reset_password_from_key": ["a", "b-c"],
        "mfa_remove_webauthn": [1],
        "openid_connect_login": ["oidc"],
        "openid_connect_callback": ["oidc"],
        "mails-leave": [mails.token_of(owner, MailKind.SCORED)],
        "team-join": [str(mail.outbox[-1].body).split("/teams/join/")[1].split("/")[0]],
        "team-accept": [invitation.pk],
        "team": [team.slug],
        **{f"team-{act}": [team.slug] for act in ("rename", "invite", "leave", "dissolve")},
        **{f"team-invitation-{act}": [team.slug, invitation.pk] for act in ("resend", "revoke")},
        **{f"team-member-{act}": [team.slug, membership.pk] for act in ("role", "remove")},
        **{name.removeprefix("POST "): [grading.slug] for name in MATRIX if "grading-" in name},
        "grading-new": ["fanoutqa", "test"],
        "grading-known": [grading.slug, grading.answers.get(is_calibration=True).position],
        "grading-decision": [grading.slug, grading.answers.filter(is_calibration=False)[0].position],
        "grading-export": [grading.slug, "csv"],
        "grading-methods": [grading.slug, "txt"],
        **{name: [grading.slug, 1] for name in MATRIX if name.startswith("grading-article")},
        "board": ["fanoutqa", "test", "openbook"],
        "benchmark": ["fanoutqa"],
        "data-card": ["fanoutqa"],
        "croissant": ["fanoutqa"],
        "split-croissant": ["fanoutqa", "test"],
        "questions-file": ["fanoutqa", "dev"],
        "board-badge": ["fanoutqa", "test", "openbook", "example-system"],
        "sitemap-section": ["boards"],
        "board-export": ["fanoutqa", "test", "openbook", "csv"],
        "board-states": ["fanoutqa", "test", "openbook"],
        "board-state": ["fanoutqa", "test", "openbook", snapshot_name(kept)],
        "board-state-export": ["fanoutqa", "test", "openbook", snapshot_name(kept), "json"],
        "board-pictures": ["fanoutqa", "test", "openbook"],
        "board-picture": ["fanoutqa", "test", "openbook", "systems"],
        "board-system-export": ["fanoutqa", "test", "openbook", "example-system", "model-index.yaml"],
        **dict.fromkeys(("board-matrix", "board-matrix-export", "board-questions", "board-ranking"), compared),
        "board-question": [*compared, 1],
        "board-ranking-export": [*compared, "json"],
        "maintenance-rescore": ["fanoutqa", "test"],
        "maintenance-import": ["fanoutqa", "test"],
        "maintenance-import-draft": ["fanoutqa", "test", draft.pk],
        "maintenance-benchmark-phases": [essays.slug],
        "maintenance-benchmark-draft": [FolderDraft.objects.create(name="x.zip", content=b"PK", sha256="0" * 64).pk],
        "system": ["example-system"],
        "system-edit": ["example-system"],
        "system-questions": ["example-system"],
        "system-verdicts": ["example-system"],
        "api-system-verdicts": ["example-system"],
        "api-system-questions": ["example-system"],
        "api-system-answers": ["example-system"],
        "system-against": ["example-system"],
        "submission-file": [sent.pk, "openbook"],
        "maintenance-moderate": [sent.pk],
        "token-revoke": [token.pk],
        "api-submission": [sent.pk],
        "api-submission-questions": [sent.pk],
        "api-submission-changes": [sent.pk],
        "api-system-changes": ["example-system"],
        **{f"api-{change}": [sent.pk] for change in ("publish", "reveal", "unpublish", "replace", "retry", "withdraw")},
        "api-benchmark": ["fanoutqa"],
        "api-settings": ["fanoutqa"],
        "api-split": ["fanoutqa", "test"],
        "api-question": ["fanoutqa", "test", "test-0"],
        "api-question-answers": ["fanoutqa", "test", "test-0"],
        "api-question-statistics": ["fanoutqa", "dev"],
        "question-picture": [made_pictures.stored(factories.split(made, "test")).sha256],
        "questions": ["fanoutqa", "dev"],
        "question": ["fanoutqa", "test", "test-0"],
        "api-questions": ["fanoutqa", "test"],
        "api-study": [study.slug],
        **{name.removeprefix("POST "): [study.slug] for name in MATRIX if "manage-study" in name},
        "manage-study-new": [],
        "manage-study-step": [study.slug, "texts"],
        "manage-study-shown": [study.slug, "consent"],
        "manage-study-items": [item_study.slug],
        "manage-study-checks": [item_study.slug],
        "manage-study-pairs": [pair_study.slug],
        "manage-study-masks": [pair_study.slug],
        "manage-study-publish": [study.slug, 1],
        "manage-study-methods": [study.slug, "tex"],
        "manage-study-invitation": [study.slug, volunteer.invitation.pk],
        "manage-study-participant": [study.slug, volunteer.code],
        "docs-page": ["index.html"],
        "api-system": ["example-system"],
        "api-system-scores": ["example-system"],
        **STUDY_ARGUMENTS,
        **{name.removeprefix("POST "): [sent.pk] for name in MATRIX if "submission-" in name and "file" not in name},
        "submission": [sent.pk],
        "submission-replace": [sent.pk, "openbook"],
        "maintenance-system-split": [System.objects.create(name="Merged", slug="merged").pk],
        "maintenance-quota-end": [quotas.make_exception(made, actor=owner, user="owner", per_week=None).pk],
    }


def names_of(patterns: list[URLPattern | URLResolver]) -> set[str]:
    names = set()
    for pattern in patterns:
        if isinstance(pattern, URLResolver):
            if pattern.namespace != "admin":
                names |= names_of(pattern.url_patterns)
        elif pattern.name:
            names.add(pattern.name)
    return names


def test_the_matrix_names_every_address() -> None:
    assert {name.removeprefix("POST ") for name in MATRIX} == names_of(get_resolver().url_patterns)


@pytest.mark.slow
@pytest.mark.parametrize("entry", MATRIX)
def test_every_visitor_gets_what_the_matrix_says(
    entry: str, sessions: dict[str, str], arguments: dict[str, list[Any]]
) -> None:
    name = entry.removeprefix("POST ")
    path = reverse(name, args=arguments.get(name, []))
    if compared_site.SLUG in path:
        declarations.clear()  # each test begins without declared benchmarks
    got = []
    for visitor in VISITORS:
        client = Client()
        if visitor in sessions:
            client.cookies[settings.SESSION_COOKIE_NAME] = sessions[visitor]
        response = client.post(path, {}) if entry.startswith("POST ") else client.get(path)
        signed_out = response.status_code == 302 and response["Location"].startswith("/accounts/sign-in/?next=")
        got.append(SIGN_IN if signed_out else response.status_code)
    assert dict(zip(VISITORS, got, strict=True)) == dict(zip(VISITORS, MATRIX[entry], strict=True))


def test_what_does_not_exist_and_what_is_not_yours_look_the_same(
    people: dict[str, User | None], arguments: dict[str, list[Any]], client: Client
) -> None:
    other = people["other"]
    assert other is not None
    client.force_login(other)
    sent = Submission.objects.get()
    there = client.get(f"/submissions/{sent.pk}/")
    nowhere = client.get("/submissions/00000000-0000-4000-8000-000000000000/")
    assert there.status_code == nowhere.status_code == 404

    def text(response: Any) -> str:
        return without_ids(response.content.decode())

    assert text(there) == text(nowhere)


@pytest.mark.slow
def test_state_never_changes_by_get(arguments: dict[str, list[Any]], people: dict[str, User | None]) -> None:
    owner = people["owner"]
    assert owner is not None
    client = Client()
    client.force_login(owner)
    before = Submission.objects.values().get(), ApiToken.objects.values().get()
    for entry in MATRIX:
        if not entry.startswith("POST "):
            client.get(reverse(entry, args=arguments.get(entry, [])))
    assert (Submission.objects.values().get(), ApiToken.objects.values().get()) == before


def test_a_form_without_its_csrf_token_is_refused(people: dict[str, User | None], made: Benchmark) -> None:
    owner = people["owner"]
    assert owner is not None
    client = Client(enforce_csrf_checks=True)
    client.force_login(owner)
    n_before = Submission.objects.count()
    response = client.post("/submit/", factories.form_data() | {"openbook": factories.upload(factories.perfect())})
    assert response.status_code == 403
    assert Submission.objects.count() == n_before


@pytest.mark.slow
def test_each_single_right_opens_the_pages_that_the_table_says(
    arguments: dict[str, list[Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A user of the staff with one right, for each right that a page asks for: `rights_matrix.csv` names the pages
    that the right changes, beyond what every user of the staff gets."""
    staff = factories.user("staff", is_staff=True)
    signed_in = Client()
    signed_in.force_login(staff)
    held: set[str] = set()
    asked: set[str] = set()

    def has_perm(user: User, perm: str, obj: Any = None) -> bool:
        asked.add(perm)
        return perm in held

    monkeypatch.setattr(User, "has_perm", has_perm)

    def status(entry: str, *rights: str) -> int:
        held.clear()
        held.update(rights)
        name = entry.removeprefix("POST ")
        path = reverse(name, args=arguments.get(name, []))
        if compared_site.SLUG in path:
            declarations.clear()
        client = Client()
        client.cookies[settings.SESSION_COOKIE_NAME] = signed_in.cookies[settings.SESSION_COOKIE_NAME].value
        with transaction.atomic():
            response = client.post(path, {}) if entry != name else client.get(path)
            transaction.set_rollback(True)
        return response.status_code

    opened = set()
    for entry in MATRIX:
        asked.clear()
        without = status(entry)
        for right in sorted(asked):
            if (now := status(entry, right)) != without:
                opened.add((entry, right, str(without), str(now)))
    with (TESTS / "leaderboard" / "rights_matrix.csv").open(newline="") as file:
        expected = {tuple(row.values()) for row in csv.DictReader(file)}
    assert opened == expected


def our_models() -> set[type[Model]]:
    return {
        model for label in ("scoring", "leaderboard", "humaneval") for model in apps.get_app_config(label).get_models()
    }


def test_every_model_is_in_the_administration() -> None:
    assert our_models() <= set(admin.site._registry)


@pytest.mark.slow
def test_every_model_has_its_admin_pages(arguments: dict[str, list[Any]], people: dict[str, User | None]) -> None:
    maintainer, other = people["maintainer"], people["other"]
    assert maintainer is not None
    assert other is not None
    client, stranger = Client(), Client()
    client.force_login(maintainer)
    stranger.force_login(other)
    for model in our_models():
        path = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")
        assert client.get(path).status_code == 200
        assert stranger.get(path).status_code == 302
        row = model._default_manager.first()
        if row is not None:
            path = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_change", args=[row.pk])
            assert client.get(path).status_code == 200


def test_every_answer_carries_the_protecting_headers(client: Client, made: Benchmark) -> None:
    for path in ("/", "/submit/", "/nowhere/", "/api/v1/", "/healthz"):
        response = client.get(path)
        policy = response["Content-Security-Policy"]
        assert "unsafe" not in policy
        assert "default-src 'none'" in policy
        assert "script-src 'self'" in policy
        assert response["X-Content-Type-Options"] == "nosniff"
        assert response["X-Frame-Options"] == "DENY"
        assert response["Referrer-Policy"] == "same-origin"


def test_a_get_may_name_a_content_type(client: Client, made: Benchmark) -> None:
    """As many a program's HTTP library does on every request."""
    assert client.get("/api/v1/board/", headers={"Content-Type": "application/json"}).status_code == 200
    assert client.generic("GET", "/", b"", content_type="text/plain").status_code == 200


def test_the_sites_own_name_stands_on_the_sign_in_page(client: Client) -> None:
    assert "<title>Sign in · Manyhop</title>" in " ".join(client.get("/accounts/sign-in/").content.decode().split())
