"""The commands of the site: ``manage.py`` of a checkout, and ``manyhop site`` of an installation."""

import os
import sys
from collections.abc import Sequence

from leaderboard.project.demo import environment

WITHOUT_SITE = (("benchmark", "new"), ("benchmark", "check"))
"""Commands that read and write files alone."""


def main(program: str, arguments: Sequence[str]) -> None:
    """Run one command, on the demo's data if nothing else is configured."""
    if tuple(arguments[:2]) in WITHOUT_SITE:
        from scoring.cli import folders  # other commands start sooner without it

        status = folders.main(arguments[1:], f"{program} benchmark")
        if status is not None:
            sys.exit(status)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.project.settings")
    if arguments[:1] == ["demo"]:  # the demo needs no settings from the environment: it makes them
        environment.prepare()
    elif environment.is_self_contained():
        environment.prepare()
        print(f"Nothing is configured: on the demo's data in {environment.data_directory()}", file=sys.stderr)  # noqa: T201
    from django.core.management import execute_from_command_line  # reads the environment that was just made

    execute_from_command_line([program, *arguments])
