"""Fixtures that every test may use, and what is done about tests whose needs are not met.

==================  ================================================================================================
``redis_server``    a Redis of the test's own: ``stop()`` and ``start()`` on the same port, ``flush()``, ``kill9()``
``broker``          makes this process send its tasks where the test's workers listen: to ``redis_server`` if the test
                    asks for that too, otherwise to Celery's filesystem broker; its value is the broker's URL
``process_options`` environment variables for the processes below; override it in a module or class
``make_worker``     ``make_worker("second")`` starts one more real Celery worker
``worker``          a running Celery worker: ``kill9()``, ``stop()``, ``start()``, ``restart()``, ``log``
``beat``            a running Celery beat, which has the sweep done every ``SWEEP_SECONDS``
``live_site``       the site in a gunicorn process on the test's database: ``live_site.url``. Like Redis it is kept for
                    the next test that wants the same, emptied
``shared_site``     the same for all tests of a module that only read, on rows which a fixture of the module makes with
                    ``lasting_db``; its tests carry no mark of the database
``page_factory``    opens Chromium pages: ``page_factory(live_site.url, viewport=PHONE, dark=True)``; see
                    `tests.browser.PageFactory`. The test fails on any console error, any script or style that the
                    content security policy refuses, any request to another host
``browser_page``    one such page, 1280 pixels wide
``sign_in``         ``sign_in(page, user, live_site.url)`` gives a page the session of a user
``made``            the benchmark of `tests.factories`
``grace``           a maintainer
==================  ================================================================================================

All of ``worker``, ``beat`` and ``live_site`` work on the test database from outside, so their tests use real
transactions: ``@pytest.mark.django_db(transaction=True)``; the fixtures see to it.
The markers ``redis`` and ``browser`` are put on tests by the fixtures they use; ``postgres`` is written by hand, on
tests that prove nothing on SQLite.
"""

import contextlib
import fcntl
import gc
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from django.conf import settings as django_settings
from django.core.cache import cache as django_cache
from django.core.management import call_command
from hypothesis import HealthCheck
from hypothesis import settings as properties

from tests import databases, flushing
from tests.firefox import find_firefox
from tests.processes import Beat, Site, Worker, child_environment
from tests.services import PROGRAMS, Redis, find_chromium, find_latex, find_program, find_redis_server

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page
    from pytest_django import DjangoDbBlocker

    from leaderboard.models import User
    from scoring.models import Benchmark
    from tests.browser import PageFactory

MARKERS_OF_FIXTURES = {"redis_server": "redis", "page_factory": "browser"}
REQUIRE_ALL = os.environ.get("MANYHOP_REQUIRE_ALL") == "1"
ONCE_MORE = pytest.mark.flaky(reruns=1, only_rerun=["^TimeoutError"])
"""For tests in a browser: one that ran into a time limit, as it may on a busy machine, is tried again, and the last
lines say so. Whatever else fails has failed."""
properties.register_profile(
    "site",
    deadline=None,  # a busy machine is no finding
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    derandomize=REQUIRE_ALL,  # where everything has to pass, the same examples each time
)
properties.register_profile("quick", properties.get_profile("site"), max_examples=30)
"""For `make test`: the slow set and CI try three times as many examples."""
properties.load_profile("site")
OBJECTS_BEFORE_GARBAGE = 20_000
"""So many new objects have Python look for garbage: it is 700 otherwise, which a test makes hundreds of times."""
SLOW_AS_A_WHOLE = re.compile(r"^pytestmark = (?:\[.*)?pytest\.mark\.slow\b", re.MULTILINE)
LEFT_OUT = pytest.StashKey[dict[str, int]]()
KEPT_BROWSER = pytest.StashKey["KeptBrowser"]()


# --- Tests whose needs are not met ---------------------------------------------------------------------------------


def unmet_needs() -> dict[str, str]:
    """Markers of tests that cannot run here, each with the reason."""
    unmet = {}
    if not django_settings.DATABASES["default"]["ENGINE"].endswith("postgresql"):
        unmet["postgres"] = "DATABASE_URL names no PostgreSQL (`make test` starts one)"
    if find_redis_server() is None:
        unmet["redis"] = "redis-server is not installed"
    if find_chromium() is None:
        unmet["browser"] = "Chromium is not installed"
    if find_latex() is None:
        unmet["latex"] = "LaTeX is not installed"
    if find_firefox() is None:
        unmet["firefox"] = "Firefox is not installed"
    for marker, program in PROGRAMS.items():
        if find_program(program) is None:
            unmet[marker] = f"{program} is not installed"
    return unmet


def pytest_sessionstart(session: pytest.Session) -> None:
    """Test files that ask for benchmarks while they are imported get the packaged ones, without a database."""
    del session
    from scoring import declarations

    declarations.forget_all()


