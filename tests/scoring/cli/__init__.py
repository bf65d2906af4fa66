"""Commands of ``python -m scoring``."""

import os
import subprocess
import sys

from tests.paths import ROOT

PROGRAM = """
import runpy, sys
try:
    runpy.run_module("scoring", run_name="__main__")
except SystemExit as end:
    print(*{name.partition(".")[0] for name in sys.modules}, file=sys.stderr)
    raise
"""


def run_as_process(*arguments: str) -> tuple[str, set[str]]:
    """The output of a command in a process of its own, without the site's settings, and the packages that it loads."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("DJANGO")}
    command = [sys.executable, "-c", PROGRAM, *arguments]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout, set(done.stderr.split())
