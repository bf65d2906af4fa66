"""The documentation as pages: built without a warning, shown at /docs/, searched; its tutorial and notebook are run."""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import nbformat
import pytest
from django.test import Client
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient

from leaderboard.accounts import tokens
from leaderboard.models import Entry
from tests import boards, factories
from tests.browser import PHONE
from tests.e2e.accessibility import violations
from tests.paths import ROOT
from tests.processes import Site, Worker
from tests.scoring.logs import files as logs

if TYPE_CHECKING:
    from pytest_django.live_server_helper import LiveServer

    from tests.browser import PageFactory

pytestmark = pytest.mark.slow
INLINE = re.compile(r"""\sstyle=|<style|\son[a-z]+=|<script(?![^>]*\ssrc=)""")
OF_OTHER_TESTS = ("pip install", "manyhop site demo", "manyhop login", "inspect eval")
"""Commands of the tutorial that tests of the package run: they install, serve, ask for a token, and ask a model."""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pages = tmp_path_factory.mktemp("docs")
    command = [sys.executable, "-m", "sphinx", "-b", "html", "-q", "--fail-on-warning", "docs", str(pages)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return pages


def test_every_document_is_a_page_without_scripts_or_styles_inside(built: Path) -> None:
    pages = {page.stem for page in built.glob("*.html")}
    assert pages == {page.stem for page in (ROOT / "docs").glob("*.md")} | {"search"}
    for page in built.glob("*.html"):
        assert not INLINE.search(page.read_text()), page.name


def test_the_site_shows_them_and_nothing_beside_them(built: Path, client: Client, settings: Any, db: None) -> None:
    settings.DOCS_DIR = built
    assert 'href="/docs/"' in client.get("/about/").content.decode()
    assert b"What a hidden split reveals" in b"".join(client.get("/docs/security.html"))
    assert client.get("/docs/").headers["Cache-Control"] == "public, max-age=300"
    for nothing in ("nothing.html", "_static/", "../README.md", "%2e%2e/README.md"):
        assert client.get(f"/docs/{nothing}").status_code == 404, nothing


def test_without_pages_there_is_no_link(client: Client, settings: Any, tmp_path: Path, db: None) -> None:
    settings.DOCS_DIR = tmp_path
    assert 'href="/docs/"' not in client.get("/about/").content.decode()
    assert client.get("/docs/").status_code == 404


@pytest.mark.django_db(transaction=True)
def test_they_are_accessible_fit_and_can_be_searched(
    built: Path, settings: Any, live_server: "LiveServer", page_factory: "PageFactory"
) -> None:
    settings.DOCS_DIR = built
    for page in (page_factory(live_server.url), page_factory(live_server.url, viewport=PHONE, dark=True)):
        for name in ("", "statistics.html", "deploy.html", "python.html", "search.html?q=interval"):
            page.goto(f"/docs/{name}")
            if name.startswith("search"):
                page.get_by_text("Search finished").wait_for()
            assert list(violations(page)) == [], name
            assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, name
    page.goto("/docs/")
    page.get_by_role("searchbox").fill("wilson")
    page.get_by_role("searchbox").press("Enter")
    page.locator("#search-results a", has_text="Statistics").first.click()
    page.get_by_role("heading", name="Statistics", exact=False).first.wait_for()


@pytest.mark.django_db(transaction=True)
def test_the_tutorial(live_site: Site, worker: Worker, tmp_path: Path) -> None:
    factories.benchmark()
    (tmp_path / "run.eval").write_bytes(logs.eval_log(*(logs.sample(f"dev-{number}") for number in range(4))))
    _, secret = tokens.create_token(user=factories.user(), name="laptop")
    environment = os.environ | {
        "MANYHOP_SITE": live_site.url,
        "MANYHOP_TOKEN": secret,
        "MANYHOP_CONFIG_DIR": str(tmp_path / "config"),
        "PYTHONPATH": str(ROOT),
    }
    program, said = f'manyhop() {{ "{sys.executable}" -m manyhop "$@"; }}', ""
    commands = re.findall(r"^\$ (.+)$", (ROOT / "docs" / "tutorial.md").read_text(), re.MULTILINE)
    assert len(commands) == 9
    for command in commands:
        if command.startswith(OF_OTHER_TESTS):
            continue
        (identifier,) = set(re.findall(r"manyhop publish ([0-9a-f-]{36})", said)) or {"ID"}
        done = subprocess.run(
            ["bash", "-c", f"{program}\n{re.sub('ID$', identifier, command)}"],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode in (0, 1), f"{command}\n{done.stdout}{done.stderr}"
        said = done.stdout
    assert "My system" in said
    assert Entry.objects.get().system.name == "My system"


@pytest.mark.django_db(transaction=True)
def test_the_notebook(live_site: Site, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    made = factories.benchmark(n_dev=30)
    boards.fill(factories.split(made, "dev"), factories.setting(made), 3)
    monkeypatch.setenv("MANYHOP_SITE", live_site.url)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    notebook = nbformat.read(ROOT / "docs" / "paired-test.ipynb", as_version=4)  # type: ignore[no-untyped-call]
    with tempfile.TemporaryDirectory() as short:  # for sockets, which another process cannot take as it can a port
        kernel = AsyncKernelManager(kernel_name="python3", transport="ipc", connection_file=f"{short}/kernel.json")
        NotebookClient(notebook, timeout=200, km=kernel, resources={"metadata": {"path": tmp_path}}).execute(
            cleanup_kc=True
        )
    assert "array(" in str(notebook.cells[5].outputs)
