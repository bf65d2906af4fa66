"""The image is built: with buildah, or where that cannot run, by its steps in a folder that has what the image gets."""

import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from fnmatch import fnmatch
from pathlib import Path

import pytest

from tests.paths import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]
DOCKERFILE = ROOT / "docker" / "Dockerfile"
IGNORED = ROOT / "docker" / "Dockerfile.dockerignore"
PACKAGES = "python3,python3-venv,python3-pip,make,ca-certificates"
CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")
START = "python manage.py check && python -c 'import leaderboard.wsgi' && test -f leaderboard/documentation/index.html"
"""Whether the image holds a site, with its documentation."""
VARIABLES = {"SECRET_KEY": "a-key-of-fifty-characters-for-one-check-of-the-image", "ALLOWED_HOSTS": "manyhop.example"}


def run(*command: str | Path, **options: object) -> str:
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, **options)  # type: ignore[call-overload]
    assert done.returncode == 0, f"{command}: {done.stdout[-3000:]}{done.stderr[-3000:]}"
    return str(done.stdout)


def test_the_image_can_be_built_and_holds_a_site(tmp_path: Path) -> None:
    buildah = buildah_with_base(tmp_path)
    if buildah:
        build_with(buildah)
    else:
        build_by_steps(tmp_path)


def buildah_with_base(folder: Path) -> Sequence[str] | None:
    """The command of buildah with its storage in a folder, and in it a base image made of Debian's packages, since the
    pinned one comes from a registry. None if a program is missing, or cannot run here: both need root."""
    if os.getuid() or not (shutil.which("buildah") and shutil.which("mmdebstrap")):
        return None
    storage = ["--root", str(folder / "storage"), "--runroot", str(folder / "run"), "--storage-driver", "vfs"]
    buildah = ["env", "BUILDAH_ISOLATION=chroot", "buildah", *storage]
    base = folder / "base.tar"
    steps: list[list[str]] = [
        ["mmdebstrap", "--variant=minbase", f"--include={PACKAGES}", "bookworm", str(base)],
        [*buildah, "from", "--name", "base", "scratch"],
        [*buildah, "add", "base", str(base), "/"],
        [*buildah, "run", "base", "ln", "-s", "python3", "/usr/bin/python"],
    ]
    if CERTIFICATES.exists():  # this machine may trust a proxy of its own
        steps.append([*buildah, "copy", "base", str(CERTIFICATES), str(CERTIFICATES)])
    steps.append([*buildah, "commit", "--rm", "base", "localhost/python"])
    works = all(subprocess.run(step, capture_output=True, check=False).returncode == 0 for step in steps)
    return buildah if works else None


def build_with(buildah: Sequence[str]) -> None:
    options = ["--pull-never", "--layers=false", "--build-arg", "PYTHON_IMAGE=localhost/python"]
    options += ["--file", str(DOCKERFILE), "--ignorefile", str(IGNORED), "--tag", "localhost/manyhop"]
    run(*buildah, "bud", *options, ROOT)
    run(*buildah, "from", "--pull-never", "--name", "site", "localhost/manyhop")
    given = [word for name, value in VARIABLES.items() for word in ("--env", f"{name}={value}")]
    run(*buildah, "run", *given, "site", "sh", "-c", START)


def build_by_steps(folder: Path) -> None:
    """Do the steps that need no root in a folder, which stands for the top of the image."""
    source, data = folder / "srv" / "manyhop", folder / "var" / "lib" / "manyhop"
    copy_context(source)
    data.mkdir(parents=True)
    environment = {"HOME": str(folder), "PATH": f"{folder}/srv/venv/bin:{os.environ['PATH']}"}
    environment |= {name: value for name, value in os.environ.items() if name.startswith(("PIP_", "SSL_", "HTTPS_"))}
    environment |= {"MANYHOP_DATA_DIR": str(data), "STATIC_ROOT": str(folder / "srv" / "static"), "EXTRAS": ""}
    text = DOCKERFILE.read_text().replace("\\\n", " ")
    steps = re.findall(r"^RUN (.+)$", text, re.MULTILINE)
    ours = [step for step in steps if not step.startswith(("apt-get ", "useradd ", "install "))]
    assert len(ours) == len(steps) - 3
    for step in ours:
        run("sh", "-ec", re.sub(r"/(?=srv/|tmp/)", f"{folder}/", step), cwd=source, env=environment)
    run("sh", "-ec", START, cwd=source, env=environment | VARIABLES)


def copy_context(target: Path) -> None:
    """Copy what the ignore file leaves of the checkout."""
    lines = [line for line in IGNORED.read_text().splitlines() if line and not line.startswith("#")]
    assert lines[0] == "*"
    wanted = [line[1:] for line in lines if line.startswith("!")]
    unwanted = [line.removeprefix("**/") for line in lines if line.startswith("**/")]
    assert len(wanted) + len(unwanted) == len(lines) - 1, "a pattern that this copy does not know"
    target.mkdir(parents=True)
    for name in wanted:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, target / name, ignore=shutil.ignore_patterns(*unwanted))
        elif not any(fnmatch(name, pattern) for pattern in unwanted):
            shutil.copy2(ROOT / name, target / name)
