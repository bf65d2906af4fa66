"""The distributions: built, checked, and used from an environment with nothing else."""

import json
import os
import re
import sys
import sysconfig
import tarfile
import zipfile
from collections.abc import Sequence
from pathlib import Path
from urllib.request import urlopen

import pytest

from leaderboard import __version__
from leaderboard.project.demo.content import EXAMPLE_NAME
from leaderboard.project.management.commands.demo import STOP_HINT
from tests.manyhop.distributions import PARTS, PATIENT, build, said
from tests.paths import ROOT
from tests.services import Process, free_port

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

PAGES = ("leaderboard/documentation/index.html", "leaderboard/documentation/css/site.css")
LIMIT_MB = 160
OF_VENV = ("pip", "setuptools", "pkg_resources", "_distutils_hack")
"""What an environment has before anything is installed."""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a wheel and a source distribution."""
    return build(tmp_path_factory.mktemp("built"), pages=PAGES)


@pytest.fixture(scope="module")
def installed(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of a new environment into which the wheel was installed."""
    folder = tmp_path_factory.mktemp("environment")
    said(sys.executable, "-m", "venv", str(folder))
    (wheel,) = built.glob("*.whl")
    install = [
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        *PATIENT,
        "--constraint",
        str(ROOT / "constraints.txt"),
    ]
    said(str(folder / "bin" / "python"), *install, str(wheel))
    return folder / "bin"


def contents(built: Path) -> tuple[set[str], set[str]]:
    """The files of the wheel and of the source distribution."""
    (wheel,), (source,) = built.glob("*.whl"), built.glob("*.tar.gz")
    with tarfile.open(source) as archive:
        packed = {name.partition("/")[2] for name in archive.getnames()}
    return set(zipfile.ZipFile(wheel).namelist()), packed


def files_of(folder: str) -> set[str]:
    return {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def test_both_have_everything_and_pass_the_checks(built: Path) -> None:
    said(sys.executable, "-m", "twine", "check", "--strict", *map(str, built.iterdir()))
    wheel, source = contents(built)
    for part in PARTS:
        inside = "leaderboard/" if part in ("static", "templates") else ""
        assert {f"{inside}{name}" for name in files_of(part)} - wheel == set()
        assert files_of(part) - source == set()
    assert wheel.issuperset(PAGES) and source.issuperset(PAGES)
    assert not {name.partition("/")[0] for name in wheel} - {*PARTS[:4], f"manyhop-{__version__}.dist-info"}
    assert any(name.endswith("licenses/scoring/metrics/text/lemmas-licence.txt") for name in wheel)


def test_it_is_small_and_without_the_site(installed: Path) -> None:
    (packages,) = installed.parent.glob("lib/python*/site-packages")
    size = sum(
        path.stat().st_size
        for path in packages.rglob("*")
        if path.is_file() and path.relative_to(packages).parts[0] not in OF_VENV
    )
    assert size <= LIMIT_MB * 10**6
    assert not {"django", "spacy", "nltk", "pandas", "torch"} & {path.name for path in packages.iterdir()}


def test_it_works(installed: Path, tmp_path: Path) -> None:
    manyhop = str(installed / "manyhop")
    (tmp_path / "refs.json").write_text('[{"id": "a", "answer": ["Two mice", "Oslo"]}]')
    (tmp_path / "gens.jsonl").write_text('{"id": "a", "answer": "Two mouse in Oslo"}\n')
    files = ["--references", "refs.json", "--generations", "gens.jsonl"]
    scored = json.loads(said(manyhop, "score", *files, folder=tmp_path))
    assert scored["scores"]["strict"] == 1.0
    assert "|lemma:spacy-lookups-data-1.0.5|spacy:3.8.18|" in scored["signatures"]["accuracy"]
    report = json.loads(said(manyhop, "check", "gens.jsonl", "--any-ids", "--json", folder=tmp_path))
    assert report["n_errors"] == 0
    said(manyhop, "site", "check", status=2)
    said(manyhop, "benchmarks", "--site", "http://127.0.0.1:9", status=3)


def python(installed: Path, code: str) -> Sequence[str]:
    return said(str(installed / "python"), "-c", code).split()


def test_importing_it_loads_little(installed: Path) -> None:
    bare = set(python(installed, "import sys; print(*sys.modules)"))
    loaded = set(python(installed, "import sys, manyhop; print(*sys.modules)")) - bare
    assert "manyhop" in loaded
    assert not {"numpy", "httpx", "msgspec", "django", "regex", "ftfy"} & loaded
    assert len(loaded) <= 80


def test_the_demo_runs_without_a_checkout(built: Path, tmp_path: Path) -> None:
    """The wheel is installed alone, into an environment that sees the packages of the tests."""
    folder = tmp_path / "environment"
    said(sys.executable, "-m", "venv", str(folder))
    (packages,) = folder.glob("lib/python*/site-packages")
    (packages / "shared.pth").write_text(sysconfig.get_path("purelib") + "\n")
    (wheel,) = built.glob("*.whl")
    said(str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", str(wheel))
    port, log = free_port(), tmp_path / "demo.log"
    manyhop = str(folder / "bin" / "manyhop")
    command = [manyhop, "site", "demo", "--port", str(port)]
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
    demo = Process("demo", command, log, environment=environment, directory=tmp_path)
    try:
        demo.start().wait_until(lambda: STOP_HINT in log.read_text(), 600)
        url = f"http://127.0.0.1:{port}"
        with urlopen(f"{url}/fanoutqa/dev/evidenceprovided/") as response:
            page = response.read().decode()
        assert EXAMPLE_NAME in page
        style = re.search(r'href="(/static/[^"]+\.css)"', page)
        assert style is not None
        with urlopen(url + style[1]) as response:
            assert response.status == 200
        with urlopen(f"{url}/docs/") as response:
            assert response.read() == b"A page."
        done = said(manyhop, "board", "fanoutqa/dev/evidenceprovided", "--site", url)
        assert EXAMPLE_NAME in done
        assert "manyhop site demo import_benchmark --help" in log.read_text()
    finally:
        demo.stop()
    assert (tmp_path / "var" / "demo" / "manyhop.sqlite3").is_file()
    assert not list(packages.rglob("*.sqlite3"))
