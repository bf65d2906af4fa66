"""A site is safe by default: real processes refuse to start where they should, and protect what they serve."""

import http.client
import os
import secrets
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.core.checks import ERROR
from django.core.exceptions import ImproperlyConfigured
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory
from pytest_django import Settings

from leaderboard.models import User
from leaderboard.operations import checks, setting_rules, startup_checks
from leaderboard.operations.environment import Environment, time_zone
from leaderboard.web.middleware import ThisMachineOnlyMiddleware
from tests import factories
from tests.paths import ROOT
from tests.processes import Site, child_environment

KEY = secrets.token_urlsafe(50)
IN_PUBLIC = {"ALLOWED_HOSTS": "manyhop.example"}
GUNICORN = (
    *("-m", "gunicorn", "leaderboard.wsgi:application"),
    *("--config", "python:leaderboard.operations.processes.gunicorn"),
)
WORKER = ("-m", "celery", "-A", "leaderboard.celery:app", "worker")


def start(*command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    clean = {name: value for name, value in os.environ.items() if name in ("PATH", "HOME", "LANG")}
    return subprocess.run(
        [sys.executable, *command], cwd=ROOT, env=clean | environment, capture_output=True, text=True, timeout=240
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
        ({"DEBUG": "1", "JUDGE_TIMEOUT_SECONDS": "x"}, "JUDGE_TIMEOUT_SECONDS is 'x'"),
        ({"DEBUG": "1", "LOG_LEVEL": "loud"}, "LOG_LEVEL is 'loud'"),
    ],
)
def test_the_site_refuses_to_start_and_says_why(environment: dict[str, str], reason: str, tmp_path: Path) -> None:
    done = start("-c", "import leaderboard.settings", MANYHOP_DATA_DIR=str(tmp_path), **environment)
    assert done.returncode != 0
    assert reason in done.stderr
    assert environment.get("SECRET_KEY", KEY) not in done.stderr, "a key is no text for a log"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *[
            ("DATABASE_URL", value)
            for value in ("rubbish", "", "foo://x", "postgress://m:hush@h/m", "postgres://m:hush@h:x/m")
        ],
        *[("EMAIL_URL", value) for value in ("smtp://m:hush@h:abc", "mail.example", "smtp://", "imap://m:hush@h")],
    ],
)
def test_an_address_that_cannot_be_read_is_named_and_not_shown(
    name: str, value: str, monkeypatch: pytest.MonkeyPatch, recwarn: pytest.WarningsRecorder
) -> None:
    monkeypatch.setenv(name, value)
    read = Environment().db_url if name == "DATABASE_URL" else Environment().email_url
    with pytest.raises(ImproperlyConfigured, match=f"^{name} ") as refusal:
        read(name)
    assert "hush" not in str(refusal.value)
    assert not recwarn.list, "a warning would show the address"