def has_no_case(item: pytest.Item) -> bool:
    """Whether a test is made for each of some things (files of real data, say) of which there is none here."""
    return any("empty parameter set" in mark.kwargs.get("reason", "") for mark in item.iter_markers("skip"))


def refusal(summary: dict[str, int]) -> str:
    """What is said where tests would be left out though everything is required."""
    return "MANYHOP_REQUIRE_ALL=1, but " + "; ".join(summary)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Files and folders without any test that is wanted are not imported: that takes seconds."""
    if config.option.markexpr not in ("slow", "not slow"):
        return None
    files = collection_path.rglob("test_*.py") if collection_path.is_dir() else [collection_path]
    texts = [file.read_text() for file in files if file.suffix == ".py"]
    if config.option.markexpr == "slow":
        is_unwanted = not any("pytest.mark.slow" in text for text in texts)
    else:
        is_unwanted = all(SLOW_AS_A_WHOLE.search(text) for text in texts)
    return True if texts and is_unwanted else None


def mark_by_fixtures(items: list[pytest.Item]) -> None:
    """Puts on tests the markers that follow from the fixtures they use."""
    for item in items:
        for fixture, marker in MARKERS_OF_FIXTURES.items():
            if fixture in getattr(item, "fixturenames", ()):
                item.add_marker(marker)
                if marker == "browser":
                    item.add_marker(ONCE_MORE)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> Iterator[None]:
    """Marks tests, has them selected by their markers, and leaves out of those selected what cannot run here."""
    mark_by_fixtures(items)
    yield
    config.stash[KEPT_BROWSER] = KeptBrowser({item.path for item in items if item.get_closest_marker("browser")})
    unmet = unmet_needs()
    kept: list[pytest.Item] = []
    left_out: list[pytest.Item] = []
    counts = dict.fromkeys(unmet, 0)
    for item in items:
        needs = [marker for marker in unmet if item.get_closest_marker(marker)]
        (left_out if needs or has_no_case(item) else kept).append(item)
        for marker in needs:
            counts[marker] += 1
    summary = {f"{marker}: {unmet[marker]}": count for marker, count in counts.items() if count}
    config.stash[LEFT_OUT] = summary
    if hasattr(config, "workeroutput"):  # one of several processes: another one reports
        from tests.parallel import slow_files_first

        config.workeroutput["left_out"] = summary
        slow_files_first(kept)
        items[:] = [] if summary and REQUIRE_ALL else kept
        return
    if summary and REQUIRE_ALL:
        raise pytest.UsageError(refusal(summary))
    if left_out:
        items[:] = kept
        config.hook.pytest_deselected(items=left_out)


def pytest_configure(config: pytest.Config) -> None:
    """Has quick runs try fewer examples; before the tests are imported, which take the number from the profile."""
    if config.getoption("markexpr") == "not slow":
        properties.load_profile("quick")


def pytest_collection_finish() -> None:
    """What is there once the tests are collected stays till the end: no use in looking for garbage there again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(OBJECTS_BEFORE_GARBAGE, *gc.get_threshold()[1:])


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> object:
    from tests.parallel import ByFile

    return ByFile(config, log)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any, error: object) -> None:
    """Every process collects the same tests: what one left out, all did."""
    node.config.stash[LEFT_OUT] = getattr(node, "workeroutput", {}).get("left_out", {})


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    for reason, count in config.stash.get(LEFT_OUT, {}).items():
        terminalreporter.write_line(f"Left out: {count} tests that need {reason}", yellow=True)


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Where everything is required, a skipped test is a failure."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if not REQUIRE_ALL or reporter is None:
        return
    if summary := session.config.stash.get(LEFT_OUT, {}):
        reporter.write_line("")
        reporter.write_line(refusal(summary), red=True)
        session.exitstatus = pytest.ExitCode.USAGE_ERROR
    skipped = reporter.stats.get("skipped", [])
    if skipped and exitstatus == pytest.ExitCode.OK:
        reporter.write_line("")
        for report in skipped:
            reporter.write_line(f"Skipped though everything is required: {report.nodeid}", red=True)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


# --- The database --------------------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def shared_directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory that all processes which share the tests have in common."""
    base = tmp_path_factory.getbasetemp()
    return base.parent if "PYTEST_XDIST_WORKER" in os.environ else base


@pytest.fixture(scope="session")
def django_db_setup(
    django_test_environment: None,
    django_db_modify_db_settings: None,
    django_db_blocker: "DjangoDbBlocker",
    shared_directory: Path,
) -> Iterator[None]:
    """In place of pytest-django's: one process migrates a database, the others get copies of it."""
    with contextlib.ExitStack() as stack:
        with django_db_blocker.unblock():
            stack.enter_context(databases.prepared_database(shared_directory))
        yield
        with django_db_blocker.unblock():
            stack.close()


