"""The site works when no benchmark is packaged, or when the package of one in its database was removed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from io import StringIO
from pathlib import Path

import pytest
from django.core.checks import run_checks
from django.core.management import call_command
from django.test import Client

from leaderboard.board import standings
from leaderboard.board.exports.snapshots import snapshot_name
from leaderboard.project.demo import content
from scoring import benchmarks, declarations
from scoring.benchmarks import definitions
from scoring.benchmarks.declared.files import pack
from scoring.cli import check
from scoring.models import Benchmark, DeclaredFolder
from scoring.runs import sweeper
from tests import boards, factories
from tests.example_folder import write_example
from tests.leaderboard.declared import declared_site

PAGES = (
    *("/", "/about/", "/how-to-submit/", "/definitions/", "/compare/", "/submit/", "/submissions/", "/check/"),
    *("/maintenance/", "/maintenance/queues/", "/maintenance/quotas/", "/maintenance/systems/", "/maintenance/judge/"),
    *("/maintenance/moderation/", "/maintenance/studies/", "/grading/", "/healthz"),
    *("/api/v1/", "/api/v1/benchmarks/", "/api/v1/systems/", "/api/v1/docs/", "/api/v1/schema/", "/metrics"),
    "/systems/baseline/",
)
OF_BENCHMARK = (
    *("/{slug}/{split}/{setting}/", "/{slug}/data-card/", "/{slug}/{split}/{setting}/pictures/"),
    *("/{slug}/{split}/{setting}/export.csv", "/api/v1/benchmarks/{slug}/", "/{slug}/{split}/{setting}/states/"),
    "/api/v1/board/?benchmark={slug}",
)


@pytest.fixture
def remove_packages(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], None]]:
    """No benchmark is packaged after this is called, as if their folders were deleted."""

    def remove() -> None:
        monkeypatch.setattr(benchmarks, "__path__", [])
        benchmarks.packaged_definitions.cache_clear()

    yield remove
    monkeypatch.undo()
    benchmarks.packaged_definitions.cache_clear()


@pytest.fixture
def nothing_packaged(remove_packages: Callable[[], None]) -> None:
    """No benchmark is packaged."""
    remove_packages()


@pytest.fixture
def maintainer(db: None, client: Client) -> Client:
    """Somebody who sees all pages."""
    client.force_login(factories.maintainer())
    return client


def statuses(client: Client, pages: tuple[str, ...], **place: str) -> dict[str, int]:
    found = {page: client.get(page.format(**place)).status_code for page in pages}
    return {page: status for page, status in found.items() if status != 200}


@pytest.mark.usefixtures("nothing_packaged")
def test_every_page_answers_without_any_benchmark(maintainer: Client) -> None:
    assert not definitions()
    assert statuses(maintainer, PAGES) == {"/submit/": 404, "/check/": 404, "/systems/baseline/": 404}


@pytest.mark.slow
@pytest.mark.usefixtures("nothing_packaged")
def test_every_page_answers_with_a_declared_one_alone(maintainer: Client) -> None:
    declared_site.declare()
    boards.write()
    place = {"slug": declared_site.SLUG, "split": "test", "setting": "closed-book"}
    assert list(definitions()) == [declared_site.SLUG]
    assert statuses(maintainer, PAGES) == {}
    assert statuses(maintainer, OF_BENCHMARK, **place) == {}
    text = maintainer.get("/how-to-submit/").content.decode() + maintainer.get("/").content.decode()
    assert "FanOutQA" not in text
    assert "Capitals" in text


@pytest.mark.slow
def test_a_benchmark_whose_package_was_removed_is_not_shown(
    maintainer: Client, remove_packages: Callable[[], None]
) -> None:
    made = factories.benchmark()
    factories.published(factories.user(), factories.split(made, "dev"), {"openbook": factories.perfect()})
    declared_site.declare()
    boards.write()
    place = {"slug": made.slug, "split": "dev", "setting": "openbook"}
    assert statuses(maintainer, OF_BENCHMARK, **place) == {}
    remove_packages()
    assert Benchmark.objects.count() == 2
    assert statuses(maintainer, PAGES) == {}
    assert set(statuses(maintainer, OF_BENCHMARK, **place).values()) == {404}
    assert made.name not in maintainer.get("/").content.decode()
    assert [one.benchmark.slug for one, _ in standings.boards()] == [declared_site.SLUG]
    sweeper.sweep()


def test_a_hidden_split_without_a_definition_shows_nothing(
    maintainer: Client, remove_packages: Callable[[], None]
) -> None:
    made = factories.benchmark(n_test=8)
    hidden = factories.split(made, "test")
    factories.published(factories.user(), hidden, {"openbook": factories.perfect("test", 8)})
    boards.write()
    snapshot = boards.take_state(hidden, factories.setting(made))
    assert snapshot is not None
    url = f"/{made.slug}/test/openbook/states/{snapshot_name(snapshot)}/"
    assert maintainer.get(url).status_code == 200
    remove_packages()
    for address in (url, f"{url}export.csv", f"{url}export.json"):
        assert maintainer.get(address).status_code == 404


def test_one_unreadable_benchmark_breaks_nothing_else_and_is_named(
    maintainer: Client, remove_packages: Callable[[], None]
) -> None:
    made = factories.benchmark(n_test=8)
    factories.published(factories.user(), factories.split(made, "test"), {"openbook": factories.perfect("test", 8)})
    declared_site.declare()
    for slug in ("more", "broken"):
        declared_site.declare_other(slug)
    boards.write()
    remove_packages()
    files = {"benchmark.toml": b'slug = "broken"'}
    DeclaredFolder.objects.filter(benchmark__slug="broken").update(content=pack(files), sha256="0" * 64)
    declarations.clear()
    home = Client().get("/")
    assert home.status_code == 200
    assert "Capitals" in home.content.decode()
    assert statuses(maintainer, PAGES) == {}
    reasons = declarations.unreadable_benchmarks()
    assert reasons.keys() == {made.slug, "broken"}
    assert "benchmark.toml" in reasons["broken"]
    page = maintainer.get("/maintenance/benchmarks/")
    assert page.context["unreadable"] == reasons
    assert all(slug in page.content.decode() for slug in reasons)
    out = StringIO()
    call_command("healthcheck", stdout=out)
    warnings = [line for line in out.getvalue().splitlines() if "warning:" in line]
    assert [slug for slug in reasons for line in warnings if slug in line.split()] == [*reasons]


def test_an_unreadable_folder_of_the_software_is_named_and_the_others_go_on(
    maintainer: Client, monkeypatch: pytest.MonkeyPatch, remove_packages: Callable[[], None], tmp_path: Path
) -> None:
    write_example(tmp_path / "capitals")
    write_example(tmp_path / "broken")
    (tmp_path / "broken" / "benchmark.toml").write_text('slug = "broken"')
    remove_packages()
    monkeypatch.setattr(benchmarks, "__path__", [str(tmp_path)])
    assert list(benchmarks.packaged_definitions()) == ["capitals"]
    assert [message.id for message in run_checks() if "broken" in message.msg] == ["scoring.W002"]
    page = maintainer.get("/maintenance/benchmarks/")
    assert list(page.context["unreadable"]) == ["broken"]
    assert maintainer.get("/").status_code == 200


@pytest.mark.usefixtures("nothing_packaged")
class TestCommands:
    def test_the_demo_has_a_sample(self, db: None) -> None:
        content.load_benchmarks()
        assert Benchmark.objects.get().slug == declared_site.SLUG

    def test_help_and_checks_work(self, capsys: pytest.CaptureFixture[str]) -> None:
        for command in ("import_submissions", "import_results", "import_reported", "rescore", "import_benchmark"):
            with pytest.raises(SystemExit) as ended:
                call_command(command, "--help", stdout=StringIO())
            assert ended.value.code == 0
        with pytest.raises(SystemExit):
            check.main(["--help"])
        assert "--benchmark" in capsys.readouterr().out
