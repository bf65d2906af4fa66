"""The site's settings as the tests use them: on a directory of their own, and deaf to the developer's environment.

Only ``DATABASE_URL`` and ``REDIS_URL`` are listened to, which ``tests/runner.py`` sets; without them the database is a
SQLite file and the cache local memory. A process that a test starts (a worker, a web server) finds its whole
environment made by `tests.conftest` and is left alone here.
"""

import atexit
import os
import shutil
import tempfile
from pathlib import Path
from urllib.parse import urlsplit

CHILD = "MANYHOP_TEST_CHILD"
IGNORED = {
    *("BEHIND_PROXY", "CSRF_TRUSTED_ORIGINS", "EMAIL_URL", "LEMMATISER"),
    *("LOG_FORMAT", "METRICS_TOKEN", "PROMETHEUS_MULTIPROC_DIR"),
    *("SITE_NAME", "STATIC_ROOT", "SWEEP_SECONDS", "TIME_ZONE"),
    *("EMAIL_FROM", "REQUIRE_SECOND_FACTOR", "SECRET_KEY_FALLBACKS", "SITE_URL"),
    "UPLOAD_LIMIT_MB",
}
# Above all, no test may ask a judge that costs money.
IGNORED_PREFIXES = ("BLEURT_", "ENCYCLOPEDIA", "GITHUB_CLIENT_", "JUDGE_", "MODEL_NAMES", "OIDC_")


def _redis_database() -> str:
    """A database of Redis for each of several test processes side by side: their caches must not meet."""
    worker = os.environ.get("PYTEST_XDIST_WORKER", "")
    return str(int(worker.removeprefix("gw")) + 1) if worker else "0"


def _isolate() -> None:
    directory = Path(tempfile.mkdtemp(prefix="manyhop-tests-"))
    atexit.register(shutil.rmtree, directory, ignore_errors=True)
    (directory / "static").mkdir()
    for name in [name for name in os.environ if name in IGNORED or name.startswith(IGNORED_PREFIXES)]:
        del os.environ[name]
    if os.environ.get("REDIS_URL"):
        os.environ["REDIS_URL"] = urlsplit(os.environ["REDIS_URL"])._replace(path=f"/{_redis_database()}").geturl()
    os.environ.update(
        {
            "DEBUG": "0",
            "SECURE_SSL": "0",
            # The same in every run: it draws the random errors of hidden splits.
            "SECRET_KEY": "the tests' own key: 0123456789 abcdefghijklmnopqrstuvwxyz",
            "ALLOWED_HOSTS": "localhost,127.0.0.1,testserver",
            "MANYHOP_DATA_DIR": str(directory),
            "CELERY_BROKER_URL": "memory://",
            "LOG_LEVEL": "INFO",
            "SUBMISSIONS_PER_WEEK": "none",  # tests send more than anybody may; those of the quotas set one
            "HIDDEN_FILES": "none, none, none",
            "HIDDEN_STATES_MINUTES": "0",
        }
    )


if CHILD not in os.environ:
    _isolate()

from leaderboard.project.settings import *  # noqa: E402, F403
from leaderboard.project.settings import CACHES, DATA_DIR, DATABASES, REDIS_URL, STORAGES  # noqa: E402

if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    DATABASES["default"]["TEST"] = {"NAME": str(DATA_DIR / "tests.sqlite3")}  # a file: workers open it too
if REDIS_URL and CHILD not in os.environ:  # which may be slow to answer on a busy machine
    CACHES["default"]["OPTIONS"] |= {"socket_connect_timeout": 60, "socket_timeout": 60}
STORAGES = STORAGES | {"staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}}
BENCHMARKS_REFRESH_SECONDS = None  # so that no request has a query more
RATE_COUNTS_IN_DATABASE = False  # so that requests need the same number of queries with Redis and without
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]  # fast, for passwords that protect nothing
DOCS_DIR = DATA_DIR / "no-docs"  # whether or not `make docs` was run