# --- The queue and its workers -------------------------------------------------------------------------------------


@pytest.fixture(scope="session", autouse=True)
def _quick_flush() -> Iterator[None]:
    """Tests that commit leave an empty database without taking long over it."""
    with pytest.MonkeyPatch.context() as patch:
        flushing.quickly(patch)
        yield


@pytest.fixture(autouse=True)
def _clean_cache() -> None:
    """The cache, which counts sign-ins for instance, is empty, and is asked even if it was too slow a moment ago."""
    from leaderboard.web import counters

    django_cache.clear()
    counters._silence.until = 0.0


@pytest.fixture(autouse=True)
def _no_declared_benchmarks() -> None:
    """This process knows no declared benchmark of an earlier test."""
    from scoring import declarations

    declarations.forget_all()


@pytest.fixture(scope="session")
def _kept_redis() -> Iterator[list[Redis]]:
    """The Redis of the last test that had one and left it running."""
    kept: list[Redis] = []
    yield kept
    for server in kept:
        server.stop(keep_data=False)


@pytest.fixture
def redis_server(tmp_path_factory: pytest.TempPathFactory, _kept_redis: list[Redis]) -> Iterator[Redis]:
    """An empty Redis that a test may stop, kill and start as it likes."""
    if not _kept_redis:
        _kept_redis.append(Redis(tmp_path_factory.mktemp("redis")).start())
    (server,) = _kept_redis
    yield server
    try:
        server.flush()
    except OSError:  # it was stopped, or does not answer
        _kept_redis.pop().stop(keep_data=False)


def _forget_connections() -> None:
    """Has Celery make its connections to the broker anew, as it does in a forked child."""
    from leaderboard.project.celery import app

    app._after_fork()  # type: ignore[attr-defined]


@pytest.fixture
def made() -> "Benchmark":
    from tests import factories  # models are there once Django is set up; so below

    return factories.benchmark()


@pytest.fixture
def grace() -> "User":
    from tests import factories

    return factories.maintainer()


@pytest.fixture
def broker(request: pytest.FixtureRequest) -> Iterator[str]:
    from leaderboard.project.celery import app
    from scoring.workers import broker as sending

    before = app.conf.broker_transport_options
    with pytest.MonkeyPatch.context() as patch:
        # Where no sweep runs, nothing sends again what a busy machine did not take within a second.
        patch.setattr(sending, "IMPATIENT", sending.IMPATIENT | {"socket_connect_timeout": 60, "socket_timeout": 60})
        if "redis_server" in request.fixturenames:
            server: Redis = request.getfixturevalue("redis_server")
            url = server.url
        else:
            url = "filesystem://"
            folders = {"data_folder_in": "messages", "data_folder_out": "messages", "control_folder": "control"}
            options = {key: str(Path(django_settings.BROKER_DIR) / folder) for key, folder in folders.items()}
            for folder in options.values():
                Path(folder).mkdir(parents=True, exist_ok=True)
            for message in Path(options["data_folder_in"]).glob("*.msg"):  # of an earlier test
                message.unlink(missing_ok=True)
            app.conf.broker_transport_options = options | {"store_processed": False}
        patch.setenv("CELERY_BROKER_URL", url)  # what Celery reads before its configuration
        _forget_connections()
        yield url
    app.conf.broker_transport_options = before
    _forget_connections()


@pytest.fixture
def process_options() -> dict[str, str]:
    """Short times, so that tests of what happens after a failure need not wait long."""
    return {"RUN_LEASE_SECONDS": "6", "RUN_RESEND_SECONDS": "1", "SWEEP_SECONDS": "1"}


@pytest.fixture
def worker_app() -> str:
    """The site's own; a module whose tests need another overrides this."""
    return "leaderboard.celery:app"


@pytest.fixture
def make_worker(
    transactional_db: None, broker: str, process_options: dict[str, str], worker_app: str, tmp_path: Path
) -> Iterator[Callable[..., Worker]]:
    workers: list[Worker] = []

    def make(name: str = "worker", *, queues: str = "cpu", **options: str) -> Worker:
        environment = child_environment(CELERY_BROKER_URL=broker, **(process_options | options))
        workers.append(Worker(tmp_path, environment, name=name, queues=queues, app=worker_app))
        return workers[-1].start()

    yield make
    for worker in workers:
        worker.stop(timeout_seconds=20)


@pytest.fixture
def worker(make_worker: Callable[..., Worker]) -> Worker:
    return make_worker()


@pytest.fixture
def beat(transactional_db: None, broker: str, process_options: dict[str, str], tmp_path: Path) -> Iterator[Beat]:
    process = Beat(tmp_path, child_environment(CELERY_BROKER_URL=broker, **process_options))
    try:
        yield process.start()
    finally:
        process.stop()


