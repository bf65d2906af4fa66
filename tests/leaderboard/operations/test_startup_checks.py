"""A site is safe by default: real processes refuse to start where they should, and protect what they serve."""

import http.client
import os
import secrets
import subprocess
import sys
from pathlib import Path

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory
from pytest_django import Settings

from leaderboard.models import User
from leaderboard.operations import startup_checks
from leaderboard.web.middleware import ThisMachineOnlyMiddleware
from tests import factories
from tests.paths import ROOT
from tests.processes import Site, child_environment

KEY = secrets.token_urlsafe(50)
IN_PUBLIC = {"ALLOWED_HOSTS": "manyhop.example"}


def start(*command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    clean = {name: value for name, value in os.environ.items() if name in ("PATH", "HOME", "LANG")}
    return subprocess.run(
        [sys.executable, *command], cwd=ROOT, env=clean | environment, capture_output=True, text=True, timeout=60
    )


# --- Refusing to start ---------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("environment", "reason"),
    [
        ({}, "SECRET_KEY has 0 characters, at least 50 are needed"),
        ({"SECRET_KEY": KEY[:49]}, "SECRET_KEY has 49 characters"),
        ({"SECRET_KEY": "a" * 60}, "SECRET_KEY has only 1 different characters"),
        ({"SECRET_KEY": "correct-horse-battery-" * 3}, f"SECRET_KEY {startup_checks.REPETITIVE}"),
        ({"SECRET_KEY": f"django-insecure-{KEY}"}, f"SECRET_KEY {startup_checks.PUBLISHED}"),
        ({"SECRET_KEY": startup_checks.DEVELOPMENT_KEY}, f"SECRET_KEY {startup_checks.PUBLISHED}"),
        ({"SECRET_KEY": KEY, "SECRET_KEY_FALLBACKS": f"{KEY},short"}, "SECRET_KEY_FALLBACKS has 5 characters"),
        ({"DEBUG": "1", "SECRET_KEY": "short"}, "SECRET_KEY has 5 characters"),
        ({"DEBUG": "1", "SECRET_KEY": KEY} | IN_PUBLIC, "ALLOWED_HOSTS names manyhop.example"),
        ({"DEBUG": "1", "BEHIND_PROXY": "1"}, "BEHIND_PROXY is set"),
        ({"DEBUG": "1", "SECURE_SSL": "1"}, "SECURE_SSL is on"),
        ({"DEBUG": "1", "DATABASE_URL": "postgres://m:p@10.0.0.7/m"}, "another machine, 10.0.0.7"),
        ({"SECRET_KEY": KEY, "ALLOWED_HOSTS": "*"}, "ALLOWED_HOSTS is *"),
    ],
)
def test_the_site_refuses_to_start_and_says_why(environment: dict[str, str], reason: str, tmp_path: Path) -> None:
    done = start("-c", "import leaderboard.settings", MANYHOP_DATA_DIR=str(tmp_path), **environment)
    assert done.returncode != 0
    assert reason in done.stderr
    assert environment.get("SECRET_KEY", KEY) not in done.stderr, "a key is no text for a log"


@pytest.mark.slow
@pytest.mark.parametrize(
    "environment",
    [
        {"DEBUG": "1"},
        {"DEBUG": "1", "DATABASE_URL": "postgres://m:p@127.0.0.1:5433/m", "ALLOWED_HOSTS": "localhost,m.localhost"},
        {"SECRET_KEY": KEY},
        {"SECRET_KEY": KEY, "SECRET_KEY_FALLBACKS": secrets.token_urlsafe(50)} | IN_PUBLIC,
    ],
)
def test_it_starts_in_development_and_where_it_is_safe(environment: dict[str, str], tmp_path: Path) -> None:
    done = start("-c", "import leaderboard.settings", MANYHOP_DATA_DIR=str(tmp_path), **environment)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [
        (
            "-m",
            "gunicorn",
            "--config",
            "python:leaderboard.operations.processes.gunicorn",
            "leaderboard.wsgi:application",
        ),
        ("-m", "celery", "-A", "leaderboard.celery:app", "worker"),
        ("manage.py", "runserver", "0.0.0.0:0", "--noreload"),
    ],
)
def test_so_does_every_process_of_it(command: tuple[str, ...], tmp_path: Path) -> None:
    done = start(*command, MANYHOP_DATA_DIR=str(tmp_path), DEBUG="1", **IN_PUBLIC)
    assert done.returncode != 0
    assert "ALLOWED_HOSTS names manyhop.example" in done.stderr


