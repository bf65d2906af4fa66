#!/usr/bin/env python
"""Django's command-line utility for Manyhop."""

import gc
import os
import sys


def main() -> None:
    gc.disable()  # until all apps are ready
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.project.settings")
    from leaderboard.project.demo import environment

    if sys.argv[1:2] == ["demo"]:  # the demo needs no settings from the environment: it makes them
        environment.prepare()
    elif environment.is_self_contained():
        environment.prepare()
        print(f"Nothing is configured: on the demo's data in {environment.data_directory()}", file=sys.stderr)  # noqa: T201
    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
