"""Writes the baselines again: ``python -m tests.contracts``.

Run it only for an intended change that has a line in the CHANGELOG; see CONTRIBUTING. It writes what the present code
gives to ``tests/contracts/baseline/`` and prints every difference. The exports are made from the site of version 0.7.0
in ``tests/upgrade/``, upgraded in a temporary SQLite database; the files of that site never change.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import django

from tests.paths import ROOT


def main() -> int:
    """Write every part, and the client's types; returns 0."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    django.setup()
    from tests.contracts import baselines  # after the settings are there
    from tests.contracts.parts import PARTS, SITE_PARTS
    from tests.upgrade.running import upgraded

    found = {part: collect() for part, collect in PARTS.items()}
    with tempfile.TemporaryDirectory() as folder:
        report = upgraded(Path(folder), f"sqlite:///{folder}/site.sqlite3")
    found |= {part: report["parts"][part] for part in SITE_PARTS}
    for part, content in found.items():
        known = baselines.file_of(part).exists()
        for line in baselines.differences(baselines.read(part), baselines.plain(content)) if known else ["is new"]:
            print(f"{part}: {line}")
        baselines.write(part, content)
    subprocess.run([sys.executable, "setup.py", "--quiet", "records"], cwd=ROOT, check=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