def test_debug_answers_nobody_from_elsewhere_however_it_was_bound() -> None:
    def view(request: HttpRequest) -> HttpResponse:
        return HttpResponse("insides")

    ask = ThisMachineOnlyMiddleware(view)
    requests = RequestFactory()
    assert ask(requests.get("/", REMOTE_ADDR="127.0.0.1")).content == b"insides"
    assert ask(requests.get("/", REMOTE_ADDR="::1")).content == b"insides"
    for refused in (
        requests.get("/", REMOTE_ADDR="192.168.1.4"),
        requests.get("/", REMOTE_ADDR=""),
        requests.get("/", REMOTE_ADDR="127.0.0.1", headers={"X-Forwarded-For": "192.168.1.4"}),
        requests.get("/", REMOTE_ADDR="127.0.0.1", headers={"Forwarded": "for=192.168.1.4"}),
    ):
        assert (ask(refused).status_code, b"insides" in ask(refused).content) == (403, False)


def test_development_has_that_guard_and_production_does_not_need_it(tmp_path: Path) -> None:
    show = "from leaderboard.settings import MIDDLEWARE; print(MIDDLEWARE[0])"
    development = start("-c", show, MANYHOP_DATA_DIR=str(tmp_path), DEBUG="1").stdout
    production = start("-c", show, MANYHOP_DATA_DIR=str(tmp_path), SECRET_KEY=KEY).stdout
    assert development.strip() == "leaderboard.web.middleware.ThisMachineOnlyMiddleware"
    assert production.strip() == "leaderboard.operations.logs.RequestIdMiddleware"


def test_a_key_can_be_changed_without_signing_anybody_out(settings: Settings, db: None) -> None:
    old, new = settings.SECRET_KEY, secrets.token_urlsafe(50)
    client = Client()
    client.force_login(factories.user())
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = new, [old]
    assert client.get("/submissions/").status_code == 200
    fresh = Client()
    fresh.force_login(User.objects.get())
    settings.SECRET_KEY_FALLBACKS = []
    assert fresh.get("/submissions/").status_code == 200, "this session is of the new key"
    settings.SECRET_KEY = secrets.token_urlsafe(50)
    assert fresh.get("/submissions/").status_code == 302, "no key that it was made with is known any more"


# --- Once it runs --------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_checking_before_deploying_warns_of_nothing_and_remarks_on_what_lacks(tmp_path: Path) -> None:
    check = ("manage.py", "check", "--deploy", "--fail-level", "WARNING")
    bare = start(*check, MANYHOP_DATA_DIR=str(tmp_path), SECRET_KEY=KEY, **IN_PUBLIC)
    assert bare.returncode == 0, bare.stderr
    for number in range(1, 6):
        assert f"leaderboard.I00{number}" in bare.stderr
    assert "WARNINGS" not in bare.stderr
    whole = start(
        *check,
        MANYHOP_DATA_DIR=str(tmp_path),
        SECRET_KEY=KEY,
        CSRF_TRUSTED_ORIGINS="https://manyhop.example",
        DATABASE_URL="postgres://m:p@10.0.0.7/m",
        EMAIL_URL="smtp://m:p@10.0.0.7:587",
        RECEIPT_KEY="MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=",
        REDIS_URL="redis://10.0.0.7/0",
        **IN_PUBLIC,
    )
    assert whole.returncode == 0, whole.stderr
    assert "no issues" in whole.stdout
    assert "leaderboard.I" not in whole.stderr


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_what_production_serves_is_protected(tmp_path: Path, static_root: Path) -> None:
    """Behind a proxy that brings HTTPS, as docs/deploy.md has it."""
    environment = child_environment(
        SECURE_SSL="1", BEHIND_PROXY="1", ALLOWED_HOSTS="manyhop.example,127.0.0.1", STATIC_ROOT=str(static_root)
    )
    site = Site(tmp_path, environment).start()

    def get(path: str, **headers: str) -> http.client.HTTPResponse:
        connection = http.client.HTTPConnection("127.0.0.1", site.port, timeout=20)
        connection.request("GET", path, headers=headers)
        return connection.getresponse()

    try:
        plain = get("/accounts/sign-in/", Host="manyhop.example")
        assert (plain.status, plain.headers["Location"]) == (301, "https://manyhop.example/accounts/sign-in/")
        page = get("/accounts/sign-in/", Host="manyhop.example", **{"X-Forwarded-Proto": "https"})
        assert page.status == 200
        assert page.headers["Strict-Transport-Security"] == "max-age=31536000; includeSubDomains; preload"
        assert page.headers["X-Content-Type-Options"] == "nosniff"
        assert page.headers["X-Frame-Options"] == "DENY"
        assert page.headers["Referrer-Policy"] == "same-origin"
        assert page.headers["Cross-Origin-Opener-Policy"] == "same-origin"
        assert "camera=()" in page.headers["Permissions-Policy"]
        policy = page.headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        cookies = page.headers.get_all("Set-Cookie") or []
        assert cookies
        assert all("Secure" in cookie and "HttpOnly" in cookie and "SameSite=Lax" in cookie for cookie in cookies)
        other = get("/accounts/sign-in/", Host="evil.example", **{"X-Forwarded-Proto": "https"})
        assert other.status == 400
    finally:
        site.stop()