def test_numbers_and_time_zones_are_read_as_they_are_written_or_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUDGE_TIMEOUT_SECONDS", "1e3")
    assert Environment().float("JUDGE_TIMEOUT_SECONDS") == 1000
    assert Environment().float("NOT_SET", default=10) == 10
    for read in (Environment().int, Environment().float):
        monkeypatch.setenv("SWEEP_SECONDS", "10s")
        with pytest.raises(ImproperlyConfigured, match=r"^SWEEP_SECONDS is '10s'"):
            read("SWEEP_SECONDS")
    for zone in ("Mars/Base", "", "/etc/passwd"):
        with pytest.raises(ImproperlyConfigured, match=r"^TIME_ZONE is "):
            time_zone("TIME_ZONE", zone)


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
        GUNICORN,
        WORKER,
        ("manage.py", "runserver", "0.0.0.0:0", "--noreload"),
    ],
)
def test_so_does_every_process_of_it(command: tuple[str, ...], tmp_path: Path) -> None:
    done = start(*command, MANYHOP_DATA_DIR=str(tmp_path), DEBUG="1", **IN_PUBLIC)
    assert done.returncode != 0
    assert "ALLOWED_HOSTS names manyhop.example" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [
        (*GUNICORN, "--bind", "127.0.0.1:0"),
        WORKER,
        ("-m", "celery", "-A", "leaderboard.celery:app", "beat", "--schedule", "{}/beat-schedule"),
        ("manage.py", "check"),
    ],
)
def test_no_process_starts_with_settings_that_would_fail_later(command: tuple[str, ...], tmp_path: Path) -> None:
    wrong = {"REDIS_URL": "hush", "SWEEP_SECONDS": "0", "LEMMATISER": "spacy"}
    command = tuple(part.format(tmp_path) for part in command)
    done = start(*command, MANYHOP_DATA_DIR=str(tmp_path), DEBUG="1", **wrong)
    assert done.returncode != 0
    assert all(name in done.stderr for name in wrong), done.stderr
    assert "hush" not in done.stderr
    assert not (tmp_path / "manyhop.sqlite3").exists(), "and nothing was done"


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        *[("LEMMATISER", value) for value in ("", "spacy", "Lookup")],
        *[("SWEEP_SECONDS", value) for value in (0, -5)],
        *[(name, 0) for name in ("UPLOAD_LIMIT_MB", "JUDGE_CONCURRENCY")],
        *[(name, -1) for name in ("JUDGE_RPM", "JUDGE_TPM", "JUDGE_MAX_REPLY_TOKENS", "JUDGE_GIVE_UP_SECONDS")],
        *[(name, 0) for name in ("JUDGE_MAX_ASKS", "JUDGE_TIMEOUT_SECONDS")],
        *[("JUDGE_BASE_URL", value) for value in ("localhost:8080/v1", "https://me:hush@judge.example/v1")],
        *[("JUDGE_PRICES", "x"), ("JUDGE_MODEL", ""), ("JUDGE_MODEL", "m" * 121), ("JUDGE_LIST_MODEL", "a b")],
        *[("JUDGE_SUBMISSION_CAP_USD", "much"), ("JUDGE_MONTHLY_CAP_USD", "-1")],
        *[("REDIS_URL", value) for value in ("10.0.0.7:6379", "http://:hush@h", "redis://:hush@h:port")],
        *[("CELERY_BROKER_URL", value) for value in ("", "10.0.0.7", "sqs://", "redis://a;hush")],
        *[
            ("SITE_URL", value)
            for value in (
                *("manyhop.example", "//manyhop.example", "https://", "ftp://manyhop.example"),
                *("https://me:hush@lab.example", "https://hush@lab.example/manyhop", "https://a\\@lab.example"),
            )
        ],
        *[
            ("SITE_URL", f"https://lab.example{path}")
            for path in (
                *("/many hop", "/manyhop?a=b", "/manyhop?", "/manyhop#a", "/a//b", "/manyhop;a=b"),
                *("/..", "/../manyhop", "/a/../b", "/a/./b", "?a=b", "#a", " "),
            )
        ],
        *[
            ("CSRF_TRUSTED_ORIGINS", ["https://a.example", value])
            for value in ("manyhop.example", "*", "https://me:hush@b.example", "https://b.example/?a=b")
        ],
        *[
            ("ALLOWED_HOSTS", [value])
            for value in ("https://manyhop.example", "manyhop.example:8000", "a.example/x", "")
        ],
        *[("DEFAULT_FROM_EMAIL", value) for value in ("", "Manyhop", "a b@manyhop.example", "@manyhop.example")],
        *[("BLEURT_DTYPE", "float16"), ("BLEURT_DEVICE", "gpu")],
    ],
)
def test_a_setting_that_would_fail_later_is_an_error_that_names_it(
    setting: str, value: object, settings: Settings
) -> None:
    setattr(settings, setting, value)
    found = checks.errors(None)
    variable = "EMAIL_FROM" if setting == "DEFAULT_FROM_EMAIL" else setting
    assert [(error.level, error.msg.split()[0].strip(":")) for error in found] == [(ERROR, variable)]
    assert "hush" not in found[0].msg


@pytest.mark.parametrize("address", ["https://lab.example", "https://lab.example/a.b/..c", "http://127.0.0.1:8000"])
def test_an_address_of_the_site_may_have_a_port_and_a_path_with_dots(address: str, settings: Settings) -> None:
    settings.SITE_URL = address
    settings.CSRF_TRUSTED_ORIGINS = ["https://*.lab.example", "https://lab.example/"]
    assert checks.errors(None) == []


