"""Takes the README's picture, ``docs/images/board.png``, of the site as it is now: ``make picture``.

A new site in a temporary folder has FanOutQA's questions and the results that its paper reports; the picture shows its
open-book board. Needs Chromium, as the browser tests do.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.browser import LAUNCH_ARGUMENTS
from tests.paths import ROOT
from tests.processes import Site
from tests.services import find_chromium

PICTURE = ROOT / "docs" / "images" / "board.png"
BOARD = "/fanoutqa/test/openbook/"
WIDTH, MARGIN = 1280, 16
"""In CSS pixels; the picture ends below the table."""
COMMANDS = (
    ("migrate", "--verbosity", "0"),
    ("collectstatic", "--no-input", "--verbosity", "0"),
    ("import_benchmark", "fanoutqa"),
    ("import_reported", "fanoutqa"),
)


def take(picture: Path) -> None:
    """Write a picture of the board of a new site."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
        environment |= {"DEBUG": "1", "MANYHOP_DATA_DIR": folder, "STATIC_ROOT": f"{folder}/static"}
        for command in COMMANDS:
            subprocess.run([sys.executable, "manage.py", *command], cwd=ROOT, env=environment, check=True)
        site = Site(Path(folder), environment)
        try:
            site.start()
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=find_chromium(), args=LAUNCH_ARGUMENTS)
                page = browser.new_page(viewport={"width": WIDTH, "height": 1400}, color_scheme="light")
                page.goto(site.url + BOARD)
                page.evaluate("document.fonts.ready")
                table = page.locator("table.board").bounding_box()
                assert table is not None
                height = table["y"] + table["height"] + MARGIN
                page.screenshot(path=picture, clip={"x": 0, "y": 0, "width": WIDTH, "height": height})
                browser.close()
        finally:
            site.stop()


if __name__ == "__main__":
    take(PICTURE)
    print(f"{PICTURE.relative_to(ROOT)} shows today's site.")
