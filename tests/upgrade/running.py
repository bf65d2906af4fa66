"""Starting the process that upgrades the site of version 0.7.0 (`tests.upgrade.site`)."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.paths import ROOT
from tests.settings import CHILD
from tests.upgrade.version_0_7_0 import SITE


def start(folder: Path, url: str) -> "subprocess.Popen[str]":
    """Start to upgrade the site, given an empty database and an empty folder for its data directory."""
    data = folder / "data"
    (data / "static").mkdir(parents=True)
    environment = {
        name: value for name, value in os.environ.items() if name not in ("REDIS_URL", "PYTEST_CURRENT_TEST")
    }
    environment |= {
        CHILD: "1",
        "DJANGO_SETTINGS_MODULE": "tests.settings",
        "DATABASE_URL": url,
        "MANYHOP_DATA_DIR": str(data),
        "SECRET_KEY": SITE["secret_key"],
        "DEBUG": "0",
        "SECURE_SSL": "0",
        "ALLOWED_HOSTS": "testserver",
        "CELERY_BROKER_URL": "memory://",
        "LEMMATISER": "lookup",
        "LOG_LEVEL": "ERROR",
        "SITE_URL": "http://testserver",
    }
    return subprocess.Popen(
        [sys.executable, "-m", "tests.upgrade.site", str(folder / "report.json")],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def report_of(process: "subprocess.Popen[str]", folder: Path) -> dict[str, Any]:
    """Wait for the process and read its report."""
    output, _ = process.communicate()
    assert process.returncode == 0, f"The site of 0.7.0 could not be upgraded:\n{output}"
    report: dict[str, Any] = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    return report


def upgraded(folder: Path, url: str) -> dict[str, Any]:
    """Upgrade the site, given an empty database and folder; the report."""
    return report_of(start(folder, url), folder)