def test_all_errors_are_reported_together_and_each_once(settings: Settings) -> None:
    settings.REDIS_URL = settings.CELERY_BROKER_URL = "10.0.0.7"
    settings.CSRF_TRUSTED_ORIGINS, settings.SITE_URL = ["manyhop.example"], "manyhop.example"
    settings.SWEEP_SECONDS = settings.JUDGE_TIMEOUT_SECONDS = 0
    found = [error.msg.split()[0] for error in checks.errors(None)]
    assert sorted(found) == ["CSRF_TRUSTED_ORIGINS", "JUDGE_TIMEOUT_SECONDS", "REDIS_URL", "SWEEP_SECONDS"]
    settings.ALLOWED_HOSTS = ["manyhop.example"]
    assert "leaderboard.I002" not in {remark.id for remark in checks.remarks(None)}, "the host is not this machine"


def test_debug_answers_nobody_from_elsewhere_however_it_was_bound() -> None:
    def view(request: HttpRequest) -> HttpResponse:
        return HttpResponse("insides")

    ask: Any = ThisMachineOnlyMiddleware(view)
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
    for number in (1, 2, 3, 4, 6, 7):
        assert f"leaderboard.I00{number}" in bare.stderr
    assert "WARNINGS" not in bare.stderr
    whole = start(
        *check,
        MANYHOP_DATA_DIR=str(tmp_path),
        SECRET_KEY=KEY,
        CSRF_TRUSTED_ORIGINS="https://manyhop.example",
        DATABASE_URL="postgres://m:p@10.0.0.7/m",
        EMAIL_URL="smtp://m:p@10.0.0.7:587",
        REDIS_URL="redis://10.0.0.7/0",
        REQUIRE_SECOND_FACTOR="1",
        BEHIND_PROXY="1",
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
        connection = http.client.HTTPConnection("127.0.0.1", site.port, timeout=60)
        connection.request("GET", path, headers=headers)
        return connection.getresponse()

    try:
        plain = get("/accounts/sign-in/", Host="manyhop.example")
        assert (plain.status, plain.headers["Location"]) == (301, "https://manyhop.example/accounts/sign-in/")
        page = get("/accounts/sign-in/", Host="manyhop.example", **{"X-Forwarded-Proto": "https"})
        assert page.status == 200
        assert page.headers["Strict-Transport-Security"] == "max-age=31536000", "no word about subdomains"
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
        assert get("/healthz", Host="10.0.0.7:8000").status == 200, "whoever probes knows an address, and no HTTPS"
    finally:
        site.stop()


@pytest.mark.django_db
@pytest.mark.parametrize("host", ["10.0.0.7:8000", "web", "[fe80::1]"])
def test_probes_are_answered_at_any_address_and_without_https(host: str, settings: Settings, client: Client) -> None:
    settings.ALLOWED_HOSTS, settings.SECURE_SSL_REDIRECT = [".manyhop.example"], True
    settings.METRICS_TOKEN = "a token"
    metrics = client.get("/metrics", headers={"Host": host, "Authorization": "Bearer a token"})
    assert (metrics.status_code, client.get("/healthz", headers={"Host": host}).status_code) == (200, 200)
    assert client.get("/readyz", headers={"Host": host}).json()["database"] == "ok"
    stranger = client.get("/metrics", headers={"Host": host})
    assert stranger.status_code == 404
    assert host.encode() not in stranger.content
    for page in ("/", "/healthz/", "/metricsx"):
        assert client.get(page, headers={"Host": host}, secure=True).status_code == 400, page


@pytest.mark.parametrize(("https", "behind_proxy", "remarked"), [(1, 0, 1), (1, 1, 0), (0, 0, 0), (0, 1, 0)])
def test_a_proxy_that_the_site_does_not_know_of_is_remarked_on(
    https: bool, behind_proxy: bool, remarked: bool, settings: Settings
) -> None:
    settings.SECURE_SSL, settings.BEHIND_PROXY = https, behind_proxy
    assert ("leaderboard.I007" in {remark.id for remark in checks.remarks(None)}) == bool(remarked)


def test_a_wrong_judge_is_an_error_of_the_check_and_stops_no_process(settings: Settings) -> None:
    settings.JUDGE_PRICES = "x"
    assert [problem.partition(" ")[0] for problem in setting_rules.problems()] == ["JUDGE_PRICES:"]
    setting_rules.refuse_invalid()