# --- The site and the browser --------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def static_root(shared_directory: Path) -> Path:
    """The static files as production serves them: hashed and compressed, collected once for all processes."""
    from django.test import override_settings

    from leaderboard import settings as site

    directory = shared_directory / "static-files"
    with directory.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (directory / "staticfiles.json").exists():  # which is written last
            with override_settings(STATIC_ROOT=str(directory), STORAGES=site.STORAGES):
                call_command("collectstatic", interactive=False, verbosity=0)
    return directory


@pytest.fixture(scope="session")
def _kept_site(django_db_setup: None) -> Iterator[list[Site]]:
    """The web server of the last test that had one, for the next that wants the same. It goes before the database."""
    kept: list[Site] = []
    yield kept
    for site in kept:
        site.stop()


@pytest.fixture
def live_site(
    transactional_db: None,
    broker: str,
    process_options: dict[str, str],
    static_root: Path,
    tmp_path_factory: pytest.TempPathFactory,
    _kept_site: list[Site],
) -> Iterator[Site]:
    """A test may stop, kill and start it as it likes; its log begins with the test."""
    environment = child_environment(CELERY_BROKER_URL=broker, STATIC_ROOT=str(static_root), **process_options)
    if _kept_site and not (_kept_site[0].running and _kept_site[0].environment == environment):
        _kept_site.pop().stop()
    if not _kept_site:
        _kept_site.append(Site(tmp_path_factory.mktemp("site"), environment).start())
    (site,) = _kept_site
    site.log.write_bytes(b"")
    yield site
    if not (site.running and site.falls_idle()):
        _kept_site.pop().stop()


@pytest.fixture(scope="module")
def lasting_db(django_db_setup: None, django_db_blocker: "DjangoDbBlocker") -> Iterator[None]:
    """Rows made by a module's fixtures are committed and stay for all its tests; everything goes when it is done."""
    with django_db_blocker.unblock():
        yield
        call_command("flush", interactive=False, verbosity=0)


@pytest.fixture(scope="module")
def shared_site(lasting_db: None, static_root: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    site = Site(tmp_path_factory.mktemp("site"), child_environment(STATIC_ROOT=str(static_root)))
    try:
        yield site.start()
    finally:
        site.stop()


class KeptBrowser:
    """The browser of the last tests that had one, for the next; closed before the tests of a file without any.

    While it is open this thread has a running event loop, in which nothing else can call ``asyncio.run``, as runs of
    the judge do.
    """

    def __init__(self, files: set[Path]) -> None:
        self._files = files
        self._browser: Browser | None = None
        self._stack = contextlib.ExitStack()

    def close_before(self, item: pytest.Item) -> None:
        if item.path not in self._files:
            self.close()

    def opened(self) -> "Browser":
        from playwright.sync_api import sync_playwright

        from tests.browser import LAUNCH_ARGUMENTS

        if self._browser is not None and self._browser.is_connected():
            return self._browser
        self.close()
        # Playwright keeps an event loop in this thread, and Django refuses its ORM beside one unless told it is safe.
        self._stack.enter_context(pytest.MonkeyPatch.context()).setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "1")
        playwright = self._stack.enter_context(sync_playwright())
        self._browser = playwright.chromium.launch(executable_path=str(find_chromium()), args=list(LAUNCH_ARGUMENTS))
        self._stack.callback(self._browser.close)
        return self._browser

    def close(self) -> None:
        self._browser = None
        self._stack.close()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    item.config.stash[KEPT_BROWSER].close_before(item)


@pytest.fixture(scope="session")
def _kept_browser(request: pytest.FixtureRequest) -> Iterator[KeptBrowser]:
    kept = request.config.stash[KEPT_BROWSER]
    yield kept
    kept.close()


@pytest.fixture(scope="module")
def chromium(_kept_browser: KeptBrowser) -> "Browser":
    """The browser; a page of it is in a context of its own."""
    return _kept_browser.opened()


@pytest.fixture
def page_factory(chromium: "Browser") -> Iterator["PageFactory"]:
    from tests.browser import PageFactory

    factory = PageFactory(chromium)
    yield factory
    factory.close()
    if problems := factory.unexpected():
        pytest.fail("The pages reported:\n" + "\n".join(problems), pytrace=False)


@pytest.fixture
def browser_page(page_factory: "PageFactory") -> "Page":
    return page_factory()


@pytest.fixture
def sign_in() -> Callable[..., None]:
    from django.test import Client

    def give_session(page: "Page", user: Any, url: str) -> None:
        client = Client()
        client.force_login(user)
        cookie = client.cookies[django_settings.SESSION_COOKIE_NAME]
        page.context.add_cookies([{"name": cookie.key, "value": cookie.value, "url": url, "httpOnly": True}])

    return give_session
